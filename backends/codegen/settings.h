// settings: the text after the colon of --backend codegen:...
//
//     cc=clang,vector=32,unroll=2,block=64,stream=1,swap=1,cflags=-g
#ifndef BACKENDS_CODEGEN_SETTINGS_H
#define BACKENDS_CODEGEN_SETTINGS_H

#include "schedule.h"

struct settings {
    struct tuning tuning;
    bool apart;        // run the steps of chains one by one
    bool autotune;     // choose the other settings by measuring
    char cc[64];       // the compiler
    char cflags[256];  // more words for it
};

// The usual settings on this machine, for this many threads.
struct tuning settings_usual(int threads);

// The usual settings, changed by the configuration.
struct bilanx_error settings_read(const char *config, const struct tuning *usual,
                                  struct settings *out);

#endif
