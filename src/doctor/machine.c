// machine: reads the files of a machine, real or made up.
#include "machine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

bool machine_line(const struct machine *machine, char *out, size_t size, const char *format, ...)
{
    out[0] = '\0';
    char path[512];
    int prefix = snprintf(path, sizeof path, "%s", machine->root);
    if (prefix < 0 || (size_t)prefix >= sizeof path) {
        errno = ENAMETOOLONG;
        return false;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path + prefix, sizeof path - (size_t)prefix, format, arguments);
    va_end(arguments);
    errno = 0;
    if (file_first_line(path, out, size))
        return true;
    errno = errno ? errno : ENODATA;
    return false;
}

bool machine_file(const struct machine *machine, const char *path, struct text *out)
{
    AUTO(memory) char *full = mem_format("%s%s", machine->root, path);
    return file_read(full, out).status == BILANX_OK;
}

bool machine_has(const struct machine *machine, const char *path)
{
    AUTO(memory) char *full = mem_format("%s%s", machine->root, path);
    return access(full, F_OK) == 0;
}

bool machine_steal(const struct machine *machine, uint64_t *steal, uint64_t *total)
{
    AUTO(text) struct text stat = {0};
    if (!machine_file(machine, "/proc/stat", &stat))
        return false;
    char name[24];
    snprintf(name, sizeof name, "\ncpu%d ", machine->cpu);
    const char *line = strstr(text_get(&stat), name);
    if (!line)
        return false;
    // user nice system idle iowait irq softirq steal; guest time is within user and nice
    unsigned long long ticks[8];
    if (sscanf(line + strlen(name), "%llu %llu %llu %llu %llu %llu %llu %llu", ticks, ticks + 1,
               ticks + 2, ticks + 3, ticks + 4, ticks + 5, ticks + 6, ticks + 7) != 8)
        return false;
    *steal = ticks[7];
    *total = 0;
    for (size_t i = 0; i < 8; i++)
        *total += ticks[i];
    return true;
}

bool machine_waited(const struct machine *machine, double *ns)
{
    char line[96];
    unsigned long long waited;
    // time on a CPU, time waiting for one, number of turns
    if (!machine_line(machine, line, sizeof line, "/proc/self/schedstat") ||
        sscanf(line, "%*u %llu", &waited) != 1)
        return false;
    *ns = (double)waited;
    return true;
}
