// object_copy: a byte-identical copy of a compiled statement.
#include "object_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "core/worker/message.h"

static struct bilanx_error copy_file(const char *from, const char *to)
{
    AUTO(text) struct text bytes = {0};
    BILANX_TRY(file_read(from, &bytes));
    BILANX_TRY(file_write(to, text_get(&bytes), bytes.size));
    if (chmod(to, 0700) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", to, strerror(errno));
    return BILANX_SUCCESS;
}

// Copies the words, with the file of `key` replaced.
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

struct bilanx_error object_copy_init(struct object_copy *copy, const struct run_case *item,
                                     const char *path)
{
    AUTO(text) struct text line = {0};
    AUTO(message) struct message parsed = {0};
    text_format(&line, "open%s", item->rival);
    BILANX_TRY(message_parse(text_get(&line), line.size, &parsed));
    BILANX_TRY(copy_file(message_text(&parsed, "rival"), path));
    copy->path = mem_text(path);
    BILANX_TRY(replace(item->open, "object", path, &copy->open));
    return replace(item->rival, "rival", path, &copy->rival);
}

void object_copy_done(struct object_copy *copy)
{
    if (copy->path)
        unlink(copy->path);
    free(copy->path);
    free(copy->open);
    free(copy->rival);
    *copy = (struct object_copy){0};
}
