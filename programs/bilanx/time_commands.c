// time_commands: the half of `bilanx time` that measures whole commands.
#include "time_commands.h"

#include <errno.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "bilanx/convert.h"
#include "core/show/progress.h"
#include "core/show/show_run.h"
#include "core/show/sink.h"
#include "flame_beside.h"
#include "sources/commands/commands.h"
#include "sources/commands/report.h"

struct settings {
    struct commands_options measure;
    struct show_settings shown;
    struct words names, setups, prepares, cleanups;  // one for all, or one for each
    struct words scans, steps, lists;
    const char *shell, *output;
    bool no_shell, show_output;
    const char *export_markdown, *export_csv, *export_json, *flame;
};

static void settings_done(struct settings *settings)
{
    words_done(&settings->names);
    words_done(&settings->setups);
    words_done(&settings->prepares);
    words_done(&settings->cleanups);
    words_done(&settings->scans);
    words_done(&settings->steps);
    words_done(&settings->lists);
}
SCOPE_VALUE(settings, settings_done)

static const char *const not_files[] = {"null", "inherit", "pipe", NULL};
static const char *const order_words[] = {[COMMANDS_AUTO] = "auto",
                                          [COMMANDS_INTERLEAVED] = "interleaved",
                                          [COMMANDS_SEQUENTIAL] = "sequential",
                                          NULL};

#define SETTING(member) offsetof(struct settings, member)
const struct option time_commands_options[] = {
    {"warmup", 'w', OPTION_COUNT, SETTING(measure.warmup), "N", NULL,
     "warm-up runs of each command, not measured"},
    {"runs", 'r', OPTION_COUNT, SETTING(measure.runs), "N", NULL, "exactly N runs of each command"},
    {"min-runs", 'm', OPTION_COUNT, SETTING(measure.min_runs), "N", NULL, "at least N runs (10)"},
    {"max-runs", 'M', OPTION_COUNT, SETTING(measure.max_runs), "N", NULL,
     "at most N runs (no limit)"},
    {"min-run-time", 0, OPTION_SECONDS, SETTING(measure.min_run_time), "TIME", NULL,
     "run each command at least this long (1 s)"},
    {"max-run-time", 0, OPTION_SECONDS, SETTING(measure.max_run_time), "TIME", NULL,
     "at most this long (3 s), unless --min-runs takes\n"
     "longer"},
    {"precision", 0, OPTION_NUMBER, SETTING(measure.precision), "SHARE", NULL,
     "between these, stop once the interval's half width\n"
     "is this small (.005)"},
    {"timeout", 0, OPTION_SECONDS, SETTING(measure.timeout), "TIME", NULL,
     "time limit of a single run (1 h)"},
    {"name", 'n', OPTION_LIST, SETTING(names), "NAME", NULL, "name of a command; once per command"},
    {"command-name", 0, OPTION_LIST, SETTING(names), "NAME", NULL, NULL},
    {"setup", 's', OPTION_LIST, SETTING(setups), "COMMAND", NULL,
     "run once before all runs of a command"},
    {"prepare", 'p', OPTION_LIST, SETTING(prepares), "COMMAND", NULL,
     "run before each run; like --setup and --cleanup,\n"
     "give it once for all commands or once per command"},
    {"cleanup", 'c', OPTION_LIST, SETTING(cleanups), "COMMAND", NULL,
     "run once after all runs of a command"},
    {"parameter-scan", 'P', OPTION_LIST, SETTING(scans), "NAME FROM TO", NULL,
     "replace {NAME} with numbers; several -P and -L\n"
     "give every combination",
     .values = 3},
    {"parameter-step-size", 'D', OPTION_LIST, SETTING(steps), "STEP", NULL,
     "step of -P (1); once for all or once per -P"},
    {"parameter-list", 'L', OPTION_LIST, SETTING(lists), "NAME A,B,...", NULL,
     "replace {NAME} with words; \\, is a literal comma", .values = 2},
    {"shell", 'S', OPTION_PERHAPS, SETTING(shell), "SHELL", NULL,
     "run the commands in a shell (default: sh)"},
    {"no-shell", 'N', OPTION_FLAG, SETTING(no_shell)},  // hyperfine's name for our default
    {"ignore-failure", 'i', OPTION_FLAG, SETTING(measure.ignore_failure), NULL, NULL,
     "also measure runs that exit with a nonzero status"},
    {"input", 0, OPTION_TEXT, SETTING(measure.input), "FILE", not_files,
     "the commands' stdin (empty)", .reads = true},
    {"output", 0, OPTION_TEXT, SETTING(output), "null|inherit|FILE", not_files, .writes = "output",
     .help = "the commands' stdout (null)"},
    {"show-output", 0, OPTION_FLAG, SETTING(show_output), NULL, NULL,
     "let the commands print, to stderr; same as\n"
     "--output inherit"},
    {"order", 0, OPTION_CHOICE, SETTING(measure.order), NULL, order_words,
     "interleaved: one run of each in turn, in random\n"
     "order; sequential: one command after another; auto\n"
     "(default): interleaved, unless the setups differ"},
    {"seed", 0, OPTION_COUNT, SETTING(measure.seed), "N", NULL, "reuse the same random order"},
    {"label", 0, OPTION_TEXT, SETTING(measure.label), "TEXT", NULL,
     "title of a table (stored in the records)"},
    {"sub-label", 0, OPTION_TEXT, SETTING(measure.sub_label), "TEXT", NULL, "row in a table"},
    {"description", 0, OPTION_TEXT, SETTING(measure.description), "TEXT", NULL,
     "column in a table"},
    {"env", 0, OPTION_TEXT, SETTING(measure.env), "TEXT", NULL, "name of the environment"},
    {.group = show_reference_options, .offset = SETTING(shown)},
    {.group = show_record_options, .offset = SETTING(shown)},
    {.group = show_fact_options, .offset = SETTING(shown)},
    {"export-markdown", 0, OPTION_TEXT, SETTING(export_markdown), "FILE", .writes = "a table",
     .help = "also write the table to FILE"},
    {"export-csv", 0, OPTION_TEXT, SETTING(export_csv), "FILE", .writes = "figures",
     .help = "also write the figures, in seconds"},
    {"export-json", 0, OPTION_TEXT, SETTING(export_json), "FILE", .writes = "runs",
     .help = "also write every run, in hyperfine's format"},
    {.group = flame_beside_options, .offset = SETTING(flame)},
    {.group = show_look_options, .offset = SETTING(shown)},
    {0},
};

const struct option_rule time_commands_rules[] = {
    {"csv-safe", RULE_NEEDS, "format=csv export-csv"},
    {"append", RULE_EXCLUDES, "overwrite"},
    {"append overwrite", RULE_NEEDS, "json"},
    {"fact", RULE_NEEDS, "json format=json", .why = "it is for records"},
    {"runs", RULE_EXCLUDES, "min-runs max-runs"},
    {"shell", RULE_EXCLUDES, "no-shell"},
    {"output", RULE_EXCLUDES, "show-output"},
    {"parameter-step-size", RULE_NEEDS, "parameter-scan"},
    {"reference", RULE_EXCLUDES, "format=csv format=json",
     .why = "the comparison goes below a table"},
    {0},
};

static struct bilanx_error usage_error(const char *text)
{
    return bilanx_error_make(BILANX_E_USAGE, "%s", text);
}

// The i-th command's value of an option given once for all or once for each.
static const char *word_for(const struct words *words, size_t i)
{
    return words->count == 0 ? NULL : words->items[words->count == 1 ? 0 : i];
}

static struct bilanx_error check_count(const char *option, size_t given, size_t commands)
{
    if (given <= 1 || given == commands)
        return BILANX_SUCCESS;
    return bilanx_error_make(
        BILANX_E_USAGE,
        "--%s is given %zu times for %zu command%s: give it once for all, or once per command",
        option, given, commands, commands == 1 ? "" : "s");
}

// The commands between "--and".
struct templates {
    struct commands_template *items;
    size_t count, room;
};

static void templates_done(struct templates *templates)
{
    free(templates->items);
}
SCOPE_VALUE(templates, templates_done)

static struct bilanx_error split_commands(int argc, char **argv, struct templates *out)
{
    for (int first = 0, i = 0; i <= argc; i++) {
        if (i < argc && strcmp(argv[i], "--and") != 0)
            continue;
        if (i == first)
            return usage_error(argc ? "missing command before or after '--and'"
                                    : "missing command after '--'");
        mem_grow(out->items, out->count, &out->room);
        out->items[out->count++] = (struct commands_template){
            .words = (const char *const *)argv + first, .count = (size_t)(i - first)};
        first = i + 1;
    }
    return BILANX_SUCCESS;
}

// hyperfine takes each word as a command; a shell would get all of them as one.
static bool looks_like_several(const struct commands_template *item)
{
    for (size_t i = 0; i < item->count; i++)
        if (!strpbrk(item->words[i], " \t"))
            return false;
    return item->count > 1;
}

static void hint_at_and(const struct templates *templates)
{
    for (size_t i = 0; i < templates->count; i++)
        if (looks_like_several(&templates->items[i])) {
            complain("the words after '--' are a single command: put --and between commands");
            return;
        }
}

static struct bilanx_error dress_commands(const struct settings *settings,
                                          struct templates *templates)
{
    size_t count = templates->count;
    BILANX_TRY(check_count("setup", settings->setups.count, count));
    BILANX_TRY(check_count("prepare", settings->prepares.count, count));
    BILANX_TRY(check_count("cleanup", settings->cleanups.count, count));
    if (settings->names.count > count)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "got %zu names for %zu command%s: use -n once per command",
                                 settings->names.count, count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++) {
        struct commands_template *item = &templates->items[i];
        item->name = i < settings->names.count ? settings->names.items[i] : NULL;
        item->setup = word_for(&settings->setups, i);
        item->prepare = word_for(&settings->prepares, i);
        item->cleanup = word_for(&settings->cleanups, i);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error read_parameters(const struct settings *settings,
                                           struct parameters *parameters)
{
    const struct words *scans = &settings->scans, *lists = &settings->lists;
    size_t scan_count = scans->count / 3, steps = settings->steps.count;
    if (steps > 1 ? steps != scan_count : steps > scan_count)
        return usage_error("-D needs -P: give one step for all scans, or one per scan");
    for (size_t i = 0; i < scan_count; i++) {
        const char *step = word_for(&settings->steps, i);
        const char **scan = scans->items + 3 * i;
        BILANX_TRY(parameters_add_scan(parameters, scan[0], scan[1], scan[2], step ? step : "1"));
    }
    for (size_t i = 0; i + 1 < lists->count; i += 2)
        BILANX_TRY(parameters_add_list(parameters, lists->items[i], lists->items[i + 1]));
    return BILANX_SUCCESS;
}

static struct bilanx_error read_output(struct settings *settings)
{
    const char *where = settings->output;
    struct commands_options *measure = &settings->measure;
    if (settings->show_output || text_equal(where, "inherit"))
        measure->output = COMMANDS_SHOWN;
    else if (text_equal(where, "pipe"))
        return usage_error("--output pipe would add to the time: use null, inherit or a file");
    else if (where && strcmp(where, "null") != 0)
        measure->output = COMMANDS_TO_FILE;
    measure->output_file = where;
    if (text_equal(measure->input, "null"))
        measure->input = NULL;
    return BILANX_SUCCESS;
}

static struct bilanx_error check_export(const char *path, const struct output_kind *kind)
{
    return path ? output_check(path, kind, OUTPUT_REPLACE) : BILANX_SUCCESS;
}

#define NOT_GIVEN UINT64_MAX

static struct bilanx_error complete(struct settings *settings)
{
    struct commands_options *measure = &settings->measure;
    const char *shell = settings->shell;
    if (shell && (!*shell || strcmp(shell, "default") == 0))
        shell = "sh";
    bool none = settings->no_shell || text_equal(shell, "none");
    measure->shell = none ? NULL : shell;
    if (measure->runs == 0)
        return usage_error("--runs must be at least 1");
    if (measure->runs == NOT_GIVEN)
        measure->runs = 0;
    if (measure->runs && (measure->min_runs || measure->max_runs))
        return usage_error("--runs cannot be combined with --min-runs or --max-runs");
    settings->shown.min_run_time = measure->min_run_time;
    settings->shown.max_run_time = measure->max_run_time;
    BILANX_TRY(show_check(&settings->shown));
    BILANX_TRY(check_export(settings->export_markdown, &output_markdown));
    BILANX_TRY(check_export(settings->export_csv, &output_csv));
    BILANX_TRY(check_export(settings->export_json, &output_json));
    if (measure->max_runs && measure->min_runs > measure->max_runs)
        return usage_error("--min-runs is more than --max-runs");
    return read_output(settings);
}

struct session {
    const struct settings *settings;
    struct sink sink;
    struct progress_bar bar;
};

static void working(void *context, const struct commands_item *item, double items_done)
{
    struct session *session = context;
    progress_bar_working(&session->bar, &item->measured, items_done - (double)session->bar.done);
}

static void finished(void *context, const struct commands_item *item)
{
    struct session *session = context;
    progress_bar_clear(&session->bar);
    progress_bar_finished(&session->bar, &item->measured, &item->record);
    struct bilanx_error error = sink_write(&session->sink, &item->record);
    if (error.status != BILANX_OK)
        complain(error.text);
}

static bool has_results(const struct commands *commands)
{
    for (size_t i = 0; i < commands->count; i++)
        if (commands->items[i].record.kind)
            return true;
    return false;
}

static void print_results(const struct session *session, const struct commands *commands)
{
    const struct show_settings *settings = &session->settings->shown;
    bool on_stdout = settings->format == BILANX_JSON || text_equal(settings->json, "-");
    AUTO(text) struct text out = {0};
    if (!has_results(commands))
        return;
    if (!on_stdout) {
        if (settings->format == BILANX_CSV)
            report_csv(commands, settings->csv_safe, &out);
        else
            report_table(commands, show_look(settings), &out);
        AUTO(text) struct text ratios = {0};
        if (settings->format == BILANX_TABLE)
            report_ratios(commands, &ratios);
        text_format(&out, "%s%s", ratios.size ? "\n" : "", text_get(&ratios));
        fputs(text_get(&out), stdout);
        fflush(stdout);
    }
    AUTO(text) struct text notes = {0};
    report_notes(commands, settings->quiet, terminal_color(settings->color, STDERR_FILENO), &notes);
    fputs(text_get(&notes), stderr);
}

static struct bilanx_error export_markdown(const struct commands *commands, const char *path)
{
    AUTO(text) struct text out = {0};
    report_table(commands, (struct table_look){.format = BILANX_MARKDOWN}, &out);
    return output_write(path, &output_markdown, text_get(&out), out.size);
}

static struct bilanx_error export_csv(const struct commands *commands, bool safe, const char *path)
{
    AUTO(text) struct text out = {0};
    report_csv(commands, safe, &out);
    return output_write(path, &output_csv, text_get(&out), out.size);
}

// Writes hyperfine's format. The items keep ownership of the records.
static struct bilanx_error export_json(const struct commands *commands, const char *path)
{
    AUTO(memory) struct bilanx_record *records = mem_array(struct bilanx_record, commands->count);
    size_t count = 0;
    for (size_t i = 0; i < commands->count; i++)
        if (commands->items[i].record.kind && !commands->items[i].record.error)
            records[count++] = commands->items[i].record;
    AUTO(draft) struct draft draft = {0};
    BILANX_TRY(output_replace(path, &output_json, OUTPUT_REPLACE, &draft));
    struct bilanx_error error =
        bilanx_convert_write("hyperfine", records, count, draft.file, NULL, NULL);
    if (error.status != BILANX_OK)
        return bilanx_error_make(error.status, "'%s': %s", path, error.text);
    return draft_commit(&draft);
}

static int conclude(const struct session *session, const struct commands *commands,
                    const struct bilanx_error *error)
{
    const struct settings *settings = session->settings;
    int code = session->sink.failed ? EXIT_FAILED : EXIT_DONE;
    print_results(session, commands);
    if (settings->export_markdown)
        code |= complain_error(export_markdown(commands, settings->export_markdown));
    if (settings->export_csv)
        code |=
            complain_error(export_csv(commands, settings->shown.csv_safe, settings->export_csv));
    if (settings->export_json)
        code |= complain_error(export_json(commands, settings->export_json));
    for (size_t i = 0; i < commands->count; i++)
        if (commands->items[i].record.error)
            code = EXIT_FAILED;
    if (commands->cleanup_error) {
        complain(commands->cleanup_error);
        code = EXIT_FAILED;
    }
    if (error->status == BILANX_E_INTERRUPTED) {
        complain(has_results(commands) ? "interrupted; the results so far are above"
                                       : "interrupted");
        return EXIT_INTERRUPTED;
    }
    return error->status == BILANX_OK ? code : complain_error(*error);
}

static int measure(struct session *session, struct commands *commands)
{
    const struct settings *settings = session->settings;
    const struct show_settings *console = &settings->shown;
    struct bilanx_error error = sink_open(&session->sink, console);
    if (error.status != BILANX_OK)
        return complain_error(error);
    if (!commands->interleaved && settings->measure.order == COMMANDS_AUTO && !console->quiet)
        complain("the commands have different setups, so they run one after another (use --order "
                 "interleaved if no setup undoes another)");
    progress_bar_init(&session->bar, commands->count, console->quiet);
    if (settings->measure.output == COMMANDS_SHOWN)
        session->bar.terminal = false;  // it would mix with their output
    interrupt_catch();
    struct commands_observer observer = {session, working, finished};
    error = commands_measure(commands, &settings->measure, &observer);
    progress_bar_clear(&session->bar);
    int code = conclude(session, commands, &error);
    sink_done(&session->sink);
    return code;
}

static struct bilanx_error expand(struct settings *settings, int argc, char **argv,
                                  struct commands *out)
{
    AUTO(templates) struct templates templates = {0};
    AUTO(parameters) struct parameters parameters = {0};
    BILANX_TRY(complete(settings));
    BILANX_TRY(split_commands(argc, argv, &templates));
    if (settings->measure.shell && !settings->shown.quiet)
        hint_at_and(&templates);
    BILANX_TRY(dress_commands(settings, &templates));
    BILANX_TRY(read_parameters(settings, &parameters));
    BILANX_TRY(
        commands_expand(templates.items, templates.count, &parameters, &settings->measure, out));
    return settings->shown.reference ? commands_refer(out, settings->shown.reference)
                                     : BILANX_SUCCESS;
}

int time_commands(const struct command *command, int argc, char **argv)
{
    const struct command itself = {
        .name = command->name, .options = time_commands_options, .rules = time_commands_rules};
    int end = 1;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    AUTO(settings) struct settings settings = {.measure.runs = NOT_GIVEN};
    AUTO(words) struct words words = {0};
    int code = command_parse(&itself, end, argv, &settings, &words);
    if (code != EXIT_DONE)
        return code;
    if (words.count || end == argc)
        return complain_error(bilanx_error_make(
            BILANX_E_USAGE, "%s%s%s: commands go after '--' (see 'bilanx time --help')",
            words.count ? "unexpected '" : "nothing to measure", words.count ? words.items[0] : "",
            words.count ? "'" : ""));
    AUTO(commands) struct commands commands = {0};
    struct bilanx_error error = expand(&settings, argc - end - 1, argv + end + 1, &commands);
    if (error.status != BILANX_OK)
        return complain_error(error);
    const struct flame_beside flame = {.path = settings.flame, .settings = &settings.shown};
    code = complain_error(flame_beside_check(&flame));
    if (code != EXIT_DONE)
        return code;
    struct session session = {.settings = &settings};
    return flame_beside_commands(&flame, &commands, measure(&session, &commands));
}

const struct example time_commands_examples[] = {
    {"bilanx time -- ./prog input.txt", "how long it takes"},
    {"bilanx time -- ./old input.txt --and ./new input.txt", "which is faster, and by how much"},
    {"bilanx time --warmup 3 -- grep -r main src", "with warm caches"},
    {"bilanx time -P n 1 8 -- make -j{n} -B", "for each n from 1 to 8"},
    {"bilanx time -L cc gcc,clang -s '{cc} -O2 a.c -o a-{cc}' -- ./a-{cc}",
     "the output of two compilers"},
    {"bilanx time --shell -- 'sort big | uniq -c'", "through a shell"},
    {0},
};

const char time_commands_details[] =
    "Each run starts the command once, without a shell unless --shell is given. The\n"
    "runs of several commands alternate in random order. The time is the median with\n"
    "its 95 % interval. Below the table, each command is compared with the first,\n"
    "from pairs of adjacent runs. Processes that a run leaves in its process group\n"
    "are killed. ^C keeps the results so far.\n";
