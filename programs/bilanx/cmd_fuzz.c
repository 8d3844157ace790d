// cmd_fuzz: draws samples from a specification of inputs, and shows them.
#include "command.h"
#include "core/show/show_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/terminal.h"
#include "fuzz_report.h"

static const char *const compat_words[] = {"torch", "none", NULL};

struct settings {
    uint64_t take, skip, seed;
    int compat;
    const char *json, *save, *dtype;
    bool append, overwrite, data, all, list, print, quiet, csv_safe;
    enum bilanx_output_format format;
    int color;
};

#define AT(member) offsetof(struct settings, member)
enum { AS_WRITTEN = -1 };
#define NO_SEED UINT64_MAX

static const struct option fuzz_options[] = {
    {"take", 0, OPTION_COUNT, AT(take), "N", .help = "number of samples (default: 10)"},
    {"skip", 0, OPTION_COUNT, AT(skip), "N", .help = "leave out the first N samples"},
    {"seed", 0, OPTION_COUNT, AT(seed), "S",
     .help = "seed (default: the specification's, or 0); below\n"
             "2^32"},
    {"compat", 0, OPTION_CHOICE, AT(compat), .choices = compat_words,
     .help = "torch: draw exactly as torch does; none: without\n"
             "its defects (default: as the specification says)"},
    {"dtype", 0, OPTION_TEXT, AT(dtype), "TYPE",
     .help = "of all tensors: f32, i64 and so on (default: as the\n"
             "specification says)"},
    {"data", 0, OPTION_FLAG, AT(data),
     .help = "make the tensors, and show min, max, mean and a\n"
             "checksum of each"},
    {"save", 0, OPTION_TEXT, AT(save), "DIR",
     .help = "make the tensors, and save each as DIR/0_x.npy"},
    {"json", 'o', OPTION_TEXT, AT(json), "FILE", .writes = "samples",
     .help = "write each sample to FILE as a line of JSON; '-' is\n"
             "stdout"},
    {"append", 0, OPTION_FLAG, AT(append), .help = "append to the samples in FILE"},
    {"overwrite", 0, OPTION_FLAG, AT(overwrite), .help = "replace the samples in FILE"},
    {"format", 0, OPTION_CHOICE, AT(format), .choices = table_formats, .help = "output format"},
    {"all", 0, OPTION_FLAG, AT(all),
     .help = "table: also show parameters that only others are\n"
             "drawn from"},
    {"csv-safe", 0, OPTION_FLAG, AT(csv_safe),
     .help = "csv: escape text that a spreadsheet would run as a\n"
             "formula"},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), .help = "only the table"},
    {"color", 0, OPTION_CHOICE, AT(color), .choices = terminal_color_words,
     .help = "colour output (auto: on a terminal)"},
    {"list", 0, OPTION_FLAG, AT(list), .help = "list the specifications that ship with bilanx"},
    {"print", 0, OPTION_FLAG, AT(print), .help = "print such a specification, to start from"},
    {0},
};

static const struct option_rule fuzz_rules[] = {
    {"list", RULE_ALLOWS, "quiet", .why = "it lists specifications"},
    {"print", RULE_ALLOWS, "quiet", .why = "it prints the specification as it is"},
    {"append", RULE_EXCLUDES, "overwrite"},
    {"append overwrite", RULE_NEEDS, "json"},
    {"all", RULE_EXCLUDES, "format=csv format=json", .why = "these have all columns"},
    {"color", RULE_EXCLUDES, "format=csv format=json", .why = "programs read that"},
    {.group = show_look_rules},
    {0},
};

static const struct output_kind samples_kind = {
    .name = "samples", .starts = "{\"parameters\"", .holds = "\"tensors\""};

struct fuzzing {
    const struct settings *settings;
    struct fuzzer *fuzzer;
    FILE *lines;     // of JSON; NULL: none
    bool tabulates;  // otherwise stdout has the JSON
    struct table samples, data;
};

static void fuzzing_done(struct fuzzing *fuzzing)
{
    if (fuzzing->lines && fuzzing->lines != stdout)
        fclose(fuzzing->lines);
    fuzzer_free(fuzzing->fuzzer);
    table_done(&fuzzing->samples);
    table_done(&fuzzing->data);
}
SCOPE_VALUE(fuzzing, fuzzing_done)

static struct fuzz_columns columns_of(const struct settings *settings)
{
    bool plain = settings->format == BILANX_CSV;
    return (struct fuzz_columns){.all = settings->all || plain, .plain = plain};
}

static struct bilanx_error check_settings(const struct settings *settings,
                                          const struct words *words)
{
    if (words->count != 1)
        return bilanx_error_make(
            BILANX_E_USAGE, "fuzz needs one specification: a file, '-', or one of 'bilanx fuzz "
                            "--list'");
    bool to_file = settings->json && strcmp(settings->json, "-") != 0;
    if ((settings->append || settings->overwrite) && !to_file)
        return bilanx_error_make(BILANX_E_USAGE, "--append and --overwrite need -o FILE");
    return BILANX_SUCCESS;
}

static struct bilanx_error open_output(struct fuzzing *fuzzing)
{
    const struct settings *settings = fuzzing->settings;
    fuzzing->tabulates = settings->format != BILANX_JSON;
    if (!fuzzing->tabulates && !settings->json)
        fuzzing->lines = stdout;
    if (!settings->json)
        return BILANX_SUCCESS;
    if (strcmp(settings->json, "-") == 0) {
        fuzzing->lines = stdout;
        fuzzing->tabulates = false;
        return BILANX_SUCCESS;
    }
    enum output_mode mode = settings->append      ? OUTPUT_APPEND
                            : settings->overwrite ? OUTPUT_REPLACE
                                                  : OUTPUT_NEW;
    return output_open(settings->json, &samples_kind, mode, &fuzzing->lines);
}

static struct bilanx_error open_fuzzer(struct fuzzing *fuzzing, const char *spec)
{
    const struct settings *settings = fuzzing->settings;
    BILANX_TRY(fuzzer_open(spec, &fuzzing->fuzzer));
    if (settings->compat != AS_WRITTEN)
        fuzzer_set_compat(fuzzing->fuzzer, settings->compat ? FUZZER_FIXED : FUZZER_TORCH);
    if (settings->dtype)
        BILANX_TRY(fuzzer_set_dtype(fuzzing->fuzzer, settings->dtype));
    return settings->seed == NO_SEED ? BILANX_SUCCESS
                                     : fuzzer_set_seed(fuzzing->fuzzer, settings->seed);
}

static struct bilanx_error show_sample(struct fuzzing *fuzzing, size_t index, struct text *line)
{
    const struct settings *settings = fuzzing->settings;
    AUTO(sample) struct sample sample = {0};
    BILANX_TRY(fuzzer_sample(fuzzing->fuzzer, index, &sample));
    AUTO(memory) struct fuzz_data *data = NULL;
    if (settings->data)
        data = mem_array(struct fuzz_data, FUZZ_PARTS * sample.tensor_count + 1);
    if (settings->data || settings->save)
        BILANX_TRY(fuzz_make_data(fuzzing->fuzzer, &sample, index, settings->save, data));
    if (fuzzing->tabulates)
        fuzz_add_row(&fuzzing->samples, fuzzing->fuzzer, columns_of(settings), index, &sample);
    if (fuzzing->tabulates && data)
        fuzz_add_data_rows(&fuzzing->data, index, &sample, data);
    if (!fuzzing->lines)
        return BILANX_SUCCESS;
    text_clear(line);
    fuzz_add_json(&sample, fuzzer_rejected(fuzzing->fuzzer), data, line);
    if (fputs(text_get(line), fuzzing->lines) == EOF)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write the samples: %s", strerror(errno));
    return BILANX_SUCCESS;
}

static struct bilanx_error show_samples(struct fuzzing *fuzzing)
{
    const struct settings *settings = fuzzing->settings;
    AUTO(text) struct text line = {0};
    fuzz_add_columns(&fuzzing->samples, fuzzing->fuzzer, columns_of(settings));
    fuzz_add_data_columns(&fuzzing->data);
    for (uint64_t i = 0; i < settings->take; i++) {
        if (interrupt_caught())
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        BILANX_TRY(show_sample(fuzzing, settings->skip + i, &line));
    }
    return BILANX_SUCCESS;
}

static void add_rejection_rate(const struct fuzzer *fuzzer, size_t width, struct text *out)
{
    AUTO(memory) char *line =
        mem_format("%s, seed %llu: %.3g %% of all attempts were rejected", fuzzer_name(fuzzer),
                   (unsigned long long)fuzzer_seed(fuzzer), 100 * fuzzer_rejection_rate(fuzzer));
    text_add(out, "\n");
    text_add_wrapped(out, 0, width, line);
    text_add(out, "\n");
}

static void print_tables(struct fuzzing *fuzzing)
{
    const struct settings *settings = fuzzing->settings;
    AUTO(text) struct text out = {0};
    struct table_look look = {settings->format, terminal_color(settings->color, STDOUT_FILENO),
                              settings->csv_safe, terminal_width(STDOUT_FILENO)};
    if (settings->format == BILANX_CSV) {
        table_show_all(&fuzzing->samples);
        table_show_all(&fuzzing->data);
    }
    table_keep_all(&fuzzing->samples);  // they are data: none of them may be left out
    table_keep_all(&fuzzing->data);
    table_print(&fuzzing->samples, look, &out);
    if (settings->data) {
        text_add_char(&out, '\n');
        table_print(&fuzzing->data, look, &out);
    }
    if (settings->format != BILANX_CSV && !settings->quiet)
        add_rejection_rate(fuzzing->fuzzer, look.width, &out);
    fputs(text_get(&out), stdout);
}

// The samples drawn so far are shown even if the next one cannot be drawn.
static struct bilanx_error fuzz(const struct settings *settings, const char *spec)
{
    AUTO(fuzzing) struct fuzzing fuzzing = {.settings = settings};
    BILANX_TRY(open_fuzzer(&fuzzing, spec));
    BILANX_TRY(open_output(&fuzzing));
    struct bilanx_error error = show_samples(&fuzzing);
    if (fuzzing.tabulates && (fuzzing.samples.cell_count || error.status == BILANX_OK))
        print_tables(&fuzzing);
    if (fuzzing.lines && fuzzing.lines != stdout && fclose(TAKE(fuzzing.lines)) != 0 &&
        error.status == BILANX_OK)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", settings->json,
                                 strerror(errno));
    return error;
}

static int list_shipped(void)
{
    AUTO(table) struct table table = {0};
    AUTO(text) struct text out = {0};
    table_column(&table, "specification", TABLE_LEFT);
    table_column(&table, "draws", TABLE_WRAP);
    for (const struct fuzzer_shipped *shipped = fuzzer_shipped; shipped->name; shipped++) {
        table_row(&table);
        table_cell(&table, TABLE_PLAIN, "%s", shipped->name);
        table_cell(&table, TABLE_PLAIN, "%s", shipped->summary);
    }
    table_print(&table, (struct table_look){.width = terminal_width(STDOUT_FILENO)}, &out);
    fputs(text_get(&out), stdout);
    return EXIT_DONE;
}

static int print_shipped(const char *name)
{
    for (const struct fuzzer_shipped *shipped = fuzzer_shipped; shipped->name; shipped++)
        if (strcmp(shipped->name, name) == 0) {
            fwrite(shipped->text, 1, shipped->size, stdout);
            return EXIT_DONE;
        }
    return complain_error(bilanx_error_make(
        BILANX_E_USAGE, "'%s' does not ship with bilanx: 'bilanx fuzz --list' lists what does",
        name));
}

static int run(const struct command *command, int argc, char **argv)
{
    struct settings settings = {.take = 10, .seed = NO_SEED, .compat = AS_WRITTEN};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &settings, &words);
    if (code != EXIT_DONE)
        return code;
    if (settings.list)
        return list_shipped();
    struct bilanx_error error = check_settings(&settings, &words);
    if (error.status != BILANX_OK)
        return complain_error(error);
    if (settings.print)
        return print_shipped(words.items[0]);
    interrupt_catch();
    return complain_error(fuzz(&settings, words.items[0]));
}

static const struct example fuzz_examples[] = {
    {"bilanx fuzz unary --take 5", "five tensors, as torch.utils.benchmark draws them"},
    {"bilanx fuzz inputs.yaml --seed 3 -o -", "your own specification, as lines of JSON"},
    {"bilanx fuzz binary --take 3 --save data", "as .npy files, for numpy.load()"},
    {"bilanx fuzz unary --print > mine.yaml", "a copy of a specification, to change"},
    {0},
};

const struct command cmd_fuzz = {
    .name = "fuzz",
    .usage = "[OPTION...] SPEC",
    .summary = "draw repeatable random inputs: parameters and tensors",
    .options = fuzz_options,
    .rules = fuzz_rules,
    .examples = fuzz_examples,
    .details =
        "SPEC is a YAML file ('-' is stdin), or the name of a specification that ships with\n"
        "bilanx. The same SPEC and seed give the same samples, everywhere. No tensor is made\n"
        "unless --data or --save asks for it. The format: docs/formats/fuzzer.md.\n",
    .run = run,
};
