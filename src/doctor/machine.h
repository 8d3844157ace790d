// machine: where checks look: files under a root, and what only the running system can tell.
//
// A test makes its own: a root with a handful of files, and facts as it likes.
#ifndef DOCTOR_MACHINE_H
#define DOCTOR_MACHINE_H

#include "base/text.h"
#include "bilanx/doctor.h"

struct machine {
    const char *root;          // stands before every path; "" for the real ones
    int cpu;                   // the CPU that is measured on
    const char *tsc_refusal;   // why the time-stamp counter is not used; NULL when it is
    char hypervisor[13];       // what it calls itself; "" on bare metal
    int hardware_event_error;  // errno of counting instructions; 0: they can be counted
    int software_event_error;  // errno of counting CPU time
};

// Asks the running system.
void machine_look(const char *root, struct machine *out);

// The first line of a file; the path is a format. Returns false, and sets errno, when there is
// none.
bool machine_line(const struct machine *machine, char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// The whole of a file. Returns false when it cannot be read.
bool machine_file(const struct machine *machine, const char *path, struct text *out);

bool machine_has(const struct machine *machine, const char *path);

// What steal and all times of the CPU add up to since the start, in the kernel's ticks. Returns
// false when /proc/stat does not tell.
bool machine_steal(const struct machine *machine, uint64_t *steal, uint64_t *total);

// How long this process was ready to run and another one ran, since its start. Returns false when
// the kernel does not tell.
bool machine_waited(const struct machine *machine, double *ns);

// The CPUs' worth of time that the control groups leave to this process; 0: no limit.
double machine_cpu_quota(const struct machine *machine);

#endif
