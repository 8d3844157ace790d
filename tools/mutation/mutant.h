// mutant: which of the changes in a mutated tree is active. The compiler includes it everywhere.
//
// BILANX_MUTANT is its number. BILANX_MUTANTS_REACHED names a file with a byte for each; those that
// are executed are set.
#ifndef MUTANT_H
#define MUTANT_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// One of each per program or library.
__attribute__((weak, visibility("hidden"))) long mutant_active;
__attribute__((weak, visibility("hidden"))) volatile unsigned char *mutants_reached;

__attribute__((constructor, unused)) static void mutant_choose(void)
{
    const char *number = getenv("BILANX_MUTANT"), *path = getenv("BILANX_MUTANTS_REACHED");
    mutant_active = number ? atol(number) : 0;
    int fd = path && !mutants_reached ? open(path, O_RDWR | O_CLOEXEC) : -1;
    struct stat status;
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0) {
        void *map = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        mutants_reached = map == MAP_FAILED ? NULL : (volatile unsigned char *)map;
    }
    close(fd);
}

__attribute__((unused)) static inline int mutant_is(long number)
{
    if (mutants_reached)
        mutants_reached[number] = 1;
    return number == mutant_active;
}

#endif
