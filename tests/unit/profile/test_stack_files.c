#include "profile/stack_files/stack_files.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "base/text.h"
#include "stacks_made.h"
#include "unit.h"

#define HERE "stacks.test"

static struct bilanx_error read_bytes(const char *bytes, size_t size,
                                      const struct stack_file_options *options,
                                      struct list *remarks, struct stacks **out)
{
    unlink(HERE);
    assert_ok(file_write(HERE, bytes, size));
    struct bilanx_error error = stack_file_read(HERE, options, remarks, out);
    unlink(HERE);
    return error;
}

static struct bilanx_error read_text(const char *text, struct list *remarks, struct stacks **out)
{
    return read_bytes(text, strlen(text), &(struct stack_file_options){0}, remarks, out);
}

// What the stacks are as folded lines.
static char *folded(const struct stacks *stacks)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_ok(stacks_write_folded(stacks, out));
    fclose(out);
    return text;
}

static void assert_folds_with(const char *text, size_t size,
                              const struct stack_file_options *options, const char *expected)
{
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(read_bytes(text, size, options, &remarks, &stacks));
    AUTO(memory) char *lines = folded(stacks);
    assert_string_equal(lines, expected);
}

static void assert_folds(const char *text, const char *expected)
{
    assert_folds_with(text, strlen(text), &(struct stack_file_options){0}, expected);
}

static enum frame_kind kind_of(const struct stacks *stacks, const char *path)
{
    unsigned node = find(stacks, path);
    assert_true(node > 0);
    return stacks->frames[stacks->nodes[node].frame].kind;
}

// ---- folded

static void folded_lines_are_summed_and_sorted(void **state)
{
    (void)state;
    assert_folds("main;b 2\nmain;a 1\nmain;b 3\n", "main;a 1\nmain;b 5\n");
}

static void counts_may_be_fractions_and_lines_end_in_any_way(void **state)
{
    (void)state;
    assert_folds("main;a 1.5\r\nmain;b   2  \r\n\r\n# a comment\nmain;a 0.25",
                 "main;a 1.75\nmain;b 2\n");
}

static void remarks_are_skipped_but_names_may_start_like_them(void **state)
{
    (void)state;
    assert_folds("# duration: 12\n# a remark\n#\n# f 3\n#g;h 4\n", "# f 3\n#g;h 4\n");
    AUTO(stacks) struct stacks *stacks = made("# f: x 3\n");
    AUTO(memory) char *lines = folded(stacks);
    assert_folds(lines, lines);
}

static void names_may_contain_blanks_and_end_in_numbers(void **state)
{
    (void)state;
    assert_folds("operator new(unsigned long);f 7 3\nx;std::vector<int, A> 4\nx 1\n",
                 "operator new(unsigned long);f 7 3\nx 1\nx;std::vector<int, A> 4\n");
}

static void marks_tell_the_kind_and_stay_in_the_name(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(read_text("a;b_[k];c_[j];d_[i] 1\n", &remarks, &stacks));
    assert_int_equal(kind_of(stacks, "a"), FRAME_NATIVE);
    assert_int_equal(kind_of(stacks, "a;b_[k]"), FRAME_KERNEL);
    assert_int_equal(kind_of(stacks, "a;b_[k];c_[j]"), FRAME_JIT);
    assert_int_equal(kind_of(stacks, "a;b_[k];c_[j];d_[i]"), FRAME_INLINED);
    AUTO(memory) char *lines = folded(stacks);
    assert_string_equal(lines, "a;b_[k];c_[j];d_[i] 1\n");
}

static void python_functions_have_their_file_apart(void **state)
{
    (void)state;
    static const char text[] = "<module> (a b.py:3);f (<string>:1);g(int) (x.so);h (m.pyx) 2\n";
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(read_text(text, &remarks, &stacks));
    assert_int_equal(kind_of(stacks, "<module>"), FRAME_PYTHON);
    assert_string_equal(stacks->frames[0].file, "a b.py:3");
    assert_int_equal(kind_of(stacks, "<module>;f"), FRAME_PYTHON);
    assert_int_equal(kind_of(stacks, "<module>;f;g(int) (x.so)"), FRAME_NATIVE);
    assert_int_equal(kind_of(stacks, "<module>;f;g(int) (x.so);h"), FRAME_PYTHON);
    AUTO(memory) char *lines = folded(stacks);
    assert_string_equal(lines, text);
}

static void lines_that_are_no_stacks_are_counted(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(read_text("main;a 1\nnonsense\nmain;b 2\nmain;c x\nmain;d -4\nmain;e 1e999\n",
                        &remarks, &stacks));
    assert_int_equal(remarks.count, 1);
    assert_string_equal(remarks.items[0],
                        HERE ":2: not a stack followed by a number: ignored 4 such lines");
    assert_near(stacks->nodes[0].total, 3, 0);
}

static void nul_bytes_do_not_hide_the_rest_of_a_line(void **state)
{
    (void)state;
    assert_folds_with("a;b\0c 4\n", 8, &(struct stack_file_options){0}, "a;b c 4\n");
}

static void a_file_without_stacks_is_an_error(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    struct stacks *stacks;
    assert_error(read_text("", &remarks, &stacks), BILANX_E_INPUT, HERE ": is empty");
    assert_error(read_text("hello\nworld\n", &remarks, &stacks), BILANX_E_INPUT,
                 "not a known format of stacks");
    assert_error(read_text("main;a 0\n", &remarks, &stacks), BILANX_E_INPUT, "contains no stacks");
    assert_error(read_text("main;a 1e308\nmain;b 1e308\n", &remarks, &stacks), BILANX_E_INPUT,
                 "add up to more than");
}

static void two_numbers_in_every_line_are_a_difference(void **state)
{
    (void)state;
    static const char text[] = "main;a 10 12\nmain;b 0 3\nmain;c 4 0\n";
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(read_text(text, &remarks, &stacks));
    assert_non_null(stacks->changes);
    assert_near(stacks->changes[0].total[0], 14, 0);
    assert_near(stacks->changes[0].total[1], 15, 0);
    AUTO(memory) char *lines = folded(stacks);
    assert_string_equal(lines, text);
}

static void semicolons_in_names_do_not_split_them(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    unsigned frame = stacks_frame(stacks, &(struct stack_frame){.name = "a;b\nc"});
    stacks_add(stacks, &frame, 1, 2);
    stacks_sum(stacks);
    AUTO(memory) char *lines = folded(stacks);
    assert_string_equal(lines, "a:b c 2\n");
}

// ---- encodings

static void utf16_is_read_in_both_byte_orders(void **state)
{
    (void)state;
    static const char little[] = "\xFF\xFE"
                                 "m\0;\0\xE4\0;\0\x3D\xD8\x00\xDE \0"
                                 "3\0\r\0\n\0";
    static const char big[] = "\xFE\xFF"
                              "\0m\0;\0\xE4\0;\xD8\x3D\xDE\x00\0 \0"
                              "3\0\r\0\n";
    static const char expected[] = "m;ä;😀 3\n";
    struct stack_file_options options = {0};
    assert_folds_with(little, sizeof little - 1, &options, expected);
    assert_folds_with(big, sizeof big - 1, &options, expected);
}

static void half_characters_of_utf16_become_replacements(void **state)
{
    (void)state;
    static const char text[] = "\xFF\xFE"
                               "a\0;\0\x3D\xD8x\0\x00\xDE \0"
                               "1\0\n";
    assert_folds_with(text, sizeof text - 1, &(struct stack_file_options){0},
                      "a;\uFFFDx\uFFFD 1\n");
}

static void long_files_in_utf16_are_decoded_piece_by_piece(void **state)
{
    (void)state;
    AUTO(text) struct text file = {0};
    text_add_n(&file, "\xFF\xFE", 2);
    for (int i = 0; i < 40000; i++)
        text_add_n(&file,
                   "a\0;\0b\0 \0"
                   "1\0\n\0",
                   12);
    assert_folds_with(file.data, file.size, &(struct stack_file_options){0}, "a;b 40000\n");
}

static void a_byte_order_mark_of_utf8_is_skipped(void **state)
{
    (void)state;
    assert_folds("\xEF\xBB\xBFmain;a 1\n", "main;a 1\n");
}

static void gzipped_files_are_unpacked(void **state)
{
    (void)state;
    unlink(HERE);
    gzFile file = gzopen(HERE, "wb");
    gzputs(file, "main;a 3\n");
    gzclose(file);
    AUTO(text) struct text packed = {0};
    assert_ok(file_read(HERE, &packed));
    assert_folds_with(packed.data, packed.size, &(struct stack_file_options){0}, "main;a 3\n");
}

// ---- perf script

static void samples_of_perf_are_folded_from_the_command_inwards(void **state)
{
    (void)state;
    assert_folds("# captured on: today\n# cmdline : /usr/bin/perf record -g ./prog\n#\n"
                 "prog  4242 12.000001:     100 cycles: \n"
                 "\t    401136 inner+0x16 (/tmp/prog)\n"
                 "\t    401150 main (/tmp/prog)\n"
                 "\n"
                 "prog  4242 12.000002:     150 cycles: \n"
                 "\t    401150 main+0x2 (/tmp/prog)\n"
                 "\n",
                 "prog;main 150\nprog;main;inner 100\n");
}

static void headers_may_have_more_or_less(void **state)
{
    (void)state;
    assert_folds("V8 Worker Thread 100/101 [002] 5.0: 7 cycles:u: \n"
                 "\t 1 a (/x)\n\n"
                 "V8 Worker Thread 101 cycles:u: \n"
                 "\t 1 a (/x)\n\n"
                 "V8 Worker Thread 101 [003]   9.5:  cycles:u: \n"
                 "\t 1 a (/x)\n\n",
                 "V8_Worker_Thread;a 9\n");
}

static void processes_and_threads_can_be_separated(void **state)
{
    (void)state;
    static const char text[] =
        "p 100/101 5.0: cycles: \n\t 1 a (/x)\n\np 102 5.0: cycles: \n\t 1 a (/x)\n\n";
    size_t size = sizeof text - 1;
    assert_folds_with(text, size, &(struct stack_file_options){.pid = true},
                      "p-100;a 1\np-?;a 1\n");
    assert_folds_with(text, size, &(struct stack_file_options){.tid = true},
                      "p-100/101;a 1\np-?/102;a 1\n");
}

static void one_event_is_shown_the_first_or_the_chosen(void **state)
{
    (void)state;
    static const char text[] = "p 1 5.0: 10 cycles: \n\t 1 a (/x)\n\n"
                               "p 1 5.1: 20 instructions: \n\t 1 b (/x)\n\n"
                               "p 1 5.2: 30 cycles: \n\t 1 a (/x)\n\n";
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(read_text(text, &remarks, &stacks));
    assert_near(total_of(stacks, "p;a"), 40, 0);
    assert_near(total_of(stacks, "p;b"), -1, 0);
    assert_string_equal(stacks->unit, "cycles");
    assert_int_equal(remarks.count, 1);
    assert_non_null(
        strstr(remarks.items[0], "'cycles', not the 1 of other events, such as 'instructions'"));
    struct stack_file_options options = {.event = "instructions"};
    assert_folds_with(text, sizeof text - 1, &options, "p;b 20\n");
    options.event = "misses";
    struct stacks *none;
    assert_error(read_bytes(text, sizeof text - 1, &options, &remarks, &none), BILANX_E_INPUT,
                 "has no event 'misses'. There is 'cycles'");
}

static void unknown_symbols_are_named_after_their_object(void **state)
{
    (void)state;
    static const char text[] = "p 1 5.0: cycles: \n"
                               "\t 1f [unknown] (/usr/lib/libc-2.31.so)\n"
                               "\t 2f [unknown] ([unknown])\n"
                               "\t 3f [unknown] (/tmp/gone (deleted))\n"
                               "\t 4f main+0x3 (/opt/My App (x86)/prog)\n\n";
    assert_folds(text, "p;main;[gone];[unknown];[libc-2.31.so] 1\n");
    assert_folds_with(text, sizeof text - 1, &(struct stack_file_options){.addresses = true},
                      "p;main;[gone <3f>];[unknown <2f>];[libc-2.31.so <1f>] 1\n");
}

static void arguments_are_dropped_but_not_from_every_parenthesis(void **state)
{
    (void)state;
    assert_folds(
        "p 1 5.0: cycles: \n"
        "\t 1 (anonymous namespace)::f(int, char) (/x)\n"
        "\t 2 ns::(anonymous namespace)::g(int) (/x)\n"
        "\t 3 net/http.(*Client).Do (/x)\n"
        "\t 4 RegExp:[&<>\"'] (/tmp/perf-12.map)\n"
        "\t 5 operator new(unsigned long) (/x)\n"
        "\t 6 (some process) (/x)\n\n",
        "p;operator new;RegExp:[&<>];net/http.(*Client).Do;ns::(anonymous namespace)::g 1\n");
}

static void java_names_are_condensed(void **state)
{
    (void)state;
    static const char frames[] =
        "\t 1 Lcom/foo/Bar;::run (/tmp/perf-12.map)\n"
        "\t 2 Lcom/foo/Bar;::loop->Lcom/foo/Inner;::step (/tmp/perf-12.map)\n\n";
    AUTO(memory) char *java = mem_format("java 1 5.0: cycles: \n%s", frames);
    AUTO(memory) char *other = mem_format("node 1 5.0: cycles: \n%s", frames);
    assert_folds(java, "java;com/foo/Bar:::loop;com/foo/Inner:::step_[i];com/foo/Bar:::run 1\n");
    assert_folds(other,
                 "node;Lcom/foo/Bar:::loop;Lcom/foo/Inner:::step_[i];Lcom/foo/Bar:::run 1\n");
}

static void kernel_and_run_time_code_are_distinguished(void **state)
{
    (void)state;
    static const char text[] = "p 1 5.0: cycles: \n"
                               "\t 1 a ([kernel.kallsyms])\n"
                               "\t 2 b ([guest.kernel.kallsyms])\n"
                               "\t 3 c ([nf_conntrack])\n"
                               "\t 4 d (/lib/modules/6.1/build/vmlinux)\n"
                               "\t 5 e (/tmp/perf-99.map)\n"
                               "\t 6 f (inlined)\n"
                               "\t 7 py::g:/tmp/x.py (/tmp/perf-99.map)\n"
                               "\t 8 h (/x)\n\n";
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(read_text(text, &remarks, &stacks));
    assert_int_equal(kind_of(stacks, "p"), FRAME_THREAD);
    assert_int_equal(kind_of(stacks, "p;h"), FRAME_NATIVE);
    assert_int_equal(kind_of(stacks, "p;h;py::g:/tmp/x.py"), FRAME_PYTHON);
    assert_int_equal(kind_of(stacks, "p;h;py::g:/tmp/x.py;f"), FRAME_INLINED);
    assert_int_equal(kind_of(stacks, "p;h;py::g:/tmp/x.py;f;e"), FRAME_JIT);
    for (const char *path = "p;h;py::g:/tmp/x.py;f;e;d"; path; path = NULL)
        assert_int_equal(kind_of(stacks, path), FRAME_KERNEL);
    assert_int_equal(kind_of(stacks, "p;h;py::g:/tmp/x.py;f;e;d;c;b;a"), FRAME_KERNEL);
    assert_folds_with(text, sizeof text - 1,
                      &(struct stack_file_options){.kernel = true, .jit = true},
                      "p;h;py::g:/tmp/x.py_[j];f;e_[j];d_[k];c_[k];b_[k];a_[k] 1\n");
}

static void empty_stacks_are_the_command_alone(void **state)
{
    (void)state;
    assert_folds("p 1 5.0: cycles: \n\np 1 5.1: cycles: \n\t 1 a (/x)\n\n", "p 1\np;a 1\n");
}

static void a_sample_may_be_a_single_line(void **state)
{
    (void)state;
    assert_folds(
        "            p  1 5.0:   3 cycles:u:  ffffffff9b201293 [unknown] ([unknown])\n"
        "            p  1 5.1:   4 cycles:u:      7fa68b1f2d84 start+0x4 (/usr/lib/ld.so)\n",
        "p;[unknown] 3\np;start 4\n");
}

static void source_positions_are_skipped(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(read_text("p 1 5.0: cycles: \n"
                        "\t 1 a+0x1 (/x)\n  file.cpp:137\n"
                        "\t 2 b+0x1 (/lib/libc.so)\n  libc.so[27b25]\n\n",
                        &remarks, &stacks));
    assert_int_equal(remarks.count, 0);
    assert_near(total_of(stacks, "p;b;a"), 1, 0);
}

static void lines_may_end_in_carriage_returns(void **state)
{
    (void)state;
    assert_folds("p 1 5.0: cycles: \r\n\t 1 a (/x)\r\n\r\np 1 5.1: cycles: \r\n\t 1 a (/x)\r\n\r\n",
                 "p;a 2\n");
}

static void a_truncated_last_sample_is_dropped_and_reported(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(
        read_text("p 1 5.0: cycles: \n\t 1 a (/x)\n\np 1 5.1: cycles: \n\t 1 b (/x)\n\t 2 mai",
                  &remarks, &stacks));
    assert_near(stacks->nodes[0].total, 1, 0);
    assert_int_equal(remarks.count, 1);
    assert_string_equal(remarks.items[0],
                        HERE ":4: the file ends within this sample, which was ignored");
}

static void strange_lines_are_counted(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(
        read_text("p 1 5.0: cycles: \n\t 1 a (/x)\nWHAT IS THIS\n\t weird\n\n", &remarks, &stacks));
    assert_int_equal(remarks.count, 1);
    assert_string_equal(remarks.items[0],
                        HERE ":3: neither a sample nor a frame: ignored 2 such lines");
}

static void events_with_text_of_their_own_are_kept(void **state)
{
    (void)state;
    assert_folds("p 1 [000] 5.0: sched:sched_switch: prev_comm=p prev_pid=1 ==> next_comm=q\n"
                 "\t 1 schedule ([kernel.kallsyms])\n\n",
                 "p;schedule 1\n");
}

static void periods_of_clocks_are_times(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(read_text("p 1 5.0: 10101010 cpu-clock:u: \n\t 1 a (/x)\n\n", &remarks, &stacks));
    assert_string_equal(stacks->unit, "nanoseconds");
}

// ---- speedscope

static void sampled_profiles_of_speedscope_are_read(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(read_text(
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"name\":\"n\","
        "\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\",\"file\":\"m.py\",\"line\":3}]},"
        "\"profiles\":[{\"type\":\"sampled\",\"name\":\"p\",\"unit\":\"milliseconds\","
        "\"startValue\":0,\"endValue\":3,\"samples\":[[0,1],[0],[]],\"weights\":[2,1,0.5]}]}",
        &remarks, &stacks));
    assert_string_equal(stacks->unit, "nanoseconds");
    assert_string_equal(stacks->title, "n");
    assert_near(total_of(stacks, "a"), 3e6, 0);
    assert_near(total_of(stacks, "a;b"), 2e6, 0);
    assert_near(total_of(stacks, "(no stack)"), .5e6, 0);
    assert_int_equal(kind_of(stacks, "a;b"), FRAME_PYTHON);
}

static void evented_profiles_of_speedscope_are_read(void **state)
{
    (void)state;
    static const char text[] =
        "{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]},\"profiles\":["
        "{\"type\":\"evented\",\"name\":\"t1\",\"unit\":\"none\",\"startValue\":0,\"endValue\":20,"
        "\"events\":["
        "{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\",\"frame\":1,\"at\":4},"
        "{\"type\":\"C\",\"frame\":1,\"at\":5},{\"type\":\"C\",\"frame\":0,\"at\":10},"
        "{\"type\":\"O\",\"frame\":1,\"at\":15}]},"
        "{\"type\":\"evented\",\"name\":\"t2\",\"unit\":\"none\",\"startValue\":0,\"endValue\":1,"
        "\"events\":["
        "{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"C\",\"frame\":0,\"at\":1}]}]}";
    assert_folds(text, "t1;a 9\nt1;a;b 1\nt1;b 5\nt2;a 1\n");
}

static void mistakes_in_speedscope_files_are_located(void **state)
{
    (void)state;
#define SHARED "{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":["
    static const char *const wrong[][2] = {
        {"{\"shared\":{\"frames\":[{\"file\":\"a\"}]},\"profiles\":[]}",
         "'shared.frames[0]' has no name"},
        {SHARED "{\"type\":\"sampled\",\"samples\":[[1]],\"weights\":[1]}]}",
         "'profiles[0].samples[0]' must be the index of a frame, not 1"},
        {SHARED "{\"type\":\"sampled\",\"samples\":[[0]],\"weights\":[]}]}",
         "1 samples, but 0 weights"},
        {SHARED "{\"type\":\"sampled\",\"samples\":[[0]],\"weights\":[-1]}]}",
         "at least 0, not -1"},
        {SHARED "{\"type\":\"evented\",\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":2},"
                "{\"type\":\"C\",\"frame\":0,\"at\":1}]}]}",
         "'profiles[0].events[1].at' must be a number, not below"},
        {SHARED "{\"type\":\"evented\",\"events\":[{\"type\":\"X\",\"frame\":0,\"at\":2}]}]}",
         "'profiles[0].events[0].type' must be"},
        {SHARED "{\"type\":\"what\"}]}", "must be \"sampled\" or \"evented\""},
        {SHARED "{\"type\":\"sampled\",\"unit\":\"parsecs\"}]}", "a unit of speedscope"},
        {SHARED "7]}", "'profiles[0]' must be an object, not 7"},
        {"{\"shared\":{\"frames\":[{\"name\":\"a\"", "stacks.test:1:"},
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        AUTO(list) struct list remarks = {0};
        struct stacks *stacks;
        assert_error(read_text(wrong[i][0], &remarks, &stacks), BILANX_E_INPUT, wrong[i][1]);
    }
}

static void frames_closed_in_the_wrong_order_are_reported(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(
        read_text("{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]},\"profiles\":["
                  "{\"type\":\"evented\",\"unit\":\"none\",\"endValue\":9,\"events\":["
                  "{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\",\"frame\":1,\"at\":1},"
                  "{\"type\":\"C\",\"frame\":0,\"at\":3},{\"type\":\"C\",\"frame\":1,\"at\":4}]}]}",
                  &remarks, &stacks));
    assert_near(total_of(stacks, "a"), 3, 0);
    assert_int_equal(remarks.count, 1);
}

static void a_speedscope_file_that_we_write_reads_back(void **state)
{
    (void)state;
    static const char text[] = "<module> (m.py:3);f 2\n<module> (m.py:3);g \"<x> 3.5\nidle 1\n";
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(read_text(text, &remarks, &stacks));
    char *json = NULL;
    size_t size;
    FILE *out = open_memstream(&json, &size);
    assert_ok(stacks_write_speedscope(stacks, out));
    fclose(out);
    assert_string_equal(stacks->unit, "samples");
    assert_non_null(strstr(json, "\"exporter\":\"bilanx " BILANX_VERSION "\",\"name\":\"stacks\""));
    assert_non_null(strstr(json, "\"type\":\"sampled\",\"name\":\"stacks\",\"unit\":\"none\","
                                 "\"startValue\":0,\"endValue\":6.5,"));
    assert_folds(json, text);
    free(json);
}

static void stacks_without_samples_are_no_lines(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    char *lines = NULL;
    size_t size;
    FILE *out = open_memstream(&lines, &size);
    stacks_sum(stacks);
    assert_ok(stacks_write_folded(stacks, out));
    fclose(out);
    assert_string_equal(lines, "");
    free(lines);
}

static void trees_too_deep_to_repeat_every_caller_are_refused(void **state)
{
    (void)state;
    enum { DEEP = 80000 };
    AUTO(stacks) struct stacks *stacks = stacks_new();
    unsigned frame = stacks_frame(stacks, &(struct stack_frame){.name = "f"}), node = 0;
    for (int i = 0; i < DEEP; i++) {
        node = stacks_child(stacks, node, frame);
        stacks->nodes[node].self = 1;
    }
    stacks_sum(stacks);
    FILE *nowhere = fopen("/dev/null", "w");
    assert_error(stacks_write_folded(stacks, nowhere), BILANX_E_INPUT, "too deep for folded lines");
    assert_error(stacks_write_speedscope(stacks, nowhere), BILANX_E_INPUT,
                 "too deep for speedscope");
    fclose(nowhere);
}

// ---- callgrind

static void calls_of_callgrind_become_an_approximate_tree(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(
        read_text("# callgrind format\nevents: Ir\nfl=m.c\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 30\n"
                  "cfn=g\ncalls=1 3\n1 60\n\nfn=f\n2 10\ncfn=h\ncalls=1 4\n2 20\n\n"
                  "fn=g\n3 20\ncfn=h\ncalls=2 4\n3 40\n\nfn=h\n4 60\n\ntotals: 100\n",
                  &remarks, &stacks));
    assert_string_equal(stacks->unit, "instructions");
    assert_near(stacks->nodes[0].total, 100, 1e-9);
    assert_near(total_of(stacks, "main"), 100, 1e-9);
    assert_near(total_of(stacks, "main;f;h"), 20, 1e-9);
    assert_near(total_of(stacks, "main;g;h"), 40, 1e-9);
    assert_int_equal(remarks.count, 1);
    assert_non_null(strstr(remarks.items[0], "approximate"));
    assert_non_null(strstr(stacks->note, "approximate"));
}

static void recursion_in_callgrind_ends_and_adds_up(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(read_text(
        "# callgrind format\nevents: Ir\nfl=m.c\nfn=main\n1 10\ncfn=a\ncalls=1 2\n1 90\n\n"
        "fn=a\n2 40\ncfn=b\ncalls=5 3\n2 200\n\nfn=b\n3 50\ncfn=a\ncalls=4 2\n3 160\n\n"
        "totals: 100\n",
        &remarks, &stacks));
    assert_near(stacks->nodes[0].total, 100, 1e-9);
    assert_near(total_of(stacks, "main;a;b;a"), -1, 0);
    assert_true(total_of(stacks, "main;a;b") > 0);
}

static void code_from_another_file_belongs_to_its_function(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    assert_ok(
        read_text("# callgrind format\nevents: Ir\nfl=m.c\nfn=main\n1 10\nfi=inline.h\n5 5\ncfn=f\n"
                  "calls=1 2\n5 30\nfe=m.c\n1 1\n\nfl=m.c\nfn=f\n2 30\n\ntotals: 46\n",
                  &remarks, &stacks));
    assert_near(total_of(stacks, "main"), 46, 1e-9);
    assert_near(stacks->nodes[find(stacks, "main")].self, 16, 1e-9);
}

// ---- our own

static void written_records_have_the_same_stacks(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = made("main;a 1\nmain;b 2.5\n");
    char *json = NULL;
    size_t size;
    FILE *out = open_memstream(&json, &size);
    stacks_write_record(stacks, out);
    fclose(out);
    assert_folds(json, "main;a 1\nmain;b 2.5\n");
    AUTO(memory) char *twice = mem_format("%s%s", json, json);
    assert_folds(twice, "(no title);main;a 2\n(no title);main;b 5\n");
    AUTO(memory) char *cut =
        mem_format("%s{\"schema\":\"bilanx/1\",\"kind\":\"stacks\",\"sta", json);
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *again = NULL;
    assert_ok(read_text(cut, &remarks, &again));
    assert_int_equal(remarks.count, 1);
    assert_non_null(strstr(remarks.items[0], "the last line is incomplete"));
    free(json);
}

static void records_without_stacks_say_so(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    struct stacks *stacks;
    assert_error(read_text("{\"schema\":\"bilanx/1\",\"kind\":\"measurement\",\"task\":{},"
                           "\"number_per_run\":1,\"raw_times\":[1]}\n",
                           &remarks, &stacks),
                 BILANX_E_INPUT, "none of its 1 records has stacks");
}

static void pictures_of_others_are_refused(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    struct stacks *stacks;
    assert_error(read_text("<?xml version=\"1.0\"?>\n<svg><g><title>main 12</title></g></svg>\n",
                           &remarks, &stacks),
                 BILANX_E_INPUT, "not drawn by bilanx");
    assert_error(read_text("<svg class=\"bilanx\"><metadata id=\"bilanx-stacks\">{\"sche", &remarks,
                           &stacks),
                 BILANX_E_INPUT, "is truncated");
}

static void formats_are_found_by_name(void **state)
{
    (void)state;
    AUTO(list) struct list remarks = {0};
    struct stacks *stacks;
    struct stack_file_options options = {.format = "fodled"};
    assert_error(stack_file_read("/dev/null", &options, &remarks, &stacks), BILANX_E_USAGE,
                 "did you mean 'folded'?");
    options.format = "perf";
    assert_error(read_bytes("main;a 1\n", 9, &options, &remarks, &stacks), BILANX_E_INPUT,
                 "contains no stacks (read as 'perf')");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folded_lines_are_summed_and_sorted),
        cmocka_unit_test(counts_may_be_fractions_and_lines_end_in_any_way),
        cmocka_unit_test(remarks_are_skipped_but_names_may_start_like_them),
        cmocka_unit_test(names_may_contain_blanks_and_end_in_numbers),
        cmocka_unit_test(marks_tell_the_kind_and_stay_in_the_name),
        cmocka_unit_test(python_functions_have_their_file_apart),
        cmocka_unit_test(lines_that_are_no_stacks_are_counted),
        cmocka_unit_test(nul_bytes_do_not_hide_the_rest_of_a_line),
        cmocka_unit_test(a_file_without_stacks_is_an_error),
        cmocka_unit_test(two_numbers_in_every_line_are_a_difference),
        cmocka_unit_test(semicolons_in_names_do_not_split_them),
        cmocka_unit_test(utf16_is_read_in_both_byte_orders),
        cmocka_unit_test(half_characters_of_utf16_become_replacements),
        cmocka_unit_test(long_files_in_utf16_are_decoded_piece_by_piece),
        cmocka_unit_test(a_byte_order_mark_of_utf8_is_skipped),
        cmocka_unit_test(gzipped_files_are_unpacked),
        cmocka_unit_test(samples_of_perf_are_folded_from_the_command_inwards),
        cmocka_unit_test(headers_may_have_more_or_less),
        cmocka_unit_test(processes_and_threads_can_be_separated),
        cmocka_unit_test(one_event_is_shown_the_first_or_the_chosen),
        cmocka_unit_test(unknown_symbols_are_named_after_their_object),
        cmocka_unit_test(arguments_are_dropped_but_not_from_every_parenthesis),
        cmocka_unit_test(java_names_are_condensed),
        cmocka_unit_test(kernel_and_run_time_code_are_distinguished),
        cmocka_unit_test(empty_stacks_are_the_command_alone),
        cmocka_unit_test(a_sample_may_be_a_single_line),
        cmocka_unit_test(source_positions_are_skipped),
        cmocka_unit_test(lines_may_end_in_carriage_returns),
        cmocka_unit_test(a_truncated_last_sample_is_dropped_and_reported),
        cmocka_unit_test(strange_lines_are_counted),
        cmocka_unit_test(events_with_text_of_their_own_are_kept),
        cmocka_unit_test(periods_of_clocks_are_times),
        cmocka_unit_test(sampled_profiles_of_speedscope_are_read),
        cmocka_unit_test(evented_profiles_of_speedscope_are_read),
        cmocka_unit_test(mistakes_in_speedscope_files_are_located),
        cmocka_unit_test(frames_closed_in_the_wrong_order_are_reported),
        cmocka_unit_test(a_speedscope_file_that_we_write_reads_back),
        cmocka_unit_test(stacks_without_samples_are_no_lines),
        cmocka_unit_test(trees_too_deep_to_repeat_every_caller_are_refused),
        cmocka_unit_test(calls_of_callgrind_become_an_approximate_tree),
        cmocka_unit_test(recursion_in_callgrind_ends_and_adds_up),
        cmocka_unit_test(code_from_another_file_belongs_to_its_function),
        cmocka_unit_test(written_records_have_the_same_stacks),
        cmocka_unit_test(records_without_stacks_say_so),
        cmocka_unit_test(pictures_of_others_are_refused),
        cmocka_unit_test(formats_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
