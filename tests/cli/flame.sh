#!/usr/bin/env bash
# bilanx flame on files: what it reads, writes, prints and refuses.
set -u
# shellcheck source=cli.bash
. "$(dirname "$0")/cli.bash"
unset COLUMNS LINES
cd "$work" || exit 1

flame() { exits 0 "$BILANX" flame "$@"; }
refuses() { exits "$1" "$BILANX" flame "${@:3}" && err "$2"; }
is_xml() { python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$1"; }

printf 'main;parse;lex 30\nmain;parse 20\nmain;write;fmt 40\nmain 10\n' >a.folded
printf 'main;parse;lex 60\nmain;parse 20\nmain;read 15\nmain 10\n' >b.folded

# Text.
prints_tree() { flame a.folded && empty err && diff - out <<'TREE'; }
100 samples
  total     self              function
100.0 %   0.00 %  ██████████  all
100.0 %   10.0 %  ██████████  main
 50.0 %   20.0 %  █████       ├ parse
 30.0 %   30.0 %  ███         │ lex
 40.0 %   0.00 %  ████        └ write
 40.0 %   40.0 %  ████          fmt
TREE
check "a file alone is printed as a tree" prints_tree
from_stdin() { "$BILANX" flame - <a.folded | diff out - && "$BILANX" flame --from - <a.folded | diff out -; }
check "stdin too" from_stdin
colours() { LINES=5 flame a.folded --color always && [ "$(wc -l <out)" = 4 ] && grep -q $'\033' out; }
check "it is as high as the terminal, in colour" colours
check "--lines sets the height" bash -c '[ "$("$BILANX" flame a.folded --lines 4 | wc -l)" = 4 ]'
titled() { flame a.folded --title 'A title' && grep -qx 'A title: 100 samples' out; }
check "--title is shown" titled

# Folded, speedscope, records and graphs, and back.
sort a.folded >sorted.folded
folds() { flame a.folded --folded - && LC_ALL=C diff sorted.folded out; }
check "folded stacks are sorted" folds
# there_and_back OPTION FILE
there_and_back() { flame a.folded "$1" "$2" && empty out && empty err && flame "$2" --folded - && diff sorted.folded out; }
check "speedscope's format reads back" there_and_back --speedscope a.json
check "a record reads back" there_and_back --record a.jsonl
check "a graph reads back" there_and_back -o a.svg
check "gzipped files are read" bash -c 'gzip -k a.folded && "$BILANX" flame a.folded.gz --folded - | diff sorted.folded -'
check "a graph is XML" is_xml a.svg
all_at_once() { flame a.folded -o 1.svg --folded 1.folded --speedscope 1.json --record 1.jsonl --text && cmp 1.svg a.svg && grep -q fmt out; }
check "several outputs at once, always the same bytes" all_at_once
record_is_valid() { records a.jsonl '
s = r[0]["stacks"]
assert s["unit"] == "samples" and len(s["frames"]) == 5
assert s["node_parents"] == [0, 1, 2, 1, 4] and s["node_weights"] == [10, 20, 30, 0, 40]'; }
check "a record has frames and nodes" record_is_valid
check "compare and convert survive it" bash -c '"$BILANX" convert a.jsonl c.jsonl && cmp a.jsonl c.jsonl && cat a.jsonl >both.jsonl &&
    echo "{\"schema\":\"bilanx/1\",\"kind\":\"measurement\",\"task\":{\"label\":\"l\"},\"number_per_run\":1,\"raw_times\":[1,1]}" >>both.jsonl &&
    "$BILANX" compare both.jsonl | grep -q "1.000 s"'

# Views.
callers() { flame a.folded --focus lex --folded - && diff - out <<<'lex;parse;main 30'; }
check "--focus shows callers" callers
callees() { flame a.folded --callees parse --folded - && printf 'parse 20\nparse;lex 30\n' | diff - out; }
check "--callees shows callees" callees
check "a wrong name gets a suggestion" refuses 2 "no stack has a function 'prase' (did you mean 'parse'?)" a.folded --focus prase
check "both exclude each other" refuses 2 'focus cannot be combined with --callees' a.folded --focus lex --callees lex
merges() { flame a.folded --min-percent 35 -o m.svg && grep -q 'small frames merged' m.svg && grep -q '(small frames)' m.svg; }
check "--min-percent merges small frames" merges
upside_down() { flame a.folded --inverted -o i.svg && ! cmp -s i.svg a.svg && is_xml i.svg; }
check "--inverted draws an icicle" upside_down

# Differences.
compares() { flame --diff a.folded b.folded --folded - && printf '%s\n' 'main 10 10' 'main;parse 20 20' 'main;parse;lex 30 60' \
    'main;read 0 15' 'main;write;fmt 40 0' | diff - out; }
check "--diff has both sides" compares
from_graphs() { flame b.folded -o b.svg && flame --diff a.svg b.svg --folded - && diff out <("$BILANX" flame --diff a.folded b.folded --folded -); }
check "graphs give the same difference as the files they were drawn from" from_graphs
draws_difference() { flame --diff a.svg b.folded -o d.svg && is_xml d.svg && grep -q '<title>fmt: 40 samples to 0 samples, gone</title>' d.svg; }
check "vanished frames are drawn" draws_difference
reads_difference() { flame d.svg --folded - && diff out <("$BILANX" flame --diff a.folded b.folded --folded -); }
check "a drawn difference reads back" reads_difference
check "but is not focused" refuses 2 'use --diff' d.svg --focus lex
focused() { flame --diff a.folded b.folded --focus lex --folded - && diff - out <<<'lex;parse;main 30 60'; }
check "both sides can be focused" focused
check "but is not compared" refuses 1 'is already a difference' --diff d.svg a.folded
normalizes() { sed 's/$/0/' a.folded >ten.folded; flame --diff a.folded ten.folded --normalize --text && ! grep -q '+' out && grep -q '0 %' out; }
check "--normalize compares shares" normalizes
# per_call CALLS SECONDS: gives a record to a file of stacks
per_call() { sed "s/\"stacks\":{/\"stacks\":{\"calls\":$1,\"seconds\":$2,/" a.jsonl; }
per_call 1000000 1 >slow.jsonl
per_call 4000000 1 >fast.jsonl
in_nanoseconds() { flame --diff slow.jsonl fast.jsonl && grep -q '1.000 us per call in A, 250.0 ns per call in B' out; }
check "sides with calls are compared per call, in nanoseconds" in_nanoseconds
check "different units are refused" bash -c 'sed "s/\"samples\"/\"instructions\"/" a.jsonl >n.jsonl; "$BILANX" flame --diff a.jsonl n.jsonl 2>&1 | grep -q "use --normalize"'

# Remarks, and input that cannot be read.
printf 'main;a 1\nnonsense\n' >odd.folded
remarks() { flame odd.folded && err "odd.folded:2: not a stack followed by a number: ignored 1 such line"; }
check "lines that are no stacks are reported" remarks
check "--quiet is quiet" bash -c '[ -z "$("$BILANX" flame odd.folded -q 2>&1 >/dev/null)" ]'
: >empty.folded
check "an empty file" refuses 1 'empty.folded: is empty' empty.folded
echo hello >hello.txt
check "another file" refuses 1 "hello.txt:1: not a known format.*'--as FORMAT'" hello.txt
check "no file" refuses 1 "cannot open 'none.folded'" none.folded
check "nothing" refuses 2 'flame needs a file'
check "two files" refuses 2 'one file, or' a.folded b.folded
check "--diff with one" refuses 2 'diff' --diff a.folded
check "--normalize alone" refuses 2 'needs --diff' a.folded --normalize
check "an unknown format" refuses 2 "did you mean 'folded'" a.folded --as foldde
check "--list lists the formats" bash -c '[ "$("$BILANX" flame --list | wc -l)" = 7 ]'
head -c 2000 a.svg >cut.svg
check "a truncated graph" refuses 1 'cut.svg: .*stacks' cut.svg

# Files that are not ours stay as they are.
echo 'int main;' >precious.c
keeps() { refuses 2 'not overwritten' a.folded "$1" precious.c && grep -qx 'int main;' precious.c; }
for option in -o --folded --speedscope --record; do
    check "$option does not overwrite other files" keeps "$option"
done
check "the input is not overwritten" refuses 2 'is the input' a.folded --folded a.folded
check "only one output is stdout" refuses 2 'only one output' a.folded --folded - -o -
check "a full disk is an error" refuses 1 "cannot write '/dev/full'" a.folded -o /dev/full

# Hostile names: valid XML, one script, bounded size.
hostile() {
    printf '</metadata><script>alert(1)</script>;]]>&"'"'"' 5\n\033[31m;\001\377\300 4\n' >hostile.folded
    python3 - <<'PYTHON'
with open('hostile.folded', 'ab') as out:
    out.write(b'main;' + b'x' * 10000 + b' 3\n')
    out.write(b';'.join(b'deep%d' % (i % 9) for i in range(100000)) + b' 2\n')
    for i in range(200000):
        out.write(b'main;frame_%d 1\n' % i)
PYTHON
    flame hostile.folded -o hostile.svg && is_xml hostile.svg && [ "$(grep -c '<script' hostile.svg)" = 1 ] &&
        [ "$(stat -c %s hostile.svg)" -lt 6000000 ] && flame hostile.folded && ! grep -q $'\033' out
}
check "hostile names are drawn as text" hostile

# perf itself, where it may record.
of_perf() {
    # shellcheck disable=SC2016
    perf record -q -g -e cpu-clock -o perf.data -- bash -c 'for ((i = 0; i < 100000; i++)); do :; done' >/dev/null 2>&1 || return 0
    perf script -i perf.data >perf.txt 2>/dev/null
    flame perf.txt && grep -q ' bash$' out
}
check "perf's output is read" of_perf
of_callgrind() {
    command -v valgrind >/dev/null || return 0
    valgrind --tool=callgrind --callgrind-out-file=cg.out true >/dev/null 2>&1
    flame cg.out && grep -q 'instructions' out && err approximate
}
check "callgrind's output is read" of_callgrind
plan
