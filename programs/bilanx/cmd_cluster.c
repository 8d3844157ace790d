// cmd_cluster: runs on a cluster that were started with --detach, or left behind.
#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/output.h"
#include "cluster/site/site_settings.h"
#include "cluster/tasks/cluster_task.h"
#include "cluster_finish.h"

struct cluster_command {
    struct show_settings settings;
    bool wait;
};

#define AT(member) offsetof(struct cluster_command, member)
static const struct option cluster_command_options[] = {
    {"wait", 0, OPTION_FLAG, AT(wait),
     .help = "collect: wait for all tasks, and retry cases that\n"
             "failed"},
    {.group = show_record_options, .offset = AT(settings)},
    {.group = show_look_options, .offset = AT(settings)},
    {0},
};

static const struct option_rule cluster_command_rules[] = {
    {"append", RULE_EXCLUDES, "overwrite"},
    {"append overwrite", RULE_NEEDS, "json"},
    {.group = show_look_rules},
    {0},
};

// A run is named by its folder, or by the last part of it.
static struct bilanx_error find_run(const char *word, char **out)
{
    AUTO(site_settings) struct site_settings site = {0};
    BILANX_TRY(site_settings_read(&site));
    const char *base = site_folder(&site);
    AUTO(memory) char *below = mem_format("%s/%s", base, word);
    AUTO(memory) char *file = mem_format("%s/run.json", word);
    AUTO(memory) char *other = mem_format("%s/run.json", below);
    const char *found = access(file, F_OK) == 0 ? word : access(other, F_OK) == 0 ? below : NULL;
    if (!found)
        return bilanx_error_make(BILANX_E_USAGE, "'%s' is not the folder of a run (see 'ls %s')",
                                 word, base);
    char *real = realpath(found, NULL);
    *out = real ? real : mem_text(found);
    return BILANX_SUCCESS;
}

static int show_status(struct drive *drive, struct cluster_display *display,
                       const struct cluster_command *command)
{
    (void)display, (void)command;
    drive->only_look = drive->only_collect = true;
    int code = complain_error(drive_look(drive));
    if (code == EXIT_DONE)
        cluster_show_status(drive);
    return code;
}

static int collect(struct drive *drive, struct cluster_display *display,
                   const struct cluster_command *command)
{
    drive->only_look = drive->only_collect = !command->wait;
    struct bilanx_error error = command->wait ? drive_run(drive) : drive_look(drive);
    size_t open = campaign_open_tasks(&drive->campaign);
    if (!command->wait && error.status == BILANX_OK && open) {
        AUTO(memory) char *line =
            mem_format("%zu task%s still to come: collect again later, or with --wait", open,
                       open == 1 ? " is" : "s are");
        complain(line);
    }
    return cluster_finish(drive, display, error);
}

static int cancel(struct drive *drive, struct cluster_display *display,
                  const struct cluster_command *command)
{
    (void)display, (void)command;
    int code = complain_error(drive_look(drive));
    if (code == EXIT_DONE)
        code = complain_error(drive_cancel(drive));
    if (code == EXIT_DONE)
        cluster_show_status(drive);
    return code;
}

static const struct act {
    const char *name;
    bool writes;  // merged records
    bool looks;   // without changing anything, so while another process drives the run
    int (*run)(struct drive *drive, struct cluster_display *display,
               const struct cluster_command *command);
} acts[] = {
    {"status", .looks = true, .run = show_status},
    {"collect", .writes = true, .run = collect},
    {"cancel", .run = cancel},
};

static const struct act *find_act(const char *word)
{
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (strcmp(acts[i].name, word) == 0)
            return &acts[i];
    return NULL;
}

// The open files while a run is being handled.
struct looking {
    struct run_folder folder;
    struct drive drive;
    int lock;
    FILE *out;
};

static void looking_done(struct looking *looking)
{
    drive_done(&looking->drive);
    run_folder_done(&looking->folder);
    if (looking->out && looking->out != stdout)
        fclose(looking->out);
    if (looking->lock >= 0)
        close(looking->lock);
}
SCOPE_VALUE(looking, looking_done)

static struct bilanx_error open_output(struct cluster_command *command, struct looking *looking)
{
    struct run_folder *folder = &looking->folder;
    bool own = !command->settings.json;
    if (!own) {
        free(folder->out);
        folder->out = mem_text(command->settings.json);
    }
    enum output_mode mode = own ? OUTPUT_APPEND : show_output_mode(&command->settings);
    bool only_ours = mode == OUTPUT_REPLACE;
    if (strcmp(folder->out, "-") == 0) {
        looking->out = stdout;
        command->settings.json = "-";
    } else {
        BILANX_TRY(output_open(folder->out, &output_records, only_ours ? OUTPUT_APPEND : mode,
                               &looking->out));
    }
    gathering_write_to(looking->drive.gathering, &looking->out, only_ours);
    return BILANX_SUCCESS;
}

// The folder is read when no other process can change it.
static struct bilanx_error open_run(struct cluster_command *command, const struct act *act,
                                    const char *word, const struct drive_observer *observer,
                                    struct looking *looking)
{
    AUTO(memory) char *path = NULL;
    BILANX_TRY(find_run(word, &path));
    if (!act->looks)
        BILANX_TRY(run_folder_claim(path, &looking->lock));
    BILANX_TRY(run_folder_read(path, true, &looking->folder));
    BILANX_TRY(drive_open(&looking->drive, &looking->folder, observer));
    return act->writes ? open_output(command, looking) : BILANX_SUCCESS;
}

static int perform(struct cluster_command *command, const struct act *act, const char *word)
{
    struct cluster_display display = {.settings = &command->settings, .estimate.left = -1};
    const struct drive_observer observer = {&display, cluster_show_note, cluster_show_progress};
    AUTO(looking) struct looking looking = {.lock = -1};
    interrupt_catch();
    int code = complain_error(open_run(command, act, word, &observer, &looking));
    return code == EXIT_DONE ? act->run(&looking.drive, &display, command) : code;
}

static int run(const struct command *command, int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "task") == 0)
        return complain_error(cluster_task(argv[2], argv[3]));
    if (argc > 4 && strcmp(argv[1], "stream") == 0)  // words of a command: its name is argv[3]
        return complain_error(cluster_stream(argv[2], argv + 2));
    struct cluster_command arguments = {0};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    if (code != EXIT_DONE)
        return code;
    const struct act *act = words.count == 2 ? find_act(words.items[0]) : NULL;
    if (!act)
        return complain_error(bilanx_error_make(
            BILANX_E_USAGE, "cluster needs status, collect or cancel, and the folder of a run (see "
                            "'bilanx help cluster')"));
    return perform(&arguments, act, words.items[1]);
}

static const struct example cluster_examples[] = {
    {"bilanx run suite.yaml --cluster slurm --detach", "submit, and return"},
    {"bilanx cluster status RUN", "which tasks run where"},
    {"bilanx cluster collect RUN --wait", "merge all records"},
    {"bilanx cluster cancel RUN", "cancel its jobs"},
    {0},
};

const struct command cmd_cluster = {
    .name = "cluster",
    .usage = "status|collect|cancel RUN [OPTION...]",
    .summary = "check, collect or cancel runs on a cluster",
    .options = cluster_command_options,
    .rules = cluster_command_rules,
    .examples = cluster_examples,
    .details =
        "RUN is the folder that --detach printed. docs/cluster.md describes how to set up a\n"
        "cluster, and what happens when a node fails.\n",
    .run = run,
};
