// stacks_record: stacks as a part of a record, and back.
#ifndef STACKS_STACKS_RECORD_H
#define STACKS_STACKS_RECORD_H

#include "core/record/records.h"
#include "stacks.h"

// The stacks as a part of a record, which bilanx_record_done() frees.
struct bilanx_stacks *stacks_to_record(const struct stacks *stacks);

// The stacks of a record that was read or is otherwise known to be valid.
struct stacks *stacks_of_record(const struct bilanx_stacks *from);

#endif
