// shared_data: the tensors of a call in a file that several processes map.
//
// The first process makes them; others find them there. Only for operators that do not write to
// their arguments.
#ifndef OPERATORS_SHARED_DATA_H
#define OPERATORS_SHARED_DATA_H

#include "bilanx/backend.h"

struct shared_data {
    char *start;  // NULL: not shared
    size_t size;
    size_t used;  // bytes of the tensors placed so far
    bool is_made;
};

// Maps a file with room for the dense tensors of a call, which are made if `is_made` is set.
struct bilanx_error shared_data_open(const char *path, const struct bilanx_call *call,
                                     struct shared_data *out);
void shared_data_done(struct shared_data *shared);

// The place of the next tensor, which takes this many bytes. Tensors come in the order of the call.
void *shared_data_place(struct shared_data *shared, size_t bytes);

// All tensors are made.
void shared_data_finish(struct shared_data *shared);

#endif
