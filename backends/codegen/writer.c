// writer: the pieces of C that all schedules consist of.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "schedule.h"
#include "vocabulary.h"

void write_line(struct writer *writer, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    bool closes = line[0] == '}';
    writer->depth -= closes;
    if (line[0] != '#')
        text_add_repeated(writer->out, "    ", (size_t)writer->depth);
    text_add(writer->out, line);
    text_add(writer->out, "\n");
    size_t size = strlen(line);
    writer->depth += size && line[size - 1] == '{';
}

void write_open(struct writer *writer, int d)
{
    write_line(writer, "for (long i%d = 0; i%d < %lld; i%d++) {", d, d,
               (long long)writer->kernel->shape[d], d);
}

void write_close(struct writer *writer)
{
    write_line(writer, "}");
}

void write_parallel(struct writer *writer, int loops)
{
    if (!writer->schedule->parallel || loops < 1)
        return;
    char collapse[32] = "";
    if (loops > 1)
        snprintf(collapse, sizeof collapse, " collapse(%d)", loops);
    bool can_fail = false;
    for (int i = 0; i < writer->kernel->input_count; i++)
        can_fail = can_fail || writer->kernel->inputs[i].via >= 0;
    can_fail = can_fail || writer->kernel->pooling == POOL_LARGEST_BACKWARD;
    for (int s = 0; s < writer->kernel->stage_count; s++)
        can_fail = can_fail || writer->kernel->stages[s].guard;
    write_line(writer, "#pragma omp parallel for%s num_threads(%d)%s", collapse,
               writer->schedule->tuning->threads, can_fail ? " reduction(| : bad)" : "");
}

static void add_place(struct text *out, const struct writer *writer, const struct operand *operand,
                      const char *at)
{
    for (int d = 0; d < writer->kernel->ndim; d++) {
        int64_t stride = operand->strides[d];
        if (stride == 0)
            continue;
        char own[16];
        snprintf(own, sizeof own, "i%d", d);
        const char *index = d == writer->schedule->inner ? at : own;
        bool plain = !strchr(index, ' ');
        if (strcmp(index, "0") == 0)
            continue;
        if (stride == 1)
            text_format(out, " + %s", index);
        else
            text_format(out, plain ? " + %s * %lld" : " + (%s) * %lld", index, (long long)stride);
    }
}

void write_place(struct writer *writer, const struct operand *operand, const char *name,
                 const char *at)
{
    text_format(writer->out, "%s_at", name);
    add_place(writer->out, writer, operand, at);
}

bool is_full(const struct writer *writer, const struct spot *spot)
{
    return spot->count == writer->schedule->lanes;
}

int kept_count(const struct kernel *kernel)
{
    int count = 0;
    while (count < kernel->ndim && !(kernel->reduced >> count & 1))
        count++;
    return count;
}

bool stage_reads(const struct stage *stage, const char *name)
{
    bool reads = stage->store && mentions(stage->store, name);
    for (int i = 0; i < stage->let_count; i++)
        reads = reads || mentions(stage->lets[i], name);
    for (int i = 0; i < stage->fold_count; i++)
        reads = reads || mentions(stage->folds[i].as, name);
    return reads;
}

bool kernel_needs(const struct kernel *kernel, const char *name)
{
    bool needed = false;
    for (int s = 0; s < kernel->stage_count; s++) {
        const struct stage *stage = &kernel->stages[s];
        needed = needed || stage_reads(stage, name);
        for (int i = 0; i < stage->define_count; i++)
            needed = needed || mentions(stage->defines[i].as, name);
        for (int i = 0; i < stage->save_count; i++)
            needed = needed || mentions(stage->saves[i].as, name);
        needed = needed || mentions(stage->guard, name);
    }
    return needed;
}

bool is_per_slice(const struct kernel *kernel, const struct operand *input)
{
    for (int d = 0; d < kernel->ndim; d++)
        if (kernel->reduced >> d & 1 && input->strides[d] != 0)
            return false;
    return input->via < 0;
}

static void add_chosen(struct text *out, const struct writer *writer, const struct operand *input,
                       const struct spot *spot)
{
    const struct operand *index = &writer->kernel->inputs[input->via];
    int inner = writer->schedule->inner;
    text_format(out, "chosen_%s(%s_at", input->type->name, input->name);
    add_place(out, writer, input, spot->at);
    text_format(out, ", %lld, %s_at", (long long)input->strides[inner], index->name);
    add_place(out, writer, index, spot->at);
    text_format(out, ", %lld, %lld, %lld, %u, &bad)", (long long)index->strides[inner],
                (long long)input->via_stride, (long long)input->via_size, spot->count);
}

static void add_rows(struct text *out, const struct writer *writer, const struct operand *input,
                     const struct spot *spot)
{
    int inner = writer->schedule->inner;
    int64_t size = writer->kernel->shape[inner], stride = input->strides[inner],
            far = input->strides[inner - 1];
    const char *how = stride == 0 && far == 0                               ? "same"
                      : stride == 1 && far == size && is_full(writer, spot) ? "load"
                                                                            : "rows";
    text_format(out, "%s_%s(%s_at", how, input->type->name, input->name);
    add_place(out, writer, input, "0");
    if (how[0] == 'r')
        text_format(out, ", %lld, %lld, %lld", (long long)stride, (long long)far, (long long)size);
    text_add(out, ")");
}

static void add_loaded(struct text *out, const struct writer *writer, const struct operand *input,
                       const struct spot *spot)
{
    int64_t stride = writer->kernel->ndim ? input->strides[writer->schedule->inner] : 0;
    bool full = is_full(writer, spot);
    const char *how = stride == 0   ? "same"
                      : stride != 1 ? full ? "apart" : "every"
                      : full        ? "load"
                                    : "part";
    if (input->via >= 0 && writer->kernel->inputs[input->via].strides[writer->schedule->inner]) {
        add_chosen(out, writer, input, spot);
        return;
    }
    text_format(out, "%s_%s(%s_%s", how, input->type->name, input->name,
                input->via >= 0 ? "row" : "at");
    add_place(out, writer, input, spot->at);
    if (stride != 0 && stride != 1)
        text_format(out, ", %lld", (long long)stride);
    if (stride != 0 && !full)
        text_format(out, ", %u", spot->count);
    text_add(out, ")");
}

void write_input(struct writer *writer, const struct operand *input, const struct spot *spot)
{
    AUTO(text) struct text loaded = {0};
    if (spot->has_rows)
        add_rows(&loaded, writer, input, spot);
    else
        add_loaded(&loaded, writer, input, spot);
    bool whole = text_starts(text_get(&loaded), "load_");
    if (input->reading == AS_MASK && whole)
        write_line(writer, "const M %s = mask_%s;", input->name,
                   text_get(&loaded) + strlen("load_"));
    else if (input->reading == AS_MASK)
        write_line(writer, "const M %s = (M)(%s != 0);", input->name, text_get(&loaded));
    else
        write_line(writer, "const V %s = %s;", input->name, text_get(&loaded));
}

void write_lets(struct writer *writer, const struct stage *stage)
{
    for (int i = 0; i < stage->let_count; i++)
        write_line(writer, "const V step%d = %s;", i, stage->lets[i]);
}

void write_loads(struct writer *writer, const struct stage *stage, const struct spot *spot,
                 bool hoisted)
{
    const struct kernel *kernel = writer->kernel;
    for (int i = 0; i < kernel->input_count; i++) {
        const struct operand *input = &kernel->inputs[i];
        bool is_hoisted =
            input->strides[writer->schedule->inner] == 0 &&
            (input->via < 0 || kernel->inputs[input->via].strides[writer->schedule->inner] == 0);
        if (stage_reads(stage, input->name) && is_hoisted == hoisted)
            write_input(writer, input, spot);
    }
}

// Whether a result is large enough to bypass the caches, and not so large that its pages are fresh:
// the operating system has just cleared those, so they are in the caches. GCC vectorises a loop
// over lanes only if its result is stored normally.
static bool should_stream(const struct schedule *schedule, const struct operand *output)
{
    const struct tuning *tuning = schedule->tuning;
    const struct kernel *kernel = &schedule->kernel;
    const struct stage *stage = &kernel->stages[0];
    uint64_t bytes = output->type->size;
    for (int d = 0; d < kernel->ndim; d++)
        bytes *= (uint64_t)kernel->shape[d];
    bool loops = vocabulary_has_loops(stage->store, kernel->computed);
    for (int i = 0; i < stage->let_count; i++)
        loops = loops || vocabulary_has_loops(stage->lets[i], kernel->computed);
    return tuning->stream ||
           (bytes >= tuning->stream_least && bytes <= tuning->stream_most && !loops);
}

// Streaming stores need aligned vectors: only results that we allocate, without gaps, have these.
static bool can_stream(const struct writer *writer, const struct operand *output,
                       const struct spot *spot)
{
    const struct schedule *schedule = writer->schedule;
    bool can = schedule->kind == MAP && !schedule->in_place && !schedule->is_row &&
               !spot->is_shifted && output->offset == 0 && output->is_made &&
               output->type->size * schedule->lanes == schedule->tuning->vector_bytes;
    for (int d = 0; d < writer->kernel->ndim; d++)
        can = can && (d == schedule->inner || output->strides[d] % schedule->lanes == 0);
    return can && should_stream(schedule, output);
}

// Processors prefetch up to the end of a page, and no further.
void write_ahead(struct writer *writer, const struct stage *stage, const struct spot *spot)
{
    enum { PAGE = 4096 };
    const struct kernel *kernel = writer->kernel;
    if (!can_stream(writer, &kernel->outputs[stage->output], spot))
        return;
    for (int i = 0; i < kernel->input_count; i++) {
        const struct operand *input = &kernel->inputs[i];
        bool moves = input->via < 0 && input->strides[writer->schedule->inner] == 1 &&
                     (writer->schedule->inner == 0 || input->strides[0]);
        AUTO(text) struct text place = {0};
        add_place(&place, writer, input, spot->at);
        if (moves && stage_reads(stage, input->name))
            write_line(writer, "__builtin_prefetch(%s_at%s + %u);  // the next page", input->name,
                       text_get(&place), PAGE / input->type->size);
    }
}

void write_stored(struct writer *writer, const struct operand *output, const struct spot *spot,
                  const char *as)
{
    AUTO(text) struct text place = {0}, value = {0};
    int64_t stride = writer->kernel->ndim ? output->strides[writer->schedule->inner] : 0;
    int number = (int)(output - writer->kernel->outputs);
    const char *type = output->type->name;
    text_format(&place, "out%d", number);
    add_place(&place, writer, output, spot->at);
    if (writer->kernel->truth)  // in place, its type may be another than bool
        text_format(&value, output->type->is_bool ? "(V)(%s)" : "pick((M)(%s), splat(1), splat(0))",
                    as);
    else
        text_add(&value, as);
    if (stride != 1 && spot->count > 1)
        write_line(writer, "spread_%s(%s, %lld, %s, %u);", type, text_get(&place),
                   (long long)stride, text_get(&value), spot->count);
    else if (spot->count == writer->schedule->lanes)
        write_line(writer, "%s_%s(%s, %s);", can_stream(writer, output, spot) ? "stream" : "store",
                   type, text_get(&place), text_get(&value));
    else
        write_line(writer, "put_%s(%s, %s, %u);", type, text_get(&place), text_get(&value),
                   spot->count);
}

const char *fold_neutral(const struct kernel *kernel, enum folding folding)
{
    static const char *const ends[][2] = {
        {"splat(0)", "splat(255)"},  // unsigned
        {"splat(-128)", "splat(127)"},
        {"splat(-32768)", "splat(32767)"},
        {"splat(-2147483647 - 1)", "splat(2147483647)"},
        {"splat(-0x7fffffffffffffffL - 1)", "splat(0x7fffffffffffffffL)"},
    };
    unsigned size = kernel->computed->size;
    bool real = kernel->computed->kind == DTYPE_REAL;
    bool is_unsigned = kernel->computed->type.code == kDLUInt;
    size_t place = is_unsigned ? 0 : size == 8 ? 4 : size == 4 ? 3 : size;
    switch (folding) {
    case SUM:
        return "splat(0)";
    case PRODUCT:
        return "splat(1)";
    case LARGEST:
        return real ? "splat((T)-__builtin_inf())" : ends[place][0];
    default:
        return real ? "splat((T)__builtin_inf())" : ends[place][1];
    }
}

void write_combined(struct writer *writer, enum folding folding, const char *total,
                    const char *value)
{
    static const char *const forms[] = {
        [SUM] = "%s = %s + (%s);",
        [PRODUCT] = "%s = %s * (%s);",
        [LARGEST] = "%s = larger(%s, %s);",
        [SMALLEST] = "%s = smaller(%s, %s);",
    };
    write_line(writer, forms[folding], total, total, value);
}

const char *fold_gathering(enum folding folding)
{
    static const char *const names[] = {[SUM] = "add_up",
                                        [PRODUCT] = "multiply_up",
                                        [LARGEST] = "largest_of",
                                        [SMALLEST] = "smallest_of"};
    return names[folding];
}

// ---- Values of several slices at a time, in arrays

bool concludes_with(const struct stage *stage, const char *name)
{
    bool needed = mentions(stage->guard, name);
    for (int i = 0; i < stage->define_count; i++)
        needed = needed || mentions(stage->defines[i].as, name);
    for (int i = 0; i < stage->save_count; i++)
        needed = needed || mentions(stage->saves[i].as, name);
    return needed;
}

static bool is_needed_later(const struct kernel *kernel, const struct stage *stage,
                            const char *name)
{
    for (const struct stage *at = stage + 1; at < kernel->stages + kernel->stage_count; at++)
        if (stage_reads(at, name) || concludes_with(at, name))
            return true;
    return false;
}

void write_arrays(struct writer *writer, const struct stage *stage, const char *index,
                  const char *count, int64_t room)
{
    const struct kernel *kernel = writer->kernel;
    for (int i = 0; i < stage->fold_count; i++)
        write_line(writer, "V %s_of[%lld];", stage->folds[i].name, (long long)room);
    for (int i = 0; i < stage->define_count; i++)
        if (is_needed_later(kernel, stage, stage->defines[i].name))
            write_line(writer, "V %s_of[%lld];", stage->defines[i].name, (long long)room);
    if (!stage->fold_count)
        return;
    write_line(writer, "for (int %s = 0; %s < %s; %s++) {", index, index, count, index);
    for (int i = 0; i < stage->fold_count; i++)
        write_line(writer, "%s_of[%s] = %s;", stage->folds[i].name, index,
                   fold_neutral(kernel, stage->folds[i].folding));
    write_close(writer);
}

void write_known(struct writer *writer, const struct stage *stage, bool per_slice,
                 const char *index)
{
    for (const struct stage *at = writer->kernel->stages; at < stage; at++)
        for (int k = 0; k < at->fold_count + at->define_count; k++) {
            const char *name =
                k < at->fold_count ? at->folds[k].name : at->defines[k - at->fold_count].name;
            bool needed = per_slice ? concludes_with(stage, name) : stage_reads(stage, name);
            if (needed)
                write_line(writer, "const V %s = %s_of[%s];", name, name, index);
        }
}

void write_concluding_inputs(struct writer *writer, const struct stage *stage,
                             const struct spot *spot)
{
    const struct kernel *kernel = writer->kernel;
    for (int i = 0; i < kernel->input_count; i++)
        if (concludes_with(stage, kernel->inputs[i].name) &&
            is_per_slice(kernel, &kernel->inputs[i]))
            write_input(writer, &kernel->inputs[i], spot);
}

void write_defined(struct writer *writer, const struct stage *stage, const struct spot *spot,
                   const char *index)
{
    const struct kernel *kernel = writer->kernel;
    for (int i = 0; i < stage->define_count; i++) {
        const struct value *defined = &stage->defines[i];
        if (!kernel_needs(kernel, defined->name))
            continue;
        write_line(writer, "const V %s = %s;", defined->name, defined->as);
        if (is_needed_later(kernel, stage, defined->name))
            write_line(writer, "%s_of[%s] = %s;", defined->name, index, defined->name);
    }
    for (int i = 0; i < stage->save_count; i++)
        write_stored(writer, &kernel->outputs[stage->saves[i].output], spot, stage->saves[i].as);
}
