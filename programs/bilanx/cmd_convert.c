// cmd_convert: converts records between formats.
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "base/table.h"
#include "base/terminal.h"
#include "bilanx/convert.h"
#include "results/convert/convert_read.h"

struct settings {
    const char *from, *to;
    bool list, salvage;
};

static const struct option convert_options[] = {
    {"from", 0, OPTION_TEXT, offsetof(struct settings, from), "FORMAT",
     .help = "format of IN (default: detected from its content)"},
    {"to", 0, OPTION_TEXT, offsetof(struct settings, to), "FORMAT",
     .help = "format of OUT (default: from its name: .jsonl is\n"
             "bilanx, .txt and .bench are benchfmt)"},
    {"salvage", 0, OPTION_FLAG, offsetof(struct settings, salvage),
     .help = "keep every intact record of a damaged file, and report\n"
             "the lines left out"},
    {"list", 0, OPTION_FLAG, offsetof(struct settings, list), .help = "list the formats"},
    {0},
};

static const struct option_rule convert_rules[] = {
    {"list", RULE_ALLOWS, "", .why = "it lists formats"},
    {0},
};

struct conversion {
    struct draft *output;
    const struct bilanx_format *format;
    bool streams;  // records are written while others are read
    struct bilanx_record *records;
    size_t count, room;
};

static void drop_records(struct conversion *conversion)
{
    for (size_t i = 0; i < conversion->count; i++)
        bilanx_record_done(&conversion->records[i]);
    conversion->count = 0;
}

static void conversion_done(struct conversion *conversion)
{
    drop_records(conversion);
    free(conversion->records);
}
SCOPE_VALUE(conversion, conversion_done)

static void tell_loss(void *context, const char *what)
{
    const struct conversion *conversion = context;
    AUTO(memory) char *line = mem_format("%s cannot store %s", conversion->format->name, what);
    complain(line);
}

static struct bilanx_error write_records(struct conversion *conversion)
{
    struct bilanx_error error =
        bilanx_convert_write(conversion->format->name, conversion->records, conversion->count,
                             conversion->output->file, tell_loss, conversion);
    drop_records(conversion);
    if (error.status != BILANX_E_SYSTEM)
        return error;
    return bilanx_error_make(BILANX_E_SYSTEM, "'%s': %s", conversion->output->name, error.text);
}

static struct bilanx_error take_record(void *context, struct bilanx_record *record)
{
    enum { AT_ONCE = 1000 };
    struct conversion *conversion = context;
    mem_grow(conversion->records, conversion->count, &conversion->room);
    conversion->records[conversion->count++] = *record;
    *record = (struct bilanx_record){0};
    bool enough = conversion->streams && conversion->count == AT_ONCE;
    return enough ? write_records(conversion) : BILANX_SUCCESS;
}

static struct bilanx_error choose_format(const struct settings *settings, const char *path,
                                         const struct bilanx_format **out)
{
    if (settings->to)
        return bilanx_convert_find(settings->to, out);
    const struct bilanx_format *format = bilanx_convert_format_of(path);
    if (!format)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "cannot tell the format of '%s' from its name: set it with --to "
                                 "('bilanx convert --list' lists the formats)",
                                 path);
    *out = format;
    return BILANX_SUCCESS;
}

// Only files of results may be overwritten.
static struct bilanx_error check_output(const char *in, const char *path)
{
    AUTO(output_uses) struct output_uses uses = {0};
    struct stat there;
    output_uses_add(&uses, in, NULL, "the input");
    output_uses_add(&uses, path, "results", "OUT");
    BILANX_TRY(output_uses_check(&uses));
    if (strcmp(path, "-") == 0 || stat(path, &there) != 0 || !S_ISREG(there.st_mode))
        return BILANX_SUCCESS;
    if (there.st_size > 0 && !bilanx_convert_recognise(path))
        return bilanx_error_make(
            BILANX_E_USAGE,
            "'%s' does not contain results, so it was not replaced: choose another file", path);
    return BILANX_SUCCESS;
}

static struct bilanx_error convert(const struct settings *settings, const char *in,
                                   const char *path)
{
    const struct bilanx_format *format;
    BILANX_TRY(check_output(in, path));
    BILANX_TRY(choose_format(settings, path, &format));
    AUTO(draft) struct draft output = {0};
    AUTO(conversion) struct conversion conversion = {.output = &output, .format = format};
    // Only our own format loses nothing and can be written record by record.
    conversion.streams = strcmp(format->name, "bilanx") == 0;
    BILANX_TRY(draft_open(path, &output));
    BILANX_TRY(
        convert_read(in, settings->from,
                     &(struct reader_sink){take_record, &conversion, .cut_short = true,
                                           .salvage = settings->salvage, .tell = &complain_tell}));
    BILANX_TRY(write_records(&conversion));
    return draft_commit(&output);
}

static int list_formats(void)
{
    AUTO(table) struct table table = {0};
    table_column(&table, "format", TABLE_LEFT);
    table_column(&table, "is", TABLE_WRAP);
    table_column(&table, "files", TABLE_WRAP);
    const struct bilanx_format *format;
    for (size_t i = 0; (format = bilanx_convert_format(i)); i++) {
        table_row(&table);
        table_cell(&table, TABLE_PLAIN, "%s", format->name);
        table_cell(&table, TABLE_PLAIN, "%s", format->summary);
        size_t size = strlen(format->extensions);  // enclosed in blanks
        table_cell(&table, TABLE_PLAIN, "%.*s", size > 2 ? (int)size - 2 : 0,
                   format->extensions + (size > 2));
    }
    AUTO(text) struct text out = {0};
    table_print(&table, (struct table_look){.width = terminal_width(STDOUT_FILENO)}, &out);
    fputs(text_get(&out), stdout);
    return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct settings settings = {0};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &settings, &words);
    if (code != EXIT_DONE)
        return code;
    if (settings.list)
        return list_formats();
    if (words.count != 2)
        return complain_error(bilanx_error_make(BILANX_E_USAGE,
                                                "convert needs two files, IN and OUT ('-' is stdin "
                                                "or stdout; see 'bilanx help convert')"));
    return complain_error(convert(&settings, words.items[0], words.items[1]));
}

static const struct example convert_examples[] = {
    {"bilanx convert google.json runs.jsonl", "Google Benchmark to records"},
    {"bilanx convert runs.jsonl runs.txt", "records to benchstat's format"},
    {"bilanx convert runs.jsonl out.json --to hyperfine", "records to hyperfine's JSON"},
    {"bilanx convert --salvage torn.jsonl whole.jsonl", "the intact records of a damaged file"},
    {"bilanx convert pyperf.json.gz - --to google", "any format to any other, here on stdout"},
    {0},
};

const struct command cmd_convert = {
    .name = "convert",
    .usage = "[OPTION...] IN OUT",
    .summary = "convert records from and to the formats of other tools",
    .options = convert_options,
    .rules = convert_rules,
    .examples = convert_examples,
    .details = "IN and OUT may be '-'; IN may be gzipped. Anything that the format of OUT cannot\n"
               "store is reported on stderr. OUT is replaced only once it is complete. How each\n"
               "field is mapped: docs/formats/interchange.md.\n",
    .run = run,
};
