// told: collects the messages of the code under test, one per line.
#ifndef UNIT_AB_TOLD_H
#define UNIT_AB_TOLD_H

#include "base/tell.h"
#include "base/text.h"

static inline void told_keep(void *lines, const char *text)
{
    text_format(lines, "%s\n", text);
}

#endif
