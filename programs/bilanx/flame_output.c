// flame_output: writes stacks as a graph, as text or for other tools.
#include "flame_output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "base/terminal.h"
#include "profile/flame/flame.h"
#include "profile/stack_files/stack_files.h"
#include "profile/stacks/trees.h"

#define AT(member) offsetof(struct flame_outputs, member)
const struct option flame_output_options[] = {
    {"output", 'o', OPTION_TEXT, AT(svg), "FILE.svg", .writes = "a graph",
     .help = "write a graph to explore in a browser"},
    {"text", 0, OPTION_FLAG, AT(text),
     .help = "print the heaviest part of the tree (default unless\n"
             "something is written)"},
    {"lines", 0, OPTION_COUNT, AT(lines), "N",
     .help = "lines to print (default: the height of the\n"
             "terminal; otherwise all frames of 1 % and more)"},
    {"folded", 0, OPTION_TEXT, AT(folded), "FILE", .writes = "folded stacks",
     .help = "write one stack per line"},
    {"speedscope", 0, OPTION_TEXT, AT(speedscope), "FILE", .writes = "a profile",
     .help = "write JSON for www.speedscope.app"},
    {"record", 0, OPTION_TEXT, AT(record), "FILE.jsonl", .writes = "stacks",
     .help = "write a record"},
    {"inverted", 0, OPTION_FLAG, AT(inverted), .help = "draw the root at the top, as an icicle"},
    {"focus", 0, OPTION_TEXT, AT(focus), "NAME", .help = "show one function and its callers"},
    {"callees", 0, OPTION_TEXT, AT(callees), "NAME", .help = "show one function and what it calls"},
    {"min-percent", 0, OPTION_NUMBER, AT(least_percent), "P",
     .help = "merge frames below this share of the whole"},
    {"title", 0, OPTION_TEXT, AT(title), "TEXT", .help = "title of the graph"},
    {"color", 0, OPTION_CHOICE, AT(color), "WHEN", terminal_color_words,
     .help = "colour output (auto: on a terminal)"},
    {0},
};

const struct option_rule flame_output_rules[] = {
    {"focus", RULE_EXCLUDES, "callees"},
    {"inverted min-percent", RULE_NEEDS, "output", .why = "it is about the graph"},
    {"lines color", RULE_EXCLUDES, "output folded speedscope record", .unless = "text",
     .why = "nothing is printed (add --text)"},
    {"title", RULE_EXCLUDES, "folded speedscope record", .unless = "output text",
     .why = "no graph is drawn and nothing is printed"},
    {0},
};

// The start of a file that may be replaced.
static const struct output_kind graph_kind = {
    .name = "a graph of bilanx", .starts = "<?xml", .holds = "class=\"bilanx\""};
static const struct output_kind speedscope_kind = {
    .name = "a profile for speedscope", .starts = "{", .holds = "speedscope"};
static const struct output_kind folded_kind = {.name = "folded stacks"};

static struct bilanx_error write_graph(const struct flame_outputs *outputs,
                                       const struct stacks *stacks, FILE *out)
{
    struct flame_options options = {
        .title = outputs->title,
        .inverted = outputs->inverted,
        .least_share = outputs->least_percent / 100,
    };
    flame_svg(stacks, &options, out);
    return BILANX_SUCCESS;
}

static struct bilanx_error write_folded(const struct flame_outputs *outputs,
                                        const struct stacks *stacks, FILE *out)
{
    (void)outputs;
    return stacks_write_folded(stacks, out);
}

static struct bilanx_error write_speedscope(const struct flame_outputs *outputs,
                                            const struct stacks *stacks, FILE *out)
{
    (void)outputs;
    return stacks_write_speedscope(stacks, out);
}

static struct bilanx_error write_record(const struct flame_outputs *outputs,
                                        const struct stacks *stacks, FILE *out)
{
    (void)outputs;
    stacks_write_record(stacks, out);
    return BILANX_SUCCESS;
}

static const struct writer {
    size_t path;  // offset of its file name
    const struct output_kind *kind;
    struct bilanx_error (*write)(const struct flame_outputs *outputs, const struct stacks *stacks,
                                 FILE *out);
} writers[] = {
    {AT(svg), &graph_kind, write_graph},
    {AT(folded), &folded_kind, write_folded},
    {AT(speedscope), &speedscope_kind, write_speedscope},
    {AT(record), &output_records, write_record},
};
enum { WRITERS = sizeof writers / sizeof *writers };

static const char *path_of(const struct flame_outputs *outputs, const struct writer *writer)
{
    return *(const char *const *)((const char *)outputs + writer->path);
}

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

// Folded stacks have no characteristic beginning, so an existing file is examined as when reading.
static struct bilanx_error check_folded(const char *path)
{
    struct stat there;
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode) || there.st_size == 0 ||
        stack_file_is_one(path))
        return BILANX_SUCCESS;
    return bilanx_error_make(
        BILANX_E_USAGE, "'%s' does not contain %s, so it was not overwritten: choose another file",
        path, folded_kind.name);
}

struct bilanx_error flame_output_check(const struct flame_outputs *outputs)
{
    size_t to_stdout = outputs->text;
    for (size_t i = 0; i < WRITERS; i++) {
        const char *path = path_of(outputs, &writers[i]);
        if (!path)
            continue;
        to_stdout += is_stdout(path);
        if (is_stdout(path))
            continue;
        BILANX_TRY(output_check(path, writers[i].kind, OUTPUT_REPLACE));
        if (writers[i].kind == &folded_kind)
            BILANX_TRY(check_folded(path));
    }
    if (to_stdout > 1)
        return bilanx_error_make(BILANX_E_USAGE, "only one output can go to stdout");
    return BILANX_SUCCESS;
}

struct bilanx_error flame_output_focus(const struct flame_outputs *outputs, struct stacks **stacks)
{
    const char *name = outputs->focus ? outputs->focus : outputs->callees;
    if (!name)
        return BILANX_SUCCESS;
    if ((*stacks)->changes)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "--focus and --callees do not apply to a stored difference: use "
                                 "--diff with the files that it was made from");
    struct stacks *seen;
    enum stacks_view view = outputs->focus ? STACKS_CALLERS : STACKS_CALLEES;
    BILANX_TRY(stacks_focus(*stacks, name, view, &seen));
    AUTO(memory) char *remark =
        mem_format("%s of %.200s", outputs->focus ? "callers" : "callees", name);
    stacks_remark(seen, remark);
    stacks_free(*stacks);
    *stacks = seen;
    return BILANX_SUCCESS;
}

static struct bilanx_error write_one(const struct writer *writer,
                                     const struct flame_outputs *outputs,
                                     const struct stacks *stacks)
{
    const char *path = path_of(outputs, writer);
    if (!path)
        return BILANX_SUCCESS;
    if (is_stdout(path))
        return writer->write(outputs, stacks, stdout);
    AUTO(draft) struct draft draft = {0};
    BILANX_TRY(output_replace(path, writer->kind, OUTPUT_REPLACE, &draft));
    BILANX_TRY(writer->write(outputs, stacks, draft.file));
    return draft_commit(&draft);
}

static void print_text(const struct flame_outputs *outputs, const struct stacks *stacks)
{
    size_t height = terminal_height(STDOUT_FILENO);
    struct flame_text_options options = {
        .title = outputs->title,
        .rows = outputs->lines ? outputs->lines
                : height > 1   ? height - 1
                               : 0,
        .columns = terminal_width(STDOUT_FILENO),
        .color = terminal_color(outputs->color, STDOUT_FILENO),
    };
    AUTO(text) struct text text = {0};
    flame_text(stacks, &options, &text);
    fputs(text_get(&text), stdout);
}

struct bilanx_error flame_output(const struct flame_outputs *outputs, const struct stacks *stacks)
{
    bool written = false;
    for (size_t i = 0; i < WRITERS; i++) {
        BILANX_TRY(write_one(&writers[i], outputs, stacks));
        written |= path_of(outputs, &writers[i]) != NULL;
    }
    if (outputs->text || !written)
        print_text(outputs, stacks);
    return BILANX_SUCCESS;
}
