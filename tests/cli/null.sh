#!/usr/bin/env bash
# Cases with known times go through run, compare and ab like any others.
. "$(dirname "$0")/cli.bash"
mkdir -p "$work/old" "$work/new"
printf '#bilanx-null\nparse 1.5us\nrender page 20us\n' >"$work/old/fixed.times"
printf '#bilanx-null\nparse 1.5us\nrender page 30us\n' >"$work/new/fixed.times"
printf '#bilanx-null\nparse\n' >"$work/bad.times"

check "run works" exits 0 "$BILANX" run "$work/old/fixed.times" -o "$work/old.jsonl"
check "... and reports exactly the times of the file" records "$work/old.jsonl" "
times = {one['task']['sub_label']: one['stats']['estimate'] for one in r}
assert {name: round(time * 1e9) for name, time in times.items()} == {'parse': 1500, 'render page': 20000}, times
# But for rounding: an epoch may have a batch more or less.
assert all(one['stats']['ci95'][1] / one['stats']['ci95'][0] - 1 < 1e-12 for one in r), r"
check "run --list works" exits 0 "$BILANX" run "$work/old/fixed.times" --list
check "... and names the cases" bash -c "printf 'parse\nrender page\n' | diff - '$work/out'"
check "run --filter works" exits 0 "$BILANX" run "$work/new/fixed.times" --filter render -o "$work/new.jsonl"
check "... and measures only the matching cases" records "$work/new.jsonl" "assert len(r) == 1, r"
check "compare works" exits 0 "$BILANX" compare "$work/old.jsonl" "$work/new.jsonl"
check "... and shows both" out '^render page  *20.00 us[ !]*  30.00 us'
check "ab works" exits 0 "$BILANX" ab --A "cd '$work/old'" --B "cd '$work/new'" --core any --budget 30 fixed.times -o "$work/ab.jsonl"
check "... and finds the cases that differ" records "$work/ab.jsonl" "
verdicts = {one['task']['sub_label']: (one['verdict']['verdict'] if isinstance(one['verdict'], dict) else one['verdict'], round(one['change'], 3)) for one in r}
assert verdicts['render page'] == ('slower', .5), verdicts
assert verdicts['parse'][0] == 'same', verdicts"
check "a bad line fails" exits 1 "$BILANX" run "$work/bad.times"
check "... and is named" err "bad.times:2: expected 'NAME TIME'"
plan
