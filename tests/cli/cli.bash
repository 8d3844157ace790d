# Shared by the tests of measuring commands. BILANX is the command, GOOD and FAULTS the programs.
# shellcheck source=../tap.bash
. "$(dirname "${BASH_SOURCE[0]}")/../tap.bash"
: "${BILANX:?the bilanx to test}" "${GOOD:?a program}" "${FAULTS:?a program with faults}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset NO_COLOR MARKS VANISH
quick=(--core any --max-run-time 10ms --quiet)

# run COMMAND...: keeps its streams in out and err, and its status in $status.
run() {
    timeout "${patience:-100}" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# exits STATUS COMMAND...: runs it, and shows both streams if the status differs.
exits() {
    local wanted=$1
    shift
    run "$@"
    [ $status = "$wanted" ] || { echo "status $status, not $wanted"; cat "$work/out" "$work/err"; false; }
}

out() { cat "$work/err"; grep -qe "$1" "$work/out"; }
err() { cat "$work/err"; grep -qe "$1" "$work/err"; }
empty() { cat "$work/$1"; [ ! -s "$work/$1" ]; }

# fits COLUMNS ARGUMENT...: no line of `bilanx ARGUMENT...` is wider, even if it fails.
fits() {
    local wide
    wide=$(COLUMNS=$1 "$BILANX" "${@:2}" 2>&1 | LC_ALL=C awk -v most="$1" '{ gsub(/[\200-\277]/, "") } length($0) > most')
    [ -z "$wide" ] || { echo "$wide"; false; }
}

# same_words COLUMNS ARGUMENT...: the narrow output leaves out and cuts no word of the wide one.
same_words() { diff <(words_of 0 "${@:2}") <(words_of "$@"); }
words_of() { COLUMNS=$1 "$BILANX" "${@:2}" | tr -s ' \n' '\n' | sort -u; }

# records FILE CODE [WORD...]: runs Python with the records as r, and by label or statement in by. The words
# are in sys.argv[3:].
records() {
    python3 - "$@" <<'PYTHON'
import json, sys
r = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]
for one in r:
    assert one['schema'] == 'bilanx/1' and one['kind'] in ('measurement', 'counts', 'stacks', 'verdict', 'failure'), one
    one.setdefault('warnings', [])
by = {one['task'].get('label', one['task'].get('stmt')): one for one in r if 'task' in one}
try:
    exec(sys.argv[2])
except BaseException:
    print(json.dumps(r)[:4000])
    raise
PYTHON
}

# measured CODE ARGUMENT...: runs the good program directly and checks its records.
measured() {
    local code=$1
    shift
    exits 0 "$GOOD" "$@" --quiet --overwrite -o "$work/r.jsonl" && records "$work/r.jsonl" "$code"
}
