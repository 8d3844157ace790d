#!/usr/bin/env bash
# Compiled code is not compiled again unless one of its inputs changed.
. "$(dirname "$0")/time.bash"
counting_compiler cc
counting_compiler c++

# compiles NUMBER ARGUMENT...: how often `bilanx time`, which must succeed, calls the compiler.
compiles() {
    local wanted=$1
    shift
    rm -f "$work/calls"
    exits 0 "$BILANX" time "$@" "${once[@]}" && [ "$(calls)" = "$wanted" ] || { echo "$(calls) calls, not $wanted"; false; }
}

counter=('x += 1' -s 'volatile long x = 0' --cc "$work/cc-counted")
check "the first call compiles" compiles 1 "${counter[@]}"
check "the second one does not" compiles 0 "${counter[@]}"
check "labels do not matter" compiles 0 "${counter[@]}" --label other
check "another statement compiles" compiles 1 "${counter[@]}" 'x += 2'
check "... and only the new one" compiles 1 "${counter[@]}" 'x += 2' 'x += 3'
check "another setup compiles" compiles 1 'x += 1' -s 'volatile int x = 0' --cc "$work/cc-counted"
check "other flags compile" compiles 1 "${counter[@]}" --cflags -O1
check "another sync compiles" compiles 1 "${counter[@]}" --sync 'x = 0'
check "--no-launder compiles" compiles 1 "${counter[@]}" --no-launder
ln -s cc-counted "$work/cc-other"
check "a compiler with another name compiles" compiles 1 "${counter[@]:0:3}" --cc "$work/cc-other"
touch -d '1 hour ago' "$work/cc-counted"
check "a changed compiler compiles" compiles 1 "${counter[@]}"
CPATH=$work check "another search path compiles" compiles 1 "${counter[@]}"
check "C++ is cached, too" compiles 1 'v.size()' -l c++ -g '#include <vector>' -s 'std::vector<int> v' --cc "$work/c++-counted"
check "... and the second call does not compile" compiles 0 'v.size()' -l c++ -g '#include <vector>' -s 'std::vector<int> v' --cc "$work/c++-counted"

# old FILE TEXT: a file last changed a while ago.
old() {
    mkdir -p "$(dirname "$1")"
    printf '%s\n' "$2" >"$1"
    touch -d "${3:-1 minute ago}" "$1"
}

old "$work/my headers/h.h" '#define STEP 1'
headed=('x += STEP' -g '#include "h.h"' -s 'volatile int x = 0' -I "$work/my headers" --cc "$work/cc-counted")
check "a header compiles" compiles 1 "${headed[@]}"
check "... only once" compiles 0 "${headed[@]}"
old "$work/my headers/h.h" '#define STEP 2' '30 seconds ago'
check "an edited header compiles again" compiles 1 "${headed[@]}"
touch "$work/my headers/h.h"
check "a touched one does not" compiles 0 "${headed[@]}"
rm "$work/my headers/h.h"
check "a removed one fails" exits 1 "$BILANX" time "${headed[@]}" "${once[@]}"

old "$work/a b.c" 'static int f(int x) { return x + 1; }'
single=('x = f(x)' -s 'int x = 0' --source "$work/a b.c" --cc "$work/cc-counted")
check "a source compiles" compiles 1 "${single[@]}"
check "... only once" compiles 0 "${single[@]}"
old "$work/a b.c" 'static int f(int x) { return x + 2; }' '30 seconds ago'
check "an edited source compiles again" compiles 1 "${single[@]}"

old "$work/one.h" '#define ONE 1'
old "$work/one.c" '#include "one.h"
int one(void) { return ONE; }'
old "$work/two.c" 'int two(void) { return 2; }'
several=('one() + two()' -g 'int one(void), two(void);' --source "$work/one.c" --source "$work/two.c" --cc "$work/cc-counted")
check "several sources compile" compiles 3 "${several[@]}"
check "... only once" compiles 0 "${several[@]}"
for edited in one.c two.c one.h; do
    sed -i 's/$/ \/\/ edited/' "$work/$edited"
    touch -d '30 seconds ago' "$work/$edited"
    check "... and again if $edited is edited" compiles 3 "${several[@]}"
done

old "$work/project/include/factor.h" '#define FACTOR 3'
old "$work/project/scale.c" '#include "factor.h"
static int scale(int x) { return FACTOR * x; }'
mkdir "$work/project/build"
echo "[{\"directory\": \"$work/project/build\", \"file\": \"../scale.c\", \"command\": \"cc -I../include ../scale.c\"}]" >"$work/project/database.json"
project=('x = scale(x)' -s 'int x = 1' --source "$work/project/scale.c" --compile-commands "$work/project/database.json" --cc "$work/cc-counted")
check "headers of a project compile" compiles 1 "${project[@]}"
check "... only once" compiles 0 "${project[@]}"
old "$work/project/include/factor.h" '#define FACTOR 5' '30 seconds ago'
check "... and again if edited" compiles 1 "${project[@]}"

old "$work/lib.c" 'int lib(void) { return 1; }'
make_library() { cc -c -fPIC -o "$work/lib.o" "$work/lib.c" && rm -f "$work/liblib.a" && ar rc "$work/liblib.a" "$work/lib.o" && touch -d "$1" "$work/liblib.a"; }
make_library '1 minute ago'
linked=('lib()' -g 'int lib(void);' --ldflags "-L$work -llib" --cc "$work/cc-counted")
check "a library links" compiles 1 "${linked[@]}"
check "... only once" compiles 0 "${linked[@]}"
echo 'int lib(void) { return 2; }' >"$work/lib.c"
make_library '30 seconds ago'
check "... and again if it changes" compiles 1 "${linked[@]}"

check "the cache is warm again" compiles 0 "${counter[@]}"
rm -rf "$work/cache"
check "a removed cache is recreated" compiles 1 "${counter[@]}"
for object in "$work"/cache/bilanx/objects/*.so; do echo torn >"$object"; done
check "a damaged object is compiled again" compiles 1 "${counter[@]}"
for manifest in "$work"/cache/bilanx/objects/*.manifest; do truncate -s 20 "$manifest"; done
check "a damaged manifest, too" compiles 1 "${counter[@]}"
check "... and then found" compiles 0 "${counter[@]}"
check "nothing else is in the cache" bash -c "! ls '$work/cache/bilanx/objects' | grep -v '^[0-9a-f]\{32\}\.\(so\|manifest\)$'"

at_once() {
    local pids=() ok=true
    rm -rf "$work/cache"
    for _ in 1 2 3 4 5 6; do
        timeout 100 "$BILANX" time "${counter[@]}" 'x += 7' "${once[@]}" >/dev/null 2>"$work/err" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid" || ok=false; done
    cat "$work/err"
    $ok
}
check "several processes start with an empty cache" at_once
check "... and leave it complete" compiles 0 "${counter[@]}" 'x += 7'

echo >"$work/file"
export HOME=$work/home
XDG_CACHE_HOME=$work/file/x check "without a writable cache, the one in the home" compiles 1 "${counter[@]}"
check "... is used instead" test -d "$work/home/.cache/bilanx"
export HOME=/dev/null
XDG_CACHE_HOME=$work/file/x check "... or one in /tmp, without a home" exits 0 "$BILANX" time "${counter[@]}" "${once[@]}"

plan
