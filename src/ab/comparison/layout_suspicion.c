// layout_suspicion: is a change real, or caused by where the linker happened to place the code?
#include "layout_suspicion.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "core/record/records.h"
#include "count/counting/collect.h"

static bool is_layout_drawn(const struct run_case *item)
{
    return item->layouts > 0;
}

// Benchmark programs can be counted as they are; statements would have to be compiled for it.
static bool is_program(const struct run_case *item)
{
    return item->subject && item->subject->barrier;
}

static bool stat_program(const struct run_case *item, struct stat *out)
{
    const struct process_options *launch = &item->subject->launch;
    AUTO(memory) char *path = surroundings_path(launch->surroundings, launch->argv[0]);
    return stat(path, out) == 0;
}

// The same file has the same layout, however it is started.
static bool is_same_file(const struct run_case *const items[2])
{
    struct stat files[2];
    for (size_t i = 0; i < 2; i++)
        if (!stat_program(items[i], &files[i]))
            return false;
    return files[0].st_dev == files[1].st_dev && files[0].st_ino == files[1].st_ino;
}

// Iterations that take a moment under valgrind, which is 50 times slower; 0: even one takes too
// long.
static uint64_t iterations_for(double seconds)
{
    static const double MOMENT_S = .01, TOO_LONG_S = .05;
    enum { USUAL = 100 };
    double number = MOMENT_S / seconds;
    return seconds > TOO_LONG_S ? 0 : number < 1 ? 1 : number < USUAL ? (uint64_t)number : USUAL;
}

// Per call; NaN if it cannot be counted, for example without valgrind.
static double count_instructions(const struct ab_options *options, const struct run_case *item,
                                 uint64_t number)
{
    AUTO(bilanx_record) struct bilanx_record counted = {0};
    struct collector collector;
    collector_init(&collector, &(struct collect_options){.timeout = options->timeout,
                                                         .hwcaps = options->hwcaps,
                                                         .number = number,
                                                         .repeats = 1});
    struct bilanx_error error =
        collector_count(&collector, &(struct collect_task){.item = item}, &counted);
    collector_done(&collector);
    return error.status == BILANX_OK && counted.counts ? counted.counts->per_iteration : NAN;
}

static bool is_claim(const struct bilanx_record *record)
{
    const char *word = record->verdict ? record->verdict->verdict : "";
    return strcmp(word, "slower") == 0 || strcmp(word, "faster") == 0;
}

uint64_t ab_suspicion_iterations(const struct run_case *const items[2],
                                 const struct bilanx_record *record)
{
    for (size_t i = 0; i < 2; i++)
        if (!is_program(items[i]) || is_layout_drawn(items[i]))
            return 0;
    return is_claim(record)
               ? iterations_for(fmax(record->verdict->times[0], record->verdict->times[1]))
               : 0;
}

void ab_suspicion_judge(double before, double after, double margin, struct bilanx_record *record)
{
    if (fabs(after / before - 1) <= margin)
        record_warn(
            record, "layout-suspected",
            "both sides execute about the same number of instructions (%.6g and %.6g per call): "
            "the change may come from where the linker placed the code. Compare it as a "
            "statement (--stmt, --source), which is measured in many layouts, or relink "
            "with the functions in another order and see whether the change persists",
            before, after);
}

void ab_suspect_layout(const struct ab_options *options, struct ab_side *first,
                       struct ab_side *other, size_t index, struct bilanx_record *record)
{
    const struct run_case *const items[] = {&first->cases.items[index], &other->cases.items[index]};
    uint64_t number = ab_suspicion_iterations(items, record);
    if (number == 0 || is_same_file(items))
        return;
    double before = count_instructions(options, items[0], number);
    double after = count_instructions(options, items[1], number);
    ab_suspicion_judge(before, after, options->margins.claim, record);
}
