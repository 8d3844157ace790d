// stacks_made: stacks for tests, written as folded lines.
#ifndef STACKS_MADE_H
#define STACKS_MADE_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/stacks/stacks.h"

// Makes stacks from lines such as "main;parse 12".
static inline struct stacks *made(const char *lines)
{
    struct stacks *stacks = stacks_new();
    AUTO(memory) char *copy = mem_text(lines);
    char *rest = copy, *line;
    while ((line = strsep(&rest, "\n")) && *line) {
        char *number = strrchr(line, ' '), *name;
        *number++ = '\0';
        unsigned node = 0;
        while ((name = strsep(&line, ";")))
            node = stacks_child(stacks, node,
                                stacks_frame(stacks, &(struct stack_frame){.name = name}));
        stacks->nodes[node].self += strtod(number, NULL);
    }
    stacks_sum(stacks);
    return stacks;
}

// The node of a path by the names of its frames; 0: there is none.
static inline unsigned find(const struct stacks *stacks, const char *path)
{
    AUTO(memory) char *copy = mem_text(path);
    char *rest = copy, *name;
    unsigned node = 0;
    while ((name = strsep(&rest, ";"))) {
        node = stacks->nodes[node].child;
        while (node && strcmp(stacks->frames[stacks->nodes[node].frame].name, name) != 0)
            node = stacks->nodes[node].sibling;
        if (!node)
            return 0;
    }
    return node;
}

// The weight of a path; -1: there is no such path.
static inline double total_of(const struct stacks *stacks, const char *path)
{
    unsigned node = find(stacks, path);
    return node ? stacks->nodes[node].total : -1;
}

#endif
