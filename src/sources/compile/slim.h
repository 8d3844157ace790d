// slim: the few headers of a large library that a text needs, judging by the names it uses.
//
// A compiler takes 10 seconds to parse <torch/torch.h>. Most statements use tensors and a few
// operators, for which a third of that is enough.
#ifndef LANG_SLIM_H
#define LANG_SLIM_H

#include <stdbool.h>

#include "base/text.h"

struct slim {
    const char *spaces;     // words: namespaces whose names are looked up
    const char *folders;    // words: a text that includes one of the library's headers needs all
    const char *always;     // program text that comes first
    const char *functions;  // folder below include/ with a header for each function
    const struct slim_names {
        const char *names;   // words
        const char *header;  // NULL: `always` declares them
    } *known;                // ends with a zeroed item
};

extern const struct slim slim_torch;

// Appends the headers of functions that `text` uses, for a library installed at `root`. They come
// after `always`. Returns false if the text may need the whole library.
bool slim_includes(const struct slim *slim, const char *root, const char *text, struct text *out);

#endif
