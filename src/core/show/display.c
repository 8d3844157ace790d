// display: shows a run to the user, and keeps its records.
#include "display.h"

#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/terminal.h"
#include "core/show/complain.h"
#include "core/show/show_comparison.h"

// Part 1: writes records as they complete.

static void write_record(void *context, const struct run_case *measured,
                         struct bilanx_record *record)
{
    struct display *display = context;
    size_t index = (size_t)(measured - display->cases->items);
    record->place = (display->places ? display->places[index] : index) + 1;
    progress_bar_clear(&display->bar);
    struct bilanx_error error = sink_write(display->sink, record);
    if (error.status != BILANX_OK)
        complain(error.text);
}

// Part 2: progress.

static void advance(void *context, const struct run_case *measured, double ahead)
{
    struct display *display = context;
    progress_bar_working(&display->bar, measured, ahead);
}

static void complete(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct display *display = context;
    progress_bar_finished(&display->bar, measured, record);
}

// Part 3: keeps results for the tables and notes at the end.

static void keep(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct display *display = context;
    shown_add(&display->shown, measured, record);
}

// All parts together. The last part takes the record.

static void working(void *context, const struct run_case *measured, double ahead)
{
    struct display *display = context;
    for (size_t i = 0; i < DISPLAY_PARTS; i++)
        if (display->parts[i].working)
            display->parts[i].working(display->parts[i].context, measured, ahead);
}

static void finished(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    struct display *display = context;
    for (size_t i = 0; i < DISPLAY_PARTS; i++)
        display->parts[i].finished(display->parts[i].context, measured, record);
}

struct bilanx_error display_begin(struct display *display, const struct show_settings *settings,
                                  struct sink *sink, const struct run_cases *cases, size_t total)
{
    *display = (struct display){.settings = settings,
                                .observer = {display, working, finished},
                                .parts = {{display, NULL, write_record},
                                          {display, advance, complete},
                                          {display, NULL, keep}},
                                .cases = cases,
                                .sink = sink ? sink : &display->own};
    show_choose_pages(settings);
    if (settings->reference)
        BILANX_TRY(comparison_check(cases, settings->reference));
    if (!sink)
        BILANX_TRY(sink_open(&display->own, settings));
    progress_bar_init(&display->bar, total, settings->quiet);
    interrupt_catch();
    return BILANX_SUCCESS;
}

void display_done(struct display *display)
{
    shown_done(&display->shown);
    sink_done(&display->own);
}

static void print_tables(struct display *display)
{
    const struct show_settings *settings = display->settings;
    AUTO(text) struct text table = {0};
    struct table_look look = show_look(settings);
    if (settings->format == BILANX_CSV)
        show_csv(&display->shown, settings->csv_safe, &table);
    else
        show_table(&display->shown, look, &table);
    if (settings->functions != SHOW_NO_FUNCTIONS && settings->format != BILANX_CSV)
        show_functions(&display->shown, settings->functions == SHOW_INCLUSIVE, look, &table);
    fputs(text_get(&table), stdout);
    fflush(stdout);
}

// Only for people: programs have the figures.
static void print_comparison(const struct display *display)
{
    const struct show_settings *settings = display->settings;
    AUTO(text) struct text lines = {0};
    if (settings->format != BILANX_TABLE || (!display->alternatives && !settings->reference))
        return;
    comparison_show(&display->shown, settings->reference, &lines);
    printf("%s%s", lines.size ? "\n" : "", text_get(&lines));
    fflush(stdout);
}

static bool prints_tables(const struct show_settings *settings)
{
    return settings->format != BILANX_JSON && !text_equal(settings->json, "-");
}

void display_sort(struct display *display)
{
    progress_bar_clear(&display->bar);
    shown_sort(&display->shown);
}

void display_show_tables(struct display *display)
{
    if (display->shown.count == 0 || !prints_tables(display->settings))
        return;
    print_tables(display);
    print_comparison(display);
}

void display_show_notes(const struct display *display, bool apart)
{
    const struct show_settings *settings = display->settings;
    AUTO(text) struct text notes = {0};
    bool color = terminal_color(settings->color, STDERR_FILENO);
    if (settings->quiet)
        show_failures(&display->shown, color, &notes);
    else
        show_notes(&display->shown, color, &notes);
    if (notes.size && apart && prints_tables(settings))
        fputs("\n", stderr);
    fputs(text_get(&notes), stderr);
}

void display_show(struct display *display)
{
    display_sort(display);
    display_show_tables(display);
    display_show_notes(display, false);
}

int display_status(const struct display *display, const struct bilanx_error *error)
{
    if (error->status == BILANX_E_INTERRUPTED)
        return EXIT_INTERRUPTED;
    for (size_t i = 0; i < display->shown.count; i++)
        if (display->shown.records[i].error && !record_skipped(&display->shown.records[i]))
            return EXIT_FAILED;
    return display->sink->failed ? EXIT_FAILED : EXIT_DONE;
}
