#!/usr/bin/env bash
# bilanx ab: sides of every kind: environments that set up, fail, wait or change directory;
# compilers; revisions; libraries. TAP; BILANX names the command. Times are only asserted as
# factors.
set -u
BILANX=$(realpath "${BILANX:?the bilanx to test}")
suites=$(realpath "$(dirname "$0")/../../suites")
# shellcheck source=../tap.bash
. "$(dirname "$0")/../tap.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset NO_COLOR BILANX_PYTHON LD_LIBRARY_PATH
export SHELL=/bin/bash XDG_CACHE_HOME=$work/cache HOME=$work
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a
side=(-g '#include <stdlib.h>' --stmt 'atoi("123")')

# exits STATUS ARGUMENT...: runs `bilanx ab`, with its streams in out and err, its records in
# r.jsonl.
exits() {
    local wanted=$1 status
    shift
    rm -f r.jsonl
    timeout "${patience:-200}" "$BILANX" ab -o r.jsonl --core any --budget 10 "$@" >out 2>err </dev/null
    status=$?
    [ $status = "$wanted" ] || { echo "status $status, not $wanted"; cat out err; false; }
}
out() { cat out; grep -qe "$1" out; }
err() { cat err; grep -qe "$1" err; }
# records CODE: Python with the records of r.jsonl as r, and the changes of verdicts as a list.
records() {
    python3 - "$1" <<'PYTHON'
import json, sys
r = [json.loads(line) for line in open('r.jsonl', encoding='utf-8')]
change = [one['change'] for one in r if one['kind'] == 'verdict']
try:
    exec(sys.argv[1])
except BaseException:
    print(json.dumps(r, indent=1)[:4000])
    raise
PYTHON
}
# refused TEXT ARGUMENT...: measures nothing, and one line says why.
refused() {
    local text=$1
    shift
    exits 1 "$@" && err "$text" && [ ! -s out ] && [ ! -s r.jsonl ] && [ "$(wc -l <err)" = 1 ]
}

# Environments
prints() {
    exits 0 --A '' --B 'echo "X=noise"; echo more >&2; export X=1' "${side[@]}" -s '(void)getenv("X");' &&
        err 'side B printed: X=noise | more' && ! grep -q noise r.jsonl
}
quietly() { exits 0 -q --A '' --B 'echo noise' "${side[@]}" && [ ! -s err ]; }
fails() {
    refused "side B ('echo trying; source env/bin/activate'): exited with status 1: trying | .*No such file" \
        --A '' --B 'echo trying; source env/bin/activate' "${side[@]}"
}
first_fails() { refused "side A ('exit 7'): exited with status 7" --A 'exit 7' --B '' "${side[@]}"; }
waits() { refused "side B ('read answer')" --A '' --B 'read answer' "${side[@]}"; }
asks_terminal() { refused "side B .*/dev/tty" --A '' --B 'read answer </dev/tty' "${side[@]}"; }
compiler_missing() {
    exits 2 --A cc:gcc --B 'cc:gcc-99 -O2' "${side[@]}" &&
        err "side B ('cc:gcc-99 -O2'): cannot find the compiler 'gcc-99' on the PATH"
}
compiler_gone() { # the environment has one, the statement's compiler is not in it
    exits 1 --A '' --B 'export PATH=/nowhere' "${side[@]}" && cat err out && grep -q "side B.*compiler 'cc'" err out
}
mistyped() { exits 2 --A gti:HEAD --B '' "${side[@]}" && err "did you mean 'git:'"; }
interrupted() {
    local nap=$((2000000 + $$)) pid status # seconds that nothing else here sleeps
    "$BILANX" ab --A '' --B "sleep $nap; true" "${side[@]}" >out 2>err </dev/null &
    pid=$!
    for _ in $(seq 200); do pgrep -f "^sleep $nap" && break; sleep .05; done
    kill -TERM $pid
    wait $pid
    status=$?
    cat err
    [ $status = 130 ] && grep -q 'side B .*: interrupted' err && ! pgrep -f "^sleep $nap"
}
check "output of an environment is reported and kept out of everything else" prints
check "... and is not reported with --quiet" quietly
check "an environment that fails is one message with its output" fails
check "... on the first side as well" first_fails
check "an environment that waits for input gets none" waits
check "... not even from a terminal" asks_terminal
check "a missing compiler is named with its side" compiler_missing
check "... also if an environment hides it" compiler_gone
check "a mistyped prefix is not run as a command" mistyped
check "setting up an environment can be interrupted and leaves nothing behind" interrupted

# Each directory has its own source: a side that changes directory compiles that one.
for steps in 1000 3000; do
    mkdir -p "in $steps"
    cat >"in $steps/work.c" <<C
unsigned long work(unsigned long x)
{
    for (int i = 0; i < $steps; i++)
        x = x * 6364136223846793005ul + 1442695040888963407ul;
    return x;
}
C
done
call=(-g 'unsigned long work(unsigned long);' -s 'unsigned long v = 1;' --stmt 'v = work(v)')
wanders() {
    exits 0 --A "cd 'in 1000'" --B "cd 'in 3000'" "${call[@]}" --source work.c &&
        records 'assert 1.5 < change[0] < 2.5, change; assert r[0]["verdict"] == "slower"'
}
sets_variables() {
    exits 0 --A 'export STEPS=1' --B 'export STEPS=3' -g '#include <stdlib.h>' \
        -s 'int n = 1000 * atoi(getenv("STEPS")); volatile unsigned long v = 1;' \
        --stmt 'for (int i = 0; i < n; i++) v = v * 6364136223846793005ul + 1;' &&
        records 'assert 1.5 < change[0] < 2.5, change'
}
check "a side that changes directory compiles the source found there" wanders
check "variables reach the worker of their side" sets_variables

# Two virtual environments
virtual() {
    local steps
    for steps in 1000 3000; do
        /usr/bin/python3 -m venv --without-pip "env $steps" || return 1
        echo "def work():
    x = 0
    for i in range($steps): x += i
    return x" >"$(echo "env $steps"/lib/python3*/site-packages)/speed.py"
    done
    exits 0 --A "source 'env 1000/bin/activate'" --B "source 'env 3000/bin/activate'" -l python \
        -s 'import speed' --stmt 'speed.work()' &&
        records 'assert 1 < change[0] < 3, change; assert r[0]["verdict"] == "slower"'
}
check "two virtual environments are compared" virtual

# Every process of a side writes a line: its hash seed, where its memory is, its limit.
drawn() {
    rm -f drawn.*
    exits 0 "$@" --A "export SIDE=A$HOME" --B 'export SIDE=B' -l python --python /usr/bin/python3 --core any --budget 1 \
        --stmt 'hash(s)' -s 'import os, resource; s = "a"; side = os.environ["SIDE"][0]
with open("drawn." + side, "a") as log:
    log.write("%d %d %s\n" % (hash(s), resource.getrlimit(resource.RLIMIT_STACK)[0], os.environ.get("BILANX_STACK_LIMIT")))'
}
draws_alike() {
    drawn && python3 - "$(ulimit -s)" <<'PYTHON'
import sys
a, b = ([line.split() for line in open('drawn.' + side)] for side in 'AB')
hashes = [line[0] for line in a]
assert set(hashes) == {line[0] for line in b}, (a, b)
assert len(set(hashes)) > 1, a
limit = sys.argv[1]
assert {line[1] for line in a + b} <= {str(1024 * int(limit)) if limit.isdigit() else '-1'}, a
assert {line[2] for line in a + b} == {'None'}
PYTHON
}
keeps_own() {
    PYTHONHASHSEED=5 drawn && wanted=$(PYTHONHASHSEED=5 /usr/bin/python3 -c 'print(hash("a"))') &&
        [ "$(cut -d' ' -f1 drawn.A drawn.B | sort -u)" = "$wanted" ]
}
check "each epoch draws one hash seed for both interpreters" draws_alike
check "... unless the user has set it" keeps_own

# Two compilers
compilers() {
    exits 0 --A 'cc:gcc -O0' --B 'cc:clang -O2' --source 'in 1000/work.c' "${call[@]}" &&
        records 'assert change[0] < -.2, change; assert r[0]["verdict"] == "faster"
assert "clang" in r[0]["task"]["compile"]["cc"].lower()' && out '^A  gcc -O0$' && out '^B  clang -O2$'
}
check "gcc against clang" compilers

# Two revisions of a library, with a known change
mkdir lib && cd lib && git init -q -b main . && cp "../in 1000/work.c" . &&
    git add . && git commit -qm 'A thousand steps' && sed -i 's/1000/1500/' work.c &&
    git commit -qam 'Half as much again' && git checkout -qb topic && sed -i 's/1500/3000/' work.c || exit 1
half_more='assert .3 < change[0] < .7, change; assert r[0]["verdict"] == "slower", r'
revisions() {
    exits 0 --A git:HEAD~1 --B git:HEAD "${call[@]}" --source work.c && records "$half_more" &&
        out '^A  HEAD~1: [0-9a-f]* A thousand steps$' && out '^B  HEAD: [0-9a-f]* Half as much again$'
}
built() {
    exits 0 --A git:HEAD~1 --B git:HEAD "${call[@]}" --ldflags '-L. -lwork' \
        --build 'echo x >>../../../../../builds; gcc -O2 -fPIC -c work.c && ar rcs libwork.a work.o' &&
        records "$half_more" && [ "$(wc -l <../builds)" = 2 ]
}
shared() {
    exits 0 --A git:merge-base:main --B git:. "${call[@]}" --ldflags '-L. -lwork -Wl,-rpath,.' \
        --build 'gcc -O2 -fPIC -shared work.c -o libwork.so' &&
        records 'assert .7 < change[0] < 1.3, change'
}
build_fails() {
    refused "side A ('git:HEAD'): the build exited with status 3 (log: .*/log): x.c:1: error" \
        --quiet --A git:HEAD --B git:. "${call[@]}" --build 'echo "x.c:1: error"; exit 3'
}
no_revision() { refused "side B ('git:nosuch'): .*bad revision 'nosuch'" --A git:HEAD --B git:nosuch "${call[@]}"; }
untouched() { git worktree list | wc -l | grep -qx 1 && ! git branch --list | grep -qv 'main\|topic'; }
check "two revisions that differ by half, from their sources" revisions
check "... and built, each once" built
check "the working tree against the merge base, with shared libraries" shared
check "a build that fails is one message with its log" build_fails
check "an unknown revision is reported in git's words" no_revision
check "the repository is unchanged" untouched
cd ..

# Three libraries by LD_LIBRARY_PATH: the same object, another libblas.so.3
libraries=$(dirname "$(/sbin/ldconfig -p | sed -n 's/.* => \(.*\/libblas.so.3\)$/\1/p' | head -1)")
blas() {
    local name=$1
    exits 0 --A "export LD_LIBRARY_PATH=$libraries/blas" \
        --B "export LD_LIBRARY_PATH=$libraries/$name OPENBLAS_NUM_THREADS=1 BLIS_NUM_THREADS=1" \
        "$suites/blas.yaml" --filter 'gemm/n=64/libblas' &&
        records 'assert len(change) == 1 and change[0] < -.3, change'
}
for name in openblas-pthread blis-pthread; do
    if [ -e "$libraries/blas/libblas.so.3" ] && [ -e "$libraries/$name/libblas.so.3" ] && [ -e "$libraries/libblas.so" ]; then
        check "reference BLAS against $name" blas $name
    else
        check "reference BLAS against $name # SKIP not installed" true
    fi
done

# Each import waits until the other side's has begun.
mkdir -p costly
cat >costly/numpy.py <<'PYTHON'
import os, time
mine, other = os.environ['MINE'], os.environ['OTHER']
open(mine, 'w').close()
end = time.monotonic() + 20
while not os.path.exists(other) and time.monotonic() < end:
    time.sleep(.01)
open('met', 'a').write('alone\n' if time.monotonic() > end else 'met\n')
PYTHON
printf 'language: python\nglobal_setup: import numpy\nbenchmarks:\n  a: {stmt: pass}\n' >costly.yaml
check "sides that import" exits 0 --A "export PYTHONPATH=$work/costly MINE=$work/1 OTHER=$work/2" \
    --B "export PYTHONPATH=$work/costly MINE=$work/2 OTHER=$work/1" costly.yaml --core any --budget .2
check "... do so at the same time" test "$(head -2 met)" = $'met\nmet'
plan
