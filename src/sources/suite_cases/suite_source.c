// suite_source: suites as a source of cases.
#include "suite_source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lines.h"
#include "base/mem.h"

struct suite_state {
    struct bilanx_suite *suite;
    struct selection own;
    const struct selection *selection;  // own, or that of the source it duplicates
    struct statement_options options;
    struct schedule schedule;
    bool scheduled;
};

const struct selection *suite_source_selection(const struct source *source)
{
    return ((const struct suite_state *)source->state)->selection;
}

double suite_source_compile_seconds(const struct source *source)
{
    return ((const struct suite_state *)source->state)->schedule.compile_seconds;
}

void suite_source_columns(const struct source *source, struct list *out)
{
    const struct selection *selection = suite_source_selection(source);
    for (size_t i = 0; i < selection->count; i++)
        for (char **column = selection->cases[i]->columns; column && *column; column++) {
            bool known = false;
            for (size_t k = 0; k < out->count; k++)
                known |= strcmp(out->items[k], *column) == 0;
            if (!known)
                list_add(out, *column);
        }
}

// Which words name a suite.

static bool ends_in(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

// Whether there is a line such as "suite: name" after comments.
static bool starts_like_a_suite(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    while (bytes < end && (*bytes == '#' || isspace((unsigned char)*bytes) ||
                           (end - bytes > 3 && strncmp(bytes, "---", 3) == 0))) {
        const char *line_end = memchr(bytes, '\n', (size_t)(end - bytes));
        bytes = line_end ? line_end + 1 : end;
    }
    const char *word = bytes;
    while (bytes < end && (islower((unsigned char)*bytes) || *bytes == '_'))
        bytes++;
    return bytes > word && bytes < end && *bytes == ':';
}

// "-", a name that ends in .yaml or .yml, or a file that looks like a suite.
static bool takes(const char *word)
{
    if (strcmp(word, "-") == 0 || file_names_descriptor(word) || ends_in(word, ".yaml") ||
        ends_in(word, ".yml"))
        return true;
    struct stat facts;
    if (stat(word, &facts) != 0 || !S_ISREG(facts.st_mode) || access(word, X_OK) == 0)
        return false;
    AUTO(lines) struct lines lines = {0};
    const char *bytes;
    size_t size;
    return lines_open(word, &lines).status == BILANX_OK &&
           lines_peek(&lines, 4096, &bytes, &size).status == BILANX_OK &&
           starts_like_a_suite(bytes, size);
}

// The words of an option as an array that ends in NULL; NULL if there are none.
static const char **ended(const struct words *words)
{
    if (!words || words->count == 0)
        return NULL;
    const char **array = mem_array(const char *, words->count + 1);
    memcpy(array, words->items, words->count * sizeof *array);
    return array;
}

// Until a case is prepared, only its name and task are known.
static void preview(struct source *source)
{
    const struct selection *selection = suite_source_selection(source);
    source->cases = (struct run_cases){.items = mem_array(struct run_case, selection->count),
                                       .count = selection->count};
    for (size_t i = 0; i < selection->count; i++)
        source->cases.items[i] =
            (struct run_case){.name = selection->cases[i]->name, .task = selection->cases[i]->task};
}

static void choose_options(struct source *source, struct suite_state *state)
{
    state->options = *source->request.code;
    state->options.counting = source->request.purpose == SOURCE_FOR_VALGRIND;
    state->options.sampling = source->request.purpose == SOURCE_TO_SAMPLE;
    state->options.surroundings = source->request.surroundings;
}

static struct bilanx_error open_suites(struct source *source)
{
    const struct source_request *request = &source->request;
    struct suite_state *state = source->state = mem_new(struct suite_state);
    state->suite = bilanx_suite_new(NULL);
    state->selection = &state->own;
    for (size_t i = 0; i < request->word_count; i++) {
        if (!takes(request->words[i]))
            return bilanx_error_make(BILANX_E_USAGE,
                                     "'%s' is not a suite: suites and programs cannot be mixed",
                                     request->words[i]);
        BILANX_TRY(bilanx_suite_read_file(state->suite, request->words[i]));
    }
    choose_options(source, state);
    AUTO(memory) const char **tags = ended(request->tags);
    AUTO(memory) const char **without = ended(request->without_languages);
    BILANX_TRY(
        selection_make(state->suite,
                       &(struct selection_options){.suite = {.filter = request->filter,
                                                             .tags = tags,
                                                             .without_languages = without,
                                                             .with_others = request->with_others},
                                                   .backtest = request->backtest,
                                                   .defaults = &state->options},
                       &state->own));
    preview(source);
    return BILANX_SUCCESS;
}

static void keep(struct source *source, const bool *kept)
{
    struct suite_state *state = source->state;
    selection_keep(&state->own, kept);
    free(source->cases.items);
    preview(source);
}

static struct bilanx_error duplicate(const struct source *source, struct source *out)
{
    struct suite_state *state = out->state = mem_new(struct suite_state);
    state->selection = suite_source_selection(source);
    choose_options(out, state);
    preview(out);
    return BILANX_SUCCESS;
}

// Two interpreters per epoch and case would take longer to start than to measure: with overheads,
// epochs fork from two that serve all cases.
static void choose_forks(struct suite_state *state)
{
    for (size_t i = 0; i < state->selection->count; i++)
        if (state->selection->cases[i]->overhead_of)
            state->options.forks = !state->options.fresh;
}

static struct bilanx_error prepare(struct source *source, bool *more)
{
    struct suite_state *state = source->state;
    *more = true;
    if (!state->scheduled) {
        state->scheduled = true;
        if (source->request.with_others)
            choose_forks(state);
        return schedule_open(state->selection, &state->options, &source->request.tell,
                             &state->schedule);
    }
    BILANX_TRY(schedule_prepare_next(&state->schedule, more));
    if (!*more)
        memcpy(source->cases.items, state->schedule.cases.items,
               source->cases.count * sizeof *source->cases.items);
    return BILANX_SUCCESS;
}

static const struct run_case *ready(const struct source *source, size_t place)
{
    const struct suite_state *state = source->state;
    return state->scheduled ? schedule_case(&state->schedule, place) : NULL;
}

static void check(struct source *source, size_t place, struct bilanx_record *record)
{
    struct suite_state *state = source->state;
    schedule_check(&state->schedule, &state->schedule.cases.items[place], record);
}

static void done(struct source *source)
{
    struct suite_state *state = source->state;
    free(source->cases.items);
    if (!state)
        return;
    schedule_done(&state->schedule);
    selection_done(&state->own);
    if (state->suite)
        bilanx_suite_free(state->suite);
    free(state);
}

const struct source_kind suite_source = {
    .name = "suite",
    .takes = takes,
    .open = open_suites,
    .prepare = prepare,
    .ready = ready,
    .check = check,
    .duplicate = duplicate,
    .keep = keep,
    .done = done,
};
