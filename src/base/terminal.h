// terminal: what may be written to a descriptor that a person may be looking at.
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

enum { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

// The words of --color, for an OPTION_CHOICE: their indices are the choices above.
extern const char *const terminal_color_words[];

// Whether to colour what goes to `fd`. What was asked for decides; left to itself, colour is for
// a terminal that can show it and a person who has not set NO_COLOR.
bool terminal_color(int choice, int fd);

// The columns of the terminal at `fd`, or what $COLUMNS says; 0 when it is none and nobody says.
size_t terminal_width(int fd);

#endif
