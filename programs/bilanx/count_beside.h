// count_beside: counts for records that have their times already.
#ifndef PROGRAMS_COUNT_BESIDE_H
#define PROGRAMS_COUNT_BESIDE_H

#include "count/counting/collect.h"
#include "core/show/console.h"

struct count_beside {
    struct collector collector;
};
void count_beside_init(struct count_beside *beside, const struct console_settings *settings);
void count_beside_done(struct count_beside *beside);

// Adds the counts of a case to its record. Where that fails the times stay, with a warning.
void count_beside(struct count_beside *beside, const struct run_case *item,
                  struct bilanx_record *record);

#endif
