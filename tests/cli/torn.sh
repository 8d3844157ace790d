#!/usr/bin/env bash
# Files of records that a kill or a full disk cut off, or that are damaged in the middle.
. "$(dirname "$0")/cli.bash"
cd "$work" || exit
printf 'benchmarks:\n' >s.yaml
for i in 1 2 3 4; do printf '  case %d: {stmt: x += %d, setup: volatile long x = 0}\n' $i $i; done >>s.yaml
"$BILANX" run s.yaml --max-run-time 5ms --warmup 1ms -q -o measured.jsonl >/dev/null
"$BILANX" merge measured.jsonl -o whole.jsonl -q # in order
size=$(head -n 3 whole.jsonl | wc -c)
said='torn.jsonl:4: the last line is incomplete; left out, kept the 3 records before it'
head -c $((size + 300)) whole.jsonl >torn.jsonl

check "compare reads a file that was cut off" exits 0 "$BILANX" compare torn.jsonl
check "... and says how many records it kept" err "$said"
check "... from stdin, too" bash -c "'$BILANX' compare - <torn.jsonl 2>&1 >/dev/null | grep -q 'stdin:4: the last line is incomplete; left out, kept the 3'"
check "merge reads it" exits 0 "$BILANX" merge torn.jsonl -o merged.jsonl
check "... and says how many records it kept" err "$said"
check "... in a whole file" records merged.jsonl 'assert len(r) == 3'
check "convert reads it" exits 0 "$BILANX" convert torn.jsonl converted.jsonl
check "... and says how many records it kept" err "$said"
check "... in a whole file" records converted.jsonl 'assert len(r) == 3'
check "ab reads it" exits 0 "$BILANX" ab --A file:torn.jsonl --B file:merged.jsonl
check "... and says how many records it kept" err "$said"
cp torn.jsonl resumed.jsonl
check "run --resume reads it" exits 0 "$BILANX" run s.yaml --max-run-time 5ms --warmup 1ms --resume resumed.jsonl
check "... and says how many records it kept" err 'resumed.jsonl:4: the last line is incomplete; left out, kept the 3 records'
check "... and measures the rest" records resumed.jsonl 'assert len(r) == 4'
printf 'a;b 3\na;c 4\n' >p.folded
"$BILANX" flame p.folded --record stacks.jsonl -q >/dev/null
{ cat stacks.jsonl; head -c 100 stacks.jsonl; } >torn_stacks.jsonl
check "flame reads it" exits 0 "$BILANX" flame torn_stacks.jsonl
check "... and says how many records it kept" err 'torn_stacks.jsonl:2: the last line is incomplete; left out, kept the 1 record before it'
everywhere() {
    local at
    for at in $((size + 1)) $((size + 2)) $((size + 40)) $(($(head -n 4 whole.jsonl | wc -c) - 2)); do
        head -c "$at" whole.jsonl >cut.jsonl
        exits 0 "$BILANX" compare cut.jsonl && err 'kept the 3 records' && exits 0 "$BILANX" merge cut.jsonl && err 'kept the 3 records' || return
    done
}
check "wherever it was cut off" everywhere
check "zeroes at the end are left out" bash -c "{ head -n 3 whole.jsonl; head -c 4096 /dev/zero; } >zeroes.jsonl && '$BILANX' compare zeroes.jsonl 2>&1 >/dev/null | grep 'kept the 3'"
printf '{"schema": "bilanx/99"}\n' >newer.jsonl
check "a record of a newer version is an error" exits 1 "$BILANX" compare newer.jsonl
check "... that salvaging would not help" bash -c '! grep salvage err'
check "a last line that is no record is an error" bash -c "{ head -n 3 whole.jsonl; echo '{\"a\": 1}'; } >other.jsonl; ! '$BILANX' compare other.jsonl 2>/dev/null"

# After an inner bracket, the line looks complete to a quick look.
inner() {
    local at
    at=$(sed -n 4p whole.jsonl | grep -bo '}' | head -n 1 | cut -d: -f1)
    head -c $((size + at + 1)) whole.jsonl >inner.jsonl
    [ "$(tail -c 1 inner.jsonl)" = '}' ] && exits 0 "$BILANX" merge stacks.jsonl -o inner.jsonl --append -q && records inner.jsonl 'assert len(r) == 4'
}
check "--append drops a line that was cut off after a bracket" inner

# Damage in the middle: line 2 is garbage, line 3 was cut off and the next record follows in the same line.
{ sed -n 1p whole.jsonl; echo 'gar"b{age'; sed -n 2p whole.jsonl | head -c 200; sed -n '3p;4p' whole.jsonl; head -c 50 whole.jsonl; } >damaged.jsonl
check "damage in the middle is an error" exits 1 "$BILANX" compare damaged.jsonl
check "... that names the line, and the cure" err "damaged.jsonl:2:.*; 'bilanx convert --salvage IN OUT' keeps the intact records"
check "... so does merge" exits 1 "$BILANX" merge damaged.jsonl -o never.jsonl
check "... too" err "damaged.jsonl:2: .*'bilanx convert --salvage IN OUT'"
check "convert --salvage keeps every whole record" exits 0 "$BILANX" convert --salvage damaged.jsonl salvaged.jsonl
check "... in order" records salvaged.jsonl "assert [one['place'] for one in r] == [1, 3, 4]"
check "... and names the lines that it left out" bash -c "[ \"\$(grep -o 'damaged.jsonl:[0-9]*:.*; left out' err | cut -d: -f2 | xargs)\" = '2 3 5' ] || { cat err; false; }"
sed 1d damaged.jsonl >headless.jsonl
check "... also if the beginning is damaged" exits 0 "$BILANX" convert --salvage headless.jsonl headless_whole.jsonl
check "... all of them" records headless_whole.jsonl "assert [one['place'] for one in r] == [3, 4]"
gzip -c whole.jsonl | head -c $(($(gzip -c whole.jsonl | wc -c) - 100)) >torn.gz
check "... also of a compressed file" exits 0 "$BILANX" convert --salvage torn.gz from_gz.jsonl
check "... as many as there are" records from_gz.jsonl 'assert 1 <= len(r) <= 4'
echo nothing >nothing.jsonl
check "a file without records cannot be salvaged" exits 1 "$BILANX" convert --salvage nothing.jsonl salvaged.jsonl
check "... and replaces nothing" records salvaged.jsonl 'assert len(r) == 3'
plan
