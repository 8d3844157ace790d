#!/usr/bin/env bash
# Statements share a translation unit where possible; only the compile time shows it.
. "$(dirname "$0")/time.bash"
counting_compiler cc
counting_compiler c++
few=11  # calls for twelve statements: one per core, and a few more in case the machine fails one
many=('x + 1' 'x - 2' 'x * 3' 'x / 4' 'x % 5' 'x & 6' 'x | 7' 'x ^ 8' 'x << 1' 'x >> 2' '~x' '!x')
long=(-s 'long x = 99' --cc "$work/cc-counted")

# at_most NUMBER ARGUMENT...: calls the compiler at most that often, and measures everything.
at_most() {
    local most=$1
    shift
    rm -f "$work/calls"
    exits 0 "$BILANX" time "$@" "${once[@]}" && [ "$(calls)" -le "$most" ] || { echo "$(calls) calls"; cat "$work/err"; false; }
}
# exactly NUMBER ARGUMENT...
exactly() { at_most "$@" && [ "$(calls)" = "$1" ] || { echo "$(calls) calls, not $1"; false; }; }

check "twelve statements share calls of the compiler" at_most "$few" "${many[@]}" "${long[@]}"
check "each can be found in the cache alone" exactly 0 'x % 5' "${long[@]}"
check "... or with others" exactly 0 '!x' 'x << 1' 'x + 1' "${long[@]}"
check "a directive in the setup keeps them apart" exactly 12 "${many[@]}" -s $'#define Y 3\nlong x = Y' --cc "$work/cc-counted"
check "... and so does a function in the global setup" exactly 12 "${many[@]}" -g 'static int f(void) { return 1; }' "${long[@]}"
check "headers in the global setup do not" at_most "$few" "${many[@]}" -g '#include <time.h>' "${long[@]}"

# The machine code of a statement, without addresses and its place in the object.
code_of() {
    "$BILANX" time "$@" --asm "${once[@]}" 2>/dev/null | sed -E 's/^ *[0-9a-f]+: *//; s/[0-9a-f]+ <bilanx_(at[0-9]+_)?/<bilanx_/; s/^benchmark.*//' |
        grep -E '^[a-z]+ ' | sed '/ ns\| us/d'
}
same_code() {
    local alone joined
    XDG_CACHE_HOME=$work/alone
    for one in "${many[@]}"; do
        alone+=$(code_of "$one" "${long[@]}")$'\n'
    done
    XDG_CACHE_HOME=$work/joined
    at_most "$few" "${many[@]}" "${long[@]}" || return
    for one in "${many[@]}"; do
        joined+=$(code_of "$one" "${long[@]}")$'\n'
    done
    XDG_CACHE_HOME=$work/cache
    [ -n "${alone//[[:space:]]/}" ] && [ "$alone" = "$joined" ] || { diff <(echo "$alone") <(echo "$joined"); false; }
}
check "the code is the same as when compiled alone" same_code

check "each has a marginal cost" measures "
assert all(one['stats']['marginal'] >= 0 for one in r), r" "${many[@]}" "${long[@]}" --max-run-time 2ms --quiet

check "a statement that does not compile is the only one that fails" fails "
assert [one['task']['stmt'] for one in r if 'error' in one] == ['nothing(x)'], r
assert len(r) == 13 and 'statement:1:1' in e['output'] and '@' not in e['output'], e" \
    "${many[@]}" 'nothing(x)' "${long[@]}" "${once[@]}"
check "... and so are two of them" fails "
assert sorted(one['task']['stmt'] for one in r if 'error' in one) == ['nope', 'x +'], r" \
    'x +' "${many[@]}" nope "${long[@]}" "${once[@]}"
check "contradictory declarations are both accepted" measures "assert len(r) == 12 and not any('error' in one for one in r)" \
    '{ extern int thing(const char *); x++; }' '{ extern double thing(long); x++; }' "${many[@]:0:10}" \
    -s 'long x = 0' "${once[@]}"
check "... and so are labels and static variables of the same name" measures "assert not any('error' in one for one in r)" \
    '{ static int y; y++; BILANX_KEEP(y); }' '{ static long y; y--; BILANX_KEEP(y); }' "${many[@]}" -s 'long x = 1' "${once[@]}"
printf 'int seven(void) { return 7; }\n' >"$work/seven.c"
printf 'int eight(void) { return 8; }\n' >"$work/eight.c"
check "sources are compiled once for all statements that share a call" at_most 30 \
    'seven() + x' 'eight() + x' "${many[@]}" --source "$work/seven.c" --source "$work/eight.c" \
    -s 'int seven(void), eight(void); long x = 3' --cc "$work/cc-counted"
check "the same statement can be given several times" measures "assert len(r) == 9 and not any('error' in one for one in r)" \
    'x + 1' 'x + 1' 'x + 1' 'x + 1' 'x + 1' 'x + 1' 'x + 1' 'x + 1' 'x + 1' -s 'short x = 1' "${once[@]}"
far() {
    local turns='{ for (volatile int i = 0; i < 1000; i++) ; }'
    exits 0 "$BILANX" count "$turns" "${many[@]}" "$turns" -s 'long x = 1' -q --overwrite -o "$work/r.jsonl" && records "$work/r.jsonl" "
assert [one['counts']['per_iteration'] > 1000 for one in r] == [True] + [False] * 12 + [True], r"
}
check "... also far apart, in two compilations" far
check "C++ is joined as well" at_most 5 'v.size()' 'v.front()' 'v.back()' 'v.data()' 'v.empty()' 'v.capacity()' \
    -l c++ -g '#include <vector>' -s 'std::vector<int> v(3)' --cc "$work/c++-counted"
check "... without false warnings" measures "
assert all('optimised-away' not in [w['code'] for w in one['warnings']] for one in r), r" \
    'x++' 'sin(x)' -l c++ -s 'volatile double x = 1' --max-run-time 2ms --quiet
check "... but removed statements are reported" measures "
assert all('optimised-away' in [w['code'] for w in one['warnings']] for one in r), r" \
    '{ double y = 2 * x; (void)y; }' '{ (void)x; }' -l c++ -s 'double x = 1' --max-run-time 2ms --quiet
plan
