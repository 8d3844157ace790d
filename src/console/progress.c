// progress: how far a run is.
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/process.h"
#include "base/terminal.h"
#include "console/show.h"

void progress_bar_init(struct progress_bar *bar, size_t total, bool quiet)
{
    *bar = (struct progress_bar){.total = total,
                                 .quiet = quiet,
                                 .terminal = isatty(STDERR_FILENO),
                                 .started_ns = monotonic_ns()};
}

void progress_bar_clear(struct progress_bar *bar)
{
    if (bar->drawn)
        fputs("\r\033[K", stderr);
    bar->drawn = false;
}

static void add_remaining(const struct progress_bar *bar, struct text *out)
{
    double done = (double)bar->done + bar->ahead;
    if (done < 0.05 * (double)bar->total && bar->done == 0)
        return;
    double spent = (double)(monotonic_ns() - bar->started_ns) / 1e9;
    double left = spent / done * ((double)bar->total - done);
    if (left >= 90)
        text_format(out, "  about %.0f min left", left / 60 + 0.5);
    else
        text_format(out, "  about %.0f s left", left + 0.5);
}

void progress_bar_working(struct progress_bar *bar, const struct run_case *measured)
{
    enum { REDRAW_NS = 100000000 };
    uint64_t now = monotonic_ns();
    if (bar->quiet || !bar->terminal || (bar->drawn && now - bar->drawn_ns < REDRAW_NS))
        return;
    AUTO(text) struct text line = {0};
    text_format(&line, "%zu/%zu  ", bar->done, bar->total);
    text_add_harmless(&line, measured->name);
    add_remaining(bar, &line);
    size_t width = terminal_width(STDERR_FILENO);
    if (width && text_width(text_get(&line)) >= width)  // a wrapped line could not be taken back
        return;
    progress_bar_clear(bar);
    fputs(text_get(&line), stderr);
    fflush(stderr);
    bar->drawn = true;
    bar->drawn_ns = now;
}

void progress_bar_finished(struct progress_bar *bar, const struct run_case *measured,
                           const struct bilanx_record *record)
{
    bar->done++;
    if (bar->quiet || bar->terminal)
        return;
    AUTO(text) struct text line = {0};
    text_format(&line, "%zu/%zu  ", bar->done, bar->total);
    text_add_harmless(&line, measured->name);
    text_add(&line, "  ");
    show_result(record, &line);
    fprintf(stderr, "%s\n", text_get(&line));
}
