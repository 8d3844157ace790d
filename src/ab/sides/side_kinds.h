// side_kinds: opens a side of each kind; for side.c only.
#ifndef AB_SIDES_SIDE_KINDS_H
#define AB_SIDES_SIDE_KINDS_H

#include "ab/sides/side.h"

// Sets the title and the members of its kind. `rest` is the trimmed text after the prefix. On an
// error side_open() releases the members set so far.
typedef struct bilanx_error side_opener(struct side *side, const char *rest,
                                        const struct side_options *options);
side_opener shell_open, revision_open;

#endif
