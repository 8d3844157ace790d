// perf_names: names without arguments, kinds from objects.
#include "perf_names.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

bool perf_part_is(struct perf_part part, const char *text)
{
    return strlen(text) == part.size && memcmp(part.text, text, part.size) == 0;
}

static bool part_has(struct perf_part part, const char *text)
{
    return memmem(part.text, part.size, text, strlen(text)) != NULL;
}

static bool part_ends(struct perf_part part, const char *text)
{
    size_t size = strlen(text);
    return part.size >= size && memcmp(part.text + part.size - size, text, size) == 0;
}

// Whether an object holds code made at run time: /tmp/perf-19982.map, /tmp/jitted-19982-3.so.
static bool is_made_at_run_time(struct perf_part object)
{
    static const char *const starts[] = {"/tmp/perf-", "/jitted-"};
    static const char *const endings[] = {".map", ".so"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const char *at = memmem(object.text, object.size, starts[i], strlen(starts[i]));
        if (at && isdigit((unsigned char)at[strlen(starts[i])]) && part_ends(object, endings[i]))
            return true;
    }
    return false;
}

static enum frame_kind kind_of(struct perf_part object)
{
    if (perf_part_is(object, "inlined"))
        return FRAME_INLINED;
    bool in_kernel =
        object.size && (object.text[0] == '[' || part_ends(object, "vmlinux") ||
                        part_has(object, "/vmlinux-") || part_has(object, "/lib/modules/"));
    if (in_kernel && !part_has(object, "unknown"))
        return FRAME_KERNEL;
    return is_made_at_run_time(object) ? FRAME_JIT : FRAME_NATIVE;
}

// A frame without a symbol is named after its object.
static void name_unknown(const struct perf_naming *naming, const struct perf_frame *frame,
                         struct text *out)
{
    struct perf_part object = frame->object;
    text_add_char(out, '[');
    if (object.size == 0 || perf_part_is(object, "[unknown]")) {
        text_add(out, "unknown");
    } else {
        const char *slash = memrchr(object.text, '/', object.size);
        const char *base = slash ? slash + 1 : object.text;
        text_add_n(out, base, object.size - (size_t)(base - object.text));
    }
    if (naming->options->addresses)
        text_format(out, " <%.*s>", (int)frame->address.size, frame->address.text);
    text_add_char(out, ']');
}

// Arguments are noise, except in Go's names, net/http.(*Client).Do, and (anonymous namespace).
static void drop_arguments(char *name)
{
    static const char anonymous[] = "(anonymous namespace)";
    const char *go = strstr(name, ".(");
    if (go && strstr(go, ")."))
        return;
    for (char *at = strchr(name, '('); at; at = strchr(at + 1, '('))
        if (strncmp(at, anonymous, sizeof anonymous - 1) != 0) {
            *at = '\0';
            return;
        }
}

// Semicolons separate frames, and quotes are in the way of other tools.
static void clean(char *name)
{
    for (char *at = name; *at; at++)
        if (*at == ';')
            *at = ':';
    drop_arguments(name);
    char *to = name;
    for (const char *from = name; *from; from++)
        if (*from != '"' && *from != '\'')
            *to++ = *from;
    *to = '\0';
}

static void annotate(const struct perf_naming *naming, enum frame_kind kind, bool inlined,
                     struct text *name)
{
    const struct stack_file_options *options = naming->options;
    if (inlined) {
        if (!strstr(text_get(name), "_[i]"))
            text_add(name, "_[i]");
    } else if (kind == FRAME_KERNEL && options->kernel) {
        text_add(name, "_[k]");
    } else if (kind == FRAME_JIT && options->jit && !strstr(text_get(name), "_[j]")) {
        text_add(name, "_[j]");
    }
}

unsigned perf_names_frame(struct perf_naming *naming, const struct perf_frame *frame,
                          struct perf_part symbol, bool inlined)
{
    struct text *name = &naming->name;
    enum frame_kind kind = kind_of(frame->object);
    text_clear(name);
    if (symbol.size == 0 || perf_part_is(symbol, "[unknown]"))
        name_unknown(naming, frame, name);
    else
        text_add_n(name, symbol.text, symbol.size);
    clean(name->data);
    name->size = strlen(name->data);
    if (naming->is_java && name->data[0] == 'L' && strchr(name->data, '/')) {
        memmove(name->data, name->data + 1, name->size);
        name->size--;
    }
    annotate(naming, kind, inlined, name);
    if (inlined)
        kind = FRAME_INLINED;
    else if (text_starts(text_get(name), "py::"))  // python -X perf
        kind = FRAME_PYTHON;
    bool is_file = frame->object.size && frame->object.text[0] == '/';
    AUTO(memory) char *object = is_file ? mem_text_n(frame->object.text, frame->object.size) : NULL;
    return stacks_frame(
        naming->stacks,
        &(struct stack_frame){.name = text_get(name), .object = object, .kind = kind});
}

unsigned perf_names_command(struct perf_naming *naming, const struct perf_header *header)
{
    const struct stack_file_options *options = naming->options;
    struct text *name = &naming->name;
    text_clear(name);
    text_add_n(name, header->command.text, header->command.size);
    if (options->tid || options->pid)
        text_format(name, "-%.*s", header->pid.size ? (int)header->pid.size : 1,
                    header->pid.size ? header->pid.text : "?");
    if (options->tid)
        text_format(name, "/%.*s", (int)header->tid.size, header->tid.text);
    for (char *at = name->data; *at; at++)
        *at = *at == ' ' ? '_' : *at == ';' ? ':' : *at;
    return stacks_frame(naming->stacks,
                        &(struct stack_frame){.name = name->data, .kind = FRAME_THREAD});
}
