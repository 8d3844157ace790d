// bundle: everything about a comparison in one ZIP file: a page to read, graphs, tables, records.
//
//     AUTO(bundle) struct bundle *bundle = bundle_new(&options);
//     bundle_take(bundle, "parse", 1, BUNDLE_VERDICT, &record);
//     bundle_take(bundle, "parse", 0, BUNDLE_STACKS, &before);
//     bundle_take(bundle, "parse", 1, BUNDLE_STACKS, &after);
//     BILANX_TRY(bundle_save(bundle, "out.zip", OUTPUT_NEW));
//
// It is made of records alone, wherever they come from; what is not there is listed as missing.
// docs/formats/bundle.md describes the files.
#ifndef BUNDLE_BUNDLE_H
#define BUNDLE_BUNDLE_H

#include "base/list.h"
#include "base/output.h"
#include "base/text.h"
#include "core/record/records.h"

struct bundle_side {
    const char *name;   // "A"
    const char *spec;   // as given
    const char *title;  // "gcc -O2"
};

struct bundle_options {
    const struct bundle_side *sides;  // the first is the base; copied
    size_t side_count;
    const char *command;  // the command line; NULL: none
    bool all;             // examine every case, not only those that got slower
};

enum bundle_slot { BUNDLE_VERDICT, BUNDLE_COUNTS, BUNDLE_STACKS, BUNDLE_SLOTS };

struct bundle;
struct bundle *bundle_new(const struct bundle_options *options);
void bundle_free(struct bundle *bundle);
SCOPE_POINTER(bundle, bundle_free)

// Moves a record into the bundle and leaves zeroes; replaces an earlier one. A record of kind NULL
// is ignored. The first side (0) has no verdicts.
void bundle_take(struct bundle *bundle, const char *name, size_t side, enum bundle_slot slot,
                 struct bilanx_record *record);

// Adds to a table of verdicts, as text and as Markdown.
void bundle_add_tables(struct bundle *bundle, const char *text, const char *markdown);

// Whether a case is to be counted and sampled: it got slower on some side, or all are asked for.
bool bundle_examines(const struct bundle *bundle, const char *name);
bool bundle_has(const struct bundle *bundle, const char *name);
bool bundle_examines_any(const struct bundle *bundle);
bool bundle_is_empty(const struct bundle *bundle);

// Adds a line about something that should be in the bundle and is not, with the reason.
void bundle_miss(struct bundle *bundle, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const struct list *bundle_missing(const struct bundle *bundle);

// Draws the graphs, and has a browser take pictures of them if there is one. Without a browser, or
// if it does not work, the pictures are missing; the graphs are there.
void bundle_draw(struct bundle *bundle);

// Whether the file could be written, as far as that is known before.
struct bilanx_error bundle_check(const char *path, enum output_mode mode);

// Writes the file: entirely, or not at all. If that fails, saves it in the folder for temporary
// files or, if that is full too, writes it without graphs. The error says where it is.
struct bilanx_error bundle_save(struct bundle *bundle, const char *path, enum output_mode mode);

#endif
