// side_cases: the sides of a comparison and their cases.
#include "side_cases.h"

#include <stdlib.h>
#include <string.h>

#include "ab/comparison/alignment.h"
#include "base/mem.h"

static void ab_side_done(struct ab_side *side)
{
    free(side->cases.items);
    source_done(&side->source);
    list_done(&side->words);
    free(side->cflags);
}

void ab_sides_done(struct ab_sides *sides)
{
    for (size_t i = 0; i < sides->count; i++) {
        ab_side_done(&sides->items[i]);
        if (!sides->borrowed) {
            side_done(sides->items[i].side);
            free(sides->items[i].side);
        }
    }
    free(sides->items);
}

void ab_borrow_sides(const struct ab_sides *from, struct ab_sides *out)
{
    *out = (struct ab_sides){
        .items = mem_array(struct ab_side, from->count), .count = from->count, .borrowed = true};
    for (size_t i = 0; i < from->count; i++)
        out->items[i] = (struct ab_side){.side = from->items[i].side, .stmt = from->items[i].stmt};
}

// A side's own statement says more about it than its compiler.
static void add_to_title(struct side *side, const char *stmt)
{
    char *title = mem_format("%s (%s)", stmt, side->title);
    free(side->title);
    side->title = title;
}

static struct bilanx_error open_side(const struct ab_spec *spec, const struct side_options *options,
                                     struct ab_sides *sides)
{
    for (size_t i = 0; i < sides->count; i++)
        if (strcmp(sides->items[i].side->name, spec->name) == 0)
            return bilanx_error_make(BILANX_E_USAGE, "two sides are named '%s'", spec->name);
    AUTO(memory) struct side *side = mem_new(struct side);
    BILANX_TRY(side_open(spec->name, spec->spec, options, side));
    if (spec->stmt)
        add_to_title(side, spec->stmt);
    sides->items[sides->count++] = (struct ab_side){.side = TAKE(side), .stmt = spec->stmt};
    return BILANX_SUCCESS;
}

// Sides that are programs, commands or records supply their own cases.
static bool has_cases(const struct ab_options *options, const struct ab_spec *spec)
{
    static const char *const own[] = {"bin:", "cmd:", "file:"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (text_starts(spec->spec, own[i]))
            return true;
    return spec->stmt || options->stmts.count || options->suites.count || options->program;
}

// Opening sides may take minutes: a revision is built, an environment activated.
static struct bilanx_error check_sides(const struct ab_options *options)
{
    if (options->side_count < 2)
        return bilanx_error_make(BILANX_E_USAGE, "a comparison needs at least two sides");
    for (size_t i = 0; i < options->side_count; i++)
        BILANX_TRY(side_check(options->sides[i].name, options->sides[i].spec));
    for (size_t i = 0; i < options->side_count; i++)
        if (has_cases(options, &options->sides[i]))
            return BILANX_SUCCESS;
    return bilanx_error_make(
        BILANX_E_USAGE, "nothing to compare: give --stmt STMT, a suite or a benchmark program");
}

struct bilanx_error ab_open_sides(const struct ab_options *options,
                                  const struct ab_observer *observer, struct ab_sides *out)
{
    BILANX_TRY(check_sides(options));
    const struct side_options how = {.build = options->build,
                                     .tell = {observer->progress, observer->context}};
    out->items = mem_array(struct ab_side, options->side_count);
    for (size_t i = 0; i < options->side_count; i++)
        BILANX_TRY(open_side(&options->sides[i], &how, out));
    return BILANX_SUCCESS;
}

bool ab_is_stored(const struct ab_side *side)
{
    return side->side->kind == &side_records;
}

// Says which side an error is about.
static struct bilanx_error name_side(const struct ab_options *options, const struct ab_side *side,
                                     struct bilanx_error error)
{
    if (error.status == BILANX_OK || error.status == BILANX_E_INTERRUPTED ||
        error.status == BILANX_E_USAGE)
        return error;
    bool unbuilt = options->program && side->side->kind == &side_revision && !options->build;
    return bilanx_error_make(error.status, "side %s (%s): %s%s", side->side->name,
                             side->side->title, error.text,
                             unbuilt ? " (to build a revision, give --build COMMAND)" : "");
}

struct bilanx_error ab_prepare(const struct ab_options *options, const struct ab_observer *observer,
                               enum source_purpose purpose, struct ab_sides *sides)
{
    const struct tell note = {observer->note, observer->context};
    struct bilanx_error error = ab_check_kinds(sides);
    const struct ab_side *first = NULL;
    bool stored = false;
    for (size_t i = 0; i < sides->count && error.status == BILANX_OK; i++) {
        if (ab_is_stored(&sides->items[i]))
            stored = true;
        else {
            first = first ? first : &sides->items[i];
            error = name_side(options, &sides->items[i],
                              ab_begin_cases(options, &note, purpose, first, &sides->items[i]));
        }
    }
    for (size_t i = 0; i < sides->count && error.status == BILANX_OK; i++)
        if (!ab_is_stored(&sides->items[i]))
            error = name_side(options, &sides->items[i], ab_prepare_cases(&sides->items[i]));
    if (error.status == BILANX_OK && !stored)
        ab_align(sides, &note);
    else
        ab_keep_all(sides);
    bool empty_shard = first && first->source.places && first->source.cases.count == 0;
    if (error.status == BILANX_OK && !stored && !empty_shard && sides->items[0].cases.count == 0)
        return options->filter
                   ? bilanx_error_make(BILANX_E_FAILED,
                                       "no case of both sides matches the filter '%s'",
                                       options->filter)
                   : bilanx_error_make(BILANX_E_FAILED, "the sides have no cases in common");
    return error;
}

struct interleaved_side ab_interleaved_side(const struct ab_side *side,
                                            const struct run_cases *cases)
{
    return (struct interleaved_side){
        .name = side->side->name, .title = side->side->title, .cases = cases};
}

struct interleaved_options ab_interleaved_options(const struct ab_options *options,
                                                  const struct ab_side *first,
                                                  const struct ab_side *other)
{
    return (struct interleaved_options){
        .way = first->side->kind == &side_command ? &paired_by_commands : NULL,
        .margins = options->margins,
        .budget = options->budget,
        .timeout = options->timeout,
        .seed = options->seed,
        .any_core = options->any_core,
        .free_core = options->free_core,
        .core_wait = options->core_wait,
        .apart = options->isolate || !first->side->kind->can_share || !other->side->kind->can_share,
    };
}
