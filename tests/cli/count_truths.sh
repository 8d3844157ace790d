#!/usr/bin/env bash
# Counts are exact, reproducible, and of the statement alone.
. "$(dirname "$0")/cli.bash"

# count ARGUMENT...: counts and keeps the records.
count() { exits 0 "$BILANX" count --quiet --overwrite -o "$work/r.jsonl" "$@"; }

setup=(-s 'volatile long x = 0; char a[200] = {1}, b[200]; const char *s = "a text of some length"; uint64_t h = 1; char *volatile p')

# total FILE: the total that callgrind_annotate prints for a retained file.
total() { callgrind_annotate "$1" | sed -n 's/^ *\([0-9,]*\) .*PROGRAM TOTALS.*/\1/p' | tr -d ,; }

same_20_times() {
    for _ in $(seq 20); do
        count 'h = h * 31 + (h >> 7)' "${setup[@]}" --retain "$work/kept" || return
        records "$work/r.jsonl" "
c = r[0]['counts']
assert len(set(c['repeats'])) == 1 and not r[0]['warnings'], r
assert c['per_iteration'] == c['instructions'] / c['number'] == $(total "$work/kept") / c['number']
print(c['per_iteration'], file=open('$work/all', 'a'))" || return
    done
    [ "$(sort -u "$work/all" | wc -l)" = 1 ] && [ "$(wc -l <"$work/all")" = 20 ]
}
check "20 of 20 runs count the same, and callgrind_annotate agrees" same_20_times

nops() {
    local stmts=() text='' k
    for k in $(seq 0 32); do
        stmts+=("asm volatile(\"$text\")")
        text+='nop;'
    done
    count "${stmts[@]}" && records "$work/r.jsonl" "
assert len(r) == 33
for k, one in enumerate(r):
    assert len(set(one['counts']['repeats'])) == 1
    assert one['counts']['instructions'] - r[0]['counts']['instructions'] == 100 * k, (k, one)
    assert one['counts']['baseline'] == r[0]['counts']['instructions']"
}
check "k more instructions are k more counts, for k = 0 to 32" nops
nothing() {
    count '' ';' 'asm volatile("nop")' && records "$work/r.jsonl" "
assert [one['counts']['instructions'] - one['counts']['baseline'] for one in r] == [0, 0, 100], r"
}
check "an empty statement counts like the empty loop" nothing

# Statements that would be affected by what others leave behind: heap, stack, libc's caches.
shuffled() {
    python3 - "$work/stmts" <<'PYTHON'
import random, sys
kinds = ['p = malloc(%d)', 'free(malloc(%d)), x++', 'memcpy(b, a, %d), x++', 'snprintf(b, 200, "%%d", %d)', 'strlen(s) + %d']
stmts = [kinds[i % 5] % (i * 3 + 1) for i in range(50)]
random.seed(5)
random.shuffle(stmts)
open(sys.argv[1], 'w').write('\n'.join(stmts) + '\n')
PYTHON
    mapfile -t stmts <"$work/stmts"
    count "${stmts[@]}" "${setup[@]}" && cp "$work/r.jsonl" "$work/once.jsonl" || return
    mapfile -t back < <(tac "$work/stmts")
    count "${back[@]}" "${setup[@]}" || return
    cat "$work/once.jsonl" >>"$work/r.jsonl"
    local i long
    long=$(printf '%5001s' x)  # the memory above the stack is random
    for i in 0 13 24 36 49; do
        exits 0 env LONG="$long" "$BILANX" count --quiet --overwrite -o "$work/one.jsonl" "${stmts[i]}" "${setup[@]}" || return
        cat "$work/one.jsonl" >>"$work/r.jsonl"
    done
    records "$work/r.jsonl" "
assert len(r) == 105
seen = {}
for one in r:
    seen.setdefault(one['task']['stmt'], []).append(one['counts'])
assert len(seen) == 50
for stmt, counts in seen.items():
    assert len(counts) >= 2
    for other in counts[1:]:
        assert other['repeats'] == counts[0]['repeats'], (stmt, counts[0]['repeats'], other['repeats'])
        assert other['functions'] == counts[0]['functions'], stmt"
}
check "a case counts the same alone, first, last and among 50 others" shuffled

plan
