#!/usr/bin/env bash
# PyTorch in Python and C++, with one thread and two, counted by two jobs.
. "$(dirname "$0")/time.bash"
export BILANX_PYTHON=/usr/bin/python3
unset XDG_CACHE_HOME  # precompiled headers of PyTorch are shared with other tests
patience=900  # PyTorch's headers take a minute to parse, and loading it under valgrind half a
              # minute

# Two threads share 100000 numbers. Smaller work stays in one.
cat >"$work/suite.yaml" <<'YAML'
suite: test
requires: torch
global_setup: {python: import torch, c++: "#include <torch/torch.h>"}
defaults: {with: torch}
benchmarks:
  large:
    threads: [1, 2]
    setup: {python: "x = torch.ones(100000)", c++: "auto x = torch::ones({100000});"}
    stmt: {python: x + x, c++: x + x}
  small:
    threads: [1, 2]
    setup: {python: "x = torch.ones(4)", c++: "auto x = torch::ones({4});"}
    stmt: {python: x + x, c++: x + x}
  ends:
    stmt: {python: "import os; os._exit(3)", c++: "abort()"}
YAML
counts() { exits 1 "$BILANX" run "$work/suite.yaml" --count --no-time --jobs 2 --quiet -o "$work/$1.jsonl"; }

check "a small suite with two failing cases" counts first
check "... the other cases are counted" records "$work/first.jsonl" "
assert sorted(one['kind'] for one in r) == ['counts'] * 8 + ['failure'] * 2
assert {one['error']['code'] for one in r if 'error' in one} == {'exited', 'crashed'}"
check "... in all their threads" records "$work/first.jsonl" "
count = {(one['task']['label'], one['task']['language'], one['task']['num_threads']): one['counts']['instructions']
         for one in r if 'counts' in one}
print(count)
for language in 'python', 'c++':
    assert .98 < count['large', language, 2] / count['large', language, 1] < 1.1
    assert abs(count['small', language, 2] / count['small', language, 1] - 1) < .02"
check "a second run" counts second
check "... counts the same" python3 -c "
import json
def counts(path):
    r = [json.loads(line) for line in open(path)]
    return {(one['task']['label'], one['task']['language'], one['task']['num_threads']): one['counts']['instructions']
            for one in r if 'counts' in one}
first, second = counts('$work/first.jsonl'), counts('$work/second.jsonl')
print(first, second)
assert len(first) == 8 and all(abs(second[key] / value - 1) < .01 for key, value in first.items())"
plan
