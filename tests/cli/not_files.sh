#!/usr/bin/env bash
# Inputs must be files: FIFOs and devices are rejected at once, pipes are read to the end.
. "$(dirname "$0")/time.bash"
patience=20
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work" || exit 1
mkfifo fifo fifo.yaml
ln -s /dev/zero zero
ln -s /dev/zero zero.yaml
statement=('x += 1' -s 'volatile long x = 0' "${once[@]}")

# refuses TEXT ARGUMENT...: exits at once, with one sentence that contains TEXT.
refuses() {
    local text=$1
    shift
    run "$BILANX" "$@"
    cat err
    [ $status = 1 ] || [ $status = 2 ] || { echo "status $status"; return 1; }
    grep -qF "$text" err
}

check "there are records to read" exits 0 "$BILANX" time "${statement[@]}" -o r.jsonl
cp r.jsonl other.jsonl
fifo="it is a FIFO, not a file"
device="it is a device, not a file"
check "compare rejects a FIFO" refuses "cannot read 'fifo': $fifo" compare fifo
check "compare rejects a device" refuses "cannot read 'zero': $device" compare zero
check "convert rejects a FIFO" refuses "cannot read 'fifo': $fifo" convert fifo - --to google
check "convert rejects a device" refuses "cannot read 'zero': $device" convert zero - --to google
check "ab rejects a FIFO of records" refuses "fifo': $fifo" ab --A file:fifo --B file:r.jsonl
check "ab rejects a device" refuses "zero': $device" ab --A file:r.jsonl --B file:zero
check "ab rejects a FIFO as a program" refuses "'fifo' is not a regular file" ab --A bin:fifo --B "bin:$GOOD"
check "run rejects a FIFO as a suite" refuses "cannot read 'fifo.yaml': $fifo" run fifo.yaml
check "run rejects a device as a suite" refuses "cannot read 'zero.yaml': $device" run zero.yaml
check "run rejects a FIFO of any name" refuses "cannot read 'fifo': $fifo" run fifo
check "run rejects a device of any name" refuses "cannot read 'zero': $device" run zero
check "run rejects a folder" refuses "cannot read '.': Is a directory" run .
printf 'include: fifo.yaml\nbenchmarks:\n  a: {stmt: x}\n' >include.yaml
check "include rejects a FIFO" refuses "fifo.yaml': $fifo" run include.yaml --list
check "run --resume rejects a FIFO" refuses "cannot read 'fifo': $fifo" run "$root/suites/machine.yaml" --filter copy --resume fifo
check "time rejects a FIFO as a source" refuses "cannot read 'fifo': $fifo" time 'f()' --source fifo "${once[@]}"
check "time rejects a device as a source" refuses "cannot read 'zero': $device" time 'f()' --source zero "${once[@]}"
echo 'int f(void) { return 1; }' >f.c
check "time --compile-commands rejects a device" refuses "cannot read '/dev/zero': $device" time 'f()' --source f.c --compile-commands /dev/zero "${once[@]}"
check "time --compile-commands rejects a FIFO" refuses "cannot read 'fifo': $fifo" time 'f()' --source f.c --compile-commands fifo "${once[@]}"
check "time --input rejects a FIFO" refuses "'fifo' is a FIFO" time --input fifo -- cat
truncate -s 2000G sparse
check "time --compile-commands rejects a file of 2 TB" refuses "'sparse' is too large" time 'f()' --source f.c --compile-commands sparse "${once[@]}"

check "/dev/null counts as an empty file" refuses "/dev/null" compare /dev/null
check "records are read from a pipe" bash -c '"$BILANX" compare <(cat r.jsonl) | grep -q "x += 1"'
check "... for both sides" bash -c '"$BILANX" ab --A file:<(cat r.jsonl) --B file:<(cat other.jsonl) -q >out 2>err; [ $? -lt 2 ]'
printf 'benchmarks:\n  a: {stmt: {c: x + 1}}\n' >s.yaml
check "a suite is read from a pipe" bash -c '[ "$("$BILANX" run <(cat s.yaml) --list)" = a ]'
check "... and from stdin" bash -c '[ "$("$BILANX" run - --list <s.yaml)" = a ]'
check "an endless pipe is rejected" refuses "line over" compare <(cat r.jsonl /dev/zero)

# In the cache.
objects=$XDG_CACHE_HOME/bilanx/objects
rm -rf "$objects"
check "there is a cache entry to damage" exits 0 "$BILANX" time "${statement[@]}"
for planted in fifo zero sparse; do
    for manifest in "$objects"/*.manifest; do rm "$manifest" && cp -a $planted "$manifest"; done
    check "a manifest that is a $planted is ignored" exits 0 "$BILANX" time "${statement[@]}"
done
for object in "$objects"/*.so; do rm "$object" && cp -a fifo "$object"; done
check "an object that is a FIFO is ignored" exits 0 "$BILANX" time "${statement[@]}"
check "... and the cache is repaired" bash -c "! find '$objects' -type p -o -type l | grep ."

plan
