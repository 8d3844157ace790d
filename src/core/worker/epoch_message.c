// epoch_message: the report of an epoch as the answer to "epoch".
#include "epoch_message.h"

#define AT(member) offsetof(struct epoch_report, member)

// Without a prefix: the only part that a worker has if it does not know the state of the core.
#define PART(prefix, part)                                                                    \
    {prefix "time", AT(part.epoch.time)}, {prefix "min", AT(part.epoch.min)},                 \
        {prefix "p25", AT(part.epoch.p25)}, {prefix "p75", AT(part.epoch.p75)},               \
        {prefix "p99", AT(part.epoch.p99)}, {prefix "reference", AT(part.epoch.reference)},   \
        {prefix "cpu_ns", AT(part.cpu_ns)}, {prefix "batches", AT(part.epoch.batches), true}, \
        {prefix "off_pace", AT(part.epoch.off_pace), true},                                   \
    {                                                                                         \
        prefix "disturbed", AT(part.epoch.disturbed), true                                    \
    }

static const struct word {
    const char *key;
    size_t offset;
    bool is_count;
} words[] = {
    {"number", AT(number), true},
    PART("", other),
    PART("free_", free),
    {"spent_ns", AT(spent_ns)},
    {"empty_loop_ns", AT(empty_loop_ns)},
    {"has_states", AT(has_states), true},
};
enum { WORDS = sizeof words / sizeof *words };

#define OF_CORE(member) offsetof(struct pace_summary, member)
static const struct word facts_of_core[] = {
    {"core_lowest", OF_CORE(lowest)},     {"core_low", OF_CORE(low)},
    {"core_high", OF_CORE(high)},         {"core_free", OF_CORE(free)},
    {"core_chain_ns", OF_CORE(chain_ns)}, {"core_readings", OF_CORE(readings), true},
};
enum { CORE_WORDS = sizeof facts_of_core / sizeof *facts_of_core };

static void add_words(const struct word *list, size_t count, const void *object, struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        const void *at = (const char *)object + list[i].offset;
        if (list[i].is_count && *(const uint64_t *)at)
            message_add_count(out, list[i].key, *(const uint64_t *)at);
        else if (!list[i].is_count && *(const double *)at != 0)
            message_add_number(out, list[i].key, *(const double *)at);
    }
}

static struct bilanx_error read_words(const struct word *list, size_t count,
                                      const struct message *answer, void *object)
{
    for (size_t i = 0; i < count; i++) {
        void *at = (char *)object + list[i].offset;
        BILANX_TRY(list[i].is_count ? message_count(answer, list[i].key, at)
                                    : message_number(answer, list[i].key, at));
    }
    return BILANX_SUCCESS;
}

void epoch_message_add_core(const struct pace_summary *core, struct text *out)
{
    add_words(facts_of_core, CORE_WORDS, core, out);
}

struct bilanx_error epoch_message_read_core(const struct message *answer, struct pace_summary *out)
{
    *out = (struct pace_summary){0};
    return read_words(facts_of_core, CORE_WORDS, answer, out);
}

void epoch_message_write(const struct epoch_report *report, struct text *out)
{
    message_begin(out, "epoch");
    add_words(words, WORDS, report, out);
    epoch_message_add_core(&report->core, out);
}

static bool has_time(const struct epoch_part *part)
{
    return part->epoch.batches && part->epoch.time >= 0;
}

struct bilanx_error epoch_message_read(const struct message *answer, struct epoch_report *out)
{
    *out = (struct epoch_report){0};
    BILANX_TRY(read_words(words, WORDS, answer, out));
    BILANX_TRY(epoch_message_read_core(answer, &out->core));
    if (out->number == 0 || (!has_time(&out->free) && !has_time(&out->other)))
        return bilanx_error_make(BILANX_E_INPUT, "an epoch without a time");
    if (out->spent_ns == 0)
        out->spent_ns =
            out->other.epoch.time * 1e9 * (double)(out->number * out->other.epoch.batches);
    return BILANX_SUCCESS;
}
