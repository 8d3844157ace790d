// inlined_names: names the functions that the compiler inlined into a measured loop.
#include "inlined_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void inlined_names_done(struct inlined_names *names)
{
    inlined_lines_done(&names->lines);
    free(names->object);
    free(names->function);
    *names = (struct inlined_names){0};
}

// Where we are in a file. All texts are owned.
struct place {
    struct inlined_names *names;
    struct text *out;
    char *object, *file, *function;
    bool ours;            // the function contains a loop of ours
    long line;            // of the last cost
    char *shown;          // the file and the function that were written last, as they were written
    struct text pending;  // a call, up to the line that says where it was
};

static void place_done(struct place *place)
{
    free(place->object);
    free(place->file);
    free(place->function);
    free(place->shown);
    text_done(&place->pending);
}
SCOPE_VALUE(place, place_done)

static void set(char **text, const char *from, size_t size)
{
    free(*text);
    *text = mem_text_n(from, size);
}

// "bilanx_copies1", "bilanx_at12_copies1" or "bilanx_barrier".
static bool is_loop(const char *function)
{
    static const char start[] = "bilanx_", at[] = "at";
    if (!text_starts(function, start))
        return false;
    const char *rest = function + strlen(start);
    if (text_starts(rest, at)) {
        size_t digits = strspn(rest + strlen(at), "0123456789");
        rest += digits ? strlen(at) + digits + 1 : 0;
    }
    size_t copies = text_starts(rest, "copies") ? strlen("copies") : 0;
    return (copies && strspn(rest + copies, "0123456789") == strlen(rest + copies)) ||
           strcmp(rest, "barrier") == 0;
}

static const char *last_part(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

// The lines that say which function costs belong to; NULL: the one that contains the loop.
static char *names_of(const struct place *place, const struct inlined_function *inlined)
{
    const char *file = inlined ? inlined->file : place->file;
    if (!inlined)
        return mem_format("fl=%s\nfn=%s\n", file ? file : "???", place->function);
    return mem_format("fl=%s\nfn=%s (inlined%s%s)\n", file ? file : "???", inlined->name,
                      file ? ", " : "", last_part(file));
}

static void enter_function(struct place *place)
{
    struct inlined_names *names = place->names;
    place->ours = place->object && is_loop(place->function);
    free(place->shown);
    place->shown = names_of(place, NULL);
    if (!place->ours ||
        (text_equal(names->object, place->object) && text_equal(names->function, place->function)))
        return;
    inlined_names_done(names);
    names->object = mem_text(place->object);
    names->function = mem_text(place->function);
    inlined_lines_read(&names->lines, place->object, place->function);
}

// If this changes, later costs belong to another function.
static void name_cost(struct place *place)
{
    char *names = names_of(
        place, inlined_lines_find(&place->names->lines, last_part(place->file), (int)place->line));
    if (!text_equal(place->shown, names))
        text_add(place->out, names);
    free(place->shown);
    place->shown = names;
}

// A position is a number, or relative to the last one; costs follow.
static bool read_position(struct place *place, const char *line)
{
    bool relative = *line == '+' || *line == '-', same = *line == '*';
    if (!relative && !same && !(*line >= '0' && *line <= '9'))
        return false;
    long number = same ? 0 : strtol(line, NULL, 10);
    place->line = relative || same ? place->line + number : number;
    return true;
}

static bool is_call(const char *line)
{
    static const char *const starts[] = {"cfn=", "cfi=", "cfl=", "cob=", "calls="};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (text_starts(line, starts[i]))
            return true;
    return false;
}

static void add_line(struct place *place, const char *line, size_t size)
{
    size_t length = strcspn(line, "\n");
    bool moves = text_starts(line, "fi=") || text_starts(line, "fe=");
    if (text_starts(line, "ob="))
        set(&place->object, line + 3, length - 3);
    else if (text_starts(line, "fl=") || moves)
        set(&place->file, line + 3, length - 3);
    else if (text_starts(line, "fn=")) {
        if (place->ours && place->file)  // a file that stays the same is not written again
            text_format(place->out, "fl=%s\n", place->file);
        set(&place->function, line + 3, length - 3);
        enter_function(place);
    } else if (place->ours && is_call(line)) {
        text_add_n(&place->pending, line, size);
        return;
    } else if (read_position(place, line) && place->ours) {
        name_cost(place);
        text_add_n(place->out, text_get(&place->pending), place->pending.size);
        text_clear(&place->pending);
    }
    if (!place->ours || !moves)
        text_add_n(place->out, line, size);
}

void inlined_names_add(struct inlined_names *names, const char *text, struct text *out)
{
    AUTO(place) struct place place = {.names = names, .out = out};
    for (const char *line = text, *next; *line; line = next) {
        size_t size = strcspn(line, "\n");
        next = line + size + (line[size] == '\n');
        add_line(&place, line, (size_t)(next - line));
    }
    text_add_n(out, text_get(&place.pending), place.pending.size);
}
