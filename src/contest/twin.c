// twin: a byte-identical copy of a compiled statement.
#include "twin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "worker/message.h"

static struct bilanx_error write_all(int fd, const struct text *bytes)
{
    for (size_t done = 0; done < bytes->size;) {
        ssize_t written = write(fd, bytes->data + done, bytes->size - done);
        if (written < 0)
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot copy a compiled statement: %s",
                                     strerror(errno));
        done += (size_t)written;
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error copy(const char *from, char **out)
{
    const char *folder = getenv("TMPDIR");
    AUTO(text) struct text bytes = {0};
    BILANX_TRY(file_read(from, &bytes));
    char *path = mem_format("%s/bilanx-twin-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        struct bilanx_error error =
            bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
        free(path);
        return error;
    }
    struct bilanx_error error = write_all(fd, &bytes);
    fchmod(fd, 0700);
    close(fd);
    *out = path;
    return error;
}

// The words, with the file of `key` replaced.
static struct bilanx_error replace(const char *words, const char *key, const char *file, char **out)
{
    AUTO(text) struct text line = {0}, replaced = {0};
    AUTO(message) struct message parsed = {0};
    text_format(&line, "open%s", words);
    BILANX_TRY(message_parse(text_get(&line), line.size, &parsed));
    for (size_t i = 0; i < parsed.count; i++) {
        const struct message_pair *pair = &parsed.pairs[i];
        message_add(&replaced, pair->key, strcmp(pair->key, key) == 0 ? file : pair->value);
    }
    *out = text_take(&replaced);
    return BILANX_SUCCESS;
}

struct bilanx_error twin_init(struct twin *twin, const struct run_case *item)
{
    AUTO(text) struct text line = {0};
    AUTO(message) struct message parsed = {0};
    text_format(&line, "open%s", item->rival);
    BILANX_TRY(message_parse(text_get(&line), line.size, &parsed));
    BILANX_TRY(copy(message_text(&parsed, "rival"), &twin->path));
    BILANX_TRY(replace(item->open, "object", twin->path, &twin->open));
    return replace(item->rival, "rival", twin->path, &twin->rival);
}

void twin_done(struct twin *twin)
{
    if (twin->path)
        unlink(twin->path);
    free(twin->path);
    free(twin->open);
    free(twin->rival);
    *twin = (struct twin){0};
}
