// entry_keys: the keys of a suite file. One table per mapping; a new key is one line.
#ifndef SUITE_ENTRY_KEYS_H
#define SUITE_ENTRY_KEYS_H

#include "bilanx/suite.h"
#include "support/yaml/keys.h"

struct entry_text {  // an entry as written in a file
    struct bilanx_suite_entry entry;
    const char *inherit;
    const struct tree_node *stmt, *module, *variants, *setup, *global_setup, *each, *inputs,
        *expect;
};
extern const struct tree_key suite_entry_keys[];

struct suite_text {  // the whole file
    const char *name, *language, *subject;
    const char *const *required, *const *include;
    const struct tree_node *defaults, *setups, *global_setup, *benchmarks;
};
extern const struct tree_key suite_keys[];

extern const struct tree_key suite_code_keys[];    // for struct bilanx_suite_code
extern const struct tree_key suite_inputs_keys[];  // for struct bilanx_suite_inputs
extern const struct tree_key suite_expect_keys[];  // for struct bilanx_suite_expect

// An entry has exactly one of these keys; ends in NULL.
extern const char *const suite_kind_keys[];

#endif
