// checks: runs all groups of checks, and writes findings.
#include "checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const struct check_group *const groups[] = {
    &processor_checks,
    &kernel_checks,
    &contention_checks,
    &tool_checks,
};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

const char *bilanx_grade_word(enum bilanx_grade grade)
{
    static const char *const words[] = {"good", "know", "fix"};
    return (size_t)grade < sizeof words / sizeof *words ? words[grade] : "unknown";
}

static void write_text(struct bilanx_finding *finding, enum bilanx_grade grade, const char *format,
                       va_list arguments)
{
    finding->grade = grade;
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
}

void finding_good(struct bilanx_finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_text(finding, BILANX_GOOD, format, arguments);
    va_end(arguments);
}

void finding_know(struct bilanx_finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_text(finding, BILANX_KNOW, format, arguments);
    va_end(arguments);
}

void finding_fix(struct bilanx_finding *finding, const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_text(finding, BILANX_FIX, format, arguments);
    va_end(arguments);
    snprintf(finding->command, sizeof finding->command, "%s", command);
}

void finding_unreadable(struct bilanx_finding *finding, int error)
{
    finding_know(finding, "not readable here (%s)", strerror(error));
}

struct bilanx_finding *doctor_add(struct bilanx_doctor *doctor, const char *group, const char *name)
{
    mem_grow(doctor->findings, doctor->finding_count, &doctor->finding_room);
    struct bilanx_finding *finding = &doctor->findings[doctor->finding_count++];
    *finding = (struct bilanx_finding){.group = group, .name = name};
    return finding;
}

const struct check *checks_find(const char *name)
{
    for (size_t i = 0; i < GROUP_COUNT; i++)
        for (size_t j = 0; j < groups[i]->count; j++)
            if (strcmp(groups[i]->checks[j].name, name) == 0)
                return &groups[i]->checks[j];
    return NULL;
}

void bilanx_doctor_examine(const struct bilanx_doctor_options *options,
                           struct bilanx_doctor *doctor)
{
    struct machine machine;
    if (!doctor)
        return;
    machine_look(options && options->root ? options->root : "", &machine);
    doctor->cpu = machine.cpu;
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        for (size_t j = 0; j < groups[i]->count; j++) {
            const struct check *check = &groups[i]->checks[j];
            check->look(&machine, doctor_add(doctor, groups[i]->name, check->name));
        }
    }
}

void bilanx_doctor_done(struct bilanx_doctor *doctor)
{
    if (!doctor)
        return;
    free(doctor->findings);
    *doctor = (struct bilanx_doctor){0};
}
