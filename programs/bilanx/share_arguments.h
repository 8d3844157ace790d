// share_arguments: options that choose which part of the cases this machine measures.
#ifndef PROGRAMS_SHARE_ARGUMENTS_H
#define PROGRAMS_SHARE_ARGUMENTS_H

#include "base/options.h"
#include "cluster/share/share.h"

// Option group for struct share.
extern const struct option share_options[];

#endif
