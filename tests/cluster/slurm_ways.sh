#!/usr/bin/env bash
# More ways to use a real Slurm cluster: detached, without a shared folder, replicated, with a wrong version, with
# a full disk, with tasks that an administrator holds and requeues.
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
cp local.jsonl appended.jsonl
check "--detach works with --append" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm --unchecked -o appended.jsonl --append --detach
folder=$(sed -n 's/^submitted 30 cases: //p' "$work/out")
check "... and a collection before the end" on_cluster 1 "$BILANX" cluster collect "$folder"
check "... says that more will come" err 'still to come'
check "... and not to resume" bash -c '! grep -e --resume err'
check "... and one at the end" on_cluster 0 "$BILANX" cluster collect "$folder" --wait
check "... keep the earlier records" cmp local.jsonl <(head -n 30 appended.jsonl)
check "... and add the rest" same_cases <(tail -n +31 appended.jsonl) local.jsonl

check "an output without space is an error" on_cluster 1 "$BILANX" run many.yaml "${measuring[@]}" --filter 'case [1-3]$' --cluster slurm --unchecked -o /dev/full
check "... that says how to get the records" err 'the records are in .*bilanx cluster collect'
folder=$(sed -n "s/.*'bilanx cluster collect \(.*\)' writes them/\1/p" "$work/err")
check "... which works" on_cluster 0 "$BILANX" cluster collect "$folder" -o saved.jsonl
check "... for all of them" test "$(wc -l <saved.jsonl)" = 3

check "without a shared folder, records come over srun" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm --stream -o streamed.jsonl
check "... of all cases, in order" same_cases streamed.jsonl local.jsonl
check "... from all nodes" test "$(nodes streamed.jsonl)" = 3
mkdir -p .bilanx
export XDG_CONFIG_HOME=$work/config
check "settings that name programs need the folder's permission" exits 0 "$BILANX" trust .
printf 'partition: test\nnodes: 2\nfolder: %s/elsewhere\nunchecked: true\nsbatch_options: [--time=7]\n' "$work" >.bilanx/cluster.yaml
check "settings are read" on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm -o settings.jsonl --detach
folder=$(sed -n 's/^submitted 30 cases: //p' "$work/out")
check "... for the folder" test "${folder%/*}" = "$work/elsewhere"
check "... and for sbatch" grep -qx 7:00 <(slurm_run squeue --noheader --format=%l)
check "a run is known by the last part of its folder's name" on_cluster 0 "$BILANX" cluster cancel "${folder##*/}"
printf 'stream: true\n' >.bilanx/cluster.yaml
check "--detach is refused where the settings stream" on_cluster 2 "$BILANX" run many.yaml --cluster slurm --detach -o no.jsonl
printf '#!/bin/sh\nshift 3\nexec "%s" cluster stream 9.9.9 "$@"\n' "$BILANX" >wrapper
chmod +x wrapper
printf 'bilanx: %s/wrapper\nshard_retries: 1\nstream: true\n' "$work" >.bilanx/cluster.yaml
check "another version is refused without a shared folder, too" on_cluster 1 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm -o no.jsonl
check "... and the node and both versions are named" err 'on n[123]: .*bilanx [0-9.]*, but the run was started by bilanx 9.9.9'
rm .bilanx/cluster.yaml

# A bilanx of another version on the nodes.
old_version=$("$BILANX" --version | sed 's/bilanx //')
printf '#!/bin/sh\nsed -i "s/\\"version\\":\\"%s\\"/\\"version\\":\\"9.9.9\\"/" "$3/run.json"\nexec "%s" "$@"\n' "$old_version" "$BILANX" >wrapper
chmod +x wrapper
printf 'bilanx: %s/wrapper\nshard_retries: 1\n' "$work" >.bilanx/cluster.yaml
check "another version on the nodes is refused" on_cluster 1 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm --unchecked -o versions.jsonl
check "... and both versions are named" err "bilanx $old_version, but the run was started by bilanx 9.9.9"
printf '#!/bin/sh\necho bilanx-worker 9.9.9\n' >worker
printf '#!/bin/sh\nBILANX_WORKER_PROGRAM=%s/worker exec "%s" "$@"\n' "$work" "$BILANX" >wrapper
chmod +x worker
check "another version of the worker is refused" on_cluster 1 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm --unchecked -o no.jsonl
check "... and both versions are named" err "the worker here is 'bilanx-worker 9.9.9', but the run needs $old_version"
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
check "... and says that it is not used" err 'n3 is no longer used: its reference kernel takes 99999 ns'
check "... also in the summary" err '  n3: not used: its reference kernel'
check "... and has no record of it" bash -c "! grep -q '\"node\":\"n3\"' fit.jsonl"
check "... but all cases" same_cases fit.jsonl local.jsonl
rm .bilanx/cluster.yaml

# Actions of the scheduler and its administrator.
mkdir -p bin
cat >bin/sbatch <<SCRIPT
#!/bin/sh
mkdir "$work/asked" 2>/dev/null && { echo 'sbatch: error: Unable to contact slurm controller (connect failure)'; exit 1; }
exec "$(command -v sbatch)" "\$@"
SCRIPT
chmod +x bin/sbatch
check "--detach waits for a scheduler that does not answer" on_cluster 0 env PATH="$work/bin:$PATH" "$BILANX" run many.yaml "${measuring[@]}" \
    --cluster slurm --unchecked -o silent.jsonl --detach
check "... and says so" err 'the scheduler does not answer'
folder=$(sed -n 's/^submitted 30 cases: //p' "$work/out")
check "... until the job is there" on_cluster 0 "$BILANX" cluster status "$folder"
check "... with its number" out 'batch 1: job [0-9]'
check "cluster cancel works" on_cluster 0 "$BILANX" cluster cancel "$folder"
check "... and ends the jobs" patiently slurm_idle 3

cat >once.yaml <<YAML
suite: once
global_setup: |-
  #include <stdlib.h>
  #include <sys/stat.h>
  #include <unistd.h>
benchmarks:
  fails: {stmt: x += 1, setup: 'volatile long x = 0; if (access("$work/released", F_OK) != 0) abort();'}
  hangs: {stmt: x += 2, timeout: 600, setup: 'volatile long x = 0; if (mkdir("$work/hung", 0700) == 0) sleep(300);'}
YAML
# The task is requeued, held, while the second case hangs, and then released.
requeued() {
    local pid job
    SLURM_CONF=$SLURM/slurm.conf nsenter --net="/run/netns/${slurm_prefix}ctl" "$BILANX" run once.yaml "${measuring[@]}" --order defined --nodes 1 \
        --cluster slurm --unchecked --sbatch-option=--requeue -o once.jsonl >"$work/out" 2>"$work/err" &
    pid=$!
    patiently test -d hung || return
    job=$(slurm_run squeue --noheader --format=%F --states=running)
    slurm_run scontrol requeuehold "${job}_1"
    patiently grep -q "is held" err || return
    touch released
    slurm_run scontrol release "${job}_1"
    slurm_run scontrol update "JobId=${job}_1" StartTime=now
    wait "$pid"
    status=$?
    [ $status = 0 ] || { echo "status $status"; cat "$work/err"; false; }
}
check "a requeued task is measured again" requeued
check "... and was held" err 'task 1.1 is held (job requeued in held state)'
check "... and each case counts once, without the failures before" python3 -c "
import json
records = [json.loads(line) for line in open('once.jsonl')]
assert [(one['place'], one['kind']) for one in records] == [(1, 'measurement'), (2, 'measurement')], records"

# A small shared disk that is full for a while.
mkdir -p small
trap 'umount -l small; slurm_stop; rm -rf "$work"' EXIT
mount -t tmpfs -o size=8m tmpfs small
crowded() {
    local pid
    SLURM_CONF=$SLURM/slurm.conf nsenter --net="/run/netns/${slurm_prefix}ctl" "$BILANX" run many.yaml "${measuring[@]}" --shard-retries 20 \
        --cluster slurm --unchecked --cluster-folder small -o crowded.jsonl >"$work/out" 2>"$work/err" &
    pid=$!
    patiently compgen -G 'small/2*/records/*' >/dev/null || return
    cat /dev/zero >small/fill 2>/dev/null
    patiently grep -q 'the shared disk is full' err || return
    rm small/fill
    wait "$pid"
    status=$?
    [ $status = 0 ] || { echo "status $status"; cat "$work/err"; false; }
}
check "a run survives a full shared disk" crowded
check "... and measures all cases" same_cases crowded.jsonl local.jsonl

# Both revisions are built once, on one node, while others wait.
mkdir -p project
(
    cd project || exit
    git init -q .
    git config user.email test@example.org
    git config user.name test
    printf 'all:\n\techo built >>%s/builds\n\tcp source.times fixed.times\n' "$work" >Makefile
    printf '#bilanx-null\nparse 1us\nrender 2us\nstore 3us\n' >source.times
    cp source.times fixed.times
    git add Makefile source.times fixed.times
    git commit -qm one
    git tag one
    sed -i 's/render 2us/render 3us/' source.times
    git commit -qam two
)
check "ab builds revisions on the cluster" on_cluster 0 bash -c "cd project && exec '$BILANX' ab --A git:one --B git:HEAD --build make fixed.times --budget 1 \
    --cluster slurm --unchecked -o ab.jsonl"
check "... each once" test "$(wc -l <builds)" = 2
check "... for all cases" test "$(wc -l <project/ab.jsonl)" = 3

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
