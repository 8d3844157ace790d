// cluster_show: the output of a run on a cluster: progress, tables, failures of machines.
#include "cluster_show.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/monotonic.h"
#include "base/terminal.h"
#include "bilanx/compare.h"
#include "cluster_replicas.h"
#include "core/record/records.h"
#include "core/show/complain.h"

void cluster_show_clear(struct cluster_display *display)
{
    if (display->drawn)
        fputs("\r\033[K", stderr);
    display->drawn = false;
}

void cluster_show_note(void *context, const char *text)
{
    cluster_show_clear(context);
    complain(text);
}

static size_t nodes_running(const struct drive *drive)
{
    uint64_t replicas = drive->folder->replicas ? drive->folder->replicas : 1;
    return drive_count(drive, LAUNCH_RUNNING) * replicas;
}

static void add_remaining(double left, struct text *out)
{
    if (left >= 90)
        text_format(out, "  about %.0f min left", left / 60 + .5);
    else if (left >= 0)
        text_format(out, "  about %.0f s left", left + .5);
}

static void compose(const struct cluster_display *display, const struct drive *drive,
                    struct text *out)
{
    const struct campaign *campaign = &drive->campaign;
    size_t running = nodes_running(drive), held = drive_count(drive, LAUNCH_HELD);
    size_t waiting = drive_count(drive, LAUNCH_WAITING);
    text_format(out, "%zu/%zu cases  %zu node%s", campaign->done_count, campaign->case_count,
                running, running == 1 ? "" : "s");
    if (waiting)
        text_format(out, "  %zu task%s waiting", waiting, waiting == 1 ? "" : "s");
    if (held)
        text_format(out, "  %zu held", held);
    add_remaining(display->estimate.left, out);
}

// On a terminal one line that changes; otherwise a line now and then.
void cluster_show_progress(void *context, const struct drive *drive)
{
    static const uint64_t SELDOM_NS = 10000000000u;
    struct cluster_display *display = context;
    const struct campaign *campaign = &drive->campaign;
    double spent = (double)(monotonic_ns() - drive->started_ns) / 1e9;
    double share = campaign->total_cost > 0 ? campaign->done_cost / campaign->total_cost : 1;
    progress_estimate(&display->estimate, share, spent);
    if (display->settings->quiet)
        return;
    AUTO(text) struct text line = {0};
    compose(display, drive, &line);
    if (isatty(STDERR_FILENO)) {
        size_t width = terminal_width(STDERR_FILENO);
        cluster_show_clear(display);
        fprintf(stderr, "%.*s", width ? (int)width - 1 : 200, text_get(&line));
        fflush(stderr);
        display->drawn = true;
        return;
    }
    bool news = campaign->done_count > display->shown_done;
    if (news && (monotonic_ns() - display->shown_ns > SELDOM_NS ||
                 campaign->done_count == campaign->case_count)) {
        fprintf(stderr, "%s\n", text_get(&line));
        display->shown_done = campaign->done_count;
        display->shown_ns = monotonic_ns();
    }
}

struct bilanx_error cluster_show_tables(const struct show_settings *settings, const char *path,
                                        bool counted, uint64_t replicas)
{
    struct bilanx_record *records = NULL;
    size_t count = 0;
    if (settings->format == BILANX_JSON || (settings->json && strcmp(settings->json, "-") == 0))
        return BILANX_SUCCESS;
    BILANX_TRY(bilanx_record_read_file(path, &records, &count));
    struct bilanx_compare *compare = bilanx_compare_new();
    bool for_people = settings->format == BILANX_TABLE;
    AUTO(text) struct text replicated = {0};
    if (replicas > 1 && for_people && !counted)
        cluster_replicas_show(records, count, &replicated);
    for (size_t i = 0; i < count; i++) {
        bilanx_compare_add(compare, &records[i], NULL);
        bilanx_record_done(&records[i]);
    }
    free(records);
    struct bilanx_error error = BILANX_SUCCESS;
    if (count)
        error = bilanx_compare_print(compare,
                                     &(struct bilanx_compare_options){
                                         .format = settings->format,
                                         .metric = counted ? "instructions" : NULL,
                                         .csv_safe = settings->csv_safe,
                                         .color = terminal_color(settings->color, STDOUT_FILENO),
                                         .width = terminal_width(STDOUT_FILENO)},
                                     stdout);
    bilanx_compare_free(compare);
    fputs(text_get(&replicated), stdout);
    fflush(stdout);
    return error;
}

static void add_nodes(const struct campaign *campaign, struct text *out)
{
    size_t used = 0;
    for (size_t i = 0; i < campaign->node_count; i++)
        used += campaign->nodes[i].measured > 0;
    text_format(out, "%zu of %zu cases", campaign->done_count, campaign->case_count);
    if (used)
        text_format(out, " on %zu node%s", used, used == 1 ? "" : "s");
}

void cluster_show_summary(const struct drive *drive)
{
    const struct campaign *campaign = &drive->campaign;
    AUTO(text) struct text lines = {0};
    add_nodes(campaign, &lines);
    text_format(&lines, " in %.0f s\n", (double)(monotonic_ns() - drive->started_ns) / 1e9);
    for (size_t i = 0; i < drive->trouble_count; i++) {
        const struct drive_trouble *trouble = &drive->troubles[i];
        text_format(&lines, "  %s: %zu task%s failed: %s\n", trouble->node, trouble->count,
                    trouble->count == 1 ? "" : "s", trouble->what);
    }
    for (size_t i = 0; i < campaign->node_count; i++)
        if (campaign->nodes[i].bad)
            text_format(&lines, "  %s: not used: %s\n", campaign->nodes[i].name,
                        campaign->nodes[i].bad);
    if (campaign->abandoned_count)
        text_format(&lines, "  gave up on %zu case%s (--shard-retries %llu)\n",
                    campaign->abandoned_count, campaign->abandoned_count == 1 ? "" : "s",
                    (unsigned long long)drive->folder->retries);
    fputs(text_get(&lines), stderr);
}

void cluster_show_status(const struct drive *drive)
{
    const struct campaign *campaign = &drive->campaign;
    AUTO(text) struct text lines = {0};
    text_format(&lines,
                "%zu of %zu cases done; tasks: %zu running, %zu waiting, %zu held, %zu to "
                "be tried again\n",
                campaign->done_count, campaign->case_count, drive_count(drive, LAUNCH_RUNNING),
                drive_count(drive, LAUNCH_WAITING), drive_count(drive, LAUNCH_HELD),
                drive->trouble_count);
    for (size_t i = 0; i < campaign->batch_count; i++)
        text_format(&lines, "batch %zu: job %s, %llu task%s, %zu open\n", i + 1,
                    drive->batches[i].job ? drive->batches[i].job : "not submitted",
                    (unsigned long long)campaign->batches[i].shard.count,
                    campaign->batches[i].shard.count == 1 ? "" : "s",
                    campaign->batches[i].open_count);
    for (size_t i = 0; i < campaign->node_count; i++)
        text_format(&lines, "%s: %llu case%s%s%s\n", campaign->nodes[i].name,
                    (unsigned long long)campaign->nodes[i].measured,
                    campaign->nodes[i].measured == 1 ? "" : "s",
                    campaign->nodes[i].bad ? "; not used: " : "",
                    campaign->nodes[i].bad ? campaign->nodes[i].bad : "");
    fputs(text_get(&lines), stdout);
}
