// kernel: describes what one generated function computes, before it is written as C.
//
// A kernel visits the points of a space, whose dimensions are kept or reduced. Its operands are
// tensors with a stride for each dimension of the space, so that broadcasting, transposing, slicing
// and the groups of a norm are all expressed by strides. It has stages, each of which visits all
// points of a slice, which are the points with the same position in the kept dimensions:
//
//     fold      values that every slice adds up to, or the largest of them:  total = sum of exp(x)
//     define    values that follow from folds, per slice:                    scale = 1 / total
//     save      such a value as a result, per slice
//     guard     whether such a value got too large or too small for f32 on the way
//     store     a value per point as a result
//
// A pointwise operator is one stage that stores; a reduction is one stage that folds and saves;
// softmax and norms have two or three stages. Expressions are C with the operands by their names,
// in the vectors and functions of vocabulary.c. `schedule.h` turns a kernel into loops.
#ifndef BACKENDS_CODEGEN_KERNEL_H
#define BACKENDS_CODEGEN_KERNEL_H

#include "backends/common/conventions.h"
#include "backends/common/windows.h"

enum {
    KERNEL_INPUTS = 12,
    KERNEL_OUTPUTS = 6,
    KERNEL_STAGES = 4,
    KERNEL_VALUES = 4,  // folds, definitions or saves of a stage
    KERNEL_NUMBERS = 24,
    KERNEL_LETS = 12,
    PLAN_POINTERS = 160,
};

enum { KERNEL_BAD_INDEX = 1, KERNEL_BEYOND = 2 };  // bits of what a kernel returns

enum reading { AS_NUMBER, AS_MASK };

struct operand {
    char name[32];             // in expressions
    const struct dtype *type;  // in memory
    int64_t strides[BILANX_MAX_DIMENSIONS];
    int64_t offset;        // in elements, from the pointer
    bool is_made;          // a result that is allocated for each run
    int pointer;           // index among the plan's results
    enum reading reading;  // of inputs
    int via;               // input whose value, times `via_stride`, is added to the place; -1: none
    int64_t via_stride, via_size;
};

enum folding { SUM, PRODUCT, LARGEST, SMALLEST };

struct value {
    const char *name;  // of the fold or definition
    const char *as;    // the expression
    enum folding folding;
    int output;  // where it is saved
};

struct stage {
    struct value folds[KERNEL_VALUES], defines[KERNEL_VALUES], saves[KERNEL_VALUES];
    int fold_count, define_count, save_count;
    const char *lets[KERNEL_LETS];  // values per point: step0, step1, ...
    int let_count;
    const char *store;  // NULL: nothing
    int output;         // where it is stored
    const char *guard;  // a mask per slice: its values may be beyond f32, see wide.h. NULL: never
};

struct number {  // a constant of the computation
    char name[32];
    double real;
    int64_t integer;
};

// Windows over images are not stages: schedule_windows.c. The space is samples, channels, and rows
// and columns of the smaller image; operands have the strides of their own images.
enum pooling {
    NO_POOLING,
    POOL_LARGEST,
    POOL_AVERAGE,
    POOL_LARGEST_BACKWARD,
    POOL_AVERAGE_BACKWARD
};

struct kernel {
    const struct dtype *computed;  // f32, f64 or a type of integers
    int ndim;
    int64_t shape[BILANX_MAX_DIMENSIONS];
    uint32_t reduced;  // set of dimensions
    struct operand inputs[KERNEL_INPUTS], outputs[KERNEL_OUTPUTS];
    int input_count, output_count;
    struct stage stages[KERNEL_STAGES];
    int stage_count;
    struct number numbers[KERNEL_NUMBERS];
    int number_count;
    bool truth;  // what is stored is a mask
    enum pooling pooling;
    struct windows windows;  // of pooling
    struct kernel *next;
};

// The work for a call: results, and the kernels that fill them.
struct plan {
    struct frame *frame;
    struct {
        const struct dtype *type;  // NULL: an argument is returned, or None
        int argument;              // which one; -1: None
        int ndim, pointer;
        int64_t shape[BILANX_MAX_DIMENSIONS], strides[BILANX_MAX_DIMENSIONS];
    } results[FRAME_RESULTS];
    int result_count;
    bool is_list;
    void *pointers[PLAN_POINTERS];  // of tensors; results have theirs set by every run
    int pointer_count;
    struct kernel *kernels, *last;  // in order
};

struct plan *plan_new(struct frame *frame);  // becomes the frame's cache
void plan_free(struct plan *plan);

// Results; -1 strides: contiguous. Return the place among the plan's pointers.
int plan_result(struct plan *plan, const struct dtype *type, int ndim, const int64_t *shape,
                const int64_t *strides);
int plan_result_like(struct plan *plan, const struct dtype *type, const struct view *like);
void plan_return(struct plan *plan, int argument);  // -1: None
int plan_pointer(struct plan *plan, const struct view *view);
void plan_mark_results(struct plan *plan);  // sets is_made of outputs

struct kernel *plan_kernel(struct plan *plan, const struct dtype *computed, int ndim,
                           const int64_t *shape);
// Returns the type in which elements of a type are computed.
const struct dtype *computed_type(const struct dtype *type);

// Adds an operand. Strides are per dimension of the space.
struct operand *kernel_input(struct kernel *kernel, const char *name, const struct dtype *type,
                             int pointer, const int64_t *strides);
struct operand *kernel_output(struct kernel *kernel, const struct dtype *type, int pointer,
                              const int64_t *strides);
// A tensor that broadcasts to the space.
struct operand *kernel_tensor(struct plan *plan, struct kernel *kernel, const char *name,
                              const struct view *view);
void kernel_number(struct kernel *kernel, const char *name, double value);
struct stage *kernel_stage(struct kernel *kernel);
void stage_fold(struct stage *stage, const char *name, enum folding folding, const char *as);
void stage_define(struct stage *stage, const char *name, const char *as);
void stage_save(struct stage *stage, int output, const char *as);
// For computations in f32: `mask` says which slices have to be computed again in f64.
void stage_guard(const struct kernel *kernel, struct stage *stage, const char *mask);

bool same_shape(const struct view *one, const struct view *other);

// Whether an expression mentions a name.
bool mentions(const char *expression, const char *name);

#endif
