// cluster_finish: the end of a run on a cluster: records, tables, summary, exit code.
#include "cluster_finish.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "cluster/merging/merge.h"
#include "core/show/complain.h"

// Other versions of libc, or with --hwcaps native other processors, run other variants of the same
// function, whose counts differ.
static void compare_counts(const struct drive *drive)
{
    AUTO(run_nodes) struct run_nodes nodes = {0};
    run_nodes_read(drive->folder->path, &nodes);
    for (size_t i = 1; i < nodes.count; i++) {
        const struct run_node *a = &nodes.items[0], *b = &nodes.items[i];
        if (text_equal(a->build, b->build))
            continue;
        for (size_t k = 0; k < a->counts.count && k < b->counts.count; k++) {
            if (strcmp(a->counts.items[k], b->counts.items[k]) == 0)
                continue;
            AUTO(memory) char *line = mem_format(
                "two kinds of nodes count differently: %s on %s (%s), %s on %s (%s): their libc is "
                "another version or, with --hwcaps native, chooses other variants of such "
                "functions (--sbatch-option --constraint=... keeps a run on one kind)",
                a->counts.items[k], a->name, a->kind, b->counts.items[k], b->name, b->kind);
            complain(line);
            return;
        }
    }
}

static bool is_whole(const struct drive *drive)
{
    return drive->campaign.done_count == drive->campaign.case_count;
}

// With tasks that may still run, resuming would measure their cases twice.
static void say_how_to_continue(const struct drive *drive, bool written)
{
    const char *out = drive->folder->out, *path = drive->folder->path;
    AUTO(text) struct text line = {0};
    size_t open = campaign_open_tasks(&drive->campaign);
    if (open && !drive->only_collect)
        text_format(&line, "%zu task%s may still run: 'bilanx cluster cancel %s' ends them", open,
                    open == 1 ? "" : "s", path);
    else if (!written)
        text_format(&line, "the records are in %s: 'bilanx cluster collect %s' writes them", path,
                    path);
    else if (!open && !is_whole(drive) && strcmp(out, "-") != 0)
        text_format(&line,
                    "%zu cases are missing: run the same command with --resume '%s'; logs are in "
                    "%s",
                    drive->campaign.case_count - drive->campaign.done_count, out, path);
    if (line.size)
        complain(text_get(&line));
}

// The folder is needed as long as something is missing or only there.
static void tidy(const struct drive *drive, bool written)
{
    const struct run_folder *folder = drive->folder;
    if (written && is_whole(drive) && !campaign_open_tasks(&drive->campaign) &&
        !file_is_below(folder->out, folder->path))
        run_folder_remove(folder->path);
}

// A second ^C ends this process.
static void cancel(struct drive *drive, bool interrupted)
{
    if (interrupted)
        complain("interrupted: cancelling the jobs");
    interrupt_catch();
    struct bilanx_error failed = drive_cancel(drive);
    if (failed.status != BILANX_OK)
        complain(failed.text);
}

int cluster_finish(struct drive *drive, struct cluster_display *display, struct bilanx_error error)
{
    const struct run_folder *folder = drive->folder;
    bool interrupted = error.status == BILANX_E_INTERRUPTED;
    cluster_show_clear(display);
    if (error.status != BILANX_OK && campaign_open_tasks(&drive->campaign) && !drive->only_collect)
        cancel(drive, interrupted);
    int code = interrupted ? EXIT_INTERRUPTED : complain_error(error);
    int unwritten = complain_error(gathering_finish(drive->gathering));
    code = code ? code : unwritten;
    if (drive->campaign.done_count)
        complain_error(
            cluster_show_tables(display->settings, folder->out, folder->counted, folder->replicas));
    if (folder->counted)
        compare_counts(drive);
    if (!display->settings->quiet || !is_whole(drive))
        cluster_show_summary(drive);
    say_how_to_continue(drive, !unwritten);
    if (!code && (!is_whole(drive) || gathering_has_failures(drive->gathering)))
        code = EXIT_FAILED;
    tidy(drive, !unwritten);
    return code;
}
