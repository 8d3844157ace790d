// terminal: colours and size of a terminal.
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

enum { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

// The words of --color, for an OPTION_CHOICE. Their indices are the constants above.
extern const char *const terminal_color_words[];

// Returns whether to colour output to `fd`. TERMINAL_AUTO colours it if `fd` is a capable terminal
// and NO_COLOR is not set.
bool terminal_color(int choice, int fd);

// Returns the number of columns of the terminal at `fd`, or $COLUMNS; 0 if neither is known.
size_t terminal_width(int fd);

// The same for help on stdout: at most 80, because longer lines are harder to read.
size_t terminal_help_width(void);

// The same for lines, and $LINES.
size_t terminal_height(int fd);

#endif
