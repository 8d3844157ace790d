// facts: describes the machine that a measurement was taken on.
#ifndef RECORD_FACTS_H
#define RECORD_FACTS_H

#include <stddef.h>
#include <stdint.h>

// Returns the machine as a JSON object; `clock` names the clock in use. The caller frees it.
char *machine_facts(const char *clock);

// Finds a text among such facts. A name with quotes or backslashes is cut short, which hardly any
// processor has. The caller frees it; NULL: absent.
char *machine_fact(const char *facts, const char *key);

// Gets the frequency governor of a CPU; "" if the kernel does not report one.
void machine_governor(int cpu, char *out, size_t size);

// Busy time and total time of all CPUs since boot.
struct machine_load {
    uint64_t busy_ns, total_ns;
};
struct machine_load machine_load(void);

#endif
