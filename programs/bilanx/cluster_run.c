// cluster_run: runs a command on the nodes of a cluster.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/output.h"
#include "cluster/merging/record_line.h"
#include "cluster/site/site_settings.h"
#include "cluster_arguments.h"
#include "cluster_finish.h"
#include "core/record/records.h"
#include "core/show/complain.h"
#include "results/read/reader.h"

// Options that are for this process, not for tasks.
static const char *const own_options[] = {
    "cluster", "nodes",     "replicate", "shard-retries", "sbatch-option", "cluster-folder",
    "stream",  "unchecked", "detach",    "json",          "append",        "overwrite",
    "format",  "csv-safe",  "quiet",     "color",         "resume",        NULL};

static struct bilanx_error usage(const char *text)
{
    return bilanx_error_make(BILANX_E_USAGE, "%s", text);
}

// "slurm:PARTITION"
static struct bilanx_error choose_launcher(const char *word, const struct site_settings *site,
                                           struct run_folder *out)
{
    const char *colon = strchr(word, ':');
    const struct launcher *launcher;
    out->launcher = mem_text_n(word, colon ? (size_t)(colon - word) : strlen(word));
    if (colon && !colon[1])
        return usage("--cluster slurm: needs the name of a partition after the colon");
    out->partition = mem_text(colon ? colon + 1 : site->partition);
    return launcher_find(out->launcher, &launcher);
}

static struct bilanx_error choose_retries(const char *given, const struct site_settings *site,
                                          uint64_t *out)
{
    *out = site->shard_retries ? site->shard_retries : 3;
    if (given && !number_read_count(given, out))
        return bilanx_error_make(BILANX_E_USAGE, "--shard-retries takes a number, not '%s'", given);
    return BILANX_SUCCESS;
}

static char *absolute(const char *path)
{
    char here[4096];
    if (path[0] == '/' || !getcwd(here, sizeof here))
        return mem_text(path);
    return mem_format("%s/%s", here, path);
}

// Folders of runs are named by the time, so that they sort; the process makes the name unique.
static char *folder_path(const struct cluster_arguments *arguments,
                         const struct site_settings *site)
{
    char name[40];
    time_t now = time(NULL);
    struct tm local;
    strftime(name, sizeof name, "%Y%m%d-%H%M%S", localtime_r(&now, &local));
    AUTO(memory) char *base = absolute(arguments->folder ? arguments->folder : site_folder(site));
    return mem_format("%s/%s-%d", base, name, (int)getpid());
}

static void choose_options(const struct cluster_arguments *arguments,
                           const struct site_settings *site, struct run_folder *out)
{
    for (const char *const *option = site->sbatch_options; option && *option; option++)
        list_add(&out->options, *option);
    for (size_t i = 0; i < arguments->sbatch_options.count; i++)
        list_add(&out->options, arguments->sbatch_options.items[i]);
    out->nodes = arguments->nodes ? arguments->nodes : site->nodes;
    out->replicas = arguments->replicas ? arguments->replicas : 1;
    out->unchecked = arguments->unchecked || site->unchecked;
    out->streamed = arguments->stream || site->stream;
}

static struct bilanx_error choose_program(const struct site_settings *site, struct run_folder *out)
{
    char path[4096], here[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    if (size <= 0 || !getcwd(here, sizeof here))
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot find this program: %s", strerror(errno));
    path[size] = '\0';
    out->program = mem_text(site->program ? site->program : path);
    out->directory = mem_text(here);
    out->version = mem_text(BILANX_VERSION);
    return BILANX_SUCCESS;
}

static struct bilanx_error describe(const struct cluster_request *request, struct run_folder *out)
{
    const struct cluster_arguments *arguments = request->arguments;
    AUTO(site_settings) struct site_settings site = {0};
    BILANX_TRY(site_settings_read(&site));
    BILANX_TRY(site_settings_check(&site));
    BILANX_TRY(choose_launcher(arguments->cluster, &site, out));
    BILANX_TRY(choose_retries(arguments->retries, &site, &out->retries));
    BILANX_TRY(choose_program(&site, out));
    choose_options(arguments, &site, out);
    out->path = folder_path(arguments, &site);
    const char *path = request->resume ? request->resume : request->settings->json;
    out->out = path ? strcmp(path, "-") == 0 ? mem_text("-") : absolute(path)
                    : mem_format("%s/merged.jsonl", out->path);
    list_add(&out->words, request->argv[0]);
    options_without(request->options, request->argc, request->argv, own_options, &out->words);
    out->records = request->records;
    out->counted = request->counted;
    out->digest = mem_text(request->digest);
    out->case_count = request->count;
    out->items = mem_array(struct shard_item, request->count + 1);
    for (size_t i = 0; i < request->count; i++) {
        out->items[i] = request->items[i];
        list_add(&out->names, request->names[i]);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error check(const struct cluster_request *request)
{
    const struct cluster_arguments *arguments = request->arguments;
    if (portion_is_partial(request->portion))
        return usage("--cluster gives each node its own --shard and --cases: drop these options");
    if (request->count == 0)
        return bilanx_error_make(BILANX_E_FAILED, "there are no cases to run");
    for (size_t i = 0; i < arguments->sbatch_options.count; i++)
        if (arguments->sbatch_options.items[i][0] != '-')
            return bilanx_error_make(BILANX_E_USAGE,
                                     "--sbatch-option takes an option such as --time=10, not '%s'",
                                     arguments->sbatch_options.items[i]);
    if (arguments->replicas > RUN_REPLICAS_MOST)
        return usage("--replicate takes at most 64 nodes");
    if (request->resume && arguments->replicas > 1)
        return usage("--resume and --replicate cannot be combined");
    return BILANX_SUCCESS;
}

static struct bilanx_error check_stream(const struct cluster_request *request,
                                        const struct run_folder *folder)
{
    const struct cluster_arguments *arguments = request->arguments;
    if (!folder->streamed || (!arguments->detach && arguments->replicas <= 1))
        return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_USAGE,
                             "%s cannot be combined with --detach or --replicate: it keeps a "
                             "connection to each node",
                             arguments->stream ? "--stream" : "'stream' in " SITE_FILE);
}

// Whether a line is a record of one of the run's cases.
static bool is_ours(const struct cluster_request *request, const char *line, size_t size)
{
    struct record_line facts;
    if (record_line_read(line, size, "", &facts).status != BILANX_OK || facts.place < 1 ||
        facts.place > request->count)
        return false;
    if (!request->cases)
        return true;
    AUTO(bilanx_record) struct bilanx_record record = {0};
    if (bilanx_record_read(line, size, "", &record).status != BILANX_OK)
        return false;
    const struct bilanx_task *task = &request->cases->items[facts.place - 1].task;
    struct hash a = record_bare_hash(&record.task), b = record_bare_hash(task);
    return a.a == b.a && a.b == b.b;
}

// The run's records in the file to resume become part of the run; those of others stay where they
// are.
static struct bilanx_error keep_earlier(const struct cluster_request *request,
                                        const struct run_folder *folder)
{
    AUTO(text) struct text kept = {0};
    AUTO(lines) struct lines lines = {0};
    AUTO(memory) char *path = mem_format("%s/earlier.jsonl", folder->path);
    if (!request->resume || access(request->resume, F_OK) != 0)
        return BILANX_SUCCESS;
    reader_tell_cut(request->resume, &complain_tell);
    BILANX_TRY(lines_open(request->resume, &lines));
    for (;;) {
        char *line;
        size_t size;
        BILANX_TRY(lines_next(&lines, &line, &size));
        if (!line)
            return run_file_write(path, text_get(&kept), kept.size);
        if (is_ours(request, line, size)) {
            text_add_n(&kept, line, size);
            text_add_char(&kept, '\n');
        }
    }
}

static struct bilanx_error open_output(const struct cluster_request *request,
                                       struct run_folder *folder, FILE **out)
{
    if (strcmp(folder->out, "-") == 0) {
        *out = stdout;
        return BILANX_SUCCESS;
    }
    enum output_mode mode = request->resume ? OUTPUT_APPEND : show_output_mode(request->settings);
    return output_open(folder->out, &output_records, mode, out);
}

static int detach(struct drive *drive)
{
    int code = complain_error(drive_submit_surely(drive));
    if (code != EXIT_DONE)
        return code;
    const char *path = drive->folder->path;
    printf("submitted %zu cases: %s\n"
           "bilanx cluster status %s\nbilanx cluster collect %s\nbilanx cluster cancel %s\n",
           drive->campaign.case_count, path, path, path, path);
    return EXIT_DONE;
}

static struct bilanx_error prepare(const struct cluster_request *request, struct run_folder *folder,
                                   const struct drive_observer *observer, struct drive *drive,
                                   FILE **out)
{
    BILANX_TRY(keep_earlier(request, folder));
    BILANX_TRY(drive_open(drive, folder, observer));
    BILANX_TRY(open_output(request, folder, out));
    gathering_write_to(drive->gathering, out, false);
    return BILANX_SUCCESS;
}

static int run_folder_on_cluster(const struct cluster_request *request, struct run_folder *folder,
                                 FILE **out)
{
    struct cluster_display display = {.settings = request->settings, .estimate.left = -1};
    const struct drive_observer observer = {&display, cluster_show_note, cluster_show_progress};
    AUTO(drive) struct drive drive = {0};
    AUTO(fd) int lock = -1;
    struct bilanx_error ready = run_folder_create(folder);
    if (ready.status == BILANX_OK)
        ready = run_folder_claim(folder->path, &lock);
    if (ready.status != BILANX_OK)
        return complain_error(ready);
    int code = complain_error(prepare(request, folder, &observer, &drive, out));
    if (code != EXIT_DONE) {
        run_folder_remove(folder->path);  // nothing was submitted
        return code;
    }
    if (request->arguments->detach)
        return detach(&drive);
    struct bilanx_error error = drive_run(&drive);
    return cluster_finish(&drive, &display, error);
}

int cluster_run(const struct cluster_request *request)
{
    AUTO(run_folder) struct run_folder folder = {0};
    AUTO(file) FILE *out = NULL;
    interrupt_catch();
    struct bilanx_error error = check(request);
    if (error.status == BILANX_OK && !request->resume)
        error = show_check(request->settings);
    if (error.status == BILANX_OK)
        error = describe(request, &folder);
    if (error.status == BILANX_OK)
        error = check_stream(request, &folder);
    if (error.status != BILANX_OK)
        return complain_error(error);
    int code = run_folder_on_cluster(request, &folder, &out);
    if (out == stdout)
        out = NULL;
    return code;
}
