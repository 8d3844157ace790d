# Shared by the tests that need a Slurm cluster: starts one with NODES nodes, in which `cluster COMMAND...` runs.
# shellcheck source=../cli/cli.bash
. "$(dirname "${BASH_SOURCE[0]}")/../cli/cli.bash"
# shellcheck source=slurm.bash
. "$(dirname "${BASH_SOURCE[0]}")/slurm.bash"
missing=$(slurm_missing)
if [ -n "$missing" ]; then
    check "Slurm is there: $missing" false
    plan
    exit
fi
trap 'slurm_stop; rm -rf "$work"' EXIT
cd "$work" || exit
chmod 755 "$work"

# suite NAME COUNT [TEXT]: a suite of that many cases, and further entries.
suite() {
    local i
    printf 'suite: %s\nbenchmarks:\n' "$1"
    for i in $(seq "$2"); do
        printf '  case %d: {stmt: x += %d, setup: volatile long x = 0}\n' "$i" "$i"
    done
    printf '%s' "${3:-}"
}

# on_cluster STATUS COMMAND...: like exits, in the cluster.
on_cluster() {
    local wanted=$1
    shift
    SLURM_CONF=$SLURM/slurm.conf exits "$wanted" nsenter --net="/run/netns/${slurm_prefix}ctl" "$@"
}

# same_cases MERGED LOCAL: the merged records are those of a local run: the same cases, once, in order.
same_cases() {
    python3 - "$1" "$2" <<'PYTHON'
import json, sys
def cases(name):
    records = [json.loads(line) for line in open(name)]
    assert all(one['kind'] in ('measurement', 'counts') for one in records), [one for one in records if 'error' in one][:1]
    return [(one['place'], one['task']['label'], one['task']['stmt']) for one in records]
merged, local = map(cases, sys.argv[1:])
assert merged == sorted(merged), merged
assert merged == sorted(local), set(local) ^ set(merged)
PYTHON
}

# same_counts MERGED LOCAL
same_counts() {
    python3 - "$1" "$2" <<'PYTHON'
import json, sys
def counts(name):
    records = [json.loads(line) for line in open(name)]
    return {one['place']: (one['task']['stmt'], one['counts']['instructions'], one['counts']['repeats']) for one in records}
merged, local = map(counts, sys.argv[1:])
assert merged == local and merged, (merged, local)
PYTHON
}

# nodes FILE: on how many machines its records were measured.
nodes() { python3 -c "import json, sys; print(len({json.loads(line)['machine']['node'] for line in open(sys.argv[1])}))" "$1"; }

# patiently COMMAND...: waits for up to a minute until the command succeeds.
patiently() {
    local i
    for i in $(seq 600); do
        "$@" && return 0
        sleep 0.1
    done
    echo "never: $*"
    false
}
