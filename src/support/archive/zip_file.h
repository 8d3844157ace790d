// zip_file: writes a ZIP file with libarchive, from contents in memory.
//
//     AUTO(zip_file) struct zip_file *zip = NULL;
//     BILANX_TRY(zip_file_begin(fd, time(NULL), &zip));
//     BILANX_TRY(zip_file_add(zip, "index.html", page, size));
//     BILANX_TRY(zip_file_end(zip));
//
// Entries keep their order, are readable by everyone and have the same time, so equal contents make
// equal files.
#ifndef ARCHIVE_ZIP_FILE_H
#define ARCHIVE_ZIP_FILE_H

#include <stddef.h>
#include <time.h>

#include "base/scope.h"
#include "bilanx/error.h"

struct zip_file;

// Whether files can be written: libarchive is installed.
struct bilanx_error zip_file_check(void);

// `fd` stays open. The times of the entries are `made`, which should not be before 1980.
struct bilanx_error zip_file_begin(int fd, time_t made, struct zip_file **out);

// `name` is UTF-8: a relative path without "..". The caller makes sure that names differ.
struct bilanx_error zip_file_add(struct zip_file *zip, const char *name, const void *bytes,
                                 size_t size);

// Writes the directory of the file. The file is not valid before that.
struct bilanx_error zip_file_end(struct zip_file *zip);
void zip_file_free(struct zip_file *zip);
SCOPE_POINTER(zip_file, zip_file_free)

#endif
