#!/usr/bin/env bash
# A slow setup runs only a few times, and this is reported. Does not assert times.
. "$(dirname "$0")/time.bash"
cd "$work" || exit 1
slow_python=(-l python --python /usr/bin/python3 -s 'import time; time.sleep(.5); open("ran", "a").write("setup\n"); x = 1')
slow_c=(-g $'#include <stdio.h>\n#include <unistd.h>' -s 'usleep(500000); FILE *f = fopen("ran", "a"); fputs("setup\n", f); fclose(f); volatile int x = 1;')
few="
runs = len(open('ran').readlines())
assert r[0]['setups'] == runs == 5 and 1 <= len(r[0]['epochs']) <= 5, (runs, r)
assert 'costly-setup' in {w['code'] for w in r[0]['warnings']}, r"
check "a setup that takes half a second runs five times" measures "$few" "${slow_python[@]}" 'x + 1' --max-run-time .3 --quiet
rm -f ran
check "... for a statement in C as well" measures "$few" "${slow_c[@]}" 'x + 1' --max-run-time .3 --quiet
rm -f ran
check "... and the output says so" exits 0 "$BILANX" time "${slow_python[@]}" 'x + 1' --max-run-time .3
check "... in words" grep -q 'costly-setup (x + 1): setting up a process takes .* so only 5 were measured' "$work/err"
rm -f ran
check "a quick setup runs as often as needed" measures "
assert 'setups' not in r[0] and not {w['code'] for w in r[0]['warnings']} & {'costly-setup'}, r" 'x + 1' -s 'volatile int x = 1;' --quiet
rm -f ran
check "--setup-once runs it once" measures "
assert len(open('ran').readlines()) == 1 and 'setups' not in r[0], r" "${slow_python[@]}" 'x + 1' --setup-once --max-run-time .3 --quiet

# In a comparison each side runs it once for calibration and once per epoch; one failure is allowed.
rm -f ran
check "a comparison without time for a verdict is short" exits 0 "$BILANX" ab -o "$work/ab.jsonl" --A 'export SIDE=A' --B 'export SIDE=B' \
    "${slow_python[@]}" --stmt 'x + 1' --core any --budget 1
check "... and says how much time it needs" records "$work/ab.jsonl" "
assert r[0]['verdict'] == 'undecided' and len(r[0]['changes']) == 2, r
assert len(open('$work/ran').readlines()) in (6, 8), open('$work/ran').read()
assert 'costly-setup' in {w['code'] for w in r[0]['warnings']} and '--budget' in r[0]['warnings'][-1]['text'], r"
plan
