// profiles: the files that callgrind writes for the repeats of a case.
#include "profiles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/output.h"
#include "count/counts/callgrind.h"
#include "inlined_names.h"

void profiles_done(struct profiles *profiles)
{
    for (size_t i = 0; i < profiles->count; i++)
        counts_done(&profiles->items[i]);
    free(profiles->items);
    *profiles = (struct profiles){0};
}

// A call is a few lines that name the callee, then "calls=COUNT POSITION", then a line of costs.
void profiles_trim(const char *text, struct text *out)
{
    AUTO(text) struct text callee = {0};
    bool skip_cost = false;
    for (const char *line = text, *next; *line; line = next) {
        size_t size = strcspn(line, "\n");
        next = line + size + (line[size] == '\n');
        size = (size_t)(next - line);
        if (skip_cost) {
            skip_cost = false;
        } else if (text_starts(line, "cfn=") || text_starts(line, "cfi=") ||
                   text_starts(line, "cfl=") || text_starts(line, "cob=")) {
            text_add_n(&callee, line, size);
        } else if (text_starts(line, "calls=0 ")) {
            text_clear(&callee);
            skip_cost = true;
        } else {
            text_add_n(out, text_get(&callee), callee.size);
            text_clear(&callee);
            text_add_n(out, line, size);
        }
    }
}

// The length of `before`, a number and `after` at the start of `at`; 0: no match.
static size_t numbered(const char *at, const char *before, char after)
{
    if (!text_starts(at, before))
        return 0;
    const char *digits = at + strlen(before);
    size_t count = strspn(digits, "0123456789");
    return count && digits[count] == after ? (size_t)(digits + count + 1 - at) : 0;
}

// "bilanx_at3_copies1" and "statement@3@": the place says nothing about a statement.
void profiles_drop_places(const char *text, struct text *out)
{
    while (*text) {
        size_t symbol = numbered(text, "bilanx_at", '_'), file = numbered(text, "@", '@');
        if (symbol)
            text_add(out, "bilanx_");
        else if (!file)
            text_add_char(out, *text);
        text += symbol ? symbol : file ? file : 1;
    }
}

static struct bilanx_error read_one(const char *path, struct inlined_names *names,
                                    struct bilanx_counts *out)
{
    AUTO(text) struct text written = {0}, named = {0}, placeless = {0}, trimmed = {0};
    struct bilanx_error error = file_read(path, &written);
    if (error.status != BILANX_OK)
        return bilanx_error_make(BILANX_E_SYSTEM, "callgrind wrote no file (%s): is the disk full?",
                                 error.text);
    inlined_names_add(names, text_get(&written), &named);
    profiles_drop_places(text_get(&named), &placeless);
    profiles_trim(text_get(&placeless), &trimmed);
    BILANX_TRY(output_write(path, &output_callgrind, trimmed.data, trimmed.size));
    struct bilanx_counts *parts = NULL;
    size_t count = 0;
    error = counts_read_callgrind(path, &parts, &count);
    if (error.status != BILANX_OK)
        return bilanx_error_make(
            BILANX_E_SYSTEM, "callgrind's file is incomplete (%s): is the disk full?", error.text);
    *out = parts[0];  // a dump has one
    for (size_t i = 1; i < count; i++)
        counts_done(&parts[i]);
    free(parts);
    return BILANX_SUCCESS;
}

struct bilanx_error profiles_read(const struct nursery *nursery, pid_t process, uint64_t repeats,
                                  struct profiles *out)
{
    AUTO(profiles) struct profiles profiles = {
        .items = mem_array(struct bilanx_counts, (size_t)repeats)};
    AUTO(inlined_names) struct inlined_names names = {0};
    for (uint64_t i = 0; i < repeats; i++) {
        AUTO(memory) char *path = nursery_file(nursery, process, i + 1);
        BILANX_TRY(read_one(path, &names, &profiles.items[i]));
        profiles.count++;
    }
    *out = profiles;
    profiles = (struct profiles){0};
    return BILANX_SUCCESS;
}

struct bilanx_error profiles_keep(const struct nursery *nursery, pid_t process, uint64_t repeat,
                                  const char *path)
{
    AUTO(memory) char *from = nursery_file(nursery, process, repeat);
    AUTO(text) struct text content = {0};
    BILANX_TRY(file_read(from, &content));
    return output_write(path, &output_callgrind, content.data, content.size);
}

// The first with as many below as above: for an even count the lower of the middle two.
size_t profiles_median(const struct profiles *profiles)
{
    for (size_t i = 0; i < profiles->count; i++) {
        size_t below = 0, equal = 0;
        for (size_t j = 0; j < profiles->count; j++) {
            below += profiles->items[j].instructions < profiles->items[i].instructions;
            equal += profiles->items[j].instructions == profiles->items[i].instructions;
        }
        size_t middle = (profiles->count - 1) / 2;
        if (below <= middle && middle < below + equal)
            return i;
    }
    return 0;
}

static double self_of(const struct bilanx_counts *counts, const struct bilanx_function *wanted)
{
    double sum = 0;
    for (size_t i = 0; i < counts->function_count; i++)
        if (text_equal(counts->functions[i].function, wanted->function) &&
            text_equal(counts->functions[i].object, wanted->object))
            sum += counts->functions[i].self;
    return sum;
}

struct extent {
    double least, most;
};

static void widen(struct extent *extent, double value)
{
    if (value < extent->least)
        extent->least = value;
    if (value > extent->most)
        extent->most = value;
}

// Names up to three functions whose own counts differ most between repeats.
static void add_culprits(const struct profiles *profiles, struct text *out)
{
    enum { NAMED = 3 };
    struct {
        const char *name;
        double spread;
    } worst[NAMED] = {0};
    for (size_t p = 0; p < profiles->count; p++)
        for (size_t f = 0; f < profiles->items[p].function_count; f++) {
            const struct bilanx_function *function = &profiles->items[p].functions[f];
            struct extent extent = {INFINITY, 0};
            for (size_t r = 0; r < profiles->count; r++)
                widen(&extent, self_of(&profiles->items[r], function));
            double spread = extent.most - extent.least;
            size_t at = 0;
            while (at < NAMED && worst[at].name && worst[at].spread >= spread &&
                   !text_equal(worst[at].name, function->function))
                at++;
            if (spread <= 0 || at == NAMED || text_equal(worst[at].name, function->function))
                continue;
            memmove(worst + at + 1, worst + at, (NAMED - 1 - at) * sizeof *worst);
            worst[at].name = function->function;
            worst[at].spread = spread;
        }
    for (size_t i = 0; i < NAMED && worst[i].name; i++)
        text_format(out, "%s%.80s (%.0f)", i ? ", " : "", worst[i].name, worst[i].spread);
}

void profiles_compare(const struct profiles *profiles, struct bilanx_record *record)
{
    struct extent extent = {INFINITY, 0};
    for (size_t i = 0; i < profiles->count; i++)
        widen(&extent, profiles->items[i].instructions);
    if (extent.most == extent.least)
        return;
    AUTO(text) struct text culprits = {0};
    add_culprits(profiles, &culprits);
    record_warn(record, "counts-vary", "its repeats differ by %.2g %% (%.0f to %.0f), due to %s",
                100 * (extent.most - extent.least) / extent.most, extent.least, extent.most,
                culprits.size ? text_get(&culprits) : "functions without a name");
}
