// progress: shows how far a run is.
#include "progress.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/process.h"
#include "base/terminal.h"
#include "core/show/show.h"

void progress_bar_init(struct progress_bar *bar, size_t total, bool quiet)
{
    *bar = (struct progress_bar){.total = total,
                                 .quiet = quiet,
                                 .terminal = isatty(STDERR_FILENO),
                                 .started_ns = monotonic_ns(),
                                 .estimate.left = -1};
}

void progress_bar_clear(struct progress_bar *bar)
{
    if (bar->drawn)
        fputs("\r\033[K", stderr);
    bar->drawn = false;
}

void progress_estimate(struct progress_estimate *estimate, double share, double spent)
{
    static const double ENOUGH = 0.02;     // of the work, to extrapolate from
    static const double CORRECTION = 0.1;  // of the error, at each look
    share = share > 1 ? 1 : share;
    estimate->share = share > estimate->share ? share : estimate->share;
    if (share < ENOUGH)
        return;
    double left = spent / share * (1 - share);
    double expected = estimate->left - (spent - estimate->estimated_at);
    bool is_first = estimate->left < 0;
    if (!is_first && left > expected)
        left = expected + CORRECTION * (left - expected);
    estimate->left = left > 0 ? left : 0;
    estimate->estimated_at = spent;
}

// Skipped cases cost nothing.
static void look(struct progress_bar *bar, double ahead)
{
    double done = (double)(bar->done - bar->skipped) + ahead;
    double total = (double)(bar->total - bar->skipped);
    double spent = (double)(monotonic_ns() - bar->started_ns) / 1e9;
    progress_estimate(&bar->estimate, total > 0 ? done / total : 1, spent);
}

static void add_remaining(const struct progress_bar *bar, struct text *out)
{
    double left = bar->estimate.left;
    if (left < 0)
        return;
    if (left >= 90)
        text_format(out, "  about %.0f min left", left / 60 + 0.5);
    else
        text_format(out, "  about %.0f s left", left + 0.5);
}

static void add_bar(const struct progress_bar *bar, struct text *out)
{
    enum { CELLS = 20 };
    size_t full = (size_t)(CELLS * bar->estimate.share);
    text_add_repeated(out, "\u2588", full);
    text_add_repeated(out, "\u2591", CELLS - full);
    text_add(out, "  ");
}

static void add_counts(const struct progress_bar *bar, struct text *out)
{
    text_format(out, "%zu/%zu  ", bar->done, bar->total);
    if (bar->failed)
        text_format(out, "%zu failed  ", bar->failed);
}

// Composes as much as fits, because we could not erase a line that wraps. Returns false if not even
// the counts fit.
static bool compose(const struct progress_bar *bar, const char *name, struct text *out)
{
    enum { SHORTEST_NAME = 12 };
    size_t width = terminal_width(STDERR_FILENO);
    AUTO(text) struct text counts = {0}, remaining = {0}, harmless = {0};
    add_counts(bar, &counts);
    add_remaining(bar, &remaining);
    text_add_harmless(&harmless, name);
    size_t room = width ? width - 1 : 200, taken = counts.size + remaining.size;
    if (room < counts.size)
        return false;
    if (taken + SHORTEST_NAME + 22 <= room) {
        add_bar(bar, out);
        taken += 22;
    }
    text_add(out, text_get(&counts));
    if (taken + SHORTEST_NAME <= room) {
        text_add_shortened(out, text_get(&harmless), room - taken);
        text_add(out, text_get(&remaining));
    }
    return true;
}

void progress_bar_working(struct progress_bar *bar, const struct run_case *measured, double ahead)
{
    enum { REDRAW_NS = 100000000 };
    uint64_t now = monotonic_ns();
    if (bar->quiet || !bar->terminal || (bar->drawn && now - bar->drawn_ns < REDRAW_NS))
        return;
    look(bar, ahead);
    AUTO(text) struct text line = {0};
    if (!compose(bar, measured->name, &line))
        return;
    progress_bar_clear(bar);
    fputs(text_get(&line), stderr);
    fflush(stderr);
    bar->drawn = true;
    bar->drawn_ns = now;
}

// Adds a name, shortened if the line would not fit together with what follows.
static void add_fitting(struct text *line, const char *name, size_t following)
{
    enum { SHORTEST = 12 };
    size_t width = terminal_width(STDERR_FILENO), taken = text_width(text_get(line)) + following;
    size_t room = width > taken + SHORTEST ? width - taken : SHORTEST;
    text_add_shortened(line, name, width ? room : SIZE_MAX);
}

void progress_bar_finished(struct progress_bar *bar, const struct run_case *measured,
                           const struct bilanx_record *record)
{
    bool skipped = record_skipped(record), failed = record->error && !skipped;
    bar->done++;
    bar->skipped += skipped;
    bar->failed += failed;
    // Failures to start have already been reported, with all the cases they affect.
    bool telling = failed && !text_equal(record->error->phase, "start");
    // The failure of the only case follows at once, below the table.
    if (bar->quiet || (bar->terminal && (!telling || bar->total == 1)))
        return;
    AUTO(text) struct text line = {0}, name = {0}, result = {0};
    text_format(&line, "%zu/%zu  ", bar->done, bar->total);
    text_add_harmless(&name, measured->name);
    if (!telling || !record_failure_names_itself(record->error)) {
        text_add(&result, "  ");
        show_result(record, &result);
    }
    add_fitting(&line, text_get(&name), text_width(text_get(&result)) + telling);
    text_add(&line, text_get(&result));
    if (telling) {
        text_add(&line, ":");
        text_add_wrapped(&line, text_width(text_get(&line)), terminal_width(STDERR_FILENO),
                         record->error->text);
    }
    fprintf(stderr, "%s\n", text_get(&line));
}
