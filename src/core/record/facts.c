// facts: describes the machine that a measurement was taken on.
#include "facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_writer.h"

// Finds the value of a line "key : value" in /proc/cpuinfo.
static void cpu_model(char *out, size_t size)
{
    AUTO(text) struct text info = {0};
    out[0] = '\0';
    if (file_read("/proc/cpuinfo", &info).status != BILANX_OK)
        return;
    const char *line = strstr(text_get(&info), "model name");
    const char *value = line ? strchr(line, ':') : NULL;
    if (value)
        snprintf(out, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
}

void machine_governor(int cpu, char *out, size_t size)
{
    char path[80];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
    file_first_line(path, out, size);
}

struct machine_load machine_load(void)
{
    char line[256];
    unsigned long long user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0;
    file_first_line("/proc/stat", line, sizeof line);
    if (sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &wait,
               &irq, &soft) < 4)
        return (struct machine_load){0};
    uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    uint64_t busy = user + nice + system + irq + soft;
    return (struct machine_load){.busy_ns = busy * tick_ns,
                                 .total_ns = (busy + idle + wait) * tick_ns};
}

// In a cluster, which machine it is, and which of several that measure the same.
static void add_node(struct json_writer *json)
{
    const char *node = getenv("BILANX_NODE"), *replica = getenv("BILANX_REPLICA");
    if (node && *node)
        writer_key_text(json, "node", node);
    if (replica && atoi(replica) > 0)
        writer_key_count(json, "replica", (uint64_t)atoi(replica));
}

char *machine_facts(const char *clock)
{
    struct text out = {0};
    struct json_writer json = {.out = &out};
    struct utsname system;
    char model[128], governor[32], date[32];
    cpu_model(model, sizeof model);
    machine_governor(0, governor, sizeof governor);
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    writer_open(&json, '{');
    if (model[0])
        writer_key_text(&json, "cpu", model);
    writer_key_count(&json, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    writer_key_count(&json, "memory",
                     (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    if (uname(&system) == 0) {
        writer_key_text(&json, "arch", system.machine);
        writer_key_text(&json, "kernel", system.release);
    }
    if (governor[0])
        writer_key_text(&json, "governor", governor);
    if (clock[0])
        writer_key_text(&json, "clock", clock);
    writer_key_text(&json, "date", date);
    add_node(&json);
    writer_close(&json, '}');
    return text_take(&out);
}
