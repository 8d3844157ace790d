// flame_palette: the colours of a graph.
//
// Computed in OKLCH: all shades of all kinds are equally light (0.80 to 0.86, in the dark 0.44 to
// 0.51), so that one colour of text is legible on all of them, and only the hue tells the kind.
#include "flame_palette.h"

#include <math.h>
#include <stdint.h>

enum { SHADES = 6, STEPS = 6 };

static const char letters[FRAME_KINDS + 1] = "nipktjcs";

const char *const palette_kinds[FRAME_KINDS] = {
    [FRAME_NATIVE] = "native",
    [FRAME_INLINED] = "inlined",
    [FRAME_PYTHON] = "Python",
    [FRAME_KERNEL] = "kernel",
    [FRAME_THREAD] = "thread or process",
    [FRAME_JIT] = "compiled at run time",
    [FRAME_CUT] = "unknown",
    [FRAME_SMALL] = "small frames, merged",
};

struct theme {
    const char *frames[FRAME_KINDS][SHADES];
    const char *more[STEPS], *less[STEPS], *same;
};

static const struct theme light = {
    .frames =
        {
            [FRAME_NATIVE] = {"#fea387", "#ffb18a", "#fdac7b", "#ffba7f", "#f9b672", "#ffc579"},
            [FRAME_INLINED] = {"#d9bb5c", "#e1c968", "#d6c261", "#ddd06e", "#d1ca68", "#d8d776"},
            [FRAME_PYTHON] = {"#84c8eb", "#94d2fa", "#92c8f5", "#a3d2ff", "#a1c8fc", "#b3d2ff"},
            [FRAME_KERNEL] = {"#c6b2ed", "#d6bcf6", "#d3b2ea", "#e4bcf2", "#e0b3e6", "#f0beee"},
            [FRAME_THREAD] = {"#c8d7df", "#cfdfe7", "#cadae2", "#d2e1ea", "#cddce4", "#d5e4ec"},
            [FRAME_JIT] = {"#9bce90", "#a0dba1", "#92d49f", "#97e1b1", "#89daaf", "#8fe6c1"},
            [FRAME_CUT] = {"#dedede", "#dedede", "#dedede", "#dedede", "#dedede", "#dedede"},
            [FRAME_SMALL] = {"#e6e6e6", "#e6e6e6", "#e6e6e6", "#e6e6e6", "#e6e6e6", "#e6e6e6"},
        },
    .more = {"#f7d0cb", "#f8bdb5", "#f8a9a0", "#f7958a", "#f58075", "#f26a5f"},
    .less = {"#c8ddf5", "#b1d2f4", "#9ac5f3", "#82b9f2", "#6aadf0", "#50a0ee"},
    .same = "#e4e4e4",
};

static const struct theme dark = {
    .frames =
        {
            [FRAME_NATIVE] = {"#7f3d28", "#8b4a2c", "#80441c", "#8b5321", "#7f4d0f", "#885c1a"},
            [FRAME_INLINED] = {"#674f00", "#705d00", "#655600", "#6e6305", "#635d00", "#6c6a14"},
            [FRAME_PYTHON] = {"#215973", "#336482", "#305b7c", "#41658a", "#3f5c82", "#4f6690"},
            [FRAME_KERNEL] = {"#594975", "#68537f", "#634a74", "#73557e", "#6e4c72", "#7d577b"},
            [FRAME_THREAD] = {"#39444a", "#404b50", "#3c464c", "#424d52", "#3e494e", "#444f55"},
            [FRAME_JIT] = {"#385e2f", "#3d6b3f", "#2f633c", "#35704c", "#266949", "#2d755a"},
            [FRAME_CUT] = {"#383838", "#383838", "#383838", "#383838", "#383838", "#383838"},
            [FRAME_SMALL] = {"#303030", "#303030", "#303030", "#303030", "#303030", "#303030"},
        },
    .more = {"#503835", "#623934", "#753933", "#873831", "#99352f", "#ac312c"},
    .less = {"#33404e", "#314860", "#2e5072", "#295784", "#225e97", "#1666aa"},
    .same = "#333333",
};

static void add_theme(struct text *out, const struct theme *theme)
{
    for (int kind = 0; kind < FRAME_KINDS; kind++)
        for (int shade = 0; shade < SHADES; shade++)
            text_format(out, ".%c%d{fill:%s}", letters[kind], shade, theme->frames[kind][shade]);
    for (int step = 0; step < STEPS; step++)
        text_format(out, ".m%d{fill:%s}.l%d{fill:%s}", step + 1, theme->more[step], step + 1,
                    theme->less[step]);
    text_format(out, ".z{fill:%s}\n", theme->same);
}

void palette_style(struct text *out)
{
    add_theme(out, &light);
    text_add(out, "@media (prefers-color-scheme:dark){");
    add_theme(out, &dark);
    text_add(out, "}\n");
}

// FNV-1a, which the script computes as well.
static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash ^ hash >> 16;
}

static const char *class_of(char letter, unsigned digit, char out[8])
{
    out[0] = letter;
    out[1] = (char)('0' + digit % 10);
    out[2] = '\0';
    return out;
}

const char *palette_class(const struct stack_frame *frame, char out[8])
{
    return class_of(letters[frame->kind], hash_name(frame->name) % SHADES, out);
}

// The square root shows small changes as well: 3 % is the first step. The last is for what is new
// or gone.
const char *palette_change(double before, double after, char out[8])
{
    double larger = before > after ? before : after;
    double share = larger > 0 ? fabs(after - before) / larger : 0;
    unsigned step = (unsigned)(sqrt(share) * STEPS);
    if (step > 0)
        return class_of(after > before ? 'm' : 'l', step < STEPS ? step : STEPS, out);
    out[0] = 'z';
    out[1] = '\0';
    return out;
}
