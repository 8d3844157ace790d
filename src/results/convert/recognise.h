// recognise: finds a format by its name, or by how a file begins.
#ifndef CONVERT_RECOGNISE_H
#define CONVERT_RECOGNISE_H

#include "results/read/reader.h"

struct recogniser {
    size_t count;
    const char *(*name)(size_t index);
    // Whether a file that starts with these bytes may be of this format. A NUL follows them. The
    // first format that says so counts.
    bool (*recognises)(size_t index, const char *bytes, size_t size);
    const char *unknown;  // says that a file is of none: "unknown format"
    const char *option;   // that names a format: "--from FORMAT"
    bool skips_nuls;      // NULs among the bytes are replaced by spaces
};

// Finds a format by its name. An error suggests another one, or lists all.
struct bilanx_error recogniser_find(const struct recogniser *recogniser, const char *name,
                                    size_t *out);

// Finds the format of a file that has not been read yet.
struct bilanx_error recogniser_look(const struct recogniser *recogniser, struct lines *lines,
                                    size_t *out);

#endif
