// cmd_merge: joins the records of shards.
#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/mem.h"
#include "base/output.h"
#include "cluster/merging/merge.h"

struct merge_arguments {
    const char *out;
    bool append, overwrite, quiet;
};

#define AT(member) offsetof(struct merge_arguments, member)
static const struct option merge_options[] = {
    {"json", 'o', OPTION_TEXT, AT(out), "FILE", .writes = "records",
     .help = "write the records to FILE (default: stdout)"},
    {"append", 0, OPTION_FLAG, AT(append), .help = "append to the records in FILE"},
    {"overwrite", 0, OPTION_FLAG, AT(overwrite), .help = "replace the records in FILE"},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), .help = "no notes"},
    {0},
};

static const struct option_rule merge_rules[] = {
    {"append", RULE_EXCLUDES, "overwrite"},
    {"append overwrite", RULE_NEEDS, "json"},
    {0},
};

static int is_record_file(const struct dirent *entry)
{
    static const char END[] = ".jsonl";
    size_t size = strlen(entry->d_name);
    return size > strlen(END) && strcmp(entry->d_name + size - strlen(END), END) == 0;
}

// A folder stands for the .jsonl files in it, in the order of their names.
static struct bilanx_error add_folder(const char *folder, struct list *files)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_record_file, versionsort);
    if (count < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot read '%s': %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        list_take(files, mem_format("%s/%s", folder, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return count ? BILANX_SUCCESS
                 : bilanx_error_make(BILANX_E_INPUT, "there are no .jsonl files in '%s'", folder);
}

static struct bilanx_error list_files(const struct words *words, struct list *files)
{
    for (size_t i = 0; i < words->count; i++) {
        struct stat facts;
        if (stat(words->items[i], &facts) == 0 && S_ISDIR(facts.st_mode))
            BILANX_TRY(add_folder(words->items[i], files));
        else
            list_add(files, words->items[i]);
    }
    return BILANX_SUCCESS;
}

static enum output_mode mode_of(const struct merge_arguments *arguments)
{
    return arguments->append ? OUTPUT_APPEND : arguments->overwrite ? OUTPUT_REPLACE : OUTPUT_NEW;
}

static bool goes_to_stdout(const struct merge_arguments *arguments)
{
    return !arguments->out || strcmp(arguments->out, "-") == 0;
}

static struct bilanx_error write_all(const struct merge_arguments *arguments, struct merge *merge,
                                     struct merge_result *result)
{
    if (goes_to_stdout(arguments))
        return merge_write(merge, STDOUT_FILENO, "stdout", result);
    if (arguments->append) {
        AUTO(file) FILE *file = NULL;
        BILANX_TRY(output_open(arguments->out, &output_records, OUTPUT_APPEND, &file));
        return merge_write(merge, fileno(file), arguments->out, result);
    }
    AUTO(draft) struct draft draft = {0};
    BILANX_TRY(output_replace(arguments->out, &output_records, mode_of(arguments), &draft));
    BILANX_TRY(merge_write(merge, fileno(draft.file), arguments->out, result));
    return draft_commit(&draft);
}

// A file that is replaced as a whole may be an input; one that is appended to may not.
static struct bilanx_error check_inputs(const struct merge_arguments *arguments,
                                        const struct list *files)
{
    AUTO(output_uses) struct output_uses uses = {0};
    if (!arguments->append)
        return BILANX_SUCCESS;
    output_uses_add(&uses, arguments->out, "records", "-o");
    for (size_t i = 0; i < files->count; i++)
        output_uses_add(&uses, files->items[i], NULL, "also an input");
    return output_uses_check(&uses);
}

static void say_result(const struct merge_result *result, size_t files)
{
    AUTO(text) struct text line = {0};
    text_format(&line, "%llu record%s from %zu file%s", (unsigned long long)result->records,
                result->records == 1 ? "" : "s", files, files == 1 ? "" : "s");
    if (result->duplicates)
        text_format(&line, "; dropped %llu for cases that are in several files",
                    (unsigned long long)result->duplicates);
    if (result->missing.size)
        text_format(&line, "; no record of the cases at positions %s", text_get(&result->missing));
    if (result->strangers)
        text_format(&line,
                    "; %llu position%s different cases in different files: do all files come "
                    "from the same run?",
                    (unsigned long long)result->strangers,
                    result->strangers == 1 ? " has" : "s have");
    complain(text_get(&line));
}

static struct bilanx_error merge_words(const struct merge_arguments *arguments,
                                       const struct words *words)
{
    if (words->count == 0)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "merge needs files of records (see 'bilanx help merge')");
    if (!goes_to_stdout(arguments))
        BILANX_TRY(output_check(arguments->out, &output_records, mode_of(arguments)));
    AUTO(list) struct list files = {0};
    BILANX_TRY(list_files(words, &files));
    BILANX_TRY(check_inputs(arguments, &files));
    AUTO(merge) struct merge *merge = merge_new(MERGE_BUDGET);
    for (size_t i = 0; i < files.count; i++)
        BILANX_TRY(merge_add_file(merge, files.items[i], &complain_tell));
    AUTO(merge_result) struct merge_result result = {0};
    BILANX_TRY(write_all(arguments, merge, &result));
    if (!arguments->quiet)
        say_result(&result, files.count);
    return BILANX_SUCCESS;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct merge_arguments arguments = {0};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    return code == EXIT_DONE ? complain_error(merge_words(&arguments, &words)) : code;
}

static const struct example merge_examples[] = {
    {"bilanx run suite.yaml --shard 1/2 -o 1.jsonl", "on one machine"},
    {"bilanx run suite.yaml --shard 2/2 -o 2.jsonl", "on another"},
    {"bilanx merge 1.jsonl 2.jsonl -o all.jsonl", "as if measured on one"},
    {0},
};

const struct command cmd_merge = {
    .name = "merge",
    .usage = "[OPTION...] FILE|FOLDER...",
    .summary = "join the records of shards, in the order of their suite",
    .options = merge_options,
    .rules = merge_rules,
    .examples = merge_examples,
    .details =
        "FOLDER stands for the .jsonl files in it. If two files have the same case, the\n"
        "first with a complete result counts. With --overwrite, FILE may be one of them: it\n"
        "is replaced once the new one is complete. See docs/cluster.md.\n",
    .rewrites = true,
    .run = run,
};
