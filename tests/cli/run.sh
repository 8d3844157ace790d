#!/usr/bin/env bash
# Every option of a benchmark program and of `bilanx run` does what it says.
. "$(dirname "$0")/cli.bash"

# Help and mistakes.
options='filter list method number repeats min-run-time max-run-time precision threshold warmup timeout seed json format quiet color help'
for program in "$GOOD" "$BILANX run"; do
    name=${program##*/}
    # shellcheck disable=SC2086
    check "$name --help exits with 0" exits 0 $program --help
    check "$name --help names every option" bash -c "for o in $options; do grep -q -e \"--\$o\" '$work/out' || exit 1; done"
done
check "a misspelt option is a question" exits 2 "$GOOD" --fliter x
check "... with the word it may be" err "did you mean '--filter'"
check "a stray word is refused" exits 2 "$GOOD" x
check "a number that is none is refused" exits 2 "$GOOD" --number x
check "a negative time is refused" exits 2 "$GOOD" --min-run-time -1
check "an unknown method is refused" exits 2 "$GOOD" --method magic
check "a filter that is no expression is refused" exits 2 "$GOOD" --filter '('
check "... and quoted" err "filter '(' is not a regular expression"
check "a filter without a match fails" exits 1 "$GOOD" --filter zzz
check "... and says so" err 'no cases match'
check "run without a program is refused" exits 2 "$BILANX" run
check "a mistake under the command, too" exits 2 "$BILANX" run "$GOOD" --number x

# Selecting cases.
check "--list lists" exits 0 "$GOOD" --list --filter '^(copy|threads|sum/n=64/)'
check "... names alone" diff "$work/out" - <<'NAMES'
sum/n=64/by k=1
sum/n=64/by k=3
copy/64
copy/4096
threads/threads=1
threads/threads=2
threads/threads=4
NAMES
check "the command lists the same" bash -c "diff '$work/out' <('$BILANX' run '$GOOD' --list --filter '^(copy|threads|sum/n=64/)')"
check "--list shows escapes harmlessly" exits 0 "$GOOD" --list --filter texts
check "... as text" grep -qxF 'texts/\x1b[31mn=1' "$work/out"
check "--filter picks" measured "assert set(by) == {'copy'} and len(r) == 2" --filter copy "${quick[@]}"

# Methods and their options.
check "rigorous is the default" measured "
m = by['calls']; n = len(m['raw_times'])
assert m['method'] == 'rigorous' and len(m['epochs']) == n >= 5 and len(m['raw_cpu_times']) == n
assert len(m['stats']['ci95']) == 2 and m['reference'] > m['overhead'] > 0
assert m['task'].items() >= {'language': 'c', 'num_threads': 1}.items() and m['task']['compile']['cc']
assert m['machine']['clock'] and m['machine']['cores'] > 0 and m['elapsed'] > 0 and m['max_rss'] > 0" \
    --filter calls --max-run-time 50ms
check "--precision: enough is enough" measured "assert len(by['calls']['epochs']) == 5" \
    --filter calls --precision 1000 --max-run-time 9
check "blocked for --min-run-time" measured "
m = by['calls']; assert m['method'] == 'blocked' and sum(m['raw_times']) >= 0.05 > sum(m['raw_times'][:-1])" \
    --filter calls --method blocked --min-run-time 50ms
check "adaptive until --max-run-time when blocks never agree" measured "
m = by['calls']; assert m['method'] == 'adaptive' and sum(m['raw_times']) >= 0.02 > sum(m['raw_times'][:-1])" \
    --filter calls --method adaptive --threshold 1e-12 --max-run-time 20ms
check "adaptive stops when they do" measured "assert len(by['calls']['raw_times']) < 10" \
    --filter calls --method adaptive --threshold 1000 --min-run-time 1us
check "timeit: --number calls, --repeats blocks" measured "
m = by['calls']; assert (m['method'], m['number_per_run'], len(m['raw_times'])) == ('timeit', 10, 3)
assert m['counters'] == {'calls made': 30} and len(r) == 1" \
    --filter calls --method timeit --number 10 --repeats 3
check "--warmup comes first, unmeasured" measured "
m = by['calls']; assert len(m['raw_times']) == 1 and m['counters']['calls made'] > 10" \
    --filter calls --method timeit --number 10 --warmup 1ms
check "latency: percentiles" measured "
m = by['calls']; l = m['latency']
assert m['method'] == 'latency' and l['p50'] <= l['p90'] <= l['p99'] <= l['p999'] <= l['max']
assert l['clock_cost'] > 0 and l['samples'] >= len(m['raw_times']) and m['number_per_run'] == 1" \
    --filter calls --method latency --max-run-time 10ms
check "--number sets the size of a batch" measured "assert by['calls']['number_per_run'] == 77" \
    --filter calls --number 77 "${quick[@]}"
check "--repeats measures again" measured "
assert len(r) == 3 and len({json.dumps(m['task']) for m in r}) == 1" \
    --filter calls --method blocked --min-run-time 1ms --repeats 3

order() { MARKS=$work/marks.$1 exits 0 "$GOOD" --filter sum "${quick[@]}" --seed "$2" && head -n 8 "$work/marks.$1" | cut -d' ' -f1; }
check "--seed repeats the order" bash -c '[ "$1" = "$2" ] && [ $(wc -w <<<"$1") = 8 ]' - "$(order 1 5)" "$(order 2 5)"
check "another seed is another order" bash -c '[ "$1" != "$2" ] || [ "$1" != "$3" ]' - "$(order 3 5)" "$(order 4 6)" "$(order 5 7)"

# What a body can report.
check "all of them can be measured" exits 0 "$BILANX" run "$GOOD" --max-run-time 10ms -o "$work/all.jsonl"
check "bytes and items are rates" records "$work/all.jsonl" "
assert {m['rates']['bytes'] for m in r if m['task']['label'] == 'copy'} == {64, 4096}
assert by['batches']['rates'] == {'items': 2}"
check "of several threads, the sum" records "$work/all.jsonl" "
for m in r:
    t = m['task']['num_threads']
    if m['task']['label'] == 'threads':
        assert m['rates'] == {'items': t}
        assert m['counters'] == {'index': t * (t - 1) / 2, 'count': t * t}
assert sorted(m['task']['num_threads'] for m in r if m['task']['label'] == 'threads') == [1, 2, 4]"
check "a manual time is what counts" records "$work/all.jsonl" "
assert abs(by['manual']['stats']['estimate'] - 1e-6) < 1e-12"
check "a pause is warned of" records "$work/all.jsonl" "
assert 'paused' in [w['code'] for w in by['paused']['warnings']]"
check "arguments are parameters" records "$work/all.jsonl" "
p = [m['task']['parameters'] for m in r if m['task']['label'] == 'sum']
assert {'n': 64, 'by k': 3} in p and len(p) == 8
assert {'sub_label': '64 of them', 'description': 'k is 3'}.items() <= r[[m['task'].get('parameters') for m in r].index({'n': 64, 'by k': 3})]['task'].items()"
check "text is data" records "$work/all.jsonl" "
t = by['Größe ✓ \$(reboot) \`x\` %s%n | <b> \"q\" \\\\ \n\033[2J']['task']
assert t['description'] == 'a,b;c=d e%20f' and t['sub_label'] == ''"
check "no escape sequence gets out" bash -c "! grep -q \$'\033' '$work/out' '$work/err'"
check "growth is fitted" err '^sum by k=3: time grows as n^[01]\.[0-9]* (95 %: '
check "what a body prints is nowhere" bash -c "! grep -q '###' '$work/out' '$work/err' '$work/all.jsonl'"
check "a line of progress for each case" err '^19/19  '

# How results are shown.
sum=("$GOOD" --filter '^sum/n=64/' "${quick[@]}")
check "--format table" exits 0 "${sum[@]}"
check "... has a title" out '^benchmark  *time  *± '
check "--quiet is quiet" empty err
check "... with results in order" bash -c "tail -n +2 '$work/out' | cut -c1-15 | diff - <(printf 'sum/n=64/by k=1\nsum/n=64/by k=3\n')"
check "--format markdown" exits 0 "${sum[@]}" --format markdown
check "... is" out '^|---|'
check "--format csv" exits 0 "${sum[@]}" --format csv
check "... is" python3 -c "
import csv; rows = list(csv.DictReader(open('$work/out', newline='')))
assert [row['benchmark'] for row in rows] == ['sum/n=64/by k=1', 'sum/n=64/by k=3'], rows
for row in rows:
    assert 0 < float(row['time_low_s']) <= float(row['time_s']) <= float(row['time_high_s']) < 1e-3, row
    assert float(row['epochs']) >= 1 and row['failure'] == '' and None not in row, row"
check "--format json" exits 0 "${sum[@]}" --format json
check "... is records and nothing else" records "$work/out" "assert len(r) == 2"
check "-o - is the same" exits 0 "${sum[@]}" -o -
check "... records" records "$work/out" "assert len(r) == 2"
check "noise does not get into them" exits 0 "$GOOD" --filter noisy --method timeit --number 1 --format json
check "... on stdout" records "$work/out" "assert len(r) == 1"
check "... nor on stderr" bash -c "! grep -q '###' '$work/err'"
check "-o FILE keeps the table" exits 0 "${sum[@]}" -o "$work/both.jsonl"
check "... on stdout" out '^sum/n=64/by k=1 '
check "--color always colours" exits 0 "${sum[@]}" --color always
check "... with escapes" out $'\033\[1m'
check "no colour into a file" exits 0 "${sum[@]}" --color auto
check "... at all" bash -c "! grep -q \$'\033' '$work/out'"
if command -v script >/dev/null; then
    tty() { TERM=xterm script -qec "$1" /dev/null </dev/null | tr -d '\r'; }
    command="'$GOOD' --filter calls --max-run-time 10ms"
    check "colour on a terminal" grep -q $'\033\[[0-9]*m' <(tty "$command")
    check "... but not with NO_COLOR" bash -c '! grep -q "$1"' - $'\033\[[0-9]*m' <<<"$(NO_COLOR=1 tty "$command")"
    check "... unless told" grep -q $'\033\[[0-9]*m' <(NO_COLOR=1 tty "$command --color always")
fi

# Several programs.
mkdir "$work/old" "$work/new"
cp "$GOOD" "$work/old/same"
cp "$GOOD" "$work/new/same"
cp "$GOOD" "$work/other"
check "several programs" exits 0 "$BILANX" run "$work/old/same" "$work/new/same" "$work/other" --filter calls "${quick[@]}" --overwrite -o "$work/r.jsonl"
check "... are told apart by env" records "$work/r.jsonl" "
assert {m['task']['env'] for m in r} == {'$work/old/same', '$work/new/same', 'other'}"
check "... in the table as well" out '^calls *other '
check "one program has no env" records "$work/all.jsonl" "assert not [m for m in r if 'env' in m['task']]"

# Not a benchmark program.
check "a program of another kind" exits 1 "$BILANX" run /bin/true
check "... is explained" err "'/bin/true' is not a working benchmark program"
check "a program that is not there" exits 1 "$BILANX" run "$work/nothing"
check "... is named" err "cannot run '$work/nothing': No such file"
check "a file that is no program" exits 1 "$BILANX" run "$0.not" "$work/r.jsonl"
check "... is named" err "cannot run '$work/r.jsonl': Permission denied"
check "the others are measured" exits 1 "$BILANX" run /bin/true "$GOOD" --filter calls "${quick[@]}"
check "... all the same" out '^calls '

plan
