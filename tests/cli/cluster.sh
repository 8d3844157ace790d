#!/usr/bin/env bash
# Runs on a cluster, with a stand-in for Slurm: every record once, whoever else writes, whatever is killed.
. "$(dirname "$0")/cli.bash"
# shellcheck source=../cluster/stand_in.bash
. "$(dirname "$0")/../cluster/stand_in.bash"
stand_in_start
cd "$work" || exit
touch "$stand/later"
measuring=(--max-run-time 5ms --warmup 1ms)
cat >s.yaml <<'YAML'
benchmarks:
  one: {stmt: x++, setup: volatile long x = 0}
  two: {stmt: x--, setup: volatile long x = 0}
  three: {stmt: x += 3, setup: volatile long x = 0}
YAML

# submit OUT [OPTION...]: a detached run, measured but not collected. Sets $folder.
submit() {
    local out=$1
    shift
    "$BILANX" run s.yaml "${measuring[@]}" --cluster slurm --unchecked -o "$out" --detach "$@" >submitted && stand_in_run &&
        folder=$(sed -n 's/^submitted .* cases: //p' submitted)
}
# holds FILE COUNT: this many records, all complete and all different.
holds() {
    records "$1" "assert len(r) == $2, len(r)
assert len({json.dumps(one) for one in r}) == $2"
}
foreign='{"schema":"bilanx/1","kind":"failure","task":{"stmt":"foreign"},"error":{"code":"crashed","phase":"run","text":"x"}}'

# Two runs into one file.
both() { # FOLDER ORDER
    local first second
    rm -f both.jsonl
    submit both.jsonl && first=$folder && submit both.jsonl && second=$folder || return
    [ "$2" = forth ] || { folder=$first first=$second second=$folder; }
    mkdir -p "$1"
    (cd "$1" && "$BILANX" cluster collect "$first" -q >/dev/null && "$BILANX" cluster collect "$second" -q >/dev/null) && holds both.jsonl 6 &&
        [ ! -e "$first" ] && [ ! -e "$second" ]
}
check "two detached runs write to one file" both . forth
check "... in any order" both . back
check "... from any folder" both elsewhere/below back
submit first.jsonl
check "records that were added after submission stay" bash -c "echo '$foreign' >>first.jsonl; '$BILANX' cluster collect '$folder' -q >/dev/null; head -n 1 first.jsonl | grep foreign"
check "... before ours" holds first.jsonl 4

# Only the first record is there when it is collected for the first time.
partly() {
    submit part.jsonl || return
    mv "$folder"/records/1.1.1.0.jsonl whole && mv "$folder"/ends/1.1.1.json end
    head -n 1 whole >"$folder/records/1.1.1.0.jsonl"
    rm "$stand/jobs/"*.ran # Slurm still has its task
    exits 1 "$BILANX" cluster collect "$folder" -q && exits 1 "$BILANX" cluster collect "$folder" -q && holds part.jsonl 1 || return
    echo "$foreign" >>part.jsonl
    mv whole "$folder"/records/1.1.1.0.jsonl && mv end "$folder"/ends/1.1.1.json
    "$BILANX" cluster collect "$folder" -q >/dev/null
    holds part.jsonl 4
}
check "a partly collected run is completed, although others wrote meanwhile" partly
check "... in order, after the lines of others" records part.jsonl "assert [one.get('place') for one in r] == [None, 1, 2, 3]"
for job in "$stand/jobs"/*[0-9]; do echo COMPLETED >"$job.ran"; done

# A kill after the records were written, but before the folder is gone.
again() {
    rm -rf twice.jsonl kept
    submit twice.jsonl && cp -a "$folder" kept && exits 0 "$BILANX" cluster collect "$folder" -q && cp -a kept "$folder" || return
    echo "$foreign" >>twice.jsonl
    "$BILANX" cluster collect "$folder" -q >/dev/null
    holds twice.jsonl 4
}
check "a run that is collected twice has every record once" again
killed() {
    local i
    submit killed.jsonl || return
    cp -a "$folder" kept.killed
    for i in $(seq 16); do
        [ -e "$folder/run.json" ] || { rm -rf "$folder" && cp -a kept.killed "$folder"; }
        [ $i != 8 ] || { [ -s killed.jsonl ] && echo "$foreign" >>killed.jsonl; }
        timeout -s KILL "0.0$(printf %02d $((i * 3)))" "$BILANX" cluster collect "$folder" -q >/dev/null 2>&1
    done
    [ -e "$folder/run.json" ] || { rm -rf "$folder" && cp -a kept.killed "$folder"; }
    soon "$BILANX" cluster collect "$folder" -q >/dev/null # the last one may still hold the lock
    grep -v foreign killed.jsonl >ours
    holds ours 3
}
check "... also after kills" killed
check "... and nothing is left beside it" bash -c '! ls killed.jsonl.*'
submit other.jsonl
cp -a "$folder" kept.other
check "a run is collected into another file" exits 0 "$BILANX" cluster collect "$folder" -q -o given.jsonl
cp -a kept.other "$folder"
check "... not twice without --append" exits 2 "$BILANX" cluster collect "$folder" -q -o given.jsonl
check "... with it" exits 0 "$BILANX" cluster collect "$folder" -q -o given.jsonl --append
check "... each record is there once" holds given.jsonl 3
cp -a kept.other "$folder"
echo "$foreign" >>given.jsonl
check "... or replaces the records there" exits 0 "$BILANX" cluster collect "$folder" -q -o given.jsonl --overwrite
check "... which is gone then" holds given.jsonl 3

# The output in the run's folder, or beside it.
submit none.jsonl
check "an output in the run's folder works" exits 0 bash -c "cd '$folder' && '$BILANX' cluster collect . -q -o mine.jsonl"
check "... and stays" holds "$folder/mine.jsonl" 3
echo mine >"$folder/records/notes"
check "an output elsewhere works from there" exits 0 bash -c "cd '$folder' && '$BILANX' cluster collect . -q -o ../mine.jsonl"
check "... and stays" holds "$folder/../mine.jsonl" 3
check "files that are not of the run stay" bash -c "cd '$folder' && [ \"\$(find . -type f | sort | xargs)\" = './mine.jsonl ./records/notes' ]"

# A run that continues a file with records of others.
"$BILANX" run s.yaml "${measuring[@]}" -q -o resumed.jsonl >/dev/null
{ sed -n 3p resumed.jsonl; echo "$foreign"; } >cut.jsonl
rm -f "$stand/later"
check "--resume works on a cluster" exits 0 "$BILANX" run s.yaml "${measuring[@]}" --cluster slurm --unchecked -q --resume cut.jsonl
check "... with every case once, and the lines of others" records cut.jsonl "assert [one.get('place') for one in r] == [None, 1, 2, 3]"
check "... which was there before" bash -c "grep -qxFf <(sed -n 3p resumed.jsonl) cut.jsonl"
touch "$stand/later"

# One process at a time.
submit owned.jsonl
flock "$folder/lock" sleep 60 &
owner=$!
soon bash -c "! flock -n '$folder/lock' true"
check "a run that another process drives is not collected" exits 1 "$BILANX" cluster collect "$folder" -q
check "... and that process is named" err "cannot use the run in '.*': process [0-9]* ([a-z]*) drives it"
check "... nor cancelled" exits 1 "$BILANX" cluster cancel "$folder"
check "... but its status is shown" exits 0 "$BILANX" cluster status "$folder"
kill $owner $(pgrep -P $owner)
wait $owner 2>/dev/null
check "... later, it is" exits 0 "$BILANX" cluster collect "$folder" -q

# A folder that another user has changed is not trusted.
submit tampered.jsonl
cp -a "$folder" kept.tampered
: >"$stand/calls"
tampered() { # FILE SED TEXT: collect, status and cancel refuse it, and nothing reaches Slurm
    local act
    for act in 'collect' 'collect --wait' status cancel; do
        rm -rf "$folder" && cp -a kept.tampered "$folder" && sed -i "$2" "$folder/$1" || return
        # shellcheck disable=SC2086
        exits 1 "$BILANX" cluster ${act%% *} "$folder" ${act#"${act%% *}"} && err "$3" || return
    done
    ! grep -v '^scontrol show config\|^sinfo --noheader\|^squeue ' "$stand/calls"
}
check "an option is not taken for a job" tampered batches/1.json 's/"job": *"[0-9]*"/"job":"--user=victim"/' "its 'job' is not the number of a job"
check "... nor several words" tampered batches/1.json 's/"job": *"[0-9]*"/"job":"1 2"/' "its 'job' is not the number of a job"
check "a huge number of tasks is refused" tampered batches/1.json 's/"tasks": *[0-9]*/"tasks":900000000000000000/' "'tasks' must be between 1 and 1000000"
check "more tasks than cases are refused" tampered batches/1.json 's/"tasks": *[0-9]*/"tasks":900000/' 'too many tasks'
check "a negative number is refused" tampered batches/1.json 's/"tasks": *[0-9]*/"tasks":-1/' "'tasks' cannot be"
check "a huge number of cases is refused" tampered run.json 's/"cases": *[0-9]*/"cases":900000000000000000/' 'has only 3 of'
check "a huge number of replicas is refused" tampered run.json 's/"replicas": *[0-9]*/"replicas":900000000000000000/' "'replicas' is too large"
check "an unknown kind of records is refused" tampered run.json 's/"records": *[0-9]*/"records":77/' "'records' is unknown"
check "cases that the run does not have are refused" tampered batches/1.cases 's/.*/1-999999999/' 'not those of the run'
check "a cost that is no number is refused" tampered cases '1s/^[^ ]*/nan/' 'cases:1: not a case'
check "an option is not taken for the program" tampered run.json 's/"program": *"[^"]*"/"program":"--wrap=evil"/' "must not start with '-'"
check "a word is not taken for an option of sbatch" tampered run.json 's/"options": *\[\]/"options":["evil.sh"]/' "'options' must start with '-'"
check "a batch that is no JSON is refused" tampered batches/1.json 's/.*/{/' 'batches/1.json'
rm -rf "$folder" && cp -a kept.tampered "$folder" && rm "$folder/records/1.1.1.0.jsonl" && mkfifo "$folder/records/1.1.1.0.jsonl"
check "a FIFO instead of records does not block" exits 1 timeout 10 "$BILANX" cluster collect "$folder" -q
rm -rf "$folder" && cp -a kept.tampered "$folder"
cp -a "$folder" odd,name
check "the name of a folder names no other jobs" exits 0 "$BILANX" cluster status odd,name
check "... of Slurm" grep -q 'squeue .*--name=bilanx-odd_name.1 ' "$stand/calls"
rm "$folder"/ends/* "$stand/jobs/"*.ran
check "a job is cancelled by its number" exits 0 "$BILANX" cluster cancel "$folder"
check "... after the options" grep -qx 'scancel --quiet -- [0-9]*' "$stand/calls"
plan
