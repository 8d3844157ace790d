// bundle_graphs: draws the samples: both sides of each case, and their difference.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bundle_parts.h"
#include "pictures.h"
#include "profile/flame/flame.h"
#include "profile/stacks/agreement.h"
#include "profile/stacks/stacks_record.h"
#include "profile/stacks/trees.h"

// The contents of a graph, and its name.
struct drawing {
    const char *role;  // "diff"
    const struct bundle_case *item;
    struct entry_names *files;
};

static void draw(const struct drawing *drawing, const struct stacks *stacks,
                 struct bundle_graph *out)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&bytes, &size);
    if (!memory)
        abort();
    AUTO(memory) char *title = mem_format("%s: %s", drawing->role, drawing->item->name);
    flame_svg(stacks, &(struct flame_options){.title = title}, memory);
    fclose(memory);
    AUTO(memory) char *file = mem_format("%s-%s", drawing->role, drawing->item->stem);
    out->file = entry_names_add(drawing->files, file);
    out->svg = (struct text){.data = bytes, .size = size, .room = size + 1};
    const char *height = strstr(bytes, " height=\"");
    out->height = height ? strtod(height + strlen(" height=\""), NULL) : 0;
}

// ---- Scaled to verdicts

// The verdict on a side; of the first side, that on the first other.
static const struct bilanx_verdict *verdict_on(const struct bundle *bundle,
                                               const struct bundle_case *item, size_t side)
{
    for (size_t i = side ? side : 1; i < bundle->side_count; i++) {
        const struct bilanx_verdict *verdict = part_verdict(&item->parts[i]);
        if (verdict && verdict->times[0] > 0 && verdict->times[1] > 0)
            return verdict;
        if (side)
            break;
    }
    return NULL;
}

// Samples of commands have no epochs: they are of CPU time, and verdicts are on elapsed time.
static void scale_to_verdict(const struct bundle *bundle, struct bundle_case *item, size_t side)
{
    struct bilanx_stacks *stacks = item->parts[side].slots[BUNDLE_STACKS].stacks;
    const struct bilanx_verdict *verdict = verdict_on(bundle, item, side);
    if (stacks && stacks->epoch_call_count)
        stacks->time = verdict ? verdict->times[side ? 1 : 0] : 0;
}

static struct stacks *stacks_of(const struct bundle_case *item, size_t side)
{
    const struct bilanx_stacks *record = item->parts[side].slots[BUNDLE_STACKS].stacks;
    struct stacks *stacks = record ? stacks_of_record(record) : NULL;
    if (stacks)
        stacks_sum(stacks);
    return stacks;
}

// ---- Graphs

static const char VERDICT[] = "the verdict";

// Widths are parts of the time that the verdict gives or else nanoseconds per call, if calls were
// counted. So the graphs of both sides compare.
static void draw_own(const struct drawing *drawing, struct stacks *stacks, struct bundle_graph *out)
{
    if (stacks_are_timed(stacks)) {
        struct agreement agreement = agreement_of_time(stacks, 0);
        out->remark = agreement_of_time_text(&agreement, VERDICT, true);
        out->disagrees = agreement.disagrees;
        if (out->remark)
            stacks_remark(stacks, out->remark);
    }
    if (stacks_are_timed(stacks) || !stacks_have_calls(stacks)) {
        draw(drawing, stacks, out);
        return;
    }
    AUTO(stacks) struct stacks *scaled = stacks_per_call(stacks);
    AUTO(memory) char *remark = mem_format("%.0f %s in %.0f calls", stacks->nodes[0].total,
                                           stacks->unit ? stacks->unit : "samples", stacks->calls);
    stacks_remark(scaled, remark);
    draw(drawing, scaled, out);
}

// Scales both sides to the times of their own verdict: with several sides, that of the first side
// differs a little from one verdict to the next.
static void scale_both(const struct bilanx_verdict *verdict, struct stacks *a, struct stacks *b,
                       struct bundle_graph *out)
{
    if (!verdict)
        return;
    if (!a->epoch_count || !b->epoch_count) {
        out->remark = mem_format("not scaled to the verdict, %+.1f %%", 100 * verdict->change);
        return;
    }
    struct agreement_claim claim = agreement_claim_of(verdict);
    struct agreement agreement = agreement_of_change(a, b, &claim);
    a->timed_s = verdict->times[0];
    b->timed_s = verdict->times[1];
    out->remark = agreement_of_change_text(&agreement, VERDICT);
    out->disagrees = agreement.disagrees;
}

static void draw_difference(struct bundle *bundle, const struct drawing *drawing,
                            const struct stacks *a, const struct stacks *b,
                            struct bundle_graph *out)
{
    AUTO(stacks) struct stacks *difference = NULL;
    bool per_call = stacks_have_calls(a) && stacks_have_calls(b);
    struct bilanx_error error =
        stacks_difference(a, b, per_call ? STACKS_PER_CALL : STACKS_AS_THEY_ARE, &difference);
    if (error.status != BILANX_OK) {
        bundle_miss(bundle, "the difference of %.200s: %.300s", drawing->item->name, error.text);
        return;
    }
    AUTO(memory) char *samples = mem_format("%.0f and %.0f %s", a->nodes[0].total,
                                            b->nodes[0].total, b->unit ? b->unit : "samples");
    stacks_remark(difference, samples);
    if (out->remark)
        stacks_remark(difference, out->remark);
    draw(drawing, difference, out);
}

static void draw_case(struct bundle *bundle, struct bundle_case *item, struct entry_names *files)
{
    for (size_t side = 0; side < bundle->side_count; side++) {
        scale_to_verdict(bundle, item, side);
        AUTO(stacks) struct stacks *first = stacks_of(item, 0);
        AUTO(memory) char *role = bundle_role(bundle, side);
        AUTO(stacks) struct stacks *stacks = stacks_of(item, side);
        struct bundle_part *part = &item->parts[side];
        if (!stacks)
            continue;
        draw_own(&(struct drawing){role, item, files}, stacks, &part->own);
        if (side == 0 || !first)
            continue;
        scale_both(verdict_on(bundle, item, side), first, stacks, &part->difference);
        // "branch" is "diff"; "branch-C" is "diff-C".
        AUTO(memory) char *between = mem_format("diff%s", role + strlen("branch"));
        draw_difference(bundle, &(struct drawing){between, item, files}, first, stacks,
                        &part->difference);
    }
}

// ---- Pictures

static bool picture(struct pictures *pictures, struct bundle_graph *graph)
{
    return !graph->svg.size || pictures_take(pictures, &graph->svg, graph->height, &graph->png);
}

static bool picture_all(struct bundle *bundle, struct pictures *pictures)
{
    for (size_t i = 0; i < bundle->case_count; i++)
        for (size_t side = 0; side < bundle->side_count; side++) {
            struct bundle_part *part = &bundle->cases[i].parts[side];
            if (!picture(pictures, &part->difference) || !picture(pictures, &part->own))
                return false;
        }
    return true;
}

static bool has_graphs(const struct bundle *bundle)
{
    for (size_t i = 0; i < bundle->case_count; i++)
        for (size_t side = 0; side < bundle->side_count; side++)
            if (bundle->cases[i].parts[side].own.svg.size)
                return true;
    return false;
}

void bundle_draw(struct bundle *bundle)
{
    AUTO(pictures) struct pictures pictures = {0};
    struct entry_names files = {0};
    for (size_t i = 0; i < bundle->case_count; i++)
        draw_case(bundle, &bundle->cases[i], &files);
    entry_names_done(&files);
    if (!has_graphs(bundle))
        return;
    struct bilanx_error error = pictures_open(&pictures);
    if (error.status == BILANX_OK && !picture_all(bundle, &pictures))
        error = pictures.error;
    if (error.status != BILANX_OK)
        bundle_miss(bundle, "PNG pictures of graphs: %s", error.text);
}
