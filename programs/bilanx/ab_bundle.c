// ab_bundle: the option --bundle of `bilanx ab`.
#include "ab_bundle.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "command.h"
#include "profile/stacks/stacks_record.h"

#define AT(member) offsetof(struct ab_arguments, member)
const struct option ab_bundle_options[] = {
    {"bundle", 0, OPTION_TEXT, AT(bundle), "FILE.zip", .writes = "a bundle",
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
    const char *path = arguments->bundle;
    if (!path)
        return BILANX_SUCCESS;
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
    bool with_legend = arguments->no_time || arguments->sides.count > 0;
    AUTO(text) struct text text = {0}, markdown = {0};
    ab_add_counts(arguments, pair, counts, with_legend, (struct table_look){.format = BILANX_TABLE},
                  &text);
    ab_add_counts(arguments, pair, counts, with_legend,
                  (struct table_look){.format = BILANX_MARKDOWN}, &markdown);
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

static char *unique_case(const struct run_cases *cases, size_t at)
{
    size_t earlier = 0;
    for (size_t i = 0; i < at; i++)
        earlier += strcmp(cases->items[i].name, cases->items[at].name) == 0;
    return numbered(cases->items[at].name, earlier);
}

void ab_bundle_sampling(struct ab_bundle *bundle, const struct ab_sampled_side *sides, size_t count)
{
    if (!bundle->bundle)
        return;
    bundle->step = "some of the graphs";
    for (size_t i = 0; i < count; i++)
        if (sides[i].side->kind == &side_records)
            bundle_miss(bundle->bundle, "flame graphs of side %s: it is a file of records",
                        sides[i].side->name);
}

bool ab_bundle_samples(const struct ab_bundle *bundle, const struct run_cases *cases, size_t at)
{
    if (!bundle->bundle)
        return false;
    AUTO(memory) char *name = unique_case(cases, at);
    return bundle_examines(bundle->bundle, name);
}

void ab_bundle_sampled(struct ab_bundle *bundle, const struct ab_sampled_side *sides, size_t at,
                       const struct ab_samples *samples)
{
    AUTO(memory) char *name = unique_case(sides[0].cases, at);
    for (size_t i = 0; i < samples->count; i++) {
        const struct side *side = sides[i].side;
        const struct stacks *stacks = samples->stacks[i];
        const struct bilanx_error *error = &samples->errors[i];
        if (!stacks && error->status != BILANX_E_INTERRUPTED)
            bundle_miss(bundle->bundle, "flame graph of %.200s on %s: %s", name, side->name,
                        error->status == BILANX_OK ? "no samples" : error->text);
        if (!stacks)
            continue;
        struct bilanx_record record = {.kind = mem_text("stacks"), .side = mem_text(side->name)};
        record_copy_task(&sides[i].cases->items[at].task, &record.task);
        record.stacks = stacks_to_record(stacks);
        bundle_take(bundle->bundle, name, place_of(bundle, side), BUNDLE_STACKS, &record);
    }
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
