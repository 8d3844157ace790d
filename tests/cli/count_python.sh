#!/usr/bin/env bash
# bilanx count -l python: the same worker under valgrind imports once and forks for every case.
. "$(dirname "$0")/time.bash"
system=/usr/bin/python3
cd "$work" || exit 1
unset PYTHONPATH PYTHONSAFEPATH VIRTUAL_ENV
python=(-l python --python $system)
patience=300

counted() {
    local code=$1
    shift
    exits 0 "$BILANX" count "${python[@]}" "$@" --quiet --overwrite -o "$work/r.jsonl" && python3 -c "
import json, sys
r = [json.loads(line) for line in open('$work/r.jsonl')]
by = {one['task']['stmt']: one for one in r}
print(json.dumps(r)[:3000])
$code"
}
# From 3.13 on, the interpreter occasionally retries failed specialisations.
spread=$($system -c 'import sys; print(1.005 if sys.version_info >= (3, 13) else 1)')
check "Python statements are counted" counted "
a, b, c = (by[s]['counts'] for s in ('pass', 'x + x', 'x + x; x + x'))
assert a['counter'] == 'callgrind' and 0 < a['baseline'] < b['instructions'] < c['instructions']
assert max(b['repeats']) <= min(b['repeats']) * $spread, b['repeats']
assert 'EvalFrame' in ' '.join(f['function'] for f in b['functions'])" 'pass' 'x + x' 'x + x; x + x' -s 'x = 1'
was='[by[s]["counts"]["instructions"] for s in ("pass", "x + x")]'
check "... with nearly the same counts" counted "json.dump($was, open('was', 'w'))" 'pass' 'x + x' -s 'x = 1'
check "... in another process" counted "
assert all(abs(a / b - 1) < .005 for a, b in zip($was, json.load(open('was')))), open('was').read()" 'pass' 'x + x' -s 'x = 1'
check "functions in the setup can use its names" counted "assert len(r) == 2 and by['f()']['counts']['per_iteration'] > 50" \
    'f()' 'pass' -s $'n = 0\ndef f():\n    nonlocal n\n    n += 1'
check "a statement that fails is one failed case" exits 1 "$BILANX" count "${python[@]}" 'pass' '1 / 0' 'import os; os._exit(3)' 'x =' '1' --quiet --overwrite -o "$work/r.jsonl"
check "... with its reason" python3 -c "
import json
r = [json.loads(line) for line in open('$work/r.jsonl')]
print(r)
assert [one.get('error', {}).get('code') for one in r] == [None, 'failed', 'exited', 'compile-failed', None]
assert 'File \"<stmt>\", line 1' in r[1]['error']['output']"
echo 'open("imported", "a").write("once ")' >note.py
check "torch is imported once, and once more to see which threads it starts" counted "
assert all(one['counts']['per_iteration'] > 1000 for one in r) and len(r) == 3
assert open('imported').read() == 'once once '
assert 'libtorch_cpu' in json.dumps(by['x + y']['counts']['functions'])" \
    'x + y' 'torch.mm(a, a)' 'torch.ones(3)' --preload note -s $'import torch\nx, y, a = torch.ones(1), torch.ones(1), torch.ones(4, 4)'
plan
