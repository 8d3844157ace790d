#!/usr/bin/env bash
# The state of the core: records tell it, the floor is kept and doubted, and --core chooses.
. "$(dirname "$0")/cli.bash"
export XDG_CACHE_HOME=$work/cache
mkdir -p "$XDG_CACHE_HOME"
cores=$XDG_CACHE_HOME/bilanx/cores
statement=("$BILANX" time 'cbrt(x)' -s 'double x = 3.7' -q)

# timed ARGUMENT...: measures the statement into r.jsonl.
timed() { exits 0 "${statement[@]}" --overwrite -o "$work/r.jsonl" "$@"; }


check "a first run learns the floor" timed --max-run-time 200ms
check "... and says in which state the core was" records "$work/r.jsonl" "
m = r[0]; assert m['core'] in ('free', 'shared'), m['core']
assert 0 <= m['neighbour']['free'] <= 1 and m['reference'] > 0 and all(e['reference'] > 0 for e in m['epochs'])"
check "... and keeps it with the processor and a date" grep -qE '^[^# ]+ /[^ ]+ 0?\.[0-9]+ [0-9.]+ [0-9]+ 20[0-9-]+$' "$cores"
cp "$cores" "$work/kept"
check "a floor that nothing comes near is doubted" bash -c "
    awk '/^#/ { print; next } { \$3 *= .4; print }' '$work/kept' >'$cores'"
check "... by the next run" timed
check "... which calls the state unknown and says why" records "$work/r.jsonl" "
m = r[0]; codes = [w['code'] for w in m['warnings']]
assert m['core'] == 'unknown' and 'core-unknown' in codes, (m['core'], codes)"
check "... and keeps the file, which may be right after all" bash -c "
    awk '/^[^#]/ { exit !(\$3 < .6 * kept) } ' kept=\$(awk '/^[^#]/ { print \$3 }' '$work/kept') '$cores'"
check "a floor that is too high" bash -c "
    awk '/^#/ { print; next } { \$3 *= 1.5; print }' '$work/kept' >'$cores'"
check "... is replaced" timed
check "... with a note" records "$work/r.jsonl" "
assert 'core-relearned' in [w['code'] for w in r[0]['warnings']], r[0]['warnings']"
check "the line of another processor does not count" bash -c "
    sed 's# /[^ ]*# /Other/1/2/3#' '$work/kept' >'$cores'"
check "... and stays" bash -c "'$BILANX' time 'cbrt(x)' -s 'double x = 3.7' -q --max-run-time 200ms >/dev/null &&
    grep -q '/Other/1/2/3' '$cores' && [ \$(grep -c '^[^#]' '$cores') = 2 ]"
printf 'nonsense\n\0\377 1 2\n%s\n' "$(grep '^[^#]' "$work/kept" | cut -c1-60)" >"$cores"
check "a file of nonsense is replaced" timed --max-run-time 200ms
check "... and is none of the user's business" empty err

check "--core any keeps every batch" timed --core any --max-run-time 100ms
check "... and does not choose" records "$work/r.jsonl" "
assert all(not e.get('off_pace') for e in r[0]['epochs']) and 'time' not in r[0]['neighbour'], r[0]['neighbour']"
check "--core any has nothing to wait for" exits 2 "${statement[@]}" --core any --core-wait 1
check "... and says so" err 'nothing to wait for'
check "blocks are not chosen among" exits 2 "${statement[@]}" --core free --method blocked
check "... as the message says" err "'blocked', which keeps every block"
check "an unknown word is refused" exits 2 "${statement[@]}" --core mine
check "latencies tell the state too" timed --method latency --max-run-time 100ms
check "... in their record" records "$work/r.jsonl" "assert r[0]['core'] in ('free', 'shared', 'unknown'), r[0]"
check "blocks tell their share" timed --method blocked --min-run-time 50ms
check "... in their record" records "$work/r.jsonl" "assert 'free' in r[0]['neighbour'], r[0]"
check "csv has the state" bash -c "'$BILANX' time 'cbrt(x)' -s 'double x = 3.7' -q --max-run-time 50ms --format csv | head -1 | grep -q 'core_free,other_core_s,core,'"
check "several threads have no state" exits 0 "$GOOD" --filter 'threads' --max-run-time 20ms --quiet --overwrite -o "$work/t.jsonl"
check "times set by the body have none either" exits 0 "$GOOD" --filter manual --max-run-time 20ms --quiet --overwrite -o "$work/t.jsonl"
check "... in their records" records "$work/t.jsonl" "assert r and all('core' not in one for one in r), r"
check "commands tell their share" exits 0 "$BILANX" time --runs 10 --overwrite -o "$work/r.jsonl" -q -- true
check "... in their record" records "$work/r.jsonl" "assert 'free' in r[0]['neighbour'], r[0]"
check "a comparison tells the state" exits 0 "$BILANX" ab --A cc:gcc --B 'cc:gcc -O1' --stmt 'cbrt(x)' -s 'double x = 3.7' --budget 1 -q --overwrite -o "$work/r.jsonl"
check "... in its record" records "$work/r.jsonl" "
v = [one for one in r if one['kind'] == 'verdict'][0]; assert v['core'] in ('free', 'shared', 'unknown'), v"
check "--core needs times" exits 2 "$BILANX" ab --A cc:gcc --B 'cc:gcc -O1' --stmt 'cbrt(x)' --count --no-time --core any
plan
