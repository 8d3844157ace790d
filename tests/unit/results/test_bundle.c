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

// One of everything: a slower case with counts and graphs, a faster one, one that failed, one that
// is the same, and something that is missing.
static void take_everything(struct fixture *fixture)
{
    struct bundle *bundle = fixture->bundle;
    take(bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    take(bundle, "fast", 1, BUNDLE_VERDICT,
         "'kind':'verdict','side':'B','verdict':'faster','reason':'the interval excludes 0',"
         "'baseline':'A','change':-0.25,'interval':[-0.3,-0.2],'times':[4e-6,3e-6]");
    take(bundle, "same", 1, BUNDLE_VERDICT, SAME);
    take(bundle, "broken", 1, BUNDLE_VERDICT,
         "'kind':'failure','side':'B','baseline':'A','error':{'code':'crashed','phase':'stmt','"
         "text':'killed by "
         "signal 11, Segmentation fault','output':'line 1\\nline 2\\n'}");
    take(bundle, "slow", 0, BUNDLE_COUNTS,
         "'kind':'counts','side':'A','counts':{'number':10,'instructions':1100,'functions':["
         "{'file':'a.c','function':'f','self':1000},{'function':'g','self':100}]}");
    take(bundle, "slow", 1, BUNDLE_COUNTS,
         "'kind':'counts','side':'B','counts':{'number':10,'instructions':25100,'functions':["
         "{'file':'a.c','function':'f','self':25000},{'function':'g','self':100}]}");
    take_epochs(bundle, "slow", 0, 101);
    take_epochs(bundle, "slow", 1, 151);
    bundle_add_tables(bundle, "a table\n", "| a |\n");
    bundle_miss(bundle, "the counts of 'fast': no valgrind");
    bundle_draw(bundle);
    assert_ok(bundle_save(bundle, fixture->path, OUTPUT_NEW));
}

static void assert_entry(const struct fixture *fixture, const char *name, const char *expected)
{
    AUTO(memory) char *content = unzipped(fixture->path, name);
    char *style = strstr(content, "<style>"), *end = style ? strstr(style, "</style>") : NULL;
    if (end)
        memmove(style, end, strlen(end) + 1);
    char *files = strstr(content, "<h2>Files</h2>");  // with sizes, which depend on the script
    if (files)
        *files = '\0';
    assert_string_equal(content, expected);
}

static void a_bundle_answers_in_words(void **state)
{
    struct fixture *fixture = *state;
    take_everything(fixture);
    assert_entry(fixture, "summary.md",
                 "### Benchmarks: 1 slower, 1 faster, 1 same, 1 failed\n"
                 "\n"
                 "- base A: 1a2b3c4 \\<i\\>base\\</i\\>\n"
                 "- branch B: working tree\n"
                 "\n"
                 "| case | base | branch | change | interval, % | verdict |\n"
                 "|---|---:|---:|---:|---:|---|\n"
                 "| slow | 100.00 ns | 150.0 ns | +50.0 % | +40.0 .. +60.0 | slower |\n"
                 "| fast | 4.000 us | 3.000 us | -25.0 % | -30.0 .. -20.0 | faster |\n"
                 "| broken |  |  |  |  | crashed |\n"
                 "\n"
                 "<details><summary>Instructions per call of slow</summary>\n"
                 "\n"
                 "| function | A | B | change |\n"
                 "|---|---:|---:|---:|\n"
                 "| f (a.c) | 100 | 2,500 | +2,400 |\n"
                 "\n"
                 "</details>\n"
                 "\n"
                 "Missing: the counts of 'fast': no valgrind\n"
                 "\n"
                 "Missing: PNG pictures of graphs: BILANX\\_BROWSER is empty\n"
                 "\n"
                 "Measured by bilanx " BILANX_VERSION ": `bilanx ab '<x>'`\n");
    assert_entry(fixture, "commands.txt",
                 "bilanx ab '<x>'\n"
                 "\n"
                 "bilanx " BILANX_VERSION "\n"
                 "A: git:main (1a2b3c4 <i>base</i>)\n"
                 "B: git:. (working tree)\n");
    assert_entry(fixture, "counts.md",
                 "### slow: instructions per call, A and B\n"
                 "\n"
                 "| function | A | B | change |\n"
                 "|---|---:|---:|---:|\n"
                 "| f (a.c) | 100 | 2,500 | +2,400 |\n"
                 "| g | 10 | 10 |  |\n"
                 "| all | 110 | 2,510 | +2,400 |\n");
    assert_entry(
        fixture, "bilanx-bundle.json",
        "{\"schema\":\"bilanx-bundle/1\",\"version\":\"" BILANX_VERSION
        "\",\"command\":\"bilanx ab "
        "'<x>'\",\"sides\":[{\"name\":\"A\",\"spec\":\"git:main\",\"title\":\"1a2b3c4 "
        "<i>base</i>\"},{\"name\":\"B\",\"spec\":\"git:.\",\"title\":\"working "
        "tree\"}],\"cases\":[{\"name\":\"slow\",\"side\":\"B\",\"verdict\":\"slower\",\"change\":0."
        "5,\"files\":[\"diff-slow.svg\",\"base-slow.svg\",\"branch-slow.svg\"]},{\"name\":\"fast\","
        "\"side\":\"B\",\"verdict\":\"faster\",\"change\":-0.25,\"files\":[]},{\"name\":\"same\","
        "\"side\":\"B\",\"verdict\":\"same\",\"change\":0.001,\"files\":[]},{\"name\":\"broken\","
        "\"side\":\"B\",\"verdict\":\"crashed\",\"files\":[]}],\"missing\":[\"the counts of "
        "'fast': no valgrind\",\"PNG pictures of graphs: BILANX_BROWSER is empty\"]}\n");
    assert_entry(fixture, "machine.json", "{\"cpu\":\"<b>fast</b>\",\"cores\":2}\n");
    assert_entry(fixture, "verdicts.txt", "a table\n");
    assert_entry(fixture, "verdicts.md", "| a |\n");
}

static void the_page_of_a_bundle_shows_what_changed(void **state)
{
    struct fixture *fixture = *state;
    take_everything(fixture);
    const char *start =
        "<!doctype html>\n"
        "<html lang=\"en\">\n"
        "<head>\n"
        "<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'none'\">\n"
        "<title>1a2b3c4 &lt;i&gt;base&lt;/i&gt; against working tree</title>\n"
        "</style>\n"
        "</head>\n"
        "<body>\n"
        "<main>\n"
        "<h1>1 of 4 cases got slower</h1>\n"
        "<p class=\"dim\">4 cases compared by bilanx " BILANX_VERSION "</p>\n"
        "<ul class=\"totals\">\n"
        "<li class=\"slower\"><b>1</b>slower</li>\n"
        "<li class=\"faster\"><b>1</b>faster</li>\n"
        "<li class=\"same\"><b>1</b>same</li>\n"
        "<li class=\"failed\"><b>1</b>failed</li>\n"
        "<li><b>+4.04 %</b>geometric mean</li>\n"
        "</ul>\n"
        "<section class=\"card missing\">\n"
        "<h2>Missing from this bundle</h2>\n"
        "<ul>\n"
        "<li>the counts of 'fast': no valgrind</li>\n"
        "<li>PNG pictures of graphs: BILANX_BROWSER is empty</li>\n"
        "</ul>\n"
        "</section>\n"
        "<section class=\"card\">\n"
        "<dl>\n"
        "<dt>Base A</dt><dd>1a2b3c4 &lt;i&gt;base&lt;/i&gt; <code "
        "class=\"dim\">git:main</code></dd>\n"
        "<dt>Branch B</dt><dd>working tree <code class=\"dim\">git:.</code></dd>\n"
        "</dl>\n"
        "</section>\n"
        "<section class=\"card\">\n"
        "<h2>Verdicts</h2>\n"
        "<div class=\"scroll\">\n"
        "<table>\n"
        "<thead><tr><th>case</th><th>verdict</th><th class=\"right\">A</th><th "
        "class=\"right\">B</th><th class=\"right\">change</th><th class=\"plotted\"></th><th "
        "class=\"right\">interval, %</th></tr></thead>\n"
        "<tbody>\n"
        "<tr class=\"slower\"><td class=\"name\"><a href=\"#slow\">slow</a></td><td><span "
        "class=\"word\">slower</span></td><td class=\"right\">100.00 ns</td><td "
        "class=\"right\">150.0 ns</td><td class=\"right\">+50.0 %</td><td class=\"plotted\"><svg "
        "class=\"plot\" width=\"156\" height=\"16\" viewBox=\"0 0 156 16\" "
        "aria-hidden=\"true\"><line x1=\"78\" x2=\"78\" y1=\"0\" y2=\"16\"/><line class=\"range\" "
        "x1=\"124.7\" x2=\"148.0\" y1=\"8\" y2=\"8\"/><circle cx=\"136.3\" cy=\"8\" "
        "r=\"4\"/></svg></td><td class=\"right\">+40.0 .. +60.0</td></tr>\n"
        "<tr class=\"faster\"><td class=\"name\">fast</td><td><span "
        "class=\"word\">faster</span></td><td class=\"right\">4.000 us</td><td "
        "class=\"right\">3.000 us</td><td class=\"right\">-25.0 %</td><td class=\"plotted\"><svg "
        "class=\"plot\" width=\"156\" height=\"16\" viewBox=\"0 0 156 16\" "
        "aria-hidden=\"true\"><line x1=\"78\" x2=\"78\" y1=\"0\" y2=\"16\"/><line class=\"range\" "
        "x1=\"43.0\" x2=\"54.7\" y1=\"8\" y2=\"8\"/><circle cx=\"48.8\" cy=\"8\" "
        "r=\"4\"/></svg></td><td class=\"right\">-30.0 .. -20.0</td></tr>\n"
        "<tr class=\"same\"><td class=\"name\">same</td><td><span "
        "class=\"word\">same</span></td><td class=\"right\">100.00 ns</td><td "
        "class=\"right\">100.00 ns</td><td class=\"right\">+0.10 %</td><td class=\"plotted\"><svg "
        "class=\"plot\" width=\"156\" height=\"16\" viewBox=\"0 0 156 16\" "
        "aria-hidden=\"true\"><line x1=\"78\" x2=\"78\" y1=\"0\" y2=\"16\"/><line class=\"range\" "
        "x1=\"77.9\" x2=\"78.2\" y1=\"8\" y2=\"8\"/><circle cx=\"78.1\" cy=\"8\" "
        "r=\"4\"/></svg></td><td class=\"right\">-0.10 .. +0.20</td></tr>\n"
        "<tr class=\"failed\"><td class=\"name\">broken<small>killed by signal 11, Segmentation "
        "fault</small></td><td><span "
        "class=\"word\">crashed</span></td><td></td><td></td><td></td><td "
        "class=\"plotted\"></td><td></td></tr>\n"
        "</tbody>\n"
        "</table>\n"
        "</div>\n"
        "</section>\n";
    const char *rest =
        "<section class=\"card\" id=\"slow\">\n"
        "<h2>slow</h2>\n"
        "<p><span class=\"word slower\">slower</span> 100.00 ns → 150.0 ns, +50.0 %</p>\n"
        "<h3>Where the time goes</h3>\n"
        "<figure class=\"graph\">\n"
        "<iframe src=\"diff-slow.svg\" title=\"diff-slow\" height=\"411\" "
        "loading=\"lazy\"></iframe>\n"
        "<figcaption>Red costs more on B, blue less. <a href=\"diff-slow.svg\">diff-slow.svg</a>. "
        "Scaled to the verdict, +50.0 %; the samples say +49.5 % (+49.5 .. +49.5).</figcaption>\n"
        "</figure>\n"
        "<details>\n"
        "<summary>Base A: 1a2b3c4 &lt;i&gt;base&lt;/i&gt;</summary>\n"
        "<figure class=\"graph\">\n"
        "<iframe src=\"base-slow.svg\" title=\"base-slow\" height=\"375\" "
        "loading=\"lazy\"></iframe>\n"
        "<figcaption><a href=\"base-slow.svg\">base-slow.svg</a>. Scaled to 100.00 ns per call by "
        "the verdict; the samples say 101(4) ns.</figcaption>\n"
        "</figure>\n"
        "</details>\n"
        "<details>\n"
        "<summary>Branch B: working tree</summary>\n"
        "<figure class=\"graph\">\n"
        "<iframe src=\"branch-slow.svg\" title=\"branch-slow\" height=\"393\" "
        "loading=\"lazy\"></iframe>\n"
        "<figcaption><a href=\"branch-slow.svg\">branch-slow.svg</a>. Scaled to 150.0 ns per call "
        "by the verdict; the samples say 151(7) ns.</figcaption>\n"
        "</figure>\n"
        "</details>\n"
        "<h3>Instructions per call, by function</h3>\n"
        "<div class=\"scroll\">\n"
        "<table>\n"
        "<thead><tr><th>function</th><th class=\"right\">A</th><th class=\"right\">B</th><th "
        "class=\"right\">change</th></tr></thead>\n"
        "<tbody>\n"
        "<tr><td class=\"code\">f (a.c)</td><td class=\"right\">100</td><td "
        "class=\"right\">2,500</td><td class=\"right more\">+2,400</td></tr>\n"
        "<tr><td class=\"code\">all</td><td class=\"right\">110</td><td "
        "class=\"right\">2,510</td><td class=\"right more\">+2,400</td></tr>\n"
        "</tbody>\n"
        "</table>\n"
        "</div>\n"
        "<p class=\"dim\">1 more in <a href=\"counts.txt\">counts.txt</a></p>\n"
        "</section>\n"
        "<section class=\"card\">\n"
        "<h2>Machine</h2>\n"
        "<dl>\n"
        "<dt>cpu</dt><dd>&lt;b&gt;fast&lt;/b&gt;</dd>\n"
        "<dt>cores</dt><dd>2</dd>\n"
        "</dl>\n"
        "</section>\n"
        "<section class=\"card\">\n"
        "<h2>Command</h2>\n"
        "<pre>bilanx ab '&lt;x&gt;'</pre>\n"
        "</section>\n"
        "<section class=\"card\">\n";
    AUTO(memory) char *page = mem_format("%s%s", start, rest);  // too long for one literal
    assert_entry(fixture, "index.html", page);
}

static void every_function_that_changed_is_on_the_page(void **state)
{
    struct fixture *fixture = *state;
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    for (size_t i = 0; i < 2; i++) {
        AUTO(memory) char *counts = mem_format(
            "'kind':'counts','counts':{'number':1,'functions':[{'function':'f','self':%d},"
            "{'function':'g','self':%d},{'function':'h','self':%d}]}",
            i ? 100 : 10, i ? 70 : 20, i ? 50 : 30);
        take(fixture->bundle, "slow", i, BUNDLE_COUNTS, counts);
    }
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
    assert_contains(fixture->path, "index.html",
                    "<td class=\"code\">f</td><td class=\"right\">10<");
    assert_contains(fixture->path, "index.html",
                    "<td class=\"code\">g</td><td class=\"right\">20<");
    assert_contains(fixture->path, "index.html",
                    "<td class=\"code\">h</td><td class=\"right\">30<");
    assert_contains(fixture->path, "summary.md", "| h | 30 | 50 | +20 |");
}

static void the_machine_is_that_of_any_record(void **state)
{
    struct fixture *fixture = *state;
    take(fixture->bundle, "same", 1, BUNDLE_VERDICT, SAME);
    take(fixture->bundle, "slow", 1, BUNDLE_VERDICT, SLOWER);
    assert_ok(bundle_save(fixture->bundle, fixture->path, OUTPUT_NEW));
    assert_entry(fixture, "machine.json", "{\"cpu\":\"<b>fast</b>\",\"cores\":2}\n");
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
        TEST(a_bundle_answers_in_words),
        TEST(the_machine_is_that_of_any_record),
        TEST(every_function_that_changed_is_on_the_page),
        TEST(the_page_of_a_bundle_shows_what_changed),
        TEST(only_a_bundle_is_replaced_and_only_if_asked_for),
        TEST(a_file_that_appears_meanwhile_is_kept),
        TEST(if_it_does_not_fit_the_graphs_are_left_out),
        TEST(a_link_is_followed_and_its_target_replaced),
        TEST(its_mode_follows_the_umask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
