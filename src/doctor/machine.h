// machine: the data that checks use: files under a root, and facts from the running system.
//
// A test makes up its own machine: a root with a few files, and any facts it needs.
#ifndef DOCTOR_MACHINE_H
#define DOCTOR_MACHINE_H

#include "base/text.h"
#include "bilanx/doctor.h"

struct machine {
    const char *root;          // prefix of every path; "" for the real ones
    int cpu;                   // the CPU measured on
    const char *tsc_refusal;   // why the time-stamp counter is not used; NULL if it is
    char hypervisor[13];       // the name it reports; "" on bare metal
    int hardware_event_error;  // errno from counting instructions; 0: it works
    int software_event_error;  // errno from counting CPU time
};

// Queries the running system.
void machine_look(const char *root, struct machine *out);

// Reads the first line of a file; the path is a format. Returns false and sets errno on failure.
bool machine_line(const struct machine *machine, char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Reads a whole file. Returns false if it cannot be read.
bool machine_file(const struct machine *machine, const char *path, struct text *out);

bool machine_has(const struct machine *machine, const char *path);

// Gets the steal time and the total time of the CPU since boot, in kernel ticks. Returns false if
// /proc/stat does not report them.
bool machine_steal(const struct machine *machine, uint64_t *steal, uint64_t *total);

// Gets how long this process has been ready to run while another one ran. Returns false if the
// kernel does not report it.
bool machine_waited(const struct machine *machine, double *ns);

// Returns how many CPUs' worth of time the control groups allow this process; 0: no limit.
double machine_cpu_quota(const struct machine *machine);

#endif
