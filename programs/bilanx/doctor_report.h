// doctor_report: the doctor's findings, for people or programs.
#ifndef PROGRAMS_DOCTOR_REPORT_H
#define PROGRAMS_DOCTOR_REPORT_H

#include "base/text.h"
#include "bilanx/doctor.h"

// Adds the findings from `first` on, by group, wrapped to `width` columns.
void doctor_text_findings(const struct bilanx_doctor *doctor, size_t first, bool color,
                          size_t width, struct text *out);

// Adds one line that says what to fix.
void doctor_text_summary(const struct bilanx_doctor *doctor, bool color, size_t width,
                         struct text *out);

// Adds one object as described in docs/formats/doctor.md.
void doctor_json(const struct bilanx_doctor *doctor, struct text *out);

#endif
