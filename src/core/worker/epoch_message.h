// epoch_message: the report of an epoch as the answer to "epoch". docs/formats/protocol.md lists
// its words.
#ifndef WORKER_EPOCH_MESSAGE_H
#define WORKER_EPOCH_MESSAGE_H

#include "core/timer/epoch.h"
#include "core/worker/message.h"

void epoch_message_write(const struct epoch_report *report, struct text *out);
// Only the readings of the core, for other answers.
void epoch_message_add_core(const struct pace_summary *core, struct text *out);
struct bilanx_error epoch_message_read_core(const struct message *answer, struct pace_summary *out);

struct bilanx_error epoch_message_read(const struct message *answer, struct epoch_report *out);

#endif
