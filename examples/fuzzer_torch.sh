#!/bin/sh
# fuzzer_torch: two ways to add up a tensor in Python, ranked by where each one wins.
#
# The inputs are those of fuzzer.sh, byte by byte. Making a tensor contiguous first pays where it is
# permuted and small, and costs a copy elsewhere.
bilanx=${BILANX:-bilanx}
here=$(dirname "$0")
records=$(mktemp -d)
trap 'rm -r "$records"' EXIT
"$bilanx" time -l python 'x.sum(0)' 'x.contiguous().sum(0)' -s 'import torch' \
    --inputs "$here/layouts.yaml" --take 20 --order-by elements --fit -o "$records/r.jsonl" "$@" || exit
echo
"$bilanx" compare "$records/r.jsonl" --transpose --ratio 'x.sum(0)' --sort 'x.contiguous().sum(0)'
