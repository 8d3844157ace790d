# Shared by tests of inputs: a specification of every kind of tensor, and in each language a function
# say(name, tensor) that adds a line to $SUMS: the name, and a digest of the bytes in logical order.
export SUMS=$work/sums
types='f16 bf16 f32 f64 c64 c128 i8 i16 i32 i64 u8 bool'
{
    echo 'seed: 11
parameters:
  n: {uniform: [3, 9]}
  p: {uniform: [0.5, 1.5]}
tensors:
  plain: {size: [n, 7], probability_contiguous: 1}
  stepped: {size: [n, 5], steps: [2, 3], probability_contiguous: 1}
  permuted: {size: [3, n, 4], probability_contiguous: 0}
  both: {size: [n, 2, 3], steps: [1, 4, 2], probability_contiguous: 0}
  sorted: {size: [n, 6], sparse: {sparse_dim: 2, density: 0.5, coalesced: true}}
  loose: {size: [n, 4], sparse: {sparse_dim: 1, nnz: 5, coalesced: false}}'
    for type in $types; do
        echo "  of_$type: {size: [n, 3], dtype: $type, probability_contiguous: 0}"
    done
} >"$work/every.yaml"
dense=(plain stepped permuted both)
for type in $types; do
    dense+=("of_$type")
done
sparse=(sorted loose)

say_c='#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
static void say(const char *name, const DLTensor *x)
{
    uint64_t hash = 14695981039346656037u;
    int64_t index[16] = {0}, size = x->dtype.bits / 8;
    for (int64_t i = 0; i < bilanx_elements(x); i++) {
        const unsigned char *at = BILANX_DATA(unsigned char, x) + size * bilanx_position(x, index);
        for (int64_t j = 0; j < size; j++)
            hash = (hash ^ at[j]) * 1099511628211u;
        for (int d = x->ndim - 1; d >= 0 && ++index[d] == x->shape[d]; d--)
            index[d] = 0;
    }
    FILE *file = fopen(getenv("SUMS"), "a");
    fprintf(file, "%s %016" PRIx64 "\n", name, hash);
    fclose(file);
}'
say_torch='static void say(const char *name, at::Tensor x)
{
    uint64_t hash = 14695981039346656037u;
    x = x.contiguous();
    for (size_t i = 0; i < x.nbytes(); i++)
        hash = (hash ^ static_cast<unsigned char *>(x.data_ptr())[i]) * 1099511628211u;
    FILE *file = fopen(getenv("SUMS"), "a");
    fprintf(file, "%s %016lx\n", name, (unsigned long)hash);
    fclose(file);
}'
say_python='import ctypes, os
def say(name, x):
    if hasattr(x, "data_ptr"):
        x = x.contiguous()
        data = ctypes.string_at(x.data_ptr(), x.numel() * x.element_size())
    else:
        data = (x if hasattr(x, "tobytes") else numpy.from_dlpack(x)).tobytes()
    total = 14695981039346656037
    for byte in data:
        total = (total ^ byte) * 1099511628211 % 2 ** 64
    with open(os.environ["SUMS"], "a") as file:
        file.write("%s %016x\n" % (name, total))'

# saying NAME...: the statement that says each of them, in C, C++ and Python.
saying() { for name; do printf 'say("%s", %s); ' "$name" "$name"; done; }

# sums FILE ARGUMENT...: runs `bilanx time` on one sample, and keeps what its statement said.
sums() {
    local file=$1
    shift
    rm -f "$SUMS"
    exits 0 "$BILANX" time "$@" --inputs "$work/every.yaml" --take 1 --method timeit --number 1 --quiet && sort -u "$SUMS" >"$file"
}
same_sums() { [ "$(wc -l <"$1")" -gt 0 ] && diff "$1" "$2"; }
