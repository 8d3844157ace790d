#!/usr/bin/env bash
# The command itself: help, version, mistakes, exit codes. TAP; BILANX names the command.
set -u
BILANX=${BILANX:?the bilanx to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

# expect NAME CODE STDOUT STDERR ARGUMENT...: exit code, and a pattern for each stream ('' is empty).
expect() {
    local name=$1 code=$2 out=$3 err=$4 got
    shift 4
    count=$((count + 1))
    "$BILANX" "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ $got -eq "$code" ] && matches "$out" "$work/out" && matches "$err" "$work/err"; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        echo "# exit code $got, wanted $code"
        sed 's/^/# /' "$work/out" "$work/err"
    fi
}

matches() {
    if [ -z "$1" ]; then
        [ ! -s "$2" ]
    else
        grep -q -e "$1" "$2"
    fi
}

expect "without arguments it shows examples" 0 '^  bilanx time -- ./old --and ./new  *whole commands' ''
printf 'help\0time\0' >"$work/words"
expect "a file may have the arguments" 0 '^Usage: bilanx time' '' --arguments-from "$work/words"
printf 'compare\0no such\nfile\0' >"$work/words"
expect "... with any characters" 1 '' "cannot open 'no such$" --arguments-from "$work/words"
printf 'help' >"$work/words"
expect "... each with its end" 1 '' 'the last word does not end with a NUL' --arguments-from "$work/words"
expect "... and nothing beside it" 2 '' "needs a FILE" --arguments-from "$work/words" time
expect "... which must be there" 1 '' "absent" --arguments-from "$work/absent"
expect "--help lists the commands" 0 '^  doctor ' '' --help
expect "help lists the commands, too" 0 '^  doctor ' '' help
expect "help COMMAND shows its help" 0 '^Usage: bilanx doctor' '' help doctor
expect "COMMAND --help shows it, too" 0 '^Usage: bilanx doctor' '' doctor --help
expect "help --help is help, too" 0 '^  doctor ' '' help --help
expect "help notes explains every note" 0 '^busy-machine$' '' help notes
expect "help notes prints no Markdown" 0 "^  both under 'warnings'" '' help notes
expect "help notes NOTE explains one note" 0 '^  What to do: ' '' help notes paused
count=$((count + 1))
if [ "$(head -n 1 "$work/out")" = paused ] && ! grep -q -e '[*`#]' -e clock-too-coarse "$work/out"; then
    echo "ok $count - help notes NOTE shows no other note"
else
    echo "not ok $count - help notes NOTE shows no other note"
    sed 's/^/# /' "$work/out"
fi
expect "an unknown note gets a suggestion" 2 '' "^bilanx: unknown note 'high-irq' (did you mean 'high-iqr'?)" help notes high-irq
expect "a note unlike any other gets none" 2 '' "^bilanx: unknown note 'zzzzzz' ('bilanx help notes'" help notes zzzzzz
expect "--version shows the version" 0 '^bilanx [0-9]' '' --version
expect "so does version" 0 '^bilanx [0-9]' '' version
expect "a mistyped help is suggested" 2 '' "did you mean 'help'?" hlep
expect "an unknown command gets a suggestion" 2 '' "^bilanx: unknown command 'doctr' (did you mean 'doctor'?)" doctr
expect "a command unlike any other gets none" 2 '' "^bilanx: unknown command 'zzzzzz'" zzzzzz
expect "help for an unknown topic is a usage error" 2 '' "^bilanx: unknown topic 'zzzzzz'" help zzzzzz
expect "... and gets a suggestion, too" 2 '' "^bilanx: unknown topic 'nots' (did you mean 'notes'?)" help nots
expect "flame of what is neither code nor a file says both" 1 '' "undeclared.* (and there is no file 'nope')" flame nope
expect "an unknown option is a usage error" 2 '' "^bilanx: unknown option '--zzz'" --zzz
expect "escape sequences are not printed" 2 '' '\\x1b\[31m' $'\033[31m'

for command in time run ab count flame compare convert fuzz ops doctor; do
    count=$((count + 1))
    if ! COLUMNS=80 "$BILANX" $command --help | awk 'length($0) > 80' | grep .; then
        echo "ok $count - help $command fits 80 columns"
    else
        echo "not ok $count - help $command fits 80 columns"
    fi
done
for columns in 60 80 100 140; do
    for arguments in '' 'fuzz --list' 'flame --list' 'convert --list' 'help notes' 'time -h' 'run -h' 'ab -h' 'count -h' 'flame -h' 'ops -h' 'cluster -h' 'merge -h'; do
        count=$((count + 1))
        # shellcheck disable=SC2086
        if ! COLUMNS=$columns "$BILANX" $arguments | LC_ALL=C awk -v most=$columns '{ gsub(/[\200-\277]/, "") } length($0) > most' | grep .; then
            echo "ok $count - 'bilanx $arguments' fits $columns columns"
        else
            echo "not ok $count - 'bilanx $arguments' fits $columns columns"
        fi
    done
done
for list in fuzz flame convert; do # nothing is lost where it does not fit
    count=$((count + 1))
    if diff <("$BILANX" $list --list | tr -s ' \n' '\n' | sort) <(COLUMNS=60 "$BILANX" $list --list | tr -s ' \n' '\n' | sort) >"$work/out"; then
        echo "ok $count - $list --list has the same words on a narrow terminal"
    else
        echo "not ok $count - $list --list has the same words on a narrow terminal"
        sed 's/^/# /' "$work/out"
    fi
done
count=$((count + 1))
if COLUMNS=60 "$BILANX" | grep -A1 ' \\$' | tr -d '\\\n' | grep -q "^  bilanx ab .* --stmt  *'f(2)'$"; then
    echo "ok $count - an example that does not fit is continued on the next line"
else
    echo "not ok $count - an example that does not fit is continued on the next line"
fi
prefix=$work/where/it/is/installed
mkdir -p "$prefix/bin" "$prefix/share/doc/bilanx/docs"
cp "$BILANX" "$prefix/bin/bilanx"
count=$((count + 1))
COLUMNS=60 "$prefix/bin/bilanx" run -h >"$work/out" 2>&1
if ! awk 'length($0) > 60' "$work/out" | grep . && grep -qF "$prefix/share/doc/bilanx." "$work/out"; then
    echo "ok $count - an installed command fits 60 columns, too"
else
    echo "not ok $count - an installed command fits 60 columns, too"
    tail -n 9 "$work/out" | sed 's/^/# /'
fi
for columns in 60 80; do
    count=$((count + 1))
    if ! COLUMNS=$columns "$BILANX" --help | awk "length(\$0) > $columns" | grep .; then
        echo "ok $count - the list of commands fits $columns columns"
    else
        echo "not ok $count - the list of commands fits $columns columns"
    fi
done

count=$((count + 1))
"$BILANX" --help >/dev/full 2>"$work/err"
if [ $? -eq 1 ] && grep -q '^bilanx: cannot write the results: ' "$work/err"; then
    echo "ok $count - a full disk is a failure"
else
    echo "not ok $count - a full disk is a failure"
fi

count=$((count + 1))
timeout --preserve-status -s INT 1 "$BILANX" doctor --json >"$work/out" 2>"$work/err"
if [ $? -eq 130 ] && [ ! -s "$work/out" ]; then
    echo "ok $count - an interrupted command exits with 130"
else
    echo "not ok $count - an interrupted command exits with 130"
    sed 's/^/# /' "$work/err"
fi

echo "1..$count"
