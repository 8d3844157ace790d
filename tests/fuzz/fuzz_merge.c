// Files of records, separated by a line of three dashes, are merged or refused. What was merged
// merges to itself.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "cluster/merging/merge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file_of(const char *bytes, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    lseek(fd, 0, SEEK_SET);
    return fd;
}

// A budget this small makes it use temporary files.
static struct bilanx_error merge_all(const int *files, size_t count, struct text *out,
                                     struct merge_result *result)
{
    enum { BUDGET = 2000 };
    AUTO(merge) struct merge *merge = merge_new(BUDGET);
    for (size_t i = 0; i < count; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", files[i]);
        BILANX_TRY(merge_add_file(merge, path, NULL));
    }
    AUTO(fd) int fd = file_of("", 0);
    BILANX_TRY(merge_write(merge, fd, "fuzz", result));
    lseek(fd, 0, SEEK_SET);
    return file_read_fd(fd, "fuzz", out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char MARK[] = "\n---\n";
    const char *text = (const char *)data, *mark = memmem(text, size, MARK, strlen(MARK));
    size_t first = mark ? (size_t)(mark - text) : size, rest = mark ? first + strlen(MARK) : size;
    AUTO(fd) int one = file_of(text, first);
    AUTO(fd) int two = file_of(text + rest, size - rest);
    AUTO(text) struct text merged = {0}, again = {0};
    AUTO(merge_result) struct merge_result result = {0}, second = {0};
    if (merge_all((int[]){one, two}, 2, &merged, &result).status != BILANX_OK)
        return 0;
    AUTO(fd) int three = file_of(text_get(&merged), merged.size);
    if (merge_all(&three, 1, &again, &second).status != BILANX_OK ||
        strcmp(text_get(&merged), text_get(&again)) != 0 || result.records != second.records)
        abort();
    return 0;
}
