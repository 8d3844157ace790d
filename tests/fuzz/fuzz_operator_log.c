// A log is read or refused; what is read, written and read again is the same.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "inputs/operators/operator_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct bilanx_error read_log(const void *bytes, size_t size, struct operator_log *out)
{
    AUTO(fd) int fd = memfd_create("log", MFD_CLOEXEC);
    if (write(fd, bytes, size) != (ssize_t)size)
        abort();
    AUTO(memory) char *path = mem_format("/proc/self/fd/%d", fd);
    return operator_log_add(out, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(operator_log) struct operator_log log = {0};
    AUTO(operator_log) struct operator_log again = {0};
    AUTO(text) struct text first = {0};
    AUTO(text) struct text second = {0};
    AUTO(table) struct table table = {0};
    if (read_log(data, size, &log).status != BILANX_OK)
        return 0;
    operator_log_tabulate(&log, false, &table);
    operator_log_write(&log, &first);
    if (read_log(text_get(&first), first.size, &again).status != BILANX_OK)
        abort();
    operator_log_write(&again, &second);
    if (strcmp(text_get(&first), text_get(&second)) != 0)
        abort();
    return 0;
}
