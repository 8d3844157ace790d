// entry_keys: the keys of a suite file; docs/formats/suite.md has an example for each.
#include "entry_keys.h"

#define CODE(member) offsetof(struct bilanx_suite_code, member)
const struct tree_key suite_code_keys[] = {
    {"c", YAML_AS_TEXT, CODE(c), .help = "code in C"},
    {"c++", YAML_AS_TEXT, CODE(cxx), .help = "code in C++"},
    {"python", YAML_AS_TEXT, CODE(python), .help = "code in Python"},
    {0},
};

#define TIMER(member) offsetof(struct bilanx_suite_timer, member)
static const struct tree_key timer_keys[] = {
    {"stmt", YAML_AS_TEXT, TIMER(stmt), .needed = true, .help = "the code to measure"},
    {"setup", YAML_AS_TEXT, TIMER(setup), .help = "runs first"},
    {"global_setup", YAML_AS_TEXT, TIMER(global_setup), .help = "outside the function"},
    {"language", YAML_AS_TEXT, TIMER(language), .help = "c, c++ or python"},
    {"threads", YAML_AS_COUNT, TIMER(threads), .help = "threads the statement may use"},
    {0},
};

#define COMPILE(member) offsetof(struct bilanx_suite_compile, member)
static const struct tree_key compile_keys[] = {
    {"env", YAML_AS_TEXT, COMPILE(env), .help = "name of this way to compile"},
    {"cc", YAML_AS_TEXT, COMPILE(cc), .help = "C compiler"},
    {"cxx", YAML_AS_TEXT, COMPILE(cxx), .help = "C++ compiler"},
    {"flags", YAML_AS_TEXT, COMPILE(flags), .help = "for the compiler"},
    {"ldflags", YAML_AS_TEXT, COMPILE(ldflags), .help = "for the linker"},
    {"requires", YAML_AS_TEXTS, COMPILE(required), .help = "what must be installed"},
    {0},
};

#define INPUTS(member) offsetof(struct bilanx_suite_inputs, member)
const struct tree_key suite_inputs_keys[] = {
    {"spec", YAML_AS_TEXT, INPUTS(spec), .needed = true, .help = "a file, or a shipped one"},
    {"take", YAML_AS_COUNT, INPUTS(take), .help = "number of samples"},
    {"seed", YAML_AS_TEXT, INPUTS(seed), .help = "replaces that of the specification"},
    {"dtype", YAML_AS_TEXT, INPUTS(dtype), .help = "type of all tensors"},
    {"order_by", YAML_AS_TEXT, INPUTS(order_by), .help = "a parameter, or 'elements'"},
    {"as", YAML_AS_TEXT, INPUTS(as), .help = "Python: torch, numpy or dlpack"},
    {0},
};

#define EXPECT(member) offsetof(struct bilanx_suite_expect, member)
const struct tree_key suite_expect_keys[] = {
    {"says", YAML_AS_TEXT, EXPECT(says), .help = "in words"},
    {"time", YAML_AS_TEXT, EXPECT(time), .help = "range of the time, such as 1us..4us"},
    {"overhead", YAML_AS_TEXT, EXPECT(overhead), .help = "range of the overhead"},
    {0},
};

const char *const suite_kind_keys[] = {"timer", "stmt", "module", "variants", "program", NULL};

#define ENTRY(member) offsetof(struct entry_text, entry.member)
#define NODE(member) offsetof(struct entry_text, member)
const struct tree_key suite_entry_keys[] = {
    {"timer", YAML_AS_STRUCT, ENTRY(timer), .keys = timer_keys, .help = "a single case"},
    {"stmt", YAML_AS_NODE, NODE(stmt), .help = "the code to measure, by language"},
    {"module", YAML_AS_NODE, NODE(module), .help = "a module's constructor, by language"},
    {"variants", YAML_AS_NODE, NODE(variants), .help = "lines to measure, by language"},
    {"program", YAML_AS_TEXT, ENTRY(program), .help = "a benchmark program"},
    {"inherit", YAML_AS_TEXT, NODE(inherit), .help = "the entry whose keys it inherits"},
    {"sub_label", YAML_AS_TEXT, ENTRY(sub_label), .help = "the row"},
    {"description", YAML_AS_TEXT, ENTRY(description), .help = "the column"},
    {"env", YAML_AS_TEXT, ENTRY(env), .help = "the environment"},
    {"setup", YAML_AS_NODE, NODE(setup), .help = "runs first, by language; or a name of 'setups'"},
    {"global_setup", YAML_AS_NODE, NODE(global_setup), .help = "outside the function"},
    {"signature", YAML_AS_TEXT, ENTRY(signature), .help = "f(x, w) -> y"},
    {"torchscript", YAML_AS_BOOL, ENTRY(torchscript), .help = "also as a TorchScript model"},
    {"autograd", YAML_AS_BOOL, ENTRY(autograd), .help = "also forward and backward"},
    {"call", YAML_AS_BOOL, ENTRY(call), .help = "also as a separate function"},
    {"threads", YAML_AS_COUNTS, ENTRY(threads), .help = "threads the statement may use"},
    {"each", YAML_AS_NODE, NODE(each), .help = "names and their values"},
    {"inputs", YAML_AS_NODE, NODE(inputs), .help = "generated inputs: a specification"},
    {"compile", YAML_AS_STRUCTS, ENTRY(compile), .keys = compile_keys,
     .size = sizeof(struct bilanx_suite_compile), .help = "ways to compile"},
    {"sources", YAML_AS_TEXTS, ENTRY(sources), .help = "files to compile too"},
    {"preload", YAML_AS_TEXTS, ENTRY(preload), .help = "files to compile and load first"},
    {"include", YAML_AS_TEXTS, ENTRY(include), .help = "where to search for headers"},
    {"pkg", YAML_AS_TEXTS, ENTRY(pkg), .help = "pkg-config packages"},
    {"with", YAML_AS_TEXTS, ENTRY(with), .help = "recipes, such as torch"},
    {"tags", YAML_AS_TEXTS, ENTRY(tags), .help = "words to select it by"},
    {"requires", YAML_AS_TEXTS, ENTRY(required), .help = "what must be installed"},
    {"since", YAML_AS_TEXT, ENTRY(since), .help = "the subject's first version that has it"},
    {"until", YAML_AS_TEXT, ENTRY(until), .help = "the first version without it"},
    {"skip", YAML_AS_TEXT, ENTRY(skip), .help = "why it is skipped"},
    {"timeout", YAML_AS_SECONDS, ENTRY(timeout), .help = "kill a process silent for this long"},
    {"bytes", YAML_AS_TEXT, ENTRY(bytes), .help = "bytes processed per call"},
    {"items", YAML_AS_TEXT, ENTRY(items), .help = "items processed per call"},
    {"overhead_of", YAML_AS_TEXT, ENTRY(overhead_of), .help = "the case to take turns with"},
    {"expect", YAML_AS_NODE, NODE(expect), .help = "what is expected of its time or overhead"},
    {"columns", YAML_AS_TEXTS, ENTRY(columns), .help = "metrics to show beside the time"},
    {0},
};

#define SUITE(member) offsetof(struct suite_text, member)
const struct tree_key suite_keys[] = {
    {"suite", YAML_AS_TEXT, SUITE(name), .help = "its name"},
    {"language", YAML_AS_TEXT, SUITE(language), .help = "language of code that names none (c)"},
    {"requires", YAML_AS_TEXTS, SUITE(required), .help = "what must be installed for all entries"},
    {"subject", YAML_AS_TEXT, SUITE(subject), .help = "what 'since' and 'until' are versions of"},
    {"include", YAML_AS_TEXTS, SUITE(include), .help = "other files"},
    {"defaults", YAML_AS_NODE, SUITE(defaults), .help = "keys that every entry starts with"},
    {"setups", YAML_AS_NODE, SUITE(setups), .help = "setups by name"},
    {"global_setup", YAML_AS_NODE, SUITE(global_setup), .help = "added before every entry's own"},
    {"benchmarks", YAML_AS_NODE, SUITE(benchmarks), .help = "labels, and entries below them"},
    {0},
};
