#!/usr/bin/env bash
# `bilanx run --cluster slurm` on a real Slurm cluster of three nodes.
. "$(dirname "$0")/cluster.bash"
slurm_start 3 >started 2>&1
check "a cluster of three nodes starts" slurm_started
measuring=(--max-run-time 20ms --warmup 1ms)
suite many 30 >many.yaml
cat >counted.yaml <<'YAML'
suite: counted
benchmarks:
  length: {stmt: strlen(s), setup: 'char s[] = "a text of some length"'}
  copy: {stmt: 'memcpy(b, a, 200)', setup: 'char a[200] = {1}, b[200]'}
  sum: {stmt: 'for (int i = 0; i < 100; i++) s += i', setup: volatile long s = 0}
  compare: {stmt: 'strcmp(a, b)', setup: 'char a[] = "some text", b[] = "some test"'}
  format: {stmt: 'snprintf(b, sizeof b, "%d", 42)', setup: 'char b[20]'}
  sort: {stmt: 'x = x * 3 + 1', setup: volatile unsigned x = 7}
YAML

slurm_run sbatch --quiet --hold --job-name='a|b' --wrap=true >/dev/null
check "a suite runs on the cluster" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm:test --unchecked -o out.jsonl
check "... on all nodes" test "$(nodes out.jsonl)" = 3
check "... and shows its table" out 'case 30'
check "... and a summary" err '30 of 30 cases on 3 nodes'
check "... and is not confused by the name of another job" bash -c '! grep "cannot understand" err'
check "a local run works" exits 0 "$BILANX" run many.yaml "${measuring[@]}" -o local.jsonl
check "both have the same cases in the same order" same_cases out.jsonl local.jsonl
check "the run's folder is gone" bash -c '! ls -d .bilanx/cluster/2*'

check "counting works on the cluster" on_cluster 0 "$BILANX" count counted.yaml --cluster slurm --nodes 2 --unchecked -o counts.jsonl
check "... and locally" exits 0 "$BILANX" count counted.yaml -o local_counts.jsonl
check "the counts are identical" same_counts counts.jsonl local_counts.jsonl

head -n 12 local.jsonl >part.jsonl
check "--resume fails where there is no such partition" on_cluster 1 "$BILANX" run many.yaml --cluster slurm:nowhere --resume part.jsonl
check "... and keeps the file" cmp part.jsonl <(head -n 12 local.jsonl)
check "... and leaves nothing behind" bash -c '! ls -d .bilanx/cluster/2*'
check "--resume runs the missing cases" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm --unchecked --resume part.jsonl
check "... and merges it into the file" same_cases part.jsonl local.jsonl
check "... and measures nothing again" python3 -c "
import json
old = [json.loads(line)['raw_times'] for line in open('local.jsonl')][:12]
new = [json.loads(line)['raw_times'] for line in open('part.jsonl')]
assert all(one in new for one in old)"

cp many.yaml edited.yaml
check "a suite is submitted" on_cluster 0 "$BILANX" run edited.yaml "${measuring[@]}" --cluster slurm --unchecked --shard-retries 0 -o edited.jsonl \
    --detach --sbatch-option=--begin=now+3
folder=$(sed -n 's/^submitted 30 cases: //p' "$work/out")
sed -i '/case 1:/d; $a\  case 31: {stmt: x += 31, setup: volatile long x = 0}' edited.yaml
check "... and edited before its tasks start, which fail" on_cluster 1 "$BILANX" cluster collect "$folder" --wait
check "... and say why" err 'on n[123]: .*the cases here are not those that the run was started with'
check "... and measure no other case" test ! -s edited.jsonl

# ^C after some records: the jobs are cancelled, and the records are kept.
suite slow 60 >slow.yaml
recorded() { [ "$(cat .bilanx/cluster/*/records/*.jsonl 2>/dev/null | wc -l)" -ge "$1" ]; }
interrupted() {
    local pid shell
    SLURM_CONF=$SLURM/slurm.conf setsid --wait nsenter --net="/run/netns/${slurm_prefix}ctl" "$BILANX" run slow.yaml --max-run-time 200ms \
        --precision 1e-9 --cluster slurm --unchecked -o broken.jsonl >"$work/out" 2>"$work/err" &
    shell=$!
    patiently recorded 3 || return
    pid=$(pgrep -P "$shell" -x bilanx || echo "$shell")
    kill -INT "$pid"
    wait "$shell"
    status=$?
    [ $status = 130 ] || { echo "status $status"; cat "$work/err"; false; }
}
check "^C ends a run" interrupted
check "... and says so" err 'cancelling the jobs'
check "... and how to continue" err "cases are missing: run the same command with --resume '.*broken.jsonl'"
check "... and keeps what was measured" test -s broken.jsonl
check "... and leaves no job behind" patiently slurm_idle 3
check "--resume completes it" on_cluster 0 "$BILANX" run slow.yaml "${measuring[@]}" --cluster slurm --unchecked --resume broken.jsonl
check "... in order, each case once" python3 -c "
import json
assert [json.loads(line)['place'] for line in open('broken.jsonl')] == list(range(1, 61))"

plan
