// formats: converts records from and to documents of other tools, for unit tests.
#ifndef UNIT_FORMATS_H
#define UNIT_FORMATS_H

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "bilanx/convert.h"
#include "records.h"

struct taken {
    struct bilanx_record records[20];
    size_t count;
};

static inline void taken_done(struct taken *taken)
{
    for (size_t i = 0; i < taken->count; i++)
        bilanx_record_done(&taken->records[i]);
}
SCOPE_VALUE(taken, taken_done)

static inline struct bilanx_error take_record(void *context, struct bilanx_record *record)
{
    struct taken *taken = context;
    assert_true(taken->count < LENGTH(taken->records));
    taken->records[taken->count++] = *record;
    *record = (struct bilanx_record){0};
    return BILANX_SUCCESS;
}

// Reads `size` bytes through a file, which errors call "f".
static inline struct bilanx_error read_bytes(const char *format, const char *bytes, size_t size,
                                             struct taken *taken)
{
    char path[] = "/tmp/bilanx-unit-XXXXXX";
    AUTO(fd) int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    struct bilanx_error error = bilanx_convert_read(path, format, take_record, taken);
    unlink(path);
    char *name = strstr(error.text, path);
    if (name) {
        *name = 'f';
        memmove(name + 1, name + sizeof path - 1, strlen(name + sizeof path - 1) + 1);
    }
    return error;
}

// Reads a document in which ' stands for ".
static inline struct bilanx_error read_text(const char *format, const char *text,
                                            struct taken *taken)
{
    AUTO(memory) char *bytes = mem_text(text);
    for (char *at = bytes; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return read_bytes(format, bytes, strlen(bytes), taken);
}

static inline void add_loss(void *context, const char *what)
{
    text_format(context, "%s\n", what);
}

// The output, with ' for ".
static inline char *written(const char *format, const struct taken *taken, struct text *losses)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_ok(bilanx_convert_write(format, taken->records, taken->count, out, add_loss, losses));
    fclose(out);
    for (char *at = text; *at; at++)
        *at = *at == '"' ? '\'' : *at;
    return text;
}

static inline void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in: %s", part, text);
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' in: %s", part, text);
}

struct bad {
    const char *text, *message;
};

static inline void assert_bad(const char *format, const struct bad *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        AUTO(taken) struct taken taken = {0};
        assert_error(read_text(format, cases[i].text, &taken), BILANX_E_INPUT, cases[i].message);
    }
}

#endif
