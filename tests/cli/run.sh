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
check "a misspelt option is a usage error" exits 2 "$GOOD" --fliter x
check "... with a suggestion" err "did you mean '--filter'"
check "a stray word is rejected" exits 2 "$GOOD" x
check "a malformed number is rejected" exits 2 "$GOOD" --number x
check "a negative time is rejected" exits 2 "$GOOD" --min-run-time -1
check "an unknown method is rejected" exits 2 "$GOOD" --method magic
check "an invalid filter is rejected" exits 2 "$GOOD" --filter '('
check "... and quoted" err "filter '(' is not a regular expression"
check "a filter without a match fails" exits 1 "$GOOD" --filter zzz
check "... and says so" err 'no cases match'
check "run without a program is rejected" exits 2 "$BILANX" run
check "a mistake is rejected under the command, too" exits 2 "$BILANX" run "$GOOD" --number x

# Selecting cases.
check "--list works" exits 0 "$GOOD" --list --filter '^(copy|threads|sum/n=64/)'
check "... and prints only names" diff "$work/out" - <<'NAMES'
sum/n=64/by k=1
sum/n=64/by k=3
copy/64
copy/4096
threads/threads=1
threads/threads=2
threads/threads=4
NAMES
check "the command lists the same" bash -c "diff '$work/out' <('$BILANX' run '$GOOD' --list --filter '^(copy|threads|sum/n=64/)')"
check "--list escapes control characters" exits 0 "$GOOD" --list --filter texts
check "... and prints the rest" grep -qxF 'texts/\x1b[31mn=1' "$work/out"
check "--filter selects cases" measured "assert set(by) == {'copy'} and len(r) == 2" --filter copy "${quick[@]}"

# Methods and their options.
check "rigorous is the default" measured "
m = by['calls']; n = len(m['raw_times'])
assert m['method'] == 'rigorous' and len(m['epochs']) == n >= 5 and len(m['raw_cpu_times']) == n
assert len(m['stats']['ci95']) == 2 and m['reference'] > m['overhead'] > 0
assert m['task'].items() >= {'language': 'c', 'num_threads': 1}.items() and m['task']['compile']['cc']
assert m['machine']['clock'] and m['machine']['cores'] > 0 and m['elapsed'] > 0 and m['max_rss'] > 0" \
    --filter calls --max-run-time 50ms
check "--precision ends a run early" measured "assert len(by['calls']['epochs']) == 24" \
    --filter calls --precision 1000 --max-run-time 9
check "blocked runs for --min-run-time" measured "
m = by['calls']; assert m['method'] == 'blocked' and sum(m['raw_times']) >= 0.05 > sum(m['raw_times'][:-1])" \
    --filter calls --method blocked --min-run-time 50ms
check "adaptive runs until --max-run-time if blocks never agree" measured "
m = by['calls']; assert m['method'] == 'adaptive' and sum(m['raw_times']) >= 0.02 > sum(m['raw_times'][:-1])" \
    --filter calls --method adaptive --threshold 1e-12 --max-run-time 20ms
check "adaptive stops if they do" measured "assert len(by['calls']['raw_times']) < 10" \
    --filter calls --method adaptive --threshold 1000 --min-run-time 1us
check "timeit makes --number calls in --repeats blocks" measured "
m = by['calls']; assert (m['method'], m['number_per_run'], len(m['raw_times'])) == ('timeit', 10, 3)
assert m['counters'] == {'calls made': 30} and len(r) == 1" \
    --filter calls --method timeit --number 10 --repeats 3
check "--warmup comes first and is not measured" measured "
m = by['calls']; assert len(m['raw_times']) == 1 and m['counters']['calls made'] > 10" \
    --filter calls --method timeit --number 10 --warmup 1ms
check "latency reports percentiles" measured "
m = by['calls']; l = m['latency']
assert m['method'] == 'latency' and l['p50'] <= l['p90'] <= l['p99'] <= l['p999'] <= l['max']
assert l['clock_cost'] > 0 and l['samples'] >= len(m['raw_times']) and m['number_per_run'] == 1" \
    --filter calls --method latency --max-run-time 10ms
check "--number sets the batch size" measured "assert by['calls']['number_per_run'] == 77" \
    --filter calls --number 77 "${quick[@]}"
check "--repeats measures again" measured "
assert len(r) == 3 and len({json.dumps(m['task']) for m in r}) == 1" \
    --filter calls --method blocked --min-run-time 1ms --repeats 3

order() { MARKS=$work/marks.$1 exits 0 "$GOOD" --filter sum "${quick[@]}" --seed "$2" && head -n 8 "$work/marks.$1" | cut -d' ' -f1; }
check "--seed repeats the order" bash -c '[ "$1" = "$2" ] && [ $(wc -w <<<"$1") = 8 ]' - "$(order 1 5)" "$(order 2 5)"
check "another seed gives another order" bash -c '[ "$1" != "$2" ] || [ "$1" != "$3" ]' - "$(order 3 5)" "$(order 4 6)" "$(order 5 7)"

# Figures that a body can report.
check "all cases can be measured" exits 0 "$BILANX" run "$GOOD" --max-run-time 10ms -o "$work/all.jsonl"
check "bytes and items become rates" records "$work/all.jsonl" "
assert {m['rates']['bytes'] for m in r if m['task']['label'] == 'copy'} == {64, 4096}
assert by['batches']['rates'] == {'items': 2}"
check "... summed over threads" records "$work/all.jsonl" "
for m in r:
    t = m['task']['num_threads']
    if m['task']['label'] == 'threads':
        assert m['rates'] == {'items': t}
        assert m['counters'] == {'index': t * (t - 1) / 2, 'count': t * t}
assert sorted(m['task']['num_threads'] for m in r if m['task']['label'] == 'threads') == [1, 2, 4]"
check "a manual time is the time reported" records "$work/all.jsonl" "
assert abs(by['manual']['stats']['estimate'] - 1e-6) < 1e-12"
check "a pause gets a warning" records "$work/all.jsonl" "
assert 'paused' in [w['code'] for w in by['paused']['warnings']]"
check "arguments become parameters" records "$work/all.jsonl" "
p = [m['task']['parameters'] for m in r if m['task']['label'] == 'sum']
assert {'n': 64, 'by k': 3} in p and len(p) == 8
assert {'sub_label': '64 of them', 'description': 'k is 3'}.items() <= r[[m['task'].get('parameters') for m in r].index({'n': 64, 'by k': 3})]['task'].items()"
check "text is only data" records "$work/all.jsonl" "
t = by['Größe ✓ \$(reboot) \`x\` %s%n | <b> \"q\" \\\\ \n\033[2J']['task']
assert t['description'] == 'a,b;c=d e%20f' and t['sub_label'] == ''"
check "no escape sequence is printed" bash -c "! grep -q \$'\033' '$work/out' '$work/err'"
check "growth is fitted" err '^sum by k=3: time grows as n^[01]\.[0-9]* (95 %: '
check "output of a body is not shown" bash -c "! grep -q '###' '$work/out' '$work/err' '$work/all.jsonl'"
check "each case has a line of progress" err '^19/19  '

# How results are shown.
sum=("$GOOD" --filter '^sum/n=64/' "${quick[@]}")
check "--format table works" exits 0 "${sum[@]}"
check "... and has a heading" out '^benchmark  *time  *± '
check "--quiet is quiet" empty err
check "... and results are in order" bash -c "tail -n +2 '$work/out' | cut -c1-15 | diff - <(printf 'sum/n=64/by k=1\nsum/n=64/by k=3\n')"
check "--format markdown works" exits 0 "${sum[@]}" --format markdown
check "... and prints Markdown" out '^|---|'
check "--format csv works" exits 0 "${sum[@]}" --format csv
check "... and prints CSV" python3 -c "
import csv; rows = list(csv.DictReader(open('$work/out', newline='')))
assert [row['benchmark'] for row in rows] == ['sum/n=64/by k=1', 'sum/n=64/by k=3'], rows
for row in rows:
    assert 0 < float(row['time_low_s']) <= float(row['time_s']) <= float(row['time_high_s']) < 1e-3, row
    assert float(row['epochs']) >= 1 and row['failure'] == '' and None not in row, row"
check "--format json works" exits 0 "${sum[@]}" --format json
check "... and prints only records" records "$work/out" "assert len(r) == 2"
check "-o - works" exits 0 "${sum[@]}" -o -
check "... and prints only records" records "$work/out" "assert len(r) == 2"
check "output of a body does not mix with records" exits 0 "$GOOD" --filter noisy --method timeit --number 1 --format json
check "... on stdout" records "$work/out" "assert len(r) == 1"
check "... or stderr" bash -c "! grep -q '###' '$work/err'"
check "-o FILE still prints the table" exits 0 "${sum[@]}" -o "$work/both.jsonl"
check "... on stdout" out '^sum/n=64/by k=1 '
check "--color always works" exits 0 "${sum[@]}" --color always
check "... and colours the output" out $'\033\[1m'
check "--color auto works" exits 0 "${sum[@]}" --color auto
check "... and does not colour a file" bash -c "! grep -q \$'\033' '$work/out'"
if command -v script >/dev/null; then
    tty() { TERM=xterm script -qec "$1" /dev/null </dev/null | tr -d '\r'; }
    command="'$GOOD' --filter calls --max-run-time 10ms"
    check "... but it colours a terminal" grep -q $'\033\[[0-9]*m' <(tty "$command")
    check "... unless NO_COLOR is set" bash -c '! grep -q "$1"' - $'\033\[[0-9]*m' <<<"$(NO_COLOR=1 tty "$command")"
    check "... unless --color always is given" grep -q $'\033\[[0-9]*m' <(NO_COLOR=1 tty "$command --color always")
fi

# A program that runs alone starts itself for every epoch, so that addresses vary as under `bilanx run`.
cat >"$work/where.c" <<'C'
#include <bilanx/bench.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int arguments;
BILANX_BENCH(where)
{
    FILE *log = fopen(getenv("WHERE"), "a");
    fprintf(log, "%d %p %p %d\n", getpid(), (void *)fopen, (void *)log, arguments);
    fclose(log);
    BILANX_LOOP(b) { BILANX_KEEP(b); }
}
int main(int argc, char **argv)
{
    arguments = argc;
    if (getenv("SLOW"))
        sleep(1);
    return bilanx_bench_main(argc, argv);
}
C
cc -O2 -I"${SOURCE:-$(dirname "$0")/../..}/include" "$work/where.c" "$BENCH" -lpthread -o "$work/where"
export WHERE=$work/addresses
check "a program runs alone" exits 0 "$work/where" --max-run-time 100ms --core any -q --overwrite -o "$work/where.jsonl"
addresses() { [ "$(cut -d' ' -f1 "$WHERE" | sort -u | wc -l)" -ge 5 ] && [ "$(cut -d' ' -f2 "$WHERE" | sort -u | wc -l)" "$@" ] || { cat "$WHERE"; false; }; }
check "... every epoch has new addresses of code" addresses -ge 5
check "... and a main() of its own gets the same arguments" bash -c "! grep -v ' 9\$' '$WHERE'"
check "... there is nothing to note" records "$work/where.jsonl" "assert 'forked' not in {w['code'] for w in r[0]['warnings']}, r"
rm "$WHERE"
check "one whose main() takes long is forked" exits 0 env SLOW=1 "$work/where" --max-run-time 100ms --core any -q --overwrite -o "$work/where.jsonl"
check "... so epochs share the addresses of code" addresses -eq 1
check "... as a note says" records "$work/where.jsonl" "assert 'forked' in {w['code'] for w in r[0]['warnings']}, r"

# Several programs.
mkdir "$work/old" "$work/new"
cp "$GOOD" "$work/old/same"
cp "$GOOD" "$work/new/same"
cp "$GOOD" "$work/other"
check "several programs are measured" exits 0 "$BILANX" run "$work/old/same" "$work/new/same" "$work/other" --filter calls "${quick[@]}" --overwrite -o "$work/r.jsonl"
check "... and distinguished by env" records "$work/r.jsonl" "
assert {m['task']['env'] for m in r} == {'$work/old/same', '$work/new/same', 'other'}"
check "... in the table as well" out '^calls *other '
check "one program has no env" records "$work/all.jsonl" "assert not [m for m in r if 'env' in m['task']]"

# Not a benchmark program.
check "a program that is not a benchmark fails" exits 1 "$BILANX" run /bin/true
check "... and the message explains it" err "'/bin/true' is not a working benchmark program"
check "a missing program fails" exits 1 "$BILANX" run "$work/nothing"
check "... and is named" err "cannot run '$work/nothing': No such file"
check "a file that is not a program is a usage error" exits 2 "$BILANX" run "$0.not" "$work/r.jsonl"
check "... and is named" err "'$work/r.jsonl' is neither a suite nor a program"
check "one bad program does not stop the others" exits 1 "$BILANX" run /bin/true "$GOOD" --filter calls "${quick[@]}"
check "... from being measured" out '^calls '

plan
