// flame_palette: the colours of a graph, light and dark.
#ifndef FLAME_FLAME_PALETTE_H
#define FLAME_FLAME_PALETTE_H

#include "base/text.h"
#include "profile/stacks/stacks.h"

// Adds the rules of all classes of frames.
void palette_style(struct text *out);

// The class of a frame: its kind and one of a few shades, which depends on its name alone: "n3".
const char *palette_class(const struct stack_frame *frame, char out[8]);

// The class of a change: "m1" to "m6" if B costs more, "l1" to "l6" if less, "z" if about the same.
const char *palette_change(double before, double after, char out[8]);

// The name of a kind in the legend.
extern const char *const palette_kinds[FRAME_KINDS];

#endif
