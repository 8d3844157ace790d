// ops_show: the tables of operators and of the model.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/terminal.h"
#include "core/stats/units.h"
#include "ops_report.h"
#include "ops_verdict.h"
#include "sources/roofline/roofline.h"

char *ops_pair_name(const struct ops *ops)
{
    const struct ops_backend *items = ops->backends.items;
    return ops->backends.count == 3 ? mem_format("%s/%s", items[1].name, items[2].name) : NULL;
}

static void add_speedup(struct text *out, const char *name, const struct speedup *speedup)
{
    if (speedup->samples)
        text_format(out, "%s=%.4fx (%.4f-%.4f) ", name, speedup->mid, speedup->low, speedup->high);
}

void ops_add_line(const struct ops *ops, const struct ops_operator *of, struct text *out)
{
    AUTO(text) struct text speedups = {0};
    for (size_t b = 1; b < ops->backends.count; b++) {
        struct speedup speedup = speedup_of(of, 0, b);
        add_speedup(&speedups, ops->backends.items[b].name, &speedup);
    }
    AUTO(memory) char *pair = ops_pair_name(ops);
    if (pair) {
        struct speedup speedup = speedup_of(of, 1, 2);
        add_speedup(&speedups, pair, &speedup);
    }
    if (speedups.size)
        text_format(out, "%s: %stook %.*fs", of->logged->name, text_get(&speedups),
                    of->elapsed_s < 1 ? 2 : 0, of->elapsed_s);
}

// Titles of the columns of one backend: "onednn", "20..80 %", "by calls", "roof", "verdict".
static void add_columns(const struct ops_arguments *arguments, const struct ops *ops, size_t b,
                        struct table *table)
{
    table_column(table, ops->backends.items[b].name, TABLE_RIGHT);
    table_column(table, "20 .. 80 %", TABLE_RIGHT);
    table_rank(table, 3);
    table_column(table, "by calls", TABLE_RIGHT);
    table_rank(table, 5);
    table_column(table, "of roof", TABLE_RIGHT);
    table_rank(table, 4);
    if (arguments->verdict)
        table_column(table, "verdict", TABLE_LEFT);
}

static enum table_tone tone_of(double speedup)
{
    return speedup >= 1.02 ? TABLE_GOOD : speedup <= 0.98 ? TABLE_BAD : TABLE_PLAIN;
}

// "1.25x"; far below 1, two digits of it.
static void add_ratio(struct table *table, double speedup)
{
    table_cell(table, tone_of(speedup), speedup < 0.1 ? "%.2gx" : "%.2fx", speedup);
}

// How close the samples of a backend come to the roof: their minimum time divided by their actual
// time.
static double roof_share(const struct ops_operator *of, size_t backend,
                         const struct machine_roof *roof)
{
    double least = 0, taken = 0;
    for (size_t i = 0; i < of->sample_count; i++) {
        const struct ops_sample *sample = &of->samples[i];
        const struct ops_time *time = &sample->times[backend];
        if (time->state != OPS_MEASURED || !(time->median > 0))
            continue;
        least += machine_roof_time(roof, sample->bytes, sample->flops);
        taken += time->median;
    }
    return taken > 0 ? least / taken : NAN;
}

static void add_roof(struct table *table, const struct ops_operator *of, size_t backend,
                     const struct machine_roof *roof)
{
    bool known = roof->threads && of->role == OPERATOR_COMPUTES;
    double share = known ? roof_share(of, backend, roof) : NAN;
    if (isnan(share))
        table_cell(table, TABLE_PLAIN, "%s", "");
    else
        table_cell(table, TABLE_DIM, share < 0.095 ? "%.1f %%" : "%.0f %%", share * 100);
}

static void add_verdict(struct table *table, const struct ops_operator *of, size_t backend)
{
    static const enum table_tone tones[] = {[VERDICT_UNDECIDED] = TABLE_DIM,
                                            [VERDICT_FASTER] = TABLE_GOOD,
                                            [VERDICT_SLOWER] = TABLE_BAD,
                                            [VERDICT_SAME] = TABLE_PLAIN,
                                            [VERDICT_BIASED] = TABLE_WARN};
    enum verdict verdict;
    if (ops_judge(of, backend, &verdict))
        table_cell(table, tones[verdict], "%s", verdict_words[verdict]);
    else
        table_cell(table, TABLE_PLAIN, "%s", "");
}

static void add_backend(const struct ops_arguments *arguments, struct table *table,
                        const struct ops_operator *of, size_t b, const struct machine_roof *roof)
{
    struct speedup speedup = speedup_of(of, 0, b);
    if (speedup.samples) {
        add_ratio(table, speedup.mid);
        table_cell(table, TABLE_PLAIN, "%.2f .. %.2f", speedup.low, speedup.high);
        table_cell(table, TABLE_PLAIN, "%.2fx", speedup.weighted);
    } else {
        for (int i = 0; i < 3; i++)
            table_cell(table, TABLE_PLAIN, "%s", "");
    }
    add_roof(table, of, b, roof);
    if (arguments->verdict)
        add_verdict(table, of, b);
}

static void add_word(struct text *out, const char *word)
{
    text_format(out, "%s%s", out->size ? ", " : "", word);
}

// In a row of text, words that ops_show_notes() explains; in Markdown, where there is room, what it
// says.
static void add_note(const struct ops *ops, const struct ops_operator *of, bool words,
                     struct table *table)
{
    AUTO(text) struct text note = {0};
    struct sample_counts any = {0};
    if (of->role != OPERATOR_COMPUTES)
        text_add(&note, of->role == OPERATOR_VIEWS ? "view" : "constructor");
    for (size_t b = 0; b < ops->backends.count; b++) {
        struct sample_counts counts = speedup_counts(of, b);
        any.wrong += counts.wrong;
        any.failed += counts.failed;
        any.special += counts.special;
        for (int kind = 0; !words && kind < OPS_NOTES; kind++) {
            AUTO(memory) char *text = ops_note(ops, of, b, (enum ops_note)kind);
            if (text)
                add_word(&note, text);
        }
    }
    if (words && any.wrong)
        add_word(&note, "wrong");
    if (words && any.failed)
        add_word(&note, "failed");
    if (words && any.special)
        add_word(&note, "NaN");
    table_cell(table, TABLE_WARN, "%s", text_get(&note));
}

static bool is_shown(const struct ops *ops, const struct ops_operator *of)
{
    for (size_t b = 0; b < ops->backends.count; b++) {
        struct sample_counts counts = speedup_counts(of, b);
        if (counts.wrong || counts.failed || (b > 0 && speedup_of(of, 0, b).samples))
            return true;
    }
    return ops->backends.count == 1 && !isnan(speedup_mean_time(of, 0));
}

static size_t measured_samples(const struct ops_operator *of)
{
    return speedup_counts(of, 0).measured;
}

static void add_operator(const struct ops_arguments *arguments, const struct ops *ops,
                         const struct ops_operator *of, const struct machine_roof *roof,
                         struct table *table)
{
    char time[UNITS_SIZE];
    double mean = speedup_mean_time(of, 0);
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", of->logged->name);
    table_cell(table, TABLE_PLAIN, "%llu", (unsigned long long)of->logged->count);
    table_cell(table, TABLE_PLAIN, "%zu", measured_samples(of));
    table_cell(table, TABLE_PLAIN, "%s", isnan(mean) ? "" : units_time(mean, NAN, time));
    add_roof(table, of, 0, roof);
    for (size_t b = 1; b < ops->backends.count; b++)
        add_backend(arguments, table, of, b, roof);
    AUTO(memory) char *pair = ops_pair_name(ops);
    if (pair) {
        struct speedup speedup = speedup_of(of, 1, 2);
        if (speedup.samples)
            add_ratio(table, speedup.mid);
        else
            table_cell(table, TABLE_PLAIN, "%s", "");
    }
    add_note(ops, of, arguments->shown.format == BILANX_TABLE, table);
}

static void show_operators(const struct ops_arguments *arguments, const struct ops *ops,
                           const struct machine_roof *roof, struct text *out)
{
    AUTO(table) struct table table = {0};
    table_column(&table, "operator", TABLE_LEFT);
    table_column(&table, "calls", TABLE_RIGHT);
    table_rank(&table, 6);
    table_column(&table, "samples", TABLE_RIGHT);
    table_rank(&table, 7);
    table_column(&table, ops->backends.items[0].name, TABLE_RIGHT);
    table_column(&table, "of roof", TABLE_RIGHT);
    table_rank(&table, 4);
    for (size_t b = 1; b < ops->backends.count; b++)
        add_columns(arguments, ops, b, &table);
    AUTO(memory) char *pair = ops_pair_name(ops);
    if (pair) {
        table_column(&table, pair, TABLE_RIGHT);
        table_rank(&table, 2);
    }
    table_column(&table, "note", TABLE_LEFT);
    for (size_t i = 0; i < ops->operator_count; i++)
        if (is_shown(ops, &ops->operators[i]))
            add_operator(arguments, ops, &ops->operators[i], roof, &table);
    table_print(&table, show_look(&arguments->shown), out);
}

static double prepare_time(const struct ops *ops, size_t backend)
{
    double seconds = 0;
    for (size_t i = 0; i < ops->operator_count; i++)
        for (size_t k = 0; k < ops->operators[i].sample_count; k++)
            seconds += ops->operators[i].samples[k].times[backend].prepare_s;
    return seconds;
}

// The baseline has no speed-up.
static void add_model_speedup(const struct model_speedup *model, bool is_baseline,
                              struct table *table)
{
    if (is_baseline || model->samples == 0) {
        for (int i = 0; i < 5; i++)
            table_cell(table, TABLE_PLAIN, "%s", "");
        return;
    }
    table_cell(table, TABLE_PLAIN, "%.2fx", model->mean);
    add_ratio(table, model->speedup);
    if (isnan(model->ci95.low))
        table_cell(table, TABLE_PLAIN, "%s", "");
    else
        table_cell(table, TABLE_PLAIN, "%.2f .. %.2f", model->ci95.low, model->ci95.high);
    table_cell(table, TABLE_PLAIN, "%.0f %%", model->share * 100);
    table_cell(table, TABLE_PLAIN, "%.2fx", model->whole);
}

static void add_model(const struct ops *ops, size_t b, struct table *table)
{
    const struct ops_backend *backend = &ops->backends.items[b];
    struct model_speedup model = speedup_of_model(ops, b);
    char time[UNITS_SIZE], bytes[UNITS_SIZE], flops[UNITS_SIZE];
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", backend->name);
    table_cell(table, TABLE_PLAIN, "%zu", model.operators);
    table_cell(table, TABLE_PLAIN, "%zu", model.samples);
    add_model_speedup(&model, b == 0, table);
    bool any = model.samples > 0;
    table_cell(table, TABLE_PLAIN, "%s", any ? units_rate(model.bytes, "B", bytes) : "");
    table_cell(table, TABLE_PLAIN, "%s", any ? units_rate(model.flops, "FLOP", flops) : "");
    table_cell(table, TABLE_PLAIN, "%s", units_time(prepare_time(ops, b), NAN, time));
    table_cell(table, TABLE_DIM, "%s", backend->version ? backend->version : "");
    table_cell(table, TABLE_DIM, "%s",
               backend->host != ops->backends.items[0].host ? "in a process of its own" : "");
}

static void show_model(const struct ops_arguments *arguments, const struct ops *ops,
                       struct text *out)
{
    AUTO(table) struct table table = {0};
    AUTO(memory) char *share = mem_format("of %s's time", ops->backends.items[0].name);
    static const enum table_align RIGHT = TABLE_RIGHT;
    table_column(&table, "backend", TABLE_LEFT);
    table_column(&table, "operators", RIGHT);
    table_rank(&table, 6);
    table_column(&table, "samples", RIGHT);
    table_rank(&table, 7);
    table_column(&table, "mean", RIGHT);
    table_column(&table, "all calls", RIGHT);
    table_column(&table, "95 % interval", RIGHT);
    table_rank(&table, 1);
    table_column(&table, share, RIGHT);
    table_rank(&table, 8);
    table_column(&table, "whole model", RIGHT);
    table_rank(&table, 2);
    table_column(&table, "bytes/s", RIGHT);
    table_rank(&table, 3);
    table_column(&table, "FLOP/s", RIGHT);
    table_rank(&table, 4);
    table_column(&table, "to prepare", RIGHT);
    table_rank(&table, 5);
    table_column(&table, "version", TABLE_LEFT);
    table_rank(&table, 9);
    table_column(&table, "", TABLE_LEFT);
    for (size_t b = 0; b < ops->backends.count; b++)
        add_model(ops, b, &table);
    table_print(&table, show_look(&arguments->shown), out);
}

static void add_line(const char *line, struct text *out)
{
    text_add_wrapped(out, 0, terminal_width(STDOUT_FILENO), line);
    text_add(out, "\n");
}

static void add_roof_line(const struct machine_roof *roof, struct text *out)
{
    char rate[UNITS_SIZE];
    AUTO(text) struct text line = {0};
    text_format(&line, "roof, %u thread%s: %s", roof->threads, roof->threads == 1 ? "" : "s",
                units_rate(roof->flops, "FLOP", rate));
    for (size_t i = 0; i < roof->level_count; i++)
        text_format(&line, ", %s %s", roof->levels[i].name,
                    units_rate(roof->levels[i].rate, "B", rate));
    add_line(text_get(&line), out);
}

// "empty call: torch 54 ns, torchscript 280 ns"
static void add_call_line(const struct ops *ops, struct text *out)
{
    char time[UNITS_SIZE];
    AUTO(text) struct text line = {0};
    for (size_t i = 0; i < ops->backends.count; i++) {
        const struct ops_backend *backend = &ops->backends.items[i];
        if (backend->call_s > 0)
            text_format(&line, "%s %s %s", line.size ? "," : "empty call:", backend->name,
                        units_time(backend->call_s, NAN, time));
    }
    if (line.size)
        add_line(text_get(&line), out);
}

void ops_show(const struct ops_arguments *arguments, const struct ops *ops,
              const struct machine_roof *roof)
{
    AUTO(text) struct text out = {0};
    if (arguments->shown.format == BILANX_TABLE && !arguments->shown.quiet)
        text_add(&out, "\n");
    show_operators(arguments, ops, roof, &out);
    text_add(&out, "\n");
    show_model(arguments, ops, &out);
    if (arguments->shown.format == BILANX_TABLE) {
        text_add(&out, "\n");
        if (roof->threads)
            add_roof_line(roof, &out);
        add_call_line(ops, &out);
    }
    fputs(text_get(&out), stdout);
    fflush(stdout);
}
