#!/bin/sh
# sparse: from which density on is a sparse matrix slower than a dense one?
#
# A sparse tensor x comes as x_indices and x_values. The setup makes the dense matrix from them, so
# both statements multiply the same numbers.
bilanx=${BILANX:-bilanx}
here=$(dirname "$0")
"$bilanx" time 'multiply_sparse(x_indices, x_values, v, out, rows)' 'multiply_dense(m, v, out, rows, columns)' \
    --source "$here/kernels.c" \
    -s 'float *m = dense_of(x_indices, x_values, rows, columns);' \
    -s 'float *v = calloc(columns, sizeof *v), *out = calloc(rows, sizeof *out)' \
    --inputs "$here/sparse.yaml" --take 12 --order-by density "$@"
