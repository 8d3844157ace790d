#!/usr/bin/env bash
# Finds the first slower commit in repositories made here. Commits that change no code are never
# measured, and only a confirmed commit is reported.
. "$(dirname "$0")/time.bash"
patience=300
work_code='static unsigned long work(unsigned long x, unsigned n) { for (unsigned i = 0; i < n; i++) x = x * 6364136223846793005ul + 1; return x; }'

# repository NAME: creates an empty one and enters it.
repository() {
    mkdir "$work/$1" && cd "$work/$1" || exit 1
    git init -q . && git config user.name tester && git config user.email tester@example.org
}

# commit SUBJECT CODE: puts the code into work.c, whose data contains the file name.
commit() {
    printf '%s\nconst char *where = __FILE__;\n' "$2" >work.c
    echo "$1" >>notes.txt
    git add . && git commit -qm "$1"
}

# bisects STATUS FROM TO ARGUMENT...
bisects() {
    local wanted=$1 from=$2 to=$3
    shift 3
    rm -f "$work/b.jsonl"
    exits "$wanted" "$BILANX" ab --bisect --A "git:$from" --B "git:$to" --source work.c --stmt 'x = work(x, N)' -s 'unsigned long x = 1' \
        --core any --budget 30 --quiet -o "$work/b.jsonl" "$@"
}
slow="#define N 1000
$work_code" fast="#define N 500
$work_code"

repository comments
commit 'start' "$fast"
commit 'explain' "$fast
// what it does"
commit 'only notes' "$fast
// what it does"
commit 'make it slow' "$slow
// what it does"
commit 'add .editorconfig' "$slow
// what it does"
commit 'explain more' "$slow
// what it does, and why"
check "a slower commit among comment-only commits is found" bisects 0 HEAD~5 HEAD
check "... the commit that changes code is named" out '^first slower commit: .* make it slow$'
check "... with its change against its parent" out '^x = work(x, N): .*%.* against its parent$'
check "... and no other commit is measured" bash -c "grep -c 'compiles to the same' '$work/err' | grep -qx 2 && ! grep -q ': not slower' '$work/err' || { cat '$work/err'; false; }"
check "... its record compares it with its parent" records "$work/b.jsonl" "assert len(r) == 1 and r[0]['verdict'] == 'slower' and 'explain' not in r[0]['baseline'] and 'only notes' in r[0]['baseline'], r"
check "a range of comment-only commits fails" bisects 1 HEAD~2 HEAD
check "... because there is nothing to bisect" err 'compile to the same code, so there is nothing to bisect'

repository equal
for shift in 1 2 3 4 5; do
    commit "other code $shift" "$fast
int unused$shift(void) { return $shift; }"
done
check "a history without a change fails" bisects 1 HEAD~4 HEAD --core any --budget 2
check "... and no commit is blamed" bash -c "[ ! -s '$work/out' ] && grep -q 'is not slower' '$work/err'"

repository broken
commit 'start' "$fast"
commit 'not slower' "$fast
int unused;"
commit 'broken' "$slow
#error broken"
commit 'still broken' "$slow
#error still broken"
commit 'slow' "$slow
int unused;"
commit 'slow, too' "$slow
int unused, unused_too;"
check "commits that do not build are skipped" bisects 0 HEAD~5 HEAD
check "... and mentioned in the result" out 'or one of the 2 before it, which were undecided'
check "... which is compared with the last good commit" out 'first slower commit: .* slow$'

repository small
commit 'start' "$fast"
commit 'a little slower' "${slow/1000/550}"
commit 'much slower' "$slow"
commit 'more' "$slow
int unused;"
check "a small change before a large one is ignored" bisects 0 HEAD~3 HEAD
check "... and the large one is reported" out '^first slower commit: .* much slower$'

# Each of two changes is below --margin; together they exceed it.
repository shared
commit 'start' "$fast"
commit 'a little slower' "${slow/1000/750}"
commit 'a little slower again' "$slow"
check "a change spread over several commits has no culprit" bisects 1 HEAD~2 HEAD --margin .5 --equal .5
check "... so no commit is named" bash -c "! grep -q 'first slower commit' '$work/out'"
check "... the result says so" out '^no single commit is clearly slower$'
check "... and gives the range" bash -c "grep -q 'a little slower and$' '$work/out' && grep -q 'a little slower again$' '$work/out'"
check "... with an error message" err 'no commit is clearly slower than the one before it'

# Every second process is slow: by half of the whole change, on average.
either="#include <time.h>
static unsigned draw(void) { static unsigned n; struct timespec t; if (!n) { clock_gettime(CLOCK_MONOTONIC, &t); n = t.tv_nsec >> 6 & 1 ? 500 : 1000; } return n; }
#define N draw()
$work_code"
repository undecided
commit 'start' "$fast"
for count in 1 2 3; do
    commit "slow by chance $count" "$either // $count"
done
commit 'slow' "$slow"
check "undecided commits are skipped" bisects 0 HEAD~4 HEAD --core any --budget 2
check "... the same code is measured only once" bash -c "grep -c 'compiles to the same code as an undecided commit' '$work/err' | grep -qx 2 || { cat '$work/err'; false; }"
check "... and they are mentioned in the result" out 'or one of the 3 before it, which were undecided'

# program NAME N: bench.c with a benchmark of that name, and one that never changes.
program() {
    printf '#include <bilanx/bench.h>\n%s\nBILANX_BENCH(%s) { unsigned long x = 1; BILANX_LOOP(b) { x = work(x, %s); BILANX_KEEP(x); } }\nBILANX_BENCH(common) { unsigned long x = 1; BILANX_LOOP(b) { x = work(x, 10); BILANX_KEEP(x); } }\nBILANX_MAIN()\n' \
        "$work_code" "$1" "$2" >bench.c
    git add . && git commit -qm "$1 $2"
}
tree=$(cd "$(dirname "$0")/../.." && pwd)
build="cc -O2 -I'$tree/include' bench.c '$(dirname "$BILANX")/src/core/libbilanx-bench.a' -o bench"
repository lacking
program cycle 500
program other 1000
program cycle 1000
program cycle 1001
check "a commit that lacks the case is skipped" exits 0 "$BILANX" ab --bisect --A git:HEAD~3 --B git:HEAD --build "$build" --core any --budget 30 --quiet ./bench
check "... because it cannot be judged" bash -c "grep -q \"other 1000: case 'cycle' not found\" '$work/err' || { cat '$work/err'; false; }"
check "... and it is mentioned in the result" out 'or one of the 1 before it, which were undecided'

repository gate
commit 'start' "$fast"
commit 'slow' "$slow"
check "a slower commit fails a gate" bisects 3 HEAD~1 HEAD --fail-on slower:2
check "... which is said" err '^bilanx: --fail-on slower:2: failed by '
check "... after the commit was named" out '^first slower commit: .* slow$'
check "a gate that is wide enough lets it pass" bisects 0 HEAD~1 HEAD --fail-on slower:900
for ignored in --count '--count --explain' '--flame x.svg' '--bundle x.zip' '--side C=git:HEAD' '--format csv' '--shard 1/2' '--cluster slurm'; do
    # shellcheck disable=SC2086
    check "--bisect and ${ignored%% *} cannot be combined" bisects 2 HEAD~1 HEAD $ignored
    check "... which the message says" err "cannot be combined with --[a-z]"
done

check "... which says what works instead of counts" bisects 2 HEAD~1 HEAD --count
check "... namely to count the commit that was found" err 'judges commits by time; bisect first, then count the commit it names: --A git:COMMIT~1 --B git:COMMIT --count --explain$'

check "only revisions can be bisected" exits 2 "$BILANX" ab --bisect --A cc:gcc --B git:HEAD --stmt 'x'
plan
