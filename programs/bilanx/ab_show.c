// ab_show: shows the verdicts of a comparison.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ab_report.h"
#include "core/record/records.h"
#include "core/stats/units.h"

static enum table_tone tone_of(const char *verdict)
{
    static const struct {
        const char *word;
        enum table_tone tone;
    } tones[] = {{"slower", TABLE_BAD},
                 {"faster", TABLE_GOOD},
                 {"same", TABLE_PLAIN},
                 {"seems-same", TABLE_PLAIN},
                 {"undecided", TABLE_DIM}};
    for (size_t i = 0; i < sizeof tones / sizeof *tones; i++)
        if (strcmp(tones[i].word, verdict) == 0)
            return tones[i].tone;
    return TABLE_WARN;
}

// As many decimals as the interval justifies.
static int decimals_of(const struct bilanx_verdict *verdict)
{
    double width = 50 * (verdict->interval[1] - verdict->interval[0]);
    return width >= 3 || !isfinite(width) ? 1 : width >= .03 ? 2 : 3;
}

static void add_time_cell(struct table *table, double seconds)
{
    char text[UNITS_SIZE];
    if (seconds > 0)
        table_cell(table, TABLE_PLAIN, "%s", units_time(seconds, NAN, text));
    else
        table_cell(table, TABLE_PLAIN, "%s", "");
}

static void add_verdict_cells(struct table *table, const struct bilanx_verdict *verdict)
{
    enum table_tone tone = tone_of(verdict->verdict);
    int decimals = decimals_of(verdict);
    add_time_cell(table, verdict->times[0]);
    add_time_cell(table, verdict->times[1]);
    if (ab_is_measured(verdict))
        table_cell(table, tone, "%+.*f %%", decimals, 100 * verdict->change);
    else
        table_cell(table, TABLE_PLAIN, "%s", "");
    if (isfinite(verdict->interval[0]))
        table_cell(table, TABLE_PLAIN, "%+.*f .. %+.*f", decimals, 100 * verdict->interval[0],
                   decimals, 100 * verdict->interval[1]);
    else
        table_cell(table, TABLE_PLAIN, "%s", "");
    table_cell(table, tone, "%s", verdict->verdict);
    if (verdict->change_count)
        table_cell(table, TABLE_PLAIN, "%zu", verdict->change_count);
    else
        table_cell(table, TABLE_PLAIN, "%s", "");
}

// The scope of the verdict: the code in any layout, or only this build.
static void add_scope(const struct bilanx_record *record, struct text *out)
{
    enum { FEW = 10 };
    size_t layouts = record->verdict->layout_count;
    const char *language = record->task.language ? record->task.language : "";
    if (layouts)
        text_format(out, layouts < FEW ? "%sthese %zu layouts only" : "%sover %zu layouts",
                    out->size ? "; " : "", layouts);
    else if (language[0] == 'c' && strcmp(language, "command") != 0)
        text_format(out, "%sthese binaries only", out->size ? "; " : "");
}

// Even without reasons, an undecided case whose first run was certain needs one.
static void add_second_run(const struct bilanx_record *record, struct text *out)
{
    const char *reason = record->verdict ? record->verdict->reason : NULL;
    const char *end = reason ? strchr(reason, ')') : NULL;
    if (end && text_starts(reason, "not confirmed ("))
        text_add_n(out, reason, (size_t)(end + 1 - reason));
}

static void add_row(struct table *table, const char *name, const struct bilanx_record *record,
                    bool reasons)
{
    AUTO(text) struct text notes = {0};
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", name);
    if (record->error) {
        for (int i = 0; i < 4; i++)
            table_cell(table, TABLE_PLAIN, "%s", "");
        table_cell(table, TABLE_BAD, "%s", record_failure_word(record->error));
        table_cell(table, TABLE_PLAIN, "%s", "");
    } else {
        add_verdict_cells(table, record->verdict);
    }
    if (reasons)
        ab_add_reason(record, &notes);
    else
        add_second_run(record, &notes);
    if (record->verdict && ab_is_measured(record->verdict))
        add_scope(record, &notes);
    table_cell(table, TABLE_DIM, "%s", text_get(&notes));
}

static void add_totals(const struct ab_results *results, size_t width, struct text *out)
{
    AUTO(text) struct text line = {0};
    static const char *const words[] = {"slower",       "faster",         "same",
                                        "seems-slower", "seems-faster",   "seems-same",
                                        "undecided",    "harness-biased", NULL};
    size_t judged = 0, measured = 0, failed = 0, skipped = 0;
    double logs = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct bilanx_record *record = &results->records[i];
        skipped += record_skipped(record);
        failed += record->error && !record_skipped(record);
        judged += record->verdict != NULL;
        if (record->verdict && ab_is_measured(record->verdict)) {
            measured++;
            logs += log1p(record->verdict->change);
        }
    }
    size_t all = judged + failed + skipped;
    text_format(&line, "%zu case%s:", all, all == 1 ? "" : "s");
    const char *separator = " ";
    for (size_t word = 0; words[word]; word++) {
        size_t count = 0;
        for (size_t i = 0; i < results->count; i++)
            count += results->records[i].verdict &&
                     strcmp(results->records[i].verdict->verdict, words[word]) == 0;
        if (count)
            text_format(&line, "%s%zu %s", separator, count, words[word]);
        separator = count ? ", " : separator;
    }
    if (failed)
        text_format(&line, "%s%zu failed", separator, failed);
    if (skipped)
        text_format(&line, "%s%zu skipped", failed ? ", " : separator, skipped);
    if (measured > 1)
        text_format(&line, "; geometric mean%s %+.2f %%",
                    measured < judged ? " of those timed" : "",
                    100 * expm1(logs / (double)measured));
    text_add(out, "\n");
    text_add_wrapped(out, 0, width, text_get(&line));
    text_add(out, "\n");
}

// Adds nothing while there are too few epochs.
static void add_control(const struct interleaved_summary *summary, const char *name, size_t width,
                        struct text *out)
{
    AUTO(text) struct text line = {0};
    const struct interval *interval = &summary->control.interval;
    if (isinf(interval->low))
        return;
    text_format(&line, "control: %s against itself, %+.2f .. %+.2f %% in %zu epochs", name,
                100 * judge_fraction(interval->low), 100 * judge_fraction(interval->high),
                summary->control_epochs);
    if (summary->biased)
        text_add(&line, "; that exceeds the margin, so no verdicts are given");
    else if (summary->bias > 0)
        text_format(&line, "; intervals are widened by %.2g %% to allow for it",
                    100 * summary->bias);
    text_add_wrapped(out, 0, width, text_get(&line));
    text_add(out, "\n");
}

void ab_add_legend(const struct ab_pair *pair, size_t width, struct text *out)
{
    const struct side *sides[] = {pair->first, pair->other};
    size_t widths[] = {text_width(sides[0]->name), text_width(sides[1]->name)};
    size_t at = 2 + (widths[0] > widths[1] ? widths[0] : widths[1]);
    for (size_t i = 0; i < 2; i++) {
        AUTO(text) struct text title = {0};
        text_add_harmless(&title, sides[i]->title);
        text_add_harmless(out, sides[i]->name);
        text_add_repeated(out, " ", at - widths[i]);
        text_add_paragraph(out, at, at, width, text_get(&title));
        text_add(out, "\n");
    }
    text_add(out, "\n");
}

void ab_add_verdicts(const struct ab_arguments *arguments, const struct ab_pair *pair,
                     const struct ab_results *results, struct table_look look, struct text *out)
{
    AUTO(table) struct table table = {0};
    char interval[40];
    snprintf(interval, sizeof interval, "%.6g %% interval", 100 * (1 - arguments->margins.alpha));
    table_column(&table, "case", TABLE_LEFT);
    bool text = look.format == BILANX_TABLE;
    if (text)
        ab_add_legend(pair, look.width, out);
    table_column(&table, text ? pair->first->name : pair->first->title, TABLE_RIGHT);
    table_column(&table, text ? pair->other->name : pair->other->title, TABLE_RIGHT);
    table_rank(&table, 2);  // what the first time and the change say
    table_column(&table, "change", TABLE_RIGHT);
    table_column(&table, interval, TABLE_RIGHT);
    table_rank(&table, 1);
    table_column(&table, "verdict", TABLE_LEFT);
    table_column(&table, "epochs", TABLE_RIGHT);
    table_rank(&table, 4);
    table_column(&table, "", TABLE_LEFT);
    table_rank(&table, 3);
    for (size_t i = 0; i < results->count; i++)
        if (results->records[i].kind && !record_skipped(&results->records[i]))
            add_row(&table, results->names[i], &results->records[i], !text);
    table_print(&table, look, out);
    if (text) {
        add_totals(results, look.width, out);
        if (results->interleaved)
            add_control(&results->summary, pair->first->name, look.width, out);
    }
}

void ab_show(const struct ab_arguments *arguments, const struct ab_pair *pair,
             const struct ab_results *results)
{
    const struct show_settings *settings = &arguments->settings;
    if (settings->format == BILANX_CSV) {
        ab_show_csv(arguments, pair, results);
        return;
    }
    AUTO(text) struct text out = {0};
    struct table_look look = show_look(settings);
    ab_add_verdicts(arguments, pair, results, look, &out);
    if (look.format == BILANX_TABLE && !settings->quiet)
        ab_add_notes(results, look.color, &out);
    fputs(text_get(&out), stdout);
}

void ab_show_failures(const struct ab_arguments *arguments, const struct ab_results *results)
{
    AUTO(text) struct text failures = {0};
    fflush(stdout);
    ab_add_failures(results, terminal_color(arguments->settings.color, STDERR_FILENO), &failures);
    fputs(text_get(&failures), stderr);
}
