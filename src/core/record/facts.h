// facts: what is known of where a measurement was taken.
#ifndef RECORD_FACTS_H
#define RECORD_FACTS_H

#include <stddef.h>
#include <stdint.h>

// The machine as a JSON object; `clock` names the clock in use. The caller frees it.
char *machine_facts(const char *clock);

// The frequency governor of a CPU; "" where the kernel does not tell.
void machine_governor(int cpu, char *out, size_t size);

// Time that all CPUs spent working since the start, and that they had.
struct machine_load {
    uint64_t busy_ns, total_ns;
};
struct machine_load machine_load(void);

#endif
