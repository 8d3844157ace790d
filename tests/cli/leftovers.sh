#!/usr/bin/env bash
# The next run removes what a killed one left behind; a full disk is reported as such.
. "$(dirname "$0")/time.bash"
mkdir "$work/tmp"
export TMPDIR=$work/tmp
statement=('x += 1' -s 'volatile long x = 0' "${once[@]}")

left() { find "$TMPDIR" "$XDG_CACHE_HOME/bilanx/building" -mindepth 1 -maxdepth 1; }
nothing_left() { ! left | grep .; }
some_left() { left | grep -q .; }
age() { left | xargs -r touch -d '1 minute ago'; }

# A compiler that starts writing and never ends.
printf '#!/bin/sh\necho begun >"$TMPDIR/cc-temporary"\necho begun >>"%s"\nexec sleep 60\n' "$MARKS" >"$work/cc-slow"
chmod +x "$work/cc-slow"

# killed SIGNAL: kills it while it compiles; with KILL, its worker too.
killed() {
    rm -f "$MARKS"
    "$BILANX" time 'x += 2' -s 'volatile long x = 0' --cc "$work/cc-slow" "${once[@]}" >"$work/out" 2>"$work/err" </dev/null &
    local controller=$!
    soon marked 1 || return 1
    local worker=
    [ "$1" != KILL ] || worker=$(pgrep -P $controller)
    # shellcheck disable=SC2086
    kill "-$1" $worker $controller
    wait $controller 2>/dev/null
    true
}
for signal in INT TERM; do
    check "$signal ends it" killed $signal
    check "... and leaves nothing" soon nothing_left
done
check "KILL ends it" killed KILL
check "... and leaves a folder behind" some_left
check "... which the next run keeps while it is recent" exits 0 "$BILANX" time "${statement[@]}"
check "... so it is still there" some_left
age
check "a later run finds it old" exits 0 "$BILANX" time "${statement[@]}"
check "... and removes it" nothing_left

count_killed() {
    "$BILANX" count 'pause()' -g '#include <unistd.h>' >"$work/out" 2>"$work/err" </dev/null &
    local controller=$!
    soon some_in_tmp && kill -9 $controller
    wait $controller 2>/dev/null
    true
}
some_in_tmp() { ls -d "$TMPDIR"/bilanx-run-* >/dev/null 2>&1; }
check "counting is killed" count_killed
check "... and leaves a folder behind" some_left
age
check "the next run removes it" exits 0 "$BILANX" time "${statement[@]}"
check "... completely" nothing_left

mkdir "$TMPDIR/bilanx-run-mine" "$TMPDIR/bilanx-mine"
touch -d '1 hour ago' "$TMPDIR"/*
if [ "$(id -u)" = 0 ]; then
    chown 65534 "$TMPDIR/bilanx-run-mine"
    check "a folder of another user" exits 0 "$BILANX" time "${statement[@]}"
    check "... stays" test -d "$TMPDIR/bilanx-run-mine"
fi
check "... and so does a folder with another name" test -d "$TMPDIR/bilanx-mine"
rm -rf "${TMPDIR:?}"/*

# full SIZE: `bilanx time` with a cache on a disk of that size, nearly full.
full() {
    mkdir -p "$work/small"
    unshare -m bash -c "mount -t tmpfs -o size=$1 none '$work/small' && cd '$work/small' && mkdir -p bilanx/objects &&
        XDG_CACHE_HOME='$work/small' \"\$@\"" - "$BILANX" time 'f(1)' --source "$work/large.c" "${once[@]}" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    cat "$work/out" "$work/err"
    [ $status = 1 ]
}
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    echo 'static const char much[3000000] = {1}; int f(int x) { return much[x] + x; }' >"$work/large.c"
    for size in 1200k 2500k 4000k; do
        check "a full disk for a cache of $size fails" full $size
        check "... and the message names the disk" err "disk of the cache '$work/small.* is full"
    done
fi

plan
