// embedded: where a graph that we drew contains its stacks, as a record. The record has no '<', '>'
// or '&', which JSON can write as escapes.
#ifndef STACKS_EMBEDDED_H
#define STACKS_EMBEDDED_H

#define EMBEDDED_START "<metadata id=\"bilanx-stacks\">"
#define EMBEDDED_END "</metadata>"

#endif
