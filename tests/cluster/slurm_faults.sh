#!/usr/bin/env bash
# A run on a real Slurm cluster survives a node that dies, a task over its time limit and a restart of slurmctld:
# every case is measured, and none twice. Takes up to four minutes, because Slurm's shortest time limit is a minute.
patience=230
. "$(dirname "$0")/cluster.bash"
slurm_start 3 >started 2>&1
check "a cluster of three nodes starts" slurm_started

# The first case hangs once, longer than its task may run.
suite sixty 59 "  hangs:
    stmt: x += 60
    timeout: 600
    global_setup: |-
      #include <stdio.h>
      #include <sys/stat.h>
      #include <unistd.h>
    setup: |-
      volatile long x = 0;
      if (mkdir(\"$work/hung\", 0700) == 0) {
          char name[64] = \"\";
          gethostname(name, sizeof name - 1);
          FILE *file = fopen(\"$work/hung/node\", \"w\");
          fputs(name, file);
          fclose(file);
          sleep(300);
      }
" | awk '/^  case /{cases = cases $0 "\n"; next} {print} END {printf "%s", cases}' >sixty.yaml
measuring=(--max-run-time 300ms --warmup 1ms --order defined)

# recorded NODE: how many records it has written.
recorded() { cat .bilanx/cluster/*/records/*.jsonl 2>/dev/null | grep -c "\"node\":\"$1\""; }

# Sets victim to a node in the middle of its task, which is not the one that hangs.
find_victim() {
    local name
    [ -s hung/node ] || return
    for name in n1 n2 n3; do
        victim=$name
        [ "$name" != "$(cat hung/node)" ] && [ "$(recorded "$name")" -ge 1 ] && return
    done
    return 1
}
survives() {
    local pid
    SLURM_CONF=$SLURM/slurm.conf timeout 230 nsenter --net="/run/netns/${slurm_prefix}ctl" "$BILANX" run sixty.yaml \
        "${measuring[@]}" --cluster slurm --unchecked --sbatch-option=--time=1 --shard-retries 5 -o out.jsonl \
        >"$work/out" 2>"$work/err" &
    pid=$!
    patiently find_victim || { cat "$work/err"; return 1; }
    slurm_kill_node "${victim#n}"
    slurm_stop_controller
    sleep 5
    slurm_start_controller
    wait "$pid"
    status=$?
    [ $status = 0 ] || { echo "status $status"; cat "$work/err"; tail -n 30 "$SLURM/slurmctld.log"; false; }
}
survives >survived 2>&1
survived=$?
check "60 cases survive the end of a node, a restart of slurmctld and a task that takes too long" bash -c "cat survived; exit $survived"
check "... which reports the node" err "${victim:-none}: .*failed: the node failed"
check "... and the time limit" err "$(cat hung/node): .*failed: over its time limit"
check "a local run works" exits 0 "$BILANX" run sixty.yaml --max-run-time 20ms -o local.jsonl
check "both have the same cases in the same order, each once" same_cases out.jsonl local.jsonl
check "there are 60" test "$(wc -l <out.jsonl)" = 60
check "all nodes took part" test "$(nodes out.jsonl)" = 3
check "nothing is left behind" bash -c '! ls -d .bilanx/cluster/2*'
plan
