// machine_live: facts that are in no file: CPUID, and whether events can be counted.
#include "machine.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpus.h"
#include "core/clock/clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static void ask_hypervisor(char out[13])
{
    memset(out, 0, 13);
#if defined(__x86_64__)
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
        return;
    __cpuid(0x40000000, a, b, c, d);
    unsigned words[] = {b, c, d};
    memcpy(out, words, sizeof words);
    if (!out[0])
        strcpy(out, "unnamed");
#endif
}

// Tries to count an event of this process in user mode, as bilanx would. Returns the errno.
static int try_event(unsigned type, unsigned long long config)
{
    struct perf_event_attr event = {
        .type = type,
        .size = sizeof event,
        .config = config,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    long fd = syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return errno;
    close((int)fd);
    return 0;
}

void machine_look(const char *root, struct machine *out)
{
    *out = (struct machine){
        .root = root,
        .cpu = cpus_measuring(),
        .tsc_refusal = clock_tsc_refusal(),
        .hardware_event_error = try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
        .software_event_error = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK),
    };
    ask_hypervisor(out->hypervisor);
}
