// samples: the inputs of a measurement: samples drawn from a specification, in the order of a
// table, with their descriptions for headings and records.
//
//     AUTO(samples) struct samples samples = {0};
//     BILANX_TRY(samples_draw(&(struct samples_request){.spec = "unary", .take = 5}, &samples));
//     samples.items[0].description;  // "16x34x8324"
#ifndef SAMPLES_SAMPLES_H
#define SAMPLES_SAMPLES_H

#include "inputs/samples/samples_request.h"
#include "inputs/tensors/sample.h"

struct samples_item {
    struct sample sample;
    char *text;         // as sample_write() writes it, for a worker
    char *description;  // of its shapes; unlike that of any other sample
    char *parameters;   // an object of JSON for task.parameters
    double elements;    // of its largest tensor; for a sparse one only those stored
    uint64_t bytes;     // of memory for all its tensors
};

struct samples {
    struct samples_item *items;
    size_t count;
    char *names;  // names in the scope of statements, as compile/snippet_inputs.h describes
};
void samples_done(struct samples *samples);
SCOPE_VALUE(samples, samples_done)

// Whether `as` is a kind of tensors in Python; NULL is.
struct bilanx_error samples_check_as(const char *as);

struct bilanx_error samples_draw(const struct samples_request *request, struct samples *out);

// Whether statements in a language ("c", "c++", "python") can use these names. The error names the
// one that they cannot use.
struct bilanx_error samples_check_names(const struct samples *samples, const char *language);

// Describes the shapes: "16x34x8324", "x 64x473 permuted steps 1,2, y 64x1".
void samples_describe(const struct sample *sample, struct text *out);

#endif
