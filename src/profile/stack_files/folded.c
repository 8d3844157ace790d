// folded: reads folded stacks, one per line: "main;parse;lex 12".
//
// Written by FlameGraph's stackcollapse scripts, inferno, py-spy and many others. Names are kept as
// they are, except those of Python: "forward (model.py:12)" is the function "forward".
#include "folded.h"

#include <ctype.h>
#include <string.h>

#include "base/index.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "profile/stacks/trees.h"

bool folded_split(char *line, size_t *stack_size, double *weight)
{
    size_t size = *stack_size;
    while (size && isspace((unsigned char)line[size - 1]))
        size--;
    line[size] = '\0';
    size_t at = size;
    while (at && !isspace((unsigned char)line[at - 1]))
        at--;
    if (at == 0 || at == size || !isdigit((unsigned char)line[at]))
        return false;
    enum { SHORT = 15 };  // exact as a double
    double value = 0;
    size_t digits = at;
    for (; digits < size && isdigit((unsigned char)line[digits]); digits++)
        value = value * 10 + (line[digits] - '0');
    if ((digits < size || size - at > SHORT) && !number_read(line + at, &value))
        return false;
    while (at && isspace((unsigned char)line[at - 1]))
        at--;
    line[at] = '\0';
    *stack_size = at;
    *weight = value;
    return true;
}

enum frame_kind folded_kind(const char *name, size_t size)
{
    if (size < 4 || name[size - 1] != ']' || strncmp(name + size - 4, "_[", 2) != 0)
        return FRAME_NATIVE;
    switch (name[size - 2]) {
    case 'k':
        return FRAME_KERNEL;
    case 'i':
        return FRAME_INLINED;
    case 'j':
        return FRAME_JIT;
    default:
        return FRAME_NATIVE;
    }
}

// Whether a file, as in "forward (model.py:12)", is one of Python's.
static bool is_python_file(const char *file)
{
    size_t size = strcspn(file, ":");
    if (file[0] == '<' && size > 1 && file[size - 1] == '>')
        return true;  // <string>, <frozen importlib._bootstrap>
    static const char *const endings[] = {".py", ".pyx", ".pyc", ".pyi"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (size > length && strncmp(file + size - length, endings[i], length) == 0)
            return true;
    }
    return false;
}

// The parenthesis before the file of a Python function; NULL: it is not one.
static char *python_file(char *name, size_t size)
{
    if (size < 4 || name[size - 1] != ')')
        return NULL;
    char *file = NULL;
    for (char *at = strstr(name, " ("); at; at = strstr(at + 1, " ("))
        file = at;
    if (!file || file == name)
        return NULL;
    name[size - 1] = '\0';
    bool found = is_python_file(file + 2);
    name[size - 1] = ')';
    return found ? file : NULL;
}

static unsigned add_frame(struct stacks *stacks, char *name, size_t size)
{
    struct stack_frame frame = {.name = name, .kind = folded_kind(name, size)};
    char *file = python_file(name, size);
    if (file) {
        name[size - 1] = '\0';
        *file = '\0';
        frame.file = file + 2;
        frame.kind = FRAME_PYTHON;
    }
    return stacks_frame(stacks, &frame);
}

// Finds the node of a stack. Lines are often repeated, and finding one by its hash is much faster
// than finding each of its frames.
struct folded_paths {
    struct stacks *stacks;
    struct index nodes;  // by the hash of the whole stack
};

static void folded_paths_done(struct folded_paths *paths)
{
    index_done(&paths->nodes);
}
SCOPE_VALUE(folded_paths, folded_paths_done)

static unsigned find_path(struct folded_paths *paths, char *stack, size_t size)
{
    struct hash hash = hash_start();
    hash_add(&hash, stack, size);
    size_t known = index_find(&paths->nodes, hash);
    if (known != SIZE_MAX)
        return (unsigned)known;
    unsigned node = size ? 0 : stacks_path(paths->stacks, NULL, 0);
    for (char *at = stack, *end = stack + size; size && at <= end;) {
        char *stop = memchr(at, ';', (size_t)(end - at));
        stop = stop ? stop : end;
        *stop = '\0';
        node = stacks_child(paths->stacks, node, add_frame(paths->stacks, at, (size_t)(stop - at)));
        at = stop + 1;
    }
    bool added;
    index_find_or_add(&paths->nodes, hash, node, &added);
    return node;
}

static void add_stack(struct folded_paths *paths, char *stack, size_t size, double weight)
{
    unsigned node = find_path(paths, stack, size);
    paths->stacks->nodes[node].self += weight;
}

// Lines that are not stacks.
struct oddities {
    size_t count;
    unsigned long first;
};

static void tell_oddities(const struct oddities *odd, struct stack_reading *reading)
{
    if (odd->count == 0)
        return;
    AUTO(memory) char *remark =
        mem_format("%s:%lu: not a stack followed by a number: ignored %zu such line%s",
                   reading->lines->name, odd->first, odd->count, odd->count > 1 ? "s" : "");
    list_add(reading->remarks, remark);
}

static void replace_nuls(char *line, size_t size)
{
    for (char *at = line; (at = memchr(at, '\0', size - (size_t)(at - line)));)
        *at = ' ';
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r")] == '\0';
}

bool folded_is_comment(const char *line)
{
    return line[0] == '#' && !strchr(line, ';') && (!line[1] || line[1] == ' ') &&
           (!isdigit((unsigned char)line[strlen(line) - 1]) || strstr(line, ": "));
}

// Calls `take` for each line; it returns false if the line is not a stack.
static struct bilanx_error each_line(struct stack_reading *reading, void *context,
                                     bool (*take)(void *context, char *line, size_t size))
{
    struct oddities odd = {0};
    for (;;) {
        char *line;
        size_t size;
        BILANX_TRY(lines_next(reading->lines, &line, &size));
        if (!line)
            break;
        replace_nuls(line, size);
        if (is_blank(line) || folded_is_comment(line) || take(context, line, size))
            continue;
        if (odd.count++ == 0)
            odd.first = reading->lines->number;
    }
    tell_oddities(&odd, reading);
    return BILANX_SUCCESS;
}

static bool take_stack(void *context, char *line, size_t size)
{
    double weight;
    if (!folded_split(line, &size, &weight))
        return false;
    add_stack(context, line, size, weight);
    return true;
}

static struct bilanx_error read_folded(struct stack_reading *reading)
{
    AUTO(folded_paths) struct folded_paths paths = {reading->stacks};
    BILANX_TRY(each_line(reading, &paths, take_stack));
    stacks_set_unit(reading->stacks, "samples");
    return BILANX_SUCCESS;
}

static bool take_two(void *context, char *line, size_t size)
{
    struct folded_paths *sides = context;
    double before, after;
    if (!folded_split(line, &size, &after) || !folded_split(line, &size, &before))
        return false;
    AUTO(memory) char *copy = mem_text_n(line, size);
    add_stack(&sides[0], copy, size, before);
    add_stack(&sides[1], line, size, after);
    return true;
}

static struct bilanx_error read_difference(struct stack_reading *reading)
{
    AUTO(stacks) struct stacks *before = stacks_new();
    AUTO(stacks) struct stacks *after = stacks_new();
    struct folded_paths sides[2] = {{before}, {after}};
    struct bilanx_error error = each_line(reading, sides, take_two);
    folded_paths_done(&sides[0]);
    folded_paths_done(&sides[1]);
    BILANX_TRY(error);
    stacks_sum(before);
    stacks_sum(after);
    struct stacks *difference;
    BILANX_TRY(stacks_difference(before, after, STACKS_AS_THEY_ARE, &difference));
    stacks_free(reading->stacks);
    reading->stacks = difference;
    return BILANX_SUCCESS;
}

struct line_counts {
    size_t good, deep, bad;  // lines that end in numbers, those with a semicolon too, and others
};

// Looks at the lines at the start of a file. The last one may be cut off, so it cannot be bad.
static struct line_counts count_lines(const char *bytes, size_t size, int numbers)
{
    struct line_counts counts = {0};
    AUTO(memory) char *copy = mem_text_n(bytes, size);
    char *rest = copy, *line;
    while ((line = strsep(&rest, "\n"))) {
        size_t length = strlen(line);
        bool is_deep = strchr(line, ';'), ends_in_numbers = true;
        double weight;
        for (int i = 0; ends_in_numbers && i < numbers; i++)
            ends_in_numbers = folded_split(line, &length, &weight);
        counts.good += ends_in_numbers;
        counts.deep += ends_in_numbers && is_deep;
        counts.bad += !ends_in_numbers && rest && !is_blank(line) && !folded_is_comment(line);
    }
    return counts;
}

static bool recognises_folded(const char *bytes, size_t size)
{
    struct line_counts counts = count_lines(bytes, size, 1);
    return counts.deep > 0 || counts.good > counts.bad;
}

static bool recognises_difference(const char *bytes, size_t size)
{
    // A name may end in a number, so all of them must.
    struct line_counts counts = count_lines(bytes, size, 2);
    return counts.deep > 0 && counts.bad == 0;
}

const struct stacks_format stacks_format_folded = {
    .name = "folded",
    .summary = "one stack per line: FlameGraph, inferno, py-spy's raw",
    .recognises = recognises_folded,
    .read = read_folded,
};

const struct stacks_format stacks_format_difference = {
    .name = "folded-difference",
    .summary = "folded stacks with two numbers each: difffolded.pl",
    .recognises = recognises_difference,
    .read = read_difference,
};
