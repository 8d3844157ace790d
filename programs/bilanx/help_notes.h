// help_notes: docs/notes.md, as text for a terminal.
#ifndef PROGRAMS_HELP_NOTES_H
#define PROGRAMS_HELP_NOTES_H

#include "bilanx/error.h"

// Prints the entry of one code, or the whole page when `code` is NULL.
struct bilanx_error help_notes(const char *code);

#endif
