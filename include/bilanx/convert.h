// convert: records from and to the formats of other tools; docs/formats/interchange.md says what
// becomes of each field.
#ifndef BILANX_CONVERT_H
#define BILANX_CONVERT_H

#include <stdio.h>

#include "bilanx/record.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bilanx_format {
    const char *name;        // "google"
    const char *summary;     // one line for a person
    const char *extensions;  // file names that are surely of it, between blanks: " .jsonl "
};

// The formats by index; NULL behind the last.
BILANX_API const struct bilanx_format *bilanx_convert_format(size_t index);

// Looks a format up by its name. The error lists the names, or the one that was meant.
BILANX_API struct bilanx_error bilanx_convert_find(const char *name,
                                                   const struct bilanx_format **out);

// The format that the name of a file stands for; NULL where it does not tell.
BILANX_API const struct bilanx_format *bilanx_convert_format_of(const char *path);

// The format that a file begins like; NULL where it is empty, cannot be read, or is something else.
BILANX_API const struct bilanx_format *bilanx_convert_recognise(const char *path);

// Reads a file of records in any format, gzipped or not, and gives each to `take` as it is read.
// "-" is stdin; `format` is a name, or NULL to go by the content. What `take` moves out of a record
// it zeroes, the rest is ended behind it; its error ends the reading. Errors name file and line. A
// file without a single record is an error.
BILANX_API struct bilanx_error bilanx_convert_read(
    const char *path, const char *format,
    struct bilanx_error (*take)(void *context, struct bilanx_record *record), void *context);

// Writes records in a format. Each thing that the format cannot hold is told to `lost`, once, as
// "'epochs' of 3 records"; `lost` may be NULL.
BILANX_API struct bilanx_error bilanx_convert_write(const char *format,
                                                    const struct bilanx_record *records,
                                                    size_t count, FILE *out,
                                                    void (*lost)(void *context, const char *what),
                                                    void *context);

#ifdef __cplusplus
}
#endif

#endif
