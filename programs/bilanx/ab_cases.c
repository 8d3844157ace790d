// ab_cases: the sides of a comparison, and the cases that all of them have.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ab.h"
#include "base/file.h"
#include "base/mem.h"
#include "core/worker/server.h"
#include "sources/source/source.h"

static void ab_side_done(struct ab_side *side)
{
    free(side->cases.items);
    free(side->places);
    run_cases_done(&side->listed);
    list_done(&side->words);
    schedule_done(&side->schedule);
    selection_done(&side->selection);
    if (side->suite)
        bilanx_suite_free(side->suite);
    statements_done(&side->statements);
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
        out->items[i].side = from->items[i].side;
}

static struct bilanx_error open_side(const char *name, const char *spec,
                                     const struct ab_arguments *arguments, struct ab_sides *sides)
{
    for (size_t i = 0; i < sides->count; i++)
        if (strcmp(sides->items[i].side->name, name) == 0)
            return bilanx_error_make(BILANX_E_USAGE, "there are two sides '%s'", name);
    struct side_options options = {.build = arguments->build, .tell = complain};
    if (arguments->settings.quiet)
        options.tell = schedule_tell_nobody;
    AUTO(memory) struct side *side = mem_new(struct side);
    BILANX_TRY(side_open(name, spec, &options, side));
    sides->items[sides->count++].side = TAKE(side);
    return BILANX_SUCCESS;
}

static struct bilanx_error open_named(const char *named, const struct ab_arguments *arguments,
                                      struct ab_sides *sides)
{
    const char *equals = strchr(named, '=');
    if (!equals || equals == named)
        return bilanx_error_make(BILANX_E_USAGE, "--side '%s' is not NAME=SPEC", named);
    AUTO(memory) char *name = mem_text_n(named, (size_t)(equals - named));
    return open_side(name, equals + 1, arguments, sides);
}

struct bilanx_error ab_open_sides(const struct ab_arguments *arguments, struct ab_sides *out)
{
    out->items = mem_array(struct ab_side, arguments->sides.count + 2);
    if (arguments->a)
        BILANX_TRY(open_side("A", arguments->a, arguments, out));
    if (arguments->b)
        BILANX_TRY(open_side("B", arguments->b, arguments, out));
    for (size_t i = 0; i < arguments->sides.count; i++)
        BILANX_TRY(open_named(arguments->sides.items[i], arguments, out));
    return out->count >= 2
               ? BILANX_SUCCESS
               : bilanx_error_make(BILANX_E_USAGE, "a comparison has two sides: --A SPEC --B SPEC "
                                                   "('bilanx help ab' shows examples)");
}

// The options of the command line, with what the side itself decides.
static struct statement_options options_of(const struct ab_arguments *arguments,
                                           const struct ab_side *side, bool counting, char **cflags)
{
    struct statement_options options = arguments->code.options;
    // At the same addresses `sorted` still differs by .8 % from process to process. Physical pages
    // are the suspect: a fork draws those that it writes to, and costs less than a start.
    options.forks = !options.fresh;
    options.counting = counting;
    options.surroundings = &side->side->surroundings;
    options.cc = side->side->cc ? side->side->cc : options.cc;
    *cflags = mem_format("%s %s", options.cflags ? options.cflags : "",
                         side->side->cflags ? side->side->cflags : "");
    if (strspn(*cflags, " ") != strlen(*cflags))
        options.cflags = *cflags;
    return options;
}

static struct bilanx_error prepare_statements(const struct ab_arguments *arguments, bool counting,
                                              struct ab_side *side)
{
    AUTO(memory) char *cflags = NULL;
    struct statement_options options = options_of(arguments, side, counting, &cflags);
    BILANX_TRY(statements_prepare_plain(arguments->stmts.items, arguments->stmts.count, &options,
                                        &side->statements));
    if (counting)
        BILANX_TRY(statements_add_barrier(&options, &side->statements));
    side->cases = side->statements.cases;
    return BILANX_SUCCESS;
}

// The words of an option as an array that ends in NULL.
static const char **ended(const struct words *words, const char *further)
{
    const char **array = mem_array(const char *, words->count + 2);
    if (words->count)
        memcpy(array, words->items, words->count * sizeof *array);
    array[words->count] = further;
    return array;
}

// What lies below the working directory is meant to be there on every side: each revision has its
// own of what a suite names.
static const char *below(const char *path)
{
    char here[4096];
    size_t size = getcwd(here, sizeof here) ? strlen(here) : 0;
    return size && strncmp(path, here, size) == 0 && path[size] == '/' ? path + size + 1 : path;
}

static struct bilanx_error read_suites(const struct words *paths, struct ab_side *side)
{
    side->suite = bilanx_suite_new(NULL);
    for (size_t i = 0; i < paths->count; i++)
        BILANX_TRY(bilanx_suite_read_file(side->suite, below(paths->items[i])));
    return BILANX_SUCCESS;
}

static struct bilanx_error prepare_suites(const struct ab_arguments *arguments, bool counting,
                                          struct ab_side *side)
{
    AUTO(memory) char *cflags = NULL;
    struct statement_options options = options_of(arguments, side, counting, &cflags);
    AUTO(memory) const char **tags = ended(&arguments->tags, NULL);
    AUTO(memory) const char **without =
        ended(&arguments->without_languages, arguments->no_cpp ? "c++" : NULL);
    BILANX_TRY(selection_make(
        side->suite,
        &(struct selection_options){.suite = {.filter = arguments->settings.filter,
                                              .tags = tags[0] ? tags : NULL,
                                              .without_languages = without[0] ? without : NULL},
                                    .backtest = arguments->backtest,
                                    .defaults = &options},
        &side->selection));
    BILANX_TRY(schedule_open(&side->selection, &options, complain, &side->schedule));
    BILANX_TRY(schedule_prepare(&side->schedule));
    side->cases = side->schedule.cases;
    return BILANX_SUCCESS;
}

static struct bilanx_error prepare_program(const struct ab_arguments *arguments, const char *given,
                                           struct ab_side *side)
{
    side->argv[0] = side->side->path ? side->side->path : given;
    if (!side->argv[0])
        return bilanx_error_make(BILANX_E_USAGE,
                                 "nothing to compare: --stmt STMT, a suite or a benchmark program");
    side->program = (struct run_subject){.name = side->argv[0],
                                         .barrier = " case=0 barrier=1",
                                         .launch = {.argv = side->argv,
                                                    .channel = WORKER_CHANNEL,
                                                    .surroundings = &side->side->surroundings}};
    BILANX_TRY(run_list(&side->program, arguments->settings.filter, &side->listed));
    side->cases = side->listed;
    return BILANX_SUCCESS;
}

// One case: the call of the command. All commands have the same name, or they would be no pair.
static struct bilanx_error prepare_command(struct ab_side *side)
{
    BILANX_TRY(list_split(&side->words, side->side->command));
    if (side->words.count == 0)
        return bilanx_error_make(BILANX_E_USAGE, "side %s has no command", side->side->name);
    AUTO(memory) char *program =
        surroundings_find_program(&side->side->surroundings, side->words.items[0]);
    if (!program)
        return bilanx_error_make(BILANX_E_SYSTEM, "there is no command '%s'", side->words.items[0]);
    side->program = (struct run_subject){.name = side->side->command,
                                         .launch = {.argv = (const char *const *)side->words.items,
                                                    .surroundings = &side->side->surroundings}};
    side->listed = (struct run_cases){.items = mem_new(struct run_case), .count = 1};
    side->listed.items[0] = (struct run_case){.subject = &side->program,
                                              .name = mem_text("command"),
                                              .task = {.stmt = mem_text(side->side->command),
                                                       .language = mem_text("command"),
                                                       .num_threads = 1}};
    side->cases = side->listed;
    return BILANX_SUCCESS;
}

static struct bilanx_error prepare_cases(const struct ab_arguments *arguments,
                                         const struct words *subjects, bool counting,
                                         struct ab_side *side)
{
    if (side->side->kind == &side_command)
        return prepare_command(side);
    if (arguments->stmts.count)
        return prepare_statements(arguments, counting, side);
    if (side->suite)
        return prepare_suites(arguments, counting, side);
    return prepare_program(arguments, subjects->count ? subjects->items[0] : NULL, side);
}

static struct bilanx_error prepare_side(const struct ab_arguments *arguments,
                                        const struct words *subjects, bool counting,
                                        struct ab_side *side)
{
    // Suites are read where bilanx was called, not where the side is.
    if (!arguments->stmts.count && subjects->count &&
        source_kind_of(subjects->items[0]) == &suite_source)
        BILANX_TRY(read_suites(subjects, side));
    struct bilanx_error error = prepare_cases(arguments, subjects, counting, side);
    if (error.status == BILANX_OK || error.status == BILANX_E_INTERRUPTED ||
        error.status == BILANX_E_USAGE)
        return error;
    return bilanx_error_make(error.status, "side %s (%s): %s", side->side->name, side->side->title,
                             error.text);
}

static size_t place_of(const struct run_case *item, const struct run_cases *cases)
{
    size_t at = 0;
    while (at < cases->count && !text_equal(cases->items[at].name, item->name))
        at++;
    return at;
}

// Keeps the cases that every side has, in the order of the first.
static void align(struct ab_sides *sides)
{
    AUTO(memory) struct run_cases *all = mem_array(struct run_cases, sides->count);
    size_t most = sides->items[0].cases.count;
    for (size_t i = 0; i < sides->count; i++) {
        all[i] = sides->items[i].cases;
        sides->items[i].cases = (struct run_cases){.items = mem_array(struct run_case, most)};
        sides->items[i].places = mem_array(size_t, most);
    }
    for (size_t at = 0; at < most; at++) {
        const struct run_case *item = &all[0].items[at];
        const char *missing = NULL;
        for (size_t i = 1; i < sides->count; i++) {
            sides->items[i].places[sides->items[i].cases.count] = place_of(item, &all[i]);
            if (place_of(item, &all[i]) == all[i].count)
                missing = sides->items[i].side->name;
        }
        if (missing) {
            AUTO(memory) char *told = mem_format("'%s' is not on side %s", item->name, missing);
            complain(told);
            continue;
        }
        sides->items[0].places[sides->items[0].cases.count] = at;
        for (size_t i = 0; i < sides->count; i++) {
            struct ab_side *side = &sides->items[i];
            side->cases.items[side->cases.count] = all[i].items[side->places[side->cases.count]];
            side->cases.count++;
        }
    }
}

// Whether they were prepared or not, the array is the side's own from here on.
static void copy_cases(struct ab_side *side)
{
    struct run_cases all = side->cases;
    side->cases = (struct run_cases){.items = mem_array(struct run_case, all.count)};
    for (size_t i = 0; i < all.count; i++)
        side->cases.items[side->cases.count++] = all.items[i];
}

// Whole commands compare with commands only.
static struct bilanx_error check_kinds(const struct ab_sides *sides)
{
    const struct side *first = sides->items[0].side;
    for (size_t i = 1; i < sides->count; i++) {
        const struct side *other = sides->items[i].side;
        bool one_command = (first->kind == &side_command) != (other->kind == &side_command);
        if (one_command)
            return bilanx_error_make(BILANX_E_USAGE,
                                     "a command compares with a command: sides %s and %s do not",
                                     first->name, other->name);
    }
    return BILANX_SUCCESS;
}

struct bilanx_error ab_prepare(const struct ab_arguments *arguments, const struct words *subjects,
                               bool counting, struct ab_sides *sides)
{
    struct bilanx_error error = check_kinds(sides);
    bool stored = false;
    for (size_t i = 0; i < sides->count && error.status == BILANX_OK; i++) {
        if (sides->items[i].side->kind == &side_records)
            stored = true;
        else
            error = prepare_side(arguments, subjects, counting, &sides->items[i]);
    }
    if (error.status == BILANX_OK && !stored)
        align(sides);
    else
        for (size_t i = 0; i < sides->count; i++)
            copy_cases(&sides->items[i]);
    if (error.status == BILANX_OK && !stored && sides->items[0].cases.count == 0)
        return bilanx_error_make(BILANX_E_FAILED, "there is no case that all sides have");
    return error;
}
