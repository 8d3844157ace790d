// siblings: determines by experiment which CPU shares its core with the measuring one.
//
// A hypervisor may show two hardware threads of one core as two cores. Loading one CPU while
// reading the pace of the other reveals that.
#ifndef DOCTOR_SIBLINGS_H
#define DOCTOR_SIBLINGS_H

#include <sched.h>

#include "bilanx/doctor.h"
#include "core/clock/clock.h"

// Measures for about half a second on `cpu`, to which this process is pinned; `allowed` are the
// CPUs that it may use otherwise. Uses and updates what is kept about the processor.
void siblings_measure(const struct clock *clock, int cpu, const cpu_set_t *allowed,
                      struct bilanx_doctor_core *out);

// Judges the shares of free time without and with a load on another CPU.
enum siblings_answer { SIBLINGS_NO, SIBLINGS_YES, SIBLINGS_UNKNOWN };
enum siblings_answer siblings_judge(double free_without, double free_with);

#endif
