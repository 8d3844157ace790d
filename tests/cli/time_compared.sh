#!/usr/bin/env bash
# Several statements or programs in one call: names, the comparison below the table, its width.
. "$(dirname "$0")/time.bash"

roots=('sqrt(x)' 'cbrt(x)' -s 'double x = 2' --max-run-time 30ms)
check "two statements are compared" exits 0 "$BILANX" time "${roots[@]}"
check "... in a sentence" out '^cbrt(x) \(is\|takes\) [0-9.]* times [a-z ]* sqrt(x) ([0-9.]* \.\. [0-9.]*)\(: no significant difference\)\?$'
check "--reference chooses the other side" exits 0 "$BILANX" time "${roots[@]}" --reference 'cbrt(x)'
check "... in a sentence" out '^sqrt(x) \(is\|takes\) [0-9.]* times [a-z ]* cbrt(x)'
check "... and must name a statement" exits 2 "$BILANX" time "${roots[@]}" --reference 'cbrd(x)'
check "... or the nearest is suggested" err "did you mean 'cbrt(x)'"
check "other formats have no sentences" exits 0 "$BILANX" time "${roots[@]}" --format markdown
check "... in a table" bash -c "! grep -q 'times' '$work/out'"
check "many statements are not compared" exits 0 "$BILANX" time $(seq -f 'x+=%.0f' 17) -s 'volatile long x = 0' "${once[@]}"
check "... unless asked" bash -c "! grep -q 'times' '$work/out'"

check "each statement may have a name, a row and a column" exits 0 "$BILANX" time "${roots[@]}" \
    -n square -n cube --sub-label r1 --sub-label r2 --description d1 --description d2 --overwrite -o "$work/r.jsonl"
check "... in the table" out '^cube '
check "... and in the records" records "$work/r.jsonl" "
assert {(m['task']['sub_label'], m['task']['description']) for m in r} == {('r1', 'd1'), ('r2', 'd2')}, r"
check "a text given once is for all" exits 0 "$BILANX" time "${roots[@]}" --description d --overwrite -o "$work/r.jsonl"
check "... in the records" records "$work/r.jsonl" "assert [m['task']['description'] for m in r] == ['d', 'd'], r"
check "too few names are a usage error" exits 2 "$BILANX" time "${roots[@]}" -n square
check "... that is explained" err '--name is given 1 time for 2 statements: give it once per statement'

same=(-s 'volatile long x = 1' --max-run-time 10ms -q)
check "rows of the same name show how their statements differ" exits 0 "$BILANX" time -n sort -n sort 'x *= 3' 'x /= 5' "${same[@]}"
check "... in the table" out '^sort \[x /= 5\] '
check "... and below it" out 'sort \[x /= 5\] \(is\|takes\) [0-9.]* times [a-z ]* sort \[x \*= 3\] ('
check "... or their labels" exits 0 "$BILANX" time 'x *= 3' 'x *= 3' --sub-label hot --sub-label cold "${same[@]}"
check "... in the table" out '^x \*= 3 \[cold\] '
check "equal statements are numbered" exits 0 "$BILANX" time 'x *= 3' 'x *= 3' "${same[@]}"
check "... from the second on" out '^x \*= 3 #2 '
check "so are equal commands" exits 0 "$BILANX" time -r 2 -q -- true --and true
check "... from the second on" out '^true #2 '
check "long statements are cut in the middle" exits 0 "$BILANX" time "x += 1; $(printf 'x -= 1; %.0s' {1..12}) x += 7" "${same[@]}"
check "... so that both ends are seen" out '^x += 1; .*….*x += 7 '

cp "$GOOD" "$work/other"
check "programs are compared case by case" exits 0 "$BILANX" run "$GOOD" "$work/other" --max-run-time 5ms
check "... in sentences" out ': other \(is\|takes\) [0-9.]* times [a-z ]* good ('
check "a statement that names a program is explained" exits 1 "$BILANX" time 'sleep 0.1' "${once[@]}"
check "... with the command to type" err "to time a command, type 'bilanx time -- sleep 0.1'"

# Every line fits the terminal, whatever its width.
long='x += 1; x += 2; x += 3; x += 4; x += 5; x += 6; x += 7; x += 8; x += 9; x += 10'
for columns in 60 80 100 140; do
    check "statements fit $columns columns" fits $columns time "$long" 'x += 1' -s 'volatile long x = 0' --max-run-time 10ms
    check "crashes fit $columns columns" fits $columns time "$long; *(int *)0 = x" -s 'volatile long x = 0' --max-run-time 10ms
    check "mistakes fit $columns columns" fits $columns time 'unknown_function_with_a_long_name(x)' -s 'long x = 0'
    check "commands fit $columns columns" fits $columns time -r 3 -- true --and sh -c 'exit 0; # and a comment that is much longer than the terminal is wide'
    check "verdicts fit $columns columns" fits $columns ab --A cc:gcc --B cc:gcc --budget 50ms --stmt "$long" -s 'volatile long x = 0'
done

if command -v script >/dev/null; then
    tty() { TERM=xterm script -qec "'$BILANX' $1" /dev/null </dev/null; }
    check "on a terminal, the failure of the only case is reported below the table" bash -c 'grep -q "does not compile" <<<"$1" && ! grep -q "1/1" <<<"$1"' - "$(tty 'time nosuch')"
fi

for command in time run ab count compare convert flame fuzz doctor; do
    check "bilanx $command -h shows its help" exits 0 "$BILANX" $command -h
    check "... which says so" out '^  -h, --help'
done

plan
