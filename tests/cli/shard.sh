#!/usr/bin/env bash
# Shards of a suite, measured one by one and merged, are the suite.
. "$(dirname "$0")/time.bash"
brief=(--max-run-time 10ms --warmup 1ms --quiet)
{
    printf 'suite: test\nbenchmarks:\n'
    for i in $(seq 7); do
        printf '  case %d: {stmt: x += %d, setup: volatile long x = 0}\n' "$i" "$i"
    done
    # A row: two columns whose ratio matters.
    printf '  row: {stmt: x += 1, setup: volatile long x = 0, sub_label: both, description: [left]}\n' | sed 's/\[left\]/left/'
    printf '  beside: {stmt: x += 2, setup: volatile long x = 0, overhead_of: case 1}\n'
} >"$work/suite.yaml"
printf '#bilanx-null\n%s\n' "$(for i in $(seq 9); do echo "case$i ${i}us"; done)" >"$work/fixed.times"

# shards COMMAND FILE COUNT OPTION...: runs all shards; their records are in $work/shards/.
shards() {
    local command=$1 file=$2 count=$3 i
    shift 3
    rm -rf "$work/shards"
    mkdir "$work/shards"
    for i in $(seq "$count"); do
        exits 0 "$BILANX" "$command" "$file" --shard "$i/$count" -o "$work/shards/$i.jsonl" "$@" || return
    done
}
merged() { rm -f "$work/all.jsonl"; exits 0 "$BILANX" merge "$work/shards" -o "$work/all.jsonl"; }
places() { records "$work/all.jsonl" "assert [one['place'] for one in r] == list(range(1, $1 + 1)), [one['place'] for one in r]"; }
together() {
    python3 - "$work/shards" <<'PYTHON'
import glob, json, sys
for name in glob.glob(sys.argv[1] + '/*.jsonl'):
    labels = {json.loads(line)['task']['label'] for line in open(name)}
    assert ('case 1' in labels) == ('beside' in labels), labels
PYTHON
}

check "shards of fixed times are measured" shards run "$work/fixed.times" 4 --quiet
check "... and merged" merged
check "... to all cases, in order" places 9
check "shards of a suite are measured" shards run "$work/suite.yaml" 3 "${brief[@]}"
check "... and merged" merged
check "... to all cases, in order" places 9
check "... and 'overhead_of' is measured with its other case" together
check "merging a shard twice changes nothing" exits 0 "$BILANX" merge "$work/shards" "$work/shards/2.jsonl" -o "$work/twice.jsonl"
check "... and is reported" err 'dropped [0-9]* for cases that are in several files'
check "... and gives the same records" cmp "$work/all.jsonl" "$work/twice.jsonl"
check "a missing shard is reported" exits 0 "$BILANX" merge "$work/shards/1.jsonl" "$work/shards/3.jsonl" -o "$work/two.jsonl"
check "... with its positions" err 'no record of the cases at positions [0-9]'
check "merge writes to stdout" exits 0 "$BILANX" merge "$work/shards" --quiet
check "... the same" cmp "$work/all.jsonl" "$work/out"
check "merge does not replace a file" exits 2 "$BILANX" merge "$work/shards" -o "$work/all.jsonl"
check "... unless asked to" exits 0 "$BILANX" merge "$work/shards" -o "$work/all.jsonl" --overwrite
check "merge needs files" exits 2 "$BILANX" merge
check "merge of an empty folder fails" exits 1 bash -c "mkdir -p '$work/empty'; '$BILANX' merge '$work/empty'"

check "shards of counts are counted" shards count "$work/suite.yaml" 2 --quiet --jobs 2
check "... and merged" merged
check "... to all cases, in order" places 9
check "... which are those of a whole run" bash -c "'$BILANX' count '$work/suite.yaml' --quiet -o '$work/whole.jsonl' >/dev/null && '$BILANX' merge --quiet '$work/whole.jsonl' -o '$work/sorted.jsonl'"
check "... with the same counts" python3 -c "
import json
counts = [[json.loads(line)['counts']['instructions'] for line in open('$work/' + name)] for name in ('all.jsonl', 'sorted.jsonl')]
assert counts[0] == counts[1], counts"

mkdir "$work/old" "$work/new"
cp "$work/fixed.times" "$work/old"
sed 's/5us/9us/' "$work/fixed.times" >"$work/new/fixed.times"
rm -rf "$work/shards"; mkdir "$work/shards"
for i in 1 2; do
    check "ab compares shard $i of 2" exits 0 "$BILANX" ab --A "cd '$work/old'" --B "cd '$work/new'" fixed.times --budget 1 --shard $i/2 -o "$work/shards/$i.jsonl"
done
check "... which merge" merged
check "... to a verdict for each case, in order" places 9

cat >"$work/ops.txt" <<'LOG'
Operator: aten.add.Tensor
cnt: 2, ((T([20], f32), T([20], f32)), {})
cnt: 1, ((T([30], f32), T([30], f32)), {})
Operator: aten.mul.Tensor
cnt: 2, ((T([20], f32), T([20], f32)), {})
LOG
check "shards of operators are measured" shards ops "$work/ops.txt" 2 --backend reference --baseline reference --repeats 1 --quiet
check "... and merged" merged
check "... to all samples, in order" places 3

printf '3,5-6\n' >"$work/positions"
check "--cases chooses cases by position" exits 0 "$BILANX" run "$work/fixed.times" --cases "$work/positions" -o "$work/three.jsonl" --quiet
check "... and keeps their positions" records "$work/three.jsonl" "assert sorted(one['place'] for one in r) == [3, 5, 6], r"
printf '3,50\n' >"$work/positions"
check "a position that does not exist is an error" exits 1 "$BILANX" run "$work/fixed.times" --cases "$work/positions" --quiet
check "... that says so" err 'there is no case 50: this suite has 9 cases'
check "a shard without cases is no error" exits 0 "$BILANX" run "$work/fixed.times" --shard 11/12 -o "$work/none.jsonl" --quiet
check "a wrong shard is an error" exits 2 "$BILANX" run "$work/fixed.times" --shard 5/4
check "... that names the possible values" err "I is from 1 to N"
check "statements have no shards" exits 2 "$BILANX" count 'x += 1' -s 'int x = 0' --shard 1/2
check "shards follow the times in earlier records" exits 0 "$BILANX" run "$work/suite.yaml" --shard 1/3 --shard-costs "$work/all.jsonl" "${brief[@]}"
plan
