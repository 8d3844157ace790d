// parameters: the values that stand for {name} in commands, and their combinations.
#ifndef COMMANDS_PARAMETERS_H
#define COMMANDS_PARAMETERS_H

#include "sources/commands/shell_words.h"

enum { PARAMETERS_MOST = 10000 };  // values of one parameter, and combinations of all

struct parameter {
    char *name;
    bool numbers;  // by its nature, as 0.10 is one
    struct list values;
};
struct parameters {
    struct parameter *items;
    size_t count, room;
};
void parameters_done(struct parameters *parameters);
SCOPE_VALUE(parameters, parameters_done)

// The numbers from `least` to `most`, decimals as they are written: 0.3 to 0.7 by 0.2 has three.
struct bilanx_error parameters_add_scan(struct parameters *parameters, const char *name,
                                        const char *least, const char *most, const char *step);

// The values of a list with commas; "\," is a comma within a value.
struct bilanx_error parameters_add_list(struct parameters *parameters, const char *name,
                                        const char *values);

// A choice of values: an index for each parameter.
struct combination {
    const struct parameters *parameters;
    const bool *used;  // the others keep their first value
    size_t *indices;
};

// Goes on to the next choice, the last parameter in use varying fastest; false after the last one.
bool combination_next(struct combination *combination);

const char *combination_value(const struct combination *combination, size_t parameter);

// A copy of `text` in which every {name} of a parameter is its value; NULL stays NULL.
char *combination_fill(const struct combination *combination, const char *text);

// Whether {name} stands in the text, which may be NULL.
bool parameter_occurs(const struct parameter *parameter, const char *text);

// Whether a value is a number: of a scan always; of a list when it is written in its shortest form,
// as 1.10 and 007 are names.
bool parameter_number(const struct parameter *parameter, const char *value, double *out);

#endif
