// losses: the parts of records that a format cannot represent.
#ifndef CONVERT_LOSSES_H
#define CONVERT_LOSSES_H

#include "base/scope.h"
#include "bilanx/record.h"

struct losses {
    struct loss {
        char *what;
        size_t records;
    } *items;
    size_t count, room;
};
void losses_done(struct losses *losses);
SCOPE_VALUE(losses, losses_done)

// Records that one more record loses this.
void losses_add(struct losses *losses, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Adds every key that the record has but `holds` does not list. A key of a struct is written
// "task.label"; unknown keys as they are. `holds` ends in NULL.
void losses_of(struct losses *losses, const struct bilanx_record *record, const char *const *holds);

void losses_tell(const struct losses *losses, void (*lost)(void *context, const char *what),
                 void *context);

#endif
