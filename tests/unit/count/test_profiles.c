// callgrind's files without what led to the loop; which repeat is reported, and how they differ.
#include "count/counting/profiles.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "unit.h"

static void calls_that_began_before_collection_are_left_out(void **state)
{
    (void)state;
    static const char written[] =
        "events: Ir\n"
        "fn=main\ncfi=a.c\ncfn=loop\ncalls=0 7\n3 100\n"
        "fn=loop\n5 60\ncob=libc.so\ncfn=strlen\ncalls=100 20\n5 40\n7 1\n"
        "fn=next\ncfn=other\ncalls=0 8 \n* 9\ntotals: 101\n";
    static const char kept[] = "events: Ir\n"
                               "fn=main\n"
                               "fn=loop\n5 60\ncob=libc.so\ncfn=strlen\ncalls=100 20\n5 40\n7 1\n"
                               "fn=next\ntotals: 101\n";
    AUTO(text) struct text out = {0};
    profiles_trim(written, &out);
    assert_string_equal(text_get(&out), kept);
}

static void the_place_of_a_case_is_removed_from_names(void **state)
{
    (void)state;
    static const struct {
        const char *written, *kept;
    } cases[] = {
        {"fn=(3) bilanx_at12_copies1\nfl=/x/statement@12@\n5 60\n",
         "fn=(3) bilanx_copies1\nfl=/x/statement\n5 60\n"},
        {"fn=bilanx_at_home\ncfn=bilanx_at1\n", "fn=bilanx_at_home\ncfn=bilanx_at1\n"},
        {"fn=memcpy@@GLIBC_2.14\nfn=a@1\n", "fn=memcpy@@GLIBC_2.14\nfn=a@1\n"},
        {"@", "@"},
        {"", ""},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(text) struct text out = {0};
        profiles_drop_places(cases[i].written, &out);
        assert_string_equal(text_get(&out), cases[i].kept);
    }
}

static void trimming_a_truncated_file_adds_nothing(void **state)
{
    (void)state;
    static const char *const torn[] = {"", "calls=0 1", "cfn=x\ncalls=0 1\n", "fn=x\n1 2"};
    for (size_t i = 0; i < LENGTH(torn); i++) {
        AUTO(text) struct text out = {0};
        profiles_trim(torn[i], &out);
        assert_true(out.size <= strlen(torn[i]));
    }
}

static void the_median_is_one_of_the_repeats(void **state)
{
    (void)state;
    struct bilanx_counts counts[] = {
        {.instructions = 9}, {.instructions = 5}, {.instructions = 7}, {.instructions = 5}};
    assert_int_equal(profiles_median(&(struct profiles){counts, 3}), 2);
    assert_int_equal(profiles_median(&(struct profiles){counts, 4}), 1);
    assert_int_equal(profiles_median(&(struct profiles){counts, 1}), 0);
}

static void the_warning_about_differing_repeats_names_functions(void **state)
{
    (void)state;
    struct bilanx_function first[] = {{.function = (char *)"steady", .self = 50},
                                      {.function = (char *)"jumpy", .self = 10},
                                      {.function = (char *)"shy", .self = 0}};
    struct bilanx_function second[] = {{.function = (char *)"steady", .self = 50},
                                       {.function = (char *)"jumpy", .self = 40},
                                       {.function = (char *)"shy", .self = 10}};
    struct bilanx_counts counts[] = {
        {.instructions = 60, .functions = first, .function_count = 3},
        {.instructions = 100, .functions = second, .function_count = 3},
        {.instructions = 100, .functions = second, .function_count = 3}};
    AUTO(bilanx_record) struct bilanx_record same = {0}, other = {0};
    profiles_compare(&(struct profiles){counts + 1, 2}, &same);
    assert_int_equal(same.warning_count, 0);
    profiles_compare(&(struct profiles){counts, 3}, &other);
    assert_int_equal(other.warning_count, 1);
    assert_string_equal(other.warnings[0].code, "counts-vary");
    assert_non_null(
        strstr(other.warnings[0].text, "40 % (60 to 100), due to jumpy (30), shy (10)"));
    assert_null(strstr(other.warnings[0].text, "steady"));
}

static char folder[] = "/tmp/bilanx-profiles-XXXXXX";
static struct nursery nursery = {.directory = {.path = folder}};
enum { PROCESS = 77 };

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return file_remove_tree(folder) ? 0 : -1;
}

// As callgrind writes it after a repeat: the first dump is that of the warm-up.
static void write_dump(unsigned dump, const char *text)
{
    AUTO(memory) char *path = mem_format("%s/out.%d.%u", folder, PROCESS, dump);
    assert_ok(file_write(path, text, strlen(text)));
}

static void the_dumps_of_the_repeats_are_read_and_trimmed(void **state)
{
    (void)state;
    write_dump(1, "# callgrind format\nevents: Ir\nfn=warm\n1 99\n");
    write_dump(2, "# callgrind format\nevents: Ir\nfn=main\ncfn=loop\ncalls=0 7\n3 "
                  "40\nfn=bilanx_at3_copies1\n5 40\n");
    write_dump(3, "# callgrind format\nevents: Ir\nfn=bilanx_at3_copies1\n5 60\n");
    AUTO(profiles) struct profiles profiles = {0};
    assert_ok(profiles_read(&nursery, PROCESS, 2, &profiles));
    assert_int_equal(profiles.count, 2);
    assert_near(profiles.items[0].instructions, 40, 0);
    assert_near(profiles.items[1].instructions, 60, 0);
    assert_int_equal(profiles.items[0].function_count, 1);
    assert_string_equal(profiles.items[0].functions[0].function, "bilanx_copies1");
    AUTO(memory) char *copy = mem_format("%s/kept", folder);
    assert_ok(profiles_keep(&nursery, PROCESS, 1, copy));
    AUTO(text) struct text kept = {0};
    assert_ok(file_read(copy, &kept));
    assert_string_equal(text_get(&kept),
                        "# callgrind format\nevents: Ir\nfn=main\nfn=bilanx_copies1\n5 40\n");
}

static void a_dump_that_is_missing_or_torn_is_an_error(void **state)
{
    (void)state;
    struct profiles profiles = {0};
    write_dump(2, "# callgrind format\nevents: Ir\nfn=f\n5 40\n");
    write_dump(3, "# callgrind format\nevents: Ir\nfn=f\n5 40\ntotals: 50\n");
    assert_error(profiles_read(&nursery, PROCESS, 2, &profiles), BILANX_E_SYSTEM,
                 "callgrind's file is incomplete");
    assert_error(profiles_read(&nursery, PROCESS, 8, &profiles), BILANX_E_SYSTEM,
                 "callgrind's file is incomplete");
    write_dump(3, "# callgrind format\nevents: Ir\nfn=f\n5 40\n");
    assert_error(profiles_read(&nursery, PROCESS, 3, &profiles), BILANX_E_SYSTEM,
                 "callgrind wrote no file");
    assert_error(profiles_keep(&nursery, PROCESS, 9, "/nonexistent/x"), BILANX_E_SYSTEM,
                 "out.77.10");
    assert_null(profiles.items);
}

static void the_files_of_a_process_are_removed(void **state)
{
    (void)state;
    for (unsigned dump = 1; dump <= 4; dump++)
        write_dump(dump, "x");
    AUTO(memory) char *last = mem_format("%s/out.%d", folder, PROCESS);
    AUTO(memory) char *fourth = mem_format("%s.4", last);
    assert_ok(file_write(last, "x", 1));
    nursery_remove_files(&nursery, PROCESS, 2);
    assert_int_not_equal(access(last, F_OK), 0);
    for (unsigned dump = 1; dump <= 3; dump++) {
        AUTO(memory) char *path = mem_format("%s.%u", last, dump);
        assert_int_not_equal(access(path, F_OK), 0);
    }
    assert_int_equal(access(fourth, F_OK), 0);  // of no repeat that was asked for
    unlink(fourth);
}

static void the_three_functions_that_differ_most_are_named(void **state)
{
    (void)state;
    enum { FUNCTIONS = 5 };
    static const char *const names[FUNCTIONS] = {"a", "b", "c", "d", NULL};
    static const double first[] = {1, 50, 7, 9, 0}, second[] = {3, 10, 7, 19, 90};
    struct bilanx_function functions[2][FUNCTIONS];
    for (size_t i = 0; i < FUNCTIONS; i++) {
        functions[0][i] = (struct bilanx_function){.function = (char *)names[i], .self = first[i]};
        functions[1][i] = (struct bilanx_function){.function = (char *)names[i], .self = second[i]};
    }
    struct bilanx_counts counts[] = {
        {.instructions = 100, .functions = functions[0], .function_count = 4},
        {.instructions = 80, .functions = functions[1], .function_count = 4}};
    AUTO(bilanx_record) struct bilanx_record record = {0};
    profiles_compare(&(struct profiles){counts, 2}, &record);
    assert_string_equal(record.warnings[0].text,
                        "its repeats differ by 20 % (80 to 100), due to b (40), d (10), a (2)");
    AUTO(bilanx_record) struct bilanx_record nameless = {0};
    counts[0].function_count = counts[1].function_count = 0;
    profiles_compare(&(struct profiles){counts, 2}, &nameless);
    assert_string_equal(nameless.warnings[0].text, "its repeats differ by 20 % (80 to 100), due to "
                                                   "functions without a name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_began_before_collection_are_left_out),
        cmocka_unit_test(the_place_of_a_case_is_removed_from_names),
        cmocka_unit_test(trimming_a_truncated_file_adds_nothing),
        cmocka_unit_test(the_median_is_one_of_the_repeats),
        cmocka_unit_test(the_warning_about_differing_repeats_names_functions),
        cmocka_unit_test(the_dumps_of_the_repeats_are_read_and_trimmed),
        cmocka_unit_test(a_dump_that_is_missing_or_torn_is_an_error),
        cmocka_unit_test(the_files_of_a_process_are_removed),
        cmocka_unit_test(the_three_functions_that_differ_most_are_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
