// compiler: compiles snippets into shared objects.
//
// One compiler call does everything: compile, link, and list the files read. A snippet that does
// not compile is tried again without the code we add. If that works, our code was at fault; if not,
// the messages are only about the user's text.
#include "compiler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "building.h"
#include "loops.h"
#include "snippet_inputs.h"

void object_done(struct object *object)
{
    free(object->path);
    free(object->cc);
    free(object->flags);
    free(object->fixed);
    *object = (struct object){0};
}

void built_done(struct built *built)
{
    object_done(&built->object);
    text_done(&built->diagnostics);
}

// A snippet being compiled.
struct job {
    struct snippet snippet;
    struct digest key;
    struct built *built;
    struct cache_entry entry;
};

struct batch {
    struct job **jobs;
    size_t count;
};

static struct bilanx_error compile_alone(struct building *building, const struct snippet *snippet,
                                         struct text *diagnostics)
{
    AUTO(text) struct text source = {0};
    if (!building->precompiled)
        snippet_write_prelude(snippet, &source);
    snippet_write_globals(snippet, &source);
    snippet_write_functions(snippet, 0, &source);
    return building_compile(building, &source, snippet_has_headers(snippet), diagnostics);
}

// Omits what conflicts with the user's names: first the headers, then GNU extensions. If a header
// is still mentioned although omitted, another one includes it (libstdc++'s <math.h> includes all
// of <stdlib.h>), and all are omitted.
static struct bilanx_error compile_without_conflicts(struct building *building,
                                                     struct snippet *snippet,
                                                     struct text *diagnostics)
{
    for (;;) {
        struct bilanx_error error = compile_alone(building, snippet, diagnostics);
        unsigned named = snippet_conflicts(text_get(diagnostics));
        unsigned found = (named & ~snippet->without ? named
                          : named                   ? ~0u
                                                    : 0) &
                         ~snippet->without & snippet_all_headers;
        if (error.status != BILANX_E_COMPILE || found == 0)
            return error;
        snippet->without |= found;
    }
}

static size_t count_errors(const struct text *diagnostics)
{
    size_t count = 0;
    for (const char *at = text_get(diagnostics); (at = strstr(at, "error: ")); at++)
        count++;
    return count;
}

// Messages about a mistake can mention headers, too: "string.h:407: note: declared here". Without
// those, calling their functions is one more mistake.
static struct bilanx_error explain_with_headers(struct building *building,
                                                const struct snippet *snippet,
                                                struct bilanx_error error, struct text *diagnostics)
{
    AUTO(text) struct text without = {0};
    text_add(&without, text_get(diagnostics));
    struct bilanx_error again = compile_alone(building, snippet, diagnostics);
    if (again.status != BILANX_E_COMPILE || count_errors(diagnostics) < count_errors(&without))
        return again;
    text_clear(diagnostics);
    text_add(diagnostics, text_get(&without));
    return error;
}

// Tries our normal form, then with all headers, then the plain text.
static struct bilanx_error compile_somehow(struct building *building, struct job *job, bool *plain)
{
    struct snippet snippet = job->snippet;
    struct text *diagnostics = &job->built->diagnostics;
    struct bilanx_error error = compile_without_conflicts(building, &snippet, diagnostics);
    *plain = snippet.plain;
    if (error.status == BILANX_E_COMPILE && !snippet_has_headers(&snippet)) {
        snippet.headers = true;
        error = compile_alone(building, &snippet, diagnostics);
    }
    if (error.status != BILANX_E_COMPILE || *plain)
        return error;
    snippet.plain = snippet.single = *plain = true;
    error = compile_alone(building, &snippet, diagnostics);
    if (error.status == BILANX_E_COMPILE && snippet.without != job->snippet.without) {
        snippet.without = job->snippet.without;
        error = explain_with_headers(building, &snippet, error, diagnostics);
    }
    BILANX_TRY(error);
    snippet.single = false;
    return compile_alone(building, &snippet, diagnostics);
}

// The object contains the compiler's version; asking the compiler would take a process.
static void add_version(const char *object, struct list *facts)
{
    static const char mark[] = "bilanx-compiler:";
    AUTO(text) struct text content = {0};
    if (file_read(object, &content).status != BILANX_OK)
        return;
    const char *found = memmem(content.data, content.size, mark, sizeof mark - 1);
    if (found)
        list_take(facts, mem_format("cc %s", found + sizeof mark - 1));
}

// Examines the code before linking, or after it if link-time optimisation leaves nothing to examine
// earlier. With a sync the loop found may belong to the sync; only timing can decide then.
static void add_trace(const struct job *job, size_t place, const char *object, struct loops *loops,
                      struct list *facts)
{
    AUTO(loops) struct loops linked = {.object = object};
    bool removed = false;
    if (job->snippet.sync)
        return;
    if (loops_removed(loops, place, &removed).status == BILANX_OK ||
        loops_removed(&linked, place, &removed).status == BILANX_OK)
        list_add(facts, removed ? "removed 1" : "traced 1");
}

static struct bilanx_error keep(const struct building *building, struct job *job, size_t place,
                                bool plain, const char *object, struct loops *loops)
{
    struct list *facts = &job->entry.facts;
    add_version(object, facts);
    add_trace(job, place, object, loops, facts);
    if (plain && !job->snippet.plain)
        list_add(facts, "plain 1");
    list_take(facts, mem_format("place %zu", place));
    list_take(facts, mem_format("layouts %u", building->layouts));
    if (building->fixed)
        list_take(facts, mem_format("fixed %s", building->fixed));
    return (place ? cache_share : cache_keep)(building->cache, &job->key, object, &building->inputs,
                                              building->started_ns, &job->entry);
}

static struct bilanx_error keep_alone(struct building *building, struct job *job, bool plain)
{
    AUTO(memory) char *object = building_path(building, "s.so");
    AUTO(memory) char *code = building_code(building);
    building_inputs(building, "s.d");
    building_inputs(building, "s.ld");
    AUTO(loops) struct loops loops = {.object = code};
    return keep(building, job, 0, plain, object, &loops);
}

static struct bilanx_error build_alone(struct building *building, struct job *job)
{
    bool plain = false;
    BILANX_TRY(building_sources(building, &job->built->diagnostics));
    struct bilanx_error error = compile_somehow(building, job, &plain);
    if (job->snippet.inputs)
        error = snippet_inputs_explain(job->snippet.inputs, snippet_has_torch(&job->snippet),
                                       text_get(&job->built->diagnostics), error);
    BILANX_TRY(error);
    return keep_alone(building, job, plain);
}

static void write_all(const struct building *building, const struct batch *batch, bool *math,
                      struct text *out)
{
    struct snippet common = batch->jobs[0]->snippet;
    for (size_t i = 0; i < batch->count; i++) {
        *math |= snippet_has_headers(&batch->jobs[i]->snippet);
        common.named |= snippet_named(&batch->jobs[i]->snippet);
        if (!common.inputs)  // only whether there are any: each function declares its own
            common.inputs = batch->jobs[i]->snippet.inputs;
    }
    common.headers = *math;
    if (!building->precompiled)
        snippet_write_prelude(&common, out);
    snippet_write_globals(&common, out);
    for (size_t i = 0; i < batch->count; i++)
        snippet_write_functions(&batch->jobs[i]->snippet, i + 1, out);
}

// Gives each snippet a link to the object under its own name.
static struct bilanx_error keep_all(struct building *building, const struct batch *batch)
{
    AUTO(memory) char *object = building_path(building, "s.so");
    AUTO(memory) char *code = building_code(building);
    AUTO(loops) struct loops loops = {.object = code};
    building_inputs(building, "s.d");
    building_inputs(building, "s.ld");
    for (size_t i = 0; i < batch->count; i++)
        BILANX_TRY(keep(building, batch->jobs[i], i + 1, false, object, &loops));
    unlink(object);  // the next output must be a new file
    return BILANX_SUCCESS;
}

// Finds snippets whose place, "statement@3@:1:5", occurs in the compiler's messages.
static size_t find_guilty(const char *diagnostics, size_t count, bool *guilty)
{
    size_t found = 0;
    for (const char *at = strchr(diagnostics, '@'); at; at = strchr(at + 1, '@')) {
        char *end;
        unsigned long place = strtoul(at + 1, &end, 10);
        if (end > at + 1 && *end == '@' && place >= 1 && place <= count && !guilty[place - 1]) {
            guilty[place - 1] = true;
            found++;
        }
    }
    return found;
}

// Moves the selected ones to the front; the rest keep their order.
static void some_first(const struct batch *batch, const bool *some)
{
    AUTO(memory) struct job **sorted = mem_array(struct job *, batch->count);
    size_t at = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < batch->count; i++)
            if (some[i] == (pass == 0))
                sorted[at++] = batch->jobs[i];
    memcpy(batch->jobs, sorted, batch->count * sizeof *sorted);
}

static struct bilanx_error compile_batch(struct building *building, const struct batch *batch,
                                         struct text *diagnostics)
{
    bool math = false;
    AUTO(text) struct text source = {0};
    write_all(building, batch, &math, &source);
    BILANX_TRY(building_sources(building, diagnostics));
    BILANX_TRY(building_compile(building, &source, math, diagnostics));
    return keep_all(building, batch);
}

static void fail_all(const struct batch *batch, const struct bilanx_error *error)
{
    for (size_t i = 0; i < batch->count; i++)
        batch->jobs[i]->built->error = *error;
}

// Builds all at once. If that fails, builds the guilty ones alone and then the rest, or halves if
// no snippet is named.
static void build_batch(struct building *building, struct batch batch)
{
    if (batch.count == 1)
        batch.jobs[0]->built->error = build_alone(building, batch.jobs[0]);
    if (batch.count <= 1)
        return;
    AUTO(text) struct text diagnostics = {0};
    struct bilanx_error error = compile_batch(building, &batch, &diagnostics);
    if (error.status != BILANX_E_COMPILE) {
        fail_all(&batch, &error);
        return;
    }
    AUTO(memory) bool *guilty = mem_array(bool, batch.count);
    size_t front = find_guilty(text_get(&diagnostics), batch.count, guilty);
    bool known = front > 0 && front < batch.count;
    if (known)
        some_first(&batch, guilty);
    else
        front = batch.count / 2;
    for (size_t i = 0; known && i < front; i++)
        build_batch(building, (struct batch){batch.jobs + i, 1});
    if (!known)
        build_batch(building, (struct batch){batch.jobs, front});
    build_batch(building, (struct batch){batch.jobs + front, batch.count - front});
}

// Precompiling takes longer than parsing once, so a large batch, which parses once for all, does
// not wait for it.
enum { MANY = 4 };

static bool find_slim(const struct toolchain *toolchain, const struct batch *batch,
                      struct text *headers, struct text *includes)
{
    AUTO(text) struct text all = {0};
    for (size_t i = 0; i < batch->count; i++) {
        const struct snippet *snippet = &batch->jobs[i]->snippet;
        const char *const texts[] = {snippet->global_setup, snippet->setup, snippet->stmt,
                                     snippet->sync};
        if (snippet->inputs || snippet->source)
            return false;
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++)
            text_format(&all, "%s\n", texts[j] ? texts[j] : "");
    }
    return recipes_slim(&toolchain->recipes, text_get(&all), headers, includes);
}

static struct bilanx_error build_once(struct building *building, const struct batch *batch)
{
    struct job *first = batch->jobs[0];
    AUTO(text) struct text prelude = {0}, diagnostics = {0};
    snippet_write_prelude(&first->snippet, &prelude);
    BILANX_TRY(
        precompile(building, &prelude, precompile_pays(building, &prelude) && batch->count < MANY));
    if (batch->count > 1)
        return compile_batch(building, batch, &diagnostics);
    BILANX_TRY(building_sources(building, &diagnostics));
    BILANX_TRY(compile_alone(building, &first->snippet, &diagnostics));
    return keep_alone(building, first, first->snippet.plain);
}

// Tries to compile with only the headers that the names in the snippets require. Returns false if
// that is not enough; the snippets are then unchanged.
static bool build_slim(const struct building *common, const struct batch *batch)
{
    AUTO(text) struct text headers = {0}, includes = {0};
    if (!find_slim(common->toolchain, batch, &headers, &includes))
        return false;
    const char *large = batch->jobs[0]->snippet.recipe;
    for (size_t i = 0; i < batch->count; i++) {
        batch->jobs[i]->snippet.recipe = text_get(&headers);
        batch->jobs[i]->snippet.includes = text_get(&includes);
    }
    AUTO(building) struct building building = *common;
    struct bilanx_error error = building_begin(&building);
    if (error.status == BILANX_OK)
        error = build_once(&building, batch);
    for (size_t i = 0; i < batch->count; i++) {
        batch->jobs[i]->snippet.recipe = large;
        batch->jobs[i]->snippet.includes = NULL;
    }
    if (error.status != BILANX_OK && error.status != BILANX_E_COMPILE)
        fail_all(batch, &error);
    return error.status != BILANX_E_COMPILE;
}

// Uses a separate folder and precompiles costly headers.
static void build(const struct building *common, struct batch batch)
{
    if (build_slim(common, &batch))
        return;
    AUTO(building) struct building building = *common;
    AUTO(text) struct text prelude = {0};
    struct bilanx_error error = building_begin(&building);
    if (error.status == BILANX_OK && building.toolchain->recipes.costly) {
        snippet_write_prelude(&batch.jobs[0]->snippet, &prelude);
        error = precompile(&building, &prelude, batch.count < MANY);
    }
    if (error.status == BILANX_OK)
        build_batch(&building, batch);
    else
        fail_all(&batch, &error);
}

// The code that GCC generates for a statement can depend on the rest of its translation unit: with
// GCC 14, one loop had two instructions more in another batch. Counts in C must not depend on that;
// C++ takes too long to compile one by one.
static bool may_be_joined(const struct building *common, const struct snippet *snippet)
{
    bool exact = common->options->counting && !snippet->cplusplus;
    return !exact && snippet_may_be_joined(snippet);
}

// Builds snippets together if they may share a translation unit, others one by one.
static void build_all(const struct building *common, struct job **jobs, size_t count)
{
    while (count) {
        const struct snippet *first = &jobs[0]->snippet;
        AUTO(memory) bool *together = mem_array(bool, count);
        size_t joined = 0;
        for (size_t i = 0; i < count; i++) {
            const struct snippet *other = &jobs[i]->snippet;
            together[i] = i == 0 || (may_be_joined(common, first) && may_be_joined(common, other) &&
                                     text_equal(first->global_setup, other->global_setup));
            joined += together[i];
        }
        some_first(&(struct batch){jobs, count}, together);
        build(common, (struct batch){jobs, joined});
        jobs += joined;
        count -= joined;
    }
}

static char *join(const struct list *flags, bool math, const struct list *sources)
{
    struct text text = {0};
    const struct list *lists[] = {flags, sources};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < lists[i]->count; j++)
            text_format(&text, "%s%s", text.size ? " " : "", lists[i]->items[j]);
        if (i == 0 && math)
            text_format(&text, "%s-lm", text.size ? " " : "");
    }
    return text_take(&text);
}

static void take_object(struct job *job, const struct building *building, bool cached,
                        double seconds)
{
    struct cache_entry *entry = &job->entry;
    const char *place = cache_fact(entry, "place"), *layouts = cache_fact(entry, "layouts"),
               *fixed = cache_fact(entry, "fixed");
    job->built->object = (struct object){
        .path = TAKE(entry->object),
        .place = place ? strtoul(place, NULL, 10) : 0,
        .cc = mem_text(cache_fact(entry, "cc")),
        .flags = join(&building->toolchain->flags, snippet_has_headers(&job->snippet),
                      &building->options->sources),
        .cached = cached,
        .plain = cache_fact(entry, "plain") != NULL,
        .laundered = !job->snippet.plain && !cache_fact(entry, "plain"),
        .replaced = building->toolchain->replaced,
        .removed = cache_fact(entry, "removed") != NULL,
        .traced = cache_fact(entry, "traced") != NULL,
        .layouts = layouts ? (unsigned)strtoul(layouts, NULL, 10) : 1,
        .fixed = fixed ? mem_text(fixed) : NULL,
        .copies = snippet_has_variant(&job->snippet, &(struct snippet_variant){.copies = 8}),
        .seconds = seconds};
}

static void start_job(struct job *job, const struct snippet *snippet,
                      const struct building *building)
{
    const struct toolchain *toolchain = building->toolchain;
    AUTO(text) struct text source = {0};
    job->snippet = *snippet;
    const struct recipe_parts *recipes = &toolchain->recipes;
    job->snippet.recipe = recipes->headers.size ? text_get(&recipes->headers) : NULL;
    job->snippet.lean = recipes->costly;
    snippet_write(&job->snippet, &source);
    job->key =
        toolchain_key(toolchain, building->options, &source, snippet_has_headers(&job->snippet));
}

struct bilanx_error compiler_build(const struct snippet *snippets, size_t count,
                                   const struct compile_options *options, struct built *out)
{
    uint64_t started = monotonic_ns();
    AUTO(toolchain) struct toolchain toolchain = {0};
    AUTO(cache) struct cache cache = {0};
    BILANX_TRY(toolchain_find(snippets[0].cplusplus, options, &toolchain));
    BILANX_TRY(cache_open(options->cache, &cache));
    struct building common = {.toolchain = &toolchain, .options = options, .cache = &cache};
    AUTO(memory) struct job *jobs = mem_array(struct job, count);
    AUTO(memory) struct job **missing = mem_array(struct job *, count);
    size_t missing_count = 0;
    for (size_t i = 0; i < count; i++) {
        jobs[i].built = &out[i];
        start_job(&jobs[i], &snippets[i], &common);
        if (!options->fresh && cache_find(&cache, &jobs[i].key, &jobs[i].entry))
            take_object(&jobs[i], &common, true, 0);
        else
            missing[missing_count++] = &jobs[i];
    }
    build_all(&common, missing, missing_count);
    double seconds = (double)(monotonic_ns() - started) / 1e9;
    for (size_t i = 0; i < count; i++) {
        if (!out[i].object.path && out[i].error.status == BILANX_OK)
            take_object(&jobs[i], &common, false, seconds / (double)missing_count);
        cache_entry_done(&jobs[i].entry);
    }
    return BILANX_SUCCESS;
}
