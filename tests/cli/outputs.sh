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
check "a source is not overwritten" untouched "$work/y.c" "$BILANX" time 'f(1)' --source "$work/y.c" -o "$work/y.c" --max-run-time 5ms -q
check "... and the message says why" err "y.c' does not contain records, so it was not overwritten"
check "... not even with --overwrite" untouched "$work/y.c" "$BILANX" time 'f(1)' --source "$work/y.c" -o "$work/y.c" --overwrite -q
check "... nor with --append" untouched "$work/y.c" "$BILANX" time 'f(1)' --source "$work/y.c" -o "$work/y.c" --append -q
check "... nor by count" untouched "$work/y.c" "$BILANX" count 'f(1)' --source "$work/y.c" -o "$work/y.c" -q
check "... nor by count --retain" untouched "$work/y.c" "$BILANX" count 'f(1)' --source "$work/y.c" --retain "$work/y.c" -q
check "... nor by ab" untouched "$work/y.c" "$BILANX" ab --A cc:gcc --B 'cc:gcc -O3' --stmt 'f(1)' --source "$work/y.c" -o "$work/y.c" -q
check "... nor by convert" untouched "$work/y.c" "$BILANX" convert "$work/none" "$work/y.c" --to google
printf 'benchmarks:\n  one: {stmt: x++, setup: volatile long x = 0}\n  two: {stmt: x--, setup: volatile long x = 0}\n' >"$work/s.yaml"
check "a suite is not overwritten" untouched "$work/s.yaml" "$BILANX" run "$work/s.yaml" -o "$work/s.yaml" --max-run-time 5ms -q
check "... nor resumed" untouched "$work/s.yaml" "$BILANX" run "$work/s.yaml" --resume "$work/s.yaml" --max-run-time 5ms -q
cp "$GOOD" "$work/good"
check "a program is not overwritten" exits 2 "$BILANX" run "$work/good" -o "$work/good" --max-run-time 5ms -q
check "... and still runs" exits 0 "$work/good" --list
check "a program run alone does not overwrite a source" untouched "$work/y.c" "$GOOD" -o "$work/y.c" -q
check "time -- COMMAND does not overwrite a source" untouched "$work/y.c" "$BILANX" time -o "$work/y.c" -- true
check "... nor with --export-csv" untouched "$work/y.c" "$BILANX" time --export-csv "$work/y.c" -- true
check "... nor with --export-markdown" untouched "$work/y.c" "$BILANX" time --export-markdown "$work/y.c" -- true

check "a new file is written" exits 0 "$BILANX" time "${x[@]}" -o "$work/a.jsonl"
check "records are not overwritten silently" untouched "$work/a.jsonl" "$BILANX" time "${x[@]}" -o "$work/a.jsonl"
check "... and the message says what to do" err "a.jsonl' already contains records: --append adds to them, --overwrite replaces them"
check "--append works" exits 0 "$BILANX" time "${x[@]}" -o "$work/a.jsonl" --append
check "... and adds a record" records_in "$work/a.jsonl" 2
printf '{"schema":"bilanx/1","kind":"meas' >>"$work/a.jsonl"
check "--append drops a partial line" exits 0 "$BILANX" time "${x[@]}" -o "$work/a.jsonl" --append
check "... and nothing else" records_in "$work/a.jsonl" 3
printf %s "$(cat "$work/a.jsonl")" >"$work/a.jsonl"
check "--append completes a last line without a newline" exits 0 "$BILANX" time "${x[@]}" -o "$work/a.jsonl" --append
check "... so that each record has its own line" records_in "$work/a.jsonl" 4
check "--overwrite works" exits 0 "$BILANX" time "${x[@]}" -o "$work/a.jsonl" --overwrite
check "... and replaces everything" records_in "$work/a.jsonl" 1
check "--overwrite and --append together are a usage error" exits 2 "$BILANX" time "${x[@]}" -o "$work/a.jsonl" --overwrite --append
check "--append without a file is a usage error" exits 2 "$BILANX" time "${x[@]}" --append
: >"$work/empty"
check "an empty file can be written to" exits 0 "$BILANX" time "${x[@]}" -o "$work/empty"
check "a device can be written to" exits 0 "$BILANX" time "${x[@]}" -o /dev/null
mkfifo "$work/fifo"
through_a_pipe() {
    cat "$work/fifo" >"$work/piped" &
    exits 0 "$BILANX" time "${x[@]}" -o "$work/fifo" && wait && records_in "$work/piped" 1
}
check "a pipe can be written to" through_a_pipe
ln -s a.jsonl "$work/link"
check "a link stays a link" exits 0 "$BILANX" time "${x[@]}" -o "$work/link" --overwrite
check "... to the same file" bash -c "[ -L '$work/link' ] && [ -s '$work/a.jsonl' ]"

cp "$work/a.jsonl" "$work/b.jsonl"
check "an input is not overwritten" untouched "$work/b.jsonl" "$BILANX" ab --A "file:$work/b.jsonl" --B "file:$work/a.jsonl" -o "$work/b.jsonl" --overwrite
check "... and the message says why" err "b.jsonl' is what side A reads"
check "... not even through a link" untouched "$work/a.jsonl" "$BILANX" ab --A "file:$work/b.jsonl" --B "file:$work/a.jsonl" -o "$work/link" --append
check "... nor converted onto itself" untouched "$work/b.jsonl" "$BILANX" convert "$work/b.jsonl" "$work/b.jsonl" --to google
check "results may replace results" bash -c "'$BILANX' convert '$work/b.jsonl' '$work/g.json' --to google && '$BILANX' convert '$work/b.jsonl' '$work/g.json' --to hyperfine"

# Every command that reads files and writes files: an output is never an input.
cp "$work/b.jsonl" "$work/in.jsonl"
printf 'a;b 3\na;c 4\n' >"$work/p.folded"
"$BILANX" flame "$work/p.folded" --record "$work/stacks.jsonl" -q >/dev/null
"$BILANX" fuzz binary --take 1 -o "$work/samples.jsonl" >/dev/null
ln -sf in.jsonl "$work/way.jsonl"
never_an_input() { # FILE COMMAND...
    untouched "$@" && err "': choose another output file\|is the input\|what .* reads\|also an input" && [ -z "$(ls "$work"/*.?????? 2>/dev/null | grep -v 'jsonl$\|folded$')" ]
}
for out in in.jsonl way.jsonl ./in.jsonl; do
    o=$work/$out
    for how in --append --overwrite; do
        check "run $how does not write to its costs as $out" never_an_input "$work/in.jsonl" "$BILANX" run "$work/s.yaml" --shard 1/2 --shard-costs "$work/in.jsonl" -o "$o" $how -q
        check "ab $how does not write to a side as $out" never_an_input "$work/in.jsonl" "$BILANX" ab --A "file:$work/in.jsonl" --B "file:$work/a.jsonl" -o "$o" $how -q
        check "count $how does not write to its costs as $out" never_an_input "$work/in.jsonl" "$BILANX" count "$work/s.yaml" --shard 1/2 --shard-costs "$work/in.jsonl" -o "$o" $how -q
    done
    check "convert does not write to its input as $out" never_an_input "$work/in.jsonl" "$BILANX" convert "$work/in.jsonl" "$o"
    check "merge --append does not write to its input as $out" never_an_input "$work/in.jsonl" "$BILANX" merge "$work/a.jsonl" "$work/in.jsonl" -o "$o" --append -q
done
check "flame does not write to its input" never_an_input "$work/p.folded" "$BILANX" flame "$work/p.folded" --folded "$work/p.folded"
check "... of --from" never_an_input "$work/p.folded" "$BILANX" flame --from "$work/p.folded" --folded "$work/p.folded"
check "... of --diff" never_an_input "$work/p.folded" "$BILANX" flame --diff "$work/stacks.jsonl" "$work/p.folded" --folded "$work/p.folded"
check "... of records" never_an_input "$work/stacks.jsonl" "$BILANX" flame "$work/stacks.jsonl" --record "$work/stacks.jsonl"
check "fuzz does not write to its specification" never_an_input "$work/samples.jsonl" "$BILANX" fuzz "$work/samples.jsonl" -o "$work/samples.jsonl" --overwrite
check "ops does not write to its log" never_an_input "$work/in.jsonl" "$BILANX" ops "$work/in.jsonl" -o "$work/in.jsonl" --append
check "time -- COMMAND does not write to its input" never_an_input "$work/in.jsonl" "$BILANX" time --input "$work/in.jsonl" -o "$work/in.jsonl" --append -- cat

# merge: what is replaced as a whole may be an input, and is replaced at once.
mkdir "$work/d"
"$BILANX" run "$work/s.yaml" -o "$work/d/1.jsonl" --max-run-time 5ms -q >/dev/null
head -n 1 "$work/d/1.jsonl" >"$work/d/2.jsonl"
check "merge --append does not read its output in a folder" never_an_input "$work/d/2.jsonl" "$BILANX" merge "$work/d" -o "$work/d/2.jsonl" --append -q
check "merge --overwrite may replace an input" exits 0 "$BILANX" merge "$work/d/2.jsonl" "$work/d/1.jsonl" -o "$work/d/2.jsonl" --overwrite -q
check "... by all records, each once" records_in "$work/d/2.jsonl" 2
chmod 640 "$work/d/2.jsonl"
check "... with the same mode" bash -c "'$BILANX' merge '$work/d/2.jsonl' -o '$work/d/2.jsonl' --overwrite -q && [ \$(stat -c %a '$work/d/2.jsonl') = 640 ]"
cp "$work/d/1.jsonl" "$work/old.jsonl"
no_space() {
    (ulimit -f 1 && trap '' XFSZ && exec "$BILANX" merge "$work/old.jsonl" "$work/d/1.jsonl" "$work/a.jsonl" -o "$work/old.jsonl" --overwrite -q 2>"$work/err")
    [ $? = 1 ] && err 'cannot write' && cmp "$work/old.jsonl" "$work/d/1.jsonl" && ! ls "$work"/old.jsonl.*
}
check "a full disk leaves the old file" no_space
python3 - "$work/d/1.jsonl" "$work/many.jsonl" <<'PYTHON'
import json, sys
record = json.loads(open(sys.argv[1]).readline())
with open(sys.argv[2], 'w') as file:
    for record['place'] in range(1, 5001):
        file.write(json.dumps(record, separators=(',', ':')) + '\n')
PYTHON
killed() {
    local pause
    for pause in 0.005 0.01 0.02 0.03 0.05 0.1; do
        timeout -s KILL $pause "$BILANX" merge "$work/many.jsonl" -o "$work/many.jsonl" --overwrite -q
        records_in "$work/many.jsonl" 5000 >/dev/null || return
    done
    rm -f "$work"/many.jsonl.*
}
check "a kill leaves the old file, or the new one" killed
# The old file keeps its contents: a second name shows that.
beside() { # FILE COMMAND...
    local file=$1
    shift
    rm -f "$work/second" && ln "$file" "$work/second" && cp "$file" "$work/before" || return
    exits 0 "$@" && cmp "$work/second" "$work/before" && [ ! "$file" -ef "$work/second" ]
}
check "merge writes beside the file and renames" beside "$work/old.jsonl" "$BILANX" merge "$work/old.jsonl" -o "$work/old.jsonl" --overwrite -q
"$BILANX" flame "$work/p.folded" -o "$work/old.svg" --folded "$work/old.folded" -q
check "... flame, too" beside "$work/old.svg" "$BILANX" flame "$work/p.folded" -o "$work/old.svg" -q
check "... its stacks" beside "$work/old.folded" "$BILANX" flame "$work/p.folded" --folded "$work/old.folded" -q
"$BILANX" convert "$work/in.jsonl" "$work/old.json" --to google 2>/dev/null
check "... convert" beside "$work/old.json" "$BILANX" convert "$work/in.jsonl" "$work/old.json" --to google
exports=(--export-csv "$work/old.csv" --export-json "$work/old_runs.json" --export-markdown "$work/old.md")
"$BILANX" time --runs 2 "${exports[@]}" -- true >/dev/null 2>&1
for one in old.csv old_runs.json old.md; do
    check "... time, $one" beside "$work/$one" "$BILANX" time --runs 2 "${exports[@]}" -- true
done

# One file for two outputs, of every command: all pairs of its options that name an output. What is not in this list
# of inputs is one.
inputs=' source include compile-commands program shard-costs cases cluster-folder from inp-file input save profile '
outputs_of() { # COMMAND: one option per line
    "$BILANX" "$1" --help | sed '/^Usage: bilanx ops record/,$d' | sed -nE 's/^ +(-., )?--([a-z-]+)[ =[]+[^ ]*(FILE|DIR|LOG).*/\2/p' | sort -u | while read -r name; do
        [[ $inputs == *" $name "* ]] || echo "$name"
    done
}
pairs_of() { # COMMAND
    local one two names rest=()
    mapfile -t names < <(outputs_of "$1")
    for one in "${names[@]}"; do
        for two in "${names[@]}"; do
            [[ $one < $two ]] && [ "$one $two" != 'json resume' ] || continue
            # Commands of `time` go after "--", and so do its exports; statements have others.
            rest=()
            [ "$1" != time ] || [[ "$one $two" != *export* && "$one $two" != *output* ]] || rest=(-- true)
            rm -f "$work/two"
            exits 2 "$BILANX" "$1" --"$one" "$work/two" --"$two" "$work/d/../two" "${rest[@]}" && err "name the same file, '.*two'" &&
                [ ! -e "$work/two" ] && empty out || { echo "$1 --$one --$two"; return 1; }
            for option in "$one" "$two"; do
                err "$(sed 's/^json$/-o/; /^-o$/!s/^/--/' <<<"$option")\|-o" || return
            done
        done
    done
}
for command in ab cluster count flame fuzz merge ops run time; do
    check "$command refuses one file for two outputs" pairs_of $command
done
check "every command with outputs was walked" bash -c "! '$BILANX' --help | grep -oE '^  [a-z]+' | grep -vxE '  (ab|cluster|count|flame|fuzz|merge|ops|run|time|help)' | while read -r one; do '$BILANX' \$one --help | grep -E -- '--[a-z-]+[ =[]+[^ ]*FILE' && echo \$one; done | grep ."
check "... and there are some" test "$(outputs_of flame | wc -l)" -ge 4
check "both options are named" exits 2 "$BILANX" flame "$work/p.folded" -o "$work/x.svg" --folded "$work/x.svg"
check "... in the message" err "-o and --folded name the same file, '.*x.svg'"
check "exports are refused before anything is measured" exits 2 "$BILANX" time --export-json "$work/e" --export-csv "$work/e" -- touch "$work/ran"
check "... at all" test ! -e "$work/ran"
check "a statement may look like the output" bash -c "cd '$work' && '$BILANX' time x -s 'volatile long x = 0' -o x --max-run-time 5ms -q"
check "/dev/null may be named twice" exits 0 "$BILANX" flame "$work/p.folded" -o /dev/null --folded /dev/null

# An export replaces the previous one.
check "a table is exported" exits 0 "$BILANX" time --runs 2 --export-csv "$work/t.csv" --export-markdown "$work/t.md" -- true
check "... and replaced by the next one" exits 0 "$BILANX" time --runs 2 --export-csv "$work/t.csv" --export-markdown "$work/t.md" -- true

# A table for a spreadsheet.
check "--csv-safe works" exits 0 "$BILANX" time 'x++' --label '=1+1' -s 'volatile long x=0' --max-run-time 5ms -q --format csv --csv-safe
check "... and keeps names from becoming formulas" out "^'=1+1,"
check "... in an export, too" exits 0 "$BILANX" time --runs 2 -n '@x' --csv-safe --export-csv "$work/t.csv" -- true
check "... for commands" grep -q "^'@x," "$work/t.csv"

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
check "three runs at once write each record once" at_once
check "... and the others say which process is writing" grep -q "once.jsonl': process [0-9]* (bilanx) is writing to it" "$work"/err.[123]

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
check "--resume measures interrupted cases again" exits 0 "$BILANX" run "$work/s.yaml" --resume "$work/cut.jsonl" --max-run-time 5ms
check "... and only those" err '2 cases: 1 measured, 1 before'
check "... and each case is there once" records "$work/cut.jsonl" "
assert len(r) == 3 and not any(w['code'] == 'interrupted' for one in r for w in one['warnings'])
assert sorted(one['task']['stmt'] for one in r) == ['another', 'x++', 'x--']"
printf 'benchmarks:\n  one: {stmt: x++, setup: volatile long x = 0}\n  two: {stmt: nothing, requires: "program:no-such-command"}\n' >"$work/skipped.yaml"
check "a skipped case is recorded" exits 0 "$BILANX" run "$work/skipped.yaml" -o "$work/skipped.jsonl" --max-run-time 5ms -q
check "--resume does not repeat it" exits 0 "$BILANX" run "$work/skipped.yaml" --resume "$work/skipped.jsonl" --max-run-time 5ms -q
check "... so it is there once" records_in "$work/skipped.jsonl" 2

# Contradictory options.
check "--min-run-time above --max-run-time is a usage error" exits 2 "$BILANX" time "${x[@]}" --min-run-time 3s
check "... and the message says why" err 'min-run-time 3 s is more than max-run-time 0.005 s'
check "... for commands, too" exits 2 "$BILANX" time --min-run-time 3s --max-run-time 5ms -- true
check "a batch longer than the timeout is a usage error" exits 2 "$BILANX" time 'x++' -s 'volatile long x=0' --number 9223372036854775808 -q
check "... and the message says why" err 'at least .* s without an answer, but the timeout is 60 s'
check "blocks longer than the timeout are a usage error" exits 2 "$BILANX" time 'x++' -s 'volatile long x=0' --method timeit --number 1000000 --repeats 1000000 -q
check "a warm-up longer than the timeout is a usage error" exits 2 "$BILANX" time "${x[@]}" --warmup 2s --timeout 1s
check "a single process that measures for longer than the timeout is a usage error" exits 2 "$BILANX" time 'x++' -s 'volatile long x=0' --method blocked --min-run-time 2s --timeout 1s
check "a suite checks its times, too" exits 2 "$BILANX" run "$work/s.yaml" --min-run-time 3s --max-run-time 5ms
plan
