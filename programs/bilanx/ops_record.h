// ops_record: `bilanx ops record -- python3 script.py`, which records a log of operators.
#ifndef PROGRAMS_OPS_RECORD_H
#define PROGRAMS_OPS_RECORD_H

#include "command.h"

// argv[0] is "record"; options, then "--", then the command. The program replaces this process, so
// that its terminal, its signals and its exit status are its own. Returns only if it cannot start.
int ops_record(int argc, char **argv);

extern const struct command ops_record_command;  // for the help of `bilanx ops`

#endif
