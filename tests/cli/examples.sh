#!/usr/bin/env bash
# The examples run, on few inputs and for a short time, and end in their tables.
. "$(dirname "$0")/cli.bash"
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
export BILANX BILANX_PYTHON=/usr/bin/python3 XDG_CACHE_HOME=$work/cache
unset PYTHONPATH VIRTUAL_ENV OMP_NUM_THREADS BILANX_WORKER_PROGRAM
briefly=(--max-run-time 5ms --quiet)

# shows PATTERN COMMAND...: it succeeds, says nothing on stderr, and prints a line like that.
shows() {
    local pattern=$1
    shift
    exits 0 "$@" && empty err && { cat "$work/out"; grep -qE "$pattern" "$work/out"; }
}
suite() { shows "$1" "$BILANX" run "$examples/$2" "${briefly[@]}"; }

check "simple_timeit" shows '^x \+ y +[0-9.]+ [nu]s' "$examples/simple_timeit.sh" "${briefly[@]}"
check "simple_timeit, torch" shows '^x \+ y +[0-9.]+ [nu]s' "$examples/simple_timeit_torch.sh" "${briefly[@]}"
check "compare" suite '^ +2 +n=1000 ' compare.yaml
check "compare, torch" shows 'n=1000, default .* n=1000, avx2' "$examples/compare_torch.sh" --filter 'n=1000$' "${briefly[@]}"
for which in fuzzer fuzzer_torch; do
    check "$which" shows 'grows as elements' "$examples/$which.sh" --take 3 "${briefly[@]}"
    check "... and ranks" out '^time / '
done
check "end_to_end" shows '^2 cases: ' "$examples/end_to_end.sh" --take 2 --core any --budget 300ms --quiet
check "end_to_end, torch" shows '^1 case: ' "$examples/end_to_end_torch.sh" --take 1 --core any --budget 100ms --quiet
check "op_benchmark" suite '^i32 ' op_benchmark.yaml
check "op_benchmark, torch" suite '^i32 ' op_benchmark_torch.yaml
check "spectral" shows 'grows as elements' "$examples/spectral.sh" --take 4 "${briefly[@]}"
check "spectral, torch" shows '^torch.fft.rfft\(x\): time grows' "$examples/spectral_torch.sh" --take 3 "${briefly[@]}"
check "sparse" shows '^multiply_dense' "$examples/sparse.sh" --take 3 "${briefly[@]}"
check "sparse, torch" shows '^torch.mv\(m, v\)' "$examples/sparse_torch.sh" --take 3 "${briefly[@]}"
check "every example is in the list" bash -c "cd '$examples' && for file in *; do grep -qF \"\$file\" README.md || [ \$file = README.md ] || [ \$file = meson.build ] || { echo \$file; exit 1; }; done"
check "every specification has samples" bash -c "cd '$examples' && for file in layouts operands spectral sparse; do '$BILANX' fuzz \$file.yaml --take 50 >/dev/null || exit; done"
plan
