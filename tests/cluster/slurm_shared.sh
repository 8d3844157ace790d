#!/usr/bin/env bash
# A real Slurm cluster: two detached runs and another program write to one file. They are collected in any order and
# from any folder, and killed at random: every record is there once. KILLS sets how often (50).
. "$(dirname "$0")/cluster.bash"
slurm_start 3 >started 2>&1
check "a cluster of three nodes starts" slurm_started
measuring=(--max-run-time 20ms --warmup 1ms)
suite many 20 >many.yaml
mkdir -p elsewhere/below
foreign='{"schema":"bilanx/1","kind":"failure","task":{"stmt":"foreign %d"},"error":{"code":"crashed","phase":"run","text":"x"}}\n'

# submit: starts a detached run into shared.jsonl. Sets $folder.
submit() {
    on_cluster 0 "$BILANX" run many.yaml "${measuring[@]}" --cluster slurm --unchecked -o shared.jsonl --append --detach &&
        folder=$(sed -n 's/^submitted 20 cases: //p' out)
}
# collecting FOLDER [OPTION...]: becomes the command.
collecting() { SLURM_CONF=$SLURM/slurm.conf exec nsenter --net="/run/netns/${slurm_prefix}ctl" "$BILANX" cluster collect "$@" -q >/dev/null 2>>"$work/said"; }
collect() { # DIRECTORY FOLDER [OPTION...]
    (cd "$1" && collecting "${@:2}")
}
# each_once RUNS FOREIGN: the file has all cases of RUNS runs, and FOREIGN lines of others, each once.
each_once() {
    python3 - shared.jsonl "$1" "$2" <<'PYTHON'
import collections, json, sys
lines = open(sys.argv[1]).read().splitlines()
records = [json.loads(line) for line in lines]
own = [one for one in records if one['kind'] == 'measurement']
assert len(set(lines)) == len(lines), 'twice'
places = collections.Counter(one['place'] for one in own)
assert places == collections.Counter({place: int(sys.argv[2]) for place in range(1, 21)}), places
assert len(records) - len(own) == int(sys.argv[3]), len(records) - len(own)
PYTHON
}

orders() { # FIRST SECOND DIRECTORY: which of the two runs is collected first, and from where
    local runs=() where
    rm -f shared.jsonl
    submit && runs[1]=$folder && submit && runs[2]=$folder || return
    where=$3
    [ "$where" != run ] || where=${runs[$1]}
    collect "$where" "${runs[$1]}" --wait && collect "$work" "${runs[$2]}" --wait && each_once 2 0 && [ ! -e "${runs[1]}" ] && [ ! -e "${runs[2]}" ]
}
for where in . elsewhere/below run; do
    check "two runs are collected from '$where'" orders 1 2 "$where"
    check "... in the other order" orders 2 1 "$where"
done

kills() {
    local i pid runs=() options where killed=0 added=0
    rm -f shared.jsonl said
    submit && runs[0]=$folder && submit && runs[1]=$folder || return
    while [ $killed -lt "${KILLS:-50}" ]; do
        for i in 0 1; do # a run that is complete is followed by another
            [ -e "${runs[$i]}/run.json" ] || { submit && runs+=("${runs[$i]}") && runs[i]=$folder || return; }
        done
        i=$((RANDOM % 2))
        where=("$work" "$work/elsewhere/below" "${runs[$i]}")
        options=()
        [ $((RANDOM % 2)) = 0 ] || options=(--wait)
        (cd "${where[$((RANDOM % 3))]}" && collecting "${runs[$i]}" "${options[@]}") &
        pid=$!
        sleep "0.$(printf %03d $((RANDOM % 300)))"
        kill -KILL $pid 2>/dev/null && killed=$((killed + 1))
        wait $pid 2>/dev/null
        [ $((RANDOM % 5)) = 0 ] || continue
        added=$((added + 1))
        # shellcheck disable=SC2059
        printf "$foreign" $added >others.jsonl
        "$BILANX" merge others.jsonl -o shared.jsonl --append -q || return
    done
    for i in 0 1; do
        patiently finished "${runs[$i]}" || return
    done
    echo "${#runs[@]} runs, $killed kills, $added lines of others"
    each_once ${#runs[@]} "$added"
}
finished() { [ ! -e "$1/run.json" ] || { collect "$work" "$1" --wait; [ ! -e "$1/run.json" ]; }; }
check "after kills at random, every record is there once" kills
plan
