#!/usr/bin/env bash
# A real Slurm cluster that keeps accounts and limits memory: what squeue has forgotten is known from sacct, and a
# task that used too much memory is tried again.
patience=230
. "$(dirname "$0")/cluster.bash"

slurm_more() {
    cat <<CONF
MinJobAge=2
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=10.99.0.1
AccountingStoragePort=6819
AccountingStoragePass=$SLURM/munge.socket
NodeName=DEFAULT RealMemory=4000
CONF
}

# slurmdbd wants a MariaDB. This one has no network and no users, and ends with the cluster.
slurm_before() {
    mariadb-install-db --user=root --datadir="$SLURM/database" --skip-test-db >"$SLURM/database.out" 2>&1
    mariadbd --no-defaults --user=root --datadir="$SLURM/database" --socket="$SLURM/database.socket" --skip-networking \
        --skip-grant-tables --pid-file="$SLURM/database.pid" >>"$SLURM/database.out" 2>&1 &
    slurm_database=$!
    patiently test -S "$SLURM/database.socket"
    cat >"$SLURM/slurmdbd.conf" <<CONF
AuthType=auth/munge
AuthInfo=socket=$SLURM/munge.socket
DbdHost=ctl
DbdAddr=10.99.0.1
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=accounts
LogFile=$SLURM/slurmdbd.log
PidFile=$SLURM/slurmdbd.pid
CONF
    chmod 600 "$SLURM/slurmdbd.conf"
    SLURM_CONF=$SLURM/slurm.conf MYSQL_UNIX_PORT=$SLURM/database.socket nsenter --net="/run/netns/${slurm_prefix}ctl" unshare --uts sh -c \
        'hostname ctl && exec slurmdbd -D' >"$SLURM/slurmdbd.out" 2>&1 &
    patiently grep -q 'slurmdbd version .* started' "$SLURM/slurmdbd.log"
}
slurm_start 3 >started 2>&1
check "a cluster with accounts starts" slurm_started
suite nine 9 >nine.yaml

# A task is cancelled while the command is stopped, and squeue forgets it.
forgotten() { [ -z "$(slurm_run squeue --noheader --states=all)" ]; }
recorded() { [ "$(cat .bilanx/cluster/*/records/*.jsonl 2>/dev/null | wc -l)" -ge 1 ]; }
recalls() {
    local pid job
    SLURM_CONF=$SLURM/slurm.conf nsenter --net="/run/netns/${slurm_prefix}ctl" "$BILANX" run nine.yaml --max-run-time 1s --precision 1e-9 \
        --cluster slurm --unchecked -o out.jsonl >"$work/out" 2>"$work/err" &
    pid=$!
    patiently recorded || { cat "$work/err"; return 1; }
    kill -STOP "$pid"
    job=$(slurm_run squeue --noheader --format=%F | head -n 1)
    slurm_run scancel "${job}_2"
    patiently forgotten || patiently forgotten || return
    kill -CONT "$pid"
    wait "$pid"
    status=$?
    [ $status = 0 ] || { echo "status $status"; cat "$work/err"; false; }
}
check "a task that squeue has forgotten is tried again" recalls
check "... and sacct knows how it ended, and where" err 'task 1.2 on n[123]: it was cancelled'
check "a local run works" exits 0 "$BILANX" run nine.yaml --max-run-time 20ms -o local.jsonl
check "all cases are there, once" same_cases out.jsonl local.jsonl

# The second case uses too much memory, once.
cat >hungry.yaml <<YAML
suite: hungry
benchmarks:
  before: {stmt: x += 1, setup: volatile long x = 0}
  hungry:
    stmt: x += 2
    global_setup: |-
      #include <stdlib.h>
      #include <string.h>
      #include <sys/stat.h>
      #include <unistd.h>
    setup: |-
      volatile long x = 0;
      if (mkdir("$work/eaten", 0700) == 0) {
          memset(malloc(600 << 20), 1, 600 << 20);
          sleep(60);
      }
  after: {stmt: x += 3, setup: volatile long x = 0}
YAML
check "a task that was killed for its memory is tried again" on_cluster 0 "$BILANX" run hungry.yaml --max-run-time 20ms --order defined \
    --cluster slurm --nodes 1 --unchecked --sbatch-option=--mem=200M -o fed.jsonl
check "... and the node and the reason are named" err 'on n[123]: .*memory'
check "... and all cases are measured once" python3 -c "
import json
records = [json.loads(line) for line in open('fed.jsonl')]
assert [(one['place'], one['kind']) for one in records] == [(1, 'measurement'), (2, 'measurement'), (3, 'measurement')], records"
plan
