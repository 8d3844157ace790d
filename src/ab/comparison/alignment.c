// alignment: finds the cases that all sides of a comparison have in common.
#include "alignment.h"

#include "base/mem.h"

struct bilanx_error ab_check_kinds(const struct ab_sides *sides)
{
    const struct side *first = sides->items[0].side;
    for (size_t i = 1; i < sides->count; i++) {
        const struct side *other = sides->items[i].side;
        bool one_command = (first->kind == &side_command) != (other->kind == &side_command);
        if (one_command)
            return bilanx_error_make(
                BILANX_E_USAGE,
                "a command can only be compared with a command: sides %s and %s differ in kind",
                first->name, other->name);
    }
    return BILANX_SUCCESS;
}

static size_t place_of(const struct run_case *item, const struct run_cases *cases)
{
    size_t at = 0;
    while (at < cases->count && !text_equal(cases->items[at].name, item->name))
        at++;
    return at;
}

// Finds a case of the first side on each side. Returns the name of a side that lacks it, or NULL.
static const char *find_on_all(const struct ab_sides *sides, const struct run_cases *all, size_t at,
                               size_t *places)
{
    const char *missing = NULL;
    for (size_t i = 0; i < sides->count; i++) {
        places[i] = i ? place_of(&all[0].items[at], &all[i]) : at;
        if (places[i] == all[i].count)
            missing = sides->items[i].side->name;
    }
    return missing;
}

void ab_align(struct ab_sides *sides, const struct tell *note)
{
    AUTO(memory) struct run_cases *all = mem_array(struct run_cases, sides->count);
    AUTO(memory) size_t *places = mem_array(size_t, sides->count);
    size_t most = sides->items[0].cases.count;
    for (size_t i = 0; i < sides->count; i++) {
        all[i] = sides->items[i].cases;
        sides->items[i].cases = (struct run_cases){.items = mem_array(struct run_case, most)};
    }
    for (size_t at = 0; at < most; at++) {
        const char *missing = find_on_all(sides, all, at, places);
        if (missing) {
            AUTO(memory) char *told =
                mem_format("'%s' is not on side %s", all[0].items[at].name, missing);
            tell_line(note, told);
            continue;
        }
        for (size_t i = 0; i < sides->count; i++) {
            struct run_cases *cases = &sides->items[i].cases;
            cases->items[cases->count++] = all[i].items[places[i]];
        }
    }
}

bool ab_keep_case(struct ab_sides *sides, const char *name)
{
    const struct run_case wanted = {.name = (char *)name};
    size_t at = place_of(&wanted, &sides->items[0].cases);
    bool found = at < sides->items[0].cases.count;
    for (size_t i = 0; i < sides->count; i++) {
        struct run_cases *cases = &sides->items[i].cases;
        if (found)
            cases->items[0] = cases->items[at];
        cases->count = found;
    }
    return found;
}

void ab_keep_all(struct ab_sides *sides)
{
    for (size_t i = 0; i < sides->count; i++) {
        struct run_cases all = sides->items[i].cases;
        struct run_cases own = {.items = mem_array(struct run_case, all.count), .count = all.count};
        for (size_t at = 0; at < all.count; at++)
            own.items[at] = all.items[at];
        sides->items[i].cases = own;
    }
}
