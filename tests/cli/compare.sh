#!/usr/bin/env bash
# bilanx compare: its input, its output, and its messages on bad input.
set -u
# shellcheck source=cli.bash
. "$(dirname "$0")/cli.bash"
unset COLUMNS
cd "$work" || exit 1

no_escapes() { ! grep -q $'\033' out || { cat -v out; false; }; }
# python CODE: with stdout in `out`, as text.
python() { python3 -c "import csv, io, json; out = open('out', newline='', encoding='utf-8').read(); $1"; }

# Real records: of statements, of a program, with failures, and repeated.
"$BILANX" time 'x += 1' 'x *= 3' -s 'volatile long x = 9' "${quick[@]}" -o before.jsonl >/dev/null
"$BILANX" time 'x += 1' 'x *= 3' -s 'volatile long x = 9' "${quick[@]}" -o after.jsonl >/dev/null
"$BILANX" run "$GOOD" "${quick[@]}" --filter '^(calls|sum)' -o good.jsonl >/dev/null
"$BILANX" run "$FAULTS" "${quick[@]}" --filter '^(crash|exit)' -o faults.jsonl >/dev/null 2>&1

check "a file becomes a table" exits 0 "$BILANX" compare before.jsonl
check "... with a row per statement" bash -c "[ \$(grep -c '^x ' out) = 2 ]"
check "... each cell shows its uncertainty" grep -qE '^x \+= 1 +[0-9.]+\([0-9]+\) ns' out
check "... without colours in a pipe" no_escapes
check "a file can be given on stdin" exits 0 bash -c '"$BILANX" compare - <before.jsonl'
check "... and gives the same table" bash -c '"$BILANX" compare before.jsonl | diff - out'
check "records can come straight from a run" bash -c '"$BILANX" run "$GOOD" -o - -q --max-run-time 10ms --filter "^calls$" |
    "$BILANX" compare - --format json | python3 -m json.tool >/dev/null'
check "two files are shown side by side" exits 0 "$BILANX" compare before.jsonl after.jsonl
check "... each in a column with its name" grep -qE '^ +before +after$' out
check "... or together with --merge" exits 0 "$BILANX" compare before.jsonl after.jsonl --merge
check "... without their names" bash -c '! grep -q before out'
check "--ratio FILE shows ratios to it" exits 0 "$BILANX" compare before.jsonl after.jsonl --ratio before
check "... with a title that says so" grep -qx 'time / before' out
check "... and 1 for the base" grep -qE '^x \+= 1 +1( |$)' out
check "benchmarks of a program are shown" exits 0 "$BILANX" compare good.jsonl
check "failures are shown" exits 0 "$BILANX" compare faults.jsonl
check "... as words" grep -qE '(crashed|exited)$' out
check "several files of all kinds are shown together" exits 0 "$BILANX" compare before.jsonl good.jsonl faults.jsonl

cat >google.json <<'JSON'
{"context": {"num_cpus": 2}, "benchmarks": [
{"name": "f/real_time/threads:1", "run_name": "f/real_time/threads:1", "run_type": "iteration", "threads": 1, "iterations": 9, "real_time": 10, "cpu_time": 10, "time_unit": "ns"},
{"name": "f/real_time/threads:2", "run_name": "f/real_time/threads:2", "run_type": "iteration", "threads": 2, "iterations": 9, "real_time": 11, "cpu_time": 11, "time_unit": "ns"}]}
JSON
check "numbers of threads are a column" exits 0 "$BILANX" compare google.json
check "... and not a part of imported names" bash -c "grep -qE '^ +1  real_time +10.00 ns' out && grep -qE '^ +2  real_time +11.00 ns' out"

# In order of definition, not of completion.
tac good.jsonl >reversed.jsonl
"$BILANX" compare good.jsonl >straight
check "rows follow the order of definition" bash -c '"$BILANX" compare reversed.jsonl | diff straight -'
check "... if records contain it" bash -c 'sed "s/\"place\":[0-9]*,//" reversed.jsonl | "$BILANX" compare - | diff -q straight - | grep differ'

# Environments.
for cc in first second; do
    "$BILANX" time 'x += 1' 'x *= 3' -s 'volatile long x = 9' "${quick[@]}" --label l --env "$cc" -o "$cc.jsonl" >/dev/null
done
cat first.jsonl second.jsonl >envs.jsonl
check "--envs shows environments side by side" exits 0 "$BILANX" compare envs.jsonl --envs
check "... in columns with their names" grep -qE '^ +first +second *$' out
check "... and one row per case" grep -qE '^x \*= 3 +[0-9.()]+ ns.* +[0-9.()]+ ns' out
check "... and marks the best of each row" grep -q 'best of its row' out
check "... but cannot sort them" exits 2 "$BILANX" compare envs.jsonl --envs --sort name

# Some cases have a description, others do not.
for file in old new; do
    "$BILANX" time 'x += 1' -s 'volatile long x = 9' "${quick[@]}" --label l --sub-label a -o "$file.jsonl" >/dev/null
    "$BILANX" time 'x *= 3' -s 'volatile long x = 9' "${quick[@]}" --label l --sub-label a --description n=1 --append -o "$file.jsonl" >/dev/null
done
check "a file is the base of all its cases" exits 0 "$BILANX" compare old.jsonl new.jsonl --ratio old
check "... with and without a description" grep -qE '^a +1( !)? +1( !)? +[0-9.()]+( !)? +[0-9.()]+( !)?$' out

# Options.
check "--help names every option" exits 0 "$BILANX" compare --help
for option in metric ratio summary sort transpose merge keep-going from format style trim colorize \
    highlight-warnings color width; do
    check "--help names --$option" grep -q -- "--$option" out
done
check "--summary works" exits 0 "$BILANX" compare before.jsonl after.jsonl --summary
check "... and shows a geometric mean" grep -qE '^geometric mean +[0-9.]+ ns +[0-9.]+ ns$' out
check "--transpose works" exits 0 "$BILANX" compare before.jsonl after.jsonl --transpose
check "... and turns statements into columns" grep -qE '^ +x (\+= 1|\*= 3) +x ' out
check "--sort name works" exits 0 "$BILANX" compare before.jsonl --sort name
check "... and sorts by name" bash -c 'head -n 1 out | grep -q "^x \*= 3"'
check "--metric works" exits 0 "$BILANX" compare before.jsonl --metric cpu
check "... and appears in the title" grep -qx cpu out
check "--color always works" exits 0 "$BILANX" compare before.jsonl --color always
check "... and colours the output" grep -q $'\033\[32m' out
check "--color auto colours a terminal" bash -c 'TERM=xterm script -qec "\"$BILANX\" compare before.jsonl" /dev/null </dev/null | grep -q $'"'\\033'"
check "--color never does not" bash -c '! TERM=xterm script -qec "\"$BILANX\" compare --color never before.jsonl" /dev/null </dev/null | grep -q $'"'\\033'"
check "... and neither does NO_COLOR" bash -c '! NO_COLOR=1 TERM=xterm script -qec "\"$BILANX\" compare before.jsonl" /dev/null </dev/null | grep -q $'"'\\033'"
check "--width splits a wide table" exits 0 "$BILANX" compare before.jsonl after.jsonl --width 30
check "... into two blocks" test "$(grep -c '^x += 1' out)" = 2
check "... and so does COLUMNS" env COLUMNS=30 bash -c '"$BILANX" compare before.jsonl after.jsonl | diff - out'
check "--width 120 leaves room for bars" exits 0 "$BILANX" compare before.jsonl --width 120
check "... made of blocks" grep -q '█' out
check "--style torch works" exits 0 "$BILANX" compare before.jsonl --style torch
check "... and ends like torch's" grep -qx 'Times are in nanoseconds (ns).' out
check "--colorize colours a pipe as well" exits 0 "$BILANX" compare before.jsonl --style torch --colorize=rows
check "... as torch does" grep -q $'\033\[92m\033\[1m' out
check "... unless --color never is given" exits 0 "$BILANX" compare before.jsonl --style torch --colorize --color never
check "... which turns it off" no_escapes
check "--trim and --highlight-warnings work" exits 0 "$BILANX" compare before.jsonl --style torch --trim --highlight-warnings

# Formats for other programs.
check "--format json works" exits 0 "$BILANX" compare before.jsonl after.jsonl --format json --summary --ratio before
check "... as documented" python "
d = json.loads(out)
assert d['metric'] == 'time' and d['unit'] == '' and d['ratio'] == 'before', d
(t,) = d['tables']
assert t['label'] == '' and t['columns'] == ['before', 'after'] and len(t['rows']) == 2, t
assert t['mean_rows'] == 2 and len(t['geometric_means']) == 2, t
for row in t['rows']:
    assert row['threads'] == 1 and row['env'] == '' and row['row'].startswith('x '), row
    base, other = row['cells']
    assert base['value'] == 1 and 'interval' not in base, base
    low, high = other['interval']
    assert 0 < low < other['value'] < high, other"
printf '%s\n' '{"schema":"bilanx/1","kind":"measurement","task":{"label":"a,\"b\"\r\nc","sub_label":"ü|x","description":"d, e"},"number_per_run":1,"raw_times":[1,2,3,4,5,6]}' \
    '{"schema":"bilanx/1","kind":"failure","task":{"label":"a,\"b\"\r\nc","sub_label":"y"},"error":{"code":"timed-out"}}' >odd.jsonl
check "--format csv works" exits 0 "$BILANX" compare odd.jsonl --format csv
check "... as RFC 4180 says" python "
rows = list(csv.reader(io.StringIO(out, newline=''), strict=True))
assert rows[0] == 'label,threads,env,row,column,metric,value,low,high,unit,failure,verdict,core'.split(','), rows
assert rows[1:] == [['a,\"b\"\\\\x0d\\\\nc', '1', '', 'ü|x', 'd, e', 'time', '3.5', '1', '6', 's', '', '', ''],
    ['a,\"b\"\\\\x0d\\\\nc', '1', '', 'y', '', 'time', '', '', '', 's', 'timed-out', '', '']], rows
assert out.count('\r\n') == 3 and out.count('\n') == 3 and out.endswith('\r\n')"
check "--format markdown works" exits 0 "$BILANX" compare odd.jsonl --format markdown
check "... and escapes bars" grep -qF '| ü\|x |' out
check "... so every line has the same number of cells" python "
import re
assert len({len(re.findall(r'(?<!\\\\)\|', line)) for line in out.splitlines() if line[:1] == '|'}) == 1, out"

# Invalid combinations.
usage() { exits 2 "$BILANX" compare "$@" && empty out; }
check "no file is a usage error" usage
check "... with advice" err "needs record files ('-' is stdin; see 'bilanx help compare')"
check "a file given twice is a usage error" usage before.jsonl before.jsonl
check "... that names it" err "'before.jsonl' is given twice"
check "--colorize without the style is a usage error" usage before.jsonl --colorize
check "--colorize with another word is a usage error" usage before.jsonl --style torch --colorize=cells
check "--style torch --format csv is a usage error" usage before.jsonl --style torch --format csv
check "--summary --format csv is a usage error" usage before.jsonl --summary --format csv
check "--format xml is a usage error" usage before.jsonl --format xml
check "--from with an unknown format is a usage error" usage before.jsonl --from nobody
check "--sort by an unknown column is a usage error" usage before.jsonl --sort nobody
check "an unknown metric fails" exits 1 "$BILANX" compare before.jsonl --metric cpus
check "... and the message lists the known ones" err "did you mean 'cpu'?); they have time, cpu,"
check "an unknown base fails" exits 1 "$BILANX" compare before.jsonl after.jsonl --ratio nobody
check "... and the message lists the known ones" err "known names: 'before', 'after'"

# Bad input: a message with file and line, status 1, no table; with --keep-going the good part.
good='{"schema":"bilanx/1","kind":"measurement","task":{"stmt":"kept"},"number_per_run":1,"raw_times":[1e-6]}'
record() { printf '{"schema":"bilanx/1","kind":"measurement","task":{"stmt":"f"},%s}\n' "$1"; }
echo "$good" >kept.jsonl

# bad NAME PATTERN: the file bad.jsonl is rejected with this message.
bad() {
    local name=$1 pattern=$2
    check "$name is rejected" exits 1 "$BILANX" compare kept.jsonl bad.jsonl
    check "$name: the message names it" err "$pattern"
    check "$name: nothing is shown" empty out
    check "$name: rejected with --keep-going, too" exits 1 "$BILANX" compare kept.jsonl bad.jsonl --keep-going
    check "$name: named with --keep-going, too" err "$pattern"
    check "$name: --keep-going shows the rest" grep -q '^kept *1.000 us' out
}

# second NAME MEMBERS PATTERN: a bad second line.
second() {
    { echo "$good"; record "$2"; } >bad.jsonl
    bad "$1" "$3"
}
{ echo "$good"; echo "${good:0:60}"; echo "$good"; } >bad.jsonl  # as the last line: torn.sh
bad "a truncated line" '^bilanx: bad.jsonl:2:[0-9]*: not JSON: '
second "a wrong type" '"number_per_run":"1","raw_times":[1]' "bad.jsonl:2: 'number_per_run' must be a whole number of at least 0, not \"1\""
second "a time that is text" '"number_per_run":1,"raw_times":[1,"2"]' "bad.jsonl:2: 'raw_times\[1\]' must be a number"
second "a huge number" '"number_per_run":1,"raw_times":[1e999]' 'bad.jsonl:2:.*real number overflow'
second "an integer over 2^63" '"number_per_run":9223372036854775808,"raw_times":[1]' 'bad.jsonl:2:.*too big integer'
second "a huge count" '"number_per_run":1e30,"raw_times":[1]' "bad.jsonl:2: 'number_per_run' must be"
second "NaN" '"number_per_run":1,"raw_times":[NaN]' 'bad.jsonl:2:.*not JSON'
second "a negative time" '"number_per_run":1,"raw_times":[1,-2]' "bad.jsonl:2: 'raw_times' has a negative time"
second "no times" '"number_per_run":1,"raw_times":[]' "bad.jsonl:2: a measurement without 'raw_times'"
second "no number" '"number_per_run":0,"raw_times":[1]' "bad.jsonl:2: a measurement needs a 'number_per_run'"
second "a key twice" '"number_per_run":1,"number_per_run":1,"raw_times":[1]' 'bad.jsonl:2:.*duplicate object key'
second "deep nesting" "\"x\":$(printf '[%.0s' {1..100000})" 'bad.jsonl:2:.*maximum parsing depth'
{ echo "$good"; echo "${good/bilanx\/1/bilanx\/2}"; } >bad.jsonl
bad "a newer schema" "bad.jsonl:2: uses the schema 'bilanx/2'.*newer"
{ echo "$good"; printf '[1]\n'; } >bad.jsonl
bad "a line that is not a record" 'bad.jsonl:2: a record must be an object, not an array'
head -c 100000 /dev/urandom >bad.jsonl
printf 'x' | dd of=bad.jsonl conv=notrunc status=none  # whatever it is, it is not gzip
bad "binary" 'bilanx: bad.jsonl:1: unknown format'
head -c 100000 /dev/zero | tr '\0' '[' >bad.jsonl
bad "a hundred thousand brackets" 'bilanx: bad.jsonl:1: unknown format'
: >bad.jsonl
bad "an empty file" 'bilanx: bad.jsonl: is empty'
echo '{"schema":"bilanx/1","kind":"doctor"}' >bad.jsonl
check "a file without records of interest fails" exits 1 "$BILANX" compare bad.jsonl
check "... because there is nothing to show" err 'nothing to show'
rm bad.jsonl
bad "a missing file" "cannot open 'bad.jsonl': No such file"
mkdir bad.jsonl
bad "a directory" "cannot read 'bad.jsonl': Is a directory"
rmdir bad.jsonl
echo "$good" >bad.jsonl
chmod 0 bad.jsonl
if [ -r bad.jsonl ]; then  # root may read everything: try as another user
    chmod 755 "$work"
    check "an unreadable file fails" bash -c 'setpriv --reuid=65534 --clear-groups "$BILANX" compare bad.jsonl 2>err; [ $? = 1 ]'
else
    check "an unreadable file fails" exits 1 "$BILANX" compare bad.jsonl
fi
check "... and the message says why" err "cannot open 'bad.jsonl': Permission denied"
rm -f bad.jsonl

# A line of a gigabyte, using at most that much memory.
{ echo "$good"; printf '{"schema":"'; } >bad.jsonl
truncate -s 1G bad.jsonl
check "a line of a gigabyte is rejected" exits 1 bash -c 'ulimit -v 1200000; exec "$BILANX" compare kept.jsonl bad.jsonl --keep-going'
check "... with its position" err 'bad.jsonl:2: line over 256 MB'
check "... and the rest is shown" grep -q '^kept' out
rm -f bad.jsonl

# Control characters in any path.
check "a message cannot control the terminal" bash -c '"$BILANX" compare $'"'no\\033[2J'"' 2>err; ! grep -q $'"'\\033'"' err'
deep=$(printf 'd%.0s' {1..200})
mkdir -p "$deep/$deep" && printf '%s\n{\n' "$good" >"$deep/$deep/x.jsonl"
check "a long path fails" exits 1 "$BILANX" compare "$deep/$deep/x.jsonl"
check "... and its line is still named" err 'x.jsonl:2:1: not JSON'
check "a full disk fails" bash -c '"$BILANX" compare before.jsonl >/dev/full 2>err; [ $? = 1 ]'
check "... and the message says so" err 'cannot write the results: No space left'
cat >verdicts.jsonl <<'JSON'
{"schema":"bilanx/1","kind":"verdict","task":{"stmt":"f(x)"},"side":"B","verdict":"slower","change":0.5,"interval":[0.4,0.6],"baseline":"v1","times":[1e-6,1.5e-6]}
{"schema":"bilanx/1","kind":"verdict","task":{"stmt":"f(x)"},"side":"B","verdict":"undecided","change":0.25,"interval":[-0.1,0.6],"baseline":"v1","times":[1e-6,1.25e-6]}
{"schema":"bilanx/1","kind":"verdict","task":{"stmt":"g(x)"},"side":"B","verdict":"faster","change":-0.1,"interval":[-0.2,-0.05],"baseline":"v1"}
JSON
check "verdicts are shown" exits 0 "$BILANX" compare verdicts.jsonl
check "... only the last one for a task" bash -c "[ \$(grep -c '^f(x) ' out) = 1 ]"
check "... with its change" grep -q '^f(x) *v1 *B *1.000 us *1.250 us *+25.00 % *-10.00 .. +60.00 *undecided' out
check "... next to measurements" exits 0 "$BILANX" compare before.jsonl verdicts.jsonl
check "... in the same output" out '^g(x) .* faster'
check "... as CSV" exits 0 "$BILANX" compare before.jsonl verdicts.jsonl --format csv
check "... with the same columns" python "
rows = list(csv.DictReader(io.StringIO(out, newline='')))
last = rows[-1]
assert (last['row'], last['metric'], last['value'], last['verdict']) == ('g(x)', 'change', '-0.1', 'faster'), last
assert all(None not in row and None not in row.values() for row in rows), rows"
check "... as JSON" exits 0 "$BILANX" compare verdicts.jsonl --format json
check "... with everything else" python "
assert [one['verdict'] for one in json.loads(out)['verdicts']] == ['undecided', 'faster'], out"
printf '{"results":[{"command":"a","times":[1,2]},{"command":"b","times":[2,3],"parameters":{"n":"1"}}]}' >hyperfine.json
check "commands measured by hyperfine are shown" exits 0 "$BILANX" compare hyperfine.json
check "... as rows of one table" bash -c "[ \$(grep -cE '^[ab] ' out) = 2 ] && ! grep -q '^$' <(head -n 2 out)"
check "a closed stdout fails" bash -c '"$BILANX" compare before.jsonl >&- 2>err; [ $? = 1 ]'
check "... and the message says so" err 'cannot write the results: stdout is closed'

for cpu in fast slow; do
    printf '{"schema":"bilanx/1","kind":"measurement","task":{"label":"t","sub_label":"%s case"},"number_per_run":1,"raw_times":[1e-6],"machine":{"cpu":"the %s one"}}\n' "$cpu" "$cpu"
done >"$work/kinds.jsonl"
check "times of two kinds of machines are shown" exits 0 "$BILANX" compare "$work/kinds.jsonl"
check "... with their machines" out 'slow case .*the slow one'
check "... and a note" out 'times are from 2 kinds of machines'
check "times of one kind" exits 0 bash -c "head -n 1 '$work/kinds.jsonl' | '$BILANX' compare -"
check "... are not marked" bash -c "! grep -q 'kinds of machines\|the fast one' '$work/out'"
plan
