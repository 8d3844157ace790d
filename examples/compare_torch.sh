#!/bin/sh
# compare_torch: implementations x sizes x threads x environments in Python, ending in a table.
#
# The environments are two sets of kernels of one PyTorch; two virtual environments work the same
# way. Each file of records becomes a column.
bilanx=${BILANX:-bilanx}
here=$(dirname "$0")
records=$(mktemp -d)
trap 'rm -r "$records"' EXIT
for kernels in default avx2; do
    ATEN_CPU_CAPABILITY=$kernels "$bilanx" run "$here/compare_torch.yaml" -o "$records/$kernels.jsonl" "$@" >"$records/table" || exit
done
"$bilanx" compare "$records/default.jsonl" "$records/avx2.jsonl"
