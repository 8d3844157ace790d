// cmd_ops: `bilanx ops`, operators of real models on several backends.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "command.h"
#include "ops_record.h"
#include "ops_report.h"
#include "ops_run.h"
#include "share_arguments.h"

#define AT(member) offsetof(struct ops_arguments, member)

static const struct option ops_options_table[] = {
    {"suite", 0, OPTION_LIST, AT(suites), "NAME",
     .help = "also use the logs in a folder of this name under\n"
             "$BILANX_DATA; huggingface, timm and torchbench stand\n"
             "for hf_train, timm_train and torchbench_train"},
    {"inp-file", 0, OPTION_LIST, AT(files), "LOG", .reads = true, .help = "the same as LOG"},
    {"op", 0, OPTION_TEXT, AT(measure.select), "NAME|REGEX",
     .help = "only these operators (default: all, without views and\n"
             "constructors)"},
    {"backend", 0, OPTION_LIST, AT(backends), "B[:CONFIG]",
     .help = "measure this backend: a name from --backends or the\n"
             "path of a shared library; with another name for it,\n"
             "NAME=B"},
    {"baseline", 0, OPTION_TEXT, AT(baseline), "B",
     .help = "compare the others with this backend (default: torch,\n"
             "or reference without PyTorch)"},
    {"inductor-config", 0, OPTION_LIST, AT(inductor_configs), "CONFIG",
     .help = "also measure the backends inductor and inductor:CONFIG"},
    {"measure-nvfuser", 0, OPTION_FLAG, AT(nvfuser),
     .help = "also measure the backend torchscript"},
    {"no-measure-nvfuser", 0, OPTION_FLAG, AT(no_nvfuser)},
    {"dtype", 0, OPTION_TEXT, AT(dtype), "TYPE",
     .help = "type of floating-point tensors: float32 (default),\n"
             "float16, bfloat16, float64"},
    {"channels-last", 0, OPTION_FLAG, AT(measure.data.channels_last),
     .help = "give 4-D tensors the channels-last memory layout"},
    {"seed", 0, OPTION_COUNT, AT(measure.data.seed), "N", .help = "seed of the data (0)"},
    {"device", 0, OPTION_TEXT, AT(device), "DEVICE", .help = "only cpu is supported"},
    {"max-samples", 0, OPTION_COUNT, AT(measure.most_samples), "N",
     .help = "samples per operator (15); 0: all"},
    {"start-idx", 0, OPTION_COUNT, AT(measure.first_sample), "N",
     .help = "skip the first N samples of each operator (0)"},
    {"max-bytes", 0, OPTION_COUNT, AT(measure.data.max_bytes), "N",
     .help = "skip samples with larger arguments, such as 256M"},
    {"repeats", 0, OPTION_COUNT, AT(measure.repeats), "N",
     .help = "turns per backend; a turn takes a millisecond, or one\n"
             "call if that is longer (3; 10 with --verdict)"},
    {"budget", 0, OPTION_SECONDS, AT(measure.budget_s), "TIME", .range = &range_duration,
     .help = "time limit per operator: start no more samples after it"},
    {"timeout", 0, OPTION_SECONDS, AT(measure.timeout_s), "TIME", .range = &range_duration,
     .help = "fail a sample that is silent for this long (60 s; 300 s\n"
             "with Python)"},
    {"max-memory", 0, OPTION_COUNT, AT(measure.max_memory), "BYTES",
     .help = "memory limit per process (4/5 of free memory)"},
    {"threads", 't', OPTION_COUNT, AT(measure.threads), "N", .range = &range_threads,
     .help = "threads per backend (1)"},
    {"accuracy-checking", 0, OPTION_PERHAPS, AT(accuracy), "True|False",
     .help = "compare results with the baseline's, also on large and\n"
             "tiny data (default: True)"},
    {"views", 0, OPTION_FLAG, AT(measure.all_roles),
     .help = "also measure views and constructors; means exclude them"},
    {"preallocate", 0, OPTION_FLAG, AT(measure.preallocate),
     .help = "reuse the memory of results, to time only the kernels"},
    {"cold", 0, OPTION_FLAG, AT(measure.cold),
     .help = "sweep the last-level cache before every call"},
    {"verdict", 0, OPTION_FLAG, AT(verdict), .help = "judge each operator: faster, slower, same"},
    {"no-roof", 0, OPTION_FLAG, AT(no_roof),
     .help = "do not measure what this machine can do at most"},
    {"python", 0, OPTION_TEXT, AT(measure.python), "EXE",
     .help = "interpreter for backends in Python (default:\n"
             "$BILANX_PYTHON, or python3)"},
    {"csv", 0, OPTION_TEXT, AT(csv), "FILE", .writes = "a table",
     .help = "write a row for each operator as it completes"},
    {"compatible", 0, OPTION_FLAG, AT(compatible),
     .help = "with --suite S, write operatorbench_S_TYPE.csv"},
    {"profile", 0, OPTION_PERHAPS, AT(profile), "DIR",
     .help = "write a Chrome trace per operator and a flame graph per\n"
             "backend to DIR (default: log)"},
    {"resume", 0, OPTION_TEXT, AT(resume), "FILE", .writes = "records",
     .help = "measure only the samples without a record in FILE, and\n"
             "append to it"},
    {.group = share_portion_options, .offset = AT(share)},
    {.group = cluster_options, .offset = AT(cluster)},
    {"list", 0, OPTION_FLAG, AT(shown.list),
     .help = "list the operators of the logs; measure nothing"},
    {"fuse", 0, OPTION_FLAG, AT(fuse),
     .help = "measure chains of pointwise operators as one kernel\n"
             "each, against the same operators one by one; record\n"
             "them with 'bilanx ops record --chains'"},
    {"show-code", 0, OPTION_TEXT, AT(show_code), "NAME|REGEX",
     .help = "print the C that the backend codegen generates for the\n"
             "samples of these operators; measure nothing"},
    {"backends", 0, OPTION_FLAG, AT(list_backends),
     .help = "list the backends, and the operators of the logs that\n"
             "each supports"},
    {.group = show_env_options, .offset = AT(shown)},
    {.group = show_record_options, .offset = AT(shown)},
    {.group = show_fact_options, .offset = AT(shown)},
    {.group = show_look_options, .offset = AT(shown)},
    {0},
};

#define WHICH_LOGS "suite inp-file op dtype max-samples start-idx max-bytes views quiet color "
static const struct option_rule ops_rules[] = {
    {"backends", RULE_ALLOWS, WHICH_LOGS "backend python threads", .why = "nothing is measured"},
    {"show-code", RULE_ALLOWS, WHICH_LOGS "backend", .why = "nothing is measured"},
    {"show-code", RULE_EXCLUDES, "op", .why = "it names the operators itself"},
    {"list", RULE_ALLOWS, "suite inp-file quiet format color",
     .why = "it shows all that the logs hold"},
    {"color", RULE_EXCLUDES, "show-code format=csv format=json", .why = "that is never coloured"},
    {"fuse", RULE_EXCLUDES, "op baseline inductor-config measure-nvfuser compatible",
     .why = "chains are measured by codegen, whole and one operator at a time"},
    {"no-roof", RULE_EXCLUDES, "format=csv format=json", .why = "only tables show the roof"},
    {"csv-safe", RULE_NEEDS, "format=csv csv compatible"},
    {"compatible", RULE_NEEDS, "suite", .why = "its file is named after the suite"},
    {"compatible", RULE_EXCLUDES, "csv", .why = "it is a CSV file itself"},
    {"env", RULE_NEEDS, "json resume format=json", .why = "it is for records"},
    {.group = show_record_rules},
    {.group = cluster_rules},
    {0},
};

static struct bilanx_error usage(const char *text)
{
    return bilanx_error_make(BILANX_E_USAGE, "%s", text);
}

// "--accuracy-checking LOG" and "--profile LOG": the word is not their value.
static void give_back(const char **value, struct words *words)
{
    mem_grow(words->items, words->count, &words->room);
    words->items[words->count++] = *value;
    *value = "";
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static struct bilanx_error read_accuracy(struct ops_arguments *arguments, struct words *words)
{
    static const char *const yes[] = {"", "True", "true", "1", "yes"};
    static const char *const no[] = {"False", "false", "0", "no"};
    const char *word = arguments->accuracy;
    if (!word)
        return BILANX_SUCCESS;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (strcmp(word, no[i]) == 0)
            arguments->measure.unchecked = true;
    bool known = arguments->measure.unchecked;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        known |= strcmp(word, yes[i]) == 0;
    if (!known && access(word, F_OK) == 0)
        give_back(&arguments->accuracy, words);
    else if (!known)
        return bilanx_error_make(BILANX_E_USAGE, "--accuracy-checking is True or False, not '%s'",
                                 word);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_dtype(struct ops_arguments *arguments)
{
    static const char *const names[][2] = {
        {"float32", "f32"}, {"float16", "f16"}, {"half", "f16"}, {"bfloat16", "bf16"},
        {"float64", "f64"}, {"double", "f64"},  {"float", "f32"}};
    const char *word = arguments->dtype ? arguments->dtype : "float32";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(word, names[i][0]) == 0 || strcmp(word, names[i][1]) == 0) {
            arguments->measure.data.dtype = names[i][1];
            return BILANX_SUCCESS;
        }
    return bilanx_error_make(BILANX_E_USAGE,
                             "--dtype is float32, float16, bfloat16 or float64, not '%s'", word);
}

static struct bilanx_error check_device(const struct ops_arguments *arguments)
{
    const char *device = arguments->device;
    if (!device || strcmp(device, "cpu") == 0)
        return BILANX_SUCCESS;
    if (text_starts(device, "cuda"))
        return usage("--device cuda: bilanx measures on the CPU only: use --device cpu");
    return bilanx_error_make(BILANX_E_USAGE, "--device is cpu, not '%s'", device);
}

static struct bilanx_error complete(struct ops_arguments *arguments, struct words *words)
{
    BILANX_TRY(read_accuracy(arguments, words));
    BILANX_TRY(read_dtype(arguments));
    BILANX_TRY(check_device(arguments));
    if (arguments->profile && is_file(arguments->profile))
        give_back(&arguments->profile, words);
    if (arguments->profile && !*arguments->profile)
        arguments->profile = "log";
    if (arguments->compatible && arguments->suites.count != 1)
        return usage("--compatible names its file after the suite: give one --suite");
    if (arguments->measure.repeats == 0)  // a verdict needs ten pairs
        arguments->measure.repeats = arguments->verdict ? 10 : 3;
    arguments->shown.seed = arguments->measure.data.seed;
    if (!arguments->shown.quiet)
        arguments->measure.tell.line = complain_line;
    return show_check(&arguments->shown);
}

static struct bilanx_error read_logs(const struct ops_arguments *arguments,
                                     const struct words *words, struct operator_log *log)
{
    for (size_t i = 0; i < arguments->suites.count; i++)
        BILANX_TRY(operator_log_add_suite(log, arguments->suites.items[i]));
    for (size_t i = 0; i < arguments->files.count; i++)
        BILANX_TRY(operator_log_add(log, arguments->files.items[i]));
    for (size_t i = 0; i < words->count; i++)
        BILANX_TRY(operator_log_add(log, words->items[i]));
    return BILANX_SUCCESS;
}

// The reference's options stand for backends.
static struct bilanx_error choose_backends(const struct ops_arguments *arguments, struct ops *ops)
{
    struct ops_backends *backends = &ops->backends;
    for (size_t i = 0; i < arguments->backends.count; i++)
        BILANX_TRY(ops_backends_add(backends, arguments->backends.items[i], NULL));
    if (arguments->inductor_configs.count)
        BILANX_TRY(ops_backends_add(backends, "inductor", NULL));
    for (size_t i = 0; i < arguments->inductor_configs.count; i++) {
        const char *config = arguments->inductor_configs.items[i];
        AUTO(memory) char *spec = mem_format("inductor:%s", config);
        BILANX_TRY(ops_backends_add(backends, spec, config));
    }
    if (arguments->nvfuser && !arguments->no_nvfuser)
        BILANX_TRY(ops_backends_add(backends, "torchscript", "nvfuser"));
    if (backends->count == 0)
        BILANX_TRY(ops_backends_usual(backends));
    else if (!arguments->baseline)
        return ops_backends_usual_baseline(backends);
    return arguments->baseline ? ops_backends_baseline(backends, arguments->baseline)
                               : BILANX_SUCCESS;
}

// codegen runs chains both fused and one operator after another.
static struct bilanx_error choose_fusing(const struct ops_arguments *arguments,
                                         const struct operator_log *log, struct ops *ops)
{
    static const char chain[] = "bilanx.chain.default";
    bool found = false;
    for (size_t i = 0; i < log->operator_count; i++)
        found = found || strcmp(log->operators[i].name, chain) == 0;
    if (!found)
        return bilanx_error_make(BILANX_E_INPUT, "the log has no chains: record one with 'bilanx "
                                                 "ops record --chains'");
    ops->options.select = chain;
    BILANX_TRY(ops_backends_add(&ops->backends, "codegen:apart", NULL));
    for (size_t i = 0; i < arguments->backends.count; i++)
        BILANX_TRY(ops_backends_add(&ops->backends, arguments->backends.items[i], NULL));
    return arguments->backends.count ? BILANX_SUCCESS
                                     : ops_backends_add(&ops->backends, "codegen", NULL);
}

static struct bilanx_error prepare(struct ops_arguments *arguments, struct words *words,
                                   struct operator_log *log, struct ops *ops)
{
    BILANX_TRY(complete(arguments, words));
    if (words->count + arguments->suites.count + arguments->files.count == 0 &&
        !arguments->list_backends)
        return usage("ops needs a log, or --suite (see 'bilanx help ops')");
    BILANX_TRY(read_logs(arguments, words, log));
    ops->options = arguments->measure;
    ops->options.portion = arguments->share.portion;
    if (arguments->shown.list)
        return BILANX_SUCCESS;
    if (!arguments->list_backends)
        BILANX_TRY(ops_check_selection(arguments->measure.select, log));
    if (arguments->fuse)
        return choose_fusing(arguments, log, ops);
    if (arguments->show_code) {
        bool asked = arguments->backends.count > 0;
        ops->options.select = arguments->show_code;
        return ops_backends_add(&ops->backends, asked ? arguments->backends.items[0] : "codegen",
                                NULL);
    }
    return choose_backends(arguments, ops);
}

static void arguments_done(struct ops_arguments *arguments)
{
    words_done(&arguments->suites);
    words_done(&arguments->files);
    words_done(&arguments->backends);
    words_done(&arguments->inductor_configs);
    cluster_arguments_done(&arguments->cluster);
}

// Samples are the cases: the backends take turns on each.
static int run_on_cluster(const struct ops_arguments *arguments, const struct operator_log *log,
                          struct ops *ops)
{
    ops->options.portion = (struct portion){0};
    int code = complain_error(ops_plan(ops, log));
    size_t count = ops_sample_count(ops);
    if (code != EXIT_DONE)
        return code;
    AUTO(memory) struct shard_item *items = mem_array(struct shard_item, count + 1);
    AUTO(memory) const char **names = mem_array(const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        items[i] = (struct shard_item){1, i};
        names[i] = ops->cases.items[i * ops->backends.count].name;
    }
    return cluster_run(&(struct cluster_request){.arguments = &arguments->cluster,
                                                 .settings = &arguments->shown,
                                                 .options = ops_options_table,
                                                 .argc = arguments->argc,
                                                 .argv = arguments->argv,
                                                 .items = items,
                                                 .names = names,
                                                 .count = count,
                                                 .records = RECORDS_SEQUENTIAL,
                                                 .portion = &arguments->share.portion,
                                                 .resume = arguments->resume});
}

static int run_words(struct ops_arguments *arguments, struct words *words)
{
    AUTO(operator_log) struct operator_log log = {0};
    AUTO(ops) struct ops ops = {0};
    if (arguments->list_backends && words->count == 0 && arguments->suites.count == 0)
        return ops_show_backends(arguments, NULL);
    int code = complain_error(prepare(arguments, words, &log, &ops));
    if (code != EXIT_DONE)
        return code;
    if (arguments->shown.list)
        return ops_list(arguments, &log);
    if (arguments->list_backends)
        return ops_show_backends(arguments, &log);
    if (arguments->show_code)
        return ops_show_code(arguments, &log, &ops);
    if (arguments->cluster.cluster)
        return run_on_cluster(arguments, &log, &ops);
    return ops_run(arguments, &log, &ops);
}

static int run(const struct command *command, int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "record") == 0)
        return ops_record(argc - 1, argv + 1);
    struct ops_arguments arguments = {.measure.most_samples = 15, .argc = argc, .argv = argv};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    if (code == EXIT_DONE)
        code = run_words(&arguments, &words);
    arguments_done(&arguments);
    return code;
}

static const struct example ops_examples[] = {
    {"bilanx ops suites/ops/*.txt", "three models on the backends of this machine"},
    {"bilanx ops bert.txt --backend onednn --backend openblas", "two libraries, and their ratio"},
    {"bilanx ops bert.txt --op 'aten.add.*' --backend ./mine.so", "your own kernels"},
    {"bilanx ops bert.txt --list", "the operators of a log"},
    {"bilanx ops --show-code aten.gelu.default bert.txt", "the kernels that codegen generates"},
    {"bilanx ops record -- python3 train.py", "record a log"},
    {"bilanx ops --fuse chains.txt", "the gain from fusing pointwise operators"},
    {0},
};

const struct command cmd_ops = {
    .name = "ops",
    .usage = "[OPTION...] LOG...",
    .summary = "compare backends on the operators of real models",
    .options = ops_options_table,
    .rules = ops_rules,
    .examples = ops_examples,
    .details = "A log lists operators and the arguments they were called with; LOG is a file or a\n"
               "folder. The backends take turns on the same tensors. A speed-up is the baseline's\n"
               "time divided by the backend's: the median over samples, with the 20 and 80 %\n"
               "quantiles in parentheses. ^C keeps the results so far. See docs/operators.md.\n",
    .also = &ops_record_command,
    .run = run,
};
