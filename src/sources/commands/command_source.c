// command_source: a whole command as a source with one case: a run of it.
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "sources/source/source.h"

struct command_state {
    struct run_subject subject;
    const char **argv;
    char *title;
};

static char *joined(const struct source_request *request)
{
    struct text text = {0};
    for (size_t i = 0; i < request->word_count; i++)
        text_format(&text, "%s%s", i ? " " : "", request->words[i]);
    return text_take(&text);
}

// All commands get the same name; otherwise two of them could not be paired.
static struct bilanx_error open_command(struct source *source)
{
    const struct source_request *request = &source->request;
    if (request->word_count == 0)
        return bilanx_error_make(BILANX_E_USAGE, "no command to run");
    AUTO(memory) char *program =
        surroundings_find_program(request->surroundings, request->words[0]);
    if (!program)
        return bilanx_error_make(BILANX_E_SYSTEM, "command '%s' not found", request->words[0]);
    struct command_state *state = source->state = mem_new(struct command_state);
    state->title = joined(request);
    state->argv = mem_array(const char *, request->word_count + 1);
    for (size_t i = 0; i < request->word_count; i++)
        state->argv[i] = request->words[i];
    state->subject = (struct run_subject){
        .name = state->title,
        .launch = {.argv = state->argv, .surroundings = request->surroundings}};
    source->cases = (struct run_cases){.items = mem_new(struct run_case), .count = 1};
    source->cases.items[0] = (struct run_case){.subject = &state->subject,
                                               .name = mem_text("command"),
                                               .task = {.stmt = mem_text(state->title),
                                                        .language = mem_text("command"),
                                                        .num_threads = 1}};
    return BILANX_SUCCESS;
}

static void done(struct source *source)
{
    struct command_state *state = source->state;
    run_cases_done(&source->cases);
    if (state) {
        free(state->argv);
        free(state->title);
    }
    free(state);
}

const struct source_kind command_source = {
    .name = "command",
    .open = open_command,
    .done = done,
};
