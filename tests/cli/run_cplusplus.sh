#!/usr/bin/env bash
# Benchmarks in C++, with bench.hpp.
. "$(dirname "$0")/time.bash"
here=$(cd "$(dirname "$0")" && pwd)
flags=(-O1 -Wall -Wextra -Wpedantic -Werror -I "$here/../../include")

# The example at the top of the header.
sed -n '/^\/\/     #include/,/^\/\/     c++/{/^\/\/     c++/d;s|^//  *\( *\)|\1|;s|^//$||;p}' "$here/../../include/bilanx/bench.hpp" >"$work/example.cpp"
compile() { "$1" "-std=$2" "${flags[@]}" "$3" "$BENCH" -lpthread -o "$work/program"; }
for compiler in g++ clang++; do
    check "$compiler compiles ports of programs for Google Benchmark" compile "$compiler" c++11 "$here/ported.cpp"
    cp "$work/program" "$work/ported"
    for standard in c++14 c++17 c++20 c++2b; do
        check "... as $standard" "$compiler" "-std=$standard" "${flags[@]}" -fsyntax-only "$here/ported.cpp"
    done
    for standard in c++11 c++20; do
        check "$compiler compiles the example as $standard" compile "$compiler" "$standard" "$work/example.cpp"
        check "... and everything else" compile "$compiler" "$standard" "$here/cplusplus.cpp"
    done
done

check "cases are listed" exits 0 "$BILANX" run "$work/program" --list
check "... named by types" out '^look_up<std::map<int, int>, int>$'
check "... by fixtures" out '^counted/is_set_up$'
check "... by any text" out '^leaves "early"/../..$'
check "... with the arguments of axes and threads" out '^cases/n=2/m=3/threads=2$'
check "they are measured" exits 1 "$BILANX" run "$work/program" --max-run-time 10ms --overwrite -o "$work/r.jsonl"
check "... in the unit they ask for" out '^captured  *0\.[0-9]* us'
check "... with their remark, and rates in their unit" out 'letters [0-9.]* [kMG]*/s  times 3  abc x 3'
check "... an exception is a failure" err 'throws: failed in .*: it threw an exception: no luck'
check "... and so is leaving the loop" err 'leaves "early"/../..: failed'
check "... rates are per second" records "$work/r.jsonl" "
c = by['captured']
assert abs(c['counters']['letters/s'] * c['stats']['estimate'] - 6) < 1e-6 and c['counters']['times'] == 3, c
assert c['remark'] == 'abc x 3' and c['unit'] == 'us', c"
check "alone, a program does the same" exits 1 "$work/program" --max-run-time 10ms --filter 'captured|throws'

check "ported programs are measured" exits 0 "$work/ported" --max-run-time 10ms --overwrite -o "$work/p.jsonl"
check "... a function registered twice, with other arguments" bash -c "grep -q '^copy/n=512 ' '$work/out' && grep -q '^copy/4096  *0\.[0-9]* us' '$work/out'"
check "... products of arguments" out '^insert/size=200/added=64 '
check "... types, with a rate and a label" out '^sequential<std::deque<int>>.* pushed [0-9.]* [kMG]/s  80 bytes'
check "... fixtures that are templates and see the arguments" out '^sorted_fixture<int>/search/n=30  *[0-9]'
check "... ranges of threads" out '^locked_fixture/lock/threads=2 .* threads 2'
check "... captured values" out '^find/late '
check "... for templates" out '^takes_args/int_string_test .* 42 abc'
check "... for overloaded functions, in a number of threads" out '^overloaded/number/threads=2 .* an int'
check "... or in a list of them" out '^overloaded/text/threads=2 .* a text'
check "... for lambdas" out "^lambda/captured .* the lambda's 7"
check "... named arguments" out '^a table/rows=3/columns=4 '
check "... lambdas" out '^lambda/2 '
check "... what is skipped" out '^elsewhere  *skipped'
check "... manual time" records "$work/p.jsonl" "
t = by['pretended']['stats']['estimate']
assert abs(t - 1e-6) < 1e-9, t"

# Programs of Google Benchmark are recognised before they run, stripped or not.
cat >"$work/theirs.cpp" <<'CPP'
#include <benchmark/benchmark.h>
#include <cstdio>
static struct Mark { Mark() { fclose(fopen("ran", "w")); } } mark;
static void nothing(benchmark::State &state) { for (auto _ : state) benchmark::DoNotOptimize(1); }
BENCHMARK(nothing);
BENCHMARK_MAIN();
CPP
cd "$work" || exit 1
check "a program of Google Benchmark builds" bash -c 'g++ -O1 theirs.cpp -lbenchmark -lpthread -o theirs && strip theirs -o stripped'
for program in theirs stripped; do
    check "run refuses it ($program)" exits 2 "$BILANX" run "./$program"
    check "... and says what it is, and what to do" err "'./$program' is a program for Google Benchmark: time it as a command"
    check "... without running it" test ! -e ran
done
check "ab refuses it, too" exits 2 "$BILANX" ab --A bin:./theirs --B bin:./stripped
check "... without running it" test ! -e ran
cp "$GOOD" ours && strip ours
check "a stripped program of ours is one of ours" exits 0 "$BILANX" run ./ours --list
plan
