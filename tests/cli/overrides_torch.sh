#!/usr/bin/env bash
# suites/torch/overrides.yaml: every case runs, and the flame graph of an override has both worlds.
suite=$(cd "$(dirname "$0")/../.." && pwd)/suites/torch/overrides.yaml
. "$(dirname "$0")/flame.bash"
unset PYTHONPATH PYTHONSAFEPATH VIRTUAL_ENV
export BILANX_PYTHON=/usr/bin/python3

check "every case runs" exits 0 "$BILANX" run "$suite" --method timeit --number 1 --quiet --overwrite -o r.jsonl
check "... and shows the expected range" records r.jsonl "
assert len(r) > 20 and all(one['kind'] == 'measurement' for one in r), r
says = {one['task']['sub_label']: one['expected']['says'] for one in r if 'expected' in one}
assert says == {'Tensor, overrides disabled': 'on the order of 2 us', 'Tensor': 'zero', 'SubTensor, overrides disabled': 'small', 'SubTensor': 'small, before 1.7',
    'WithTorchFunction': 'a couple of microseconds', 'SubWithTorchFunction': 'a couple of microseconds'}, says"
# Native frames call the Python function, which calls native ones.
check "__torch_function__ stands between native frames" folded '
import re
def native(name): return "::" in name or name.startswith(("_Py", "Py", "0x"))
both = 0
for frames, weight in stacks:
    at = [i for i, name in enumerate(frames) if re.match(r"SubWithTorchFunction\.__torch_function__ \(", name)]
    both += weight * any(any(map(native, frames[:i])) and any(map(native, frames[i + 1:])) for i in at)
assert 100 * both / whole > 40, (100 * both / whole, stacks[:3])' \
    "$suite" --filter '^torch.add/SubWithTorchFunction$' --duration 1.5
plan
