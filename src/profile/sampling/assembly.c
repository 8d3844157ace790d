// assembly: makes stacks from samples: unwound, named, and cut where the harness begins.
#include "assembly.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "core/worker/sample_board.h"
#include "interleave.h"
#include "profile/unwind/unwind.h"

enum {
    MOST_NATIVE = 1024,
    MOST_LANGUAGE = 1024,
    MOST_KERNEL = 256,
    MOST_NAMES = 4096,
};

void assembly_init(struct assembly *assembly, const struct assembly_options *options,
                   struct stacks *stacks)
{
    *assembly = (struct assembly){.options = *options,
                                  .stacks = stacks,
                                  .images = options->images ? options->images : images_new()};
}

static void forget_codes(struct assembly *assembly)
{
    for (size_t i = 0; i < assembly->code_count; i++) {
        free(assembly->codes[i].name);
        free(assembly->codes[i].file);
    }
    assembly->code_count = 0;
    index_done(&assembly->code_index);
    assembly->code_index = (struct index){0};
}

void assembly_continue(struct assembly *assembly, const struct assembly_options *options)
{
    forget_codes(assembly);
    assembly->options = *options;
}

void assembly_done(struct assembly *assembly)
{
    for (size_t i = 0; i < assembly->process_count; i++) {
        space_done(&assembly->processes[i].space);
        jit_map_done(&assembly->processes[i].jit);
    }
    forget_codes(assembly);
    free(assembly->processes);
    free(assembly->threads);
    free(assembly->codes);
    index_done(&assembly->process_index);
    if (!assembly->options.images)
        images_free(assembly->images);
    kernel_free(assembly->kernel);
    list_done(&assembly->unnamed);
    *assembly = (struct assembly){0};
}

static struct hash key_of(uint64_t number)
{
    struct hash key = hash_start();
    hash_add(&key, &number, sizeof number);
    return key;
}

static struct assembly_process *process_of(struct assembly *assembly, uint32_t process)
{
    bool added = false;
    uint32_t number = process ? process : (uint32_t)assembly->options.process;
    size_t place = index_find_or_add(&assembly->process_index, key_of(number),
                                     assembly->process_count, &added);
    if (added) {
        mem_grow(assembly->processes, assembly->process_count, &assembly->process_room);
        assembly->processes[assembly->process_count++] =
            (struct assembly_process){.number = number,
                                      .space = {.images = assembly->images},
                                      .program = ++assembly->programs};
    }
    return &assembly->processes[place];
}

static struct space *space_of(struct assembly *assembly, uint32_t process)
{
    return &process_of(assembly, process)->space;
}

// ---- What is known about processes, threads and code

static struct assembly_thread *find_thread(const struct assembly *assembly, uint32_t thread)
{
    for (size_t i = 0; i < assembly->thread_count; i++)
        if (assembly->threads[i].number == thread)
            return &assembly->threads[i];
    return NULL;
}

static struct assembly_thread *thread_of(struct assembly *assembly, uint32_t thread)
{
    struct assembly_thread *found = find_thread(assembly, thread);
    if (found)
        return found;
    mem_grow(assembly->threads, assembly->thread_count, &assembly->thread_room);
    assembly->threads[assembly->thread_count] =
        (struct assembly_thread){.number = thread, .name = "thread"};
    return &assembly->threads[assembly->thread_count++];
}

static void name_thread(struct assembly *assembly, uint32_t thread, const char *name)
{
    struct assembly_thread *named = thread_of(assembly, thread);
    snprintf(named->name, sizeof named->name, "%s", name);
}

static const char *thread_name(const struct assembly *assembly, uint32_t thread)
{
    const struct assembly_thread *found = find_thread(assembly, thread);
    return found ? found->name : "thread";
}

// What is known of Python in a process ends with its program.
static void end_program(struct assembly *assembly, struct assembly_process *process)
{
    const struct python_sight *sight = &process->sight;
    if (sight->file[0] && !sight->joined && sight->samples > 0) {
        snprintf(assembly->blind.file, sizeof assembly->blind.file, "%s", sight->file);
        assembly->blind.library = sight->library;
        assembly->blind.samples += sight->samples;
    }
    process->sight = (struct python_sight){.joined = false};
    process->program = ++assembly->programs;
}

void assembly_conclude(struct assembly *assembly)
{
    for (size_t i = 0; i < assembly->process_count; i++)
        end_program(assembly, &assembly->processes[i]);
}

static void look_for_python(struct python_sight *sight, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    if (text_starts(file, "libpython") || text_starts(file, "python"))
        snprintf(sight->file, sizeof sight->file, "%s", file);
    sight->library |= strcmp(file, SAMPLE_BOARD_LIBRARY) == 0;
}

void assembly_look(struct assembly *assembly, pid_t process)
{
    char path[300], name[32];
    space_read(space_of(assembly, (uint32_t)process), process);
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    AUTO(directory) DIR *tasks = opendir(path);
    struct dirent *entry;
    while (tasks && (entry = readdir(tasks))) {
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/comm", (int)process, entry->d_name);
        if (entry->d_name[0] != '.' && file_first_line(path, name, sizeof name))
            name_thread(assembly, (uint32_t)strtoul(entry->d_name, NULL, 10), name);
    }
}

static void on_mapped(void *context, uint32_t process, const struct sample_mapped *mapped)
{
    look_for_python(&process_of(context, process)->sight, mapped->path);
    space_add(space_of(context, process), mapped->start, mapped->end, mapped->offset, mapped->path);
}

static void on_named(void *context, const struct sample_named *named)
{
    struct assembly *assembly = context;
    if (named->executed) {
        space_done(space_of(assembly, named->process));
        end_program(assembly, process_of(assembly, named->process));
        thread_of(assembly, named->thread)->joined = false;
    }
    name_thread(assembly, named->thread, named->name);
}

static void on_forked(void *context, const struct sample_forked *forked)
{
    struct assembly *assembly = context;
    thread_of(assembly, forked->thread)->joined = false;
    if (forked->process == forked->parent)
        return;
    process_of(assembly, forked->process);  // may move the parent
    const struct assembly_process *parent = process_of(assembly, forked->parent);
    struct assembly_process *process = process_of(assembly, forked->process);
    end_program(assembly, process);
    space_copy(&process->space, &parent->space);
    snprintf(process->sight.file, sizeof process->sight.file, "%s", parent->sight.file);
    process->sight.library = parent->sight.library;
    name_thread(assembly, forked->process, thread_name(assembly, forked->parent));
}

static void on_joined(void *context, uint32_t process, uint32_t thread)
{
    struct assembly *assembly = context;
    process_of(assembly, process)->sight.joined = true;
    thread_of(assembly, thread)->joined = true;
}

// Code has an address in its process, until that executes another program.
static struct hash key_of_code(const struct assembly_process *process, uint64_t frame)
{
    struct hash key = key_of(frame);
    hash_add(&key, &process->program, sizeof process->program);
    return key;
}

// The worker for Python makes a statement the body of a function 'inner'.
static void on_described(void *context, const struct sample_code *code)
{
    static const char inner[] = "inner", inside[] = "inner.<locals>.";
    struct assembly *assembly = context;
    bool added = false;
    struct hash key = key_of_code(process_of(assembly, code->process), code->frame);
    size_t place = index_find_or_add(&assembly->code_index, key, assembly->code_count, &added);
    bool ours = strcmp(code->file, "<stmt>") == 0 || strcmp(code->file, "<statement>") == 0;
    bool statement = ours && strcmp(code->name, inner) == 0;
    const char *name =
        ours && text_starts(code->name, inside) ? code->name + strlen(inside) : code->name;
    if (added) {
        mem_grow(assembly->codes, assembly->code_count, &assembly->code_room);
        assembly->codes[assembly->code_count++] = (struct assembly_code){.frame = code->frame};
    }
    struct assembly_code *known = &assembly->codes[place];
    free(known->name);
    free(known->file);
    *known = (struct assembly_code){code->frame, mem_text(name), mem_text(code->file), statement};
}

// ---- One sample

// A stack while it is put together, innermost first.
struct building {
    struct assembly *assembly;
    struct assembly_process *process;
    unsigned frames[MOST_NAMES];
    size_t count;
    size_t root;  // the stack ends before this frame: the rest is the harness; 0: unknown
    bool in_harness;
};

static void add_frame(struct building *building, const struct stack_frame *frame)
{
    if (building->count < MOST_NAMES)
        building->frames[building->count++] = stacks_frame(building->assembly->stacks, frame);
}

// Functions in which another task gets the CPU. Frames inside say nothing about the program.
static bool is_scheduler(const char *name)
{
    static const char *const names[] = {"finish_task_switch", "__schedule", "schedule",
                                        "preempt_schedule"};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
        size_t size = strlen(names[i]);
        if (strncmp(name, names[i], size) == 0 &&
            (!name[size] || name[size] == '.' || name[size] == '_'))
            return true;
    }
    return false;
}

static void add_kernel(struct building *building, const struct sample *sample)
{
    struct assembly *assembly = building->assembly;
    size_t innermost = building->count;
    if (sample->kernel_count && !assembly->kernel)
        assembly->kernel = kernel_new();
    for (size_t i = 0; i < sample->kernel_count && i < MOST_KERNEL; i++) {
        const char *module = NULL;
        uint64_t address = sample->kernel[i];
        if (address >= (uint64_t)-4096)  // a mark of the kernel's
            continue;
        const char *name = kernel_name(assembly->kernel, address, &module);
        if (is_scheduler(name)) {
            building->count = innermost;
            name = "[scheduler]";
        }
        add_frame(building, &(struct stack_frame){.name = name ? name : "[kernel]",
                                                  .object = module ? module : "kernel",
                                                  .kind = FRAME_KERNEL});
        assembly->kernel_hidden |= !name;
        if (!name)
            return;
    }
}

static const char *object_name(const struct image *image)
{
    const char *path = image_path(image), *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void note_unnamed(struct assembly *assembly, const struct image *image)
{
    const char *name = object_name(image);
    for (size_t i = 0; i < assembly->unnamed.count; i++)
        if (strcmp(assembly->unnamed.items[i], name) == 0)
            return;
    list_add(&assembly->unnamed, name);
}

// Python names its trampolines, which stand for functions of a script, "py::name:file".
static void add_trampoline(struct building *building, const char *named)
{
    const char *colon = strchr(named, ':');
    AUTO(memory) char *name = mem_text_n(named, colon ? (size_t)(colon - named) : strlen(named));
    add_frame(building, &(struct stack_frame){
                            .name = name, .file = colon ? colon + 1 : NULL, .kind = FRAME_PYTHON});
}

// The name that the process itself gave to code at an address; NULL: none.
static const char *compiled_name(const struct building *building, uint64_t address)
{
    char path[40];
    struct jit_map *jit = &building->process->jit;
    const char *name = jit_map_find(jit, address);
    if (name)
        return name;
    snprintf(path, sizeof path, "/tmp/perf-%u.map", building->process->number);
    jit_map_read(jit, path);
    return jit_map_find(jit, address);
}

// Code without a file: of a just-in-time compiler, or of a file that is gone.
static void add_anonymous(struct building *building, uint64_t address)
{
    static const char python[] = "py::";
    char hexadecimal[32];
    const struct mapping *mapping = space_find(&building->process->space, address);
    const char *name = compiled_name(building, address);
    bool is_compiled = name || (mapping && !mapping->file);
    snprintf(hexadecimal, sizeof hexadecimal, "0x%" PRIx64, address);
    if (name && text_starts(name, python))
        add_trampoline(building, name + strlen(python));
    else
        add_frame(building, &(struct stack_frame){.name = name          ? name
                                                          : is_compiled ? "[jit]"
                                                                        : hexadecimal,
                                                  .kind = is_compiled ? FRAME_JIT : FRAME_NATIVE});
}

static bool is_harness(const struct assembly_options *options, uint64_t function)
{
    for (size_t i = 0; i < options->harness_count; i++)
        if (options->harness[i] == function)
            return true;
    return false;
}

// The frames at a native step.
struct native {
    struct image *image;  // NULL: none
    const struct image_place *place;
    uint64_t function;  // where it begins in this process; 0: unknown
};

static struct native native_at(const struct building *building, uint64_t address)
{
    struct native native = {0};
    uint64_t in_file;
    native.image = space_image(&building->process->space, address, &in_file);
    if (!native.image)
        return native;
    native.place = image_place(native.image, in_file);
    if (native.place->function)
        native.function = address - in_file + native.place->function;
    return native;
}

static void add_native(struct building *building, const struct native *native, uint64_t address)
{
    struct assembly *assembly = building->assembly;
    const struct assembly_options *options = &assembly->options;
    if (!native->image) {
        add_anonymous(building, address);
        return;
    }
    bool body = options->body && native->function == options->body;
    if (!native->place->known && !body)
        note_unnamed(assembly, native->image);
    building->in_harness |= native->function && is_harness(options, native->function);
    // A compiled statement has a file of its own, whose name says nothing.
    uint64_t in_file;
    bool own = options->body &&
               native->image == space_image(&building->process->space, options->body, &in_file);
    for (size_t i = native->place->count; i-- > 0;) {
        const struct image_name *name = &native->place->names[i];
        bool root = body && i == 0;
        add_frame(building,
                  &(struct stack_frame){.name = root ? options->name : name->name,
                                        .file = root ? NULL : name->file,
                                        .object = own ? NULL : object_name(native->image),
                                        .kind = name->inlined ? FRAME_INLINED : FRAME_NATIVE});
        if (root && !building->root)
            building->root = building->count;
    }
}

static void add_language(struct building *building, uint64_t frame)
{
    struct assembly *assembly = building->assembly;
    size_t place =
        index_find(&assembly->code_index, key_of_code(building->process, frame & ~(uint64_t)1));
    if (place == SIZE_MAX) {
        add_frame(building, &(struct stack_frame){.name = "[unknown]", .kind = FRAME_PYTHON});
        return;
    }
    const struct assembly_code *code = &assembly->codes[place];
    add_frame(building,
              &(struct stack_frame){.name = code->statement ? assembly->options.name : code->name,
                                    .file = code->statement ? NULL : code->file,
                                    .kind = FRAME_PYTHON});
    if (code->statement && !building->root)
        building->root = building->count;
}

static bool is_interpreter(const struct native *native)
{
    static const char name[] = "_PyEval_EvalFrameDefault";
    return native->place && text_starts(native->place->names[0].name, name);
}

// The frames of a program, and whether the outermost is where its thread begins.
static bool add_program(struct building *building, const struct sample *sample)
{
    struct unwind_step steps[MOST_NATIVE];
    struct native natives[MOST_NATIVE];
    bool interpreter[MOST_NATIVE], complete;
    struct interleave_item items[MOST_NATIVE + MOST_LANGUAGE];
    struct unwind_state state = {.stack = sample->stack, .stack_bytes = sample->stack_bytes};
    memcpy(state.registers, sample->registers, sizeof state.registers);
    size_t count = unwind(&building->process->space, &state, steps, MOST_NATIVE, &complete);
    for (size_t i = 0; i < count; i++) {
        natives[i] = native_at(building, steps[i].address);
        interpreter[i] = sample->frame_count && is_interpreter(&natives[i]);
    }
    size_t frame_count = sample->frame_count < MOST_LANGUAGE ? sample->frame_count : MOST_LANGUAGE;
    size_t item_count =
        interleave(&(struct interleave_input){interpreter, count, sample->frames, frame_count,
                                              complete || sample->whole},
                   items);
    for (size_t i = 0; i < item_count; i++)
        if (items[i].native)
            add_native(building, &natives[items[i].index], steps[items[i].index].address);
        else
            add_language(building, sample->frames[items[i].index]);
    return complete;
}

// Adds what stands at the root of a stack, and turns the stack round.
static void finish(struct building *building, const struct sample *sample, bool complete)
{
    struct assembly *assembly = building->assembly;
    unsigned path[MOST_NAMES + 2];
    size_t depth = 0, count = building->root ? building->root : building->count;
    if (assembly->options.threads_apart)
        path[depth++] = stacks_frame(
            assembly->stacks, &(struct stack_frame){.name = thread_name(assembly, sample->thread),
                                                    .kind = FRAME_THREAD});
    if (!building->root && !complete && sample->user) {
        assembly->cut += sample->weight;
        path[depth++] =
            stacks_frame(assembly->stacks,
                         &(struct stack_frame){.name = "[callers unknown]", .kind = FRAME_CUT});
    }
    for (size_t i = count; i-- > 0;)
        path[depth++] = building->frames[i];
    stacks_add(assembly->stacks, path, depth, sample->weight);
    assembly->samples += sample->weight;
}

static void on_sample(void *context, const struct sample *sample)
{
    struct assembly *assembly = context;
    const struct assembly_thread *thread = find_thread(assembly, sample->thread);
    if (thread && thread->joined && !sample->own)
        return;
    struct building *building = mem_new(struct building);
    building->assembly = assembly;
    building->process = process_of(assembly, sample->process);
    if (sample->own)
        assembly->own += sample->weight;
    else
        building->process->sight.samples += sample->weight;
    add_kernel(building, sample);
    bool complete = sample->user && add_program(building, sample);
    if (building->in_harness)
        assembly->harness += sample->weight;
    else
        finish(building, sample, complete);
    if (sample->frame_count)
        assembly->language += sample->weight;
    free(building);
}

struct sample_events assembly_events(struct assembly *assembly)
{
    return (struct sample_events){assembly,  on_sample,    on_mapped, on_named,
                                  on_forked, on_described, on_joined};
}
