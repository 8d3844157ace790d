#include "bilanx/counts.h"

#include "base/mem.h"
#include "base/text.h"
#include "callgrind_files.h"

static const char before[] =
    "events: Ir\nob=/b/lib\nfl=/b/a.c\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 5000\ncfn=old\n"
    "calls=1 2\n1 7\nfn=f\n2 5000\nfn=old\n3 7\nfn=same\n4 1\ntotals: 5018\n";
static const char after[] =
    "events: Ir\nob=/c/lib\nfl=/c/a.c\nfn=main\n1 12\ncfn=f\ncalls=1 2\n1 4000\ncfn=new\n"
    "calls=1 2\n1 20\nfn=f.part.0\n2 4000\nfn=new\n3 20\nfn=same\n4 1\ntotals: 4033\n";

static struct bilanx_error compare(const struct bilanx_functions_options *options, char **shown)
{
    size_t size;
    *shown = NULL;
    FILE *out = open_memstream(shown, &size);
    struct bilanx_error error = bilanx_functions_compare("a", "b", options, out);
    fclose(out);
    return error;
}

static void assert_compared(const struct bilanx_functions_options *options, const char *expected)
{
    AUTO(memory) char *shown = NULL;
    assert_ok(compare(options, &shown));
    size_t kept = 0;
    for (size_t i = 0; shown[i]; i++)  // CSV lines end in CRLF
        if (shown[i] != '\r')
            shown[kept++] = shown[i];
    shown[kept] = '\0';
    assert_string_equal(shown, expected);
}

#define OPTIONS(...) (&(struct bilanx_functions_options){__VA_ARGS__})

static void two_callgrind_files_are_compared(void **state)
{
    (void)state;
    write_text("a", before);
    write_text("b", after);
    assert_compared(OPTIONS(.standardize = true),
                    "instructions by function, names standardized\n"
                    "change  before  after    percent  status    function\n"
                    "-1,000   5,000  4,000   -20.00 %            f (a.c)\n"
                    "   +20       0     20             appeared  new (a.c)\n"
                    "    -7       7      0  -100.00 %  vanished  old (a.c)\n"
                    "    +2      10     12   +20.00 %            main (a.c)\n"
                    "  -985   5,018  4,033   -19.63 %            (total)\n\n");
    assert_compared(OPTIONS(.standardize = true, .inclusive = true, .minimum = 20),
                    "instructions by function, including callees, names standardized\n"
                    "change  before  after   percent  status    function\n"
                    "-1,000   5,000  4,000  -20.00 %            f (a.c)\n"
                    "  -985   5,017  4,032  -19.63 %            main (a.c)\n"
                    "   +20       0     20            appeared  new (a.c)\n"
                    "                                           (1 smaller change)\n"
                    "  -985   5,018  4,033  -19.63 %            (total)\n\n");
}

static void without_standard_names_two_builds_have_nothing_in_common(void **state)
{
    (void)state;
    write_text("a", before);
    write_text("b", after);
    assert_compared(OPTIONS(.minimum = 4500),
                    "instructions by function\n"
                    "change  before  after      percent  status    function\n"
                    "-5,000   5,000      0    -100.00 %  vanished  f (/b/a.c)\n"
                    "+4,015      18  4,033  +22305.56 %            (7 smaller changes)\n"
                    "  -985   5,018  4,033     -19.63 %            (total)\n\n");
}

#define OF(object, name, count) "ob=" object "\nfl=???\nfn=" name "\n1 " count "\n"

static void a_function_without_a_file_is_named_by_its_object(void **state)
{
    (void)state;
    write_text("a", "events: Ir\n" OF("/b/old", "crc", "50") OF("/lib/libc.so.6", "memcpy", "7"));
    write_text("b", "events: Ir\n" OF("/b/new", "crc", "40") OF("/lib/libc.so.6", "memcpy", "9"));
    assert_compared(OPTIONS(.standardize = true),
                    "instructions by function, names standardized\n"
                    "change  before  after   percent  function\n"
                    "   -10      50     40  -20.00 %  crc (new)\n"
                    "    +2       7      9  +28.57 %  memcpy (libc.so.6)\n"
                    "    -8      57     49  -14.04 %  (total)\n\n");
    write_text("b", "events: Ir\nob=/b/new\nfl=/src/crc.c\nfn=crc\n1 40\n");
    assert_compared(OPTIONS(.standardize = true, .minimum = 8),
                    "instructions by function, names standardized\n"
                    "change  before  after    percent  function\n"
                    "   -10      50     40   -20.00 %  crc (crc.c)\n"
                    "    -7       7      0  -100.00 %  (1 smaller change)\n"
                    "   -17      57     40   -29.82 %  (total)\n\n");
}

static void what_a_statement_executes_is_one_row(void **state)
{
    (void)state;
    static const char loop[] = "events: Ir\nob=/c/0123456789abcdef0123456789abcdef\n"
                               "fl=bilanx\nfn=bilanx_copies1\n1 3\nfi=statement\n1 %d\n";
    AUTO(memory) char *left = mem_format(loop, 5), *right = mem_format(loop, 7);
    write_text("a", left);
    write_text("b", right);
    assert_compared(NULL, "instructions by function\n"
                          "change  before  after   percent  function\n"
                          "    +2       8     10  +25.00 %  the statement itself\n"
                          "    +2       8     10  +25.00 %  (total)\n\n");
}

static void csv_markdown_and_json_are_written(void **state)
{
    (void)state;
    write_text("a", before);
    write_text("b", after);
    assert_compared(OPTIONS(.standardize = true, .format = BILANX_CSV, .minimum = 20),
                    "change,before,after,percent,status,file:function [object]\n"
                    "-1000,5000,4000,-20.00,,a.c:f\n20,0,20,,appeared,a.c:new\n"
                    "-5,17,12,-29.41,,(2 smaller changes)\n-985,5018,4033,-19.63,,(total)\n");
    assert_compared(OPTIONS(.standardize = true, .format = BILANX_MARKDOWN, .minimum = 1000),
                    "instructions by function, names standardized\n\n"
                    "| change | before | after | percent | function |\n"
                    "|---:|---:|---:|---:|---|\n"
                    "| -1,000 | 5,000 | 4,000 | -20.00 % | f (a.c) |\n"
                    "| +15 | 17 | 32 | +88.24 % | (3 smaller changes) |\n"
                    "| -985 | 5,018 | 4,033 | -19.63 % | (total) |\n\n");
    assert_compared(OPTIONS(.standardize = true, .format = BILANX_JSON, .minimum = 20),
                    "{\"before\":\"a\",\"after\":\"b\",\"inclusive\":false,\"standardized\":true,"
                    "\"cases\":[{\"same_task\":true,\"per_iteration\":false,\"before\":5018,"
                    "\"after\":4033,\"change\":-985,\"functions\":[{\"file\":\"a.c\",\"function\":"
                    "\"f\",\"before\":5000,\"after\":4000,\"change\":-1000},{\"file\":\"a.c\","
                    "\"function\":\"new\",\"before\":0,\"after\":20,\"change\":20,\"status\":"
                    "\"appeared\"}]}],\"only_before\":[],\"only_after\":[]}\n");
}

static void fewer_instructions_are_green_and_more_are_red(void **state)
{
    (void)state;
    AUTO(memory) char *shown = NULL;
    write_text("a", before);
    write_text("b", after);
    assert_ok(compare(OPTIONS(.standardize = true, .color = true), &shown));
    assert_non_null(strstr(shown, "\033[32m-1,000\033[0m"));
    assert_non_null(strstr(shown, "\033[31m+20\033[0m"));
}

static void parts_are_added_up_with_a_note(void **state)
{
    (void)state;
    write_text("a", "events: Ir\nfn=f\n1 3\ntotals: 3\npart: 2\nevents: Ir\nfn=f\n1 4\n");
    write_text("b", "events: Ir\nfn=f\n1 8\n");
    assert_compared(NULL, "instructions by function\n"
                          "change  before  after   percent  function\n"
                          "    +1       7      8  +14.29 %  f\n"
                          "    +1       7      8  +14.29 %  (total)\n\n"
                          "'a' has 2 parts, which are added up here\n");
}

#define RECORD(task, counts)                                                        \
    "{\"schema\":\"bilanx/1\",\"kind\":\"counts\",\"task\":{" task "},\"counts\":{" \
    "\"counter\":\"callgrind\"," counts "}}\n"
#define FUNCTION(count) \
    "\"instructions\":" count ",\"functions\":[{\"function\":\"f\",\"self\":" count "}]"

static void records_are_matched_by_their_whole_task(void **state)
{
    (void)state;
    write_text("a", "\n" RECORD("\"stmt\":\"x++\",\"env\":\"one\"", FUNCTION("10"))
                        RECORD("\"stmt\":\"y++\"", FUNCTION("5"))
                            RECORD("\"stmt\":\"z\\u001b++\"", FUNCTION("1"))
                                RECORD("\"stmt\":\"none\"", "\"instructions\":4"));
    write_text("b", RECORD("\"stmt\":\"y++\"", FUNCTION("6"))
                        RECORD("\"stmt\":\"w\",\"label\":\"L\",\"num_threads\":2", FUNCTION("1"))
                            RECORD("\"stmt\":\"x++\",\"env\":\"two\"", FUNCTION("7"))
                                RECORD("\"stmt\":\"x++\",\"env\":\"one\"", FUNCTION("8")));
    assert_compared(NULL, "x++\ninstructions by function\n"
                          "change  before  after   percent  function\n"
                          "    -2      10      8  -20.00 %  f\n"
                          "    -2      10      8  -20.00 %  (total)\n\n"
                          "y++\ninstructions by function\n"
                          "change  before  after   percent  function\n"
                          "    +1       5      6  +20.00 %  f\n"
                          "    +1       5      6  +20.00 %  (total)\n\n"
                          "only in 'a': z\\x1b++\n"
                          "only in 'b': L, 2 threads\nonly in 'b': x++\n");
    assert_compared(OPTIONS(.format = BILANX_CSV),
                    "case,change,before,after,percent,status,file:function [object]\n"
                    "x++,-2,10,8,-20.00,,f\nx++,-2,10,8,-20.00,,(total)\n"
                    "y++,1,5,6,20.00,,f\ny++,1,5,6,20.00,,(total)\n"
                    "z\\x1b++,,,,,only_before,\n\"L, 2 threads\",,,,,only_after,\n"
                    "x++,,,,,only_after,\n");
}

static void otherwise_records_are_matched_regardless_of_the_compiler(void **state)
{
    (void)state;
    write_text("a", RECORD("\"stmt\":\"x\",\"compile\":{\"flags\":\"-O2\"}",
                           "\"number\":100," FUNCTION("1000")));
    write_text("b", RECORD("\"stmt\":\"x\",\"env\":\"new\",\"compile\":{\"flags\":\"-O3\"}",
                           "\"number\":10," FUNCTION("125")));
    assert_compared(NULL, "x\ninstructions by function, per iteration; setup, compilation or "
                          "run differ\n"
                          "change  before  after   percent  function\n"
                          "  +2.5      10   12.5  +25.00 %  f\n"
                          "  +2.5      10   12.5  +25.00 %  (total)\n\n");
}

static void otherwise_records_are_matched_by_name(void **state)
{
    (void)state;
    write_text("a", RECORD("\"stmt\":\"x\",\"setup\":\"old\"", "\"number\":10," FUNCTION("100")));
    write_text("b", RECORD("\"stmt\":\"x\",\"setup\":\"new\"", "\"number\":10," FUNCTION("130")));
    assert_compared(NULL, "x\ninstructions by function; setup, compilation or run differ\n"
                          "change  before  after   percent  function\n"
                          "   +30     100    130  +30.00 %  f\n"
                          "   +30     100    130  +30.00 %  (total)\n\n");
}

static void assert_refused(enum bilanx_status status, const char *part)
{
    AUTO(memory) char *shown = NULL;
    assert_error(compare(NULL, &shown), status, part);
    assert_string_equal(shown, "");
}

static void files_that_cannot_be_compared_are_an_error(void **state)
{
    (void)state;
    write_text("a", before);
    write_text("b", RECORD("\"stmt\":\"x\"", FUNCTION("1")));
    assert_refused(BILANX_E_USAGE, "'a' is a callgrind file and 'b' a record file");
    write_text("a", RECORD("\"stmt\":\"y\"", FUNCTION("1")));
    assert_refused(BILANX_E_INPUT, "no case in common: the first has 'y', the second 'x'");
    write_text("a", RECORD("\"stmt\":\"y\"", "\"instructions\":4"));
    assert_refused(BILANX_E_INPUT, "'a' has no counts by function");
    write_text("a", "hello\n");
    assert_refused(BILANX_E_INPUT, "a:1: not a line of callgrind's format: 'hello'");
    write_text("a", "{\"schema\":\n");
    assert_refused(BILANX_E_INPUT, "a:1");
}

static void functions_known_to_vary_can_be_left_out(void **state)
{
    (void)state;
    write_text("a", "events: Ir\nfn=_dl_fixup\n1 3\nfn=f\n1 5\n");
    write_text("b", "events: Ir\nfn=_dl_fixup\n1 9\nfn=f\n1 4\n");
    assert_compared(OPTIONS(.denoise = true),
                    "instructions by function, without functions known to vary\n"
                    "change  before  after   percent  function\n"
                    "    -1       5      4  -20.00 %  f\n"
                    "    -1       5      4  -20.00 %  (total)\n\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_callgrind_files_are_compared),
        cmocka_unit_test(without_standard_names_two_builds_have_nothing_in_common),
        cmocka_unit_test(a_function_without_a_file_is_named_by_its_object),
        cmocka_unit_test(what_a_statement_executes_is_one_row),
        cmocka_unit_test(csv_markdown_and_json_are_written),
        cmocka_unit_test(fewer_instructions_are_green_and_more_are_red),
        cmocka_unit_test(parts_are_added_up_with_a_note),
        cmocka_unit_test(records_are_matched_by_their_whole_task),
        cmocka_unit_test(otherwise_records_are_matched_regardless_of_the_compiler),
        cmocka_unit_test(otherwise_records_are_matched_by_name),
        cmocka_unit_test(files_that_cannot_be_compared_are_an_error),
        cmocka_unit_test(functions_known_to_vary_can_be_left_out),
    };
    return cmocka_run_group_tests(tests, enter_test_folder, remove_test_folder);
}
