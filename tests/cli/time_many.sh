#!/usr/bin/env bash
# More statements in one call than a process may have files open.
. "$(dirname "$0")/time.bash"
ulimit -n 64

statements=()
for i in $(seq 100); do statements+=("x += $i"); done
check "a hundred statements are measured" exits 0 "$BILANX" time "${statements[@]}" -s 'volatile long x = 0' "${once[@]}" --overwrite -o "$work/r.jsonl"
check "... into a hundred records" records "$work/r.jsonl" "
assert len(r) == 100 and all(m['kind'] == 'measurement' for m in r) and len(by) == 100"
check "... and again, from the cache" exits 0 "$BILANX" time "${statements[@]}" -s 'volatile long x = 0' "${once[@]}"
check "... in order" bash -c "tail -n +2 '$work/out' | grep -o '^x += [0-9]*' | cmp - <(seq 100 | sed 's/^/x += /')"

plan
