// prepare_cases: prepares the cases of one side from any source.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ab/comparison/side_cases.h"
#include "base/mem.h"

// Combines the options of the comparison with those of the side.
static void choose_code(const struct ab_options *asked, struct ab_side *side)
{
    struct statement_options *code = &side->code;
    *code = asked->code;
    // Even at equal addresses, `sorted` varies by .8 % between processes. The likely cause is
    // physical pages: a fork gets new ones for what it writes, and costs less than a start.
    code->forks = !code->fresh;
    code->cc = side->side->cc ? side->side->cc : code->cc;
    side->cflags = mem_format("%s %s", code->cflags ? code->cflags : "",
                              side->side->cflags ? side->side->cflags : "");
    if (strspn(side->cflags, " ") != strlen(side->cflags))
        code->cflags = side->cflags;
}

// A path below the working directory refers to the same path on every side: each revision has its
// own version of the files a suite names.
static const char *below(const char *path)
{
    char here[4096];
    size_t size = getcwd(here, sizeof here) ? strlen(here) : 0;
    return size && strncmp(path, here, size) == 0 && path[size] == '/' ? path + size + 1 : path;
}

static struct bilanx_error choose_command(struct ab_side *side)
{
    BILANX_TRY(list_split(&side->words, side->side->command));
    return side->words.count
               ? BILANX_SUCCESS
               : bilanx_error_make(BILANX_E_USAGE, "side %s has no command", side->side->name);
}

// A benchmark program or a file of fixed times; either may be relative to the side's directory.
static struct bilanx_error choose_program(const struct ab_options *asked, struct ab_side *side,
                                          const struct source_kind **kind)
{
    const char *given = side->side->path ? side->side->path : asked->program;
    if (!given)
        return bilanx_error_make(
            BILANX_E_USAGE, "nothing to compare: give --stmt STMT, a suite or a benchmark program");
    AUTO(memory) char *there = surroundings_path(&side->side->surroundings, given);
    *kind = source_kind_of(there);
    list_add(&side->words, *kind == &program_source ? given : there);
    return BILANX_SUCCESS;
}

// Chooses the source of the side's cases, and its words.
static struct bilanx_error choose_source(const struct ab_options *asked, struct ab_side *side,
                                         const struct source_kind **kind)
{
    const struct words *words = &asked->stmts;
    *kind = &statement_source;
    if (side->side->kind == &side_command) {
        *kind = &command_source;
        return choose_command(side);
    }
    if (side->stmt) {
        list_add(&side->words, side->stmt);
        return BILANX_SUCCESS;
    }
    if (!words->count) {
        *kind = &suite_source;
        words = &asked->suites;
    }
    if (!words->count)
        return choose_program(asked, side, kind);
    for (size_t i = 0; i < words->count; i++)
        list_add(&side->words, *kind == &suite_source ? below(words->items[i]) : words->items[i]);
    return BILANX_SUCCESS;
}

// "gzip, zstd": the programs of all sides. Their only cases need the same name to be paired.
static char *name_of_commands(const struct ab_options *options)
{
    struct text name = {0};
    AUTO(list) struct list names = {0};
    for (size_t i = 0; i < options->side_count; i++) {
        AUTO(list) struct list words = {0};
        const char *spec = options->sides[i].spec, *prefix = side_command.prefix;
        if (!text_starts(spec, prefix) ||
            list_split(&words, spec + strlen(prefix)).status != BILANX_OK || words.count == 0)
            continue;
        const char *slash = strrchr(words.items[0], '/'),
                   *base = slash ? slash + 1 : words.items[0];
        bool known = false;
        for (size_t k = 0; k < names.count; k++)
            known |= strcmp(names.items[k], base) == 0;
        if (known)
            continue;
        text_format(&name, "%s%s", names.count ? ", " : "", base);
        list_add(&names, base);
    }
    return text_take(&name);
}

struct bilanx_error ab_begin_cases(const struct ab_options *options, const struct tell *note,
                                   enum source_purpose purpose, const struct ab_side *first,
                                   struct ab_side *side)
{
    const struct source_kind *kind;
    BILANX_TRY(choose_source(options, side, &kind));
    choose_code(options, side);
    struct source_request request = {
        .words = (const char *const *)side->words.items,
        .word_count = side->words.count,
        // Statements of different sides need the same name; otherwise they could not be paired.
        .name = side->stmt ? "statement" : NULL,
        .purpose = purpose,
        .code = &side->code,
        .surroundings = &side->side->surroundings,
        .filter = options->filter,
        .tags = &options->tags,
        .without_languages = &options->without_languages,
        .backtest = options->backtest,
        .tell = *note,
    };
    BILANX_TRY(source_open(kind, &request, &side->source));
    if (kind == &command_source) {
        struct run_case *only = &side->source.cases.items[0];
        free(only->name);
        only->name = name_of_commands(options);
    }
    BILANX_TRY(side == first ? share_take(&options->share, &side->source)
                             : share_follow(&first->source, &side->source));
    bool more;
    return source_prepare_some(&side->source, &more);
}

struct bilanx_error ab_prepare_cases(struct ab_side *side)
{
    BILANX_TRY(source_prepare(&side->source));
    side->cases = side->source.cases;
    for (size_t i = 0; i < side->cases.count; i++)
        side->cases.items[i].place = source_place(&side->source, i);
    return BILANX_SUCCESS;
}
