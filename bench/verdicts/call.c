// call: a program for hyperfine that does the work and exits.
//
//     call OBJECT FUNCTION WORK TIMES
#include "sides.h"

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    struct side side = side_load(argv + 1);
    for (unsigned long times = strtoul(argv[4], NULL, 10); times > 0; times--)
        side.function(side.work);
    return 0;
}
