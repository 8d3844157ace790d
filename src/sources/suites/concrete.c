// concrete: an entry with every $name replaced. Two tables list the members that hold text.
#include "concrete.h"

#include <string.h>

#include "base/mem.h"

#define AT(member) offsetof(struct bilanx_suite_entry, member)
#define CODE(member) AT(member.c), AT(member.cxx), AT(member.python)
static const size_t texts[] = {
    AT(timer.stmt),      AT(timer.setup), AT(timer.global_setup), CODE(stmt),      CODE(module),
    CODE(variants),      CODE(setup),     CODE(global_setup),     AT(program),     AT(sub_label),
    AT(description),     AT(env),         AT(signature),          AT(skip),        AT(bytes),
    AT(items),           AT(inputs.spec), AT(overhead_of),        AT(expect.says), AT(expect.time),
    AT(expect.overhead),
};
static const size_t lists[] = {AT(sources), AT(include),  AT(pkg),     AT(with),
                               AT(tags),    AT(required), AT(columns), AT(preload)};

void concrete_done(struct concrete *concrete)
{
    list_done(&concrete->texts);
    list_done(&concrete->arrays);
    *concrete = (struct concrete){0};
}

struct making {
    const struct bindings *bindings;
    const struct origin *origin;
    struct concrete *out;
};

// A text without a dollar is not copied.
static struct bilanx_error make_text(struct making *making, const char **text)
{
    if (!*text || !strchr(*text, '$'))
        return BILANX_SUCCESS;
    AUTO(text) struct text made = {0};
    size_t fault = 0;
    struct bilanx_error error = suite_substitute(*text, making->bindings, &made, &fault);
    if (error.status != BILANX_OK)
        return origin_error(making->origin, *text, fault, error);
    if (made.size > SUITE_LONGEST_TEXT)
        return origin_error(
            making->origin, *text, 0,
            bilanx_error_make(BILANX_E_INPUT,
                              "this text is over a megabyte with its values substituted"));
    list_take(&making->out->texts, text_take(&made));
    *text = making->out->texts.items[making->out->texts.count - 1];
    return BILANX_SUCCESS;
}

// The list owns any memory, not just text.
static void *keep_array(struct making *making, size_t count, size_t size)
{
    void *array = mem_zeroed(count, size);
    list_take(&making->out->arrays, array);
    return array;
}

static struct bilanx_error make_list(struct making *making, const char *const **list)
{
    size_t count = 0;
    if (!*list)
        return BILANX_SUCCESS;
    while ((*list)[count])
        count++;
    const char **made = keep_array(making, count + 1, sizeof *made);
    for (size_t i = 0; i < count; i++) {
        made[i] = (*list)[i];
        BILANX_TRY(make_text(making, &made[i]));
    }
    *list = made;
    return BILANX_SUCCESS;
}

bool suite_compile_ends(const struct bilanx_suite_compile *compile)
{
    return !compile->env && !compile->cc && !compile->cxx && !compile->flags && !compile->ldflags;
}

static struct bilanx_error make_compile(struct making *making)
{
    const struct bilanx_suite_compile *from = making->out->entry.compile;
    size_t count = 0;
    if (!from)
        return BILANX_SUCCESS;
    while (!suite_compile_ends(&from[count]))
        count++;
    struct bilanx_suite_compile *made = keep_array(making, count + 1, sizeof *made);
    for (size_t i = 0; i < count; i++) {
        made[i] = from[i];
        const char **members[] = {&made[i].env, &made[i].cc, &made[i].cxx, &made[i].flags,
                                  &made[i].ldflags};
        for (size_t k = 0; k < sizeof members / sizeof *members; k++)
            BILANX_TRY(make_text(making, members[k]));
        BILANX_TRY(make_list(making, &made[i].required));
    }
    making->out->entry.compile = made;
    return BILANX_SUCCESS;
}

struct bilanx_error concrete_make(const struct bilanx_suite_entry *entry,
                                  const struct bindings *bindings, const struct origin *origin,
                                  struct concrete *out)
{
    AUTO(concrete) struct concrete concrete = {.entry = *entry};
    struct making making = {bindings, origin, &concrete};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        BILANX_TRY(make_text(&making, (const char **)((char *)&concrete.entry + texts[i])));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        BILANX_TRY(make_list(&making, (const char *const **)((char *)&concrete.entry + lists[i])));
    BILANX_TRY(make_compile(&making));
    *out = concrete;
    concrete = (struct concrete){0};
    return BILANX_SUCCESS;
}
