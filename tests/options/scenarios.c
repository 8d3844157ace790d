// scenarios: what each command is tried on, and a value for each option.
#include "scenarios.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "time_commands.h"

#define RECORD(stmt, sub, env, self, time)                                                         \
    "{\"schema\":\"bilanx/1\",\"kind\":\"measurement\",\"task\":{\"stmt\":\"" stmt                 \
    "\",\"label\":\"=l\",\"sub_label\":\"" sub "\",\"description\":\"" stmt "\",\"env\":\"" env    \
    "\",\"num_threads\":1},\"number_per_run\":1,\"raw_times\":[" time "],\"counts\":{\"counter\":" \
    "\"callgrind\",\"number\":1,\"instructions\":90000,\"per_iteration\":9,\"repeats\":[9,9],"     \
    "\"functions\":[{\"file\":\"/x/a.c\",\"function\":\"f\",\"self\":" self                        \
    ",\"inclusive\":1" self "},"                                                                   \
    "{\"file\":\"b.c\",\"function\":\"_dl_lookup\",\"self\":30000,\"inclusive\":30000}]}}\n"
const char fixed_sample[] = "{\"parameters\":{},\"tensors\":{}}\n";
const char fixed_record[] = RECORD("f", "8", "gcc", "60000", "1e-6,1.5e-6,1.1e-6,3e-6");

static const struct {
    const char *path, *content;
} files[] = {
    {"null.times", "#bilanx-null\n=parse 1.5us\nrender 20us\n"},
    {"suite.yaml",
     "benchmarks:\n  \"=one\": {stmt: x++, setup: volatile long x = 0, tags: [fast]}\n"
     "  \"=two\": {stmt: {python: pass}}\n"},
    {"a.jsonl", RECORD("f", "9", "gcc", "60000", "1e-6,1.5e-6,1.1e-6,3e-6")
                    RECORD("g", "9", "gcc", "60000", "2.0001e-6,2.12e-6")
                        RECORD("f", "8", "clang", "60000", "1.1e-6,1.2e-6")},
    {"b.jsonl", RECORD("f", "9", "gcc", "60005", "1.1e-6,1.6e-6,1.2e-6")
                    RECORD("f", "8", "clang", "90005", "1.3e-6,1.2e-6")},
    {"stacks.folded", "main;work;inner;more 50\nmain;work;outer 40\nmain;work;small 1\nmain;rest "
                      "9\nmain;tiny 1\nother;work 1\n"},
    {"other.folded", "main;work;inner 50\nmain;rest 99\n"},
    {"log.txt", "Operator: aten.add.Tensor\n"
                "cnt: 1, ((T([2, 2], f32), T([2, 2], f32)), {})\n"
                "cnt: 1, ((T([2, 3], f32), T([2, 3], f32)), {})\n"
                "Operator: aten.relu.default\ncnt: 2, ((T([2, 3], f32),), {})\n"
                "Operator: bilanx.chain.default\ncnt: 3, ((('aten.add.Tensor', T([8, 3], f32), "
                "T([3], f32), ('=alpha', 2)), ('aten.gelu.default', '<0>')), {})\n"},
    {"logs/log.txt", "Operator: aten.relu.default\ncnt: 2, ((T([5, 3], f32),), {})\n"
                     "Operator: bilanx.chain.default\ncnt: 3, ((("
                     "'aten.add.Tensor', T([8, 5], f32), T([5], f32)),), {})\n"},
    {"f.c", "int f(int x) { return x; }\n"},
    {"compile_commands.json", "[]"},
};

void scenario_files(void)
{
    mkdir("logs", 0700);
    setenv("BILANX_DATA", "../in", 1);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *file = fopen(files[i].path, "w");
        fputs(files[i].content, file);
        fclose(file);
    }
}

// Names that mean the same everywhere; the command decides about the others.
static const struct {
    const char *command, *option, *value;
} values[] = {
    {NULL, "json", "new.jsonl"},
    {NULL, "flame", "new.svg"},
    {NULL, "shard", "1/2"},
    {NULL, "shard-costs", "../in/a.jsonl"},
    {NULL, "cases", "1"},
    {NULL, "cluster", "slurm"},
    {NULL, "shard-retries", "5"},
    {NULL, "sbatch-option", "--time=10"},
    {NULL, "cluster-folder", "shared"},
    {NULL, "hwcaps", "native"},
    {NULL, "resume", RESUMED_RECORDS},
    {NULL, "fact", "key=value"},
    {NULL, "language", "python"},
    {NULL, "compile-commands", "../in/compile_commands.json"},
    {NULL, "source", "../in/f.c"},
    {NULL, "include", "../in"},
    {NULL, "dtype", "f64"},
    {NULL, "inputs", "unary"},
    {NULL, "inputs-seed", "7"},
    {NULL, "order-by", "elements"},
    {NULL, "reference", "render"},
    {NULL, "filter", "[drtu]"},
    {NULL, "format", "csv"},
    {NULL, "color", "always"},
    {NULL, "tag", "fast"},
    {NULL, "no-lang", "python"},
    {NULL, "method", "adaptive"},
    {NULL, "timeout", "77s"},
    {NULL, "max-run-time", "9s"},
    {NULL, "min-run-time", "2s"},
    {NULL, "max-memory", "1G"},
    {NULL, "number", "3"},
    {NULL, "retain", "retained"},
    {NULL, "output", "new.svg"},
    {"ab", "bundle", "new.zip"},
    {"ab", "fail-on", "slower"},
    {"ab", "side", "C=cc:gcc -O1"},
    {"ab", "build", "make"},
    {"ab", "stmt", "f(2)"},
    {"time", "reference", "y--"},
    {"time", "parameter-list", "n 1,2"},
    {"commands", "reference", "false"},
    {"commands", "output", "new.out"},
    {"commands", "input", "../in/a.jsonl"},
    {"commands", "export-markdown", "new.md"},
    {"commands", "export-csv", "new.csv"},
    {"commands", "export-json", "new.json"},
    {"commands", "parameter-scan", "n 1 3"},
    {"commands", "parameter-step-size", "2"},
    {"commands", "parameter-list", "m a,b"},
    {"commands", "name", "=named"},
    {"commands", "order", "sequential"},
    {"commands", "min-runs", "20"},
    {"commands", "max-runs", "30"},
    {"flame", "output", "new.svg"},
    {"flame", "lines", "2"},
    {"flame", "folded", "new.folded"},
    {"flame", "speedscope", "new.json"},
    {"flame", "record", "new.jsonl"},
    {"flame", "focus", "work"},
    {"flame", "callees", "work"},
    {"flame", "min-percent", "5"},
    {"flame", "as", "folded"},
    {"flame", "diff", "../in/stacks.folded ../in/other.folded"},
    {"compare", "metric", "median"},
    {"compare", "column", "min"},
    {"compare", "ratio", "a"},
    {"compare", "sort", "value"},
    {"compare", "from", "bilanx"},
    {"compare", "colorize", "rows"},
    {"compare", "width", "24"},
    {"compare", "style", "torch"},
    {"convert", "from", "bilanx"},
    {"convert", "to", "google"},
    {"ops", "op", "aten.relu.default"},
    {"ops", "suite", "logs"},
    {"ops", "inp-file", "../in/logs/log.txt"},
    {"ops", "backend", "@codegen"},
    {"ops", "inductor-config", "@config"},
    {"ops", "baseline", "codegen"},
    {"ops", "dtype", "float64"},
    {"ops", "device", "cpu"},
    {"ops", "max-samples", "1"},
    {"ops", "start-idx", "1"},
    {"ops", "max-bytes", "1G"},
    {"ops", "accuracy-checking", "False"},
    {"ops", "csv", "new.csv"},
    {"ops", "profile", "profiles"},
    {"ops", "show-code", "aten.relu.default"},
    {"fuzz", "compat", "none"},
    {"fuzz", "save", "saved"},
};

const struct option *scenario_options(const struct scenario *scenario)
{
    return scenario->whole_commands ? time_commands_options : scenario->command->options;
}

const struct option_rule *scenario_rules(const struct scenario *scenario)
{
    return scenario->whole_commands ? time_commands_rules : scenario->command->rules;
}

const char *scenario_value(const struct scenario *scenario, const struct option *option)
{
    const char *found = NULL;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (strcmp(values[i].option, option->name) != 0)
            continue;
        if (!values[i].command && !found)
            found = values[i].value;
        else if (values[i].command &&
                 (strcmp(values[i].command, scenario->command->name) == 0 ||
                  strncmp(values[i].command, scenario->name, strlen(values[i].command)) == 0))
            found = values[i].value;
    }
    if (option->kind == OPTION_FLAG)
        return "";
    if (found)
        return found;
    if (option->kind == OPTION_CHOICE)
        return option->choices[1];
    return option->kind == OPTION_SECONDS ? "2s" : option->kind == OPTION_NUMBER ? "0.02" : "7";
}

bool scenario_is_vacuous(const struct scenario *scenario, const char *option, const char *other)
{
    if (strcmp(option, "color") == 0 && other && strcmp(other, "colorize") == 0)
        return true;
    if (strcmp(option, "compat") == 0 && other && strcmp(other, "format") == 0)
        return true;  // what it changes here, CSV does not show
    bool plain_names =
        scenario->command == &cmd_fuzz ||
        (other && (strcmp(other, "measure-nvfuser") == 0 || strcmp(other, "fuse") == 0));
    if (strcmp(option, "csv-safe") == 0 && plain_names)
        return true;
    static const char *const names[] = {"quiet", "device",  "sampled",    "text", "as",
                                        "from",  "salvage", "keep-going", NULL};
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], option) == 0)
            return true;
    return false;
}

const char *scenario_output_for(const struct scenario *scenario, const char *option)
{
    if (scenario->command == &cmd_fuzz && option)
        return strcmp(option, "append") == 0 || strcmp(option, "overwrite") == 0 ? OLD_SAMPLES
                                                                                 : NULL;
    return !option                                                             ? NULL
           : strcmp(option, "append") == 0 || strcmp(option, "overwrite") == 0 ? OLD_RECORDS
                                                                               : NULL;
}

const struct scenario scenarios[] = {
    {"run null", &cmd_run, {"run", "../in/null.times"}},
    {"run suite", &cmd_run, {"run", "../in/suite.yaml"}},
    {"time", &cmd_time, {"time", "+y", "y--"}},
    {"commands",
     &cmd_time,
     {"time", "--", "@true", "{n}", "{m}", "--and", "false"},
     .whole_commands = true},
    {"count", &cmd_count, {"count", "+y", "y--"}},
    {"count suite", &cmd_count, {"count", "../in/suite.yaml"}},
    {"ab statement", &cmd_ab, {"ab", "--A", "cc:gcc", "--B", "cc:gcc -O3", "--stmt", "f(1)"}},
    {"ab suite", &cmd_ab, {"ab", "--A", "true", "--B", "", "../in/suite.yaml"}},
    {"ab bisect", &cmd_ab, {"ab", "--A", "git:v1", "--B", "git:.", "--bisect", "../in/suite.yaml"}},
    {"flame statement", &cmd_flame, {"flame", "y++"}},
    {"flame suite", &cmd_flame, {"flame", "../in/suite.yaml"}},
    {"flame file", &cmd_flame, {"flame", "../in/stacks.folded"}},
    {"flame command", &cmd_flame, {"flame", "--", "true"}},
    {"compare", &cmd_compare, {"compare", "../in/a.jsonl", "../in/b.jsonl"}},
    {"convert", &cmd_convert, {"convert", "../in/a.jsonl", "new.txt"}},
    {"merge", &cmd_merge, {"merge", "../in/a.jsonl"}},
    {"fuzz", &cmd_fuzz, {"fuzz", "sparse_binary"}},
    {"ops", &cmd_ops, {"ops", "../in/log.txt"}},
    {"doctor", &cmd_doctor, {"doctor"}},
    {"trust", &cmd_trust, {"trust", "../in"}},
    {0},
};
