# Shared by the tests of collecting stacks: shares of functions in folded stacks.
# shellcheck source=cli.bash
. "$(dirname "${BASH_SOURCE[0]}")/cli.bash"
export XDG_CACHE_HOME=$work/cache TMPDIR=$work
unset DEBUGINFOD_URLS
cd "$work" || exit 1
# By the number of steps of a chain that no processor can overlap, and no compiler can shorten.
cat >work.h <<'C'
static inline unsigned long chain(unsigned long steps)
{
    unsigned long x = 1;
    while (steps--)
        __asm__ volatile("imul $3, %0, %0\n\timul $5, %0, %0\n\timul $7, %0, %0\n\timul $9, %0, %0" : "+r"(x));
    return x;
}
C
cat >three.c <<'C'
#include "work.h"
__attribute__((noinline)) unsigned long half(void) { return chain(10000) + 1; }
__attribute__((noinline)) unsigned long third(void) { return chain(6000) + 2; }
__attribute__((noinline)) unsigned long fifth(void) { return chain(4000) + 3; }
__attribute__((noinline)) unsigned long three(void) { return half() + third() + fifth(); }
C

# folded CODE ARGUMENT...: collects stacks, then runs Python with them as a list of (frames, weight),
# and with total(NAME): the share, in percent, of stacks with that frame.
folded() {
    local code=$1
    shift
    rm -f s.folded
    run "$BILANX" flame --folded s.folded "$@"
    [ -s s.folded ] && stacks "$code" || { cat err; false; }
}

stacks() {
    python3 - "$1" <<'PYTHON'
import sys
stacks = [(line.rsplit(' ', 1)[0].split(';'), float(line.rsplit(' ', 1)[1])) for line in open('s.folded', encoding='utf-8')]
whole = sum(weight for _, weight in stacks)
def total(*names):
    return 100 * sum(weight for frames, weight in stacks if all(any(f == n or f.startswith(n + ' (') for f in frames) for n in names)) / whole
def bare(frames):
    return [f.split(' (')[0] for f in frames]
note = open('err').read()
try:
    exec(sys.argv[1])
except BaseException:
    print(open('s.folded').read()[:6000], note)
    raise
PYTHON
}
