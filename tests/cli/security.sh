#!/usr/bin/env bash
# Only the user's own code is loaded: tests foreign folders, planted entries and damaged objects.
. "$(dirname "$0")/time.bash"
counting_compiler cc
statement=('x += 1' -s 'volatile long x = 0' --cc "$work/cc-counted" "${once[@]}")
cache=$work/cache/bilanx
mark=$work/mark

# compiles NUMBER: how often the compiler is called for the statement, which is measured.
compiles() {
    rm -f "$work/calls"
    exits 0 "$BILANX" time "${statement[@]}" && [ "$(calls)" = "$1" ] || { echo "$(calls) calls, not $1"; false; }
}
mode() { stat -c %a "$1"; }
modes() { local wanted=$1; shift; for path; do [ "$(mode "$path")" = "$wanted" ] || { ls -ld "$path"; return 1; }; done; }
no_leftovers() { ! ls -d "${1:-$TMPDIR}"/bilanx-run-* 2>/dev/null; }

mkdir "$work/tmp"
export TMPDIR=$work/tmp

umask 0
check "with umask 0 it compiles" compiles 1
umask 022
check "... into folders that only the user can access" modes 700 "$work/cache" "$cache" "$cache"/*
check "... objects that only the user can write" modes 700 "$cache"/objects/*.so
check "... and so are their manifests" modes 600 "$cache"/objects/*.manifest
check "the compiler leaves no temporary files" bash -c "! find '$TMPDIR' '$cache/building' -mindepth 1 | grep ."

# An attacker's entry: a foreign object under the right key, with a matching manifest.
cat >"$work/planted.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void leave_a_mark(void)
{
    FILE *file = fopen(getenv("PLANTED"), "w");
    if (file)
        fclose(file);
}
C
cat >"$work/sum.c" <<'C'
#define XXH_INLINE_ALL
#include <stdio.h>
#include <xxhash.h>
static char bytes[1 << 24];
int main(void)
{
    XXH128_hash_t sum = XXH3_128bits(bytes, fread(bytes, 1, sizeof bytes, stdin));
    printf("%016llx%016llx\n", (unsigned long long)sum.high64, (unsigned long long)sum.low64);
}
C
export PLANTED=$mark
cc -shared -fPIC -o "$work/planted.so" "$work/planted.c" && cc -o "$work/sum" "$work/sum.c" || exit 1

# plant FOLDER: a copy of the cache in which every object is the planted one.
plant() {
    rm -rf "$1" "$mark"
    mkdir -p "$(dirname "$1")"
    cp -r "$cache" "$1"
    local object
    for object in "$1"/objects/*.so; do
        cp "$work/planted.so" "$object"
        sed -i "s|^object .*|object $(stat -c %s "$object") $("$work/sum" <"$object")|" "${object%.so}.manifest"
    done
}
# tries XDG_CACHE_HOME: whether a run there leaves the mark.
tries() {
    rm -f "$mark"
    XDG_CACHE_HOME=$1 run "$BILANX" time "${statement[@]}"
    [ -e "$mark" ]
}
# refuses XDG_CACHE_HOME REASON: measures the statement, not the planted code, and says why.
refuses() {
    if tries "$1"; then echo "it was loaded"; return 1; fi
    [ $status = 0 ] && err "bilanx: not using the cache '$1/bilanx': $2" &&
        [ "$(grep -c '' "$work/err")" = 1 ] && no_leftovers
}

plant "$work/attack/bilanx"
check "a planted entry is loaded if the folder belongs to the user" tries "$work/attack"
plant "$work/attack/bilanx"
chmod 777 "$work/attack/bilanx"
check "a folder that everyone can write to is not used" refuses "$work/attack" "other users can write to '$work/attack/bilanx' (mode 0777)"
chmod 700 "$work/attack/bilanx"
chmod 770 "$work/attack/bilanx/objects"
check "... nor one with such a subfolder" refuses "$work/attack" "other users can write to '$work/attack/bilanx/objects' (mode 0770)"
plant "$work/elsewhere"
rm -rf "$work/attack/bilanx"
ln -s "$work/elsewhere" "$work/attack/bilanx"
check "a link is not followed" refuses "$work/attack" "'$work/attack/bilanx' is a link"
rm "$work/attack/bilanx"
plant "$work/attack/bilanx"
chmod 777 "$work/attack"
check "a folder that others can replace is not used" refuses "$work/attack" "other users can change the contents of '$work/attack'"

# An old kind of entry, whose manifest names the object's path.
plant "$work/named/bilanx"
cp "$cache"/objects/*.so "$work/named/bilanx/objects/"
for manifest in "$work"/named/bilanx/objects/*.manifest; do
    sed -i "s|^object .*|object $(stat -c %s "$work/planted.so") 0 - $work/planted.so|" "$manifest"
done
check "a manifest cannot name another object" bash -c "rm -f '$mark'; XDG_CACHE_HOME='$work/named' '$BILANX' time \"\$@\" && [ ! -e '$mark' ]" - "${statement[@]}"

# Checkouts are built from there too.
mkdir "$work/repository"
compared=(ab --A git:HEAD --B git:HEAD --stmt 'f(1)' --source f.c --build 'umask' --budget 0.1 --quiet)
checkouts() { (cd "$work/repository" && umask 0 && exits 0 "$BILANX" "${compared[@]}"); }
(
    cd "$work/repository" || exit 1
    echo 'int f(int x) { return x; }' >f.c
    git init -q . && git add f.c && git -c user.name=a -c user.email=a@b commit -qm one
) >/dev/null 2>&1
check "a revision is checked out" checkouts
check "... privately" modes 700 "$cache/revisions" "$cache"/revisions/*
check "... with its log" modes 600 "$cache"/revisions/*/{done,lock,log}
for file in "$cache"/revisions/*/tree/f.c; do
    echo "__attribute__((constructor)) static void planted(void) { __builtin_trap(); } $(cat "$file")" >"$file"
done
chmod 777 "$cache/revisions"
check "a checkout in a folder that everyone can write to is not used" checkouts
check "... and the message says so" err "not using the cache '$cache': other users can write to '$cache/revisions' (mode 0777)"
check "... and nothing is left behind" no_leftovers
chmod 700 "$cache/revisions"

# As another user, and against one.
victim=61234
as_victim=(setpriv --reuid $victim --regid $victim --clear-groups env -u XDG_CACHE_HOME -u HOME TMPDIR="$work/open" "PLANTED=$work/open/mark")
if [ "$(id -u)" = 0 ] && "${as_victim[@]}" test -x "$BILANX" 2>/dev/null; then
    usual=/tmp/bilanx-$victim
    trap 'rm -rf "$work" "$usual"' EXIT
    chmod 755 "$work"
    mkdir -m 1777 "$work/open"
    chmod -R go+rX "$work/cc-counted"
    touch "$work/calls" && chmod 666 "$work/calls"
    plant "$work/attack/bilanx"
    chmod 755 "$work/attack"
    chown -R 65534:65534 "$work/attack/bilanx"
    check "a folder of another user is not used" refuses "$work/attack" "'$work/attack/bilanx' belongs to user 65534"
    chown -R 65534:65534 "$work/attack"
    chown -R 0:0 "$work/attack/bilanx"
    check "... nor one inside a folder of another user" refuses "$work/attack" "other users can change the contents of '$work/attack'"
    rm -rf "$usual"
    check "without a home the cache is in /tmp" exits 0 "${as_victim[@]}" "$BILANX" time "${statement[@]}"
    check "... private to its user" modes 700 "$usual"
    check "... without a message" empty err
    plant "$work/theirs"
    rm -rf "$usual"
    cp -r "$work/theirs" "$usual"
    chmod -R 777 "$usual"
    chown -R 65534:65534 "$usual"
    check "a cache that someone else created there is not used" exits 0 "${as_victim[@]}" "$BILANX" time "${statement[@]}"
    check "... and the message says why" err "not using the cache '$usual': '$usual' belongs to user 65534"
    check "... and its contents are not loaded" test ! -e "$work/open/mark"
    check "... and the temporary cache is removed" no_leftovers "$work/open"
    check "... for a suite, too" bash -c "printf 'benchmarks:\n  a: {stmt: x += 1, setup: volatile long x = 0}\n  b: {stmt: {c: x += 2}, setup: volatile long x = 0}\n' >'$work/s.yaml' &&
        \"\$@\" '$BILANX' run '$work/s.yaml' --quiet --max-run-time 5ms --no-lang python && [ ! -e '$work/open/mark' ]" - "${as_victim[@]}"
fi

# Modified objects of any size.
large=('f(1)' --source "$work/large.c" --cc "$work/cc-counted" "${once[@]}")
echo 'static const char much[400000] = {1}; int f(int x) { return much[x] + x; }' >"$work/large.c"
touch -d '1 minute ago' "$work/large.c"
statement=("${large[@]}")
check "a large object is compiled once" compiles 1
check "... and then found" compiles 0
overwrite() {
    local object
    for object in $(find "$cache/objects" -name '*.so' -size +256k); do
        touch -r "$object" "$work/time"
        dd if=/dev/zero of="$object" bs=4096 seek=1 count=8 conv=notrunc status=none
        touch -r "$work/time" "$object"
    done
    [ -n "${object-}" ]
}
check "its content is overwritten" overwrite
check "... so it is compiled again, not loaded" compiles 1
check "... and then found" compiles 0

plan
