# A Slurm cluster of several nodes on this machine, for tests: source it as root, call slurm_start NODES, and
# slurm_stop at the end. Each node's slurmd has its own network namespace and hostname; slurmctld and the
# commands are in another one, which also holds the bridge between them, so no packet leaves these namespaces.
#
# Clients run with slurm_run COMMAND...; SLURM is the folder that holds everything. A test that needs more
# redefines slurm_more, which adds to slurm.conf, and slurm_before, which runs before slurmctld.

PATH=$PATH:/usr/sbin:/sbin  # where daemons are

slurm_missing() {
    local tool
    for tool in slurmctld slurmd sbatch squeue munged mungekey ip nsenter unshare; do
        command -v "$tool" >/dev/null || { echo "there is no $tool: run tools/setup test"; return; }
    done
    [ "$(id -u)" = 0 ] || echo "this needs root, to make network namespaces"
}

# slurm_ip NAME WORD...: ip in a namespace. `ip -n` wants / to be a mount point, which it is not in a chroot.
slurm_ip() { nsenter --net="/run/netns/$slurm_prefix$1" ip "${@:2}"; }

# slurm_namespace NAME ADDRESS: joined to the bridge in the namespace of the controller.
slurm_namespace() {
    ip netns add "$slurm_prefix$1"
    slurm_ip "$1" link set lo up
    slurm_ip ctl link add "v$1" type veth peer name eth0 netns "$slurm_prefix$1"
    slurm_ip ctl link set "v$1" master bridge up
    slurm_ip "$1" address add "$2/24" dev eth0
    slurm_ip "$1" link set eth0 up
}

slurm_run() { SLURM_CONF=$SLURM/slurm.conf nsenter --net="/run/netns/${slurm_prefix}ctl" "$@"; }

slurm_more() { :; }
slurm_before() { :; }

slurm_configure() {
    local nodes=$1 i
    {
        cat <<CONF
ClusterName=bilanx
SlurmctldHost=ctl(10.99.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$SLURM/munge.socket
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SlurmdTimeout=15
SlurmctldTimeout=15
InactiveLimit=0
KillWait=3
MinJobAge=120
SchedulerParameters=sched_interval=2,bf_interval=2,sched_min_interval=100000
StateSaveLocation=$SLURM/state
SlurmdSpoolDir=$SLURM/spool-%n
SlurmctldPidFile=$SLURM/slurmctld.pid
SlurmdPidFile=$SLURM/slurmd-%n.pid
SlurmctldLogFile=$SLURM/slurmctld.log
SlurmdLogFile=$SLURM/slurmd-%n.log
PropagateResourceLimits=NONE
CONF
        slurm_more
        for i in $(seq "$nodes"); do
            echo "NodeName=n$i NodeAddr=10.99.0.$((10 + i)) NodeHostname=n$i CPUs=1 State=UNKNOWN"
        done
        echo "PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
    } >"$SLURM/slurm.conf"
    # Nothing here uses cgroups, but slurmd looks for them, and refuses to start where it finds none.
    if dpkg --compare-versions "$(slurmctld -V | sed 's/[^0-9.]*//')" ge 23.11; then
        echo "CgroupPlugin=disabled" >"$SLURM/cgroup.conf"
    else
        echo "CgroupPlugin=cgroup/v1" >"$SLURM/cgroup.conf"
    fi
}

slurm_start_controller() {
    SLURM_CONF=$SLURM/slurm.conf nsenter --net="/run/netns/${slurm_prefix}ctl" unshare --uts sh -c \
        'hostname ctl && exec slurmctld -D -f "$SLURM_CONF"' >"$SLURM/slurmctld.out" 2>&1 &
    slurm_controller=$!
}

# slurm_start_node NUMBER: sets slurm_node_NUMBER to its process.
slurm_start_node() {
    mkdir -p "$SLURM/spool-n$1"
    SLURM_CONF=$SLURM/slurm.conf nsenter --net="/run/netns/${slurm_prefix}n$1" unshare --uts sh -c \
        'hostname "$1" && exec slurmd -D -N "$1" -f "$SLURM_CONF"' sh "n$1" >"$SLURM/slurmd-n$1.out" 2>&1 &
    slurm_nodes[$1]=$!
}

slurm_idle() { [ "$(slurm_run timeout 5 sinfo -h -t idle -o %D 2>/dev/null)" = "$1" ]; }

# slurm_start NODES: returns when all are idle.
slurm_start() {
    local i
    SLURM=$(mktemp -d /tmp/bilanx-slurm.XXXXXX)
    slurm_prefix=bx$$
    slurm_nodes=()
    slurm_total=$1
    chmod 755 "$SLURM"
    mkdir -p "$SLURM/state"
    mungekey --create --keyfile="$SLURM/munge.key" --bits=1024
    chmod 600 "$SLURM/munge.key"
    munged --foreground --key-file="$SLURM/munge.key" --socket="$SLURM/munge.socket" --num-threads=2 \
        --pid-file="$SLURM/munged.pid" --log-file="$SLURM/munged.log" --seed-file="$SLURM/munged.seed" \
        >"$SLURM/munged.out" 2>&1 &
    slurm_munged=$!
    mkdir -p /run/netns
    ip netns add "${slurm_prefix}ctl"
    slurm_ip ctl link set lo up
    slurm_ip ctl link add bridge type bridge
    slurm_ip ctl address add 10.99.0.1/24 dev bridge
    slurm_ip ctl link set bridge up
    for i in $(seq "$1"); do
        slurm_namespace "n$i" "10.99.0.$((10 + i))"
    done
    slurm_configure "$1"
    slurm_before
    slurm_start_controller
    for i in $(seq "$1"); do
        slurm_start_node "$i"
    done
    for ((i = SECONDS + 90; SECONDS < i;)); do
        slurm_idle "$1" && return 0
        kill -0 "$slurm_controller" 2>/dev/null || break
        sleep 0.2
    done
    echo "the nodes did not become idle:"
    slurm_run timeout 5 sinfo
    tail -n 20 "$SLURM"/*.log "$SLURM"/*.out
    return 1
}

# slurm_kill_node NUMBER: the node disappears, with what it runs.
slurm_kill_node() {
    local inside
    kill -9 "${slurm_nodes[$1]}" 2>/dev/null
    for inside in $(ip netns pids "${slurm_prefix}n$1"); do
        kill -9 "$inside" 2>/dev/null
    done
}

slurm_stop() {
    local i inside name
    [ -n "${SLURM:-}" ] || return 0
    for name in ctl $(seq -f n%g "${slurm_total:-0}"); do
        for inside in $(ip netns pids "$slurm_prefix$name" 2>/dev/null); do
            kill -9 "$inside" 2>/dev/null
        done
    done
    kill "$slurm_munged" ${slurm_database:+"$slurm_database"} 2>/dev/null
    wait "$slurm_controller" "${slurm_nodes[@]}" "$slurm_munged" ${slurm_database:+"$slurm_database"} 2>/dev/null
    for name in $(seq -f n%g "${slurm_total:-0}") ctl; do
        ip netns del "$slurm_prefix$name" 2>/dev/null
    done
    rm -rf "$SLURM"
    SLURM=
}

slurm_stop_controller() {
    local inside
    for inside in $(ip netns pids "${slurm_prefix}ctl"); do
        [ "$(cat "/proc/$inside/comm" 2>/dev/null)" = slurmctld ] && kill "$inside"
    done
    wait "$slurm_controller" 2>/dev/null
}

# Whether slurm_start worked; its output is in the file "started".
slurm_started() { cat started; slurm_run sinfo && slurm_idle "$slurm_total"; }
