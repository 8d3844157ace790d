// help_notes: docs/notes.md, formatted for a terminal.
#ifndef PROGRAMS_HELP_NOTES_H
#define PROGRAMS_HELP_NOTES_H

#include "bilanx/error.h"

// Prints the entry for one code, or the whole page if `code` is NULL.
struct bilanx_error help_notes(const char *code);

#endif
