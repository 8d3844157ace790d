// checks: the list of checks, one function each.
//
// To add a check, write its function in the file of its group and add a line to the table at the
// end of that file. A check examines the machine and sets grade, text and command with one of the
// finding_ functions. It need not know about other checks or about how findings are shown.
#ifndef DOCTOR_CHECKS_H
#define DOCTOR_CHECKS_H

#include "bilanx/doctor.h"
#include "doctor/machine.h"

struct check {
    const char *name;
    void (*look)(const struct machine *machine, struct bilanx_finding *finding);
};

struct check_group {
    const char *name;
    const struct check *checks;
    size_t count;
};

extern const struct check_group processor_checks, kernel_checks, contention_checks, tool_checks;

void finding_good(struct bilanx_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void finding_know(struct bilanx_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void finding_fix(struct bilanx_finding *finding, const char *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void finding_unreadable(struct bilanx_finding *finding, int error);  // an errno

// Finds the check of that name; NULL if there is none.
const struct check *checks_find(const char *name);

// Appends a finding with this group and name for the caller to fill in.
struct bilanx_finding *doctor_add(struct bilanx_doctor *doctor, const char *group,
                                  const char *name);

// Adds findings based on the figures. If the machine is `virtual`, its host may hide steal time.
void figures_judge(struct bilanx_doctor *doctor, bool virtual);

#endif
