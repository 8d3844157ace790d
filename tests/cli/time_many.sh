#!/usr/bin/env bash
# A thousand statements in one call.
. "$(dirname "$0")/time.bash"

statements=()
for i in $(seq 1000); do statements+=("x += $i"); done
check "a thousand statements are measured" timeout 1500 "$BILANX" time "${statements[@]}" -s 'volatile long x = 0' "${once[@]}" --overwrite -o "$work/r.jsonl"
check "... into a thousand records" records "$work/r.jsonl" "
assert len(r) == 1000 and all(m['kind'] == 'measurement' for m in r) and len(by) == 1000"
warm() { timeout 300 "$BILANX" time "${statements[@]}" -s 'volatile long x = 0' "${once[@]}" >"$work/out"; }
check "... and again, from the cache" warm
check "... in order" bash -c "tail -n +2 '$work/out' | grep -o '^x += [0-9]*' | cmp - <(seq 1000 | sed 's/^/x += /')"

plan
