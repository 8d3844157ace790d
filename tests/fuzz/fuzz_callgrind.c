// For any bytes, the reader fails or returns functions whose own costs add up to the total.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "count/counts/callgrind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_part(const struct profile_part *part)
{
    for (size_t event = 0; event < part->events.count; event++) {
        uint64_t sum = 0, whole = part->sums ? part->sums[event] : 0;
        for (size_t i = 0; i < part->functions.count; i++) {
            sum += profile_self(part, i, event);
            if (profile_inclusive(part, i, event) > whole)
                abort();
        }
        if (sum != whole)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0)
        fd = memfd_create("fuzz", 0);
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size ||
        lseek(fd, 0, SEEK_SET) != 0)
        abort();
    AUTO(lines) struct lines lines = {.name = strdup("fuzz"), .fd = dup(fd)};
    AUTO(profile) struct profile profile = {0};
    if (callgrind_read(&lines, &profile).status != BILANX_OK)
        return 0;
    if (profile.count == 0)
        abort();
    for (size_t i = 0; i < profile.count; i++)
        check_part(&profile.parts[i]);
    return 0;
}
