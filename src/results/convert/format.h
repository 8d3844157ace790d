// format: what a format of records is. Adding one: its file, and a line in formats[] of convert.c.
#ifndef CONVERT_FORMAT_H
#define CONVERT_FORMAT_H

#include "bilanx/convert.h"
#include "losses.h"
#include "results/read/reader.h"

struct format {
    struct bilanx_format face;
    // Whether a file may be of it that begins so.
    bool (*recognises)(const char *bytes, size_t size);
    struct bilanx_error (*read)(struct lines *lines, const struct reader_sink *sink);
    // Errors of `out` are looked for by the caller. Says what is lost beyond what `holds` tells.
    void (*write)(const struct bilanx_record *records, size_t count, FILE *out,
                  struct losses *losses);
    const char *const *kinds;  // of records that it can write; NULL: all
    const char *const *holds;  // keys of the record that it writes; NULL: all
};

extern const struct format format_bilanx, format_google, format_hyperfine, format_pyperf,
    format_benchfmt;

// Whether the format can write a record of that kind.
bool format_takes(const struct format *format, const struct bilanx_record *record);

// Completes a record that was read and gives it on; ends what is left of it.
struct bilanx_error format_give(const struct reader_sink *sink, struct bilanx_record *record);

#endif
