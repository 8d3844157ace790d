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

check "a file is a table" exits 0 "$BILANX" compare before.jsonl
check "it has a row for each statement" bash -c "[ \$(grep -c '^x ' out) = 2 ]"
check "each cell has its uncertainty" grep -qE '^x \+= 1 +[0-9.]+\([0-9]+\) ns' out
check "a pipe gets no colour" no_escapes
check "stdin may be a file" exits 0 bash -c '"$BILANX" compare - <before.jsonl'
check "the same table" bash -c '"$BILANX" compare before.jsonl | diff - out'
check "straight from a run" bash -c '"$BILANX" run "$GOOD" -o - -q --max-run-time 10ms --filter "^calls$" |
    "$BILANX" compare - --format json | python3 -m json.tool >/dev/null'
check "two files stand side by side" exits 0 "$BILANX" compare before.jsonl after.jsonl
check "each in a column of its name" grep -qE '^ +before +after$' out
check "and are one with --merge" exits 0 "$BILANX" compare before.jsonl after.jsonl --merge
check "without the names" bash -c '! grep -q before out'
check "a ratio to a file" exits 0 "$BILANX" compare before.jsonl after.jsonl --ratio before
check "has a title that says so" grep -qx 'time / before' out
check "and ones for the base" grep -qE '^x \+= 1 +1( |$)' out
check "a program's benchmarks" exits 0 "$BILANX" compare good.jsonl
check "failures are words" exits 0 "$BILANX" compare faults.jsonl
check "and not holes" grep -qE '(crashed|exited)$' out
check "all at once" exits 0 "$BILANX" compare before.jsonl good.jsonl faults.jsonl

# In order of definition, not of completion.
tac good.jsonl >reversed.jsonl
"$BILANX" compare good.jsonl >straight
check "rows are in the order of definition" bash -c '"$BILANX" compare reversed.jsonl | diff straight -'
check "... of records that know it" bash -c 'sed "s/\"place\":[0-9]*,//" reversed.jsonl | "$BILANX" compare - | diff -q straight - | grep differ'

# Environments.
for cc in first second; do
    "$BILANX" time 'x += 1' 'x *= 3' -s 'volatile long x = 9' "${quick[@]}" --label l --env "$cc" -o "$cc.jsonl" >/dev/null
done
cat first.jsonl second.jsonl >envs.jsonl
check "environments stand side by side" exits 0 "$BILANX" compare envs.jsonl --envs
check "... in columns of their names" grep -qE '^ +first +second *$' out
check "... of a row each" grep -qE '^x \*= 3 +[0-9.()]+ ns.* +[0-9.()]+ ns' out
check "... with the best of a row" grep -q 'best of its row' out
check "they cannot be sorted" exits 2 "$BILANX" compare envs.jsonl --envs --sort name

# Options.
check "--help names every option" exits 0 "$BILANX" compare --help
for option in metric ratio summary sort transpose merge keep-going from format style trim colorize \
    highlight-warnings color width; do
    check "--$option is there" grep -q -- "--$option" out
done
check "--summary" exits 0 "$BILANX" compare before.jsonl after.jsonl --summary
check "is a geometric mean" grep -qE '^geometric mean +[0-9.]+ ns +[0-9.]+ ns$' out
check "--transpose" exits 0 "$BILANX" compare before.jsonl after.jsonl --transpose
check "has statements as columns" grep -qE '^ +x (\+= 1|\*= 3) +x ' out
check "--sort name" exits 0 "$BILANX" compare before.jsonl --sort name
check "is by name" bash -c 'head -n 1 out | grep -q "^x \*= 3"'
check "--metric" exits 0 "$BILANX" compare before.jsonl --metric cpu
check "is in the title" grep -qx cpu out
check "--color always" exits 0 "$BILANX" compare before.jsonl --color always
check "colours" grep -q $'\033\[32m' out
check "--color auto on a terminal" bash -c 'TERM=xterm script -qec "\"$BILANX\" compare before.jsonl" /dev/null </dev/null | grep -q $'"'\\033'"
check "--color never on a terminal" bash -c '! TERM=xterm script -qec "\"$BILANX\" compare --color never before.jsonl" /dev/null </dev/null | grep -q $'"'\\033'"
check "NO_COLOR on a terminal" bash -c '! NO_COLOR=1 TERM=xterm script -qec "\"$BILANX\" compare before.jsonl" /dev/null </dev/null | grep -q $'"'\\033'"
check "--width splits" exits 0 "$BILANX" compare before.jsonl after.jsonl --width 30
check "into two blocks" test "$(grep -c '^x += 1' out)" = 2
check "COLUMNS does, too" env COLUMNS=30 bash -c '"$BILANX" compare before.jsonl after.jsonl | diff - out'
check "--width 120 has bars" exits 0 "$BILANX" compare before.jsonl --width 120
check "of blocks" grep -q '█' out
check "--style torch" exits 0 "$BILANX" compare before.jsonl --style torch
check "ends as torch's" grep -qx 'Times are in nanoseconds (ns).' out
check "--colorize is for whoever reads" exits 0 "$BILANX" compare before.jsonl --style torch --colorize=rows
check "as torch does it" grep -q $'\033\[92m\033\[1m' out
check "unless --color never" exits 0 "$BILANX" compare before.jsonl --style torch --colorize --color never
check "forbids it" no_escapes
check "--trim --highlight-warnings" exits 0 "$BILANX" compare before.jsonl --style torch --trim --highlight-warnings

# Formats for other programs.
check "--format json" exits 0 "$BILANX" compare before.jsonl after.jsonl --format json --summary --ratio before
check "is what compare.md says" python "
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
check "--format csv" exits 0 "$BILANX" compare odd.jsonl --format csv
check "is RFC 4180's" python "
rows = list(csv.reader(io.StringIO(out, newline=''), strict=True))
assert rows[0] == 'label,threads,env,row,column,metric,value,low,high,unit,failure,verdict'.split(','), rows
assert rows[1:] == [['a,\"b\"\\\\x0d\\\\nc', '1', '', 'ü|x', 'd, e', 'time', '3.5', '1', '6', 's', '', ''],
    ['a,\"b\"\\\\x0d\\\\nc', '1', '', 'y', '', 'time', '', '', '', 's', 'timed-out', '']], rows
assert out.count('\r\n') == 3 and out.count('\n') == 3 and out.endswith('\r\n')"
check "--format markdown" exits 0 "$BILANX" compare odd.jsonl --format markdown
check "escapes the bar" grep -qF '| ü\|x |' out
check "has as many cells in every line" python "
import re
assert len({len(re.findall(r'(?<!\\\\)\|', line)) for line in out.splitlines() if line[:1] == '|'}) == 1, out"

# Invalid combinations.
usage() { exits 2 "$BILANX" compare "$@" && empty out; }
check "no file" usage
check "the message has the cure" err "needs record files ('-' is stdin; see 'bilanx help compare')"
check "a file twice" usage before.jsonl before.jsonl
check "is named" err "'before.jsonl' is given twice"
check "--colorize without the style" usage before.jsonl --colorize
check "--colorize of something else" usage before.jsonl --style torch --colorize=cells
check "--style torch --format csv" usage before.jsonl --style torch --format csv
check "--summary --format csv" usage before.jsonl --summary --format csv
check "--format xml" usage before.jsonl --format xml
check "--from of nobody" usage before.jsonl --from nobody
check "--sort by no column" usage before.jsonl --sort nobody
check "a metric that no record has" exits 1 "$BILANX" compare before.jsonl --metric cpus
check "is told what there is" err "did you mean 'cpu'?); they have time, cpu,"
check "a base that nobody is" exits 1 "$BILANX" compare before.jsonl after.jsonl --ratio nobody
check "is told what there is, too" err "known names: 'before', 'after'"

# Bad input: a message with file and line, status 1, no table; with --keep-going the good part.
good='{"schema":"bilanx/1","kind":"measurement","task":{"stmt":"kept"},"number_per_run":1,"raw_times":[1e-6]}'
record() { printf '{"schema":"bilanx/1","kind":"measurement","task":{"stmt":"f"},%s}\n' "$1"; }
echo "$good" >kept.jsonl

# bad NAME PATTERN: the file bad.jsonl is refused with this message.
bad() {
    local name=$1 pattern=$2
    check "$name is refused" exits 1 "$BILANX" compare kept.jsonl bad.jsonl
    check "$name is named" err "$pattern"
    check "$name shows nothing" empty out
    check "$name with --keep-going is refused, too" exits 1 "$BILANX" compare kept.jsonl bad.jsonl --keep-going
    check "$name is named, too" err "$pattern"
    check "$name leaves the good" grep -q '^kept *1.000 us' out
}

# second NAME MEMBERS PATTERN: a bad second line.
second() {
    { echo "$good"; record "$2"; } >bad.jsonl
    bad "$1" "$3"
}
{ echo "$good"; printf '%s' "${good:0:60}"; } >bad.jsonl
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
bad "a line that is no record" 'bad.jsonl:2: a record must be an object, not an array'
head -c 100000 /dev/urandom >bad.jsonl
printf 'x' | dd of=bad.jsonl conv=notrunc status=none  # whatever it is, it is not gzip
bad "binary" 'bilanx: bad.jsonl:1: unknown format'
head -c 100000 /dev/zero | tr '\0' '[' >bad.jsonl
bad "a hundred thousand brackets" 'bilanx: bad.jsonl:1: unknown format'
: >bad.jsonl
bad "an empty file" 'bilanx: bad.jsonl: is empty'
echo '{"schema":"bilanx/1","kind":"doctor"}' >bad.jsonl
check "a file of other things" exits 1 "$BILANX" compare bad.jsonl
check "has nothing to show" err 'nothing to show'
rm bad.jsonl
bad "a missing file" "cannot open 'bad.jsonl': No such file"
mkdir bad.jsonl
bad "a directory" "cannot read 'bad.jsonl': Is a directory"
rmdir bad.jsonl
echo "$good" >bad.jsonl
chmod 0 bad.jsonl
if [ -r bad.jsonl ]; then  # root may read everything: try as another user
    chmod 755 "$work"
    check "no permission" bash -c 'setpriv --reuid=65534 --clear-groups "$BILANX" compare bad.jsonl 2>err; [ $? = 1 ]'
else
    check "no permission" exits 1 "$BILANX" compare bad.jsonl
fi
check "no permission is named" err "cannot open 'bad.jsonl': Permission denied"
rm -f bad.jsonl

# A line of a gigabyte, using at most that much memory.
{ echo "$good"; printf '{"schema":"'; } >bad.jsonl
truncate -s 1G bad.jsonl
check "a gigabyte-long line is refused" exits 1 bash -c 'ulimit -v 1200000; exec "$BILANX" compare kept.jsonl bad.jsonl --keep-going'
check "it is named" err 'bad.jsonl:2: line over 256 MB'
check "the good is shown" grep -q '^kept' out
rm -f bad.jsonl

# Control characters in any path.
check "a message does not steer the terminal" bash -c '"$BILANX" compare $'"'no\\033[2J'"' 2>err; ! grep -q $'"'\\033'"' err'
deep=$(printf 'd%.0s' {1..200})
mkdir -p "$deep/$deep" && printf '%s\n{\n' "$good" >"$deep/$deep/x.jsonl"
check "a long path" exits 1 "$BILANX" compare "$deep/$deep/x.jsonl"
check "has its line named all the same" err 'x.jsonl:2:1: not JSON'
check "a full disk" bash -c '"$BILANX" compare before.jsonl >/dev/full 2>err; [ $? = 1 ]'
check "is named" err 'cannot write the results: No space left'
cat >verdicts.jsonl <<'JSON'
{"schema":"bilanx/1","kind":"verdict","task":{"stmt":"f(x)"},"side":"B","verdict":"slower","change":0.5,"interval":[0.4,0.6],"baseline":"v1","times":[1e-6,1.5e-6]}
{"schema":"bilanx/1","kind":"verdict","task":{"stmt":"f(x)"},"side":"B","verdict":"undecided","change":0.25,"interval":[-0.1,0.6],"baseline":"v1","times":[1e-6,1.25e-6]}
{"schema":"bilanx/1","kind":"verdict","task":{"stmt":"g(x)"},"side":"B","verdict":"faster","change":-0.1,"interval":[-0.2,-0.05],"baseline":"v1"}
JSON
check "verdicts are shown" exits 0 "$BILANX" compare verdicts.jsonl
check "... the later one of two on a task" bash -c "[ \$(grep -c '^f(x) ' out) = 1 ]"
check "... with their change" grep -q '^f(x) *v1 *B *1.000 us *1.250 us *+25.00 % *-10.00 .. +60.00 *undecided' out
check "... beside measurements" exits 0 "$BILANX" compare before.jsonl verdicts.jsonl
check "... in one output" out '^g(x) .* faster'
check "... as CSV" exits 0 "$BILANX" compare before.jsonl verdicts.jsonl --format csv
check "... of one shape" python "
rows = list(csv.DictReader(io.StringIO(out, newline='')))
last = rows[-1]
assert (last['row'], last['metric'], last['value'], last['verdict']) == ('g(x)', 'change', '-0.1', 'faster'), last
assert all(None not in row and None not in row.values() for row in rows), rows"
check "... as JSON" exits 0 "$BILANX" compare verdicts.jsonl --format json
check "... with the rest" python "
assert [one['verdict'] for one in json.loads(out)['verdicts']] == ['undecided', 'faster'], out"
printf '{"results":[{"command":"a","times":[1,2]},{"command":"b","times":[2,3],"parameters":{"n":"1"}}]}' >hyperfine.json
check "commands of hyperfine" exits 0 "$BILANX" compare hyperfine.json
check "... are rows of one table" bash -c "[ \$(grep -cE '^[ab] ' out) = 2 ] && ! grep -q '^$' <(head -n 2 out)"
check "a closed stdout" bash -c '"$BILANX" compare before.jsonl >&- 2>err; [ $? = 1 ]'
check "is named, too" err 'cannot write the results: stdout is closed'
plan
