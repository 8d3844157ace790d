#!/bin/sh
# fuzzer_torch: two ways to add up squares in Python, ranked by where each one wins.
#
# The inputs are those of fuzzer.sh, byte by byte. A dot product reads a contiguous tensor once; any
# other has to be copied first, and multiplying in place is faster.
bilanx=${BILANX:-bilanx}
here=$(dirname "$0")
records=$(mktemp -d)
trap 'rm -r "$records"' EXIT
"$bilanx" time -l python '(x * x).sum()' 'torch.dot(x.flatten(), x.flatten())' -s 'import torch' \
    --inputs "$here/layouts.yaml" --take 20 --order-by elements --fit -o "$records/r.jsonl" "$@" || exit
echo
"$bilanx" compare "$records/r.jsonl" --transpose --ratio '(x * x).sum()' \
    --sort 'torch.dot(x.flatten(), x.flatten())'
