#!/bin/sh
# fuzzer: two implementations on generated inputs, ranked by where each one wins.
#
# Each row of the second table is an input. Its name says why: the size, whether the dimensions are
# permuted in memory, the steps between elements. The number is the time of sum_by_memory over that
# of sum_by_index: below 1 it wins, and the largest gains come first.
bilanx=${BILANX:-bilanx}
here=$(dirname "$0")
records=$(mktemp -d)
trap 'rm -r "$records"' EXIT
"$bilanx" time 'sum_by_index(x)' 'sum_by_memory(x)' --source "$here/kernels.c" --cflags '-O3 -ffast-math' \
    --inputs "$here/layouts.yaml" --take 20 --order-by elements --fit -o "$records/r.jsonl" "$@" || exit
echo
"$bilanx" compare "$records/r.jsonl" --transpose --ratio 'sum_by_index(x)' --sort 'sum_by_memory(x)'
