// format: describes a record format. To add one, write its file and add a line to formats[] in
// convert.c.
#ifndef CONVERT_FORMAT_H
#define CONVERT_FORMAT_H

#include "bilanx/convert.h"
#include "losses.h"
#include "results/read/reader.h"

struct format {
    struct bilanx_format face;
    // Whether a file that starts with these bytes may be of this format.
    bool (*recognises)(const char *bytes, size_t size);
    struct bilanx_error (*read)(struct lines *lines, const struct reader_sink *sink);
    // The caller checks `out` for errors. Reports losses beyond those implied by `holds`.
    void (*write)(const struct bilanx_record *records, size_t count, FILE *out,
                  struct losses *losses);
    const char *const *kinds;  // record kinds that it can write; NULL: all
    const char *const *holds;  // record keys that it writes; NULL: all
};

extern const struct format format_bilanx, format_google, format_hyperfine, format_pyperf,
    format_benchfmt, format_pytest_benchmark;

// Whether the format can write records of this kind.
bool format_takes(const struct format *format, const struct bilanx_record *record);

// Completes a record that was read, passes it to the sink and releases the rest.
struct bilanx_error format_give(const struct reader_sink *sink, struct bilanx_record *record);

#endif
