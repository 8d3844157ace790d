# Shared by the tests of `bilanx time`: a separate cache, and a compiler that counts its calls.
# shellcheck source=cli.bash
. "$(dirname "${BASH_SOURCE[0]}")/cli.bash"
export XDG_CACHE_HOME=$work/cache
unset BILANX_WORKER_PROGRAM BILANX_PYTHON CPATH C_INCLUDE_PATH OMP_NUM_THREADS
export MARKS=$work/marks
once=(--method timeit --number 1 --quiet)

# Lets a snippet write a line "word pid" to $MARKS: mark("word").
marking='#include <unistd.h>
#include <sys/wait.h>
static void mark(const char *word)
{
    FILE *file = fopen(getenv("MARKS"), "a");
    fprintf(file, "%s %d\n", word, (int)getpid());
    fclose(file);
}'
marks() { wc -l <"$MARKS" 2>/dev/null || echo 0; }
marked() { [ "$(marks)" -ge "$1" ]; }
last_child() { tail -n 1 "$MARKS" | cut -d' ' -f2; }

# A compiler that writes a line to $work/calls for every file that it compiles.
counting_compiler() {
    printf '#!/bin/sh\ncase " $* " in *" -MD "*) echo call >>"%s/calls" ;; esac\nexec %s "$@"\n' "$work" "$1" >"$work/$1-counted"
    chmod +x "$work/$1-counted"
}
calls() { wc -l <"$work/calls" 2>/dev/null || echo 0; }

# measures CODE ARGUMENT...: runs `bilanx time`, which must succeed, and checks its records: that they are
# of the statements among the arguments, and whatever CODE asserts.
measures() {
    local code=$1
    shift
    exits 0 "$BILANX" time "$@" --overwrite -o "$work/r.jsonl" && records "$work/r.jsonl" "
given = sys.argv[3:]
assert r and all(one['kind'] == 'measurement' and one['task']['stmt'] in given and min(one['raw_times']) >= 0 for one in r), r
$code" "$@"
}

# fails CODE ARGUMENT...: the same, but it exits with 1; e is the first record's error.
fails() {
    local code=$1
    shift
    rm -f "$work/r.jsonl"
    exits 1 "$BILANX" time "$@" -o "$work/r.jsonl" && records "$work/r.jsonl" "
e = next((one['error'] for one in r if 'error' in one), None)
print(e)
$code"
}

# fault CODE PHASE TEXT ARGUMENT...: expects this failure, with TEXT in its text or output.
fault() {
    local code=$1 phase=$2 text=$3
    shift 3
    TEXT=$text fails "
import os
assert len(r) == 1 and r[0]['kind'] == 'failure' and 'raw_times' not in r[0]
assert (e['code'], e['phase']) == ('$code', '$phase'), e
assert os.environ['TEXT'] in e['text'] + '\n' + e.get('output', '')" --quiet "$@"
}
