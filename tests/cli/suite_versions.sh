#!/usr/bin/env bash
# --backtest omits cases for other versions of a suite's subject.
. "$(dirname "$0")/cli.bash"
mkdir -p "$work/lib" "$work/bin"
export PYTHONPATH=$work/lib PKG_CONFIG_PATH=$work/lib PATH=$work/bin:$PATH
unset BILANX_PYTHON

# is VERSION: sets the version of all three.
is() {
    printf 'print("loading 7.7 of it")\n__version__ = "%s"\n' "$1" >"$work/lib/fake.py"
    printf 'Name: fake\nDescription: fake\nVersion: %s\nLibs:\n' "$1" >"$work/lib/fake.pc"
    printf '#!/bin/sh\n[ "$1" = --version ] && echo "fake (Fake tools) %s, of today"\n' "$1" >"$work/bin/fake-program"
    chmod +x "$work/bin/fake-program"
}
# about SUBJECT: a suite about it.
about() {
    printf 'subject: "%s"\nbenchmarks:\n  always: {stmt: x}\n  old: {stmt: x, until: 1.10}\n  new: {stmt: x, since: 1.10}\n  newest: {stmt: x, since: 2.0.1}\n' \
        "$1" >"$work/about.yaml"
}
lists() { exits 0 "$BILANX" run "$work/about.yaml" --list "${@:2}" && [ "$(tr '\n' ' ' <"$work/out")" = "$1" ] || { cat "$work/out"; false; }; }

for subject in python:fake pkg:fake program:fake-program; do
    about $subject
    is 1.9.3
    check "$subject: before" lists 'always old ' --backtest
    is 1.10
    check "$subject: from that version on" lists 'always new ' --backtest
    is 2.1+local
    check "$subject: later" lists 'always new newest ' --backtest
    check "$subject: all cases without --backtest" lists 'always old new newest '
done
about python:missing
check "a missing subject fails" exits 1 "$BILANX" run "$work/about.yaml" --list --backtest
check "... and is named with the position that needs it" err "about.yaml:4: the version of 'python:missing' is unknown"
about 'library:z'
check "a subject of an unknown kind fails" exits 1 "$BILANX" run "$work/about.yaml" --list
check "... and is named" err "about.yaml:1:10: unknown subject 'library:z'"
plan
