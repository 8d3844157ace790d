// parameters: values for {name} in commands, and their combinations.
#ifndef COMMANDS_PARAMETERS_H
#define COMMANDS_PARAMETERS_H

#include "sources/commands/shell_words.h"

enum { PARAMETERS_MOST = 10000 };  // values per parameter, and total combinations

struct parameter {
    char *name;
    bool numbers;  // from a scan: values such as 0.10 are numbers
    struct list values;
};
struct parameters {
    struct parameter *items;
    size_t count, room;
};
void parameters_done(struct parameters *parameters);
SCOPE_VALUE(parameters, parameters_done)

// Adds the numbers from `least` to `most`. Decimal arithmetic: 0.3 to 0.7 by 0.2 gives three
// values.
struct bilanx_error parameters_add_scan(struct parameters *parameters, const char *name,
                                        const char *least, const char *most, const char *step);

// Adds a comma-separated list of values; "\," is a literal comma.
struct bilanx_error parameters_add_list(struct parameters *parameters, const char *name,
                                        const char *values);

// One combination: an index for each parameter.
struct combination {
    const struct parameters *parameters;
    const bool *used;  // unused parameters keep their first value
    size_t *indices;
};

// Advances to the next combination; the last used parameter varies fastest. Returns false at the
// end.
bool combination_next(struct combination *combination);

const char *combination_value(const struct combination *combination, size_t parameter);

// Returns a copy of `text` with every {name} replaced by its value; NULL stays NULL.
char *combination_fill(const struct combination *combination, const char *text);

// Whether {name} occurs in the text, which may be NULL.
bool parameter_occurs(const struct parameter *parameter, const char *text);

// Whether a value is a number. Values of a scan always are. Values of a list are if written in
// their shortest form; 1.10 and 007 are names.
bool parameter_number(const struct parameter *parameter, const char *value, double *out);

#endif
