#!/usr/bin/env bash
# Suites: what `bilanx run` shows, the examples of the documentation, and the suites that ship.
. "$(dirname "$0")/cli.bash"
: "${GROUPED:?the example}"
root=$(cd "$(dirname "$0")/../.." && pwd)

cat >"$work/s.yaml" <<'YAML'
benchmarks:
  add: {stmt: {c: x + 1, python: x + 1, c++: x + 1}, tags: quick}
  copy:
    each: {n: [1, 2]}
    stmt: {c: "f($n)"}
    tags: [slow, "quick"]
YAML
list() { exits 0 "$BILANX" run "$work/s.yaml" --list "$@" && tr '\n' ' ' <"$work/out"; }
lists() { local wanted=$1; shift; list "$@" >"$work/listed" && [ "$(cat "$work/listed")" = "$wanted" ]; }

check "--list names the cases" lists 'add/Python add/C++ add copy/n=1 copy/n=2 '
check "--filter selects by name" lists 'copy/n=2 ' --filter 'n=2$'
check "--tag selects by tag" lists 'copy/n=1 copy/n=2 ' --tag slow
check "... one of several tags is enough" lists 'add/Python add/C++ add copy/n=1 copy/n=2 ' --tag slow --tag quick
check "--no-lang leaves languages out" lists 'add copy/n=1 copy/n=2 ' --no-lang python --no-lang c++
check "an unknown language is rejected" exits 2 "$BILANX" run "$work/s.yaml" --list --no-lang pyhton
check "... with a suggestion" err "did you mean 'python'"
check "a filter without a match fails" exits 1 "$BILANX" run "$work/s.yaml" --list --filter zzz
check "... and says so" err 'no cases match'
check "--expand prints JSON" exits 0 "$BILANX" run "$work/s.yaml" --expand --filter 'n=2'
check "... for the whole case" python3 -c "
import json
case, = [json.loads(line) for line in open('$work/out')]
assert case['name'] == 'copy/n=2' and case['task'] == {'stmt': 'f(2)', 'language': 'c', 'label': 'copy', 'sub_label': 'copy',
    'description': 'n=2', 'num_threads': 1, 'parameters': {'n': 2}}, case
assert (case['suite'], case['line'], case['column'], case['tags']) == ('s', 3, 3, ['slow', 'quick']), case"
check "- reads stdin" bash -c "'$BILANX' run - --list <'$work/s.yaml' | diff - <('$BILANX' run '$work/s.yaml' --list)"
cp "$work/s.yaml" "$work/plain"
check "a suite is recognised by its content" exits 0 "$BILANX" run "$work/plain" --list
check "several suites form one list" exits 0 "$BILANX" run "$work/s.yaml" "$root/suites/machine.yaml" --list
check "the same suite twice is an error" exits 1 "$BILANX" run "$work/s.yaml" "$work/plain" --list
check "... with both positions" err "plain:2:3: 'add/Python' is defined twice, the first is 'add/Python' of .*s.yaml:2"
check "a program is still recognised as a program" exits 0 "$BILANX" run "$GOOD" --list --filter copy
check "a suite and a program together are rejected" exits 2 "$BILANX" run "$work/s.yaml" "$GOOD" --list
check "--expand with a program is rejected" exits 2 "$BILANX" run "$GOOD" --expand
printf 'benchmarks:\n  a: {stmnt: x}\n' >"$work/wrong.yaml"
check "a mistake is an error" exits 1 "$BILANX" run "$work/wrong.yaml" --list
check "... with file, line, column and a suggestion" \
    err "wrong.yaml:2:7: unknown key 'stmnt' (did you mean 'stmt'?)"
check "a missing file is named" exits 1 "$BILANX" run "$work/nowhere.yaml" --list
check "... with the reason" err "cannot open '.*nowhere.yaml': No such file"
printf 'benchmarks:\n  "a\\e[31m": {stmt: x}\n' >"$work/escape.yaml"
check "--list escapes control characters" exits 0 "$BILANX" run "$work/escape.yaml" --list
check "... and prints the rest" grep -qxF 'a\x1b[31m' "$work/out"
printf 'benchmarks:\n  "a\\e[31m": {stmnt: x}\n' >"$work/escape.yaml"
check "messages escape them, too" exits 1 "$BILANX" run "$work/escape.yaml" --list
check "... and print the rest" bash -c "! grep -q \$'\033' '$work/err'"

# Every example in the documentation is a suite followed by its cases, and every key has one.
check "the examples in the documentation are correct" python3 - "$BILANX" "$root" "$work" <<'PYTHON'
import os, re, subprocess, sys
bilanx, root, work = sys.argv[1:]
text = open(f'{root}/docs/formats/suite.md', encoding='utf-8').read()
examples = re.findall(r'(?:<!-- (\S+) -->\n)?```yaml\n(.*?)```\n```text\n(.*?)```', text, re.S)
assert len(examples) == text.count('```yaml') > 10, len(examples)
folder = f'{work}/doc'
os.mkdir(folder)
for name, yaml, names in examples:
    path = f'{folder}/{name or "example.yaml"}'
    with open(path, 'w', encoding='utf-8') as file:
        file.write(yaml)
    run = subprocess.run([bilanx, 'run', path, '--list'], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, names), (yaml, run)
keys = set(re.findall(r'^    \{"([a-z_+]+)", YAML_AS', open(f'{root}/src/sources/suites/entry_keys.c').read(), re.M))
shown = '\n'.join(yaml for _, yaml, _ in examples)
missing = [key for key in keys if not re.search(rf'(?<!\w){re.escape(key)}:', shown)]
assert len(keys) > 30 and not missing, missing
PYTHON

# The example in C.
check "the example expands" exits 0 "$GROUPED"
check "... to sixteen cases" python3 -c "
import json
cases = [json.loads(line) for line in open('$work/out')]
assert len({(c['language'], c['mode'], c['autograd'], c['threads']) for c in cases}) == len(cases) == 16
assert len({c['model']['name'] for c in cases if c['mode'] == 'torchscript'}) == 1"

# The suites that ship.
for suite in machine blas dispatch torch/overrides torch/standard; do
    check "$suite can be expanded" exits 0 "$BILANX" run "$root/suites/$suite.yaml" --expand
done
check "torch/standard covers the intended cases" python3 -c "
import json
cases = [json.loads(line) for line in open('$work/out')]
assert len({c['label'] for c in cases}) >= 72
assert len({(c['label'], c['language'], c['mode'], c['autograd'], c['threads']) for c in cases}) >= 181"
check "machine is only C, and short enough" bash -c "
[ \$('$BILANX' run '$root/suites/machine.yaml' --list --no-lang c++ --no-lang python | tee '$work/m' | wc -l) -le 65 ] &&
[ \$(wc -l <'$work/m') -ge 40 ] && diff '$work/m' <('$BILANX' run '$root/suites/machine.yaml' --list)"

plan
