#!/usr/bin/env bash
# --hwcaps: counts do not depend on the variants that glibc would choose for this processor.
. "$(dirname "$0")/cli.bash"
export XDG_CACHE_HOME=$work/cache TMPDIR=$work
unset GLIBC_TUNABLES
[ "$(uname -m)" = x86_64 ] || { echo "1..0 # SKIP glibc's variants are pinned on x86-64 only"; exit 0; }
old=glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-AVX512F,-AVX512VL,-AVX512BW,-ERMS,-AVX_Fast_Unaligned_Load
avx2=$(grep -cw -m1 avx2 /proc/cpuinfo)

# counted FILE ARGUMENT...
counted() { exits 0 "$BILANX" count "${@:2}" -q --overwrite -o "$1"; }

# equal ARGUMENT...: the counts are the same as on another processor, by default one without AVX2 and AVX-512.
equal() {
    counted "$work/here.jsonl" "$@" && GLIBC_TUNABLES=${other:-$old} counted "$work/there.jsonl" "$@" &&
        records "$work/here.jsonl" "
there = [json.loads(line) for line in open('$work/there.jsonl')]
assert [x['counts']['repeats'] for x in r] == [x['counts']['repeats'] for x in there], there
assert {x['counts']['hwcaps'] for x in r + there} == {'x86-64-v2'}
names = [f['function'] for x in r for f in x['counts']['functions']]
assert not [name for name in names if any(word in name for word in ('avx', 'evex', 'erms'))], names
assert any(word in name for word in ('sse2', 'sse42', 'memcpy') for name in names), names"
}
buffers='static char a[5000], b[5000]; memset(a, 65, 4999); memset(b, 65, 4999); size_t n = 1000, m = 4000; double x = 1.5'
strings=('memcpy(a, b, n)' 'memset(a, 65, m)' 'strlen(a)' 'strcmp(a, b)' 'memchr(a, 1, m)' 'sin(x)')
check "functions of libc count the same as on an older processor" equal "${strings[@]}" -s "$buffers"
other=glibc.cpu.hwcaps=Prefer_ERMS,Slow_BSF,Slow_SSE4_2,-Fast_Unaligned_Copy,-Fast_Unaligned_Load
check "... and as on one with other preferences" equal "${strings[@]}" -s "$buffers"
unset other
check "... also memcpy with a constant size" equal 'memcpy(a, b, 1000)' -s 'static char a[1000], b[1000]' --cflags '-O2 -fno-builtin'
check "... also in C++" equal 's.find("ab")' -l c++ -g '#include <string>' -s 'std::string s(1000, 120)'
check "... also in Python" equal 'x.find(b"z")' -l python -s 'x = b"a" * 1000'
if ldconfig -p | grep -q libcjson.so.1; then
    check "... also those that a library calls" equal 'cJSON_Delete(cJSON_Parse(t))' --ldflags -l:libcjson.so.1 \
        -g 'void *cJSON_Parse(const char *); void cJSON_Delete(void *);' \
        -s 'const char *t = "{\"a\":[1,2,{\"name\":\"some text to copy\"}],\"b\":true,\"c\":null}"'
fi
native() { "$BILANX" count 'strlen(s)' -s 'char *s = "abcdefgh"' --hwcaps native -q -o -; }
unpinned() { [ "$avx2" = 0 ] || { native | grep __strlen_avx2 && ! GLIBC_TUNABLES=$old native | grep __strlen_avx2; }; }
check "with --hwcaps native they depend on the processor" unpinned

# The worker's environment.
variable() { counted "$work/r.jsonl" '(void)0' -s "const char *t = getenv(\"GLIBC_TUNABLES\"); if (!($1)) abort();" "${@:2}"; }
export GLIBC_TUNABLES=glibc.malloc.perturb=3:$old:nonsense
check "other tunables of the user are kept" variable 'strstr(t, "glibc.malloc.perturb=3:") == t'
check "... but not those that would make glibc ignore all" variable '!strstr(t, "nonsense")'
check "--hwcaps native leaves them alone" variable '!strcmp(t, "'"$GLIBC_TUNABLES"'")' --hwcaps native
check "... and records them" records "$work/r.jsonl" "assert r[0]['counts']['hwcaps'] == 'native with $old', r"
unset GLIBC_TUNABLES
check "... and sets nothing" variable '!t' --hwcaps native
third() {
    [ "$avx2" = 1 ] || return 0
    counted "$work/r.jsonl" 'strlen(s)' -s 'char *s = "abcdefgh"' --hwcaps x86-64-v3 && records "$work/r.jsonl" "
assert r[0]['counts']['hwcaps'] == 'x86-64-v3'
assert any(f['function'] == '__strlen_avx2' for f in r[0]['counts']['functions'])"
}
check "--hwcaps x86-64-v3 counts variants with AVX2" third
check "the processor's features are recorded" records "$work/here.jsonl" "
assert ('avx2' in r[0]['machine']['cpu_features'].split()) == ($avx2 == 1), r[0]['machine']"

# Mistakes.
refused() { exits 2 "$BILANX" "${@:2}" && err "$1"; }
check "--hwcaps without counting is refused by time" refused '--hwcaps needs --count' time 'x++' --hwcaps native
check "... run" refused '--hwcaps needs --count' run "$GOOD" --hwcaps native
check "... flame" refused '--hwcaps needs --counted' flame 'x++' --hwcaps native
check "... ab" refused '--hwcaps needs --count or --bundle' ab --A cc:gcc --B cc:gcc --stmt 'x++' --hwcaps native
check "... and with perf" refused '--hwcaps cannot be combined with --counter perf' count 'x++' --counter perf --hwcaps native
check "AVX-512 cannot be counted" refused 'valgrind does not support AVX-512; use x86-64-v3' count 'x++' --hwcaps x86-64-v4
check "other levels are refused" refused "takes x86-64-v2, x86-64-v3 or native, not 'v3'" count 'x++' --hwcaps v3

# Other commands that count.
of_case() { exits 0 "$BILANX" "$@" && records "$work/r.jsonl" "assert r[0]['counts']['hwcaps'] == '$wanted', r[0]['counts']"; }
wanted=x86-64-v2
check "time --count pins as well" of_case time 'x++' -s 'volatile int x = 0' --count "${quick[@]}" --overwrite -o "$work/r.jsonl"
wanted=native
check "... by default" of_case time 'x++' -s 'volatile int x = 0' --count --hwcaps native "${quick[@]}" --overwrite -o "$work/r.jsonl"
check "... also run" of_case run "$GOOD" --count --hwcaps native "${quick[@]}" --filter '^calls$' --overwrite -o "$work/r.jsonl"
printf 'suite: lengths\nlanguage: c\nbenchmarks:\n  length:\n    stmt: strlen(s)\n    setup: char *s = "abc"\n' >"$work/suite.yaml"
check "... with suites" of_case run "$work/suite.yaml" --count --no-time --hwcaps native -q --overwrite -o "$work/r.jsonl"
remark() { exits 0 "$BILANX" flame --counted "$@" --folded "$work/f.folded" && err "counted by callgrind with --hwcaps $wanted"; }
wanted=x86-64-v2
check "flame --counted names the variants it counted" remark 'strlen(s)' -s 'char *s = "abc"'
check "... also of a command" remark -- true
wanted=native
check "... with another level" remark --hwcaps native -- true

# Comparisons.
strlen=('strlen(s)' -s 'char *s = "abcdefghijklmnopqrstuvwxyz"')
counted "$work/a.jsonl" "${strlen[@]}"
counted "$work/b.jsonl" "${strlen[@]}" --hwcaps native
sed 's/"hwcaps":"native",//' "$work/b.jsonl" >"$work/older.jsonl"
different="different variants of glibc's functions: x86-64-v2.* native on "
stored=(ab --A "file:$work/a.jsonl" --B "file:$work/b.jsonl" --count --no-time)
check "compare names different variants" exits 0 "$BILANX" compare -m instructions "$work/a.jsonl" "$work/b.jsonl"
check "... below the table" out "$different"
check "... as JSON, too" bash -c "'$BILANX' compare -m instructions --format json '$work/a.jsonl' '$work/b.jsonl' | grep -q '\"variants\":\\[\"x86-64-v2\",\"native on '"
check "... but not if there is only one" bash -c "! '$BILANX' compare -m instructions '$work/a.jsonl' | grep variants"
check "compare --functions names them" exits 0 "$BILANX" compare --functions "$work/a.jsonl" "$work/b.jsonl"
check "... above the table" out "variants of glibc's functions: x86-64-v2 before, native on .* after"
check "ab names those of stored counts" exits 0 "$BILANX" "${stored[@]}" --overwrite -o "$work/r.jsonl"
check "... in a note" err "$different"
check "... and reaches no verdict" records "$work/r.jsonl" "
assert r[-1]['verdict'] == 'undecided' and 'x86-64-v2, and native on' in r[-1]['reason'], r[-1]"
for when in slower undecided; do
    check "--fail-on $when refuses to judge them" exits 1 "$BILANX" "${stored[@]}" --fail-on $when
    check "... and says so" err "--fail-on $when cannot judge these counts: count both sides with the same --hwcaps"
done
check "--hwcaps cannot change what was counted earlier" refused 'all sides are files' "${stored[@]}" --hwcaps native
check "older counts are native ones of their machine" exits 0 "$BILANX" ab --A "file:$work/b.jsonl" --B "file:$work/older.jsonl" --count --no-time --fail-on slower
check "... so they can be compared" bash -c "! grep variants '$work/err'"
check "... with others of that machine only" exits 1 "$BILANX" ab --A "file:$work/a.jsonl" --B "file:$work/older.jsonl" --count --no-time --fail-on slower
sides=(ab --A true --B "export GLIBC_TUNABLES=$old" --stmt "${strlen[@]}" --count --no-time --fail-on slower)
check "an environment's tunables do not change counts" exits 0 "$BILANX" "${sides[@]}"
check "... which are equal then" out '^strlen(s) .* none *$'
check "... unless asked for" exits 1 "$BILANX" "${sides[@]}" --hwcaps native
check "... and noted" err 'and native with glibc.cpu.hwcaps=-AVX2'
plan
