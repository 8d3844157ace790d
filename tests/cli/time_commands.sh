#!/usr/bin/env bash
# bilanx time -- COMMAND: every option, every fault. TAP; BILANX names the command.
set -u
BILANX=$(realpath "${BILANX:?the bilanx to test}")
# shellcheck source=../tap.bash
. "$(dirname "$0")/../tap.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset NO_COLOR
export nap=$((1000000 + $$))  # a duration that nothing else here sleeps

# exits STATUS ARGUMENT...: runs `bilanx time` with the arguments, with its streams in out and err.
exits() {
    local wanted=$1 status
    shift
    timeout 100 "$BILANX" time "$@" >out 2>err </dev/null
    status=$?
    [ $status = "$wanted" ] || { echo "status $status, not $wanted"; cat out err; false; }
}
out() { cat out; grep -qe "$1" out; }
err() { cat err; grep -qe "$1" err; }
silent() { cat "$1"; [ ! -s "$1" ]; }
is() { [ "$1" = "$2" ] || { echo "'$1', not '$2'"; false; }; }
lines() { is "$(wc -l <"$1")" "$2"; }
# records CODE: Python with the records of r.jsonl as r.
records() {
    python3 - "$1" <<'PYTHON'
import json, sys
r = [json.loads(line) for line in open('r.jsonl', encoding='utf-8')]
for one in r:
    assert one['schema'] == 'bilanx/1' and one['kind'] in ('measurement', 'failure'), one
    assert one['task']['language'] == 'command', one
try:
    exec(sys.argv[1])
except BaseException:
    print(json.dumps(r, indent=1))
    raise
PYTHON
}
# measured CODE ARGUMENT...: succeeds, and the code accepts its records.
measured() {
    local code=$1
    shift
    exits 0 -q --overwrite -o r.jsonl "$@" && records "$code"
}
# failed CODE ARGUMENT...: exits with 1, and the code accepts its records.
failed() {
    local code=$1
    shift
    exits 1 --overwrite -o r.jsonl "$@" && records "$code"
}
usage() {
    local text=$1
    shift
    exits 2 "$@" && silent out && err "$text"
}

# Measuring
table() { exits 0 -r 6 -- true && out '^command  *time  *± .* user  *system  *memory  *runs' && out '^true .* 6\( \|$\)'; }
check "the table shows times, user, system, memory and runs" table
check "the record is complete" measured "
m, = r
assert m['kind'] == 'measurement' and m['method'] == 'runs' and m['number_per_run'] == 1, m
assert len(m['raw_times']) == len(m['raw_cpu_times']) == 7 and min(m['raw_times']) > 0
assert m['task']['stmt'] == 'true' and 'label' not in m['task'] and m['task']['command'] == {'argv': ['true']}
assert set(m['counters']) == {'user_time', 'system_time'}
assert m['machine']['clock'] == 'monotonic-raw' and m['elapsed'] >= sum(m['raw_times'])
assert 'ratio' not in m" -r 7 -- true
check "peak memory is that of the command" measured "assert r[0]['max_rss'] > 50e6, r[0]['max_rss']" \
    -r 2 -- python3 -c 'x = b"x" * 60_000_000'
check "sleeping takes time but no CPU time" measured "
assert min(r[0]['raw_times']) >= .02 and max(r[0]['raw_cpu_times']) < max(r[0]['raw_times'])" -r 3 -- sleep .02
check "every run is one call" measured "assert len(r[0]['raw_times']) == 5" -r 5 -w 2 -- sh -c 'echo x >>calls'
check "... and so is a warm-up" lines calls 7
check "there are at least ten runs" measured "assert len(r[0]['raw_times']) == 10" --max-run-time 1ms -- true
check "--min-runs works" measured "assert len(r[0]['raw_times']) == 13" -m 13 --max-run-time 1ms -- true
check "--max-runs works" measured "assert len(r[0]['raw_times']) == 3" -M 3 -- true
check "--min-run-time and --max-run-time work" measured "assert r[0]['elapsed'] >= .3" \
    --min-run-time .2 --max-run-time .3 -m 1 --precision 0.0000001 -- true
check "--precision ends a run early" measured "assert len(r[0]['raw_times']) < 1000" \
    --precision 100 --min-run-time 1ms --max-run-time 60 -- true

# Several commands
pair() { exits 0 -q -r 12 --overwrite -o r.jsonl -- sleep .001 --and sleep .06 && out '^sleep .06 is [0-9.]* times slower than sleep .001 ([0-9.]* .. [0-9.]*)$'; }
check "a difference is shown with its interval" pair
check "... and recorded with it" records "
a, b = sorted(r, key=lambda m: m['task']['stmt'])
assert 'ratio' not in a and b['ratio']['to'] == 'sleep .001' and b['ratio']['pairs'] == 12, b
low, high = b['ratio']['ci95']
assert 1 < low <= b['ratio']['estimate'] <= high"
few() { exits 0 -q -r 3 -- true --and true && out '(too few runs for an interval)'; }
check "three runs have no interval" few
interleaved() {
    rm -f log
    exits 0 -q -r 20 --seed 5 -- sh -c 'echo a >>log' --and sh -c 'echo b >>log' || return
    # Rounds of two, in both orders.
    paste -d '' - - <log | sort | uniq -c >rounds
    cat rounds
    grep -q ' ab$' rounds && grep -q ' ba$' rounds && is "$(wc -l <rounds)" 2
}
check "runs are interleaved in rounds, in random order" interleaved
seeded() { cp log first && interleaved && cmp first log; }
check "--seed repeats the order" seeded
sequential() {
    rm -f log
    exits 0 -q -r 4 --order sequential -- sh -c 'echo a >>log' --and sh -c 'echo b >>log' || return
    is "$(tr -d '\n' <log)" aaaabbbb && out 'not run side by side, so no interval'
}
check "--order sequential works" sequential
quick_and_slow() {
    exits 0 -q --overwrite -o r.jsonl --max-run-time .5 --precision 1e-9 -m 4 -- sleep .15 --and true &&
        records "
n = {m['task']['stmt']: len(m['raw_times']) for m in r}
assert n['sleep .15'] == 4 and n['true'] > 4, n
assert [m['ratio']['pairs'] for m in r if 'ratio' in m] == [4]"
}
check "a quick command continues when a slow one is done" quick_and_slow

# Names and data
nasty=$'a b\'c"d\\e$HOME`f`|g;h&i<j>k*l?m~n#o!p(q)[r]{s}\tt%u %s %n \u00e9\u65e5\U1F600'
echo 'printf "%s" "$1" >seen' >see
check "metacharacters and Unicode stay data" measured "
m, = r
assert m['task']['command']['argv'][2] == '''$(sed "s/[\\\\']/\\\\&/g" <<<"$nasty")''', m" -r 1 -- sh see "$nasty"
check "... all the way to the command" is "$(cat seen)" "$nasty"
check "... and the line can be pasted into a shell" bash -c "rm seen; eval \"\$(python3 -c '
import json; print(json.load(open(\"r.jsonl\"))[\"task\"][\"stmt\"])')\"; [ \"\$(cat seen)\" = \"\$0\" ]" "$nasty"
check "names are data" measured "assert r[0]['task']['label'] == '''$(sed "s/[\\\\']/\\\\&/g" <<<"$nasty")'''" -r 1 -n "$nasty" -- true
steering() { exits 0 -r 1 -n $'\033[31mred\007' -- true && ! grep -q $'[\033\007]' out err && out '\\x1b\[31mred'; }
check "a name cannot control the terminal" steering
broken() { exits 0 -q -r 1 --overwrite -o r.jsonl -- true $'\xff\xfe' && records "assert '\ufffd' in r[0]['task']['command']['argv'][1]"; }
check "invalid UTF-8 does not break a record" broken
check "-n names the commands in order" measured "
assert sorted(m['task']['label'] for m in r) == ['new', 'old'] and {m['task']['stmt'] for m in r} == {'true', 'true x'}" \
    -r 1 -n old --command-name new -- true --and true x
check "--label, --sub-label, --description and --env work" measured "
t = r[0]['task']
assert (t['label'], t['sub_label'], t['description'], t['env']) == ('L', 'S', 'D', 'E'), t" \
    -r 1 --label L --sub-label S --description D --env E -- true
check "with --label the commands are columns" measured "
assert {m['task']['description'] for m in r} == {'true', 'b'}" -r 1 --label L -n true -n b -- true --and true
long() { exits 0 -r 1 -- true "$(printf '%0100000d' 1)" && ! grep -qE '.{300}' out err; }
check "a long line is shortened" long

# Parameters
check "-P scans numbers" measured "
assert [m['task']['stmt'] for m in sorted(r, key=lambda m: m['task']['parameters']['n'])] == ['true 1', 'true 2', 'true 3']
assert {m['task']['sub_label'] for m in r} == {'n=1', 'n=2', 'n=3'} and {m['task']['label'] for m in r} == {'true {n}'}
assert sum('ratio' in m for m in r) == 2" -r 1 -P n 1 3 -- true '{n}'
check "-D sets the step" measured "assert {m['task']['stmt'] for m in r} == {'true 0.3', 'true 0.5', 'true 0.7'}" \
    -r 1 -P d 0.3 0.7 -D 0.2 -- true '{d}'
check "... for each scan" measured "
assert {m['task']['stmt'] for m in r} == {'true 1 0', 'true 3 0', 'true 1 4', 'true 3 4'}" \
    -r 1 -P a 1 4 -D 2 -P b 0 7 -D 4 -- true '{a}' '{b}'
check "-L lists values, and every combination is run" measured "
assert {m['task']['stmt'] for m in r} == {'true -ax', 'true -ay', 'true -bx', 'true -by'}
assert r[0]['task']['parameters'].keys() == {'f', 'g'}" -r 1 -L f a,b -L g x,y -- true '-{f}{g}'
check "values stay within their word" measured "
assert sorted(m['task']['command']['argv'][1] for m in r) == ['\$(x) ;y', 'a,b'], r" -r 1 -L f 'a\,b,$(x) ;y' -- true '{f}'
check "each command has only the parameters it uses" measured "
assert sorted(m['task']['stmt'] for m in r) == ['true', 'true 1', 'true 2']" -r 1 -P n 1 2 -- true --and true '{n}'
hooks_filled() {
    rm -f ./*.made
    exits 0 -q -r 2 -L f a,b --order interleaved -s 'touch {f}.setup.made' -p 'touch {f}.made' -c 'rm {f}.setup.made' \
        -n 'with {f}' -- cat '{f}.made' '{f}.setup.made' && out '^with b ' && is "$(echo ./*.made)" './a.made ./b.made'
}
check "... in --setup, --prepare, --cleanup and names, too" hooks_filled
grows() { exits 0 -r 2 -P n 1 4 -D 1 -- sleep '0.00{n}' && err 'sleep 0.00{n}: time grows as n^'; }
check "a scan shows how time grows" grows

# Setup, prepare, cleanup
hooks() {
    rm -f log
    exits 0 -q -r 2 -w 1 -s 'sh -c "echo s >>log"' -p 'sh -c "echo p >>log"' -c 'sh -c "echo c >>log"' -- sh -c 'echo r >>log' &&
        is "$(tr -d '\n' <log)" sprprprc
}
check "setup runs once, prepare before each run, cleanup once" hooks
each() {
    rm -f log
    exits 0 -q -r 1 -p 'sh -c "echo 1 >>log"' -p 'sh -c "echo 2 >>log"' -- sh -c 'echo a >>log' --and sh -c 'echo b >>log' || return
    grep -qx '1a2b\|2b1a' <(tr -d '\n' <log && echo)
}
check "each command can have its own --prepare" each
same_setup() {
    rm -f log
    exits 0 -q -r 1 -s 'sh -c "echo s >>log"' -c 'sh -c "echo c >>log"' -- true --and true x && is "$(tr -d '\n' <log)" sc
}
check "a shared setup runs once for all" same_setup
other_setups() {
    rm -f log
    exits 0 -r 2 -s 'cp see built-{v}' -c 'rm built-{v}' -L v a,b -- sh -c 'echo {v} >>log' && is "$(tr -d '\n' <log)" aabb &&
        err 'different setups'
}
check "commands with different setups are not interleaved" other_setups
server() {
    exits 0 -q -r 2 --shell -s 'sleep $nap & echo $! >pid' -- 'kill -0 $(cat pid)' && soon gone "$(cat pid)"
}
check "a process started by the setup lives as long as the runs" server
check "a setup that fails is a failure of its command" failed "
assert r[0]['kind'] == 'failure' and r[0]['error']['phase'] == 'setup' and r[0]['error']['code'] == 'exited', r
assert \"'sh -c \" in r[0]['error']['text'] and 'status 4' in r[0]['error']['text']
assert r[0]['error']['output'] == 'oh\n' and 'raw_times' not in r[0]" -s 'sh -c "echo oh; exit 4"' -- true
check "... and so is a prepare that fails" failed "assert r[0]['error']['phase'] == 'prepare'" -p false -- true
bad_cleanup() { exits 1 -q -r 1 --overwrite -o r.jsonl -c 'sh -c "echo why >&2; exit 9"' -- true && err "^bilanx: cleanup 'sh -c .*status 9" && err '^    why' && records "assert r[0]['kind'] == 'measurement'"; }
check "a cleanup that fails leaves the record alone" bad_cleanup
usage_quotes() { usage "^bilanx: --prepare: unclosed single quote in 'echo 'a'" -p "echo 'a" -- true; }
check "an unclosed quote is a usage error" usage_quotes
check "a hook that needs a shell says so" usage "'>' in 'echo a > b' needs a shell" -s 'echo a > b' -- true

# Shell
shell() { measured "t = r[0]['task']
assert t['stmt'] == 'echo a | cat >piped' and t['command']['argv'] == ['sh', '-c', t['stmt']] and t['command']['shell'] == 'sh', t" -r 1 "$@" -- 'echo a | cat >piped' && is "$(cat piped)" a; }
check "--shell works" shell --shell
check "--shell sh works" shell --shell sh
check "-S default works" shell -S default
check "--shell=bash works" measured "assert r[0]['task']['command']['argv'][:2] == ['bash', '-c']" -r 1 --shell=bash -- '[[ a == a ]]'
check "a shell may have options" measured "assert r[0]['task']['command']['argv'][:3] == ['bash', '--norc', '-c']" -r 1 -S 'bash --norc' -- true
check "several words are joined" measured "assert r[0]['task']['stmt'] == 'true && true'" -r 1 --shell -- true '&&' true
check "-N and --shell=none mean no shell" measured "assert 'shell' not in r[0]['task']['command']" -r 1 --shell=none -N -- true
check "hooks use the shell, too" measured "assert r[0]['task']['command']['prepare'] == 'echo a > b; true'" -r 1 --shell -p 'echo a > b; true' -- true
no_shell() { exits 1 -- 'echo a' && err "cannot find 'echo a' in PATH (type its words without quotes, and --and between commands; or add --shell)"; }
check "without a shell, one word is one program" no_shell
several() { exits 0 -r 1 --shell -- 'echo a' 'echo b' && err "^bilanx: the words after '--' are a single command: put --and between commands$"; }
check "words that look like several commands for the shell give a hint" several
check "... but not the words of one" bash -c "'$BILANX' time -r 1 --shell -- true '&&' true 2>&1 | (! grep -q -e --and)"
repeated() { exits 1 -r 1 -- false --and true && err '^[12]/2  false: exited with status 1 ' && ! err 'exited: exited'; }
check "the progress line of a failure does not repeat itself" repeated
for option in '--runs 5' --shell -N --prepare=true; do
    check "${option%% *} without '--' says where commands go" bash -c "'$BILANX' time $option 'ls -l' 2>&1 | grep -q -e \"^bilanx: ${option%% *} is for whole commands, which go after '--'\""
done

# Input and output
echo hello >in
check "--input works" measured "assert r[0]['task']['command']['input'] == 'in'" -r 3 --input in -- sh -c 'read x && [ "$x" = hello ]'
check "there is no input by default" measured "" -r 1 -- sh -c '! read x'
check "--input null works" measured "assert 'input' not in r[0]['task']['command']" -r 1 --input null -- sh -c '! read x'
check "a missing input fails" failed "assert \"cannot open 'nowhere'\" in r[0]['error']['text'] and r[0]['error']['phase'] == 'start'" --input nowhere -- true
swallowed() { exits 0 -r 2 -- sh -c 'echo printed; echo complained >&2' && ! grep -q '^printed\|^complained' out err; }
check "output is discarded by default" swallowed
shown() { exits 0 -r 2 "$@" -- sh -c 'echo printed; echo complained >&2' && is "$(grep -c '^printed$\|^complained$' err)" 4 && ! grep -q '^printed' out; }
check "--show-output works" shown --show-output
check "--output inherit works" shown --output inherit
to_file() { exits 0 -q -r 3 --output kept -- echo once && is "$(cat kept)" once; }
check "--output FILE works" to_file
check "--output pipe is rejected" usage '^bilanx: --output pipe' --output pipe -- true
check "large output does not matter" measured "assert len(r[0]['raw_times']) == 1" -r 1 -- sh -c 'head -c 200000000 /dev/zero >&2'

# Faults
not_found() { failed "assert r[0]['error']['code'] == 'system' and r[0]['error']['phase'] == 'start'" -- nonesuch-$$ && err "^nonesuch-$$: cannot find 'nonesuch-$$' in PATH"; }
check "a missing command fails" not_found
check "a missing path fails" failed "assert \"cannot run './nowhere': No such file\" in r[0]['error']['text']" -- ./nowhere
check "a file that is not executable fails" failed "assert \"cannot run './in': Permission denied\" in r[0]['error']['text']" -- ./in
printf 'echo x\n' >script
chmod +x script
check "a script without a shebang fails" failed "assert '#!/bin/sh' in r[0]['error']['text']" -- ./script
exited() {
    failed "e = r[0]['error']
assert e['code'] == 'exited' and e['phase'] == 'stmt' and 'status 3' in e['text'] and e['output'] == 'one\ntwo\n', e" -- sh -c 'echo one >&2; echo two >&2; exit 3' &&
        err ': exited with status 3 (--ignore-failure' && ! grep -q 'in stmt' err && err '^    two$' && out '  exited$'
}
check "a command that fails is reported with its output" exited
check "... only the end of which is kept" failed "assert len(r[0]['error']['output']) == 4096 and r[0]['error']['output'].endswith('end\n')" \
    -- sh -c 'yes | head -c 100000 >&2; echo end >&2; exit 1'
check "a command that is killed is reported" failed "assert r[0]['error']['code'] == 'crashed' and 'signal 11, Segmentation fault' in r[0]['error']['text']" \
    -- sh -c 'kill -SEGV $$'
check "a command that hangs is killed" failed "assert r[0]['error']['code'] == 'timed-out' and 'longer than 0.1 s (--timeout)' in r[0]['error']['text']" \
    --timeout 100ms -- sleep $nap
check "the other commands continue" failed "
assert sorted(m['kind'] for m in r) == ['failure', 'measurement'] and len(r[1]['raw_times']) == 5, r" -r 5 -- false --and true
late() { rm -f n; failed "assert 'raw_times' not in r[0] and r[0]['error']['code'] == 'exited'" -r 9 -- sh -c 'echo x >>n; [ $(wc -l <n) -lt 4 ]'; }
check "a late failure is a failure" late
check "--ignore-failure counts how runs ended" measured "
c = [m['counters'] for m in sorted(r, key=lambda m: m['task']['stmt'])]
assert c[0]['exit_3'] == 4 and c[1]['signal_9'] == 4, c" -r 4 -i -- sh -c 'exit 3' --and sh -c 'kill -9 $$'
check "processes left behind are killed" measured "" -r 2 -- sh -c 'sleep $nap & exit 0'
sleepers() { cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -aq "sleep ${nap/1/[1]}"; }
no_sleepers() { for _ in $(seq 100); do sleepers || return 0; sleep .05; done; echo "one sleeps on"; false; }
# soon COMMAND...: waits until the command succeeds.
soon() { for _ in $(seq 400); do "$@" && return; sleep .05; done; echo "never: $*"; false; }
check "no child survives" no_sleepers
slow_first() { rm -f warm; exits 0 -r 12 -- sh -c '[ -e warm ] || sleep .3; : >warm' && err 'slow-first-run.*Use --warmup 3' && out 'slow-first-run'; }
check "a slow first run gets a note" slow_first
outliers() { rm -f n; exits 0 -r 12 -- sh -c 'echo x >>n; [ $(wc -l <n) != 6 ] || sleep .5' && err 'outliers.*1 of 12 runs\|outliers.*of 12 runs'; }
check "outliers get a note" outliers

# ^C
interrupted() {
    rm -f n cleaned
    "$BILANX" time --overwrite -o r.jsonl -c 'sh -c "sleep .3; touch cleaned"' -- sleep .01 --and sh -c 'sleep $nap & echo x >>n; sleep .02' >out 2>err &
    local pid=$! status
    soon test -s n && soon eval '[ $(wc -l <n) -gt 2 ]'
    kill -INT $pid
    wait $pid
    status=$?
    cat err
    is $status 130 && out '^sleep .01' && err 'interrupted; the results so far are above' && [ -e cleaned ] &&
        records "assert len(r) == 2 and all('interrupted' in [w['code'] for w in m['warnings']] for m in r)"
}
check "^C keeps finished runs and cleans up" interrupted
hung() {
    rm -f started
    "$BILANX" time -- sh -c 'touch started; exec sleep $nap' >out 2>err &
    local pid=$! status
    soon test -e started
    kill -TERM $pid
    wait $pid
    status=$?
    is $status 130 && silent out && err '^bilanx: interrupted$'
}
check "SIGTERM in the first run prints no results" hung
killed() {
    rm -f started
    "$BILANX" time -- sh -c 'touch started; exec sleep $nap' >out 2>err &
    local pid=$!
    soon test -e started && soon sleepers
    kill -KILL $pid
    wait $pid 2>/dev/null
    no_sleepers
}
check "a child dies with its parent, even if that is killed" killed
check "no child survives ^C" no_sleepers

# Formats and options
markdown() { exits 0 -q -r 6 --format markdown -- true --and true x && out '^| command | time |' && out '^| true x | .* to .*) |' && ! grep -q ' times ' out; }
check "--format markdown works" markdown
csv() { exits 0 -q -r 6 --format csv -- true --and true x && python3 -c "
import csv
rows = list(csv.DictReader(open('out', encoding='utf-8')))
assert [x['command'] for x in rows] == ['true', 'true x'] and rows[0]['runs'] == '6' and rows[0]['ratio'] == '', rows
assert float(rows[1]['ratio_low']) <= float(rows[1]['ratio']) <= float(rows[1]['ratio_high']), rows
assert all(0 < float(x['min_s']) <= float(x['time_s']) <= float(x['max_s']) < 1 for x in rows), rows
assert all(float(x['user_s']) >= 0 and x['failure'] == '' for x in rows), rows"; }
check "--format csv works" csv
json() { exits 0 -q -r 2 --format json -- true && cp out r.jsonl && records "assert len(r) == 1"; }
check "--format json works" json
stdout_records() { exits 0 -q -r 2 -o - -- true && cp out r.jsonl && records "assert len(r) == 1"; }
check "-o - works" stdout_records
exports() { exits 0 -q -r 2 --export-markdown t.md --export-csv t.csv -- true && out '^true ' && grep -q '^| true |' t.md && grep -q '^true,' t.csv; }
check "--export-markdown and --export-csv work" exports
json_export() { exits 0 -q -r 3 --export-json t.json -- true --and sleep .001 && python3 -c "
import json
results = json.load(open('t.json'))['results']
assert [x['command'] for x in results] == ['true', 'sleep .001'], results
assert all(len(x['times']) == 3 and 0 < x['min'] <= x['median'] <= x['max'] < 1 for x in results), results"; }
check "--export-json writes hyperfine's format" json_export
json_again() { exits 0 -q -r 2 --export-json t.json -- true && "$BILANX" compare t.json >out && out 'true'; }
check "... which the next one replaces and compare reads" json_again
bad_export() { exits 1 -q -r 1 --export-csv /nowhere/x -- true && err "^bilanx: cannot write '/nowhere/x'"; }
check "an export that cannot be written fails" bad_export
bad_json() { exits 1 -r 1 -o /nowhere/x -- true && silent out && err "^bilanx: cannot write '/nowhere/x'"; }
check "records that cannot be written fail" bad_json
full() { exits 1 -r 1 -o /dev/full -- true && err "^bilanx: cannot write '/dev/full': .*run continues" && out '^true'; }
check "a full disk fails" full
quiet() { exits 0 -q -r 1 -- true && silent err; }
check "--quiet works" quiet
color() { exits 0 -q -r 1 --color always -- true && grep -q $'\033\\[1m' out; }
check "--color always works" color
plain() { exits 0 -r 1 -- true && ! grep -q $'\033' out err; }
check "without a terminal there is no colour and no moving line" plain
closed() { "$BILANX" time -q -r 2 -- sh -c '[ "$(readlink /proc/self/fd/0)" = /dev/null ] && echo b >&2' >out 2>err <&-; is $? 0 && out '^sh '; }
check "a closed stdin does not matter" closed
ignored() {
    rm -f r.jsonl
    python3 -c "
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])" "$BILANX" time -q -r 2 --overwrite -o r.jsonl -- sh -c 'exit 3' >out 2>err
    is $? 1 && records "assert r[0]['error']['code'] == 'exited'"
}
check "an ignored SIGCHLD does not matter" ignored

check "a command before -- is a usage error" usage "^bilanx: unexpected 'true': commands go after '--'" true --
check "nothing after -- is a usage error" usage "^bilanx: missing command after '--'" --
check "nothing before --and is a usage error" usage "^bilanx: missing command before or after '--and'" -- --and true
check "nothing after --and is a usage error" usage "^bilanx: missing command before or after '--and'" -- true --and
check "too many names are a usage error" usage "^bilanx: got 2 names for 1 command" -n a -n b -- true
check "hooks for only some commands are a usage error" usage "^bilanx: --prepare is given 2 times for 3 commands" -p a -p b -- a --and b --and c
check "--runs with --min-runs is a usage error" usage '^bilanx: --runs cannot be combined' -r 3 -m 2 -- true
check "--min-runs above --max-runs is a usage error" usage '^bilanx: --min-runs is more than --max-runs' -m 5 -M 3 -- true
check "-D without -P is a usage error" usage '^bilanx: --parameter-step-size needs --parameter-scan' -D 2 -- true
check "a descending scan is a usage error" usage "goes from 5 down to 1" -P n 5 1 -- true '{n}'
check "an unused parameter is a usage error" usage 'no command uses the parameter {n}' -P n 1 5 -- true
check "an unknown option is a usage error" usage "did you mean '--prepare'" --prepar x -- true
help() { exits 0 --help && out '^Usage: bilanx time' && out '^Examples:' && out 'bilanx time -P n 1 8'; }
check "--help works" help
theirs() { exits 0 -q -r 1 -- true --help --version -o x && ! grep -q Usage out && [ ! -e x ]; }
check "options after -- belong to the command" theirs

plan
