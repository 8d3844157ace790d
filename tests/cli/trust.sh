#!/usr/bin/env bash
# Files that bilanx finds, instead of being told, name programs only in folders that the user trusts.
. "$(dirname "$0")/cli.bash"
export XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache
mkdir -p "$work/clone/.bilanx" "$work/bin"
cd "$work/clone" || exit 1
printf 'benchmarks:\n  a: {stmt: x += 1, setup: volatile long x = 0}\n' >suite.yaml
printf '#!/bin/sh\ntouch %s/ran\n' "$work" >evil.sh
# A scheduler that answers nothing: whoever asks it was allowed to.
for command in sinfo scontrol sbatch squeue; do
    printf '#!/bin/sh\ntouch %s/asked\necho not today >&2\nexit 1\n' "$work" >"$work/bin/$command"
done
chmod +x evil.sh "$work"/bin/*
PATH=$work/bin:$PATH
on_cluster=("$BILANX" run suite.yaml --cluster slurm --detach -o "$work/r.jsonl")

for setting in 'bilanx: ./evil.sh' 'sbatch_options: [--prolog=./evil.sh]'; do
    printf 'partition: test\n%s\n' "$setting" >.bilanx/cluster.yaml
    check "'${setting%%:*}' in a file that was found is refused" exits 1 "${on_cluster[@]}"
    check "... with its position, and how to allow it" \
        err "\.bilanx/cluster.yaml:2:[0-9]*: '${setting%%:*}' can make .* run 'bilanx trust \.' once"
    check "... before anybody is asked" test ! -e "$work/asked"
done
printf 'partition: test\n' >.bilanx/cluster.yaml
check "settings that name no program need no trust" exits 1 "${on_cluster[@]}"
check "... so the scheduler is asked" test -e "$work/asked"

printf 'bilanx: ./evil.sh\n' >.bilanx/cluster.yaml
check "trust takes a folder" exits 0 "$BILANX" trust .
check "... which is then allowed" exits 1 "${on_cluster[@]}"
check "... for the scheduler to say no" err 'not today'
check "trust --list shows it" exits 0 "$BILANX" trust --list
check "... by its real path" out "^$(realpath .)\$"
check "trust --remove takes it back" exits 0 "$BILANX" trust --remove .
check "... so it is refused again" exits 1 "${on_cluster[@]}"
check "... for that reason" err "run 'bilanx trust"
check "... and cannot be removed twice" exits 1 "$BILANX" trust --remove .
check "trust needs a folder" exits 2 "$BILANX" trust
check "--list and --remove cannot be combined" exits 2 "$BILANX" trust --list --remove
check "a folder that does not exist cannot be trusted" exits 1 "$BILANX" trust missing
check "the program never ran" test ! -e "$work/ran"
plan
