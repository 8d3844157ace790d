// interleave: puts the frames of a language between the native ones, where they were called.
#include "interleave.h"

static size_t count_calls(const struct interleave_input *input)
{
    size_t count = 0;
    for (size_t i = 0; i < input->native_count; i++)
        count += input->interpreter[i];
    return count;
}

static size_t count_runs(const struct interleave_input *input)
{
    size_t count = 0;
    for (size_t i = 0; i < input->frame_count; i++)
        count += input->frames[i] & 1 || i + 1 == input->frame_count;
    return count;
}

static size_t add_run(const struct interleave_input *input, size_t *next,
                      struct interleave_item *out)
{
    size_t count = 0;
    while (*next < input->frame_count) {
        bool last = input->frames[*next] & 1;
        out[count++] = (struct interleave_item){false, (*next)++};
        if (last)
            break;
    }
    return count;
}

// If the interpreter has just been entered, or is about to return, its innermost call has no frames
// yet, or no longer. The outer ones are certain, unless the native stack was cut there.
size_t interleave(const struct interleave_input *input, struct interleave_item *out)
{
    size_t calls = count_calls(input), runs = count_runs(input);
    size_t without = input->whole && calls > runs ? calls - runs : 0;
    size_t extra = input->whole && runs > calls ? runs - calls : 0;
    size_t next = 0, count = 0;
    for (size_t i = 0; i < input->native_count; i++) {
        bool runs_frames = input->interpreter[i] && without == 0;
        without -= input->interpreter[i] && without > 0;
        for (; runs_frames && extra; extra--)
            count += add_run(input, &next, out + count);
        if (runs_frames)
            count += add_run(input, &next, out + count);
        out[count++] = (struct interleave_item){true, i};
    }
    return count;
}
