#!/bin/sh
# simple_timeit: how long does one statement take?
#
# -s declares the variables. They are hidden from the optimiser, so the sum is computed every time.
# The first command measures in many short processes and reports an interval; the second takes a
# fixed number of calls in one process, as timeit does.
bilanx=${BILANX:-bilanx}
"$bilanx" time 'x + y' -s 'double x = 1, y = 2' "$@"
"$bilanx" time 'x + y' -s 'double x = 1, y = 2' "$@" --method timeit --number 10000
