// statement_arguments: the options that say what a statement is.
#include "statement_arguments.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static char *joined(const struct words *words)
{
    struct text text = {0};
    for (size_t i = 0; i < words->count; i++)
        text_format(&text, "%s%s", i ? "\n" : "", words->items[i]);
    return words->count ? text_take(&text) : NULL;
}

struct bilanx_error statement_arguments_complete(struct statement_arguments *arguments,
                                                 struct words *stmts)
{
    arguments->setup = joined(&arguments->setups);
    arguments->global = joined(&arguments->globals);
    arguments->options.setup = arguments->setup;
    arguments->options.global_setup = arguments->global;
    arguments->options.language = statements_languages[arguments->language];
    for (size_t i = 0; i < stmts->count; i++) {
        if (strcmp(stmts->items[i], "-") != 0)
            continue;
        if (arguments->from_stdin.size == 0)
            BILANX_TRY(file_read_fd(STDIN_FILENO, "stdin", &arguments->from_stdin));
        stmts->items[i] = text_get(&arguments->from_stdin);
    }
    return BILANX_SUCCESS;
}

void statement_arguments_done(struct statement_arguments *arguments)
{
    struct words *lists[] = {&arguments->setups,           &arguments->globals,
                             &arguments->options.sources,  &arguments->options.includes,
                             &arguments->options.packages, &arguments->options.recipes};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        words_done(lists[i]);
    free(arguments->setup);
    free(arguments->global);
    text_done(&arguments->from_stdin);
}
