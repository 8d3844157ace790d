// doctor_report: what the doctor found, for a person or for a program.
#ifndef PROGRAMS_DOCTOR_REPORT_H
#define PROGRAMS_DOCTOR_REPORT_H

#include "base/text.h"
#include "bilanx/doctor.h"

// The findings from `first` on, by group, each wrapped to `width` columns.
void doctor_text_findings(const struct bilanx_doctor *doctor, size_t first, bool color,
                          size_t width, struct text *out);

// What to fix, in one line.
void doctor_text_summary(const struct bilanx_doctor *doctor, bool color, size_t width,
                         struct text *out);

// One object, as docs/formats/doctor.md has it.
void doctor_json(const struct bilanx_doctor *doctor, struct text *out);

#endif
