#!/usr/bin/env bash
# Statements on generated inputs: the same bytes in every language, a case per statement and sample.
. "$(dirname "$0")/time.bash"
. "$(dirname "$0")/inputs.bash"
cd "$work" || exit 1
unset PYTHONPATH VIRTUAL_ENV
python=(-l python --python /usr/bin/python3)
parts=()
for name in "${sparse[@]}"; do
    parts+=("${name}_indices" "${name}_values")
done

# The same bytes.
check "C prints its inputs" sums c.sums "$(saying "${dense[@]}" "${parts[@]}")" -g "$say_c"
check "... of every tensor" test "$(wc -l <c.sums)" = $((${#dense[@]} + ${#parts[@]}))
check "... each of which is another" test "$(cut -d' ' -f2 c.sums | sort -u | wc -l)" = "$(wc -l <c.sums)"
check "C++ gets the same" sums cpp.sums "$(saying "${dense[@]}" "${parts[@]}")" -g "$say_c" -l c++
check "... byte by byte" same_sums c.sums cpp.sums
check "and so does clang" sums clang.sums "$(saying "${dense[@]}" "${parts[@]}")" -g "$say_c" --cc clang
check "... byte by byte" same_sums c.sums clang.sums
grep -v bf16 c.sums >no_bf16.sums
mapfile -t known < <(cut -d' ' -f1 no_bf16.sums)
check "Python with numpy, which has no bf16" sums numpy.sums "$(saying "${known[@]}")" "${python[@]}" -g "import numpy
$say_python"
check "... byte by byte" same_sums no_bf16.sums numpy.sums
check "Python with DLPack" sums dlpack.sums "$(saying "${known[@]}")" "${python[@]}" -g "import numpy
$say_python" --as dlpack
check "... byte by byte" same_sums no_bf16.sums dlpack.sums
in_torch=$(saying "${dense[@]}")
for name in "${sparse[@]}"; do
    in_torch+="say('${name}_indices', $name._indices()); say('${name}_values', $name._values()); "
done
check "Python with torch" sums torch.sums "$in_torch" "${python[@]}" -g "import torch
$say_python"
check "... byte by byte" same_sums c.sums torch.sums

# Names in scope.
said() { diff - said; }
asks() { rm -f said; exits 0 "$BILANX" time "${python[@]}" --inputs every.yaml --take 1 --method timeit --number 1 --quiet "$@"; }
says='def say(*words):
    with open("said", "w") as file: print(*words, file=file)'
check "torch's tensors where the setup imports torch" asks 'say(type(plain).__module__, of_bool.dtype, of_bf16.dtype, sorted.is_coalesced(), loose.is_coalesced(), stepped.is_contiguous())' \
    -g "$says" -s 'import torch'
check "... dense and sparse" said <<<'torch torch.bool torch.bfloat16 True False False'
check "numpy's arrays where it imports numpy" asks 'plain[0] = 7; say(type(plain).__module__, of_bool.dtype, of_c128.dtype, plain[0, 0], sorted_indices.shape[0], of_bf16.dtype)' \
    -g "$says" -s 'import numpy'
check "... that can be written to" said <<<'numpy bool complex128 7.0 2 bf16'
check "objects with __dlpack__ where it imports neither" asks 'say(plain.__dlpack_device__(), plain.dtype, stepped.strides[1], of_bool.dtype, len(permuted.shape))' -g "$says"
check "... that describe them" said <<<'(1, 0) f32 3 bool 3'
check "--as chooses" asks 'say(type(plain).__module__)' -g "$says" -s 'import torch, numpy' --as numpy
check "... among them" said <<<'numpy'
check "a setup may use the names and give them new values" asks 'say(plain)' -g "$says" -s 'plain = n + plain.shape[1]'
check "... that the statement sees" said <<<"$(($(sed -n 's/.*n=\([0-9]*\).*/\1/p' <<<"n=0") + 7 + $("$BILANX" fuzz every.yaml --take 1 -o - 2>/dev/null | python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["parameters"]["n"])')))"
check "memory is freed with its last user" asks 'f()' -g 'import gc, torch, weakref
def f():
    global plain
    one, two = torch.from_dlpack(plain), torch.from_dlpack(plain)
    capsule = plain.__dlpack__()
    one[0, 0] = 5
    plain = None
    del capsule, one
    gc.collect()
    assert two[0, 0] == 5 and two.sum() == two.clone().sum()' --as dlpack
check "parameters are numbers in C" measures "
import json
assert r[0]['task']['parameters']['n'] in range(3, 10) and .5 <= r[0]['task']['parameters']['p'] <= 1.5, r[0]['task']" \
    'if (n < 3 || n > 9 || p < 0.5 || p > 1.5 || plain->shape[0] != n || bilanx_is_contiguous(stepped) || !bilanx_is_contiguous(plain)) abort();' \
    --inputs every.yaml --take 1 "${once[@]}"

# A case per statement and sample.
cat >small.yaml <<'YAML'
parameters:
  n: {loguniform: [100, 10000]}
tensors:
  x: {size: [n], probability_contiguous: 1}
YAML
sum_c='static double sum(const DLTensor *x)
{
    double s = 0;
    for (int64_t i = 0; i < x->shape[0]; i++)
        s += BILANX_AT(float, x, i);
    return s;
}'
counting_compiler cc
check "a statement is measured on every sample" measures "
assert len(r) == 6 and len({one['task']['description'] for one in r}) == 3
assert [one['task']['stmt'] for one in r].count('sum(x)') == 3
for one in r:
    inputs = one['task']['parameters']['inputs']
    n = one['task']['parameters']['n']
    assert inputs['elements'] == n and inputs['tensors']['x']['shape'] == [n] and one['task']['description'] == str(n), one['task']
    assert inputs['tensors']['x']['is_contiguous'] and (inputs['spec'], inputs['seed']) == ('small', 0), inputs
assert {one['task']['parameters']['inputs']['sample'] for one in r} == {0, 1, 2}
assert not any(w['code'] == 'optimised-away' for one in r for w in one['warnings'])" \
    'sum(x)' 'sum(x) + 1' -g "$sum_c" --inputs small.yaml --take 3 --cc "$work/cc-counted" "${quick[@]}"
check "... but compiled once" test "$(calls)" = 2
for seed in 1 2; do
    check "... whatever the samples are" exits 0 "$BILANX" time 'sum(x)' -g "$sum_c" --inputs small.yaml --take $((3 * seed)) --inputs-seed $seed \
        --cc "$work/cc-counted" "${once[@]}"
    check "... and however many" test "$(calls)" = 3
done
check "copies of a short statement have inputs, too" measures "assert r[0]['stats']['marginal'] > 0, r[0]['stats']" 'n * 3 + x->ndim' --inputs small.yaml --take 1 "${quick[@]}"
check "... so there is one piece of machine code" exits 0 "$BILANX" time 'n + 1' --inputs small.yaml --take 3 --asm "${once[@]}"
check "... to show" bash -c "[ \$(grep -c '^n + 1 \[.*:\$' '$work/out') = 1 ]"
check "few samples are columns" exits 0 "$BILANX" time 'sum(x)' 'sum(x) + 1' -g "$sum_c" --inputs small.yaml --take 3 --order-by n "${quick[@]}"
check "... and statements rows" out '^sum(x) + 1  *[0-9.]*([0-9]*) [nu]s'
check "many samples are rows" exits 0 "$BILANX" time 'sum(x)' 'sum(x) + 1' -g "$sum_c" --inputs small.yaml --take 7 --order-by elements --fit "${quick[@]}"
check "... in the order asked for" bash -c "grep -oE '^[0-9]+ ' '$work/out' | sort -nc && [ \$(grep -cE '^[0-9]+ ' '$work/out') = 7 ]"
check "... with the best of each" out 'best of its row'
check "--fit tells how time grows" out '^sum(x): time grows as elements^[01]\.'
check "as markdown, too" exits 0 "$BILANX" time 'sum(x)' -g "$sum_c" --inputs small.yaml --take 7 --format markdown "${once[@]}"
check "... a row per sample" bash -c "[ \$(grep -cE '^\| [0-9]+ ' '$work/out') = 7 ]"
check "CSV is as ever" exits 0 "$BILANX" time 'sum(x)' -g "$sum_c" --inputs small.yaml --take 2 --format csv "${once[@]}"
check "... a line per case" bash -c "[ \$(wc -l <'$work/out') = 3 ] && grep -q 'sum(x) \[' '$work/out'"
check "another seed gives other inputs" measures "
assert all(one['task']['parameters']['inputs']['seed'] == 5 for one in r)" \
    'sum(x)' -g "$sum_c" --inputs small.yaml --inputs-seed 5 --take 2 "${once[@]}"
check "... of another type" measures "assert all(one['task']['parameters']['inputs']['tensors']['x']['dtype'] == 'i16' for one in r)" \
    'BILANX_AT(int16_t, x, 0) + x->dtype.bits' --inputs small.yaml --dtype i16 --take 2 "${once[@]}"
check "a shipped specification" measures "assert r[0]['task']['description'] == '16x34x8324', r[0]['task']" \
    'x->ndim' --inputs unary --take 1 "${once[@]}"
check "Python: a case per sample" measures "assert len(r) == 3 and {one['task']['parameters']['inputs']['elements'] for one in r} == {one['task']['parameters']['n'] for one in r}" \
    'x.sum()' "${python[@]}" -s 'import numpy' --inputs small.yaml --take 3 "${quick[@]}"

# Counting.
counts() { exits 0 "$BILANX" count "$@" --quiet --overwrite -o "$work/r.jsonl" && records "$work/r.jsonl" "
per = {one['task']['parameters']['n']: one['counts']['per_iteration'] for one in r}
print(per)
least, most = min(per), max(per)
assert len(per) == 2 and 1 < (per[most] - per[least]) / (most - least) < 400, per"; }
check "instructions grow with the inputs" counts 'sum(x)' -g "$sum_c" --inputs small.yaml --take 2
check "... in Python, too" counts 's = sum(range(n))' "${python[@]}" --inputs small.yaml --take 2
check "--baseline is one case" exits 0 "$BILANX" count 'n + 1' --inputs small.yaml --take 2 --baseline --quiet
check "... without inputs" bash -c "[ \$(grep -c 'deterministic' '$work/out') = 3 ] && grep -qF '(empty loop)' '$work/out'"
check "time and instructions" exits 0 "$BILANX" time 'sum(x)' -g "$sum_c" --inputs small.yaml --take 2 --count "${once[@]}"
check "... are two tables" out '^instructions'

# Two sides.
check "sides see the same bytes" bash -c "rm -f '$SUMS'; '$BILANX' ab --A 'cc:gcc -O1' --B 'cc:gcc -O2' --stmt 'plain->ndim' -s 'say(\"plain\", plain)' -g '${say_c//\'/}' \
    --inputs every.yaml --take 1 --core any --budget 200ms --quiet && [ \$(sort -u '$SUMS' | wc -l) = 1 ] && grep -qF \"\$(head -n 1 '$SUMS')\" c.sums"
check "... in one process, each in its own memory" bash -c "rm -f said; '$BILANX' ab --A 'cc:gcc -O1' --B 'cc:gcc -O2' --stmt 'BILANX_AT(float, x, 0) += 1' \
    -g '#include <unistd.h>' -s 'FILE *file = fopen(\"said\", \"a\"); fprintf(file, \"%d %p %g\\n\", (int)getpid(), x->data, BILANX_AT(float, x, 0)); fclose(file)' \
    --inputs small.yaml --take 1 --core any --budget 200ms --quiet
    python3 - <<'PYTHON'
lines = [line.split() for line in open('said')]
by_process = {}
for process, address, value in lines:
    by_process.setdefault(process, set()).add(address)
assert len({value for _, _, value in lines}) == 1, lines
assert any(len(addresses) == 2 for addresses in by_process.values()), lines
PYTHON"
check "a verdict per sample" bash -c "'$BILANX' ab --A 'cc:gcc -O1' --B 'cc:gcc -O1 -DTWICE' --stmt 'sum(x)' -g '${sum_c/return s/
#ifdef TWICE
    for (int64_t i = 0; i < x->shape[0]; i++)
        s += BILANX_AT(float, x, i);
#endif
    return s}' --inputs small.yaml --take 2 --core any --budget 20 --quiet --overwrite -o r.jsonl"
check "... of the same name on both sides" records r.jsonl "
assert [one['verdict'] for one in r] == ['slower', 'slower'] and len({one['task']['description'] for one in r}) == 2, r"
check "in environments of Python" bash -c "'$BILANX' ab --A 'export WHICH=1' --B 'export WHICH=2' --stmt 'say(\"plain\", plain)' -l python --python /usr/bin/python3 -g 'import numpy
$say_python' --inputs every.yaml --take 1 --core any --budget 200ms --quiet; grep -qF \"\$(tail -n 1 '$SUMS')\" c.sums"

# Suites.
mkdir -p suite
cp small.yaml suite/
cat >suite/suite.yaml <<YAML
defaults:
  inputs: {spec: small.yaml, take: 2, order_by: n, seed: 3}
  global_setup: {c: $(python3 -c 'import json, sys; print(json.dumps(sys.argv[1]))' "$sum_c"), python: import numpy}
benchmarks:
  sum:
    stmt: {c: sum(x), python: x.sum()}
YAML
check "a suite has cases for samples" exits 0 "$BILANX" run suite/suite.yaml --list
check "... in each language" bash -c "[ \$(grep -cE '^sum/[0-9]+(/Python)?$' '$work/out') = 4 ]"
check "... and measures them" exits 0 "$BILANX" run suite/suite.yaml --python /usr/bin/python3 "${once[@]}" --overwrite -o suite.jsonl
check "... on the same inputs" records suite.jsonl "
assert len(r) == 4 and len({json.dumps(one['task']['parameters']) for one in r}) == 2, r
assert all(one['kind'] == 'measurement' and one['task']['parameters']['inputs']['seed'] == 3 for one in r)"
check "--fit in a suite" exits 0 "$BILANX" run suite/suite.yaml --no-lang python --fit "${once[@]}"
check "... asks for more samples" out '^sum.*: needs three values of elements to show how time grows'
check "... or tells how time grows" bash -c "sed 's/take: 2/take: 4/' suite/suite.yaml >suite/more.yaml; '$BILANX' run suite/more.yaml --no-lang python --fit ${once[*]} | grep -q '^sum.*: time grows as elements^'"
printf 'benchmarks:\n  a: {stmt: 1 + 1}\n' >suite/none.yaml
check "--fit in a suite without inputs" exits 0 "$BILANX" run suite/none.yaml --fit "${once[@]}"
check "... tells so" err '^bilanx: --fit: no case with inputs was measured'
check "--fit without times" exits 2 "$BILANX" run suite/none.yaml --fit --count --no-time
check "--expand has the sample" bash -c "'$BILANX' run suite/suite.yaml --expand | python3 -c 'import json, sys; assert all(\"n=\" in json.loads(line)[\"inputs\"] for line in sys.stdin)'"

# Mistakes.
bad() { local text=$1; shift; exits 2 "$BILANX" time "$@" --quiet && err "$text"; }
failed() { local text=$1; shift; exits 1 "$BILANX" time "$@" --quiet && err "$text"; }
check "an unknown specification" failed "did you mean 'unary'" 'x' --inputs unray
check "no file" failed 'nowhere.yaml' 'x' --inputs nowhere.yaml
check "stdin" bad 'cannot come from stdin' 'x' --inputs -
check "--take without inputs" bad '\--take needs --inputs' 'x' --take 3
check "--fit without inputs" bad '\--fit needs --inputs' 'x' --fit
check "--as in C" bad '\--as only applies to Python' 'x' --inputs unary --as torch
check "an unknown parameter" bad "did you mean 'k0'" 'x' --inputs unary --order-by k0_
check "a type that is none" failed "f33" 'x' --inputs unary --dtype f33
check "a seed that is none" bad 'whole number' 'x' --inputs unary --inputs-seed x
check "a variable of the setup with the name of a tensor" fault compile-failed compile "'x' is an input" 'x[0]' -s 'float x[3]' --inputs small.yaml --take 1
check "... in C++" fault compile-failed compile "'x' is an input" 'x[0]' -l c++ -s 'float x[3]' --inputs small.yaml --take 1
check "... and in a macro of the statement nothing" exits 0 "$BILANX" time 'N + 1' -g '#define N x->shape[0]' --inputs small.yaml --take 1 "${once[@]}"
check "a compiler without DLPack" fault compile-failed compile 'libdlpack-dev' 'x->ndim' --cc musl-gcc --inputs small.yaml --take 1
sed 's/ x:/ x-1:/' small.yaml >dash.yaml
sed 's/ x:/ class:/' small.yaml >class.yaml
check "a tensor whose name is no name" failed "dash.yaml:4:3: 'x-1' cannot name a tensor" '1' --inputs dash.yaml
check "... or a word of the language" failed "'class', which is a word" '1' -l c++ --inputs class.yaml
check "... of that language alone" exits 0 "$BILANX" time 'class->ndim' --inputs class.yaml --take 1 "${once[@]}"
echo 'tensors: {x: {size: [1000000000, 1000], dtype: f64}}' >large.yaml
check "inputs that are too large" fault out-of-memory setup 'more than the' 'x->ndim' --inputs large.yaml --take 1
if command -v pypy3 >/dev/null; then
    check "an interpreter without the extension" fault failed setup 'can load the extension' 'x' -l python --python pypy3 --inputs small.yaml --take 1 "${once[@]}"
fi
check "a suite's mistake has its place" bash -c "sed 's/small.yaml/none.yaml/' suite/suite.yaml >suite/bad.yaml; ! '$BILANX' run suite/bad.yaml --list 2>err && grep -q 'bad.yaml:2:18: .*none.yaml' err"
plan
