#!/usr/bin/env bash
# More ways to use a real Slurm cluster: detached, without a shared folder, replicated, with a wrong version.
. "$(dirname "$0")/cluster.bash"
slurm_start 3 >started 2>&1
check "a cluster of three nodes starts" slurm_started
measuring=(--max-run-time 20ms --warmup 1ms)
suite many 30 >many.yaml
check "a local run works" exits 0 "$BILANX" run many.yaml "${measuring[@]}" -o local.jsonl
check "an existing file is not replaced" on_cluster 2 "$BILANX" run many.yaml --cluster slurm -o local.jsonl
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

check "without a shared folder, records come over srun" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm --stream -o streamed.jsonl
check "... of all cases, in order" same_cases streamed.jsonl local.jsonl
check "... from all nodes" test "$(nodes streamed.jsonl)" = 3

# A bilanx of another version on the nodes.
mkdir -p .bilanx
old_version=$("$BILANX" --version | sed 's/bilanx //')
printf '#!/bin/sh\nsed -i "s/\\"version\\":\\"%s\\"/\\"version\\":\\"9.9.9\\"/" "$3/run.json"\nexec "%s" "$@"\n' "$old_version" "$BILANX" >wrapper
chmod +x wrapper
printf 'bilanx: %s/wrapper\nshard_retries: 1\n' "$work" >.bilanx/cluster.yaml
check "another version on the nodes is refused" on_cluster 1 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm --unchecked -o versions.jsonl
check "... and both versions are named" err "bilanx $old_version, but the run was started by bilanx 9.9.9"
rm .bilanx/cluster.yaml

check "--replicate measures each case on several nodes" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --filter 'case [1-3]$' --cluster slurm \
    --unchecked --replicate 2 --cluster-folder "$work/folders" -o replicas.jsonl
check "... which are different" python3 -c "
import collections, json
places = collections.defaultdict(set)
for line in open('replicas.jsonl'):
    record = json.loads(line)
    places[record['place']].add((record['machine']['node'], record['machine']['replica']))
assert len(places) == 3 and all(len({node for node, _ in nodes}) == 2 for nodes in places.values()), places"
check "... and shows the spread between machines" out 'between machines'

# A node that claims to be slow. It also fails all checks, so that no other node fails one alone.
cat >slow <<'SCRIPT'
#!/usr/bin/env python3
import json, os, re, subprocess, sys
node, folder = os.environ['SLURMD_NODENAME'], sys.argv[3]
bilanx = os.environ['REAL_BILANX']
if node == 'n3':
    doctor = json.loads(subprocess.run([bilanx, 'doctor', '--quick', '--json'], capture_output=True).stdout)
    text = open('/proc/cpuinfo').read()
    kind = re.search('model name.*: (.*)', text)
    state = {'name': node, 'kind': kind[1] if kind else os.uname().machine, 'build': 'x', 'kernel_ns': 99999,
             'failing': [one['name'] for one in doctor['findings']], 'counts': []}
    json.dump(state, open(folder + '/nodes/n3.json', 'w'))
os.execv(bilanx, [bilanx] + sys.argv[1:])
SCRIPT
chmod +x slow
printf 'bilanx: %s/slow\n' "$work" >.bilanx/cluster.yaml
REAL_BILANX=$BILANX
export REAL_BILANX
check "a run with a slow node completes" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm -o fit.jsonl
check "... and says that it is not used" err 'n3 is not used any more: its reference kernel takes 99999 ns'
check "... also in the summary" err '  n3: not used: its reference kernel'
check "... and has no record of it" bash -c "! grep -q '\"node\":\"n3\"' fit.jsonl"
check "... but all cases" same_cases fit.jsonl local.jsonl
rm .bilanx/cluster.yaml

# Operators, and two sides.
cat >ops.txt <<'LOG'
Operator: aten.add.Tensor
cnt: 2, ((T([20], f32), T([20], f32)), {})
cnt: 1, ((T([30], f32), T([30], f32)), {})
Operator: aten.mul.Tensor
cnt: 2, ((T([20], f32), T([20], f32)), {})
LOG
check "ops runs on the cluster" on_cluster 0 "$BILANX" ops ops.txt --backend reference --baseline reference --repeats 1 --cluster slurm --unchecked -o ops.jsonl
check "... and records every sample once, in order" python3 -c "
import json
assert [json.loads(line)['place'] for line in open('ops.jsonl')] == [1, 2, 3]"
mkdir -p old new
printf '#bilanx-null\nparse 1us\nrender 2us\nstore 3us\n' >old/fixed.times
printf '#bilanx-null\nparse 1us\nrender 3us\nstore 3us\n' >new/fixed.times
cp old/fixed.times fixed.times
check "ab runs on the cluster" on_cluster 0 "$BILANX" ab --A "cd '$work/old'" --B "cd '$work/new'" fixed.times --budget 1 --cluster slurm --unchecked -o ab.jsonl
check "... with a verdict for every case, in order" python3 -c "
import json
records = [json.loads(line) for line in open('ab.jsonl')]
assert [one['place'] for one in records] == [1, 2, 3] and all(one['verdict'] for one in records), records"
plan
