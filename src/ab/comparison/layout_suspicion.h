// layout_suspicion: is a change the code's, or that of where the linker happened to put it?
//
// The layout of what we compile is drawn anew for the epochs. A program that somebody else linked
// keeps the one it has, and the same code at another address can be a third slower. So the
// instructions are counted: a change of time without one of instructions is suspicious.
#ifndef AB_COMPARISON_LAYOUT_SUSPICION_H
#define AB_COMPARISON_LAYOUT_SUSPICION_H

#include "ab/comparison/side_cases.h"

// Adds a warning to the verdict on a case if it is. Counts the instructions of both sides if that
// can tell.
void ab_suspect_layout(const struct ab_options *options, struct ab_side *first,
                       struct ab_side *other, size_t index, struct bilanx_record *record);

// How many iterations to count; 0: there is nothing to suspect, or counting would take too long.
uint64_t ab_suspicion_iterations(const struct run_case *const items[2],
                                 const struct bilanx_record *record);

// Judges by the instructions per call of both sides; NaN: not counted.
void ab_suspicion_judge(double before, double after, double margin, struct bilanx_record *record);

#endif
