// zip_file: writes a ZIP file with libarchive.
#include "zip_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

// Loaded when the first file is written: with its dependencies, among them libicu and libstdc++, it
// doubles the start-up time of bilanx (1.4 ms more).
#define LIBRARY "libarchive.so.13"
#define FUNCTIONS(DO)                         \
    DO(archive_entry_free)                    \
    DO(archive_entry_new)                     \
    DO(archive_entry_set_filetype)            \
    DO(archive_entry_set_mtime)               \
    DO(archive_entry_set_pathname_utf8)       \
    DO(archive_entry_set_perm)                \
    DO(archive_entry_set_size)                \
    DO(archive_errno)                         \
    DO(archive_error_string)                  \
    DO(archive_write_close)                   \
    DO(archive_write_data)                    \
    DO(archive_write_finish_entry)            \
    DO(archive_write_free)                    \
    DO(archive_write_header)                  \
    DO(archive_write_new)                     \
    DO(archive_write_open)                    \
    DO(archive_write_set_bytes_in_last_block) \
    DO(archive_write_set_format_option)       \
    DO(archive_write_set_format_zip)

#define MEMBER(name) __typeof__(name) *name;
struct library {
    FUNCTIONS(MEMBER)
};

#define NAME_AND_PLACE(name) {#name, offsetof(struct library, name)},
static const struct {
    const char *name;
    size_t place;
} functions[] = {FUNCTIONS(NAME_AND_PLACE)};

struct zip_file {
    struct library library;
    struct archive *archive;
    time_t made;
    int fd;
    int error;  // the first one of write(); 0: none
};

// It stays loaded.
static struct bilanx_error load(struct library *out)
{
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return bilanx_error_make(BILANX_E_SYSTEM, "ZIP files need libarchive: %s", dlerror());
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(handle, functions[i].name);
        if (!found)
            return bilanx_error_make(BILANX_E_SYSTEM, LIBRARY " has no %s", functions[i].name);
        memcpy((char *)out + functions[i].place, &found, sizeof found);
    }
    return BILANX_SUCCESS;
}

struct bilanx_error zip_file_check(void)
{
    struct library library;
    return load(&library);
}

static struct bilanx_error failed(const struct zip_file *zip)
{
    int number = zip->library.archive_errno(zip->archive);
    const char *text = zip->library.archive_error_string(zip->archive);
    return bilanx_error_make(BILANX_E_SYSTEM, "%s",
                             number > 0 ? strerror(number)
                             : text     ? text
                                        : "libarchive failed without a reason");
}

static struct bilanx_error checked(const struct zip_file *zip, int status)
{
    if (zip->error)
        return bilanx_error_make(BILANX_E_SYSTEM, "%s", strerror(zip->error));
    // A warning means that the name was not stored as given.
    return status == ARCHIVE_OK ? BILANX_SUCCESS : failed(zip);
}

// libarchive must not see an error: it would not free what it compresses with.
static la_ssize_t write_block(struct archive *archive, void *context, const void *bytes,
                              size_t size)
{
    (void)archive;
    struct zip_file *zip = context;
    for (size_t done = 0; done < size && !zip->error;) {
        ssize_t written = write(zip->fd, (const char *)bytes + done, size - done);
        if (written > 0)
            done += (size_t)written;
        else if (written == 0 || errno != EINTR)
            zip->error = written == 0 ? EIO : errno;
    }
    return (la_ssize_t)size;
}

struct bilanx_error zip_file_begin(int fd, time_t made, struct zip_file **out)
{
    AUTO(zip_file) struct zip_file *zip = mem_new(struct zip_file);
    zip->made = made;
    zip->fd = fd;
    BILANX_TRY(load(&zip->library));
    zip->archive = zip->library.archive_write_new();
    if (!zip->archive)
        abort();
    BILANX_TRY(checked(zip, zip->library.archive_write_set_format_zip(zip->archive)));
    BILANX_TRY(checked(zip, zip->library.archive_write_set_format_option(zip->archive, "zip",
                                                                         "hdrcharset", "UTF-8")));
    BILANX_TRY(checked(zip, zip->library.archive_write_set_bytes_in_last_block(zip->archive, 1)));
    BILANX_TRY(
        checked(zip, zip->library.archive_write_open(zip->archive, zip, NULL, write_block, NULL)));
    *out = TAKE(zip);
    return BILANX_SUCCESS;
}

static struct bilanx_error write_all(struct zip_file *zip, const char *bytes, size_t size)
{
    while (size > 0) {
        la_ssize_t written = zip->library.archive_write_data(zip->archive, bytes, size);
        if (written <= 0)
            return failed(zip);
        bytes += written;
        size -= (size_t)written;
    }
    return checked(zip, zip->library.archive_write_finish_entry(zip->archive));
}

struct bilanx_error zip_file_add(struct zip_file *zip, const char *name, const void *bytes,
                                 size_t size)
{
    assert(name[0] && name[0] != '/' && !strstr(name, ".."));
    struct archive_entry *entry = zip->library.archive_entry_new();
    if (!entry)
        abort();
    zip->library.archive_entry_set_pathname_utf8(entry, name);
    zip->library.archive_entry_set_size(entry, (la_int64_t)size);
    zip->library.archive_entry_set_filetype(entry, AE_IFREG);
    zip->library.archive_entry_set_perm(entry, 0644);
    zip->library.archive_entry_set_mtime(entry, zip->made, 0);
    struct bilanx_error error =
        checked(zip, zip->library.archive_write_header(zip->archive, entry));
    zip->library.archive_entry_free(entry);
    return error.status == BILANX_OK ? write_all(zip, bytes, size) : error;
}

struct bilanx_error zip_file_end(struct zip_file *zip)
{
    return checked(zip, zip->library.archive_write_close(zip->archive));
}

void zip_file_free(struct zip_file *zip)
{
    if (zip && zip->archive)
        zip->library.archive_write_free(zip->archive);
    free(zip);
}
