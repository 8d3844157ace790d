// models: TorchScript models, saved once per interpreter for Python and C++ to load.
#ifndef SCHEDULE_MODELS_H
#define SCHEDULE_MODELS_H

#include "bilanx/suite.h"
#include "sources/statements/statements.h"

// Saves the models of cases, using the Python of the options, in a folder whose path the caller
// frees; NULL: there are no models.
struct bilanx_error models_save(struct bilanx_suite_case *const *cases, size_t count,
                                const struct statement_options *options, char **folder);

#endif
