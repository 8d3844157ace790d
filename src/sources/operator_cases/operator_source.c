// operator_source: the operators of logs as a source of cases, for commands that measure any.
//
// A case is one call on the usual baseline: torch, or else the reference. `bilanx ops` compares
// backends, which take turns on the same tensors.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/filter.h"
#include "base/lines.h"
#include "base/mem.h"
#include "hosts.h"
#include "op_subjects.h"
#include "sources/source/source.h"

enum { MOST_SAMPLES = 15 };  // of an operator, the default of `bilanx ops`
static const char MARK[] = "Operator: ";

struct operator_state {
    struct operator_log log;
    struct ops ops;
    struct ops_hosts *hosts;
    struct op_subjects *subjects;
};

// A log begins with an operator, after comments.
static bool takes(const char *word)
{
    enum { LOOKED_AT = 4096 };
    struct stat facts;
    if (stat(word, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    AUTO(lines) struct lines lines = {0};
    const char *bytes;
    size_t size, at = 0;
    if (lines_open(word, &lines).status != BILANX_OK ||
        lines_peek(&lines, LOOKED_AT, &bytes, &size).status != BILANX_OK)
        return false;
    while (at < size && (bytes[at] == '#' || bytes[at] == '\n')) {
        const char *end = memchr(bytes + at, '\n', size - at);
        at = end ? (size_t)(end - bytes) + 1 : size;
    }
    return size - at >= sizeof MARK - 1 && memcmp(bytes + at, MARK, sizeof MARK - 1) == 0;
}

static struct bilanx_error keep_matching(const char *filter, struct run_cases *cases)
{
    AUTO(filter) struct filter chosen = {0};
    BILANX_TRY(filter_open(filter, &chosen));
    struct run_cases dropped = {0};
    size_t kept = 0;
    for (size_t i = 0; i < cases->count; i++) {
        if (filter_keeps(&chosen, cases->items[i].name)) {
            cases->items[kept++] = cases->items[i];
            continue;
        }
        mem_grow(dropped.items, dropped.count, &dropped.room);
        dropped.items[dropped.count++] = cases->items[i];
    }
    cases->count = kept;
    run_cases_done(&dropped);
    return BILANX_SUCCESS;
}

static struct bilanx_error open_logs(struct source *source)
{
    const struct source_request *request = &source->request;
    struct operator_state *state = source->state = mem_new(struct operator_state);
    for (size_t i = 0; i < request->word_count; i++)
        BILANX_TRY(operator_log_add(&state->log, request->words[i]));
    state->ops.options = (struct ops_options){.data.dtype = "f32", .most_samples = MOST_SAMPLES};
    BILANX_TRY(ops_backends_usual_baseline(&state->ops.backends));
    BILANX_TRY(ops_plan(&state->ops, &state->log));
    source->cases = state->ops.cases;
    state->ops.cases = (struct run_cases){0};
    return keep_matching(request->filter, &source->cases);
}

static struct bilanx_error prepare(struct source *source, bool *more)
{
    struct operator_state *state = source->state;
    *more = false;
    BILANX_TRY(ops_hosts_start(&state->ops, &state->hosts));
    state->subjects = op_subjects_new(&state->ops, state->hosts);
    op_subjects_stand_by(state->subjects);
    op_subjects_assign(state->subjects, &state->ops, &source->cases);
    return BILANX_SUCCESS;
}

static void done(struct source *source)
{
    struct operator_state *state = source->state;
    run_cases_done(&source->cases);
    if (!state)
        return;
    op_subjects_free(state->subjects);
    ops_hosts_free(state->hosts);
    ops_done(&state->ops);
    operator_log_done(&state->log);
    free(state);
}

const struct source_kind operator_source = {
    .name = "operators",
    .takes = takes,
    .open = open_logs,
    .prepare = prepare,
    .done = done,
};
