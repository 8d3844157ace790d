#!/usr/bin/env bash
# bilanx ops: operators of a log on backends that work and on backends that do not. No figures.
. "$(dirname "$0")/cli.bash"
: "${OPS_BACKEND:?a backend with faults}"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1
unset BILANX_DATA BILANX_PYTHON
cp "$OPS_BACKEND" toy.so

cat >small.txt <<'LOG'
Operator: aten.relu.default
cnt: 5, ((T([8, 16], f16),), {})
cnt: 2, ((T([13, 16], f16),), {})
cnt: 1, ((T([32, 16], f16),), {})
Operator: aten.add.Tensor
cnt: 73, ((T([64, 128], f16), T([64, 128], f16)), {})
Operator: aten.add_.Tensor
cnt: 7, ((T([13, 16], f16), T([13, 16], f16)), {})
Operator: aten.view.default
cnt: 7, ((T([64, 128], f16), [128, 64]), {})
Operator: aten.mul.Tensor
cnt: 7, ((T([64, 128], f16), T([64, 128], f16)), {})
LOG

# With the toy as the baseline. The roof takes half a second, and only tables have it.
roofless() { [[ " $* " == *' --format csv '* ]] || echo --no-roof; }
toy() { exits 0 "$BILANX" ops --baseline ./toy.so $(roofless "$@") "$@"; }
fails() { exits 1 "$BILANX" ops --baseline ./toy.so --no-roof "$@"; }
refuses() { exits 2 "$BILANX" ops --baseline ./toy.so "$@"; }
slow=(--backend ./toy.so:slow)

# The contents of a log.
check "--list shows operators, samples and calls" exits 0 "$BILANX" ops small.txt --list
check "... one line each" out '^aten.relu.default  *3  *8 '
check "... as CSV" exits 0 "$BILANX" ops small.txt --list --format csv
check "... with plain numbers" out '^aten.add.Tensor,1,73,'
check "a log is needed" exits 2 "$BILANX" ops
check "... or its mistake explained" exits 1 "$BILANX" ops missing.txt
check "--inp-file is a log" exits 0 "$BILANX" ops --inp-file small.txt --list

check "a log is also a source of cases" exits 0 "$BILANX" run small.txt --list
check "... one for each sample, without views" bash -c '[ "$(grep -c "^aten" out)" = 6 ] && ! grep -q view out'
check "... by name" exits 0 "$BILANX" run small.txt --list --filter 'relu.*\[13, '
check "... as elsewhere" out '^aten.relu.default ((T(\[13, 16\], f16),), {}) [a-z]*$'
printf '# comment\n\nOperator: aten.add.Tensor\ncnt: 1, ((T([2], f32), T([2], f32)\n' >bad.txt
check "... whose mistakes have a place" exits 1 "$BILANX" run bad.txt
check "... too" err 'bad.txt:4:35: expected'

# One run.
check "operators are measured" exits 0 "$BILANX" ops --baseline ./toy.so small.txt "${slow[@]}" -o r.jsonl --csv r.csv
check "... a line each, as the reference prints it" \
    out '^aten.add.Tensor: toy:slow=[0-9.]*x ([0-9.]*-[0-9.]*) took [0-9.]*s$'
check "... a table at the end" out '^aten.relu.default  *8  *3  *[0-9.]* [nu]s'
check "... the whole model" out '^toy:slow  *3  *5  *[0-9.]*x '
check "... with its rates" out '^toy  *3  *5 .*B/s .*FLOP/s '
check "... the limits of the machine" out '^roof, 1 thread: .*FLOP/s.* memory .*B/s$'
check "... and what each backend reaches of them" out ' of roof '
for columns in 60 80; do
    check "... all of it in $columns columns" bash -c '! COLUMNS=$1 "$BILANX" ops --baseline ./toy.so "${@:2}" -q | grep -E ".{$(($1 + 1))}"' - $columns small.txt "${slow[@]}"
done
# terminal COLUMNS ARGUMENT...: stdout is a terminal.
terminal() { NO_COLOR=1 script -qec "stty cols $1; '$BILANX' ops --baseline ./toy.so ${*:2} 2>/dev/null" /dev/null </dev/null | tr -d '\r'; }
two="--no-roof small.txt --backend ./toy.so:slow --backend ./toy.so:x --repeats 1 --op aten.add.Tensor"
one_line='^aten.add.Tensor: toy:slow=[0-9.]*x ([0-9.]*-[0-9.]*) toy:x=[0-9.]*x ([0-9.]*-[0-9.]*) toy:slow/toy:x=[0-9.]*x ([0-9.]*-[0-9.]*) took [0-9.]*s$'
if command -v script >/dev/null; then
    for columns in 60 80; do
        terminal $columns "$two" >narrow
        check "... the lines fit a terminal of $columns columns" bash -c '! grep -E ".{$(($1 + 1))}" narrow' - $columns
        check "... at words, and lose none" bash -c 'sed "/^$/,\$d" narrow | tr "\n" " " | sed "s/  */ /g; s/ \$//" | grep "$1"' - "$one_line"
    done
fi
check "... but not piped output" bash -c 'COLUMNS=60 "$BILANX" ops --baseline ./toy.so $1 2>/dev/null | grep "$2"' - "$two" "$one_line"
check "... and why operators are skipped" err 'view (1): aten.view.default'
check "... by whom" err 'not supported by the baseline, toy: only relu and add are written (1): aten.mul.Tensor'
check "records are measurements by operator, arguments and backend" records r.jsonl "
assert len(r) == 10 and all(one['kind'] == 'measurement' for one in r), len(r)
t = r[0]['task']
assert t['label'] == 'aten.relu.default' and t['sub_label'] == '((T([8, 16], f16),), {})', t
assert {one['task']['description'] for one in r} == {'toy', 'toy:slow'}
assert t['parameters']['cnt'] == 5 and t['parameters']['dtype'] == 'f32', t
assert len(r[0]['raw_times']) == 3 and r[0]['rates']['bytes'] == 1024 and r[0]['counters']['flops'] == 128, r[0]
assert r[0]['counters']['error'] == 0"
check "... that compare shows side by side" exits 0 "$BILANX" compare r.jsonl
check "... by backend" out 'toy  *toy:slow'
check "the CSV file has the reference's header" grep -qx \
    'operator,toy:slow 20th,toy:slow 50th,toy:slow 80th,elapsed,toy abs,toy:slow abs' r.csv
check "... and a row for each operator" bash -c '[ "$(grep -c ^aten r.csv)" = 3 ]'
check "two backends have their ratio" toy small.txt "${slow[@]}" --backend ./toy.so:x --repeats 1 --csv r.csv --op relu
check "... in the line" out ' toy:slow/toy:x=[0-9.]*x '
check "... in the file" grep -q 'toy:slow/toy:x 50th' r.csv
check "--no-roof leaves them out" toy small.txt --backend ./toy.so:x --repeats 1 --op relu
check "... all" bash -c '! grep roof out && grep -q "^aten.relu.default" out'
check "--format markdown" toy small.txt "${slow[@]}" --repeats 1 --format markdown --op relu
check "... is a table" out '^| operator |'
check "--format csv" toy small.txt "${slow[@]}" --repeats 1 --format csv --op relu
check "... is the reference's table, and nothing else" bash -c '[ "$(grep -c "^operator,\|^aten.relu.default,[0-9.,]*$" out)" = 2 ] && [ "$(wc -l <out)" = 2 ]'
check "-o - prints records" toy small.txt --backend ./toy.so:x --repeats 1 -o - --op relu
check "... alone" records out "assert len(r) == 6"

# The measurements.
check "--op selects by name" toy small.txt --backend ./toy.so:x --repeats 1 --op aten.add.Tensor --json -
check "... exactly one" records out "assert set(by) == {'aten.add.Tensor'}"
check "--op selects by expression" toy small.txt --backend ./toy.so:x --repeats 1 --op 'add' -o -
check "... all that match" records out "assert set(by) == {'aten.add.Tensor', 'aten.add_.Tensor'}"
check "--op that matches nothing is an error" fails small.txt --op nothing
check "... and a bad expression a usage error" refuses small.txt --op 'a('
check "... found before a backend is loaded" refuses small.txt --op 'a(' --backend ./missing.so
check "... and named first" err "'a(' is not a regular expression"
check "--max-samples and --start-idx" toy small.txt --backend ./toy.so:x --repeats 1 --op relu --max-samples 1 --start-idx 2 -o -
check "... choose samples" records out "assert {one['task']['sub_label'] for one in r} == {'((T([32, 16], f16),), {})'}"
check "--max-bytes" toy small.txt --backend ./toy.so:x --repeats 1 --max-bytes 4k
check "... skips larger samples" err 'too large for --max-bytes (2): aten.add.Tensor, aten.mul.Tensor'
check "--views measures views" toy small.txt --backend ./toy.so:x --repeats 1 --views
check "... if a backend can" err 'not supported by the baseline, toy: .* (2): aten.view.default'
check "--budget" toy small.txt --backend ./toy.so:x --repeats 1 --op relu --budget 1ns -o -
check "... ends an operator early" records out "assert len(r) == 2"
check "--dtype is the type of tensors" toy small.txt --backend ./toy.so:x --repeats 1 --dtype float16
check "... which the toy does not support" err 'baseline, toy: only contiguous f32 (3): aten.relu.default'
check "an unknown type is a usage error" refuses small.txt --dtype int3
check "--device cuda" refuses small.txt --device cuda
check "... says which backends work" err 'use --device cpu'
check "--device cpu" toy small.txt --backend ./toy.so:x --repeats 1 --op relu --device cpu --channels-last --seed 3 -q
for option in --cold --verdict; do
    check "$option" toy small.txt --backend ./toy.so:slow --repeats 2 --op add $option -q
done
check "--verdict judges" toy small.txt --backend ./toy.so:slow --op relu --verdict -q -o v.jsonl
check "... each operator" out ' slower$'
check "... and records it" records v.jsonl "
judged = [one for one in r if one['kind'] == 'verdict']
assert len(judged) == 1 and len(r) == 7, len(r)
one = judged[0]
assert one['verdict'] == 'slower' and one['side'] == 'toy:slow' and one['baseline'] == 'toy', one
assert one['task']['label'] == 'aten.relu.default' and 15 <= len(one['changes']) <= 30 and one['change'] > 0, one
assert abs(one['times'][1] / one['times'][0] - 1 - one['change']) < 1e-6 and one['interval'][0] > 0, one"
check "... for compare to show" exits 0 "$BILANX" compare v.jsonl
check "... beside the times" out 'slower'
check "... once, also if there is nothing left to measure" toy small.txt --backend ./toy.so:slow --op relu --verdict -q --resume v.jsonl
check "... in the file" records v.jsonl "assert len(r) == 7, len(r)"
check "--threads" toy small.txt --backend ./toy.so:x --repeats 1 --threads 2 -o -
check "... is recorded" records out "assert r[0]['task']['num_threads'] == 2"

# Backends that fail, on one sample of relu and the one of add_.
for fault in crash exit fail hang wrong clip flush prepare-crash; do
    check "$fault: fails" fails small.txt --backend "./toy.so:$fault" --backend ./toy.so:x --repeats 2 --timeout 1 -o $fault.jsonl
    check "... on the samples it should, and the others go on" records $fault.jsonl "
bad = [one for one in r if one['kind'] == 'failure']
assert {(one['task']['label'], one['task']['description']) for one in bad} == {
    ('aten.relu.default', 'toy:$fault'), ('aten.add_.Tensor', 'toy:$fault')}, bad
assert len(bad) == 2 and len(r) == 15 and all('[13, ' in one['task']['sub_label'] for one in bad)"
done
check "the reason is reported" err 'aten.relu.default input 1 on toy:prepare-crash: killed by signal 6'
check "... and recorded" records hang.jsonl "assert [one['error']['code'] for one in r if 'error' in one] == ['timed-out'] * 2"
check "... so are wrong results, with their error" records wrong.jsonl "
assert {one['error']['text'] for one in r if 'error' in one} == {'wrong: 1 of 208 elements differ, by up to 1'}
assert [one['counters']['error'] for one in r if 'error' in one] == [1, 1]"
check "... also if it is wrong on large elements alone" records clip.jsonl "
bad = [one for one in r if 'error' in one]
assert all(one['error']['text'].startswith('wrong on large elements: ') and one['counters']['error'] > .1 for one in bad), bad"
check "... or on tiny ones" records flush.jsonl "
assert all(one['error']['text'].startswith('wrong on tiny elements: ') for one in r if 'error' in one)"
check "a difference on NaN is noted" toy small.txt --backend ./toy.so:nan --repeats 1 -o nan.jsonl
check "... in the row by a word" out '^aten.add_.Tensor .* NaN$'
check "... explained below the table" err '^  toy:nan differs on NaN or infinities (1): aten.add_.Tensor$'
squeezed() { COLUMNS=60 toy small.txt --backend ./toy.so:nan --repeats 1 && out '^aten.add_.Tensor .* NaN$' && out '^aten.add.Tensor '; }
check "... so that names stay whole on a narrow terminal" squeezed
wrapped() { COLUMNS=40 toy small.txt --backend ./toy.so:nan --repeats 1 && sed -n '/^notes:/,$p' err >notes && ! grep -E '.{41}' notes && tr -s '\n ' ' ' <notes | grep -q 'infinities (1): aten.add_.Tensor .* are written (1): aten.mul.Tensor $'; }
check "... and that the list is wrapped at words" wrapped
check "... and recorded, and its time counts" records nan.jsonl "
assert [one['task']['label'] for one in r if one['counters'].get('differs_on_special')] == ['aten.add_.Tensor'] and len(r) == 10"
check "threads need other processes, which survive a crash" fails small.txt --backend ./toy.so:crash --repeats 1 -t 2 -o t.jsonl
check "... too" records t.jsonl "assert len([one for one in r if one['kind'] == 'failure']) == 2 and len(r) == 10"
check "another shape is wrong" fails small.txt --backend ./toy.so:shape --repeats 1 --op relu
check "... and explained" err 'wrong: its shape is \[7, 16\], not \[8, 16\]'
check "--accuracy-checking False does not look" toy small.txt --backend ./toy.so:wrong --repeats 1 --accuracy-checking False
check "--accuracy-checking True does" fails small.txt --backend ./toy.so:wrong --repeats 1 --accuracy-checking True
check "... also before a log" fails --backend ./toy.so:wrong --repeats 1 --accuracy-checking small.txt
check "a baseline that crashes fails its sample alone" exits 1 "$BILANX" ops small.txt --baseline ./toy.so:crash --backend ./toy.so --repeats 1 -o b.jsonl
check "... and the others are measured" records b.jsonl "assert len([one for one in r if one['kind'] == 'measurement']) == 6"

# Calls that make no sense. Some would write beyond their tensors.
cat >senseless.txt <<'LOG'
Operator: aten.native_batch_norm.default
cnt: 1, ((T([2, 3, 4], f32), T([5], f32), None, T([3], f32), T([3], f32), True, 0.1, 1e-05), {})
Operator: aten.native_group_norm.default
cnt: 1, ((T([2, 4, 3], f32), None, None, 2, 4, 3, 0, 1e-05), {})
Operator: aten.native_layer_norm.default
cnt: 1, ((T([2, 3], f32), [7], None, None, 1e-05), {})
Operator: aten.native_layer_norm_backward.default
cnt: 1, ((T([2, 3], f32), T([2, 3], f32), [3], T([1], f32), T([2], f32), None, None, [True, True, True]), {})
Operator: aten.native_batch_norm_backward.default
cnt: 1, ((T([2, 3], f32), T([2, 3], f32), None, None, None, T([2], f32), T([3], f32), True, 1e-05, [True, True, True]), {})
Operator: aten._softmax.default
cnt: 1, ((T([2, 4], f32), 9, False), {})
Operator: aten.sum.dim_IntList
cnt: 1, ((T([2, 3], f32), [0, -2]), {})
Operator: aten.relu.default
cnt: 1, ((T([2, 3], f32), 1), {})
Operator: aten.add.Tensor
cnt: 1, ((T([2], f32), T([2], f32)), {'bogus': 1})
Operator: aten.max_pool2d_with_indices_backward.default
cnt: 1, ((T([1, 2, 2, 2], f32), T([1, 2, 4, 4], f32), [2, 2], [2, 2], [0, 0], [1, 1], False, T([1, 2, 3, 3], i64)), {})
Operator: aten.neg.default
cnt: 1, ((T([4], u16),), {})
LOG
check "reference refuses senseless calls" exits 0 "$BILANX" ops senseless.txt --baseline reference --backend ./toy.so --repeats 1
check "... all of them" bash -c '[ "$(grep "not supported by the baseline" err | grep -o "aten\." | wc -l)" = 11 ]'
check "... with reasons" err 'not supported by the baseline, reference: tensors whose sizes do not fit (5): '
printf 'Operator: aten.add.Tensor\ncnt: 1, ((T([100000, 100000000], f32, stride=(0, 0)), 1), {})\n' >endless.txt
check "a result that no memory can hold" exits 1 "$BILANX" ops endless.txt --baseline reference --backend ./toy.so --repeats 1
check "... fails with its reason" err 'on reference: exited .*; it printed: no memory for a result of 40000000000000 bytes'

# Libraries that are not backends.
check "a missing file" fails small.txt --backend ./missing.so
check "... is named" err "cannot find the backend './missing.so'"
echo 'int nothing;' >not.c && cc -shared -fPIC not.c -o not.so
check "a library without the table" fails small.txt --backend ./not.so
check "... gets a hint what to export" err "does not export 'bilanx_backend_table'"
check "a backend that refuses" fails small.txt --backend ./toy.so:refuse
check "... with its reason" err 'this configuration is not for you'
check "an unknown name is a usage error" refuses small.txt --backend onedn
check "... with a suggestion" err "did you mean 'onednn'?"
check "--backends lists them" exits 0 "$BILANX" ops --backends
check "... all of ours" out '^reference '
backends_fit() {
    local -x TORCH_ROOT=/none # so that some are missing
    fits "$1" ops --backends && same_words "$1" ops --backends
}
for columns in 60 80 100 140; do
    check "... in $columns columns" backends_fit $columns
done
check "... and how to install the others" exits 0 env TORCH_ROOT=/none "$BILANX" ops --backends
check "... below the table, on a separate line" out '^torch: .*/none'
check "a name twice is a usage error" refuses small.txt "${slow[@]}" "${slow[@]}"

check "... with advice" err "the backend 'toy:slow' is given twice: give one another name, as in NAME=toy:slow"
check "... unless one gets another name" toy small.txt "${slow[@]}" --backend again=./toy.so:slow --repeats 1
check "... which the table has" out ' toy:slow/again=[0-9.]*x '
cp toy.so copy.so
check "two libraries that call themselves the same" fails small.txt --backend ./copy.so
check "... are named" err "two backends call themselves 'toy': name them, as in --backend old=./old.so"
check "... by whoever asks" toy small.txt --backend new=./copy.so --baseline old=./toy.so --op relu --repeats 1 -o -
check "... and so they are recorded" records out "assert {one['task']['description'] for one in r} == {'old', 'new'}"

# Memory. What a turn costs in page faults is known, whatever the machine is busy with.
cat >large.txt <<'LOG'
Operator: aten.add.Tensor
cnt: 1, ((T([60, 1000], f16), T([60, 1000], f16)), {})
cnt: 1, ((T([500, 1000], f16), T([500, 1000], f16)), {})
cnt: 1, ((T([9000, 1000], f16), T([9000, 1000], f16)), {})
LOG
faults() {
    records "$1" "
faults = {}
for one in r:
    faults.setdefault(one['task']['sub_label'].split(',')[0], []).append(one['counters']['page_faults'])
small, middle, large = (faults['((T([%s' % n] for n in ('60', '500', '9000'))
assert len(large) == 3 and max(small + middle) < 1 and $2, faults"
}
check "three times the same backend" toy large.txt --backend again=./toy.so --backend third=./toy.so --repeats 2 -o f.jsonl
check "... has the same page faults: none below 32 MB" faults f.jsonl 'min(large) > 10'
check "--preallocate" toy large.txt --backend again=./toy.so --backend third=./toy.so --repeats 2 --preallocate -o p.jsonl
check "... has none at all" faults p.jsonl 'max(large) < 1'

# Resuming.
check "--resume measures nothing twice" toy small.txt "${slow[@]}" --resume r.jsonl --max-samples 15
check "... and shows the results so far" out '^aten.relu.default  *8  *3 '
check "... in the same file" records r.jsonl "assert len(r) == 10"
head -n 5 r.jsonl >half.jsonl
check "--resume measures the rest" toy small.txt "${slow[@]}" --resume half.jsonl
check "... in the same file" records half.jsonl "
assert len({(one['task']['label'], one['task']['sub_label'], one['task']['description']) for one in r}) == 10 and len(r) == 11"
check "--resume measures failed samples again" fails small.txt --backend ./toy.so:wrong --resume wrong2.jsonl
check "... without the old records" fails small.txt --backend ./toy.so:wrong --resume wrong2.jsonl
check "... so that each is there once" records wrong2.jsonl "
assert len(r) == 10 and len({(one['task']['label'], one['task']['sub_label'], one['task']['description']) for one in r}) == 10"
check "a file is not overwritten" refuses small.txt --backend ./toy.so:x -o r.jsonl --repeats 1
check "... unless asked" toy small.txt --backend ./toy.so:x -o r.jsonl --repeats 1 --overwrite
check "... or appended to" toy small.txt --backend ./toy.so:x -o r.jsonl --repeats 1 --append
check "... all of it" records r.jsonl "assert len(r) == 20"

interrupted() {
    toy --backend ./toy.so:slow small.txt -o i.jsonl --op relu --quiet || return
    "$BILANX" ops --baseline ./toy.so --backend ./toy.so:slow small.txt --repeats 1000000 -o i.jsonl --append \
        </dev/null >out 2>err &
    local run=$!
    sleep 1
    kill -INT $run
    wait $run
    [ $? = 130 ] && grep -q interrupted err
}
check "^C stops" interrupted
check "... and keeps complete records" records i.jsonl "assert len(r) == 6"

# Suites, and the reference's file.
mkdir -p data/tiny && cp small.txt data/tiny/
export BILANX_DATA=$work/data
check "--suite is a folder of BILANX_DATA" toy --suite tiny --backend ./toy.so:x --repeats 1 --op relu --compatible
check "... and --compatible names the file as the reference does" grep -q '^aten.relu.default,' operatorbench_tiny_float32.csv
check "... which is reported" out '^Wrote operatorbench_tiny_float32.csv$'
check "... but needs a suite" refuses small.txt --compatible

# Profiles.
check "--profile DIR" toy small.txt --backend ./toy.so:x --repeats 1 --op add.Tensor --profile prof
check "... has a trace for each operator" python3 -c "
import json
events = json.load(open('prof/operator_aten.add.Tensor.json'))['traceEvents']
kinds = {event.get('cat') for event in events}
assert {'sample', 'repeat', 'backend', 'prepare'} <= kinds, kinds
assert {'toy', 'toy:x', 'samples'} == {event['args']['name'] for event in events if event['ph'] == 'M'}
assert all(event['dur'] >= 0 for event in events if event['ph'] == 'X')"
check "... and a graph for each backend" "$BILANX" flame prof/flame_toy.svg --text
check "--profile of many calls" toy small.txt --backend ./toy.so:x --repeats 1 --profile many
check "... describes some of them" grep -q '; and 1 more' many/flame_toy.svg
check "--profile alone is the folder log" toy small.txt --backend ./toy.so:x --repeats 1 --op add.Tensor --profile
check "... with the trace" test -s log/operator_aten.add.Tensor.json

check "--env and --fact" toy small.txt --backend ./toy.so:x --repeats 1 --op relu --env new --fact ticket=12 -o facts.jsonl
check "... are in the records" records facts.jsonl "assert all(one['task']['env'] == 'new' and one['facts'] == {'ticket': '12'} for one in r), r"
check "--fact without a file is refused" refuses small.txt --backend ./toy.so:x --fact ticket=12
check "--color" toy small.txt --backend ./toy.so:slow --repeats 1 --op relu --color always --max-memory 4G
check "... colours slower backends" out $'\033\[.*x'
check "--help is the help" exits 0 "$BILANX" ops --help
check "help shows examples" exits 0 "$BILANX" help ops
# Those that need PyTorch are in ops_torch.sh, those of `record` in ops_record.sh, those of a cluster in ../cluster.
check "... and every option is tested" bash -c "sed '/^Usage: bilanx ops record/,\$d' out | grep -oe '--[a-z-]*' | sort -u | grep -vxe '--no-measure-nvfuser' | while read -r option; do
    grep -qe \"\$option\" '$here'/{ops,outputs,shard}*.sh '$here'/../cluster/*.sh || echo \"\$option\"; done | { ! grep .; }"

here=$(dirname "$(command -v "$BILANX")")
mkdir -p bare/backends
cp "$here/bilanx" "$here/bilanx-worker" bare/
cp "$here/backends/bilanx-backend-reference.so" bare/backends/
cp toy.so bare/backends/bilanx-backend-openblas.so
printf 'Operator: aten.relu.default\ncnt: 1, ((T([4], f32),), {})\n' >relu.txt
check "a usual backend whose library is missing is left out" exits 0 env TOY_HAS_NO_LIBRARY=1 TORCH_ROOT=/none bare/bilanx ops relu.txt --repeats 1
check "... and the others are measured" out '^aten.relu.default '
check "one that was asked for is an error" exits 1 env TOY_HAS_NO_LIBRARY=1 TORCH_ROOT=/none bare/bilanx ops relu.txt --backend openblas
check "... with its reason" err "backend 'openblas': libtoy.so: no such file"
plan
