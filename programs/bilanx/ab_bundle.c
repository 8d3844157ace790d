// ab_bundle: the option --bundle of `bilanx ab`.
#include "ab_bundle.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "command.h"
#include "flame_collect.h"
#include "profile/stacks/stacks_record.h"

#define AT(member) offsetof(struct ab_arguments, member)
const struct option ab_bundle_options[] = {
    {"bundle", 0, OPTION_TEXT, AT(bundle), "FILE.zip",
     .help = "then count and sample the cases that got slower, and\n"
             "write a report with everything (--overwrite replaces\n"
             "an earlier one)"},
    {"bundle-all", 0, OPTION_FLAG, AT(bundle_all),
     .help = "with --bundle: count and sample every case"},
    {0},
};

void ab_bundle_done(struct ab_bundle *bundle)
{
    bundle_free(bundle->bundle);
    list_done(&bundle->sides);
}

static enum output_mode mode_of(const struct ab_arguments *arguments)
{
    return arguments->settings.overwrite ? OUTPUT_REPLACE : OUTPUT_NEW;
}

struct bilanx_error ab_bundle_check(const struct ab_arguments *arguments)
{
    const char *path = arguments->bundle, *json = arguments->settings.json;
    if (!path && arguments->bundle_all)
        return bilanx_error_make(BILANX_E_USAGE, "--bundle-all needs --bundle FILE.zip");
    if (!path)
        return BILANX_SUCCESS;
    if (arguments->bisect)
        return bilanx_error_make(BILANX_E_USAGE, "--bundle and --bisect cannot be combined");
    const char *const others[][2] = {{json, "-o"}, {arguments->flame, "--flame"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i][0] && (strcmp(path, others[i][0]) == 0 || output_is_same(path, others[i][0])))
            return bilanx_error_make(BILANX_E_USAGE, "--bundle and %s name the same file",
                                     others[i][1]);
    return bundle_check(path, mode_of(arguments));
}

// ---- During the comparison

void ab_bundle_open(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                    const struct side *const *sides, size_t count)
{
    if (!arguments->bundle)
        return;
    AUTO(memory) struct bundle_side *described = mem_array(struct bundle_side, count);
    for (size_t i = 0; i < count; i++)
        described[i] = (struct bundle_side){sides[i]->name, sides[i]->spec, sides[i]->title};
    bundle->bundle = bundle_new(&(struct bundle_options){.sides = described,
                                                         .side_count = count,
                                                         .command = arguments->command_line,
                                                         .all = arguments->bundle_all});
    for (size_t i = 0; i < count; i++)
        list_add(&bundle->sides, sides[i]->name);
    bundle->step = "results that were not complete, counts and graphs";
}

static size_t place_of(const struct ab_bundle *bundle, const struct side *side)
{
    for (size_t i = 0; i < bundle->sides.count; i++)
        if (strcmp(bundle->sides.items[i], side->name) == 0)
            return i;
    return SIZE_MAX;
}

// Two cases may have the same name, such as a statement that is given twice. In the bundle, the
// second is "x++ (2)".
static char *numbered(const char *name, size_t earlier)
{
    return earlier ? mem_format("%s (%zu)", name, earlier + 1) : mem_text(name);
}

static char *unique_name(char *const *names, size_t at)
{
    size_t earlier = 0;
    for (size_t i = 0; i < at; i++)
        earlier += strcmp(names[i], names[at]) == 0;
    return numbered(names[at], earlier);
}

// If one of them is examined, all are. So they keep their numbers.
bool ab_bundle_examines(const struct ab_bundle *bundle, const char *name)
{
    for (size_t i = 0;; i++) {
        AUTO(memory) char *one = numbered(name, i);
        if (!bundle_has(bundle->bundle, one))
            return false;
        if (bundle_examines(bundle->bundle, one))
            return true;
    }
}

void ab_bundle_compared(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                        const struct ab_pair *pair, struct ab_results *results)
{
    if (!bundle->bundle)
        return;
    AUTO(text) struct text text = {0}, markdown = {0};
    ab_add_verdicts(arguments, pair, results, (struct table_look){.format = BILANX_TABLE}, &text);
    ab_add_notes(results, false, &text);
    ab_add_failures(results, false, &text);
    ab_add_verdicts(arguments, pair, results, (struct table_look){.format = BILANX_MARKDOWN},
                    &markdown);
    bundle_add_tables(bundle->bundle, text_get(&text), text_get(&markdown));
    for (size_t i = 0; i < results->count; i++) {
        AUTO(memory) char *name = unique_name(results->names, i);
        bundle_take(bundle->bundle, name, place_of(bundle, pair->other), BUNDLE_VERDICT,
                    &results->records[i]);
    }
    bundle->step = "counts by function and graphs";
}

// With --count, as on stdout.
static void add_counts_table(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                             const struct ab_pair *pair, const struct ab_counts *counts)
{
    AUTO(text) struct text text = {0}, markdown = {0};
    ab_add_counts(arguments, pair, counts, (struct table_look){.format = BILANX_TABLE}, &text);
    ab_add_counts(arguments, pair, counts, (struct table_look){.format = BILANX_MARKDOWN},
                  &markdown);
    bundle_add_tables(bundle->bundle, text_get(&text), text_get(&markdown));
}

void ab_bundle_counted(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                       const struct ab_pair *pair, struct ab_counts *counts)
{
    if (!bundle->bundle)
        return;
    if (arguments->count && counts->count)
        add_counts_table(bundle, arguments, pair, counts);
    size_t first = place_of(bundle, pair->first), other = place_of(bundle, pair->other);
    if (counts->error.status != BILANX_OK)
        bundle_miss(bundle->bundle, "counts by function: %s", counts->error.text);
    for (size_t i = 0; i < counts->count; i++) {
        AUTO(memory) char *name = unique_name(counts->names, i);
        const struct bilanx_failure *failure =
            counts->before[i].error ? counts->before[i].error : counts->after[i].error;
        if (failure)
            bundle_miss(bundle->bundle, "counts by function: %s", failure->text);
        bundle_take(bundle->bundle, name, first, BUNDLE_COUNTS, &counts->before[i]);
        bundle_take(bundle->bundle, name, other, BUNDLE_COUNTS, &counts->after[i]);
        if (counts->verdicts)
            bundle_take(bundle->bundle, name, other, BUNDLE_VERDICT, &counts->verdicts[i]);
    }
    bundle->step = "graphs";
}

// ---- Samples

static struct bilanx_error sample_command(const struct flame_collecting *collecting,
                                          const struct side *side, struct stacks **out)
{
    AUTO(list) struct list words = {0};
    bool failed = false;
    BILANX_TRY(list_split(&words, side->command));
    return flame_collect_command(collecting, (const char *const *)words.items, out, &failed);
}

static struct bilanx_error sample_case(const struct ab_arguments *arguments,
                                       const struct side *side, const struct run_case *item,
                                       struct stacks **out)
{
    static const double DURATION_S = 2;
    const struct flame_collecting collecting = {
        .sampling = {.duration_s = DURATION_S,
                     .timeout_s = arguments->settings.timeout,
                     .max_memory = arguments->settings.max_memory}};
    if (side->kind == &side_command)
        return sample_command(&collecting, side, out);
    struct run_case copy = *item;
    struct run_cases one = {.items = &copy, .count = 1};
    bool failed = false;
    if (item->failure)
        return bilanx_error_make(BILANX_E_FAILED, "%s", item->failure->text);
    return flame_collect_cases(&collecting, &(struct flame_cases){.cases = &one}, out, &failed);
}

static char *unique_case(const struct run_cases *cases, size_t at)
{
    size_t earlier = 0;
    for (size_t i = 0; i < at; i++)
        earlier += strcmp(cases->items[i].name, cases->items[at].name) == 0;
    return numbered(cases->items[at].name, earlier);
}

static struct bilanx_error sample(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                                  const struct side *side, const struct run_case *item,
                                  const char *name)
{
    AUTO(stacks) struct stacks *stacks = NULL;
    AUTO(memory) char *told = mem_format("sampling %.200s on %s", name, side->name);
    if (!arguments->settings.quiet)
        complain(told);
    struct bilanx_error error = sample_case(arguments, side, item, &stacks);
    if (!stacks && error.status != BILANX_E_INTERRUPTED)
        bundle_miss(bundle->bundle, "flame graph of %.200s on %s: %s", name, side->name,
                    error.status == BILANX_OK ? "no samples" : error.text);
    if (stacks) {
        struct bilanx_record record = {.kind = mem_text("stacks"), .side = mem_text(side->name)};
        record_copy_task(&item->task, &record.task);
        record.stacks = stacks_to_record(stacks);
        bundle_take(bundle->bundle, name, place_of(bundle, side), BUNDLE_STACKS, &record);
    }
    return error.status == BILANX_E_INTERRUPTED ? error : BILANX_SUCCESS;
}

struct bilanx_error ab_bundle_sample(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                                     const struct side *side, const struct run_cases *cases)
{
    if (!bundle->bundle)
        return BILANX_SUCCESS;
    bundle->step = "some of the graphs";
    if (side->kind == &side_records)
        bundle_miss(bundle->bundle, "flame graphs of side %s: it is a file of records", side->name);
    for (size_t i = 0; i < cases->count; i++) {
        AUTO(memory) char *name = unique_case(cases, i);
        if (bundle_examines(bundle->bundle, name))
            BILANX_TRY(sample(bundle, arguments, side, &cases->items[i], name));
    }
    bundle->step = NULL;
    return BILANX_SUCCESS;
}

// ---- The file

static void report(const struct bundle *bundle, const char *path)
{
    const struct list *missing = bundle_missing(bundle);
    struct stat facts;
    for (size_t i = 0; i < missing->count; i++) {
        AUTO(memory) char *line = mem_format("missing from the bundle: %s", missing->items[i]);
        complain(line);
    }
    AUTO(memory) char *line = stat(path, &facts) == 0
                                  ? mem_format("%s: %.1f kB; unpack it and open index.html", path,
                                               (double)facts.st_size / 1000)
                                  : NULL;
    if (line)
        complain(line);
}

int ab_bundle_finish(struct ab_bundle *bundle, const struct ab_arguments *arguments,
                     struct bilanx_error error)
{
    if (!bundle->bundle)
        return EXIT_DONE;
    if (bundle_is_empty(bundle->bundle)) {
        complain("no bundle was written: there are no results");
        return EXIT_FAILED;
    }
    if (bundle->step && interrupt_caught())
        bundle_miss(bundle->bundle, "%s: interrupted", bundle->step);
    else if (error.status != BILANX_OK)
        bundle_miss(bundle->bundle, "%s: %s", bundle->step ? bundle->step : "results", error.text);
    bundle_draw(bundle->bundle);
    struct bilanx_error written =
        bundle_save(bundle->bundle, arguments->bundle, mode_of(arguments));
    if (written.status == BILANX_OK && !arguments->settings.quiet)
        report(bundle->bundle, arguments->bundle);
    int code = complain_error(written);
    return interrupt_caught() ? EXIT_INTERRUPTED : code;  // while pictures were taken
}
