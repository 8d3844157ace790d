// autotune: candidates take turns, and the winner has to be confirmed.
#include "autotune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "base/file.h"
#include "base/mem.h"
#include "core/timer/core_floor.h"
#include "core/timer/turn.h"

enum { TURNS = 5, FINAL_TURNS = 21, MOST_CANDIDATES = 16 };
static const double TURN_S = 4e-4;
static const double WORTH_IT = .97;  // of the usual time: a smaller gain is not worth the risk

const char *const autotune_variants[] = {"vector=32",
                                         "unroll=1",
                                         "unroll=8",
                                         "stream=1",
                                         "stream=0",
                                         "swap=1",
                                         "block=16",
                                         "block=256",
                                         "cc=clang",
                                         "cc=clang,vector=32",
                                         "cc=clang,unroll=8",
                                         "vector=32,unroll=8",
                                         NULL};

struct calling {
    const struct contest *contest;
    const struct clock *clock;
    unsigned calls;
};

static struct bilanx_error run_calls(void *context, double *ns)
{
    const struct calling *calling = context;
    uint64_t started = clock_read(calling->clock);
    for (unsigned i = 0; i < calling->calls; i++)
        if (calling->contest->run(calling->contest->context))
            return bilanx_error_make(BILANX_E_FAILED, "it does not run");
    *ns = clock_ns(calling->clock, clock_read(calling->clock) - started);
    return BILANX_SUCCESS;
}

// Seconds per call, with the core to itself if possible; NAN if it failed.
static double turn(const struct contest *contest, int candidate, unsigned calls)
{
    struct clock clock;
    struct core_floor floor;
    struct turn turn;
    clock_open_monotonic(&clock);
    core_floor_load(&floor);
    contest->use(contest->context, candidate);
    struct calling calling = {contest, &clock, calls};
    struct turn_options options = {.clock = &clock, .batches = 1, .floor = core_floor_get(&floor)};
    struct bilanx_error error = turn_take(&options, run_calls, &calling, &turn);
    return error.status == BILANX_OK ? turn.ns / 1e9 / calls : NAN;
}

static unsigned calls_for(const struct contest *contest)
{
    turn(contest, 0, 1);
    double once = turn(contest, 0, 1);
    double calls = TURN_S / (once > 1e-8 ? once : 1e-8);
    return calls < 1 ? 1 : calls > 100000 ? 100000 : (unsigned)calls;
}

static int ascending(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double median(const double *values, int count)
{
    double sorted[FINAL_TURNS];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    return sorted[count / 2];
}

// Whether a candidate beats the usual settings in fresh turns, clearly and nearly always.
static bool is_confirmed(const struct contest *contest, int candidate, unsigned calls)
{
    double ratios[FINAL_TURNS];
    int won = 0;
    for (int i = 0; i < FINAL_TURNS; i++) {
        bool first = i % 2;
        double one = turn(contest, first ? candidate : 0, calls);
        double other = turn(contest, first ? 0 : candidate, calls);
        ratios[i] = first ? one / other : other / one;
        won += ratios[i] < 1;
    }
    return won >= FINAL_TURNS - 4 && median(ratios, FINAL_TURNS) < WORTH_IT;
}

struct times {
    double turns[TURNS];
    double least;
    bool is_out;  // too slow to win
};

// Drops candidates that are clearly slower than the fastest after two turns. The usual one stays,
// because the others are compared with it.
static void drop_hopeless(struct times *times, int count)
{
    static const double HOPELESS = 1.15;
    double least = times[0].least;
    for (int i = 1; i < count; i++)
        least = fmin(least, times[i].least);
    for (int i = 1; i < count; i++)
        times[i].is_out = times[i].is_out || !(times[i].least <= HOPELESS * least);
}

int autotune_measure(const struct contest *contest)
{
    struct times times[MOST_CANDIDATES];
    int count = contest->count < MOST_CANDIDATES ? contest->count : MOST_CANDIDATES, best = 0;
    unsigned calls = calls_for(contest);
    for (int i = 0; i < count; i++)
        times[i] = (struct times){.least = INFINITY};
    for (int t = 0; t < TURNS; t++) {
        for (int i = 0; i < count; i++) {
            struct times *own = &times[(i + t) % count];
            if (own->is_out)
                continue;
            own->turns[t] = turn(contest, (i + t) % count, calls);
            own->least = fmin(own->least, own->turns[t]);
        }
        if (t > 0)
            drop_hopeless(times, count);
    }
    for (int i = 1; i < count; i++)
        if (!times[i].is_out && median(times[i].turns, TURNS) < median(times[best].turns, TURNS))
            best = i;
    double usual = median(times[0].turns, TURNS);
    bool is_better = best && median(times[best].turns, TURNS) < WORTH_IT * usual;
    return is_better && is_confirmed(contest, best, calls) ? best : 0;
}

// Identifies the processor: settings for one say nothing about another.
static void add_processor(struct text *out)
{
    AUTO(text) struct text facts = {0};
    if (file_read("/proc/cpuinfo", &facts).status != BILANX_OK)
        return;
    const char *model = strstr(text_get(&facts), "model name");
    if (model)
        text_add_n(out, model, strcspn(model, "\n"));
}

static char *place_of(const struct translator *translator, const struct text *source)
{
    AUTO(text) struct text whole = {0};
    char digits[DIGEST_TEXT];
    text_add_n(&whole, text_get(source), source->size);
    add_processor(&whole);
    struct digest key = toolchain_key(&translator->toolchain, &translator->how, &whole, true);
    AUTO(memory) char *folder = mem_format("%s/tuned", translator->cache.root);
    mkdir(folder, 0700);
    return mem_format("%s/%s", folder, digest_text(&key, digits));
}

char *autotune_recall(const struct translator *translator, const struct text *source)
{
    AUTO(memory) char *path = place_of(translator, source);
    AUTO(text) struct text found = {0};
    if (file_read(path, &found).status != BILANX_OK || !strchr(text_get(&found), '\n'))
        return NULL;
    return mem_text_n(text_get(&found), strcspn(text_get(&found), "\n"));
}

void autotune_remember(const struct translator *translator, const struct text *source,
                       const char *settings)
{
    AUTO(memory) char *path = place_of(translator, source);
    AUTO(memory) char *line = mem_format("%s\n", settings);
    (void)file_write(path, line, strlen(line));  // otherwise it is measured again
}

// ---- Streaming stores

#if defined(__x86_64__)
typedef __m128 line_part;
enum { COPIED = 16 << 20, PARTS = COPIED / sizeof(line_part), COPY_TURNS = 7 };

static double now_s(void)
{
    struct clock clock;
    clock_open_monotonic(&clock);
    return clock_ns(&clock, clock_read(&clock)) / 1e9;
}

static double copy_storing(line_part *to, const line_part *from)
{
    double started = now_s();
    for (size_t i = 0; i < PARTS; i++) {
        to[i] = from[i];
        __asm__ volatile("" : : : "memory");  // otherwise it would become memcpy()
    }
    return now_s() - started;
}

static double copy_streaming(line_part *to, const line_part *from)
{
    double started = now_s();
    for (size_t i = 0; i < PARTS; i++)
        _mm_stream_ps((float *)(to + i), from[i]);
    _mm_sfence();
    return now_s() - started;
}

static bool measure_streaming(void)
{
    static const double CLEARLY = .85;
    line_part *to = aligned_alloc(64, COPIED), *from = aligned_alloc(64, COPIED);
    double ratios[COPY_TURNS];
    if (to && from) {
        memset(to, 1, COPIED);
        memset(from, 1, COPIED);
    }
    for (int i = 0; to && from && i < COPY_TURNS; i++) {
        double stored = copy_storing(to, from);
        ratios[i] = copy_streaming(to, from) / stored;
    }
    bool pays = to && from && median(ratios, COPY_TURNS) < CLEARLY;
    free(to);
    free(from);
    return pays;
}
#else
static bool measure_streaming(void)
{
    return false;
}
#endif

bool autotune_streaming(const struct translator *translator)
{
    AUTO(text) struct text question = {0};
    text_add(&question, "streaming stores");
    AUTO(memory) char *known = autotune_recall(translator, &question);
    bool pays = known ? strcmp(known, "yes") == 0 : measure_streaming();
    if (!known)
        autotune_remember(translator, &question, pays ? "yes" : "no");
    return pays;
}
