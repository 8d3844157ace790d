#!/usr/bin/env bash
# Every file that bilanx looks for on its own is in the table of docs/security.md, and nothing else is.
. "$(dirname "$0")/cli.bash"
root=$(cd "$(dirname "$0")/../.." && pwd)
export HOME=$work/home TMPDIR=$work/tmp
unset XDG_CACHE_HOME XDG_CONFIG_HOME
mkdir -p "$HOME" "$TMPDIR" "$work/here"
cd "$work/here" || exit 1
printf 'benchmarks:\n  a: {stmt: x += 1, setup: volatile long x = 0}\n' >suite.yaml
printf 'main;f 3\nmain;g 4\n' >p.folded
echo 'int f(int x) { return 3 * x; }' >f.c
git init -q && git add f.c && git -c user.name=x -c user.email=x@x.test commit -qm one
traced() { # NAME STATUS ARGUMENT...
    local name=$1 wanted=$2
    shift 2
    printf '%s\n' "$@" >>"$work/words"
    exits "$wanted" strace -qq -e trace=open,openat,readlink,access,stat,lstat,newfstatat,faccessat2,statx -o "$work/trace.$name" "$BILANX" "$@"
}
brief=(--max-run-time 20ms)
check "a statement in C" traced time 0 time 'x + 1' -s 'int x = 1' "${brief[@]}" -o t.jsonl
check "a statement in Python" traced python 0 time '1 + 1' -l python --python /usr/bin/python3 "${brief[@]}"
check "a command" traced command 0 time -r 2 -- true
check "a suite" traced suite 0 run suite.yaml "${brief[@]}"
check "a program" traced program 0 run "$GOOD" --filter calls "${brief[@]}"
check "a count" traced count 0 count 'x + 1' -s 'int x = 1'
check "a graph of stacks in a file" traced graph 0 flame p.folded -o y.svg
check "a graph of a statement" traced flame 0 time 'f(x)' --source f.c -s 'int x = 1' --flame x.svg "${brief[@]}"
check "a table" traced compare 0 compare t.jsonl
check "merging" traced merge 0 merge t.jsonl -o m.jsonl
check "inputs" traced fuzz 0 fuzz unary
check "revisions" traced ab 0 ab --A git:HEAD --B git:. --source f.c --stmt 'f(x)' -s 'int x = 1' --budget .1
check "a cluster" traced cluster 2 cluster status x
check "the doctor" traced doctor 0 doctor --quick
check "trust" traced trust 0 trust --list

# known: the files that they looked for are in the table, or were named.
known() {
    python3 - "$root/docs/security.md" "$BILANX" "$work/words" "$work"/trace.* <<'PYTHON'
import os, re, sys
page, bilanx, words, traces = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
text = open(page, encoding='utf-8').read().split('## Every file that bilanx looks for on its own')[1].split('\n## ')[0]
rows = [line.split('|')[1] for line in text.splitlines() if line.startswith('|')][2:]
variables = {'XDG_CACHE_HOME': '$HOME/.cache', 'XDG_CONFIG_HOME': '$HOME/.config', 'BUILD': os.path.dirname(bilanx)}
def expand(pattern):
    for name, value in variables.items():
        pattern = pattern.replace('$' + name, value)
    for name in ('HOME', 'TMPDIR'):
        pattern = pattern.replace('$' + name, os.environ[name])
    if pattern.startswith('$PATH/'):
        return [folder + pattern[5:] for folder in os.environ['PATH'].split(':')]
    return [pattern if pattern.startswith('/') else os.path.join(os.getcwd(), pattern)]
def regex(pattern):
    return re.compile('(?:' + re.escape(pattern).replace(r'\*', '.*') + ')$')
patterns = {pattern: [regex(one) for one in expand(pattern)] for row in rows for pattern in re.findall(r'`([^`]+)`', row)}
named = {os.path.join(os.getcwd(), word) for word in open(words, encoding='utf-8').read().splitlines()}
def is_named(path):
    # A file that is replaced is written beside it: NAME.XXXXXX.
    return any(word in (path, path[:-7]) or word.startswith(path + '/') or path.startswith(word + '/') for word in named)
strangers = set()
for trace in traces:
    for line in open(trace, encoding='utf-8', errors='replace'):
        # Relative to an open folder, it is one of those.
        for path in re.findall(r'^[a-z0-9_]+\((?:AT_FDCWD, )?"([^"]*)"', line):
            path = os.path.normpath(os.path.join(os.getcwd(), path))
            known = any(form.match(path) for forms in patterns.values() for form in forms)
            on_the_way = any(one.startswith(path.rstrip('/') + '/') for p in patterns for one in expand(p))
            if not known and not on_the_way and not is_named(path):
                strangers.add(path + ' (' + os.path.basename(trace) + ')')
for stranger in sorted(strangers)[:40]:
    print('not in the table:', stranger)
sys.exit(bool(strangers))
PYTHON
}
check "every file they looked for is in the table of docs/security.md" known
tests_exist() {
    grep -o '`\(tests/[a-z_/]*\.[a-z]*\|\(test\|fuzz\)_[a-z_]*\.c\)`' "$root/docs/security.md" | tr -d '\`' | sort -u | while read -r name; do
        find "$root/tests" -path "*${name#tests/}" | grep -q . || echo "missing: $name"
    done | { ! grep .; }
}
check "every test that the page names exists" tests_exist
plan
