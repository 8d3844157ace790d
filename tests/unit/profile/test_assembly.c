#include "profile/sampling/assembly.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "profile/sampling/remarks.h"
#include "unit.h"

struct fixture {
    struct assembly assembly;
    struct assembly_options options;
    struct stacks *stacks;
    struct sample_events events;
};
static struct fixture fixture;

static void start(struct assembly_options options)
{
    fixture.options = options;
    fixture.stacks = stacks_new();
    assembly_init(&fixture.assembly, &fixture.options, fixture.stacks);
    fixture.events = assembly_events(&fixture.assembly);
}

static int leave(void **state)
{
    (void)state;
    assembly_done(&fixture.assembly);
    stacks_free(fixture.stacks);
    fixture = (struct fixture){0};
    return 0;
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, NULL, leave)

static void add_path(const struct stacks *stacks, unsigned node, struct text *out)
{
    if (stacks->nodes[node].parent)
        add_path(stacks, stacks->nodes[node].parent, out);
    const struct stack_frame *frame = &stacks->frames[stacks->nodes[node].frame];
    text_format(out, "%s%s", out->size && out->data[out->size - 1] != '\n' ? ";" : "", frame->name);
}

// The stacks as folded lines.
static char *folded(void)
{
    struct text out = {0};
    const struct stacks *stacks = fixture.stacks;
    for (size_t i = 1; i < stacks->node_count; i++) {
        if (stacks->nodes[i].self == 0)
            continue;
        add_path(stacks, (unsigned)i, &out);
        text_format(&out, " %g\n", stacks->nodes[i].self);
    }
    return out.size ? text_take(&out) : mem_text("");
}

static void assert_folded(const char *expected)
{
    AUTO(memory) char *lines = folded();
    assert_string_equal(lines, expected);
}

static const struct stack_frame *frame_called(const char *name)
{
    for (size_t i = 0; i < fixture.stacks->frame_count; i++)
        if (fixture.stacks->frames[i].name && strcmp(fixture.stacks->frames[i].name, name) == 0)
            return &fixture.stacks->frames[i];
    fail_msg("no frame '%s'", name);
    return NULL;
}

// ---- A sample of this process

struct snapshot {
    struct sample sample;
    _Alignas(8) unsigned char stack[1 << 14];
};
static struct snapshot snapshot;

__attribute__((no_sanitize("address"))) static void copy_words(void *to, uint64_t from,
                                                               size_t bytes)
{
    const volatile uint64_t *words = (const uint64_t *)(uintptr_t)from;
    for (size_t i = 0; i < bytes / 8; i++)
        ((uint64_t *)to)[i] = words[i];
}

__attribute__((noinline)) static int take_snapshot(size_t bytes)
{
    ucontext_t context;
    getcontext(&context);
    registers_of(&context, snapshot.sample.registers);
    copy_words(snapshot.stack, snapshot.sample.registers[REGISTER_STACK], bytes);
    snapshot.sample.stack = snapshot.stack;
    snapshot.sample.stack_bytes = bytes;
    snapshot.sample.user = true;
    snapshot.sample.weight = 1;
    snapshot.sample.process = (uint32_t)getpid();
    snapshot.sample.thread = 7;
    return snapshot.stack[0];
}

__attribute__((noinline)) static int harness_function(size_t bytes)
{
    return take_snapshot(bytes) + 1;
}

// Named like the interpreter of Python, so that its frames belong here.
int _PyEval_EvalFrameDefault(size_t bytes);
__attribute__((noinline)) int _PyEval_EvalFrameDefault(size_t bytes)
{
    return harness_function(bytes) + 1;
}

__attribute__((noinline)) static int body_function(size_t bytes)
{
    return _PyEval_EvalFrameDefault(bytes) + 1;
}

enum { ENOUGH = 2048 };

static void deliver(void)
{
    fixture.events.sample(fixture.events.context, &snapshot.sample);
}

static void look(void)
{
    assembly_look(&fixture.assembly, getpid());
}

static void the_body_of_a_case_is_the_root(void **state)
{
    (void)state;
    start((struct assembly_options){
        .process = getpid(), .name = "case", .body = (uint64_t)(uintptr_t)body_function});
    look();
    body_function(ENOUGH);
    deliver();
    snapshot.sample.process = 0;  // that of the options
    snapshot.sample.weight = 2;
    deliver();
    AUTO(memory) char *lines = folded();
    assert_true(text_starts(lines, "case;_PyEval_EvalFrameDefault;harness_function;take_snapshot"));
    assert_null(strstr(lines, "the_body_of_a_case"));
    assert_non_null(strstr(lines, " 3\n"));
    assert_near(fixture.assembly.samples, 3, 0);
    assert_near(fixture.assembly.cut, 0, 0);
    assert_null(frame_called("case")->file);
    assert_null(frame_called("case")->object);
    assert_int_equal(frame_called("case")->kind, FRAME_NATIVE);
}

static void samples_in_the_harness_are_dropped(void **state)
{
    (void)state;
    const uint64_t harness[] = {1, (uint64_t)(uintptr_t)harness_function};
    start((struct assembly_options){.process = getpid(),
                                    .name = "case",
                                    .harness = harness,
                                    .harness_count = 2,
                                    .body = (uint64_t)(uintptr_t)body_function});
    look();
    body_function(ENOUGH);
    deliver();
    assert_folded("");
    assert_near(fixture.assembly.harness, 1, 0);
    assert_near(fixture.assembly.samples, 0, 0);
}

static void without_a_body_everything_is_shown(void **state)
{
    (void)state;
    start((struct assembly_options){0});
    look();
    body_function(ENOUGH);
    deliver();
    AUTO(memory) char *lines = folded();
    assert_non_null(strstr(lines, ";body_function;_PyEval_EvalFrameDefault;"));
    assert_non_null(frame_called("body_function")->object);
    assert_non_null(strstr(frame_called("body_function")->object, "test_assembly"));
}

static void a_stack_that_was_cut_says_so(void **state)
{
    (void)state;
    start((struct assembly_options){0});
    look();
    body_function(64);
    deliver();
    AUTO(memory) char *lines = folded();
    assert_true(text_starts(lines, "[callers unknown];"));
    assert_near(fixture.assembly.cut, 1, 0);
    assert_int_equal(frame_called("[callers unknown]")->kind, FRAME_CUT);
}

static void describe(uint32_t process, uint64_t frame, const char *name, const char *file)
{
    fixture.events.described(fixture.events.context,
                             &(struct sample_code){process, frame, name, file});
}

static void frames_of_python_stand_where_the_interpreter_ran_them(void **state)
{
    (void)state;
    const uint64_t frames[] = {0x100, 0x201};  // innermost first; the second begins the run
    start((struct assembly_options){0});
    look();
    describe((uint32_t)getpid(), 0x100, "inner_py", "m.py");
    describe((uint32_t)getpid(), 0x200, "outer_py", "m.py");
    body_function(ENOUGH);
    snapshot.sample.frames = frames;
    snapshot.sample.frame_count = 2;
    snapshot.sample.whole = true;
    deliver();
    AUTO(memory) char *lines = folded();
    assert_non_null(strstr(
        lines, ";body_function;_PyEval_EvalFrameDefault;outer_py;inner_py;harness_function;"));
    assert_int_equal(frame_called("inner_py")->kind, FRAME_PYTHON);
    assert_string_equal(frame_called("inner_py")->file, "m.py");
    assert_near(fixture.assembly.language, 1, 0);
    snapshot.sample.frames = NULL;
    snapshot.sample.frame_count = 0;
}

static void a_statement_in_python_is_the_root(void **state)
{
    (void)state;
    const uint64_t frames[] = {0x300, 0x100, 0x201};
    start((struct assembly_options){.name = "x = f(x)"});
    look();
    describe((uint32_t)getpid(), 0x300, "inner.<locals>.f", "<stmt>");
    describe((uint32_t)getpid(), 0x100, "inner", "<stmt>");
    describe((uint32_t)getpid(), 0x200, "timer", "bilanx_worker.py");
    body_function(ENOUGH);
    snapshot.sample.frames = frames;
    snapshot.sample.frame_count = 3;
    snapshot.sample.whole = true;
    deliver();
    AUTO(memory) char *lines = folded();
    assert_true(text_starts(lines, "x = f(x);f;harness_function;take_snapshot"));
    assert_null(frame_called("x = f(x)")->file);
    // A function of the same name elsewhere is not the statement.
    describe((uint32_t)getpid(), 0x100, "inner", "user.py");
    deliver();
    AUTO(memory) char *both = folded();
    assert_non_null(strstr(both, ";timer;inner;f;"));
    snapshot.sample.frames = NULL;
    snapshot.sample.frame_count = 0;
}

static void code_that_nobody_described_is_unknown(void **state)
{
    (void)state;
    const uint64_t frames[] = {0x901};
    start((struct assembly_options){0});
    look();
    describe((uint32_t)getpid() + 1, 0x900, "of_another_process", "m.py");
    body_function(ENOUGH);
    snapshot.sample.frames = frames;
    snapshot.sample.frame_count = 1;
    snapshot.sample.whole = true;
    deliver();
    AUTO(memory) char *lines = folded();
    assert_non_null(strstr(lines, ";[unknown];harness_function;"));
    snapshot.sample.frames = NULL;
    snapshot.sample.frame_count = 0;
}

// ---- Events of made-up processes

static void sample_of(uint32_t process, uint32_t thread, bool own)
{
    fixture.events.sample(
        fixture.events.context,
        &(struct sample){.process = process, .thread = thread, .weight = 1, .own = own});
}

static void name(uint32_t process, uint32_t thread, const char *text, bool executed)
{
    fixture.events.named(fixture.events.context,
                         &(struct sample_named){process, thread, text, executed});
}

static void run_fork(uint32_t process, uint32_t parent, uint32_t thread)
{
    fixture.events.forked(fixture.events.context, &(struct sample_forked){process, parent, thread});
}

static void map(uint32_t process, const char *path)
{
    fixture.events.mapped(fixture.events.context, process,
                          &(struct sample_mapped){0x1000, 0x2000, 0, path});
}

static void join(uint32_t process, uint32_t thread)
{
    fixture.events.joined(fixture.events.context, process, thread);
}

static void threads_can_be_shown_apart(void **state)
{
    (void)state;
    start((struct assembly_options){.threads_apart = true});
    name(1, 10, "main", false);
    name(1, 11, "helper", false);
    sample_of(1, 10, false);
    sample_of(1, 11, false);
    name(1, 11, "renamed", false);
    sample_of(1, 11, false);
    sample_of(1, 12, false);  // nobody named it
    run_fork(2, 10, 2);       // a process is named like its parent
    sample_of(2, 2, false);
    assert_folded("main 2\nhelper 1\nrenamed 1\nthread 1\n");
}

static void a_thread_that_samples_itself_is_not_sampled_twice(void **state)
{
    (void)state;
    start((struct assembly_options){.threads_apart = true});
    name(1, 10, "a", false);
    join(1, 10);
    sample_of(1, 10, false);
    assert_folded("");
    sample_of(1, 10, true);
    sample_of(1, 11, false);
    assert_near(fixture.assembly.own, 1, 0);
    assert_near(fixture.assembly.samples, 2, 0);
    name(1, 10, "b", true);  // it executes another program, which does not
    sample_of(1, 10, false);
    assert_near(fixture.assembly.samples, 3, 0);
    join(1, 10);
    run_fork(1, 1, 10);  // another thread has its number now
    sample_of(1, 10, false);
    assert_near(fixture.assembly.samples, 4, 0);
}

static void python_that_did_not_sample_itself_is_noticed(void **state)
{
    (void)state;
    start((struct assembly_options){0});
    map(1, "/usr/bin/python3.11");
    sample_of(1, 1, false);
    sample_of(1, 1, false);
    map(2, "/usr/lib/libpython3.11.so.1.0");
    join(2, 2);
    sample_of(2, 3, false);
    map(3, "/usr/bin/perl");
    sample_of(3, 3, false);
    assembly_conclude(&fixture.assembly);
    assert_string_equal(fixture.assembly.blind.file, "python3.11");
    assert_near(fixture.assembly.blind.samples, 2, 0);
    assert_false(fixture.assembly.blind.library);
}

static void a_fork_inherits_what_its_parent_runs(void **state)
{
    (void)state;
    start((struct assembly_options){.threads_apart = true});
    name(1, 1, "parent", false);
    map(1, "/usr/bin/python3.11");
    map(1, "/opt/lib/" SAMPLE_BOARD_LIBRARY);
    run_fork(2, 1, 2);
    sample_of(2, 2, false);
    assert_folded("parent 1\n");
    assembly_conclude(&fixture.assembly);
    assert_string_equal(fixture.assembly.blind.file, "python3.11");
    assert_true(fixture.assembly.blind.library);
    assert_near(fixture.assembly.blind.samples, 1, 0);
}

static void another_program_in_a_process_forgets_the_first(void **state)
{
    (void)state;
    start((struct assembly_options){0});
    map(1, "/usr/bin/python3.11");
    name(1, 1, "perl", true);
    sample_of(1, 1, false);
    assembly_conclude(&fixture.assembly);
    assert_string_equal(fixture.assembly.blind.file, "");
    assert_near(fixture.assembly.blind.samples, 0, 0);
}

static void addresses_in_the_kernel_have_frames(void **state)
{
    (void)state;
    const uint64_t kernel[] = {(uint64_t)-100, 0xffffffff81000000u};  // the first is only a mark
    start((struct assembly_options){0});
    fixture.events.sample(
        fixture.events.context,
        &(struct sample){.process = 1, .weight = 1, .kernel = kernel, .kernel_count = 2});
    assert_int_equal(fixture.stacks->frame_count > 0, true);
    bool kernel_frame = false;
    for (size_t i = 0; i < fixture.stacks->frame_count; i++)
        kernel_frame |= fixture.stacks->frames[i].kind == FRAME_KERNEL;
    assert_true(kernel_frame);
    if (fixture.assembly.kernel_hidden)
        assert_folded("[kernel] 1\n");
}

static void samples_of_several_processes_of_a_case_are_added_up(void **state)
{
    (void)state;
    start((struct assembly_options){
        .process = getpid(), .name = "case", .body = (uint64_t)(uintptr_t)body_function});
    look();
    body_function(ENOUGH);
    deliver();
    assembly_continue(&fixture.assembly, &fixture.options);
    deliver();
    assert_near(fixture.assembly.samples, 2, 0);
    AUTO(memory) char *lines = folded();
    assert_non_null(strstr(lines, " 2\n"));
}

// ---- Remarks

static struct remarks_facts usual_facts(void)
{
    return (struct remarks_facts){.rate = 499,
                                  .ticks = "cpu-clock",
                                  .kernel = true,
                                  .overhead = 0.0123,
                                  .language = "Python"};
}

static void assert_note(struct remarks_facts facts, const char *expected)
{
    free(fixture.stacks->note);
    fixture.stacks->note = NULL;
    remarks_add(fixture.stacks, &fixture.assembly, &facts);
    assert_string_equal(fixture.stacks->note, expected);
}

static void remarks_say_how_samples_were_taken(void **state)
{
    (void)state;
    start((struct assembly_options){0});
    fixture.assembly.samples = 1000;
    fixture.assembly.cut = 5;
    struct remarks_facts facts = usual_facts();
    static const char start_of_all[] = "499 per second of CPU time (cpu-clock), ";
    AUTO(memory) char *usual = mem_format("%soverhead 1.2 %%", start_of_all);
    assert_note(facts, usual);
    facts.overhead = 0.0009;
    AUTO(memory) char *little = mem_format("%soverhead below 0.1 %%", start_of_all);
    assert_note(facts, little);
    facts.overhead = NAN;
    facts.losses = (struct gathering_losses){3, 2};
    AUTO(memory) char *lost =
        mem_format("%soverhead not measured, 3 samples lost, paused 2 times by the kernel: use a "
                   "lower --rate",
                   start_of_all);
    assert_note(facts, lost);
}

static void remarks_say_what_is_missing(void **state)
{
    (void)state;
    start((struct assembly_options){0});
    struct remarks_facts facts = usual_facts();
    static const struct {
        bool kernel, by_signals, own, hidden;
        const char *contains, *lacks;
    } ways[] = {
        {true, false, false, false, "overhead", "without frames"},
        {true, false, true, false, "without frames of the kernel where Python runs", "paranoid"},
        {false, true, true, false, "without frames of the kernel", "paranoid"},
        {false, false, false, false, "needs kernel.perf_event_paranoid=1", "where Python"},
        {true, false, false, true, "the kernel hides the names of its functions", "paranoid"},
    };
    for (size_t i = 0; i < LENGTH(ways); i++) {
        facts.kernel = ways[i].kernel;
        facts.by_signals = ways[i].by_signals;
        facts.own = ways[i].own;
        fixture.assembly.kernel_hidden = ways[i].hidden;
        free(fixture.stacks->note);
        fixture.stacks->note = NULL;
        remarks_add(fixture.stacks, &fixture.assembly, &facts);
        assert_non_null(strstr(fixture.stacks->note, ways[i].contains));
        assert_null(strstr(fixture.stacks->note, ways[i].lacks));
    }
    fixture.assembly.kernel_hidden = false;
    facts = usual_facts();
    facts.why = "the kernel refuses";
    facts.unknown = "it is too old";
    fixture.assembly.samples = 1000;
    fixture.assembly.cut = 6;
    static const char *const files[] = {"a.so", "b.so", "c.so", "d.so", "e.so"};
    for (size_t i = 0; i < LENGTH(files); i++)
        list_add(&fixture.assembly.unnamed, files[i]);
    free(fixture.stacks->note);
    fixture.stacks->note = NULL;
    remarks_add(fixture.stacks, &fixture.assembly, &facts);
    static const char *const expected[] = {
        "the kernel refuses", "without frames of Python: it is too old",
        "functions of a.so, b.so, c.so and 2 other files",
        "the outermost callers of 0.6 % of the samples are unknown"};
    for (size_t i = 0; i < LENGTH(expected); i++)
        if (!strstr(fixture.stacks->note, expected[i]))
            fail_msg("no '%s' in '%s'", expected[i], fixture.stacks->note);
}

static void the_overhead_is_that_of_undisturbed_batches(void **state)
{
    (void)state;
    double with[] = {110, 900, 105, 120}, without[] = {100, 400, 90, 800, 95};
    assert_near(remarks_overhead(with, 4, without, 5, 1), 110.0 / 95 - 1, 1e-12);
    assert_true(isnan(remarks_overhead(with, 4, without, 5, 95.1)));
    assert_false(isnan(remarks_overhead(with, 4, without, 5, 95)));
    assert_true(isnan(remarks_overhead(with, 0, without, 5, 1)));
    assert_true(isnan(remarks_overhead(with, 4, without, 0, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_body_of_a_case_is_the_root),
        TEST(samples_in_the_harness_are_dropped),
        TEST(without_a_body_everything_is_shown),
        TEST(a_stack_that_was_cut_says_so),
        TEST(frames_of_python_stand_where_the_interpreter_ran_them),
        TEST(a_statement_in_python_is_the_root),
        TEST(code_that_nobody_described_is_unknown),
        TEST(threads_can_be_shown_apart),
        TEST(a_thread_that_samples_itself_is_not_sampled_twice),
        TEST(python_that_did_not_sample_itself_is_noticed),
        TEST(a_fork_inherits_what_its_parent_runs),
        TEST(another_program_in_a_process_forgets_the_first),
        TEST(addresses_in_the_kernel_have_frames),
        TEST(samples_of_several_processes_of_a_case_are_added_up),
        TEST(remarks_say_how_samples_were_taken),
        TEST(remarks_say_what_is_missing),
        TEST(the_overhead_is_that_of_undisturbed_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
