// python_frames: the Python frames of a thread, read from the interpreter's memory.
//
// The stable ABI does not show them, so a table has the offsets of each version; 3.13 publishes its
// own. A handler may interrupt the interpreter between any two instructions and find a frame half
// made; the sampler catches what comes of that, or all memory is read carefully.
#include "python_frames.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "core/worker/peek.h"

enum {
    CODE_BITS = 3,      // of a pointer that may hold marks
    ON_C_STACK = 3,     // owner of a frame that marks an entry
    FRAME_BYTES = 128,  // what is read of a frame
    LONGEST = 400,      // bytes of a name or a file
};

static const struct {
    unsigned version;
    struct python_layout layout;
} layouts[] = {
    {0x030b,
     {.thread_frame = 56,
      .current = 8,
      .before = 16,
      .code = 32,
      .previous = 48,
      .owner = 69,
      .entry = 68,
      .name = 128,
      .file = 112,
      .line = 72,
      .length = 16,
      .state = 32,
      .ascii_size = 48,
      .wide_size = 72}},
    {0x030c,
     {.thread_frame = 56,
      .current = 0,
      .before = 8,
      .code = 0,
      .previous = 8,
      .owner = 70,
      .entry = -1,
      .name = 128,
      .file = 112,
      .line = 68,
      .length = 16,
      .state = 32,
      .ascii_size = 40,
      .wide_size = 56}},
};

// The start of struct _Py_DebugOffsets in 3.13.
struct published {
    char cookie[8];
    uint64_t version, free_threaded;
    uint64_t runtime[3], interpreter[13];
    struct {
        uint64_t size, previous, next, interpreter, current_frame, others[4];
    } thread;
    struct {
        uint64_t size, previous, executable, instruction, locals, owner;
    } frame;
    struct {
        uint64_t size, filename, name, qualname, linetable, firstlineno, others[4];
    } code;
    uint64_t object[2], type[4], tuple[3], list[3], dictionary[3], number[2], integer[3], bytes[3];
    struct {
        uint64_t size, state, length, ascii_size;
    } text;
};

static bool read_published(unsigned version, struct python_layout *out)
{
    const struct published *published = dlsym(RTLD_DEFAULT, "_PyRuntime");
    if (version != 0x030d || !published || memcmp(published->cookie, "xdebugpy", 8) != 0 ||
        published->version >> 16 != version || published->free_threaded)
        return false;
    *out = (struct python_layout){
        .thread_frame = (int)published->thread.current_frame,
        .current = -1,
        .code = (int)published->frame.executable,
        .previous = (int)published->frame.previous,
        .owner = (int)published->frame.owner,
        .entry = -1,
        .name = (int)published->code.qualname,
        .file = (int)published->code.filename,
        .line = (int)published->code.firstlineno,
        .length = (int)published->text.length,
        .state = (int)published->text.state,
        .ascii_size = (int)published->text.ascii_size,
        .wide_size = (int)published->text.ascii_size + 16,
    };
    return true;
}

bool python_layout_find(unsigned version, struct python_layout *out)
{
    for (size_t i = 0; sizeof(void *) == 8 && i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].version == version) {
            *out = layouts[i].layout;
            return true;
        }
    return read_published(version, out);
}

static bool read_bytes(const struct python_frames *frames, uint64_t address, void *out, size_t size)
{
    const void *from = (const void *)(uintptr_t)address;
    if (frames->careful)
        return address && peek(out, from, size) == size;
    if (address)
        memcpy(out, from, size);
    return address != 0;
}

static bool read_word(const struct python_frames *frames, uint64_t address, uint64_t *out)
{
    return read_bytes(frames, address, out, sizeof *out);
}

// The current frame; or, if the interpreter has just been entered and has not set it yet, the one
// from which it was entered.
static uint64_t current_frame(const struct python_frames *frames, bool entering)
{
    const struct python_layout *layout = &frames->layout;
    uint64_t state = frames->thread_state(), found = 0;
    if (!state || !read_word(frames, state + (uint64_t)layout->thread_frame, &found))
        return 0;
    if (layout->current < 0)
        return found;
    if ((entering && !read_word(frames, found + (uint64_t)layout->before, &found)) ||
        !read_word(frames, found + (uint64_t)layout->current, &found))
        return 0;
    return found;
}

static uint64_t word_at(const unsigned char *bytes, int offset)
{
    uint64_t word;
    memcpy(&word, bytes + offset, sizeof word);
    return word;
}

// A frame that is just being made might lead in a circle. `*end` is where the walk ended.
static size_t follow(const struct python_frames *frames, uint64_t frame, uint64_t *out, size_t room,
                     uint64_t *end)
{
    const struct python_layout *layout = &frames->layout;
    size_t count = 0;
    for (size_t steps = 0; frame && frame != frames->base && steps < 2 * room; steps++) {
        unsigned char bytes[FRAME_BYTES];
        if (!read_bytes(frames, frame, bytes, sizeof bytes))
            break;
        bool mark = layout->entry < 0 && bytes[layout->owner] == ON_C_STACK;
        if (mark && count)
            out[count - 1] |= 1;
        if (!mark && count == room)
            break;
        if (!mark)
            out[count++] = (word_at(bytes, layout->code) & ~(uint64_t)CODE_BITS) |
                           (layout->entry >= 0 && bytes[layout->entry]);
        frame = word_at(bytes, layout->previous);
    }
    *end = frame;
    return count;
}

size_t python_frames_walk(void *context, uint64_t *out, size_t room, bool again)
{
    const struct python_frames *frames = context;
    uint64_t end;
    bool ours = !frames->base || frames->thread_state() == frames->base_state;
    size_t count = follow(frames, current_frame(frames, again), out, room, &end);
    if (ours && end != frames->base && count < room && !again && frames->layout.current >= 0)
        count = follow(frames, current_frame(frames, true), out, room, &end);
    return count;
}

static size_t add_utf8(uint32_t code, char *out, size_t room)
{
    unsigned char bytes[4];
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (size > room)
        return 0;
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1; code >>= 6)
        bytes[i] = (unsigned char)(0x80 | (code & 0x3f));
    bytes[0] = (unsigned char)(marks[size] | code);
    memcpy(out, bytes, size);
    return size;
}

// Copies a string as UTF-8, shortened if it is long, with a NUL. Returns its size; 0: unreadable.
static size_t read_text(const struct python_frames *frames, uint64_t text, char *out)
{
    const struct python_layout *layout = &frames->layout;
    uint64_t state, length;
    unsigned char bytes[LONGEST];
    if (!read_word(frames, text + (uint64_t)layout->state, &state) ||
        !read_word(frames, text + (uint64_t)layout->length, &length))
        return 0;
    size_t width = state >> 2 & 7;
    bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
    if (!compact || (width != 1 && width != 2 && width != 4))
        return 0;
    length = length < LONGEST / 4 ? length : ascii && length < LONGEST ? length : LONGEST / 4;
    uint64_t start = text + (uint64_t)(ascii ? layout->ascii_size : layout->wide_size);
    if (!read_bytes(frames, start, bytes, length * width))
        return 0;
    size_t size = 0;
    for (size_t i = 0; i < length; i++) {
        uint32_t code = 0;
        memcpy(&code, bytes + i * width, width);
        size += add_utf8(code ? code : '?', out + size, LONGEST - 1 - size);
    }
    out[size++] = '\0';
    return size;
}

static bool is_code(const struct python_frames *frames, uint64_t object)
{
    enum { TYPE = 8 };  // in an object
    uint64_t type = 0;
    return !frames->code_type ||
           (read_word(frames, object + TYPE, &type) && type == frames->code_type);
}

size_t python_frames_describe(void *context, uint64_t frame, char *out, size_t room, uint64_t *line)
{
    const struct python_frames *frames = context;
    const struct python_layout *layout = &frames->layout;
    char name[LONGEST], file[LONGEST];
    uint64_t name_text, file_text;
    if (!is_code(frames, frame) || !read_word(frames, frame + (uint64_t)layout->name, &name_text) ||
        !read_word(frames, frame + (uint64_t)layout->file, &file_text) ||
        !read_word(frames, frame + (uint64_t)layout->line, line))
        return 0;
    *line &= UINT32_MAX;
    size_t name_size = read_text(frames, name_text, name);
    size_t file_size = read_text(frames, file_text, file);
    if (!name_size || !file_size || name_size + file_size > room)
        return 0;
    memcpy(out, name, name_size);
    memcpy(out + name_size, file, file_size);
    return name_size + file_size;
}

uint64_t python_frames_identify(void *context, uint64_t frame)
{
    const struct python_frames *frames = context;
    const int parts[] = {frames->layout.name, frames->layout.file, frames->layout.line};
    uint64_t identity = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint64_t word = 0;
        read_word(frames, frame + (uint64_t)parts[i], &word);
        identity = (identity ^ word) * 0x9E3779B97F4A7C15u;
    }
    return identity | 1;  // other than that of nothing
}

void python_frames_set_base(struct python_frames *frames)
{
    frames->base = current_frame(frames, false);
    frames->base_state = frames->thread_state();
}
