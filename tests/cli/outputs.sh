#!/usr/bin/env bash
# Where results go: never over unrelated files, never over an input, one run at a time.
. "$(dirname "$0")/time.bash"
x=('x++' -s 'volatile long x=0' --max-run-time 5ms -q)

# untouched FILE COMMAND...: the command refuses before measuring, and the file is unchanged.
untouched() {
    local file=$1 before
    shift
    before=$(cat "$file")
    exits 2 "$@" && empty out && [ "$before" = "$(cat "$file")" ]
}
records_in() { [ "$(grep -c '"schema":"bilanx/1"' "$1")" = "$2" ] || { cat "$1"; false; }; }

echo 'int f(int x) { return x + 1; }' >"$work/y.c"
check "a source is not replaced" untouched "$work/y.c" "$BILANX" time 'f(1)' --source "$work/y.c" -o "$work/y.c" --max-run-time 5ms -q
check "... it says" err "y.c' does not contain records, so it was not overwritten"
check "... not with --overwrite either" untouched "$work/y.c" "$BILANX" time 'f(1)' --source "$work/y.c" -o "$work/y.c" --overwrite -q
check "... nor with --append" untouched "$work/y.c" "$BILANX" time 'f(1)' --source "$work/y.c" -o "$work/y.c" --append -q
check "... nor by count" untouched "$work/y.c" "$BILANX" count 'f(1)' --source "$work/y.c" -o "$work/y.c" -q
check "... nor is it by what count retains" untouched "$work/y.c" "$BILANX" count 'f(1)' --source "$work/y.c" --retain "$work/y.c" -q
check "... nor by ab" untouched "$work/y.c" "$BILANX" ab --A cc:gcc --B 'cc:gcc -O3' --stmt 'f(1)' --source "$work/y.c" -o "$work/y.c" -q
check "... nor by a converted file" untouched "$work/y.c" "$BILANX" convert "$work/none" "$work/y.c" --to google
printf 'benchmarks:\n  one: {stmt: x++, setup: volatile long x = 0}\n  two: {stmt: x--, setup: volatile long x = 0}\n' >"$work/s.yaml"
check "a suite is not replaced" untouched "$work/s.yaml" "$BILANX" run "$work/s.yaml" -o "$work/s.yaml" --max-run-time 5ms -q
check "... nor resumed" untouched "$work/s.yaml" "$BILANX" run "$work/s.yaml" --resume "$work/s.yaml" --max-run-time 5ms -q
cp "$GOOD" "$work/good"
check "a program is not replaced" exits 2 "$BILANX" run "$work/good" -o "$work/good" --max-run-time 5ms -q
check "... and still runs" exits 0 "$work/good" --list
check "a program alone does not replace a source" untouched "$work/y.c" "$GOOD" -o "$work/y.c" -q
check "commands replace none" untouched "$work/y.c" "$BILANX" time -o "$work/y.c" -- true
check "... nor do their tables" untouched "$work/y.c" "$BILANX" time --export-csv "$work/y.c" -- true
check "... in Markdown" untouched "$work/y.c" "$BILANX" time --export-markdown "$work/y.c" -- true

check "a new file" exits 0 "$BILANX" time "${x[@]}" -o "$work/a.jsonl"
check "records are not replaced silently" untouched "$work/a.jsonl" "$BILANX" time "${x[@]}" -o "$work/a.jsonl"
check "... it says, and what to do" err "a.jsonl' already contains records: --append adds to them, --overwrite replaces them"
check "--append adds" exits 0 "$BILANX" time "${x[@]}" -o "$work/a.jsonl" --append
check "... one" records_in "$work/a.jsonl" 2
printf '{"schema":"bilanx/1","kind":"meas' >>"$work/a.jsonl"
check "--append drops what is half written" exits 0 "$BILANX" time "${x[@]}" -o "$work/a.jsonl" --append
check "... and nothing else" records_in "$work/a.jsonl" 3
printf %s "$(cat "$work/a.jsonl")" >"$work/a.jsonl"
check "--append completes a line without its end" exits 0 "$BILANX" time "${x[@]}" -o "$work/a.jsonl" --append
check "... so that each is a line" records_in "$work/a.jsonl" 4
check "--overwrite replaces" exits 0 "$BILANX" time "${x[@]}" -o "$work/a.jsonl" --overwrite
check "... all" records_in "$work/a.jsonl" 1
check "not both" exits 2 "$BILANX" time "${x[@]}" -o "$work/a.jsonl" --overwrite --append
check "neither without a file" exits 2 "$BILANX" time "${x[@]}" --append
: >"$work/empty"
check "an empty file is fine" exits 0 "$BILANX" time "${x[@]}" -o "$work/empty"
check "a device is fine" exits 0 "$BILANX" time "${x[@]}" -o /dev/null
mkfifo "$work/fifo"
through_a_pipe() {
    cat "$work/fifo" >"$work/piped" &
    exits 0 "$BILANX" time "${x[@]}" -o "$work/fifo" && wait && records_in "$work/piped" 1
}
check "a pipe is fine" through_a_pipe
ln -s a.jsonl "$work/link"
check "a link stays one" exits 0 "$BILANX" time "${x[@]}" -o "$work/link" --overwrite
check "... to the same file" bash -c "[ -L '$work/link' ] && [ -s '$work/a.jsonl' ]"

cp "$work/a.jsonl" "$work/b.jsonl"
check "what is read is not written to" untouched "$work/b.jsonl" "$BILANX" ab --A "file:$work/b.jsonl" --B "file:$work/a.jsonl" -o "$work/b.jsonl" --overwrite
check "... it says" err "b.jsonl' is what side A reads"
check "... by another name" untouched "$work/a.jsonl" "$BILANX" ab --A "file:$work/b.jsonl" --B "file:$work/a.jsonl" -o "$work/link" --append
check "... nor converted onto itself" untouched "$work/b.jsonl" "$BILANX" convert "$work/b.jsonl" "$work/b.jsonl" --to google
check "results replace results" bash -c "'$BILANX' convert '$work/b.jsonl' '$work/g.json' --to google && '$BILANX' convert '$work/b.jsonl' '$work/g.json' --to hyperfine"

# An export replaces the previous one.
check "an exported table" exits 0 "$BILANX" time --runs 2 --export-csv "$work/t.csv" --export-markdown "$work/t.md" -- true
check "... is replaced by the next" exits 0 "$BILANX" time --runs 2 --export-csv "$work/t.csv" --export-markdown "$work/t.md" -- true

# A table for a spreadsheet.
check "--csv-safe" exits 0 "$BILANX" time 'x++' --label '=1+1' -s 'volatile long x=0' --max-run-time 5ms -q --format csv --csv-safe
check "... keeps a name from passing for a formula" out "^'=1+1,"
check "... in an export, too" exits 0 "$BILANX" time --runs 2 -n '@x' --csv-safe --export-csv "$work/t.csv" -- true
check "... of commands" grep -q "^'@x," "$work/t.csv"

# Two runs at once.
printf 'benchmarks:\n' >"$work/many.yaml"
for i in $(seq 12); do printf '  case %d: {stmt: x += %d, setup: volatile long x = 0}\n' "$i" "$i"; done >>"$work/many.yaml"
at_once() {
    local i ended=()
    rm -f "$work/once.jsonl"
    for i in 1 2 3; do
        "$BILANX" run "$work/many.yaml" --resume "$work/once.jsonl" --max-run-time 20ms -q >/dev/null 2>"$work/err.$i" &
    done
    wait
    for i in 1 2 3; do ended+=("$(grep -c 'is writing to it' "$work/err.$i")"); done
    cat "$work"/err.[123]
    records_in "$work/once.jsonl" 12 && [ "${ended[0]}${ended[1]}${ended[2]}" != 000 ]
}
check "three at once write each record once" at_once
check "... and the others say who writes" grep -q "once.jsonl': process [0-9]* (bilanx) is writing to it" "$work"/err.[123]

# Cases cut short are measured again, and nothing is written twice.
"$BILANX" run "$work/s.yaml" -o "$work/cut.jsonl" --max-run-time 5ms -q >/dev/null
python3 - "$work/cut.jsonl" <<'PYTHON'
import json, sys
one, two = [json.loads(line) for line in open(sys.argv[1])]
one['warnings'] = [{'code': 'interrupted', 'text': 'stopped by ^C'}]
bare = dict(one['task'])
del bare['compile']  # as of one that the compiler did not survive
failed = dict(schema=one['schema'], kind='failure', task=bare, error={'code': 'crashed', 'phase': 'compile', 'text': 'x'})
with open(sys.argv[1], 'w') as file:
    for record in (failed, one, two, dict(two, task=dict(two['task'], stmt='another'))):
        file.write(json.dumps(record, separators=(',', ':')) + '\n')
PYTHON
check "--resume measures what was interrupted" exits 0 "$BILANX" run "$work/s.yaml" --resume "$work/cut.jsonl" --max-run-time 5ms
check "... only that" err '2 cases: 1 measured, 1 before'
check "... and has each once" records "$work/cut.jsonl" "
assert len(r) == 3 and not any(w['code'] == 'interrupted' for one in r for w in one['warnings'])
assert sorted(one['task']['stmt'] for one in r) == ['another', 'x++', 'x--']"
printf 'benchmarks:\n  one: {stmt: x++, setup: volatile long x = 0}\n  two: {stmt: nothing, requires: "program:no-such-command"}\n' >"$work/skipped.yaml"
check "what was skipped" exits 0 "$BILANX" run "$work/skipped.yaml" -o "$work/skipped.jsonl" --max-run-time 5ms -q
check "... is not written twice" exits 0 "$BILANX" run "$work/skipped.yaml" --resume "$work/skipped.jsonl" --max-run-time 5ms -q
check "... it is not" records_in "$work/skipped.jsonl" 2

# Contradictory options.
check "more than the most" exits 2 "$BILANX" time "${x[@]}" --min-run-time 3s
check "... it says" err 'min-run-time 3 s is more than --max-run-time 0.005 s'
check "... of commands" exits 2 "$BILANX" time --min-run-time 3s --max-run-time 5ms -- true
check "a batch without end" exits 2 "$BILANX" time 'x++' -s 'volatile long x=0' --number 9223372036854775808 -q
check "... it says" err 'at least .* s without an answer, but --timeout is 60 s'
check "blocks without end" exits 2 "$BILANX" time 'x++' -s 'volatile long x=0' --method timeit --number 1000000 --repeats 1000000 -q
check "a warm-up that is longer than the time-out" exits 2 "$BILANX" time "${x[@]}" --warmup 2s --timeout 1s
check "one process that measures for longer than the time-out" exits 2 "$BILANX" time 'x++' -s 'volatile long x=0' --method blocked --min-run-time 2s --timeout 1s
check "a suite, too" exits 2 "$BILANX" run "$work/s.yaml" --min-run-time 3s --max-run-time 5ms
plan
