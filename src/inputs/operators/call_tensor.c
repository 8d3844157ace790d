// call_tensor: tensors in a line of a log: T([2, 3], f16, stride=(3, 1)), and sparse ones.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "call_parser.h"
#include "inputs/tensors/sample.h"
#include "log_types.h"

// "[2, 3]" or "(2, 3)" or "(2,)": numbers that are not negative.
static struct bilanx_error parse_sizes(struct call_parser *parser, int64_t out[TENSOR_DIMENSIONS],
                                       int *count)
{
    char found[64];
    parser_skip_blanks(parser);
    char close = *parser->at == '[' ? ']' : *parser->at == '(' ? ')' : '\0';
    if (!close)
        return parser_complain(parser, parser->at, "expected a list of sizes, not %s",
                               parser_describe(parser, found, sizeof found));
    parser->at++;
    for (*count = 0; !parser_take(parser, close);) {
        if (*count > 0) {
            BILANX_TRY(parser_expect(parser, ',', "between sizes"));
            if (close == ')' && parser_take(parser, close))
                break;
        }
        if (*count == TENSOR_DIMENSIONS)
            return parser_complain(parser, parser->at, "a tensor has at most %d dimensions",
                                   TENSOR_DIMENSIONS);
        parser_skip_blanks(parser);
        const char *start = parser->at;
        BILANX_TRY(parser_integer(parser, &out[*count]));
        if (out[*count] < 0)
            return parser_complain(parser, start, "a size or a stride cannot be negative");
        ++*count;
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error unknown_type(const struct call_parser *parser, const char *word)
{
    const char *names[32];
    size_t count = 0;
    for (const struct log_type *type = log_types; type->name; type++)
        names[count++] = type->name;
    const char *nearest = text_nearest(word, names, count);
    if (nearest)
        return parser_complain(parser, parser->at, "unknown type '%s' (did you mean '%s'?)", word,
                               nearest);
    return parser_complain(parser, parser->at, "unknown type '%s'", word);
}

static struct bilanx_error parse_type(struct call_parser *parser, const struct log_type **out)
{
    char word[64], found[64];
    BILANX_TRY(parser_expect(parser, ',', "before the type of a tensor"));
    parser_skip_blanks(parser);
    size_t size = parser_word(parser);
    if (size == 0)
        return parser_complain(parser, parser->at, "expected the type of a tensor, not %s",
                               parser_describe(parser, found, sizeof found));
    size_t copied = size < sizeof word ? size : sizeof word - 1;
    memcpy(word, parser->at, copied);
    word[copied] = '\0';
    *out = log_type_find(word);
    if (!*out)
        return unknown_type(parser, word);
    parser->at += size;
    return BILANX_SUCCESS;
}

// Those of a contiguous tensor. Returns false if it has too many elements.
static bool lay_out(int dimensions, const int64_t *shape, int64_t *strides)
{
    int64_t stride = 1;
    for (int d = dimensions - 1; d >= 0; d--) {
        strides[d] = stride;
        if (__builtin_mul_overflow(stride, shape[d] > 1 ? shape[d] : 1, &stride))
            return false;
    }
    return true;
}

// The number of elements that memory must hold, including gaps, fits in 56 bits.
static bool is_possible(int dimensions, const int64_t *shape, const int64_t *strides)
{
    int64_t last = 0;
    for (int d = 0; d < dimensions; d++) {
        int64_t distance;
        if (shape[d] == 0)
            return true;
        if (__builtin_mul_overflow(shape[d] - 1, strides[d], &distance) ||
            __builtin_add_overflow(last, distance, &last))
            return false;
    }
    return last < (int64_t)1 << 56;
}

// Strides may come without their name.
static struct bilanx_error skip_stride_name(struct call_parser *parser)
{
    static const char key[] = "stride";
    char found[64];
    parser_skip_blanks(parser);
    if (*parser->at == '(' || *parser->at == '[')
        return BILANX_SUCCESS;
    if (parser_word(parser) != strlen(key) || !text_starts(parser->at, key))
        return parser_complain(parser, parser->at, "expected 'stride=(...)', not %s",
                               parser_describe(parser, found, sizeof found));
    parser->at += strlen(key);
    BILANX_TRY(parser_expect(parser, '=', "after 'stride'"));
    parser_skip_blanks(parser);
    return BILANX_SUCCESS;
}

static struct bilanx_error parse_stride(struct call_parser *parser, int dimensions,
                                        int64_t strides[TENSOR_DIMENSIONS])
{
    BILANX_TRY(skip_stride_name(parser));
    const char *start = parser->at;
    int count;
    BILANX_TRY(parse_sizes(parser, strides, &count));
    if (count != dimensions)
        return parser_complain(parser, start, "%d strides for %d dimensions", count, dimensions);
    return BILANX_SUCCESS;
}

static struct bilanx_error parse_truth(struct call_parser *parser, bool *out)
{
    char found[64];
    parser_skip_blanks(parser);
    size_t size = parser_word(parser);
    *out = size == 4 && text_starts(parser->at, "True");
    if (!*out && !(size == 5 && text_starts(parser->at, "False")))
        return parser_complain(parser, parser->at, "expected True or False, not %s",
                               parser_describe(parser, found, sizeof found));
    parser->at += size;
    return BILANX_SUCCESS;
}

// A keyword such as "nnz=" may be there or not.
static void skip_key(struct call_parser *parser)
{
    parser_skip_blanks(parser);
    size_t size = parser_word(parser);
    if (size && parser->at[size] == '=')
        parser->at += size + 1;
}

// The number of elements if the log does not say: one in a hundred, but at least one.
static int64_t usual_nonzeros(int dimensions, const int64_t *shape)
{
    int64_t elements = 1;
    for (int d = 0; d < dimensions; d++)
        elements *= shape[d];
    return elements < 100 ? elements > 0 : elements / 100;
}

// ", torch.sparse_coo, True, 10": the layout, whether it is coalesced, how many are not zero. All
// dimensions are sparse, because a log cannot say otherwise.
static struct bilanx_error parse_sparse(struct call_parser *parser, const DLTensor *dense,
                                        struct bilanx_sparse *sparse)
{
    static const char layout[] = "torch.sparse_coo";
    BILANX_TRY(parser_expect(parser, ',', "before the layout"));
    skip_key(parser);
    parser_skip_blanks(parser);
    if (parser_word(parser) != strlen(layout) || !text_starts(parser->at, layout))
        return parser_complain(parser, parser->at, "the only sparse layout is '%s'", layout);
    parser->at += strlen(layout);
    BILANX_TRY(parser_expect(parser, ',', "before 'True' or 'False'"));
    skip_key(parser);
    BILANX_TRY(parse_truth(parser, &sparse->is_coalesced));
    sparse->nonzeros = usual_nonzeros(dense->ndim, dense->shape);
    if (!parser_take(parser, ','))
        return BILANX_SUCCESS;
    skip_key(parser);
    parser_skip_blanks(parser);
    const char *start = parser->at;
    BILANX_TRY(parser_integer(parser, &sparse->nonzeros));
    if (sparse->nonzeros < 0)
        return parser_complain(parser, start, "a tensor cannot have %lld elements",
                               (long long)sparse->nonzeros);
    return BILANX_SUCCESS;
}

struct bilanx_error parser_tensor(struct call_parser *parser, const char *start, bool is_sparse,
                                  struct bilanx_value *out)
{
    int64_t shape[TENSOR_DIMENSIONS], strides[TENSOR_DIMENSIONS];
    int dimensions;
    const struct log_type *type;
    BILANX_TRY(parser_expect(parser, '(', "after the letter of a tensor"));
    BILANX_TRY(parse_sizes(parser, shape, &dimensions));
    BILANX_TRY(parse_type(parser, &type));
    bool fits = lay_out(dimensions, shape, strides);
    if (!is_sparse && parser_take(parser, ','))
        BILANX_TRY(parse_stride(parser, dimensions, strides));
    if (!fits || !is_possible(dimensions, shape, strides))
        return parser_complain(parser, start, "this tensor is larger than any memory");
    DLTensor *tensor = call_memory_tensor(parser->memory, dimensions);
    tensor->dtype = type->type;
    memcpy(tensor->shape, shape, (size_t)dimensions * sizeof *shape);
    memcpy(tensor->strides, strides, (size_t)dimensions * sizeof *strides);
    *out = (struct bilanx_value){.kind = BILANX_TENSOR, .is_bool = type->is_bool, .tensor = tensor};
    if (is_sparse) {
        struct bilanx_sparse sparse = {0};
        BILANX_TRY(parse_sparse(parser, tensor, &sparse));
        out->sparse = call_memory_copy(parser->memory, &sparse, sizeof sparse);
    }
    return parser_expect(parser, ')', "at the end of a tensor");
}
