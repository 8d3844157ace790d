#!/usr/bin/env bash
# Each fault is one failed record, and the others are measured: run directly, and by the command.
. "$(dirname "$0")/cli.bash"

faulty() {
    MARKS=$work/marks exits 1 "$@" "${quick[@]}" --timeout 2 --overwrite -o "$work/r.jsonl"
}
expect() { records "$work/r.jsonl" "e = by['$1']['error']; print(e); assert $2"; }
orphan_gone() { gone "$(sed -n 's/^orphan //p' "$work/marks" | tail -n 1)"; }

for way in alone command; do
    if [ $way = alone ]; then program=("$FAULTS"); else program=("$BILANX" run "$FAULTS"); fi
    rm -f "$work/marks"
    check "$way: faults make it exit with 1" faulty "${program[@]}"
    check "$way: every case has one record" records "$work/r.jsonl" "assert len(r) == len(by) == 26"
    check "$way: a failure has no times" records "$work/r.jsonl" "
for one in r:
    assert (one['kind'] == 'failure') == ('error' in one) == ('raw_times' not in one) == ('stats' not in one)"
    while read -r label code phase text; do
        check "$way: $label: $code in $phase" expect "$label" \
            "(e['code'], e['phase']) == ('$code', '$phase') and \"\"\"$text\"\"\" in e['text']"
    done <<'CASES'
crash crashed stmt signal 6
crash_setup crashed setup signal 6
crash_teardown crashed teardown signal 6
hang timed-out stmt no answer in 2 s
leaves exited stmt status 3
skips skipped setup no gpu here
fails failed teardown the sum is 7
fails_inside failed stmt inside
breaks failed stmt left BILANX_LOOP early
returns failed stmt left its loop
no_loop failed setup has no BILANX_LOOP
no_timed failed stmt no complete BILANX_TIMED
bad_arg failed setup asked for argument 2, but its only argument is number 0
bad_args failed setup asked for argument 2, but its arguments are numbers 0 to 1
no_arg failed setup asked for argument 'missing', but has no arguments
bad_name failed setup asked for argument 'missing', but has no argument of that name
manual_nan failed stmt not a valid time
manual_zero failed stmt take no time
thread_leaves failed setup left the loop before the others
thread_skips skipped setup thread 2 does not want
thread_crashes crashed stmt signal 6
strays failed stmt left processes running
thread_strays failed stmt left processes running
CASES
    check "$way: a failure includes the output" expect crash_setup \
        "e['output'] == 'to stdout\nabout to die\n' or e['output'] == 'about to die\nto stdout\n'"
    check "$way: the others are measured" records "$work/r.jsonl" "
assert {l for l in by if 'error' not in by[l]} == {'fine', 'orphan', 'vanishes'}
assert by['fine']['stats']['estimate'] > 0"
    check "$way: no process is left behind" soon orphan_gone
    check "$way: the table names each failure" exits 1 "${program[@]}" --filter '^crash|fine' --max-run-time 5ms
    check "$way: ... with one word" out '^crash_setup *crashed$'
    check "$way: ... and the note below says why" err '^crash_setup: crashed in setup: killed by signal 6'
    check "$way: ... and the note includes the output" err '^    about to die$'
    check "$way: skipping is not a failure" exits 0 "${program[@]}" --filter '^skips' --quiet
done

cp "$FAULTS" "$work/vanishing"
check "a program deleted during the run fails its case" env VANISH=1 \
    timeout 60 bash -c "'$BILANX' run '$work/vanishing' --filter vanishes --quiet --overwrite -o '$work/r.jsonl'; [ \$? = 1 ]"
check "... and says so" expect vanishes "e['code'] == 'system' and e['phase'] == 'start' and 'No such file' in e['text']"

plan
