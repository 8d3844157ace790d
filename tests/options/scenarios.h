// scenarios: what each command is tried on, and a value for each option.
#ifndef TEST_OPTIONS_SCENARIOS_H
#define TEST_OPTIONS_SCENARIOS_H

#include <stdbool.h>

#include "command.h"

struct scenario {
    const char *name;
    const struct command *command;
    const char *words[12];  // options under test are inserted after the first
    bool whole_commands;    // `bilanx time --`, which has other options
};
const struct option *scenario_options(const struct scenario *scenario);
const struct option_rule *scenario_rules(const struct scenario *scenario);
extern const struct scenario scenarios[];  // the last has no name

#define OLD_RECORDS "old.jsonl"  // there at every start
#define RESUMED_RECORDS "resumed.jsonl"
#define OLD_SAMPLES "old.samples"
extern const char fixed_record[], fixed_sample[];

// Writes the inputs of all scenarios into the current folder.
void scenario_files(void);

// A value that an option does not have by default; "" for a flag.
const char *scenario_value(const struct scenario *scenario, const struct option *option);

// Options that are obeyed although nothing differs: they ask for the default or for less output, or
// are about faults that the inputs do not have.
bool scenario_is_vacuous(const struct scenario *scenario, const char *option, const char *other);

// The file for -o where an option needs it: --append needs one that exists.
const char *scenario_output_for(const struct scenario *scenario, const char *option);

#endif
