// delivery: puts a run's records into its output, each once, even if others add to the file.
#include "delivery.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/output.h"

void delivery_done(struct delivery *delivery)
{
    index_done(&delivery->known);
    draft_done(&delivery->draft);
}

void delivery_start(struct delivery *delivery, const char *path, FILE **out, bool only_ours)
{
    struct stat facts;
    delivery->path = path;
    delivery->out = out;
    delivery->plain = *out != stdout && fstat(fileno(*out), &facts) == 0 && S_ISREG(facts.st_mode);
    delivery->only_ours = only_ours;
}

static struct hash hash_of(const char *line, size_t size)
{
    struct hash hash = hash_start();
    hash_add(&hash, line, size);
    return hash;
}

void delivery_know(struct delivery *delivery, const char *line, size_t size)
{
    bool added;
    index_find_or_add(&delivery->known, hash_of(line, size), delivery->known.count, &added);
}

static struct bilanx_error cannot_write(const struct delivery *delivery)
{
    return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", delivery->path,
                             strerror(errno));
}

// Calls `take`, which may be NULL, with each line of other runs. Counts ours.
static struct bilanx_error each_line(const struct delivery *delivery,
                                     struct bilanx_error (*take)(const struct delivery *delivery,
                                                                 const char *line, size_t size),
                                     size_t *ours)
{
    AUTO(lines) struct lines lines = {0};
    BILANX_TRY(lines_open(delivery->path, &lines));
    for (;;) {
        char *line;
        size_t size;
        BILANX_TRY(lines_next(&lines, &line, &size));
        if (!line)
            return BILANX_SUCCESS;
        if (index_find(&delivery->known, hash_of(line, size)) != SIZE_MAX)
            ++*ours;
        else if (take)
            BILANX_TRY(take(delivery, line, size));
    }
}

static struct bilanx_error copy_line(const struct delivery *delivery, const char *line, size_t size)
{
    FILE *file = delivery->draft.file;
    bool copied = fwrite(line, 1, size, file) == size && putc('\n', file) != EOF;
    return copied ? BILANX_SUCCESS : cannot_write(delivery);
}

static struct bilanx_error look(struct delivery *delivery)
{
    delivery->ours = 0;
    if (delivery->known.count)
        BILANX_TRY(each_line(delivery, NULL, &delivery->ours));
    delivery->looked = true;
    return BILANX_SUCCESS;
}

static struct bilanx_error copy_others(struct delivery *delivery)
{
    size_t ours = 0;
    BILANX_TRY(output_draft(delivery->path, &delivery->draft));
    return delivery->only_ours ? BILANX_SUCCESS : each_line(delivery, copy_line, &ours);
}

struct bilanx_error delivery_begin(struct delivery *delivery, size_t ready, bool *begun)
{
    *begun = !delivery->plain || delivery->begun;
    if (*begun)
        return BILANX_SUCCESS;
    if (!delivery->looked)
        BILANX_TRY(look(delivery));
    if (delivery->ours > ready)
        return BILANX_SUCCESS;
    if (delivery->ours || delivery->only_ours)
        BILANX_TRY(copy_others(delivery));
    *begun = delivery->begun = true;
    return BILANX_SUCCESS;
}

// Bypasses stdio, which would keep data that it could not write and write it later.
static struct bilanx_error append(struct delivery *delivery, const char *bytes, size_t size)
{
    int fd = fileno(*delivery->out);
    off_t before = fflush(*delivery->out) == 0 ? lseek(fd, 0, SEEK_END) : -1;
    size_t done = 0;
    while (done < size) {
        ssize_t written = write(fd, bytes + done, size - done);
        if (written < 0 && errno != EINTR)
            break;
        done += written < 0 ? 0 : (size_t)written;
    }
    if (done == size)
        return BILANX_SUCCESS;
    struct bilanx_error error = cannot_write(delivery);
    // Removes only what we have just written. If it cannot, an incomplete line remains, which
    // readers skip.
    if (delivery->plain && lseek(fd, 0, SEEK_END) == before + (off_t)done &&
        ftruncate(fd, before) != 0)
        return cannot_write(delivery);
    return error;
}

struct bilanx_error delivery_add(struct delivery *delivery, const char *bytes, size_t size)
{
    FILE *draft = delivery->draft.file;
    if (!draft)
        return append(delivery, bytes, size);
    return fwrite(bytes, 1, size, draft) == size ? BILANX_SUCCESS : cannot_write(delivery);
}

struct bilanx_error delivery_settle(struct delivery *delivery)
{
    if (!delivery->draft.file)
        return BILANX_SUCCESS;
    BILANX_TRY(output_swap(&delivery->draft, delivery->out));
    draft_done(&delivery->draft);
    delivery->only_ours = false;
    return BILANX_SUCCESS;
}

bool delivery_give_up(struct delivery *delivery)
{
    if (!delivery->draft.file)
        return false;
    draft_done(&delivery->draft);
    return delivery_restart(delivery);
}

bool delivery_restart(struct delivery *delivery)
{
    delivery->begun = delivery->looked = false;
    return delivery->plain;
}
