// sampling_event: perf events that sample a thread.
#include "sampling_event.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/worker/registers.h"

#if __has_include(<linux/perf_event.h>)
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/file.h"

// As in the kernel's <asm/perf_regs.h>, whose order is that of the instruction encoding on x86.
#if defined(__x86_64__)
const unsigned char sampling_event_registers[REGISTERS] = {0, 3, 2,  1,  4,  5,  6,  7, 16,
                                                           8, 9, 10, 11, 12, 13, 14, 15};
static const uint64_t registers_mask = 0xff01ff;  // without flags and segments
#elif defined(__aarch64__)
const unsigned char sampling_event_registers[REGISTERS] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
static const uint64_t registers_mask = 0x1ffffffff;
#else
const unsigned char sampling_event_registers[REGISTERS] = {0};
static const uint64_t registers_mask = 0;
#endif

enum { WAKE_BYTES = 128 << 10 };

static void add_stacks(const struct sampling_event *event, struct perf_event_attr *attributes)
{
    attributes->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                              PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
                              PERF_SAMPLE_STACK_USER;
    attributes->sample_regs_user = registers_mask;
    attributes->sample_stack_user = (uint32_t)event->stack_bytes;
    attributes->exclude_callchain_user = 1;  // without frame pointers it would be wrong
    attributes->mmap = attributes->mmap2 = attributes->comm = attributes->task = 1;
    attributes->sample_id_all = 1;
    attributes->use_clockid = 1;
    attributes->clockid = CLOCK_MONOTONIC;
    attributes->watermark = 1;
    attributes->wakeup_watermark = WAKE_BYTES;
}

int sampling_event_open(const struct sampling_event *event, pid_t thread, int cpu)
{
    struct perf_event_attr attributes = {
        .size = sizeof attributes,
        .type = event->hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
        .config = event->hardware ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
        .disabled = 1,
        .inherit = event->inherit,
        .enable_on_exec = event->on_exec,
        .exclude_hv = 1,
        .exclude_kernel = !event->kernel,
        .wakeup_events = 1,
    };
    attributes.freq = event->hardware;
    if (event->hardware)
        attributes.sample_freq = event->rate;
    else
        attributes.sample_period = 1000000000u / event->rate;
    if (event->stack_bytes)
        add_stacks(event, &attributes);
    return (int)syscall(SYS_perf_event_open, &attributes, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static struct bilanx_error refused(int reason)
{
    char paranoid[16];
    if (reason != EACCES && reason != EPERM)
        return bilanx_error_make(BILANX_E_SYSTEM, "the kernel cannot sample: %s", strerror(reason));
    if (!file_first_line("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof paranoid))
        return bilanx_error_make(BILANX_E_SYSTEM, "perf events are not permitted here");
    return bilanx_error_make(
        BILANX_E_SYSTEM,
        "the kernel does not let this user sample (kernel.perf_event_paranoid is %s): allow it "
        "with 'sysctl kernel.perf_event_paranoid=1', or give bilanx CAP_PERFMON",
        paranoid);
}

// Cycles pause when the processor does, which the clock does not. But few virtual machines have
// them.
struct bilanx_error sampling_event_choose(struct sampling_event *event)
{
    static const struct {
        bool hardware, kernel;
    } ways[] = {{true, true}, {true, false}, {false, true}, {false, false}};
    if (!REGISTERS_KNOWN)
        return bilanx_error_make(BILANX_E_SYSTEM, "stacks of this processor cannot be sampled");
    int reason = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        event->hardware = ways[i].hardware;
        event->kernel = ways[i].kernel;
        int fd = sampling_event_open(event, 0, -1);
        if (fd >= 0) {
            close(fd);
            return BILANX_SUCCESS;
        }
        reason = errno;
    }
    return refused(reason);
}

bool sampling_event_enable(int fd, bool enabled)
{
    return ioctl(fd, enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) == 0;
}

bool sampling_event_retime(int fd, uint64_t period_ns)
{
    return ioctl(fd, PERF_EVENT_IOC_PERIOD, &period_ns) == 0;
}

#else  // musl does not include the kernel's headers

const unsigned char sampling_event_registers[REGISTERS] = {0};

struct bilanx_error sampling_event_choose(struct sampling_event *event)
{
    (void)event;
    return bilanx_error_make(BILANX_E_SYSTEM, "this program was built without perf events");
}

int sampling_event_open(const struct sampling_event *event, pid_t thread, int cpu)
{
    (void)event, (void)thread, (void)cpu;
    errno = ENOSYS;
    return -1;
}

bool sampling_event_enable(int fd, bool enabled)
{
    (void)fd, (void)enabled;
    return false;
}

bool sampling_event_retime(int fd, uint64_t period_ns)
{
    (void)fd, (void)period_ns;
    return false;
}

#endif
