// sides: the two functions that a peer compares, named on its command line.
#ifndef VERDICTS_SIDES_H
#define VERDICTS_SIDES_H
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side {
    void (*function)(unsigned long);
    unsigned long work;
};

// Three words: shared object, function, work. Calls the function once, so that its setup is done.
static inline struct side side_load(char **words)
{
    void *object = dlopen(words[0], RTLD_NOW | RTLD_LOCAL);
    void *symbol = object ? dlsym(object, words[1]) : NULL;
    if (!symbol) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    struct side side;
    memcpy(&side.function, &symbol, sizeof symbol);  // ISO C does not allow the conversion
    side.work = strtoul(words[2], NULL, 10);
    side.function(1);
    return side;
}
#endif
