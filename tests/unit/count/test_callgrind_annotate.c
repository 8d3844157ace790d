// Compares the reader with callgrind_annotate, on output of the real valgrind.
#include "count/counts/callgrind.h"

#include <glob.h>

#include "base/text.h"
#include "callgrind_files.h"

static const char c_header[] =
    "static inline __attribute__((always_inline)) int inlined(int n)\n"
    "{ int sum = 0; for (volatile int i = 0; i < n; i++) sum += i * n; return sum; }\n";
static const char c_library[] =
    "__attribute__((noinline)) static int helper(int n) { return n * n; }\n"
    "int library_call(int n) { int sum = 0; while (n--) sum += helper(n); return sum; }\n";
static const char c_program[] =
    "#include <valgrind/callgrind.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n#include \"inlined.h\"\n"
    "#define APART __attribute__((noinline, noipa))\n"
    "int library_call(int n);\n"
    "APART int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
    "APART int odd(int n);\n"
    "APART int even(int n) { int x = n ? odd(n - 1) : 1; __asm__ volatile(\"\"); return x; }\n"
    "APART int odd(int n) { int x = n ? even(n - 1) : 0; __asm__ volatile(\"\"); return x; }\n"
    "static int order(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
    "int main(int argc, char **argv)\n{\n    volatile int sum = 0; int toggle = argc > 1;\n"
    "    (void)argv;\n    for (int i = 0; i < 3; i++) {\n"
    "        if (toggle) CALLGRIND_TOGGLE_COLLECT;\n"
    "        sum += fib(8 + i) + even(9) + inlined(argc + i) + library_call(i + 2);\n"
    "        if (toggle) CALLGRIND_TOGGLE_COLLECT;\n        CALLGRIND_DUMP_STATS;\n    }\n"
    "    int numbers[50]; for (int i = 0; i < 50; i++) numbers[i] = i * 7919 % 101;\n"
    "    qsort(numbers, 50, sizeof *numbers, order);\n"
    "    char *p = malloc(100); memset(p, 1, 100); sum += p[argc] + numbers[3]; free(p);\n"
    "    printf(\"%d\\n\", sum);\n    return 0;\n}\n";
static const char cpp_program[] =
    "#include <map>\n#include <stdexcept>\n#include <string>\n#include <vector>\n#include "
    "<cstdio>\n"
    "namespace shapes { template <typename T> struct box { T v;\n"
    "  __attribute__((noinline)) T operator()(T x) const { return x * v; }\n"
    "  __attribute__((noinline)) bool operator<(const box &o) const { return v < o.v; } }; }\n"
    "namespace { __attribute__((noinline)) std::string named(int n) { return std::to_string(n); } "
    "}\n"
    "int main()\n{\n    std::map<std::string, int> m; std::vector<shapes::box<double>> v;\n"
    "    for (int i = 0; i < 20; i++) { m[named(i * 37 % 20)] = i; v.push_back({i * .5}); }\n"
    "    double sum = 0; for (auto &b : v) sum += b(2) + (b < v[0]);\n"
    "    try { throw std::runtime_error(named(3)); } catch (std::exception &e) { sum += 1; }\n"
    "    std::printf(\"%g %zu\\n\", sum, m.size());\n}\n";

static void run(const char *command)
{
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static int build_programs(void **state)
{
    if (enter_test_folder(state) != 0)
        return -1;
    write_text("inlined.h", c_header);
    write_text("library.c", c_library);
    write_text("program.c", c_program);
    write_text("program.cc", cpp_program);
    // Debian 12's valgrind cannot read all of DWARF 5.
    run("gcc -O2 -gdwarf-4 -shared -fPIC library.c -o libapart.so");
    run("gcc -O2 -gdwarf-4 program.c -o c-program -L. -lapart -Wl,-rpath,'$ORIGIN'");
    run("g++ -O1 -gdwarf-4 program.cc -o cpp-program");
    run("mkdir out elsewhere");
    return 0;
}

static void trace(const char *options, const char *program)
{
    AUTO(memory) char *command = mem_format(
        "rm -f out/*; valgrind -q --tool=callgrind --callgrind-out-file=out/cg %s %s >log 2>&1 || "
        "{ cat log; false; }",
        options, program);
    run(command);
}

enum { MOST_EVENTS = 16 };

struct row {
    char *name;  // file:function
    uint64_t self[MOST_EVENTS], inclusive[MOST_EVENTS];
    size_t objects;  // ours: number of objects with this name
};

struct rows {
    struct row *items;
    size_t count, room;
};

static void rows_done(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free(rows->items[i].name);
    free(rows->items);
}
SCOPE_VALUE(rows, rows_done)

static struct row *find_row(struct rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->items[i].name, name) == 0)
            return &rows->items[i];
    mem_grow(rows->items, rows->count, &rows->room);
    rows->items[rows->count] = (struct row){.name = mem_text(name)};
    return &rows->items[rows->count++];
}

// Reads the number columns, "." for none; returns what follows.
static char *read_columns(char *at, size_t events, uint64_t *costs)
{
    for (size_t event = 0; event < events; event++) {
        at += strspn(at, " ");
        for (costs[event] = 0; *at && *at != ' '; at++)
            if (*at >= '0' && *at <= '9')
                costs[event] = costs[event] * 10 + (uint64_t)(*at - '0');
    }
    return at + strspn(at, " ");
}

static void cut_object(char *name)
{
    for (char *at = name + strlen(name); at > name; at--)
        if (strncmp(at, " [/", 3) == 0 || strncmp(at, " [???", 5) == 0) {
            *at = '\0';
            return;
        }
}

// " < file:function (12x) [object]": calls to itself are not part of its inclusive cost.
static void cut_calls(char *name)
{
    cut_object(name);
    char *count = strrchr(name, '(');
    if (count && count > name)
        count[-1] = '\0';
}

static size_t column_count(const char *titles)
{
    size_t count = 0;
    for (const char *at = titles + strspn(titles, " "); strncmp(at, "file:", 5) != 0; count++) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return count;
}

static void read_annotated(struct rows *rows, bool inclusive, uint64_t *totals)
{
    AUTO(memory) char *command = mem_format(
        "cd elsewhere && callgrind_annotate --threshold=100 --show-percs=no --auto=no %s "
        "../copy 2>../log",
        inclusive ? "--inclusive=yes --tree=caller" : "");
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    AUTO(memory) char *line = NULL;
    size_t room = 0, events = 0;
    struct list callers = {0};
    uint64_t costs[MOST_EVENTS], called[64][MOST_EVENTS];
    AUTO(memory) char *total_line = NULL;
    while (getline(&line, &room, pipe) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strstr(line, "PROGRAM TOTALS"))
            total_line = mem_text(line);
        if (!events && strstr(line, " file:function")) {
            events = column_count(line);
            assert_in_range(events, 1, MOST_EVENTS);
            read_columns(total_line, events, totals);
            continue;
        }
        if (!events || line[0] == '-' || line[strspn(line, " ")] == '\0')
            continue;
        char *name = read_columns(line, events, costs);
        if (strncmp(name, "< ", 2) == 0) {
            cut_calls(name + 2);
            if (callers.count < 64)
                memcpy(called[callers.count], costs, sizeof costs);
            list_add(&callers, name + 2);
            continue;
        }
        name += strncmp(name, "* ", 2) == 0 ? 2 + strspn(name + 2, " ") : 0;
        cut_object(name);
        struct row *row = find_row(rows, name);
        memcpy(inclusive ? row->inclusive : row->self, costs, sizeof costs);
        for (size_t i = 0; inclusive && i < callers.count && i < 64; i++)
            if (strcmp(callers.items[i], name) == 0)
                for (size_t event = 0; event < events; event++)
                    row->inclusive[event] -= called[i][event];
        for (size_t event = 0; inclusive && event < events; event++)
            if (row->inclusive[event] > totals[event])
                row->inclusive[event] = totals[event];
        list_done(&callers);
        callers = (struct list){0};
    }
    list_done(&callers);
    assert_int_equal(pclose(pipe), 0);
}

static void read_ours(const struct profile_part *part, struct rows *rows)
{
    for (size_t i = 0; i < part->functions.count; i++) {
        const struct function_name *name = &part->functions.names[i];
        AUTO(memory) char *joined = mem_format("%s:%s", name->file, name->function);
        struct row *row = find_row(rows, joined);
        row->objects++;
        for (size_t event = 0; event < part->events.count; event++) {
            row->self[event] += profile_self(part, i, event);
            row->inclusive[event] += profile_inclusive(part, i, event);
        }
    }
}

static void assert_same(const char *path, const struct row *ours, const struct row *theirs,
                        size_t events)
{
    for (size_t event = 0; event < events; event++) {
        if (ours->self[event] != theirs->self[event])
            fail_msg("%s: %s, event %zu: self is %llu, not %llu", path, ours->name, event,
                     (unsigned long long)ours->self[event],
                     (unsigned long long)theirs->self[event]);
        // callgrind_annotate merges a name in two objects, and then confuses their calls.
        if (ours->objects == 1 && ours->inclusive[event] != theirs->inclusive[event])
            fail_msg("%s: %s, event %zu: inclusive is %llu, not %llu", path, ours->name, event,
                     (unsigned long long)ours->inclusive[event],
                     (unsigned long long)theirs->inclusive[event]);
    }
}

static void read_part(const char *path, struct profile *profile)
{
    AUTO(lines) struct lines lines = {0};
    assert_ok(lines_open(path, &lines));
    assert_ok(callgrind_read(&lines, profile));
}

static void assert_as_annotated(const char *path)
{
    AUTO(profile) struct profile profile = {0};
    AUTO(rows) struct rows ours = {0}, theirs = {0};
    uint64_t totals[MOST_EVENTS] = {0};
    read_part(path, &profile);
    assert_int_equal(profile.count, 1);
    if (!profile.parts[0].sums) {  // nothing collected
        assert_int_equal(profile.parts[0].functions.count, 0);
        return;
    }
    read_ours(&profile.parts[0], &ours);
    // callgrind_annotate takes the cost of a call that began in an earlier part for the caller's
    // own, and prints the summary, which is inexact with cache simulation.
    AUTO(memory) char *copy = mem_format(
        "sed -e 's/^calls=0 /calls=1 /' -e '/^summary:/d' '%s' >copy && test -s copy", path);
    run(copy);
    read_annotated(&theirs, false, totals);
    read_annotated(&theirs, true, totals);
    size_t events = profile.parts[0].events.count;
    for (size_t event = 0; event < events; event++)
        assert_int_equal(profile.parts[0].sums[event], totals[event]);
    assert_int_equal(ours.count, theirs.count);
    for (size_t i = 0; i < ours.count; i++)
        assert_same(path, &ours.items[i], find_row(&theirs, ours.items[i].name), events);
    assert_int_equal(ours.count, theirs.count);
}

static size_t assert_all_as_annotated(void)
{
    glob_t found;
    assert_int_equal(glob("out/cg*", 0, NULL, &found), 0);
    size_t files = 0;
    for (size_t i = 0; i < found.gl_pathc; i++, files++)
        assert_as_annotated(found.gl_pathv[i]);
    globfree(&found);
    return files;
}

static void every_dump_of_a_c_program_matches(void **state)
{
    (void)state;
    trace("", "./c-program");
    assert_int_equal(assert_all_as_annotated(), 4);
}

static void addresses_and_jumps_match(void **state)
{
    (void)state;
    trace("--dump-instr=yes --collect-jumps=yes", "./c-program");
    assert_int_equal(assert_all_as_annotated(), 4);
}

static void uncompressed_files_match(void **state)
{
    (void)state;
    trace("--dump-instr=yes --dump-line=no --compress-strings=no --compress-pos=no", "./c-program");
    assert_int_equal(assert_all_as_annotated(), 4);
}

static void thirteen_events_match(void **state)
{
    (void)state;
    trace("--cache-sim=yes --branch-sim=yes", "./c-program");
    assert_int_equal(assert_all_as_annotated(), 4);
}

static void recursion_under_one_name_matches(void **state)
{
    (void)state;
    trace("--separate-recs=1", "./c-program");
    assert_int_equal(assert_all_as_annotated(), 4);
}

static void collection_toggled_around_a_loop_matches(void **state)
{
    (void)state;
    trace("--collect-atstart=no", "./c-program toggle");
    assert_int_equal(assert_all_as_annotated(), 4);
}

static void cpp_names_match(void **state)
{
    (void)state;
    trace("", "./cpp-program");
    assert_int_equal(assert_all_as_annotated(), 1);
    AUTO(profile) struct profile profile = {0};
    AUTO(rows) struct rows rows = {0};
    read_part("out/cg", &profile);
    read_ours(&profile.parts[0], &rows);
    size_t operators = 0, named = 0;
    for (size_t i = 0; i < rows.count; i++) {
        operators +=
            strstr(rows.items[i].name, ":shapes::box<double>::operator()(double) const") != NULL;
        named += strstr(rows.items[i].name, ":(anonymous namespace)::named") != NULL;
    }
    assert_true(operators && named);
}

static void dumps_combined_in_one_file_match_separate_ones(void **state)
{
    (void)state;
    trace("", "./c-program");
    run("rm -rf apart && mv out apart && mkdir out");
    trace("--combine-dumps=yes", "./c-program");
    AUTO(profile) struct profile together = {0};
    read_part("out/cg", &together);
    assert_int_equal(together.count, 4);
    static const char *const paths[] = {"apart/cg.1", "apart/cg.2", "apart/cg.3", "apart/cg"};
    for (size_t i = 1; i < 3; i++) {  // the first and last depend on file names
        AUTO(profile) struct profile alone = {0};
        AUTO(rows) struct rows left = {0}, right = {0};
        read_part(paths[i], &alone);
        read_ours(&alone.parts[0], &left);
        read_ours(&together.parts[i], &right);
        assert_int_equal(left.count, right.count);
        for (size_t j = 0; j < left.count; j++)
            assert_same(paths[i], &left.items[j], find_row(&right, left.items[j].name), 1);
        assert_int_equal(left.count, right.count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dump_of_a_c_program_matches),
        cmocka_unit_test(addresses_and_jumps_match),
        cmocka_unit_test(uncompressed_files_match),
        cmocka_unit_test(thirteen_events_match),
        cmocka_unit_test(recursion_under_one_name_matches),
        cmocka_unit_test(collection_toggled_around_a_loop_matches),
        cmocka_unit_test(cpp_names_match),
        cmocka_unit_test(dumps_combined_in_one_file_match_separate_ones),
    };
    return cmocka_run_group_tests(tests, build_programs, remove_test_folder);
}
