// display: shows a run to the user, and keeps its records.
//
//     AUTO(display) struct display display = {0};
//     BILANX_TRY(display_begin(&display, settings, NULL, cases, cases->count));
//     error = run_measure(cases, options, &display.observer);
//     display_show(&display);
//     return display_status(&display, &error);
//
// It has three parts, each an observer of the run: the file of records, the progress bar, and the
// results for the tables and notes at the end.
#ifndef SHOW_DISPLAY_H
#define SHOW_DISPLAY_H

#include "core/show/progress.h"
#include "core/show/show.h"
#include "core/show/show_run.h"
#include "core/show/sink.h"

enum { DISPLAY_PARTS = 3 };

struct display {
    const struct show_settings *settings;
    struct run_observer observer;  // for the run; forwards everything to the parts
    struct run_observer parts[DISPLAY_PARTS];
    const struct run_cases *cases;
    const size_t *places;  // positions of the cases in their source; NULL: in order
    struct sink own, *sink;
    struct progress_bar bar;
    struct shown shown;
    bool alternatives;  // the cases do the same work: say how they compare
};
void display_done(struct display *display);
SCOPE_VALUE(display, display_done)

// `sink` is where records go; NULL: to the file in the settings. `total` records are expected.
struct bilanx_error display_begin(struct display *display, const struct show_settings *settings,
                                  struct sink *sink, const struct run_cases *cases, size_t total);

// Prints the results on stdout and the notes on stderr.
void display_show(struct display *display);

// Its parts, if the caller prints other tables. `apart`: with an empty line between these and
// notes.
void display_sort(struct display *display);
void display_show_tables(struct display *display);
void display_show_notes(const struct display *display, bool apart);

// Returns the exit status of a run that ended with `error`.
int display_status(const struct display *display, const struct bilanx_error *error);

#endif
