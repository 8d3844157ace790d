#include "results/bundle/bundle.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "profile/stacks/stacks_record.h"
#include "records.h"
#include "stacks_made.h"

#define SLOWER                                                                                 \
    "'kind':'verdict','side':'B','verdict':'slower','reason':'r','baseline':'A','change':0.5," \
    "'interval':[0.4,0.6],'p':0.001,'times':[1e-7,1.5e-7],'machine':{'cpu':'<b>fast</"         \
    "b>','cores':2}"
#define SAME                                                                                   \
    "'kind':'verdict','side':'B','verdict':'same','reason':'r','baseline':'A','change':0.001," \
    "'interval':[-0.001,0.002],'times':[1e-7,1e-7]"

static const char HOSTILE[] = "../../<script>alert(\"1\")</script> 'x' `id`";

struct fixture {
    struct temporary folder;
    char *path;
    struct bundle *bundle;
};

static struct bundle *two_sides(bool all)
{
    static const struct bundle_side sides[] = {{"A", "git:main", "1a2b3c4 <i>base</i>"},
                                               {"B", "git:.", "working tree"}};
    return bundle_new(&(struct bundle_options){
        .sides = sides, .side_count = 2, .command = "bilanx ab '<x>'", .all = all});
}

static int set_up(void **state)
{
    struct fixture *fixture = mem_new(struct fixture);
    setenv("BILANX_BROWSER", "", 1);
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
    assert_ok(temporary_init(&fixture->folder, NULL));
    fixture->path = mem_format("%s/out.zip", fixture->folder.path);
    fixture->bundle = two_sides(false);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    bundle_free(fixture->bundle);
    free(fixture->path);
    temporary_done(&fixture->folder);
    free(fixture);
    return 0;
}

static void take(struct bundle *bundle, const char *name, size_t side, enum bundle_slot slot,
                 const char *members)
{
    struct bilanx_record record = record_of(members);
    bundle_take(bundle, name, side, slot, &record);
    assert_null(record.kind);
}

static void take_made(struct bundle *bundle, const char *name, size_t side, struct stacks *stacks)
{
    stacks_set_unit(stacks, "samples");
    struct bilanx_record record = {.kind = mem_text("stacks"), .side = mem_text(side ? "B" : "A")};
    record.stacks = stacks_to_record(stacks);
    bundle_take(bundle, name, side, BUNDLE_STACKS, &record);
}

static void take_stacks(struct bundle *bundle, const char *name, size_t side, const char *lines)
{
    AUTO(stacks) struct stacks *stacks = made(lines);
    stacks->calls = 1000;
    stacks->seconds = 1;
    take_made(bundle, name, side, stacks);
}

// Stacks from epochs with these nanoseconds per call, and a little more or less.
static void take_epochs(struct bundle *bundle, const char *name, size_t side, double time_ns)
{
    AUTO(stacks) struct stacks *stacks = made(side ? "main;f 90\nmain;g 60\n" : "main;f 100\n");
    for (int i = 0; i < 8; i++) {
        struct stack_epoch epoch = {1000, time_ns * (i % 2 ? 1.01 : .99) / 1e6};
        stacks_add_epoch(stacks, epoch);
        stacks->calls += epoch.calls;
        stacks->seconds += epoch.seconds;
    }
    take_made(bundle, name, side, stacks);
}

// The content of one entry, or the names of all, each on a line, if `name` is NULL.
static char *unzipped(const char *path, const char *name)
{
    struct text out = {0};
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;
    archive_read_support_format_zip(archive);
    assert_int_equal(archive_read_open_filename(archive, path, 4096), ARCHIVE_OK);
    while (archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
        const char *found = archive_entry_pathname_utf8(entry);
        if (!name)
            text_format(&out, "%s\n", found);
        char part[4096];
        la_ssize_t size;
        while (name && strcmp(found, name) == 0 &&
               (size = archive_read_data(archive, part, sizeof part)) > 0)
            text_add_n(&out, part, (size_t)size);
    }
    archive_read_free(archive);
    if (!out.size)
        fail_msg("'%s' has no entry '%s'", path, name ? name : "at all");
    return text_take(&out);
}

static void assert_contains(const char *path, const char *name, const char *part)
{
    AUTO(memory) char *content = unzipped(path, name);
    if (!strstr(content, part))
        fail_msg("%s does not contain '%s': %s", name, part, content);
}

static void assert_lacks(const char *path, const char *name, const char *part)
{
    AUTO(memory) char *content = unzipped(path, name);
    if (strstr(content, part))
        fail_msg("%s contains '%s': %s", name, part, content);
}

static void only_cases_that_got_slower_are_examined(void **state)
{
    struct fixture *fixture = *state;
    assert_true(bundle_is_empty(fixture->bundle));
    take(fixture->bundle, "same", 1, BUNDLE_VERDICT, SAME);
    assert_false(bundle_examines_any(fixture->bundle));
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    assert_true(bundle_examines_any(fixture->bundle));
    assert_true(bundle_examines(fixture->bundle, "slow"));
    assert_false(bundle_examines(fixture->bundle, "same"));
    assert_false(bundle_examines(fixture->bundle, "unknown"));
    AUTO(bundle) struct bundle *all = two_sides(true);
    take(all, "same", 1, BUNDLE_VERDICT, SAME);
    assert_true(bundle_examines(all, "same"));
}

static void files_have_a_fixed_order(void **state)
{
    struct fixture *fixture = *state;
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    take_stacks(fixture->bundle, "slow", 1, "main;f 30\nmain;g 10\n");
    take_stacks(fixture->bundle, "slow", 0, "main;f 10\nmain;g 10\n");
    bundle_add_tables(fixture->bundle, "a table\n", "|a|\n");
    bundle_draw(fixture->bundle);
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
    AUTO(memory) char *names = unzipped(fixture->path, NULL);
    assert_string_equal(names, "bilanx-bundle.json\nindex.html\nsummary.md\nverdicts.txt\n"
                               "verdicts.md\ncounts.txt\ncounts.md\nrecords.jsonl\nmachine.json\n"
                               "commands.txt\ndiff-slow.svg\nbase-slow.svg\nbranch-slow.svg\n");
    assert_contains(fixture->path, "index.html", "src=\"diff-slow.svg\"");
    assert_contains(fixture->path, "index.html", "BILANX_BROWSER is empty");
    // A second of 20 samples and 1000 calls, and one of 40.
    assert_contains(fixture->path, "base-slow.svg", "nanoseconds per call");
    assert_contains(fixture->path, "diff-slow.svg", "not scaled to the verdict, +50.0 %");
    assert_contains(fixture->path, "index.html", "Not scaled to the verdict, +50.0 %.");
    assert_contains(fixture->path, "records.jsonl", "\"kind\":\"stacks\",\"side\":\"A\"");
}

static void graphs_are_scaled_to_the_verdict(void **state)
{
    struct fixture *fixture = *state;
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    take_epochs(fixture->bundle, "slow", 0, 101);
    take_epochs(fixture->bundle, "slow", 1, 151);
    bundle_draw(fixture->bundle);
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
    assert_contains(fixture->path, "diff-slow.svg",
                    "A: 100.0 ns per call, B: 150.0 ns per call (+50.0 %)");
    assert_contains(fixture->path, "diff-slow.svg",
                    "100 and 150 samples; scaled to the verdict, +50.0 %; the samples say +49.5 %");
    assert_contains(fixture->path, "base-slow.svg", "main: 100.0 ns per call");
    assert_contains(fixture->path, "branch-slow.svg", "g: 60.00 ns per call");
    assert_contains(fixture->path, "index.html",
                    "Scaled to 150.0 ns per call by the verdict; the samples say 151");
    assert_contains(fixture->path, "index.html", "Scaled to the verdict, +50.0 %; the samples say");
    assert_lacks(fixture->path, "index.html", "samples disagree");
    // Samples are still samples.
    assert_contains(fixture->path, "records.jsonl", "\"unit\":\"samples\"");
    assert_contains(fixture->path, "records.jsonl", "\"node_weights\":[0,90,60]");
    assert_contains(fixture->path, "records.jsonl", "\"time\":1.5e-07");
    assert_contains(fixture->path, "branch-slow.svg", "\"node_weights\":[0,90,60]");
}

static void a_graph_that_disagrees_with_the_verdict_says_so(void **state)
{
    struct fixture *fixture = *state;
    static const char sentence[] = "he samples disagree with the verdict: they say +100.0 % (";
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    take_epochs(fixture->bundle, "slow", 0, 100);
    take_epochs(fixture->bundle, "slow", 1, 200);
    bundle_draw(fixture->bundle);
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
    assert_contains(fixture->path, "diff-slow.svg", sentence);
    assert_contains(fixture->path, "diff-slow.svg", "(+50.0 %)");
    assert_contains(fixture->path, "index.html", sentence);
    assert_contains(fixture->path, "index.html",
                    "<strong class=\"disagrees\">The samples disagree");
    assert_contains(fixture->path, "index.html",
                    "it says +50.0 %; the graph is scaled to the latter");
    assert_contains(fixture->path, "branch-slow.svg",
                    "the samples disagree with the verdict: they");
    assert_lacks(fixture->path, "base-slow.svg", "samples disagree");
}

static void equal_records_make_equal_files(void **state)
{
    struct fixture *fixture = *state;
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
    AUTO(text) struct text first = {0}, second = {0};
    assert_ok(file_read(fixture->path, &first));
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_REPLACE));
    assert_ok(file_read(fixture->path, &second));
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
}

static void whatever_a_case_is_called_it_is_text(void **state)
{
    struct fixture *fixture = *state;
    take(fixture->bundle, HOSTILE, 1, BUNDLE_VERDICT, SLOWER);
    take(fixture->bundle, "script alert 1 script x id", 1, BUNDLE_VERDICT, SLOWER);
    take_stacks(fixture->bundle, HOSTILE, 1, "</metadata><script>x 30\n");
    take_stacks(fixture->bundle, HOSTILE, 0, "</metadata><script>x 10\n");
    bundle_miss(fixture->bundle, "<script>missing</script>");
    bundle_draw(fixture->bundle);
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
    AUTO(memory) char *names = unzipped(fixture->path, NULL);
    assert_null(strstr(names, ".."));
    assert_null(strstr(names, "/"));
    assert_non_null(strstr(names, "diff-script-alert-1-script-x-id.svg\n"));
    assert_lacks(fixture->path, "index.html", "<script");
    assert_lacks(fixture->path, "index.html", "<b>fast");
    assert_lacks(fixture->path, "index.html", "<i>base");
    assert_contains(fixture->path, "index.html", "&lt;script&gt;alert(&quot;1&quot;)");
    assert_contains(fixture->path, "index.html", "id=\"script-alert-1-script-x-id-2\"");
    assert_lacks(fixture->path, "summary.md", "\n<script");
    assert_lacks(fixture->path, "summary.md", " <script");
}

static void counts_are_per_call_and_by_function(void **state)
{
    struct fixture *fixture = *state;
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    const char *const counts[] = {
        "'kind':'counts','side':'A','counts':{'number':10,'instructions':1100,'functions':["
        "{'file':'a.c','function':'f','self':1000},{'function':'g','self':100}]}",
        "'kind':'counts','side':'B','counts':{'number':10,'instructions':25100,'functions':["
        "{'file':'a.c','function':'f','self':25000},{'function':'g','self':100}]}"};
    for (size_t i = 0; i < 2; i++)
        take(fixture->bundle, "slow", i, BUNDLE_COUNTS, counts[i]);
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
    AUTO(memory) char *table = unzipped(fixture->path, "counts.txt");
    assert_string_equal(table, "slow: instructions per call, A and B\n"
                               "function    A      B  change\n"
                               "f (a.c)   100  2,500  +2,400\n"
                               "g          10     10\n"
                               "all       110  2,510  +2,400\n");
    assert_contains(fixture->path, "summary.md", "| f (a.c) | 100 | 2,500 | +2,400 |");
    assert_contains(fixture->path, "index.html", "<td class=\"right more\">+2,400</td>");
}

static void take_counted(struct fixture *fixture, const char *hwcaps, const char *features)
{
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    for (size_t i = 0; i < 2; i++) {
        AUTO(memory) char *record = mem_format(
            "'kind':'counts','side':'%c','counts':{'number':1,'hwcaps':'%s','functions':["
            "{'function':'f','self':%zu}]},'machine':{'cpu':'z80','cpu_features':'%s'}",
            "AB"[i], hwcaps, i + 1, features);
        take(fixture->bundle, "slow", i, BUNDLE_COUNTS, record);
    }
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
}

static void other_variants_than_those_that_were_timed_are_named(void **state)
{
    struct fixture *fixture = *state;
    static const char *const files[] = {"counts.txt", "counts.md", "index.html", "summary.md"};
    take_counted(fixture, "x86-64-v2", "avx avx2");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_contains(fixture->path, files[i], "for x86-64-v2; timed and sampled with");
}

static void native_variants_are_those_that_were_timed(void **state)
{
    take_counted(*state, "native", "avx avx2");
    assert_lacks(((struct fixture *)*state)->path, "counts.txt", "timed");
    assert_lacks(((struct fixture *)*state)->path, "index.html", "timed and sampled");
}

static void native_variants_lack_avx512_under_valgrind(void **state)
{
    take_counted(*state, "native", "avx avx2 avx512f avx512vl");
    assert_contains(((struct fixture *)*state)->path, "counts.txt", "Counted without AVX-512");
}

static void a_case_that_was_not_counted_says_why(void **state)
{
    struct fixture *fixture = *state;
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    take(fixture->bundle, "slow", 0, BUNDLE_COUNTS,
         "'kind':'failure','side':'A','error':{'code':'crashed','text':'killed by signal 11'}");
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
    assert_contains(fixture->path, "counts.txt", "not counted: killed by signal 11");
}

static void assert_no_pictures(struct fixture *fixture, const char *browser, const char *why)
{
    AUTO(bundle) struct bundle *bundle = two_sides(false);
    setenv("BILANX_BROWSER", browser, 1);
    take(bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    take_stacks(bundle, "slow", 1, "main;f 30\n");
    bundle_draw(bundle);
    assert_int_equal(bundle_missing(bundle)->count, 1);
    if (!strstr(bundle_missing(bundle)->items[0], why))
        fail_msg("%s, not %s", bundle_missing(bundle)->items[0], why);
    assert_ok(bundle_save(bundle, fixture->path, OUTPUT_REPLACE));
    assert_contains(fixture->path, "index.html", "branch-slow.svg");
    assert_lacks(fixture->path, "index.html", ".png");
}

static void a_browser_that_fails_costs_the_pictures_only(void **state)
{
    assert_no_pictures(*state, "no-such-browser", "'no-such-browser', which was not found");
    assert_no_pictures(*state, "false", "it exited with status 1");
    assert_no_pictures(*state, "true", "it wrote no picture");
}

static void three_sides_have_a_graph_each(void **state)
{
    struct fixture *fixture = *state;
    const struct bundle_side sides[] = {{"A", "a", "a"}, {"B", "b", "b"}, {"../C", "c", "c"}};
    AUTO(bundle) struct bundle *bundle =
        bundle_new(&(struct bundle_options){.sides = sides, .side_count = 3});
    for (size_t side = 0; side < 3; side++)
        take_stacks(bundle, "x", side, "main 10\n");
    take(bundle, "x", 2, BUNDLE_VERDICT, SLOWER);
    bundle_draw(bundle);
    assert_ok(bundle_save(bundle, fixture->path, OUTPUT_NEW));
    AUTO(memory) char *names = unzipped(fixture->path, NULL);
    assert_non_null(strstr(names, "\ndiff-B-x.svg\ndiff-C-x.svg\nbase-x.svg\nbranch-B-x.svg\n"
                                  "branch-C-x.svg\n"));
}

// ---- Where it is written

static void only_a_bundle_is_replaced_and_only_if_asked_for(void **state)
{
    struct fixture *fixture = *state;
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    assert_ok(bundle_check(fixture->path, OUTPUT_NEW));
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
    assert_error(bundle_check(fixture->path, OUTPUT_NEW), BILANX_E_USAGE,
                 "already contains a bundle: --overwrite replaces it");
    assert_ok(bundle_check(fixture->path, OUTPUT_REPLACE));
    // The start of another ZIP file.
    assert_ok(file_write(fixture->path, "PK\3\4 something else", 18));
    assert_error(bundle_check(fixture->path, OUTPUT_REPLACE), BILANX_E_USAGE,
                 "does not contain a bundle, so it was not overwritten");
    assert_error(bundle_check("/dev/null", OUTPUT_REPLACE), BILANX_E_USAGE, "not a regular file");
    assert_error(bundle_check("-", OUTPUT_NEW), BILANX_E_USAGE, "needs the name of a file");
    assert_error(bundle_check("/no/such/folder/out.zip", OUTPUT_NEW), BILANX_E_SYSTEM,
                 "No such file or directory");
}

static size_t count_files(const char *folder)
{
    size_t count = 0;
    DIR *stream = opendir(folder);
    for (struct dirent *entry; (entry = readdir(stream));)
        count += entry->d_name[0] != '.';
    closedir(stream);
    return count;
}

static void a_file_that_appears_meanwhile_is_kept(void **state)
{
    struct fixture *fixture = *state;
    setenv("TMPDIR", fixture->folder.path, 1);
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    assert_ok(bundle_check(fixture->path, OUTPUT_NEW));
    assert_ok(file_write(fixture->path, "mine", 4));
    struct bilanx_error error = bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW);
    unsetenv("TMPDIR");
    assert_int_equal(error.status, BILANX_E_USAGE);
    // Results are not lost.
    assert_non_null(strstr(error.text, "(it was saved as '"));
    AUTO(text) struct text kept = {0};
    assert_ok(file_read(fixture->path, &kept));
    assert_string_equal(text_get(&kept), "mine");
    assert_int_equal(count_files(fixture->folder.path), 2);
}

static void if_it_does_not_fit_the_graphs_are_left_out(void **state)
{
    struct fixture *fixture = *state;
    struct rlimit before, small;
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    take_stacks(fixture->bundle, "slow", 0, "main;f 10\n");
    take_stacks(fixture->bundle, "slow", 1, "main;f 30\n");
    bundle_draw(fixture->bundle);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 16000;
    setrlimit(RLIMIT_FSIZE, &small);
    struct bilanx_error error = bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(error.status, BILANX_E_SYSTEM);
    assert_non_null(strstr(error.text, "has no graphs: File too large"));
    AUTO(memory) char *names = unzipped(fixture->path, NULL);
    assert_null(strstr(names, ".svg"));
    assert_lacks(fixture->path, "index.html", ".svg");
    assert_contains(fixture->path, "index.html", "graphs: File too large");
    assert_contains(fixture->path, "records.jsonl", "\"kind\":\"stacks\"");
    assert_int_equal(count_files(fixture->folder.path), 1);
}

static void a_link_is_followed_and_its_target_replaced(void **state)
{
    struct fixture *fixture = *state;
    AUTO(memory) char *link = mem_format("%s/link.zip", fixture->folder.path);
    struct stat facts;
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
    assert_int_equal(symlink(fixture->path, link), 0);
    assert_ok(bundle_save(fixture->bundle, link, OUTPUT_REPLACE));
    assert_int_equal(lstat(link, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(count_files(fixture->folder.path), 2);
}

static void its_mode_follows_the_umask(void **state)
{
    struct fixture *fixture = *state;
    struct stat facts;
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    mode_t before = umask(027);
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
    umask(before);
    assert_int_equal(stat(fixture->path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(only_cases_that_got_slower_are_examined),
        TEST(files_have_a_fixed_order),
        TEST(graphs_are_scaled_to_the_verdict),
        TEST(a_graph_that_disagrees_with_the_verdict_says_so),
        TEST(equal_records_make_equal_files),
        TEST(whatever_a_case_is_called_it_is_text),
        TEST(counts_are_per_call_and_by_function),
        TEST(other_variants_than_those_that_were_timed_are_named),
        TEST(native_variants_are_those_that_were_timed),
        TEST(native_variants_lack_avx512_under_valgrind),
        TEST(a_case_that_was_not_counted_says_why),
        TEST(a_browser_that_fails_costs_the_pictures_only),
        TEST(three_sides_have_a_graph_each),
        TEST(only_a_bundle_is_replaced_and_only_if_asked_for),
        TEST(a_file_that_appears_meanwhile_is_kept),
        TEST(if_it_does_not_fit_the_graphs_are_left_out),
        TEST(a_link_is_followed_and_its_target_replaced),
        TEST(its_mode_follows_the_umask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
