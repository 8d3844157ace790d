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

check "a suite runs on the cluster" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm:test --unchecked -o out.jsonl
check "... on all nodes" test "$(nodes out.jsonl)" = 3
check "... and shows its table" out 'case 30'
check "... and a summary" err '30 of 30 cases on 3 nodes'
check "a local run works" exits 0 "$BILANX" run many.yaml "${measuring[@]}" -o local.jsonl
check "both have the same cases in the same order" same_cases out.jsonl local.jsonl
check "the run's folder is gone" bash -c '! ls -d .bilanx/cluster/2*'

check "counting works on the cluster" on_cluster 0 "$BILANX" count counted.yaml --cluster slurm --nodes 2 --unchecked -o counts.jsonl
check "... and locally" exits 0 "$BILANX" count counted.yaml -o local_counts.jsonl
check "the counts are identical" same_counts counts.jsonl local_counts.jsonl

check "an existing file is not replaced" on_cluster 2 "$BILANX" run many.yaml --cluster slurm -o out.jsonl
check "a partition that does not exist is an error" on_cluster 1 "$BILANX" run many.yaml --cluster slurm:nowhere -o no.jsonl
check "... that names it" err 'nowhere'
check "another launcher is an error" on_cluster 2 "$BILANX" run many.yaml --cluster pbs -o no.jsonl
check "... that names those there are" err "no launcher 'pbs' (there is: slurm)"

check "--detach returns at once" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm --unchecked -o detached.jsonl --detach
folder=$(sed -n 's/^submitted 30 cases: //p' "$work/out")
check "... and names the folder of the run" test -f "$folder/run.json"
check "cluster status works" on_cluster 0 "$BILANX" cluster status "$folder"
check "... and shows the job" out 'batch 1: job [0-9]'
check "cluster collect --wait merges the records" on_cluster 0 "$BILANX" cluster collect "$folder" --wait
check "... of all cases, in order" same_cases detached.jsonl local.jsonl

head -n 12 local.jsonl >part.jsonl
check "--resume runs what is missing" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm --unchecked --resume part.jsonl
check "... and merges it into the file" same_cases part.jsonl local.jsonl
check "... and measures nothing again" python3 -c "
import json
old = [json.loads(line)['raw_times'] for line in open('local.jsonl')][:12]
new = [json.loads(line)['raw_times'] for line in open('part.jsonl')]
assert all(one in new for one in old)"

check "without a shared folder, records come over srun" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm --stream -o streamed.jsonl
check "... of all cases, in order" same_cases streamed.jsonl local.jsonl
check "... from all nodes" test "$(nodes streamed.jsonl)" = 3

# ^C after some records: the jobs are cancelled, what is there is kept.
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

# A bilanx of another version on the nodes.
cp -r "$(dirname "$BILANX")/bilanx" other
mkdir -p .bilanx
old_version=$("$BILANX" --version | sed 's/bilanx //')
printf '#!/bin/sh\nsed -i "s/\\"version\\":\\"%s\\"/\\"version\\":\\"9.9.9\\"/" "$3/run.json"\nexec "%s" "$@"\n' "$old_version" "$BILANX" >wrapper
chmod +x wrapper
printf 'bilanx: %s/wrapper\nshard_retries: 1\n' "$work" >.bilanx/cluster.yaml
check "another version on the nodes is refused" on_cluster 1 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm --unchecked -o versions.jsonl
check "... and both versions are named" err "bilanx $old_version, but the run was started by bilanx 9.9.9"
rm .bilanx/cluster.yaml

check "--replicate measures each case on several nodes" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --filter 'case [1-3]$' --cluster slurm \
    --unchecked --replicate 2 -o replicas.jsonl
check "... which are different" python3 -c "
import collections, json
places = collections.defaultdict(set)
for line in open('replicas.jsonl'):
    record = json.loads(line)
    places[record['place']].add((record['machine']['node'], record['machine']['replica']))
assert len(places) == 3 and all(len({node for node, _ in nodes}) == 2 for nodes in places.values()), places"
check "... and shows the spread between machines" out 'between machines'
plan
