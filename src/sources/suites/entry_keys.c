// entry_keys: the keys of a suite file; docs/formats/suite.md has an example for each.
#include "entry_keys.h"

#define CODE(member) offsetof(struct bilanx_suite_code, member)
const struct yaml_key suite_code_keys[] = {
    {"c", YAML_AS_TEXT, CODE(c), .help = "code in C"},
    {"c++", YAML_AS_TEXT, CODE(cxx), .help = "code in C++"},
    {"python", YAML_AS_TEXT, CODE(python), .help = "code in Python"},
    {0},
};

#define TIMER(member) offsetof(struct bilanx_suite_timer, member)
static const struct yaml_key timer_keys[] = {
    {"stmt", YAML_AS_TEXT, TIMER(stmt), .needed = true, .help = "the code to measure"},
    {"setup", YAML_AS_TEXT, TIMER(setup), .help = "runs first"},
    {"global_setup", YAML_AS_TEXT, TIMER(global_setup), .help = "outside the function"},
    {"language", YAML_AS_TEXT, TIMER(language), .help = "c, c++ or python"},
    {"threads", YAML_AS_COUNT, TIMER(threads), .help = "that the statement may use"},
    {0},
};

#define COMPILE(member) offsetof(struct bilanx_suite_compile, member)
static const struct yaml_key compile_keys[] = {
    {"env", YAML_AS_TEXT, COMPILE(env), .help = "the name of this way to compile"},
    {"cc", YAML_AS_TEXT, COMPILE(cc), .help = "the compiler of C"},
    {"cxx", YAML_AS_TEXT, COMPILE(cxx), .help = "the compiler of C++"},
    {"flags", YAML_AS_TEXT, COMPILE(flags), .help = "for the compiler"},
    {"ldflags", YAML_AS_TEXT, COMPILE(ldflags), .help = "for the linker"},
    {"requires", YAML_AS_TEXTS, COMPILE(required), .help = "what must be there"},
    {0},
};

const char *const suite_kind_keys[] = {"timer", "stmt", "module", "variants", "program", NULL};

#define ENTRY(member) offsetof(struct entry_text, entry.member)
#define NODE(member) offsetof(struct entry_text, member)
const struct yaml_key suite_entry_keys[] = {
    {"timer", YAML_AS_STRUCT, ENTRY(timer), .keys = timer_keys, .help = "one case as it is"},
    {"stmt", YAML_AS_NODE, NODE(stmt), .help = "the code to measure, by language"},
    {"module", YAML_AS_NODE, NODE(module), .help = "a module's constructor, by language"},
    {"variants", YAML_AS_NODE, NODE(variants), .help = "lines to measure, by language"},
    {"program", YAML_AS_TEXT, ENTRY(program), .help = "a benchmark program"},
    {"inherit", YAML_AS_TEXT, NODE(inherit), .help = "the entry whose keys it starts with"},
    {"sub_label", YAML_AS_TEXT, ENTRY(sub_label), .help = "the row"},
    {"description", YAML_AS_TEXT, ENTRY(description), .help = "the column"},
    {"env", YAML_AS_TEXT, ENTRY(env), .help = "the environment"},
    {"setup", YAML_AS_NODE, NODE(setup), .help = "runs first, by language; or a name of 'setups'"},
    {"global_setup", YAML_AS_NODE, NODE(global_setup), .help = "outside the function"},
    {"signature", YAML_AS_TEXT, ENTRY(signature), .help = "f(x, w) -> y"},
    {"torchscript", YAML_AS_BOOL, ENTRY(torchscript), .help = "also as a TorchScript model"},
    {"autograd", YAML_AS_BOOL, ENTRY(autograd), .help = "also forward and backward"},
    {"call", YAML_AS_BOOL, ENTRY(call), .help = "also as a function of its own"},
    {"threads", YAML_AS_COUNTS, ENTRY(threads), .help = "that the statement may use"},
    {"each", YAML_AS_NODE, NODE(each), .help = "names and their values"},
    {"compile", YAML_AS_STRUCTS, ENTRY(compile), .keys = compile_keys,
     .size = sizeof(struct bilanx_suite_compile), .help = "ways to compile"},
    {"sources", YAML_AS_TEXTS, ENTRY(sources), .help = "files compiled along"},
    {"include", YAML_AS_TEXTS, ENTRY(include), .help = "where headers are"},
    {"pkg", YAML_AS_TEXTS, ENTRY(pkg), .help = "packages of pkg-config"},
    {"with", YAML_AS_TEXTS, ENTRY(with), .help = "recipes, such as torch"},
    {"tags", YAML_AS_TEXTS, ENTRY(tags), .help = "words to choose it by"},
    {"requires", YAML_AS_TEXTS, ENTRY(required), .help = "what must be there"},
    {"since", YAML_AS_TEXT, ENTRY(since), .help = "the subject's first version that has it"},
    {"until", YAML_AS_TEXT, ENTRY(until), .help = "the first that has it no more"},
    {"skip", YAML_AS_TEXT, ENTRY(skip), .help = "why it is not to be run"},
    {"timeout", YAML_AS_SECONDS, ENTRY(timeout), .help = "how long a process may be silent"},
    {"bytes", YAML_AS_TEXT, ENTRY(bytes), .help = "moved by a call"},
    {"items", YAML_AS_TEXT, ENTRY(items), .help = "done by a call"},
    {0},
};

#define SUITE(member) offsetof(struct suite_text, member)
const struct yaml_key suite_keys[] = {
    {"suite", YAML_AS_TEXT, SUITE(name), .help = "its name"},
    {"language", YAML_AS_TEXT, SUITE(language), .help = "of code without a language: c"},
    {"requires", YAML_AS_TEXTS, SUITE(required), .help = "what must be there for all"},
    {"subject", YAML_AS_TEXT, SUITE(subject), .help = "what has the versions of 'since', 'until'"},
    {"include", YAML_AS_TEXTS, SUITE(include), .help = "other files"},
    {"defaults", YAML_AS_NODE, SUITE(defaults), .help = "keys that every entry starts with"},
    {"setups", YAML_AS_NODE, SUITE(setups), .help = "setups by name"},
    {"global_setup", YAML_AS_NODE, SUITE(global_setup), .help = "before that of every entry"},
    {"benchmarks", YAML_AS_NODE, SUITE(benchmarks), .help = "labels, and entries below them"},
    {0},
};
