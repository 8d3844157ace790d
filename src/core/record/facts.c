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
#include "base/mem.h"

// Finds the value of the first line "key : value" in /proc/cpuinfo. The caller frees it; NULL:
// none.
static char *cpu_value(const char *info, const char *key)
{
    const char *line = strstr(info, key), *value = line ? strchr(line, ':') : NULL;
    return value && value[1] ? mem_text_n(value + 2, strcspn(value + 2, "\n")) : NULL;
}

static bool has_word(const char *words, const char *word)
{
    size_t size = strlen(word);
    for (; *words; words += strcspn(words, " "), words += strspn(words, " "))
        if (strcspn(words, " ") == size && memcmp(words, word, size) == 0)
            return true;
    return false;
}

// Adds the processor, and those of its features by which libraries choose among variants of a
// function. All of them would be most of the record.
static void add_cpu(struct json_writer *json)
{
    static const char *const deciding[] = {"ssse3",    "sse4_2", "avx",     "avx2",
                                           "bmi2",     "fma",    "avx512f", "avx512bw",
                                           "avx512vl", "erms",   "fsrm",    "rtm"};
    AUTO(text) struct text info = {0}, features = {0};
    if (file_read("/proc/cpuinfo", &info).status != BILANX_OK)
        return;
    AUTO(memory) char *model = cpu_value(text_get(&info), "model name");
    AUTO(memory) char *flags = cpu_value(text_get(&info), "\nflags");
    if (model)
        writer_key_text(json, "cpu", model);
    for (size_t i = 0; flags && i < sizeof deciding / sizeof *deciding; i++)
        if (has_word(flags, deciding[i]))
            text_format(&features, "%s%s", features.size ? " " : "", deciding[i]);
    if (features.size)
        writer_key_text(json, "cpu_features", text_get(&features));
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

// On a cluster, adds the machine, and its number if several measure the same cases.
static void add_node(struct json_writer *json)
{
    const char *node = getenv("BILANX_NODE"), *replica = getenv("BILANX_REPLICA");
    if (node && *node)
        writer_key_text(json, "node", node);
    if (replica && atoi(replica) > 0)
        writer_key_count(json, "replica", (uint64_t)atoi(replica));
}

char *machine_fact(const char *facts, const char *key)
{
    AUTO(memory) char *quoted = mem_format("\"%s\"", key);
    const char *at = facts ? strstr(facts, quoted) : NULL;
    if (!at)
        return NULL;
    at += strlen(quoted);
    at += strspn(at, " :");
    return *at == '"' ? mem_text_n(at + 1, strcspn(at + 1, "\"")) : NULL;
}

char *machine_facts(const char *clock)
{
    struct text out = {0};
    struct json_writer json = {.out = &out};
    struct utsname system;
    char governor[32], date[32];
    machine_governor(0, governor, sizeof governor);
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    writer_open(&json, '{');
    add_cpu(&json);
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
