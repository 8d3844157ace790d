// npy: numpy's format, version 1.0: a magic number, a header in Python's syntax, the elements.
#include "npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "base/text.h"
#include "dtype.h"
#include "tensor.h"
#include "walk.h"

enum { PIECE = 4096, LARGEST = 16 };  // elements; bytes of one
enum { PREFIX = 10, UNIT = 64 };      // bytes: before the header, and what its end is aligned to

static const struct output_kind npy_file = {.name = "an array of numpy", .starts = "\x93NUMPY"};

static void add_header(struct text *out, const DLTensor *tensor, const struct dtype *dtype)
{
    static const char native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    text_format(out, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                dtype->size == 1 ? '|' : native, dtype->npy);
    for (int d = 0; d < tensor->ndim; d++)
        text_format(out, "%" PRId64 ",%s", tensor->shape[d], d + 1 < tensor->ndim ? " " : "");
    text_add(out, "), }");
    text_add_repeated(out, " ", UNIT - 1 - (PREFIX + out->size) % UNIT);
    text_add_char(out, '\n');
}

static void write_header(FILE *file, const DLTensor *tensor, const struct dtype *dtype)
{
    AUTO(text) struct text header = {0};
    add_header(&header, tensor, dtype);
    const unsigned char prefix[PREFIX] = {0x93,
                                          'N',
                                          'U',
                                          'M',
                                          'P',
                                          'Y',
                                          1,
                                          0,
                                          (unsigned char)(header.size & 0xFF),
                                          (unsigned char)(header.size >> 8)};
    fwrite(prefix, 1, PREFIX, file);
    fwrite(header.data, 1, header.size, file);
}

// Every bf16 is a float whose lower half is 0.
static void write_bf16(FILE *file, const uint16_t *elements, size_t count)
{
    uint32_t wide[PIECE];
    for (size_t i = 0; i < count; i++)
        wide[i] = (uint32_t)elements[i] << 16;
    fwrite(wide, sizeof *wide, count, file);
}

static void write_elements(FILE *file, const DLTensor *tensor, const struct dtype *dtype)
{
    struct walk_packer packer;
    uint64_t piece[PIECE * LARGEST / sizeof(uint64_t)];
    size_t count;
    walk_pack_start(&packer, tensor);
    while ((count = walk_pack(&packer, PIECE, piece)) > 0) {
        if (dtype->type.code == kDLBfloat)
            write_bf16(file, (const uint16_t *)(const void *)piece, count);
        else
            fwrite(piece, dtype->size, count, file);
    }
}

struct bilanx_error npy_save(const DLTensor *tensor, bool is_bool, const char *path)
{
    BILANX_TRY(tensor_check_foreign(tensor));
    const struct dtype *dtype = dtype_of(tensor->dtype, is_bool);
    if (!dtype)
        dtype = dtype_of(tensor->dtype, false);
    AUTO(draft) struct draft draft = {0};
    BILANX_TRY(output_replace(path, &npy_file, OUTPUT_REPLACE, &draft));
    write_header(draft.file, tensor, dtype);
    write_elements(draft.file, tensor, dtype);
    return draft_commit(&draft);
}
