#!/usr/bin/env bash
# Benchmarks in C++, with bench.hpp.
. "$(dirname "$0")/time.bash"
here=$(cd "$(dirname "$0")" && pwd)
flags=(-O1 -Wall -Wextra -Wpedantic -Werror -I "$here/../../include")

# The example at the top of the header.
sed -n '/^\/\/     #include/,/^\/\/     c++/{/^\/\/     c++/d;s|^//  *\( *\)|\1|;s|^//$||;p}' "$here/../../include/bilanx/bench.hpp" >"$work/example.cpp"
compile() { "$1" "-std=$2" "${flags[@]}" "$3" "$BENCH" -lpthread -o "$work/program"; }
for compiler in g++ clang++; do
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

plan
