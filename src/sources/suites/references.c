// references: finds the cases that `overhead_of` refers to.
#include "references.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/text.h"
#include "languages.h"

// The cases of a suite by their labels. Cases of one entry share them.
struct labels {
    const struct bilanx_suite *suite;
    struct index first;  // by labels
    size_t *next;        // the next case with the same labels; SIZE_MAX: none
};

static struct hash hash_of(const char *label)
{
    struct hash hash = hash_start();
    hash_add_text(&hash, label);
    return hash;
}

static void labels_init(struct labels *labels, const struct bilanx_suite *suite)
{
    labels->suite = suite;
    labels->next = mem_array(size_t, suite->count + 1);
    AUTO(memory) size_t *last = mem_array(size_t, suite->count + 1);
    for (size_t i = 0; i < suite->count; i++) {
        bool added;
        size_t first =
            index_find_or_add(&labels->first, hash_of(suite->cases[i]->label), i, &added);
        labels->next[i] = SIZE_MAX;
        if (!added)
            labels->next[last[first]] = i;
        last[first] = i;
    }
}

static void labels_done(struct labels *labels)
{
    index_done(&labels->first);
    free(labels->next);
}
SCOPE_VALUE(labels, labels_done)

static struct bilanx_error wrong(const struct bilanx_suite_case *item, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static struct bilanx_error wrong(const struct bilanx_suite_case *item, const char *format, ...)
{
    AUTO(text) struct text place = {0};
    text_format(&place, "%s:%u", item->file, item->line);
    if (item->column)
        text_format(&place, ":%u", item->column);
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return bilanx_error_make(BILANX_E_INPUT, "%s: 'overhead_of' of '%.120s' %s", text_get(&place),
                             item->name, text);
}

static bool same_language(const struct bilanx_suite_case *a, const struct bilanx_suite_case *b)
{
    return text_equal(a->task.language, b->task.language);
}

static bool same_values(const struct bilanx_suite_case *a, const struct bilanx_suite_case *b)
{
    return text_equal(a->task.parameters, b->task.parameters);
}

static bool same_threads(const struct bilanx_suite_case *a, const struct bilanx_suite_case *b)
{
    return a->task.num_threads == b->task.num_threads;
}

static bool same_compiler(const struct bilanx_suite_case *a, const struct bilanx_suite_case *b)
{
    return text_equal(a->task.env, b->task.env) && text_equal(a->cc, b->cc) &&
           text_equal(a->flags, b->flags) && text_equal(a->ldflags, b->ldflags);
}

static bool same_mode(const struct bilanx_suite_case *a, const struct bilanx_suite_case *b)
{
    return a->mode == b->mode && a->autograd == b->autograd;
}

static bool same_description(const struct bilanx_suite_case *a, const struct bilanx_suite_case *b)
{
    return text_equal(a->task.description, b->task.description);
}

// If an entry has several cases, chooses the one that is most similar to `item`.
static bool (*const likenesses[])(const struct bilanx_suite_case *a,
                                  const struct bilanx_suite_case *b) = {
    same_language, same_values, same_threads, same_compiler, same_mode, same_description,
};

struct candidates {
    size_t *items;
    size_t count, room;
};

static void keep_alike(const struct bilanx_suite *suite, const struct bilanx_suite_case *item,
                       struct candidates *candidates)
{
    for (size_t i = 0; i < sizeof likenesses / sizeof *likenesses; i++) {
        size_t alike = 0;
        for (size_t k = 0; k < candidates->count; k++)
            if (likenesses[i](item, suite->cases[candidates->items[k]])) {
                size_t moved = candidates->items[k];
                candidates->items[k] = candidates->items[alike];
                candidates->items[alike++] = moved;
            }
        candidates->count = alike ? alike : candidates->count;
    }
}

static void add_labelled(const struct labels *labels, const char *label, struct candidates *out)
{
    size_t at = index_find(&labels->first, hash_of(label));
    for (; at != SIZE_MAX; at = labels->next[at]) {
        mem_grow(out->items, out->count, &out->room);
        out->items[out->count++] = at;
    }
}

// A sibling's last label, or all labels of a case, or its name.
static void find_candidates(const struct labels *labels, const struct bilanx_suite_case *item,
                            struct candidates *out)
{
    const char *slash = strrchr(item->label, '/'), *name = item->overhead_of;
    if (slash) {
        AUTO(memory) char *sibling =
            mem_format("%.*s/%s", (int)(slash - item->label), item->label, name);
        add_labelled(labels, sibling, out);
    }
    if (out->count == 0)
        add_labelled(labels, name, out);
    for (size_t i = 0; out->count == 0 && i < labels->suite->count; i++)
        if (strcmp(labels->suite->cases[i]->name, name) == 0) {
            mem_grow(out->items, out->count, &out->room);
            out->items[out->count++] = i;
        }
}

static struct bilanx_error no_such_case(const struct bilanx_suite *suite,
                                        const struct bilanx_suite_case *item)
{
    AUTO(list) struct list names = {0};
    for (size_t i = 0; i < suite->count; i++) {
        const char *slash = strrchr(suite->cases[i]->label, '/');
        list_add(&names, suite->cases[i]->label);
        if (slash)
            list_add(&names, slash + 1);
    }
    const char *nearest =
        text_nearest(item->overhead_of, (const char *const *)names.items, names.count);
    return wrong(item, "names '%.120s', but there is no such case%s%s%s", item->overhead_of,
                 nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}

static struct bilanx_error resolve_case(const struct labels *labels, size_t at, size_t *out)
{
    const struct bilanx_suite *suite = labels->suite;
    const struct bilanx_suite_case *item = suite->cases[at];
    struct candidates candidates = {0};
    find_candidates(labels, item, &candidates);
    AUTO(memory) size_t *items = candidates.items;
    if (candidates.count == 0)
        return no_such_case(suite, item);
    keep_alike(suite, item, &candidates);
    const struct bilanx_suite_case *other = suite->cases[items[0]];
    if (candidates.count > 1)
        return wrong(item, "could mean '%.120s' or '%.120s': name one of them", other->name,
                     suite->cases[items[1]]->name);
    if (items[0] == at)
        return wrong(item, "refers to the case itself");
    if (strcmp(other->task.language, "program") == 0)
        return wrong(item, "refers to a program, '%.120s', whose cases are not known in advance",
                     other->name);
    if (!same_language(item, other))
        return wrong(item, "refers to '%.120s', which is in %s, not in %s", other->name,
                     suite_language_find(other->task.language)->word,
                     suite_language_find(item->task.language)->word);
    *out = items[0];
    return BILANX_SUCCESS;
}

// Each case of a circle finds itself at its end.
static struct bilanx_error check_circle(const struct bilanx_suite *suite, const size_t *others,
                                        size_t start)
{
    size_t at = others[start];
    for (size_t steps = 0; at != SIZE_MAX && steps < suite->count; steps++) {
        if (at == start)
            return wrong(suite->cases[start],
                         "refers to '%.120s', which refers back to it: one of them must come first",
                         suite->cases[others[start]]->name);
        at = others[at];
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error resolve_all(const struct bilanx_suite *suite, size_t *others)
{
    AUTO(labels) struct labels labels = {0};
    labels_init(&labels, suite);
    for (size_t i = 0; i < suite->count; i++)
        if (suite->cases[i]->overhead_of)
            BILANX_TRY(resolve_case(&labels, i, &others[i]));
    for (size_t i = 0; i < suite->count; i++)
        BILANX_TRY(check_circle(suite, others, i));
    return BILANX_SUCCESS;
}

struct bilanx_error suite_resolve(const struct bilanx_suite *suite, size_t **out)
{
    AUTO(memory) size_t *others = mem_array(size_t, suite->count + 1);
    bool any = false;
    for (size_t i = 0; i < suite->count; i++) {
        others[i] = SIZE_MAX;
        any |= suite->cases[i]->overhead_of != NULL;
    }
    if (any)
        BILANX_TRY(resolve_all(suite, others));
    for (size_t i = 0; any && i < suite->count; i++) {
        struct bilanx_suite_case *item = suite->cases[i];
        if (others[i] == SIZE_MAX)
            continue;
        free(item->overhead_of);
        item->overhead_of = mem_text(suite->cases[others[i]]->name);
    }
    *out = TAKE(others);
    return BILANX_SUCCESS;
}
