#!/usr/bin/env bash
# bilanx fuzz: what it prints and writes, the examples of the documentation, and its mistakes.
. "$(dirname "$0")/cli.bash"
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work" || exit 1
unset COLUMNS

cat >s.yaml <<'YAML'
parameters:
  k0: {loguniform: [16, 1024]}
  any: {uniform: [0.0, 1.0]}
  share: {choices: {any: 0.5, 0.25: 0.5}}
tensors:
  x: {size: [k0, 3], steps: [1, 2]}
  y: {size: [k0, 8], sparse: {density: 0.1, sparse_dim: 1}, dtype: f64}
constraints: [k0 % 8 == 0]
YAML
fuzz() { exits 0 "$BILANX" fuzz "$@"; }

# samples CODE: runs Python with the samples of the last command as s.
samples() {
    python3 - "$work/${file:-out}" "$1" <<'PYTHON'
import json, sys
s = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]
exec(sys.argv[2])
PYTHON
}

check "a table" fuzz s.yaml --take 3
check "... with parameters, tensors and attempts" out '^sample  *k0  *share  x .*y .*rejected$'
check "... a row each" bash -c '[ "$(grep -c "^ *[0-9]* .*f32" out)" = 3 ]'
check "... and the rejection rate" out '^s, seed 0: [0-9.]* % of all attempts were rejected$'
check "... 10 rows by default" bash -c '[ "$("$BILANX" fuzz s.yaml | grep -c f32)" = 10 ]'
check "parameters that only others use are hidden" bash -c '! grep -qw any out'
check "... but not with --all" fuzz s.yaml --all
check "... it is there" out '^sample *k0 *any *share'
check "-q leaves the table" fuzz s.yaml --take 3 -q
check "... alone" bash -c '[ "$(wc -l <out)" = 4 ]'
check "--format markdown" fuzz s.yaml --take 2 --format markdown
check "... is a table" out '^| *sample |'
check "--format csv" fuzz s.yaml --take 2 --format csv
check "... has every column" out '^sample,k0,any,share,x_shape,x_strides,x_steps,x_order,x_dtype,x_numel,x_is_contiguous,y_shape,.*rejected'
check "... one value each" out '^0,[0-9]*,0[.][0-9]*,0[.][0-9]*,[0-9]*x3,[0-9]*x[0-9]*,1x2,[01]x[01],f32,[0-9]*,false,'
check "no colour without a terminal" bash -c '! grep -q $'"'\\033'"' out'
check "... unless asked for" fuzz s.yaml --color always
check "... it has" grep -q $'\033' out

for columns in 60 80 100 140; do
    for arguments in 'binary --take 4' 'unary --data --take 2' 'sparse_binary --take 2 --seed 4294967295'; do
        # shellcheck disable=SC2086
        check "$arguments fits $columns columns" fits $columns fuzz $arguments
        # shellcheck disable=SC2086
        check "... with every column" same_words $columns fuzz $arguments
    done
done

check "-o - writes JSON" fuzz s.yaml --take 3 -o -
check "... a line per sample, with these keys" samples '
assert len(s) == 3
for one in s:
    assert list(one) == ["parameters", "tensors", "rejected"], one
    assert list(one["parameters"]) == ["k0", "any", "share"] and one["parameters"]["k0"] % 8 == 0
    x, y = one["tensors"]["x"], one["tensors"]["y"]
    assert list(x) == ["shape", "strides", "steps", "order", "dtype", "numel", "is_contiguous"], x
    assert x["shape"] == [one["parameters"]["k0"], 3] and x["steps"] == [1, 2] and x["numel"] == 3 * x["shape"][0]
    assert list(y)[7:] == ["sparse_dim", "dense_dim", "nnz", "is_coalesced"], y
    assert y["dtype"] == "f64" and (y["sparse_dim"], y["dense_dim"]) == (1, 1)
    assert isinstance(one["parameters"]["any"], float)
assert sum(one["rejected"] for one in s) > 0'
check "--format json is the same" bash -c '"$BILANX" fuzz s.yaml --take 3 --format json | diff - out'
check "again gives the same" bash -c '"$BILANX" fuzz s.yaml --take 3 -o - | diff - out'
check "... from stdin too" bash -c '"$BILANX" fuzz - --take 3 -o - <s.yaml | diff - out'
check "--skip starts later" bash -c 'diff <("$BILANX" fuzz s.yaml --skip 2 --take 1 -o -) <(tail -n1 out)'
check "another seed gives others" bash -c '! "$BILANX" fuzz s.yaml --take 3 --seed 1 -o - | cmp -s - out'
check "the largest seed" fuzz s.yaml --seed 4294967295
check "... and no larger one" exits 2 "$BILANX" fuzz s.yaml --seed 4294967296
check "... it says" err 'must be below 2^32'
check "no sample at all" fuzz s.yaml --take 0 -o -
check "... is nothing" empty out

check "-o FILE writes them and shows the table" fuzz s.yaml --take 3 -o a.jsonl
check "... both" bash -c 'grep -q f32 out && diff <("$BILANX" fuzz s.yaml --take 3 -o -) a.jsonl'
check "samples are not replaced silently" exits 2 "$BILANX" fuzz s.yaml -o a.jsonl
check "... it says" err "a.jsonl' already contains samples: --append adds to them, --overwrite replaces them"
check "--append adds" fuzz s.yaml --take 1 -o a.jsonl --append
check "... one" bash -c '[ "$(wc -l <a.jsonl)" = 4 ]'
check "--overwrite replaces" fuzz s.yaml --take 1 -o a.jsonl --overwrite
check "... all" bash -c '[ "$(wc -l <a.jsonl)" = 1 ]'
check "not both" exits 2 "$BILANX" fuzz s.yaml -o a.jsonl --append --overwrite
check "neither without a file" exits 2 "$BILANX" fuzz s.yaml --append
echo 'int f(void);' >f.c
check "other files are not replaced" exits 2 "$BILANX" fuzz s.yaml -o f.c --overwrite
check "... nor the specification" exits 2 "$BILANX" fuzz s.yaml -o s.yaml --overwrite
check "... and are as before" bash -c 'grep -q "int f" f.c && grep -q loguniform s.yaml'
check "a full disk is noticed" exits 1 "$BILANX" fuzz s.yaml -o /dev/full

check "--data summarises" fuzz s.yaml --take 2 --data
check "... each tensor and part" out '^ *0  y values '
check "--data as JSON" fuzz s.yaml --take 2 --data -o -
check "... has min, max, mean and a checksum" samples '
for one in s:
    data = one["tensors"]["x"]["data"]
    assert 0 <= data["min"] < data["mean"] < data["max"] < 1 and len(data["checksum"]) == 16 and data["nan"] == 0, data
    indices = one["tensors"]["y"]["data"]["indices"]
    assert 0 <= indices["min"] <= indices["max"] < one["tensors"]["y"]["shape"][0], indices
    values = one["tensors"]["y"]["data"]["values"]
    assert 0 <= values["min"] < values["max"] < 1 and values["checksum"] != indices["checksum"], values
assert s[0]["tensors"]["x"]["data"]["checksum"] != s[1]["tensors"]["x"]["data"]["checksum"]'
check "--save writes files" fuzz s.yaml --take 2 --save made --data -o d.jsonl
file=d.jsonl check "... that numpy opens" /usr/bin/python3 - <<'PYTHON'
import json
import numpy as np
for i, line in enumerate(open("d.jsonl", encoding="utf-8")):
    one = json.loads(line)["tensors"]
    x = np.load(f"made/{i}_x.npy")
    assert list(x.shape) == one["x"]["shape"] and x.dtype == np.float32
    data = one["x"]["data"]
    assert abs(x.mean(dtype=np.float64) - data["mean"]) < 1e-9 and x.min() == np.float32(data["min"]), data
    indices, values = np.load(f"made/{i}_y_indices.npy"), np.load(f"made/{i}_y_values.npy")
    assert indices.shape == (1, one["y"]["nnz"]) and values.shape == (one["y"]["nnz"], 8) and values.dtype == np.float64
    assert len(set(indices[0])) == one["y"]["nnz"]
PYTHON
check "... again" fuzz s.yaml --take 2 --save made
check "nothing is made without them" python3 -c '
import os, resource, subprocess
subprocess.run([os.environ["BILANX"], "fuzz", "unary", "--take", "100"], check=True, stdout=subprocess.DEVNULL)
assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 100000  # kB'

check "--list names the shipped specifications" fuzz --list
for name in unary binary spectral sparse_unary sparse_binary; do
    check "$name is listed" grep -q "^$name  " <("$BILANX" fuzz --list)
    check "$name draws" fuzz $name --take 20 -q
    check "--print prints $name" bash -c "\"\$BILANX\" fuzz $name --print | diff - '$root/suites/fuzzers/$name.yaml'"
    check "... which draws the same" bash -c "diff <(\"\$BILANX\" fuzz $name -o -) <(\"\$BILANX\" fuzz $name --print | \"\$BILANX\" fuzz - -o -)"
done
check "--print only accepts shipped specifications" exits 2 "$BILANX" fuzz s.yaml --print
check "--dtype is that of all tensors" fuzz binary --take 5 --dtype f16 -o -
check "... and counts for limits in bytes" samples '
assert all(t["dtype"] == "f16" for one in s for t in one["tensors"].values()), s'
check "... a type that is none" exits 1 "$BILANX" fuzz unary --dtype f33
check "... has a nearest" err "unary.yaml:[0-9]*:3: unknown dtype 'f33' (did you mean 'f32'?)"
echo 'tensors: {i: {size: 4, dtype: i64, fill: permutation}}' >integers.yaml
check "... one that cannot hold what it should" exits 1 "$BILANX" fuzz integers.yaml --dtype f32
check "... it says" err "of dtype f32 cannot be filled with 'permutation'"
check "compat none draws other steps for y" bash -c '
! cmp -s <("$BILANX" fuzz binary -o -) <("$BILANX" fuzz binary --compat none -o -) &&
cmp <("$BILANX" fuzz unary -o -) <("$BILANX" fuzz unary --compat none -o -)'

check "a specification is needed" exits 2 "$BILANX" fuzz
check "... and only one" exits 2 "$BILANX" fuzz unary binary
check "a name that is none" exits 1 "$BILANX" fuzz unery
check "... with the nearest" err "there is no specification 'unery' (did you mean 'unary'?)"
mkfifo fifo
check "a FIFO" exits 1 "$BILANX" fuzz ./fifo
check "... is not waited for" err 'it is a FIFO'
check "a file that is not there" exits 1 "$BILANX" fuzz nowhere.yaml
check "... with the reason" err "cannot open 'nowhere.yaml': No such file"
printf 'parameters:\n  "a\\e[31m": 1\n' >escape.yaml
check "escapes are shown harmlessly" exits 1 "$BILANX" fuzz escape.yaml
check "... as text" bash -c "! grep -q \$'\033' err"
check "--help" fuzz --help
check "... has examples" out 'bilanx fuzz unary --take 5'

# mistake TEXT MESSAGE: the specification is refused with file, line and column.
mistake() {
    printf '%b' "$1" >wrong.yaml
    exits 1 "$BILANX" fuzz wrong.yaml --take 50 "${@:3}" && err "bilanx: wrong.yaml:$2"
}
check "sizes that overflow" mistake 'tensors:\n  x: {size: [4294967296, 4294967296]}\n' "2:13: .*2^63 elements or more: set 'max_elements'"
check "2^63 elements" mistake 'tensors:\n  x: {size: [2, 4611686018427387904]}\n' '2:13: .*2^63 elements'
check "a dimension of 0" mistake 'tensors:\n  x: {size: [4, 0]}\n' "2:17: .*start at 1, or allow it with 'empty: true'"
check "no dimensions" mistake 'tensors:\n  x: {size: []}\n' "2:13: .*no dimensions: write 'size: \\[1\\]'"
check "dim 0" mistake 'parameters: {d: {uniform: [0, 3]}}\ntensors:\n  x: {size: [4, 4], dim: d}\n' '3:26: .*from 1 to 16'
check "probabilities that do not sum to 1" mistake 'parameters:\n  a: {choices: {1: 0.5, 2: 0.6}}\n' '2:16: .*sum to 1.1 instead of 1'
check "an alias cycle" mistake 'parameters:\n  a: {choices: [b]}\n  b: {choices: [a]}\n' '3:17: .*circle: a -> b -> a'
check "a name used twice" mistake 'parameters:\n  a: 1\ntensors:\n  a: {size: 1}\n' '4:3: .*rename one'
check "a key given twice" mistake 'parameters:\n  a: 1\n  a: 2\n' '3:3: '
check "an unknown parameter" mistake 'parameters: {kind: 1}\ntensors:\n  x: {size: [knd]}\n' "3:14: .*did you mean 'kind'"
check "bounds reversed" mistake 'parameters:\n  a: {uniform: [2, 1]}\n' '2:16: .*write the lower one first'
check "an impossible specification" mistake 'parameters:\n  a: {uniform: [1, 9]}\nconstraints:\n  - a > 9\n' "4:5: .*the constraint 'a > 9' rejected 1000"
check "more memory than there is" mistake 'tensors:\n  x: {size: [1000000, 1000000, 1000]}\n' "2:3: tensor 'x': .*set 'max_bytes'" --data
check "... but it can be described" fuzz wrong.yaml
check "an expression with a mistake" mistake 'parameters: {a: 1}\nconstraints:\n  - a > 1 &&\n' "3:11: .*use 'and'"
printf 'parameters: {a: {choices: [0, 1], strict: true}}\nconstraints: [a]\n' >sometimes.yaml
check "samples drawn before are shown" exits 1 "$BILANX" fuzz sometimes.yaml --take 50
check "... as a table" out '^ *0  1 '

# Every example of the documentation is a specification followed by its samples, and every key has one.
check "the examples of the documentation are right" python3 - "$BILANX" "$root" <<'PYTHON'
import re, subprocess, sys
bilanx, root = sys.argv[1:]
text = open(f'{root}/docs/formats/fuzzer.md', encoding='utf-8').read()
examples = re.findall(r'```yaml\n(.*?)```\n```text\n(.*?)```', text, re.S)
assert len(examples) == text.count('```yaml') > 7, len(examples)
for yaml, table in examples:
    run = subprocess.run([bilanx, 'fuzz', '-', '--take', '3', '-q'], input=yaml, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, table), (yaml, run)
keys = set(re.findall(r'^    \{"([a-z_]+)", YAML_AS', open(f'{root}/src/inputs/fuzzer/spec_keys.c').read(), re.M))
shown = '\n'.join(yaml for yaml, _ in examples)
missing = [key for key in keys if not re.search(rf'(?<!\w){key}:', shown)]
assert len(keys) > 25 and not missing, missing
PYTHON

plan
