// convert: reads and writes the formats of other tools. docs/formats/interchange.md describes how
// each field is converted.
//
//     static struct bilanx_error print(void *context, struct bilanx_record *record)
//     {
//         printf("%s\n", record->task.label);
//         return BILANX_SUCCESS;
//     }
//
//     BILANX_TRY(bilanx_convert_read("google-benchmark.json", NULL, print, NULL));
#ifndef BILANX_CONVERT_H
#define BILANX_CONVERT_H

#include <stdio.h>

#include "bilanx/record.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bilanx_format {
    const char *name;        // e.g. "google"
    const char *summary;     // one-line description
    const char *extensions;  // file name extensions that identify it, between blanks: " .jsonl "
};

// Returns the format at `index`, or NULL past the last one.
BILANX_API const struct bilanx_format *bilanx_convert_format(size_t index);

// Looks up a format by name. On failure, the error suggests a similar name or lists all of them.
BILANX_API struct bilanx_error bilanx_convert_find(const char *name,
                                                   const struct bilanx_format **out);

// Guesses the format from a file's name; NULL if it cannot.
BILANX_API const struct bilanx_format *bilanx_convert_format_of(const char *path);

// Guesses the format from the beginning of a file; NULL if it is empty, unreadable or unknown.
BILANX_API const struct bilanx_format *bilanx_convert_recognise(const char *path);

// Reads a file of records in any format, gzipped or not, and passes each one to `take` as it is
// read. "-" is stdin; `format` is a name, or NULL to detect it from the content. If `take` keeps a
// part of the record, it must zero that part; the rest is freed after the call. An error from
// `take` stops the reading. Errors name the file and line. A file without any records is an error.
BILANX_API struct bilanx_error bilanx_convert_read(
    const char *path, const char *format,
    struct bilanx_error (*take)(void *context, struct bilanx_record *record), void *context);

// Writes records in a format. Calls `lost` for everything that the format cannot store, with a text
// such as "'epochs'; 'forks' (3 records)" for all keys lost by the same number of records. `lost`
// may be NULL.
BILANX_API struct bilanx_error bilanx_convert_write(const char *format,
                                                    const struct bilanx_record *records,
                                                    size_t count, FILE *out,
                                                    void (*lost)(void *context, const char *what),
                                                    void *context);

#ifdef __cplusplus
}
#endif

#endif
