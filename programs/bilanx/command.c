// command: the common parts of subcommands: parsing, errors and help.
#include "command.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "time_commands.h"

// `-lz` links a library with other tools, and `time ls -l` times a command.
static char *hint_for(const struct command *command, int argc, char **argv, const char *error)
{
    AUTO(memory) char *program =
        command == &cmd_time && argc > 1 && argv[1][0] != '-' ? file_find_program(argv[1]) : NULL;
    if (program) {
        AUTO(text) struct text line = {0};
        for (int i = 1; i < argc; i++) {
            text_add(&line, " ");
            text_add_quoted(&line, argv[i]);
        }
        return mem_format("to time a command, type 'bilanx time --%s'", text_get(&line));
    }
    // hyperfine's options, without the "--" that makes its commands ours.
    for (int i = 1; i < argc && command == &cmd_time; i++)
        if (!options_know(command->options, argv[i]) &&
            options_know(time_commands_options, argv[i]))
            return mem_format("%s is for whole commands, which go after '--': bilanx time %s ... "
                              "-- COMMAND",
                              argv[i], argv[i]);
    for (int i = 1; i < argc; i++)
        if (text_starts(argv[i], "-l") && argv[i][2] && strstr(error, "'--language' takes"))
            return mem_format("to link a library, add --ldflags %s", argv[i]);
    return mem_format("see 'bilanx %s --help'", command->name);
}

// Adds the files that a pattern such as suites/ops/*.txt names below a folder. Returns whether
// there are any.
static bool add_matching(const char *folder, const char *pattern, struct words *out)
{
    AUTO(memory) char *path = mem_format("%s/%s", folder, pattern);
    glob_t found;
    if (glob(path, 0, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        mem_grow(out->items, out->count, &out->room);
        list_add(&out->kept, found.gl_pathv[i]);
        out->items[out->count++] = out->kept.items[out->kept.count - 1];
    }
    globfree(&found);
    return true;
}

// Where there is no file such as suites/machine.yaml, takes the one installed with bilanx, or in
// its source tree.
static void find_suites(struct words *words)
{
    AUTO(memory) char *own = file_own_folder();
    AUTO(memory) char *installed = mem_format("%s/../share/bilanx", own ? own : "");
    AUTO(memory) char *tree = mem_format("%s/..", own ? own : "");
    struct words found = {0};
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        if (text_starts(word, "suites/") && access(word, F_OK) != 0 &&
            (add_matching(installed, word, &found) || add_matching(tree, word, &found)))
            continue;
        mem_grow(found.items, found.count, &found.room);
        found.items[found.count++] = word;
    }
    words_done(words);
    *words = found;
}

static struct bilanx_error check_files(const struct command *command, const void *target,
                                       const struct words *words)
{
    AUTO(output_uses) struct output_uses uses = {0};
    options_files(command->options, target, &uses);
    for (size_t i = 0; i < words->count && !command->rewrites; i++)
        output_uses_add(&uses, words->items[i], NULL, "the input");
    return output_uses_check(&uses);
}

int command_parse(const struct command *command, int argc, char **argv, void *target,
                  struct words *words)
{
    struct bilanx_error error = options_parse(command->options, argc, argv, target, words);
    if (error.status == BILANX_OK) {
        find_suites(words);
        error = options_agree(command->options, command->rules, argc, argv);
        if (error.status == BILANX_OK)
            error = check_files(command, target, words);
        return complain_error(error);
    }
    int code = complain_error(error);
    AUTO(memory) char *hint = hint_for(command, argc, argv, error.text);
    complain(hint);
    return code;
}

// The size of the next word of a command line, which may contain blanks in quotes.
static size_t word_size(const char *line)
{
    char quote = '\0';
    size_t size = 0;
    for (; line[size] && (quote || line[size] != ' '); size++)
        if (quote ? line[size] == quote : strchr("'\"", line[size]) != NULL)
            quote = quote ? '\0' : line[size];
    return size;
}

// A line that does not fit is continued as a shell reads it, so that it can be copied.
static void add_example_line(const char *line, size_t width, struct text *out)
{
    enum { FIRST = 2, INDENT = 6 };
    static const char more[] = " \\";
    size_t at = FIRST + word_size(line);
    text_add_repeated(out, " ", FIRST);
    text_add_n(out, line, word_size(line));
    for (line += word_size(line); *line; line += word_size(line)) {
        size_t size = word_size(++line), room = line[size] ? strlen(more) : 0;
        bool fits = at + 1 + size + room <= width;
        text_add(out, fits ? " " : more);
        if (!fits) {
            text_add(out, "\n");
            text_add_repeated(out, " ", INDENT);
        }
        at = (fits ? at + 1 : INDENT) + size;
        text_add_n(out, line, size);
    }
    text_add(out, "\n");
}

// In two columns where they fit; otherwise each purpose above its line.
void examples_add(const struct example *examples, struct text *out)
{
    size_t width = 0, purposes = 0;
    for (const struct example *example = examples; example->line; example++) {
        width = strlen(example->line) > width ? strlen(example->line) : width;
        purposes = strlen(example->purpose) > purposes ? strlen(example->purpose) : purposes;
    }
    bool fits = 2 + width + 2 + purposes <= terminal_help_width();
    for (const struct example *example = examples; example->line; example++)
        if (fits) {
            text_format(out, "  %-*s  %s\n", (int)width, example->line, example->purpose);
        } else {
            text_format(out, "  # %s\n", example->purpose);
            add_example_line(example->line, terminal_help_width(), out);
        }
}

// The folder that docs/ is installed in; NULL: none, as in a build directory.
static char *installed_docs(void)
{
    AUTO(memory) char *own = file_own_folder();
    AUTO(memory) char *folder = mem_format("%s/../share/doc/bilanx", own ? own : "");
    AUTO(memory) char *docs = mem_format("%s/docs", folder);
    AUTO(memory) char *real = access(docs, F_OK) == 0 ? realpath(folder, NULL) : NULL;
    return real ? mem_text(real) : NULL;
}

// Help refers to the documentation as in the repository: "docs/formats/record.md". Full paths would
// not fit a terminal, so where it is installed is said only once.
static void add_details(const char *details, struct text *out)
{
    AUTO(memory) char *docs = strstr(details, "docs/") ? installed_docs() : NULL;
    AUTO(text) struct text all = {0};
    text_add_n(&all, details, strlen(details) - (details[strlen(details) - 1] == '\n'));
    if (docs)
        text_format(&all, " docs/ is in %s.", docs);
    text_add_paragraph(out, 0, 0, terminal_help_width(), text_get(&all));
    text_add(out, "\n");
}

void command_help(const struct command *command, struct text *out)
{
    enum { INDENT = 4 };
    AUTO(memory) char *usage = mem_format("Usage: bilanx %s%s%s", command->name,
                                          *command->usage ? " " : "", command->usage);
    text_add_paragraph(out, 0, INDENT, terminal_help_width(), usage);
    text_add(out, "\n");
    text_add_paragraph(out, 0, 0, terminal_help_width(), command->summary);
    text_add(out, "\n");
    text_add(out, "\nOptions:\n");
    options_help(command->options, out);
    text_add(out, "  -h, --help                  show this help\n");
    if (command->examples) {
        text_add(out, "\nExamples:\n");
        examples_add(command->examples, out);
    }
    if (command->details) {
        text_add(out, "\n");
        add_details(command->details, out);
    }
    if (command->also) {
        text_add(out, "\n");
        command_help(command->also, out);
    }
}
