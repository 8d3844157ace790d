#include "bilanx/suite.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "unit.h"

static struct bilanx_suite *suite;
static struct bilanx_suite_case **cases;
static size_t count;

static int start(void **state)
{
    (void)state;
    suite = bilanx_suite_new(NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(cases);
    cases = NULL;
    bilanx_suite_free(suite);
    return 0;
}

static struct bilanx_error read_text(const char *text)
{
    return bilanx_suite_read_text(suite, text, strlen(text), "s.yaml");
}

static void materialize(void)
{
    free(cases);
    cases = NULL;
    assert_ok(bilanx_suite_materialize(suite, NULL, &cases, &count));
}

// The names of all cases, one per line.
static void assert_names(const char *expected)
{
    materialize();
    AUTO(text) struct text names = {0};
    for (size_t i = 0; i < count; i++)
        text_format(&names, "%s\n", cases[i]->name);
    assert_string_equal(text_get(&names), expected);
}

static const struct bilanx_suite_case *find(const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(cases[i]->name, name) == 0)
            return cases[i];
    fail_msg("no case '%s'", name);
    return NULL;
}

static void assert_refused(const char *text, const char *expected)
{
    struct bilanx_error error = read_text(text);
    if (error.status == BILANX_OK) {
        struct bilanx_suite_case **ignored = NULL;
        size_t found;
        error = bilanx_suite_materialize(suite, NULL, &ignored, &found);
        free(ignored);
    }
    if (error.status != BILANX_E_INPUT || !text_starts(error.text, expected))
        fail_msg("'%.300s' gives '%s', not '%s'", text, error.text, expected);
}

static const char entry_of_the_seed[] =
    "benchmarks:\n"
    "  f:\n"
    "    stmt: {python: y = x * w, c++: auto y = x * w;}\n"
    "    setup:\n"
    "      python: |\n"
    "        x = torch.ones(1)\n"
    "        w = torch.ones(1, requires_grad=True)\n"
    "      c++: auto x = torch::ones({1}), w = torch::ones({1}, torch::requires_grad());\n"
    "    global_setup: {python: import torch}\n"
    "    signature: f(x, w) -> y\n"
    "    torchscript: true\n"
    "    autograd: true\n"
    "    threads: [1, 2]\n";

static void a_signature_enables_every_mode(void **state)
{
    (void)state;
    assert_ok(read_text(entry_of_the_seed));
    materialize();
    assert_int_equal(count, 2 * 2 * 2 * 2);
    const struct bilanx_suite_case *item = find("f/Python TorchScript forward+backward/threads=2");
    assert_int_equal(item->mode, BILANX_SUITE_TORCHSCRIPT);
    assert_int_equal(item->autograd, BILANX_SUITE_FORWARD_BACKWARD);
    assert_int_equal(item->task.num_threads, 2);
    assert_string_equal(item->task.stmt, "y = jit_model(x, w)\ny.backward()");
    assert_string_equal(item->task.description, "Python TorchScript forward+backward");
    assert_non_null(strstr(item->task.setup, "for _ in range(3):\n    jit_model(x, w)"));
    item = find("f/Python forward+backward");
    assert_string_equal(item->task.stmt, "y = x * w\ny.backward()");
    assert_null(item->model);
    item = find("f/C++ forward+backward");
    assert_string_equal(item->task.stmt, "auto y = x * w;\ny.backward();");
}

static void both_languages_load_the_same_model(void **state)
{
    (void)state;
    assert_ok(read_text(entry_of_the_seed));
    materialize();
    const struct bilanx_suite_case *python = find("f/Python TorchScript");
    const struct bilanx_suite_case *cplusplus = find("f/C++ TorchScript");
    assert_string_equal(python->model->name, cplusplus->model->name);
    assert_string_equal(python->model->program,
                        "import sys\nimport torch\nimport torch\nx = torch.ones(1)\n"
                        "w = torch.ones(1, requires_grad=True)\n\n\ndef f(x, w):\n    y = x * w\n"
                        "    return y\n\n\ntry:\n    bilanx_model = torch.jit.script(f)\n"
                        "except Exception:\n    bilanx_model = torch.jit.trace(f, (x, w))\n"
                        "torch.jit.save(bilanx_model, sys.argv[1])\n");
    assert_string_equal(cplusplus->task.stmt,
                        "std::vector<torch::jit::IValue> ivalue_inputs{x, w};\n"
                        "auto y = jit_model.forward(ivalue_inputs).toTensor();");
    assert_non_null(strstr(cplusplus->task.global_setup, "#include <torch/script.h>"));
    AUTO(memory) char *file = mem_format("/%s.pt", cplusplus->model->name);
    assert_non_null(strstr(cplusplus->task.setup, file));
    assert_non_null(strstr(python->task.setup, file));
}

static void a_module_is_created_and_called(void **state)
{
    (void)state;
    assert_ok(read_text("benchmarks:\n  m:\n    module: {python: N(2), c++: n::N(2)}\n"
                        "    setup: {python: x = 1, c++: auto x = 1;}\n"
                        "    signature: f(x) -> None\n    torchscript: true\n"));
    materialize();
    assert_string_equal(find("m/Python")->task.setup, "x = 1\nmodel = N(2)");
    assert_string_equal(find("m/Python")->task.stmt, "model(x)");
    assert_string_equal(find("m/C++")->task.setup, "auto x = 1;\nauto model = n::N(2);");
    assert_string_equal(find("m/C++")->task.stmt, "model->forward(x);");
    const struct bilanx_suite_case *scripted = find("m/Python TorchScript");
    assert_non_null(strstr(scripted->model->program, "\nmodel = N(2)\ntry:\n"
                                                     "    bilanx_model = torch.jit.script(model)"));
    assert_string_equal(scripted->task.stmt, "jit_model(x)");
    assert_null(strstr(scripted->task.setup, "model = N(2)"));
}

static void a_call_gets_its_own_function(void **state)
{
    (void)state;
    assert_ok(read_text(
        "benchmarks:\n  c:\n    stmt: {c: \"int y = x + *p\", c++: \"auto y = x + *p;\"}\n"
        "    signature: f(long x, const int *p) -> int y\n    call: true\n"
        "  d: {stmt: {c++: \"auto y = x + w;\"}, signature: \"f(x, w) -> y\", call: on}\n"));
    materialize();
    const struct bilanx_suite_case *item = find("c/as a call");
    assert_int_equal(item->mode, BILANX_SUITE_CALL);
    assert_string_equal(item->task.stmt, "f(x, p)");
    assert_non_null(strstr(item->task.global_setup,
                           "BILANX_APART static int f(long x, const int *p)\n{\n"
                           "    __asm__ volatile(\"\");\n    int y = x + *p;\n    return y;\n}"));
    assert_string_equal(find("c")->task.stmt, "int y = x + *p");
    assert_null(find("c")->task.global_setup);
    assert_non_null(strstr(find("d/C++ as a call")->task.global_setup,
                           "template <class T0, class T1>\n"
                           "BILANX_APART static auto f(T0 &x, T1 &w)\n"));
}

static void values_are_substituted_everywhere(void **state)
{
    (void)state;
    assert_ok(
        read_text("benchmarks:\n  a:\n    b:\n      each: {n: [1, 2k], t: int}\n"
                  "      setup: {c: \"$t x[$n]; // $$5\"}\n      stmt: {c: \"x[0] = ${n}u;\"}\n"
                  "      description: $n of $t\n      bytes: 8*$n * $n\n      sources: f$n.c\n"
                  "      compile: {cc: gcc-$n, flags: -DN=$n}\n"));
    materialize();
    assert_int_equal(count, 2);
    const struct bilanx_suite_case *item = find("a/b/n=2k/t=int/gcc-2k -DN=2k");
    assert_string_equal(item->task.setup, "int x[2k]; // $5");
    assert_string_equal(item->task.stmt, "x[0] = 2ku;");
    assert_string_equal(item->task.description, "2k of int");
    assert_string_equal(item->task.label, "a");
    assert_string_equal(item->task.sub_label, "b");
    assert_string_equal(item->task.parameters, "{\"n\":\"2k\",\"t\":\"int\"}");
    assert_string_equal(cases[0]->task.parameters, "{\"n\":1,\"t\":\"int\"}");
    assert_near(item->bytes, 8.0 * 2048 * 2048, 0);
    assert_string_equal(item->sources[0], "f2k.c");
    assert_string_equal(item->cc, "gcc-2k");
    assert_string_equal(item->required[0], "program:gcc-2k");
    assert_null(item->required[1]);
}

static void an_empty_statement_is_a_statement(void **state)
{
    (void)state;
    assert_ok(read_text("benchmarks:\n  a: {stmt: {c: ''}}\n"));
    assert_names("a\n");
    assert_string_equal(find("a")->task.stmt, "");
    assert_null(find("a")->task.setup);
}

static void each_line_of_a_block_is_a_benchmark(void **state)
{
    (void)state;
    assert_ok(read_text("language: python\n"
                        "benchmarks:\n  v:\n    setup: a = 0\n    variants:\n"
                        "      python: |\n        x\n        # @one\n        y  # not a label\n"
                        "        # @setup\n        b = 1\n        if b:\n            c = 2\n"
                        "        # @two\n        z\n        # a comment\n        zz\n"
                        "        # @global setup\n        import os\n"
                        "      c: |\n        x;\n        // @two\n        z;\n        zz;\n"
                        "        // @one\n        y;\n"));
    assert_names("v/x\nv/x/C\nv/one\nv/one/C\nv/two/z\nv/two/z/C\nv/two/zz\nv/two/zz/C\n");
    const struct bilanx_suite_case *item = find("v/two/zz");
    assert_string_equal(item->task.label, "v/two");
    assert_string_equal(item->task.sub_label, "zz");
    assert_string_equal(item->task.setup, "a = 0\nb = 1\nif b:\n    c = 2");
    assert_string_equal(item->task.global_setup, "import os");
    assert_string_equal(find("v/one")->task.label, "v");
    assert_string_equal(find("v/one")->task.sub_label, "one");
    assert_string_equal(find("v/two/zz/C")->task.stmt, "zz;");
}

static void global_setups_apply_to_every_kind_of_entry(void **state)
{
    (void)state;
    assert_ok(read_text("global_setup: {python: import g}\nbenchmarks:\n"
                        "  s: {stmt: {python: a}, global_setup: {python: import e}}\n"
                        "  t: {timer: {stmt: a, language: python, global_setup: import t}, "
                        "global_setup: {python: import e}}\n"
                        "  v: {variants: {python: a}, global_setup: {python: import e}}\n"
                        "  m: {module: {python: a}, signature: f() -> None, "
                        "global_setup: {python: import e}}\n"));
    materialize();
    for (size_t i = 0; i < count; i++)
        assert_true(text_starts(cases[i]->task.global_setup, "import g\nimport e"));
    assert_string_equal(find("t/Python")->task.global_setup, "import g\nimport e\nimport t");
}

static void inherited_keys_can_be_overridden(void **state)
{
    (void)state;
    assert_ok(
        read_text("defaults: {tags: all, timeout: 3}\nbenchmarks:\n  a:\n"
                  "    b: {stmt: {c: s, python: p}, setup: {c: one, python: x = 1}, tags: t}\n"
                  "    c: {inherit: b, setup: {c: int y = 2}}\n"
                  "  d: {inherit: a/c, program: ./p}\n"
                  "  e: {stmt: s}\n"));
    assert_names("a/b/Python\na/b\na/c/Python\na/c\nd\ne\n");
    assert_string_equal(find("a/c")->task.setup, "int y = 2");
    assert_string_equal(find("a/c/Python")->task.setup, "x = 1");
    assert_string_equal(find("a/c")->tags[0], "t");
    assert_string_equal(find("d")->task.language, "program");
    assert_string_equal(find("d")->task.stmt, "./p");
    assert_string_equal(find("e")->tags[0], "all");
    assert_near(find("e")->timeout, 3, 0);
}

static void c_and_yaml_give_the_same_cases(void **state)
{
    (void)state;
    assert_ok(read_text(entry_of_the_seed));
    struct bilanx_suite *other = bilanx_suite_new(NULL);
    assert_ok(bilanx_suite_add(
        other, .label = "f", .stmt = {.python = "y = x * w", .cxx = "auto y = x * w;"},
        .setup = {.python = "\n    x = torch.ones(1)\n    w = torch.ones(1, requires_grad=True)\n",
                  .cxx =
                      "auto x = torch::ones({1}), w = torch::ones({1}, torch::requires_grad());"},
        .global_setup = {.python = "import torch"}, .signature = "f(x, w) -> y",
        .torchscript = true, .autograd = true, .threads = (const uint64_t[]){1, 2, 0}));
    struct bilanx_suite_case **theirs = NULL;
    size_t their_count;
    materialize();
    assert_ok(bilanx_suite_materialize(other, NULL, &theirs, &their_count));
    assert_int_equal(their_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(theirs[i]->name, cases[i]->name);
        assert_string_equal(theirs[i]->task.stmt, cases[i]->task.stmt);
        assert_string_equal(theirs[i]->task.setup, cases[i]->task.setup);
    }
    free(theirs);
    bilanx_suite_free(other);
}

static void mistakes_in_c_are_reported_with_the_call(void **state)
{
    (void)state;
    assert_error(bilanx_suite_add(suite, .stmt = {.c = "x"}), BILANX_E_INPUT, "test_suite.c:");
    assert_error(bilanx_suite_add(suite, .label = "a"), BILANX_E_INPUT,
                 "a benchmark needs one of 'timer', 'stmt', 'module', 'variants', 'program'");
    assert_error(bilanx_suite_add(suite, .label = "a", .stmt = {.c = "$x"}), BILANX_E_INPUT,
                 "unknown '$x'");
    assert_names("");
}

static void cases_can_be_filtered(void **state)
{
    (void)state;
    assert_ok(read_text("benchmarks:\n  a: {stmt: {c: s, python: s}, tags: [x, y]}\n"
                        "  b: {stmt: s, tags: y, since: 1.10, until: 2.0}\n  c: {stmt: s}\n"));
    const struct {
        struct bilanx_suite_options options;
        const char *names;
    } choices[] = {
        {{.filter = "^[ab]"}, "a/Python a b "},
        {{.tags = (const char *const[]){"x", NULL}}, "a/Python a "},
        {{.tags = (const char *const[]){"x", "y", NULL}}, "a/Python a b "},
        {{.without_languages = (const char *const[]){"c", NULL}}, "a/Python "},
        {{.version = "1.9.1"}, "a/Python a c "},
        {{.version = "1.10"}, "a/Python a b c "},
        {{.version = "1.13.1"}, "a/Python a b c "},
        {{.version = "2"}, "a/Python a c "},
        {{.filter = "nothing"}, ""},
    };
    for (size_t i = 0; i < LENGTH(choices); i++) {
        AUTO(text) struct text names = {0};
        free(cases);
        cases = NULL;
        assert_ok(bilanx_suite_materialize(suite, &choices[i].options, &cases, &count));
        for (size_t k = 0; k < count; k++)
            text_format(&names, "%s ", cases[k]->name);
        assert_string_equal(text_get(&names), choices[i].names);
    }
    size_t found;
    struct bilanx_suite_case **none = NULL;
    assert_error(bilanx_suite_materialize(suite, &(struct bilanx_suite_options){.filter = "("},
                                          &none, &found),
                 BILANX_E_USAGE, "filter '(' is not a regular expression");
    assert_error(
        bilanx_suite_materialize(suite,
                                 &(struct bilanx_suite_options){
                                     .without_languages = (const char *const[]){"pyton", NULL}},
                                 &none, &found),
        BILANX_E_USAGE, "unknown language 'pyton' (did you mean 'python'?)");
}

#define B "benchmarks:\n"
static const struct {
    const char *text, *error;
} mistakes[] = {
    {"suit: x\n", "s.yaml:1:1: unknown key 'suit' (did you mean 'suite'?)"},
    {"suite: x\n", "s.yaml:1:1: a suite needs 'benchmarks'"},
    {B "  a: {stmnt: {c: x}}\n", "s.yaml:2:7: unknown key 'stmnt' (did you mean 'stmt'?)"},
    {B "  a: {stmt: x, setpu: y}\n", "s.yaml:2:16: unknown key 'setpu' (did you mean 'setup'?)"},
    {B "  a: {stmt: x, cc: clang}\n", "s.yaml:2:16: unknown key 'cc' (write compile: {cc: gcc})"},
    {B "  a: {stmt: x, language: python}\n",
     "s.yaml:2:16: unknown key 'language' (write stmt: {python: ...})"},
    {B "  a: {tags: x, stmnt: y}\n", "s.yaml:2:16: unknown key 'stmnt'"},
    {B "  a: {b: {c: x}}\n", "s.yaml:2:7: 'b' must be a benchmark"},
    {B "  a: x\n", "s.yaml:2:3: 'a' must be a benchmark"},
    {B "  a: {}\n", "s.yaml:2:3: 'a' must be a benchmark"},
    {B "  '': {stmt: x}\n", "s.yaml:2:3: a label cannot be empty"},
    {B "  a: {stmt: {pyton: x}}\n", "s.yaml:2:14: unknown key 'pyton' (did you mean 'python'?)"},
    {B "  a: {stmt: }\n", "s.yaml:2:13: 'stmt' must be code by language, or text in C"},
    {B "  a: {stmt: x, program: y}\n",
     "s.yaml:2:3: a benchmark cannot have both 'stmt' and 'program'"},
    {B "  a: {stmt: x}\n  a: {stmt: y}\n", "s.yaml:3:3: 'a' appears twice, first on line 2"},
    {B "  a: {b: {stmt: x}}\n  a/b: {stmt: y}\n",
     "s.yaml:3:3: 'a/b' is defined twice, the first is 'a/b' of s.yaml:2"},
    {B "  a: {stmt: $n, each: {n: [1, 2]}, description: same}\n",
     "s.yaml:2:3: 'a/n=2' has the same label, sub_label, description, env and threads as"},
    {B "  a:\n    stmt: |\n      one\n      two $sise\n    each: {size: 1}\n",
     "s.yaml:5:11: unknown '$sise' (did you mean '$size'?)"},
    {B "  a: {stmt: x $ y}\n", "s.yaml:2:15: a '$' is not followed by a name"},
    {B "  a: {stmt: x, each: {n: 1}}\n", "s.yaml:2:23: 'each' has 'n', but nothing uses '$n'"},
    {B "  a: {stmt: x, each: {n: []}}\n", "s.yaml:2:23: 'each' gives 'n' no value"},
    {B "  a: {stmt: x, each: {a-b: 1}}\n", "s.yaml:2:23: 'a-b' cannot be a name"},
    {B "  a: {stmt: x, setup: foo}\nsetups: {food: y}\n",
     "s.yaml:2:23: 'setups' has no 'foo' (did you mean 'food'?)"},
    {B "  a: {stmt: x, torchscript: true}\n",
     "s.yaml:2:3: 'torchscript' needs a 'signature', such as 'f(x, w) -> y'"},
    {B "  a: {stmt: x = y, signature: f(x, z) -> y}\n",
     "s.yaml:2:36: unknown key 'z) -> y' without a value"},
    {B "  a: {stmt: y = x, signature: \"f(x, z) -> y\"}\n",
     "s.yaml:2:32: the signature takes 'z', which the code never uses in C"},
    {B "  a: {stmt: y == x, signature: f(x) -> y}\n",
     "s.yaml:2:32: the signature returns 'y', which the code never assigns in C"},
    {B "  a: {stmt: y = x, signature: f(x -> y}\n", "s.yaml:2:31: 'f(x -> y' is not a signature"},
    {B "  a: {stmt: y = x, signature: f(x) y}\n", "s.yaml:2:36: 'f(x) y' is not a signature"},
    {B "  a: {stmt: y = x, signature: \"f(x, 2) -> y\"}\n",
     "s.yaml:2:37: '2' is not a parameter or a result"},
    {B "  a: {stmt: y = x, signature: \"f(x, x) -> y\"}\n",
     "s.yaml:2:37: the signature has 'x' twice"},
    {B "  a: {stmt: y = x, signature: f(x) -> y, call: true}\n",
     "s.yaml:2:31: in C 'call' needs the type of 'x' in the signature"},
    {B "  a: {stmt: {c: y = x}, signature: f(x) -> y, autograd: true}\n",
     "s.yaml:2:3: 'autograd' needs code in Python or C++"},
    {B "  a: {stmt: {python: f(x)}, signature: f(x) -> None, autograd: true}\n",
     "s.yaml:2:40: 'autograd' needs a result"},
    {B "  a: {stmt: {c++: y = x;}, signature: f(x) -> y, torchscript: true}\n",
     "s.yaml:2:3: 'torchscript' needs the code in Python"},
    {B "  a: {module: {c: x}, signature: f(x) -> y}\n",
     "s.yaml:2:3: a 'module' is in Python or C++, not in C"},
    {B "  a: {module: {python: M()}, setup: {python: z = 1}, signature: f(x) -> y}\n",
     "s.yaml:2:65: the signature takes 'x', which the code never uses in Python"},
    {B "  a: {variants: x, torchscript: true}\n",
     "s.yaml:2:3: 'torchscript' is for 'stmt' and 'module' only"},
    {B "  a: {variants: '// @'}\n", "s.yaml:2:18: a label without a name"},
    {B "  a: {variants: '// @a'}\n", "s.yaml:2:18: the block has no line to measure"},
    {B "  a: {variants: {c: \"x\\ny\", python: \"x\"}}\n",
     "s.yaml:2:38: Python has no line for 'y'"},
    {B "  a: {timer: {stmt: x, language: phyton}}\n",
     "s.yaml:2:34: unknown language 'phyton' (did you mean 'python'?)"},
    {B "  a: {timer: {setup: x}}\n", "s.yaml:2:14: timer needs 'stmt': the code to measure"},
    {B "  a: {inherit: b}\n  bb: {stmt: x}\n", "s.yaml:2:16: no entry 'b' to inherit from"},
    {B "  long: {inherit: logn2}\n  long2: {stmt: x}\n",
     "s.yaml:2:19: no entry 'logn2' to inherit from (did you mean 'long2'?)"},
    {B "  a: {inherit: b}\n  b: {inherit: a}\n", "s.yaml:3:16: 'b' inherits from itself"},
    {B "  a: {inherit: a}\n", "s.yaml:2:16: no entry 'a' to inherit from"},
    {B "  a: {stmt: x, compile: {falgs: x}}\n",
     "s.yaml:2:26: unknown key 'falgs' (did you mean 'flags'?)"},
    {B "  a: {stmt: x, compile: [{}]}\n", "s.yaml:2:26: an entry of 'compile' needs one of"},
    {B "  a: {stmt: x, requires: clang}\n", "s.yaml:2:26: unknown requirement 'clang': use"},
    {B "  a: {stmt: x, requires: 'progam:clang'}\n",
     "s.yaml:2:27: unknown requirement 'progam:clang' (did you mean 'program:clang'?)"},
    {"requires: x\n" B "  a: {stmt: x}\n", "s.yaml:1:11: unknown requirement 'x'"},
    {"language: cc\n" B "  a: {stmt: x}\n",
     "s.yaml:1:11: unknown language 'cc' (use c, c++ or python)"},
    {"setups: {a b: x}\n" B "  a: {stmt: x}\n", "s.yaml:1:10: 'a b' cannot name a setup"},
    {B "  a: {stmt: x, since: next}\n", "s.yaml:2:23: 'next' is not a version such as 1.13"},
    {B "  a: {stmt: x, since: 2.0, until: 1.9}\n", "s.yaml:2:3: no version is both since 2.0"},
    {B "  a: {stmt: x, bytes: many}\n", "s.yaml:2:23: 'bytes' must be a number or a product"},
    {B "  a: {stmt: x, threads: 0}\n", "s.yaml:2:25: 'threads' must be a whole number"},
    {"include: '-'\n", "s.yaml:1:10: cannot open './-': No such file"},
    {"include: nowhere.yaml\n", "s.yaml:1:10: cannot open './nowhere.yaml': No such file"},
};

static void mistakes_are_reported_with_their_position(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(mistakes); i++) {
        bilanx_suite_free(suite);
        suite = bilanx_suite_new(NULL);
        assert_refused(mistakes[i].text, mistakes[i].error);
    }
}

static void a_rejected_file_adds_nothing(void **state)
{
    (void)state;
    assert_error(read_text(B "  a: {stmt: x}\n  b: {stmt: $x}\n"), BILANX_E_INPUT, "s.yaml:3:13");
    assert_names("");
}

static void expansion_is_limited(void **state)
{
    (void)state;
    AUTO(text) struct text text = {0};
    text_add(&text, B "  a:\n    stmt: $a $b $c\n    each:\n");
    for (char name = 'a'; name <= 'c'; name++) {
        text_format(&text, "      %c: [", name);
        for (int i = 0; i < 100; i++)
            text_format(&text, "%s%d", i ? ", " : "", i);
        text_add(&text, "]\n");
    }
    assert_refused(text_get(&text), "s.yaml:2:3: the suite has over 20000 cases");
    text_clear(&text);
    text_add(&text, B "  a:\n    each: {x: [");
    text_add_repeated(&text, "yyyyyyyyyy", 1000);
    text_add(&text, "]}\n    stmt: ");
    text_add_repeated(&text, "$x ", 1000);
    assert_refused(text_get(&text), "s.yaml:4:11: this text is over a megabyte with its values");
}

static char folder[] = "/tmp/bilanx-suite-XXXXXX";

static void write_file(const char *name, const char *text)
{
    AUTO(memory) char *path = mem_format("%s/%s", folder, name);
    AUTO(file) FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
}

static void files_are_included_once_and_cycles_are_rejected(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    write_file("a.yaml", "include: [b.yml, c.yml]\n" B "  a: {inherit: c, setup: int x = 1}\n");
    write_file("b.yml", "include: c.yml\nrequires: torch\n" B "  b: {stmt: x}\n");
    write_file("c.yml", "suite: third\n" B "  c: {stmt: x, sources: x.c}\n");
    write_file("d.yml", "include:\n  - e.yml\n" B "  d: {stmt: x}\n");
    write_file("e.yml", "include: d.yml\n");
    write_file("f.yml", "include: c.yml\n" B "  f: {inherit: c, setup: $y}\n  c: {stmt: x}\n");
    AUTO(memory) char *a = mem_format("%s/a.yaml", folder), *d = mem_format("%s/d.yml", folder);
    AUTO(memory) char *f = mem_format("%s/f.yml", folder);
    assert_ok(bilanx_suite_read_file(suite, a));
    assert_names("c\nb\na\n");
    assert_string_equal(find("b")->suite, "b");
    assert_string_equal(find("b")->required[0], "torch");
    assert_null(find("a")->required);
    assert_string_equal(find("a")->suite, "a");
    assert_string_equal(find("c")->suite, "third");
    assert_string_equal(find("c")->directory, folder);
    assert_string_equal(find("a")->file, a);
    assert_error(bilanx_suite_read_file(suite, d), BILANX_E_INPUT, "/e.yml:1:10: '");
    assert_error(bilanx_suite_read_file(suite, d), BILANX_E_INPUT, "includes itself");
    assert_error(bilanx_suite_read_file(suite, f), BILANX_E_INPUT, "/f.yml:3:26: unknown '$y'");
    AUTO(memory) char *command = mem_format("/bin/rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void json_is_one_line(void **state)
{
    (void)state;
    assert_ok(read_text("suite: \"n\\n\"\n" B "  a:\n    stmt: |\n      one\n      two\n"
                        "    skip: why\n    timeout: 2\n    with: [torch]\n    bytes: 3\n"));
    materialize();
    AUTO(memory) char *json = bilanx_suite_case_json(cases[0]);
    assert_string_equal(
        json, "{\"suite\":\"n\\n\",\"name\":\"a\",\"label\":\"a\",\"language\":\"c\",\"mode\":"
              "\"eager\",\"autograd\":\"forward\",\"threads\":1,\"task\":{\"stmt\":\"one\\ntwo\","
              "\"language\":\"c\",\"label\":\"a\",\"sub_label\":\"a\",\"num_threads\":1},\"with\":["
              "\"torch\"],\"skip\":"
              "\"why\",\"timeout\":2,\"bytes\":3,\"file\":\"s.yaml\",\"line\":3,\"column\":3}");
}

static const char *other_of(const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(cases[i]->name, name) == 0)
            return cases[i]->overhead_of ? cases[i]->overhead_of : "nothing";
    return "no such case";
}

static void overheads_refer_to_the_case_that_is_most_alike(void **state)
{
    (void)state;
    assert_ok(
        read_text("benchmarks:\n  a:\n    one: {each: {n: [1, 2]}, stmt: {c: $n, python: $n}}\n"
                  "    two: {inherit: one, overhead_of: one}\n"
                  "    three: {stmt: s, overhead_of: a/one/n=2}\n"
                  "  one: {stmt: s}\n  four: {stmt: s, overhead_of: one}\n"));
    assert_ok(bilanx_suite_materialize(suite, NULL, &cases, &count));
    assert_string_equal(other_of("a/two/n=1"), "a/one/n=1");
    assert_string_equal(other_of("a/two/n=2/Python"), "a/one/n=2/Python");
    assert_string_equal(other_of("a/three"), "a/one/n=2");
    assert_string_equal(other_of("four"), "one");
    assert_string_equal(other_of("a/one/n=1"), "nothing");
}

static void cases_that_overheads_refer_to_can_be_selected_with_them(void **state)
{
    (void)state;
    assert_ok(read_text("benchmarks:\n  a: {stmt: s}\n  b: {stmt: s, overhead_of: a}\n"
                        "  c: {stmt: s, overhead_of: b}\n  d: {stmt: s}\n"));
    struct bilanx_suite_options options = {.filter = "c"};
    assert_ok(bilanx_suite_materialize(suite, &options, &cases, &count));
    assert_int_equal(count, 1);
    free(cases);
    options.with_others = true;
    assert_ok(bilanx_suite_materialize(suite, &options, &cases, &count));
    assert_int_equal(count, 3);
    assert_string_equal(cases[0]->name, "a");
}

static void an_expectation_is_a_range(void **state)
{
    (void)state;
    const struct {
        const char *range;
        double low, high;
    } ranges[] = {{"1us..4us", 1e-6, 4e-6},
                  {"-20ns .. 20ns", -2e-8, 2e-8},
                  {"0..", 0, NAN},
                  {"..1ms", NAN, 1e-3}};
    for (size_t i = 0; i < LENGTH(ranges); i++) {
        AUTO(memory) char *label = mem_format("%zu", i);
        assert_ok(bilanx_suite_add(suite, .label = label, .stmt = {.c = "s"},
                                   .expect = {.time = ranges[i].range}));
    }
    assert_ok(bilanx_suite_materialize(suite, NULL, &cases, &count));
    for (size_t i = 0; i < LENGTH(ranges); i++) {
        const struct bilanx_expected *expected = cases[i]->expected;
        assert_string_equal(expected->says, ranges[i].range);
        assert_true(expected->low == ranges[i].low || isnan(ranges[i].low));
        assert_true(expected->high == ranges[i].high || isnan(ranges[i].high));
        assert_int_equal(isnan(expected->low), isnan(ranges[i].low));
    }
    static const char *const wrong[] = {"", "..", "1us", "1us..x", "2..1", "1us...2us"};
    for (size_t i = 0; i < LENGTH(wrong); i++)
        assert_error(bilanx_suite_add(suite, .label = "w", .stmt = {.c = "s"},
                                      .expect = {.overhead = wrong[i]}),
                     BILANX_E_INPUT, "is not a range of times");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_signature_enables_every_mode),
        TEST(both_languages_load_the_same_model),
        TEST(a_module_is_created_and_called),
        TEST(a_call_gets_its_own_function),
        TEST(values_are_substituted_everywhere),
        TEST(an_empty_statement_is_a_statement),
        TEST(each_line_of_a_block_is_a_benchmark),
        TEST(global_setups_apply_to_every_kind_of_entry),
        TEST(inherited_keys_can_be_overridden),
        TEST(c_and_yaml_give_the_same_cases),
        TEST(mistakes_in_c_are_reported_with_the_call),
        TEST(cases_can_be_filtered),
        TEST(mistakes_are_reported_with_their_position),
        TEST(a_rejected_file_adds_nothing),
        TEST(expansion_is_limited),
        TEST(files_are_included_once_and_cycles_are_rejected),
        TEST(json_is_one_line),
        TEST(overheads_refer_to_the_case_that_is_most_alike),
        TEST(cases_that_overheads_refer_to_can_be_selected_with_them),
        TEST(an_expectation_is_a_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
