// core_floor: learns and stores how fast this processor is with a core to itself.
#include "core_floor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/place.h"

static const char HEADING[] =
    "# The pace of each processor with the core to itself: machine, processor, ratio of the front "
    "end to the chain, chain in ns, epochs, since. Remove a line to learn it again.\n";

enum { MANY_READINGS = 1000, EXACT_READINGS = 50 };  // for the frequency, to .05 %

// A neighbour that takes every other slot doubles the ratio. Beyond that, the floor is too low.
static const double MOST_TIMES = 2.4;
static const double STEADY = 1.05;  // readings that never vary are those of one state

char *core_floor_path(void)
{
    AUTO(memory) char *place = NULL;
    if (place_find(NULL, &place).status != BILANX_OK)
        return NULL;
    return mem_format("%s/cores", place);
}

// Appends the value of a line of /proc/cpuinfo; white space would end the field.
static void add_field(const char *info, const char *key, struct text *out)
{
    for (const char *line = info; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t size = strlen(key);
        if (strncmp(line, key, size) != 0 || !strchr("\t :", line[size]))
            continue;
        const char *value = strchr(line, ':');
        text_add_char(out, '/');
        for (value += value ? 2 : 0; value && *value && *value != '\n'; value++)
            text_add_char(out, *value == ' ' || *value == '\t' ? '_' : *value);
        return;
    }
}

// "machine processor", the key of a line.
static char *make_key(void)
{
    static const char *const fields[] = {"vendor_id",  "cpu family",      "model",    "stepping",
                                         "model name", "CPU implementer", "CPU part", NULL};
    char machine[65] = "";
    if (!file_first_line("/etc/machine-id", machine, sizeof machine) || !machine[0])
        gethostname(machine, sizeof machine - 1);
    machine[strcspn(machine, " \t\n")] = '\0';
    AUTO(text) struct text info = {0}, processor = {0};
    if (file_read("/proc/cpuinfo", &info).status == BILANX_OK)
        for (size_t i = 0; fields[i]; i++)
            add_field(text_get(&info), fields[i], &processor);
    return mem_format("%s %s", machine[0] ? machine : "?",
                      processor.size ? text_get(&processor) : "?");
}

// Returns the part of the line after the key; NULL if it is another's.
static const char *after_key(const char *line, const char *key)
{
    size_t size = strlen(key);
    return strncmp(line, key, size) == 0 && line[size] == ' ' ? line + size : NULL;
}

// `text` is the rest of a line.
static bool parse(const char *text, struct core_floor *out)
{
    AUTO(memory) char *line = mem_text_n(text, strcspn(text, "\n"));
    unsigned long long seen;
    struct core_floor floor = {0};
    if (sscanf(line, "%lf %lf %llu %10s", &floor.front, &floor.chain_ns, &seen, floor.since) != 4 ||
        !(floor.front > 0 && floor.front < 1e3) || !(floor.chain_ns > 0 && floor.chain_ns < 1e6))
        return false;
    floor.seen = seen;
    floor.kept = true;
    floor.kept_front = floor.front;
    *out = floor;
    return true;
}

void core_floor_load(struct core_floor *floor)
{
    *floor = (struct core_floor){0};
    AUTO(memory) char *path = core_floor_path();
    AUTO(memory) char *key = make_key();
    AUTO(text) struct text lines = {0};
    if (!path || access(path, R_OK) != 0 || file_read(path, &lines).status != BILANX_OK)
        return;
    for (const char *line = text_get(&lines); line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *rest = after_key(line, key);
        if (rest && parse(rest, floor))
            return;
    }
}

static void today(char out[11])
{
    time_t now = time(NULL);
    struct tm utc;
    strftime(out, 11, "%Y-%m-%d", gmtime_r(&now, &utc));
}

// Keeps the fastest few of this run, in order.
static void note_chain(struct core_floor *floor, double chain_ns)
{
    for (size_t i = 0; i < CORE_FASTEST; i++)
        if (floor->fastest_ns[i] == 0 || chain_ns < floor->fastest_ns[i]) {
            double next = floor->fastest_ns[i];
            floor->fastest_ns[i] = chain_ns;
            chain_ns = next;
            if (chain_ns == 0)
                return;
        }
}

// The pace that several epochs of this run have reached; 0: unknown. One alone may be an error.
static double fastest_of(const struct core_floor *floor)
{
    return floor->fastest_ns[CORE_FASTEST - 1];
}

// A faster pace replaces the kept one. A slower one does not: the frequency varies by several
// percent from second to second, and times of two runs can only be compared if they are stated for
// the same. Beyond that, it may have been lowered for good, and what was kept is forgotten slowly.
static double chain_to_keep(const struct core_floor *floor)
{
    static const double NEAR = 1.08, FORGET = 1.02;
    double fastest_ns = fastest_of(floor);
    if (!(fastest_ns > 0) || (fastest_ns >= floor->chain_ns && fastest_ns < NEAR * floor->chain_ns))
        return floor->chain_ns;
    return fastest_ns < floor->chain_ns ? fastest_ns : FORGET * floor->chain_ns;
}

// Whether no reading of this run comes near the stored floor, although the core was not just
// shared: then readings would vary, up to twice the floor.
static bool fits_nothing(const struct core_floor *floor)
{
    static const double FITTING = .001;  // share of the readings
    if (!floor->kept || floor->readings < MANY_READINGS ||
        floor->free_readings > FITTING * floor->readings)
        return false;
    return floor->high > MOST_TIMES * floor->front || floor->high < STEADY * floor->low;
}

void core_floor_note(struct core_floor *floor, const struct pace_summary *core)
{
    if (core->readings == 0)
        return;
    bool first = floor->readings == 0;
    floor->readings += (double)core->readings;
    floor->free_readings += core->free * (double)core->readings;
    floor->low = first || core->low < floor->low ? core->low : floor->low;
    floor->high = core->high > floor->high ? core->high : floor->high;
    if (core->lowest > 0 && (floor->lowest == 0 || core->lowest < floor->lowest))
        floor->lowest = core->lowest;
    floor->confirmed |= floor->kept && pace_is_at_floor(core->lowest, floor->front);
    floor->doubtful = !floor->confirmed && (floor->doubtful || fits_nothing(floor));
    if (floor->doubtful)
        return;
    double front = pace_lower_floor(floor->front, core->lowest);
    if (front != floor->front) {
        floor->front = front;
        floor->seen = 0;
        today(floor->since);
    }
    if (!(core->chain_ns > 0))
        return;
    floor->seen++;
    if (core->free * (double)core->readings >= EXACT_READINGS)
        note_chain(floor, core->chain_ns);
    if (!floor->kept)
        floor->chain_ns = fastest_of(floor) > 0 ? fastest_of(floor) : core->chain_ns;
}

double core_floor_free_share(const struct core_floor *floor)
{
    return floor->readings > 0 ? floor->free_readings / floor->readings : NAN;
}

bool core_floor_is_doubtful(const struct core_floor *floor)
{
    return floor->doubtful;
}

bool core_floor_was_wrong(const struct core_floor *floor)
{
    return floor->kept && floor->front < floor->kept_front;
}

double core_floor_get(const struct core_floor *floor)
{
    return floor->doubtful ? floor->lowest : floor->front;
}

static void add_line(const char *key, const struct core_floor *floor, struct text *out)
{
    text_format(out, "%s %.5g %.5g %llu %s\n", key, floor->front, chain_to_keep(floor),
                (unsigned long long)floor->seen, floor->since);
}

void core_floor_save(const struct core_floor *floor)
{
    AUTO(memory) char *path = core_floor_path();
    AUTO(memory) char *key = make_key();
    AUTO(text) struct text before = {0}, after = {0};
    if (!path || floor->seen == 0 || !(floor->chain_ns > 0))
        return;
    if (access(path, R_OK) == 0)
        file_read(path, &before);
    text_add(&after, HEADING);
    for (const char *line = text_get(&before); *line;) {
        size_t size = strcspn(line, "\n");
        if (size && *line != '#' && !after_key(line, key)) {
            text_add_n(&after, line, size);
            text_add_char(&after, '\n');
        }
        line += size + (line[size] == '\n');
    }
    add_line(key, floor, &after);
    AUTO(memory) char *fresh = mem_format("%s.%d", path, (int)getpid());
    if (file_write(fresh, after.data, after.size).status != BILANX_OK || rename(fresh, path) != 0)
        unlink(fresh);
}
