# A stand-in for Slurm's commands: one node, whose tasks run when `stand_in_run` says so, or at once.
#
# What was submitted is in $stand/jobs/NUMBER (name, script, log, tasks), what the commands were called with in
# $stand/calls. Tasks run the real `bilanx cluster task`.
stand_in_start() {
    stand=$work/stand
    mkdir -p "$stand/bin" "$stand/jobs"
    cat >"$stand/command" <<'COMMAND'
#!/usr/bin/env bash
stand=$(dirname "$(dirname "$0")")
echo "${0##*/} $*" >>"$stand/calls"
option() { # NAME: its value, from the arguments after it
    local name=$1 word
    shift
    for word; do [[ $word == "--$name="* ]] && echo "${word#*=}"; done
}
case ${0##*/} in
sinfo) echo '1|idle' ;;
scontrol) printf 'MaxArraySize            = 1001\nAccountingStorageType   = accounting_storage/none\n' ;;
sbatch)
    number=$((1 + $(ls "$stand/jobs" | grep -cv ran)))
    array=$(option array "$@")
    printf '%s\n' "$(option job-name "$@")" "${!#}" "$(option output "$@")" "${array#1-}" >"$stand/jobs/$number"
    echo "$number"
    [ -e "$stand/later" ] || "$stand/run" "$number"
    ;;
squeue)
    for job in "$stand/jobs"/*; do
        [ -f "$job" ] && [[ $job != *.ran ]] || continue
        mapfile -t facts <"$job"
        [[ ,$(option name "$@"), == *,${facts[0]},* ]] || continue
        for task in $(seq "${facts[3]}"); do
            state=$(cat "$job.ran" 2>/dev/null || echo PENDING)
            echo "${facts[0]}|$(basename "$job")|$task|$state|1|n1|None"
        done
    done
    ;;
scancel) for job; do [[ $job != -* && -f $stand/jobs/$job ]] && echo CANCELLED >"$stand/jobs/$job.ran"; done; : ;;
esac
COMMAND
    cat >"$stand/run" <<'RUN'
#!/usr/bin/env bash
job=$(dirname "$0")/jobs/$1
mapfile -t facts <"$job"
for task in $(seq "${facts[3]}"); do
    SLURM_ARRAY_TASK_ID=$task SLURMD_NODENAME=n1 "${facts[1]}" >>"${facts[2]/\%a/$task}" 2>&1 </dev/null
done
echo COMPLETED >"$job.ran"
RUN
    chmod +x "$stand/command" "$stand/run"
    for name in sinfo scontrol sbatch squeue scancel sacct; do ln -sf ../command "$stand/bin/$name"; done
    PATH=$stand/bin:$PATH
}

# stand_in_run: runs all tasks that wait.
stand_in_run() {
    local job
    for job in "$stand/jobs"/*; do
        [[ $job == *.ran || -e $job.ran ]] || "$stand/run" "$(basename "$job")"
    done
}
