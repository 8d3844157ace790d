// Any file of stacks is recognised, unpacked, decoded and read, or an error names it.
#include <sys/mman.h>
#include <unistd.h>

#include "stack_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(fd) int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (write(fd, data, size) != (ssize_t)size)
        abort();
    lseek(fd, 0, SEEK_SET);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    AUTO(list) struct list remarks = {0};
    AUTO(stacks) struct stacks *stacks = NULL;
    struct bilanx_error error =
        stack_file_read(path, &(struct stack_file_options){0}, &remarks, &stacks);
    if (error.status == BILANX_OK ? !(stacks->nodes[0].total > 0) : !strstr(error.text, path))
        abort();
    return 0;
}
