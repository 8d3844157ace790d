// speedscope: reads the file format of https://www.speedscope.app: frames shared by profiles, which
// are lists of samples or of events at which frames open and close.
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "results/convert/document.h"
#include "stack_files.h"

struct speedscope {
    struct stack_reading *reading;
    unsigned *frames;  // our numbers of its frames
    size_t frame_count;
    size_t closed_wrongly;
};

static void speedscope_done(struct speedscope *file)
{
    free(file->frames);
}
SCOPE_VALUE(speedscope, speedscope_done)

static const struct speedscope_unit {
    const char *name;
    double factor;
    const char *ours;
} units[] = {
    {"none", 1, "samples"},
    {"nanoseconds", 1, "nanoseconds"},
    {"microseconds", 1e3, "nanoseconds"},
    {"milliseconds", 1e6, "nanoseconds"},
    {"seconds", 1e9, "nanoseconds"},
    {"bytes", 1, "bytes"},
};

static const struct speedscope_unit *find_unit(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

static bool is_python(const char *file)
{
    size_t size = strlen(file);
    return size > 3 && strcmp(file + size - 3, ".py") == 0;
}

static struct bilanx_error read_frame(struct speedscope *file, const json_t *item, size_t index)
{
    AUTO(memory) char *path = mem_format("shared.frames[%zu]", index);
    const struct place place = {file->reading->lines->name, path};
    if (!json_is_object(item))
        return place_fault(&place, "", "an object", item);
    const char *name = NULL, *source = NULL;
    double line = 0;
    BILANX_TRY(place_text(&place, item, "name", &name));
    BILANX_TRY(place_text(&place, item, "file", &source));
    BILANX_TRY(place_number(&place, item, "line", &line));
    if (!name)
        return bilanx_error_make(BILANX_E_INPUT, "%s: '%s' has no name", place.file, path);
    struct stack_frame frame = {.name = name, .file = source};
    AUTO(memory) char *with_line = NULL;
    if (source && is_python(source)) {
        frame.kind = FRAME_PYTHON;
        if (line > 0 && line < 1e9)
            frame.file = with_line = mem_format("%s:%.0f", source, line);
    }
    file->frames[index] = stacks_frame(file->reading->stacks, &frame);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_frames(struct speedscope *file, const json_t *document)
{
    const struct place place = {file->reading->lines->name, ""};
    const struct place shared_place = {place.file, "shared"};
    const json_t *shared = NULL, *frames = NULL;
    BILANX_TRY(place_object(&place, document, "shared", &shared));
    if (shared)
        BILANX_TRY(place_array(&shared_place, shared, "frames", &frames));
    file->frame_count = json_array_size(frames);
    file->frames = mem_array(unsigned, file->frame_count);
    for (size_t i = 0; i < file->frame_count; i++)
        BILANX_TRY(read_frame(file, json_array_get(frames, i), i));
    return BILANX_SUCCESS;
}

static struct bilanx_error frame_number(const struct speedscope *file, const struct place *place,
                                        const json_t *value, unsigned *out)
{
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    if (number < 0 || (size_t)number >= file->frame_count)
        return place_fault(place, "", "the index of a frame", value);
    *out = file->frames[number];
    return BILANX_SUCCESS;
}

static struct bilanx_error read_samples(struct speedscope *file, const struct place *place,
                                        const json_t *profile, unsigned root, double factor)
{
    struct stacks *stacks = file->reading->stacks;
    const json_t *samples = NULL, *weights = NULL;
    BILANX_TRY(place_array(place, profile, "samples", &samples));
    BILANX_TRY(place_array(place, profile, "weights", &weights));
    if (json_array_size(samples) != json_array_size(weights))
        return bilanx_error_make(BILANX_E_INPUT, "%s: '%s' has %zu samples, but %zu weights",
                                 place->file, place->path, json_array_size(samples),
                                 json_array_size(weights));
    for (size_t i = 0; i < json_array_size(samples); i++) {
        const json_t *sample = json_array_get(samples, i), *weight = json_array_get(weights, i);
        AUTO(memory) char *path = mem_format("%s.samples[%zu]", place->path, i);
        const struct place here = {place->file, path};
        if (!json_is_array(sample))
            return place_fault(&here, "", "an array of indices", sample);
        if (!json_is_number(weight) || !(json_number_value(weight) >= 0))
            return place_fault(&here, "", "weighted by a number of at least 0", weight);
        unsigned node = root, frame = 0;
        for (size_t j = 0; j < json_array_size(sample); j++) {
            BILANX_TRY(frame_number(file, &here, json_array_get(sample, j), &frame));
            node = stacks_child(stacks, node, frame);
        }
        node = node ? node : stacks_path(stacks, NULL, 0);
        stacks->nodes[node].self += json_number_value(weight) * factor;
    }
    return BILANX_SUCCESS;
}

// Closes the innermost call of a frame, and those within it.
static unsigned close_frame(struct speedscope *file, unsigned root, unsigned node, unsigned frame)
{
    const struct stack_node *nodes = file->reading->stacks->nodes;
    if (node != root && nodes[node].frame == frame)
        return nodes[node].parent;
    file->closed_wrongly++;
    for (unsigned at = node; at != root; at = nodes[at].parent)
        if (nodes[at].frame == frame)
            return nodes[at].parent;
    return node;
}

static struct bilanx_error read_event(struct speedscope *file, const struct place *place,
                                      const json_t *event, unsigned root, unsigned *node,
                                      double *at)
{
    if (!json_is_object(event))
        return place_fault(place, "", "an object", event);
    const char *type = NULL;
    double now = NAN;
    unsigned frame = 0;
    BILANX_TRY(place_text(place, event, "type", &type));
    BILANX_TRY(place_number(place, event, "at", &now));
    BILANX_TRY(frame_number(file, place, json_object_get(event, "frame"), &frame));
    if (!type || (strcmp(type, "O") != 0 && strcmp(type, "C") != 0))
        return place_fault(place, "type", "\"O\" or \"C\"", json_object_get(event, "type"));
    if (!(now >= *at))
        return place_fault(place, "at", "a number, not below that of the event before it",
                           json_object_get(event, "at"));
    *at = now;
    *node = type[0] == 'O' ? stacks_child(file->reading->stacks, *node, frame)
                           : close_frame(file, root, *node, frame);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_events(struct speedscope *file, const struct place *place,
                                       const json_t *profile, unsigned root, double factor)
{
    struct stacks *stacks = file->reading->stacks;
    const json_t *events = NULL;
    double at = -INFINITY, end = NAN;
    BILANX_TRY(place_array(place, profile, "events", &events));
    BILANX_TRY(place_number(place, profile, "endValue", &end));
    unsigned node = root;
    for (size_t i = 0; i < json_array_size(events); i++) {
        AUTO(memory) char *path = mem_format("%s.events[%zu]", place->path, i);
        double before = at;
        unsigned here = node;
        BILANX_TRY(read_event(file, &(struct place){place->file, path}, json_array_get(events, i),
                              root, &node, &at));
        if (here != root && before > -INFINITY)
            stacks->nodes[here].self += (at - before) * factor;
    }
    if (node != root && end > at)
        stacks->nodes[node].self += (end - at) * factor;
    return BILANX_SUCCESS;
}

// With several profiles, such as one per thread, the name of each is its root.
static unsigned root_of(struct stacks *stacks, const char *name, size_t profiles)
{
    if (profiles < 2)
        return 0;
    struct stack_frame frame = {.name = name ? name : "(no name)", .kind = FRAME_THREAD};
    return stacks_child(stacks, 0, stacks_frame(stacks, &frame));
}

static struct bilanx_error read_profile(struct speedscope *file, const json_t *profile,
                                        size_t index, size_t profiles)
{
    struct stack_reading *reading = file->reading;
    AUTO(memory) char *path = mem_format("profiles[%zu]", index);
    const struct place place = {reading->lines->name, path};
    if (!json_is_object(profile))
        return place_fault(&place, "", "an object", profile);
    const char *type = NULL, *name = NULL, *unit_name = "none";
    BILANX_TRY(place_text(&place, profile, "type", &type));
    BILANX_TRY(place_text(&place, profile, "name", &name));
    BILANX_TRY(place_text(&place, profile, "unit", &unit_name));
    const struct speedscope_unit *unit = find_unit(unit_name);
    if (!unit)
        return place_fault(&place, "unit", "a unit of speedscope",
                           json_object_get(profile, "unit"));
    if (!reading->stacks->unit)
        stacks_set_unit(reading->stacks, unit->ours);
    if (strcmp(reading->stacks->unit, unit->ours) != 0) {
        AUTO(memory) char *remark =
            mem_format("%s: '%s' has another unit than the profiles before it and was ignored",
                       place.file, path);
        list_add(reading->remarks, remark);
        return BILANX_SUCCESS;
    }
    unsigned root = root_of(reading->stacks, name, profiles);
    if (type && strcmp(type, "sampled") == 0)
        return read_samples(file, &place, profile, root, unit->factor);
    if (type && strcmp(type, "evented") == 0)
        return read_events(file, &place, profile, root, unit->factor);
    return place_fault(&place, "type", "\"sampled\" or \"evented\"",
                       json_object_get(profile, "type"));
}

static struct bilanx_error read_speedscope(struct stack_reading *reading)
{
    AUTO(json) json_t *document = NULL;
    BILANX_TRY(document_read(reading->lines, &document));
    const struct place place = {reading->lines->name, ""};
    const json_t *profiles = NULL;
    const char *name = NULL;
    AUTO(speedscope) struct speedscope file = {.reading = reading};
    BILANX_TRY(read_frames(&file, document));
    BILANX_TRY(place_array(&place, document, "profiles", &profiles));
    BILANX_TRY(place_text(&place, document, "name", &name));
    reading->stacks->title = mem_text(name);
    size_t count = json_array_size(profiles);
    for (size_t i = 0; i < count; i++)
        BILANX_TRY(read_profile(&file, json_array_get(profiles, i), i, count));
    if (file.closed_wrongly) {
        AUTO(memory) char *remark =
            mem_format("%s: %zu frames are closed that are not the innermost one", place.file,
                       file.closed_wrongly);
        list_add(reading->remarks, remark);
    }
    return BILANX_SUCCESS;
}

static bool recognises_speedscope(const char *bytes, size_t size)
{
    const char *start = bytes + strspn(bytes, " \t\r\n");
    return *start == '{' && (memmem(bytes, size, "speedscope", 10) ||
                             document_begins_with(bytes, size, 1, "profiles") ||
                             document_begins_with(bytes, size, 1, "shared"));
}

const struct stacks_format stacks_format_speedscope = {
    .name = "speedscope",
    .summary = "speedscope's JSON",
    .recognises = recognises_speedscope,
    .read = read_speedscope,
};
