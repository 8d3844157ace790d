// recognise: recognises other tools' benchmark programs by the contents of their files, without
// running them.
#ifndef PROGRAMS_RECOGNISE_H
#define PROGRAMS_RECOGNISE_H

#include "base/surroundings.h"
#include "bilanx/error.h"

// Refuses a program of another library, and says what to do instead. Programs that are not
// recognised pass. The path may be relative to the surroundings; NULL: to this process.
struct bilanx_error recognise_program(const char *path, const struct surroundings *surroundings);

#endif
