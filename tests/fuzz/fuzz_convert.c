// Any file is recognised, unpacked and read, or an error names it.
#include <sys/mman.h>
#include <unistd.h>

#include "formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(fd) int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (write(fd, data, size) != (ssize_t)size)
        abort();
    lseek(fd, 0, SEEK_SET);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    AUTO(taken) struct taken taken = {0};
    struct bilanx_error error = bilanx_convert_read(path, NULL, take, &taken);
    if (error.status == BILANX_OK ? taken.count == 0 : !strstr(error.text, path))
        abort();
    return 0;
}
