// prepare_cases: the cases of one side, from whatever they come from.
#include <string.h>
#include <unistd.h>

#include "ab/comparison/side_cases.h"
#include "base/file.h"
#include "base/mem.h"

// The options of the comparison, with what the side itself decides.
static struct statement_options options_of(const struct ab_options *asked,
                                           const struct ab_side *side, bool counting, char **cflags)
{
    struct statement_options options = asked->code;
    // At the same addresses `sorted` still differs by .8 % from process to process. Physical pages
    // are the suspect: a fork draws those that it writes to, and costs less than a start.
    options.forks = !options.fresh;
    options.counting = counting;
    options.cc = side->side->cc ? side->side->cc : options.cc;
    *cflags = mem_format("%s %s", options.cflags ? options.cflags : "",
                         side->side->cflags ? side->side->cflags : "");
    if (strspn(*cflags, " ") != strlen(*cflags))
        options.cflags = *cflags;
    return options;
}

static struct bilanx_error prepare_statements(const struct ab_options *asked, bool counting,
                                              struct ab_side *side)
{
    AUTO(memory) char *cflags = NULL;
    struct statement_options options = options_of(asked, side, counting, &cflags);
    // All statements that belong to a side have the same name, or they would be no pair.
    const struct statement_text own = {.stmt = side->stmt, .name = "statement"};
    if (side->stmt)
        BILANX_TRY(statements_prepare(&own, 1, &options, &side->statements));
    else
        BILANX_TRY(statements_prepare_plain(asked->stmts.items, asked->stmts.count, &options,
                                            &side->statements));
    if (counting)
        BILANX_TRY(statements_add_barrier(&options, &side->statements));
    side->cases = side->statements.cases;
    return BILANX_SUCCESS;
}

// The words as an array that ends in NULL.
static const char **ended(const struct words *words)
{
    const char **array = mem_array(const char *, words->count + 1);
    if (words->count)
        memcpy(array, words->items, words->count * sizeof *array);
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

struct bilanx_error ab_read_suites(const struct ab_options *options, struct ab_side *side)
{
    side->suite = bilanx_suite_new(NULL);
    for (size_t i = 0; i < options->suites.count; i++)
        BILANX_TRY(bilanx_suite_read_file(side->suite, below(options->suites.items[i])));
    return BILANX_SUCCESS;
}

static struct bilanx_error prepare_suites(const struct ab_options *asked, const struct tell *note,
                                          bool counting, struct ab_side *side)
{
    AUTO(memory) char *cflags = NULL;
    struct statement_options options = options_of(asked, side, counting, &cflags);
    AUTO(memory) const char **tags = ended(&asked->tags);
    AUTO(memory) const char **without = ended(&asked->without_languages);
    BILANX_TRY(selection_make(
        side->suite,
        &(struct selection_options){.suite = {.filter = asked->filter,
                                              .tags = tags[0] ? tags : NULL,
                                              .without_languages = without[0] ? without : NULL},
                                    .backtest = asked->backtest,
                                    .defaults = &options},
        &side->selection));
    BILANX_TRY(schedule_open(&side->selection, &options, note, &side->schedule));
    BILANX_TRY(schedule_prepare(&side->schedule));
    side->cases = side->schedule.cases;
    return BILANX_SUCCESS;
}

static struct bilanx_error prepare_program(const struct ab_options *asked, const struct tell *note,
                                           struct ab_side *side)
{
    side->word = side->side->path ? side->side->path : asked->program;
    if (!side->word)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "nothing to compare: --stmt STMT, a suite or a benchmark program");
    const struct source_kind *kind =
        side->side->path ? &program_source : source_kind_of(side->word);
    BILANX_TRY(source_open(
        kind,
        &(struct source_request){
            .words = &side->word, .word_count = 1, .filter = asked->filter, .tell = *note},
        &side->source));
    BILANX_TRY(source_prepare(&side->source));
    side->cases = side->source.cases;
    return BILANX_SUCCESS;
}

// One case: the call of the command. All commands have the same name, or they would be no pair.
static struct bilanx_error prepare_command(struct ab_side *side)
{
    BILANX_TRY(list_split(&side->words, side->side->command));
    if (side->words.count == 0)
        return bilanx_error_make(BILANX_E_USAGE, "side %s has no command", side->side->name);
    AUTO(memory) char *program = file_find_program(side->words.items[0]);
    if (!program)
        return bilanx_error_make(BILANX_E_SYSTEM, "there is no command '%s'", side->words.items[0]);
    side->command =
        (struct run_subject){.name = side->side->command,
                             .launch = {.argv = (const char *const *)side->words.items, .cpu = -1}};
    side->listed = (struct run_cases){.items = mem_new(struct run_case), .count = 1};
    side->listed.items[0] = (struct run_case){.subject = &side->command,
                                              .name = mem_text("command"),
                                              .task = {.stmt = mem_text(side->side->command),
                                                       .language = mem_text("command"),
                                                       .num_threads = 1}};
    side->cases = side->listed;
    return BILANX_SUCCESS;
}

struct bilanx_error ab_prepare_cases(const struct ab_options *options, const struct tell *note,
                                     bool counting, struct ab_side *side)
{
    if (side->side->kind == &side_command)
        return prepare_command(side);
    if (options->stmts.count || side->stmt)
        return prepare_statements(options, counting, side);
    if (side->suite)
        return prepare_suites(options, note, counting, side);
    return prepare_program(options, note, side);
}
