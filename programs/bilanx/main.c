// main: finds and runs the requested command.
#include <stdio.h>
#include <string.h>

#include "arguments_from.h"
#include "base/mem.h"
#include "base/place.h"
#include "base/streams.h"
#include "base/terminal.h"
#include "base/text.h"
#include "command.h"
#include "help_notes.h"

// Shown by `bilanx` alone. Five lines: a newcomer reads no more.
static const struct example first_examples[] = {
    {"bilanx time 'sqrt(x)' -s 'double x = 2'", "one statement"},
    {"bilanx time 'f(x)' --source f.c -s 'double x = 2'", "your own function"},
    {"bilanx time -- ./old --and ./new", "whole commands"},
    {"bilanx ab --A git:main --B git:. --source f.c --stmt 'f(2)'", "is it faster now?"},
    {"cc -O2 f.c -lbilanx-bench -o bench && bilanx run ./bench", "a program"},
    {0},
};

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; all_commands[i]; i++)
        if (strcmp(all_commands[i]->name, name) == 0)
            return all_commands[i];
    return NULL;
}

static int print(const struct text *text)
{
    fputs(text_get(text), stdout);
    return EXIT_DONE;
}

static int show_examples(void)
{
    AUTO(text) struct text out = {0};
    text_add_paragraph(&out, 0, 0, terminal_help_width(),
                       "bilanx compares code: which is faster, by how much, and how certain that "
                       "is.");
    text_add(&out, "\n\n");
    examples_add(first_examples, &out);
    text_add(&out, "\n");
    text_add_paragraph(&out, 0, 0, terminal_help_width(),
                       "'bilanx doctor' checks this machine. 'bilanx --help' lists all commands.");
    text_add(&out, "\n");
    return print(&out);
}

static int show_help(void)
{
    static const char *const more[] = {
        "'bilanx help COMMAND' describes a command. Also: --help, --version.",
        "'bilanx help notes [CODE]' explains the notes below a table.",
        ("'bilanx --arguments-from FILE' reads COMMAND and all other words from FILE, each "
         "followed "
         "by a NUL character; '-' is stdin. They may be of any length."),
        ("Exit status: 0 success; 1 something failed; 2 usage error; 3 a regression (with "
         "--fail-on); 130 interrupted; 129 the terminal was closed."),
    };
    AUTO(text) struct text out = {0};
    text_add(&out, "Usage: bilanx COMMAND [OPTION...] [ARGUMENT...]\n\nCommands:\n");
    for (size_t i = 0; all_commands[i]; i++) {
        text_format(&out, "  %-10s  ", all_commands[i]->name);
        text_add_paragraph(&out, 14, 14, terminal_help_width(), all_commands[i]->summary);
        text_add(&out, "\n");
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        text_add(&out, i ? "" : "\n");
        text_add_paragraph(&out, 0, 0, terminal_help_width(), more[i]);
        text_add(&out, "\n");
    }
    return print(&out);
}

static int show_command_help(const struct command *command)
{
    AUTO(text) struct text out = {0};
    command_help(command, &out);
    return print(&out);
}

// `topic`: after "help", where "notes" is known, too.
static int unknown(const char *word, bool topic)
{
    const char *names[64] = {"help", "--help", "--version", topic ? "notes" : "help"};
    size_t count = 4;
    for (size_t i = 0; all_commands[i]; i++)
        names[count++] = all_commands[i]->name;
    const char *nearest = text_nearest(word, names, count);
    const char *kind = word[0] == '-' ? "option" : topic ? "topic" : "command";
    if (nearest)
        return complain_error(bilanx_error_make(
            BILANX_E_USAGE, "unknown %s '%s' (did you mean '%s'?)", kind, word, nearest));
    return complain_error(
        bilanx_error_make(BILANX_E_USAGE, "unknown %s '%s' (see 'bilanx --help')", kind, word));
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int help(int argc, char **argv)
{
    if (argc < 3 || is_help(argv[2]))
        return show_help();
    if (strcmp(argv[2], "notes") == 0)
        return complain_error(help_notes(argc > 3 && !is_help(argv[3]) ? argv[3] : NULL));
    const struct command *command = find_command(argv[2]);
    return command ? show_command_help(command) : unknown(argv[2], true);
}

// Arguments after "--" belong to another program.
static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i]))
            return true;
    return false;
}

static int dispatch(int argc, char **argv, bool stdout_is_closed)
{
    if (argc < 2)
        return show_examples();
    const char *word = argv[1];
    if (is_help(word) || strcmp(word, "help") == 0)
        return help(argc, argv);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 || strcmp(word, "version") == 0) {
        puts("bilanx " BILANX_VERSION);
        return EXIT_DONE;
    }
    const struct command *command = find_command(word);
    if (!command)
        return unknown(word, false);
    if (asks_for_help(argc - 1, argv + 1))
        return show_command_help(command);
    if (stdout_is_closed && command->only_prints)
        return complain_error(
            bilanx_error_make(BILANX_E_SYSTEM, "cannot write the results: stdout is closed"));
    return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    bool stdout_is_closed = streams_prepare();
    place_tell_by(complain);
    mem_exit_if_out(EXIT_FAILED);
    AUTO(list) struct list words = {0};
    int code = complain_error(arguments_from(&argc, &argv, &words));
    return complain_finish(code ? code : dispatch(argc, argv, stdout_is_closed));
}
