// side_kinds: how a side of each kind is opened; for side.c only.
#ifndef AB_SIDES_SIDE_KINDS_H
#define AB_SIDES_SIDE_KINDS_H

#include "ab/sides/side.h"

// Each fills in what its kind has, and the title. `rest` is what follows the prefix, without the
// blanks around it. What an error leaves in the side is released by side_open().
typedef struct bilanx_error side_opener(struct side *side, const char *rest,
                                        const struct side_options *options);
side_opener shell_open, revision_open;

#endif
