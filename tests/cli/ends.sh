#!/usr/bin/env bash
# How a run may end early: ^C, kill, a full disk. Completed measurements are kept.
. "$(dirname "$0")/cli.bash"

# start NAME COMMAND...: runs it in the background, with a fresh file of marks.
start() {
    rm -f "$work/marks" "$work/r.jsonl"
    # Under nohup, SIGHUP would be ignored.
    MARKS=$work/marks env --default-signal=HUP "$@" >"$work/out" 2>"$work/err" </dev/null &
    controller=$!
}
marked() { [ "$(wc -l <"$work/marks" 2>/dev/null || echo 0)" -ge "$1" ]; }
kept() { [ "$(wc -l <"$work/r.jsonl" 2>/dev/null || echo 0)" -ge "$1" ]; }
last_child() { tail -n 1 "$work/marks" | cut -d' ' -f2; }
# finish: waits for the controller; `ended STATUS` then checks its status.
finish() {
    wait $controller 2>/dev/null
    status=$?
}
ended() { echo "status $status"; cat "$work/err"; [ $status = "$1" ]; }

good=(--filter calls --overwrite -o "$work/r.jsonl")
for way in alone command; do
    if [ $way = alone ]; then prefix=(); else prefix=("$BILANX" run); fi

    start "${prefix[@]}" "$GOOD" "${good[@]}" --method blocked --min-run-time 5ms --repeats 100000
    check "$way: records are written as they are completed" soon kept 3
    kill -INT $controller
    finish
    check "$way: ^C exits with 130" ended 130
    check "$way: ... and keeps the records" records "$work/r.jsonl" "assert len(r) >= 3 and all('stats' in m for m in r)"
    check "$way: ... and shows them" out '^calls '
    check "$way: ... and leaves no process" soon gone "$(last_child)"

    start "${prefix[@]}" "$GOOD" "${good[@]}" --precision 1e-9 --max-run-time 100
    check "$way: a case is running" soon marked 14
    kill -TERM $controller
    finish
    check "$way: SIGTERM ends it, too" ended 130
    check "$way: ... and the partial case is a record that says so" records "$work/r.jsonl" "
assert len(r) == 1 and 'interrupted' in [w['code'] for w in r[0]['warnings']] and len(r[0]['epochs']) >= 2"

    start "${prefix[@]}" "$GOOD" "${good[@]}" --precision 1e-9 --max-run-time 100
    check "$way: a case is running again" soon marked 14
    kill -HUP $controller
    finish
    check "$way: losing the terminal ends it with 129" ended 129
    check "$way: ... and keeps the partial case as well" records "$work/r.jsonl" "
assert len(r) == 1 and 'interrupted' in [w['code'] for w in r[0]['warnings']] and len(r[0]['epochs']) >= 2"

    start "${prefix[@]}" "$FAULTS" --filter '^(hang|fine)$' --max-run-time 5ms --overwrite -o "$work/r.jsonl"
    check "$way: a case hangs" soon marked 1
    kill -9 "$(last_child)"
    finish
    check "$way: killing a measured process fails its case" ended 1
    check "$way: ... and no other" records "$work/r.jsonl" "
assert by['hang']['error']['code'] == 'crashed' and 'signal 9' in by['hang']['error']['text']
assert by['fine']['kind'] == 'measurement'"

    start "${prefix[@]}" "$FAULTS" --filter '^hang$'
    check "$way: a case hangs again" soon marked 1
    kill -9 $controller
    finish 2>/dev/null
    check "$way: killing the controller kills its processes" soon gone "$(last_child)"
done

check "a full disk for the records fails" exits 1 "$GOOD" --filter calls --max-run-time 5ms -o /dev/full
check "... and the message says so" err "cannot write '/dev/full': No space left"
check "... but the table is shown" out '^calls '
full() { timeout 60 "$@" >/dev/full 2>"$work/err"; status=$?; cat "$work/err"; [ $status = 1 ]; }
check "a full disk for the table fails a program run alone" full "$GOOD" --filter calls "${quick[@]}"
check "... and under the command" full "$BILANX" run "$GOOD" --filter calls "${quick[@]}"
check "... and for --list" full "$GOOD" --list
check "a file that cannot be written fails" exits 1 "$GOOD" --filter calls -o "$work/no/where"
check "... before anything is measured" empty out
check "... and the message names it" err "cannot write '$work/no/where': No such file"
check "a directory instead of a file fails" exits 1 "$GOOD" --filter calls -o "$work"

# Closed descriptors must not be reused.
declare -A closed=([stdin]='<&-' [stdout]='>&-' [stderr]='2>&-' [everything]='<&- >&- 2>&-')
# without WHAT COMMAND...: still measures one case.
without() {
    local what=$1
    shift
    rm -f "$work/r.jsonl"
    timeout 60 bash -c "exec \"\$@\" ${closed[$what]}" bash "$@"
    status=$?
    echo "status $status"
    [ $status = 0 ] && records "$work/r.jsonl" "assert len(r) == 1 and r[0]['kind'] == 'measurement', r"
}
printf 'benchmarks:\n  one: {stmt: x++, setup: volatile long x = 0}\n' >"$work/one.yaml"
export XDG_CACHE_HOME=$work/cache
for what in "${!closed[@]}"; do
    check "without $what: a statement" without "$what" "$BILANX" time 'x++' -s 'volatile long x = 0' --max-run-time 5ms --overwrite -o "$work/r.jsonl"
    check "without $what: a suite" without "$what" "$BILANX" run "$work/one.yaml" --max-run-time 5ms --overwrite -o "$work/r.jsonl"
    check "without $what: a program" without "$what" "$GOOD" --filter calls --max-run-time 5ms --overwrite -o "$work/r.jsonl"
    check "without $what: a command" without "$what" "$BILANX" time --runs 3 --overwrite -o "$work/r.jsonl" -- true
done

# A limit on file sizes is an error and does not kill it.
limited() {
    rm -f "$work/r.jsonl"
    bash -c 'ulimit -f 4; exec "$@"' bash "$@" --overwrite -o "$work/r.jsonl" >"$work/out" 2>"$work/err"
    status=$?
    cat "$work/err"
    [ $status = 1 ] && err "cannot write '$work/r.jsonl': File too large" && records "$work/r.jsonl" "assert len(r) >= 1"
}
check "a limit of 4 KB on files keeps complete records and is reported" limited "$GOOD" --filter calls --method blocked --min-run-time 2ms --repeats 40
check "... under the command, too" limited "$BILANX" run "$GOOD" --filter calls --method blocked --min-run-time 2ms --repeats 40

python3 -c "
for i in range(3000):
    print('{\"schema\":\"bilanx/1\",\"kind\":\"measurement\",\"task\":{\"stmt\":\"x%d\"},\"number_per_run\":1,\"raw_times\":[%s]}' % (i, ','.join(['1e-6'] * 2000)))" >"$work/large.jsonl"
out_of_memory() { run bash -c "ulimit -v 45000; exec '$BILANX' compare '$work/large.jsonl'"; cat "$work/err"; [ $status = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] && err 'bilanx: out of memory: '; }
check "running out of memory is one line and an ordinary failure" out_of_memory
if [ "$(id -u)" = 0 ]; then
    # A root that holds everything but /proc. In a chroot, whose root is no mount, nothing can be made private.
    mkdir "$work/bare"
    own_mounts=(unshare --mount)
    "${own_mounts[@]}" true 2>/dev/null || own_mounts+=(--propagation unchanged)
    without_proc() {
        exits 1 "${own_mounts[@]}" bash -c "mount --bind / '$work/bare' && for inner in /tmp /dev '$(dirname "$BILANX")'; do
            mount --bind \$inner '$work/bare'\$inner; done && exec chroot '$work/bare' '$BILANX' time 'x + 1' -s 'int x = 1'"
    }
    check "without /proc, statements fail" without_proc
    check "... and the message says what is missing" err '/proc is not mounted'
fi

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    cp "$BILANX" "$work/bilanx"
    cp "$GOOD" "$work/good"
    mkdir -m 777 "$work/open"
    chmod 755 "$work" "$work/bilanx" "$work/good"
    check "any user can measure" exits 0 "${nobody[@]}" "$work/bilanx" run "$work/good" --filter calls "${quick[@]}" -o "$work/open/r.jsonl"
    check "... and keep the records" records "$work/open/r.jsonl" "assert len(r) == 1"
    touch "$work/roots.jsonl"
    check "... but not in a file of another user" exits 1 "${nobody[@]}" "$work/good" --filter calls -o "$work/roots.jsonl"
    check "... which the message names" err "roots.jsonl': Permission denied"
fi

plan
