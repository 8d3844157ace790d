// shown: cases and records without a run, for unit tests.
#ifndef UNIT_SHOWN_H
#define UNIT_SHOWN_H

#include "base/mem.h"
#include "core/show/show.h"
#include "records.h"

struct stage {
    struct run_case cases[32];
    struct shown shown;
};

// A case with one argument, growing over it; members as for record_of().
static inline struct run_case *stage_add(struct stage *stage, const char *name, double n,
                                         struct bilanx_record record)
{
    struct run_case *item = &stage->cases[stage->shown.count];
    *item = (struct run_case){.name = mem_text(name),
                              .arguments = mem_array(struct run_argument, 2),
                              .argument_count = 1,
                              .task = {.num_threads = 1}};
    item->arguments[0] = (struct run_argument){mem_text("n"), n};
    shown_add(&stage->shown, item, &record);
    return item;
}

static inline void stage_done(struct stage *stage)
{
    for (size_t i = 0; i < stage->shown.count; i++) {
        struct run_case *item = &stage->cases[i];
        for (size_t j = 0; j < item->argument_count; j++)
            free(item->arguments[j].name);
        free(item->arguments);
        free(item->name);
        free(item->task.label);
        free(item->complexity);
    }
    shown_done(&stage->shown);
}
SCOPE_VALUE(stage, stage_done)

#endif
