// layout_suspicion: is a change real, or caused by where the linker happened to place the code?
//
// We draw a new layout per epoch for code that we compile. A program that someone else linked keeps
// its layout, and the same code at another address can be a third slower. So we count instructions:
// a change in time without one in instructions is suspicious.
#ifndef AB_COMPARISON_LAYOUT_SUSPICION_H
#define AB_COMPARISON_LAYOUT_SUSPICION_H

#include "ab/comparison/side_cases.h"

// Adds a warning to the verdict on a case if it is suspicious. Counts instructions on both sides
// where that can help to decide.
void ab_suspect_layout(const struct ab_options *options, struct ab_side *first,
                       struct ab_side *other, size_t index, struct bilanx_record *record);

// Number of iterations to count; 0: nothing to suspect, or counting would take too long.
uint64_t ab_suspicion_iterations(const struct run_case *const items[2],
                                 const struct bilanx_record *record);

// Judges by the instructions per call on both sides; NaN: not counted.
void ab_suspicion_judge(double before, double after, double margin, struct bilanx_record *record);

#endif
