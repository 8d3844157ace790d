#!/usr/bin/env bash
# bilanx convert: files written by Google Benchmark and hyperfine in this test, and malformed files.
# shellcheck source=cli.bash
. "$(dirname "$0")/cli.bash"
here=$(dirname "$0")

same() { python3 "$here/convert_same.py" "$@"; }
convert() { exits 0 "$BILANX" convert "$@"; }

# there_and_back FORMAT FILE: converts to records, to the format, and back to the same records.
there_and_back() {
    convert "$2" "$work/one.jsonl" && empty err &&
        convert "$work/one.jsonl" "$work/again" --to "$1" && empty err &&
        convert "$work/again" "$work/two.jsonl" && same records "$work/one.jsonl" "$work/two.jsonl"
}

made_by_google() {
    g++ -O1 "$here/google.cpp" -lbenchmark -lpthread -o "$work/google" &&
        "$work/google" --benchmark_format=json >"$work/google.json" 2>/dev/null &&
        "$work/google" --benchmark_format=json --benchmark_repetitions=3 --benchmark_filter='counted|plain' \
            --benchmark_report_aggregates_only=true >"$work/aggregates.json" 2>/dev/null
}
check "Google Benchmark writes files" made_by_google

is_read_from_google() {
    convert "$work/google.json" "$work/g.jsonl" && records "$work/g.jsonl" '
raw = json.loads(open(sys.argv[1].replace("g.jsonl", "google.json")).read())
runs = [e for e in raw["benchmarks"] if e["run_type"] == "iteration"]
unit = {"ns": 1e9, "ms": 1e3}
key = lambda one: (one["task"]["label"], one["task"].get("sub_label"))
found = {key(one): one for one in r}
assert len(found) == len(r) == 7, sorted(found)
one = found["repeated", "iterations:1000/repeats:3"]
times = [e["real_time"] / 1e9 * 1000 for e in runs if e["name"].startswith("repeated")]
assert len(times) == 3 and all(abs(a / b - 1) < 1e-14 for a, b in zip(one["raw_times"], times)), (one, times)
assert len(one["raw_cpu_times"]) == 3 and one["number_per_run"] == 1000 and one["method"] == "google"
one = found["threads", "iterations:1000/real_time"]
assert one["task"]["num_threads"] == 2
one = found["counted", "64/iterations:1000"]
assert one["rates"] == {"bytes": 64, "items": 3}, one["rates"]
assert set(one["counters"]) == {"plain", "rate"} and one["counters"]["plain"] == 3
assert one["google"] == {"label": "a \"label\", NaN", "not_finite": {"nan": "NaN", "up": "Infinity", "down": "-Infinity"}}
one = found["broken", None]
assert one["kind"] == "failure" and one["error"] == {"code": "failed", "text": "no \"device\""}
machine = r[0]["machine"]
assert machine["cores"] == raw["context"]["num_cpus"] and machine["compiler"] == "gcc 12" and machine["caches"] == raw["context"]["caches"]
'
}
check "its iterations, threads, counters, labels, errors and context are read" is_read_from_google

is_written_as_google() {
    convert "$work/google.json" "$work/g.jsonl" && convert "$work/g.jsonl" "$work/ours.json" --to google &&
        empty err && same google "$work/google.json" "$work/ours.json"
}
check "written files have the same keys, types, units and values" is_written_as_google
check "... and read back as the same records" there_and_back google "$work/google.json"

only_aggregates() {
    convert "$work/aggregates.json" "$work/a.jsonl" && records "$work/a.jsonl" '
raw = json.loads(open(sys.argv[1].replace("a.jsonl", "aggregates.json")).read())
assert len(r) == 3, [one["task"] for one in r]
for one in r:
    name = one["task"]["label"] + "/" + one["task"]["sub_label"]
    mine = {e["aggregate_name"]: e for e in raw["benchmarks"] if e["run_name"] == name}
    assert one["method"] == "google-aggregates" and one["number_per_run"] == 1
    assert abs(one["raw_times"][0] / mine["median"]["real_time"] * 1e9 - 1) < 1e-14
    assert set(one["google"]["aggregates"]) == {"mean", "median", "stddev", "cv"}
    assert one["google"]["aggregates"]["stddev"]["real_time"] == mine["stddev"]["real_time"]
'
}
check "if there are only aggregates, the median is used and all are kept" only_aggregates

made_by_hyperfine() {
    hyperfine -N -i -w 1 -r 3 -L n 1,2 'sh -c "exit {n}"' --export-json "$work/h.json" &&
        hyperfine -N -r 1 true --export-json "$work/h1.json" &&
        hyperfine -N -r 4 -n name true --export-json "$work/h4.json"
}
check "hyperfine writes files" made_by_hyperfine

is_read_from_hyperfine() {
    convert "$work/h.json" "$work/h.jsonl" && records "$work/h.jsonl" '
raw = json.loads(open(sys.argv[1][:-1]).read())["results"]
for one, result in zip(r, raw, strict=True):
    n = result["parameters"]["n"]
    assert one["raw_times"] == result["times"] and one["number_per_run"] == 1 and one["method"] == "runs"
    assert one["task"] == {"stmt": result["command"], "language": "command", "parameters": {"n": n}}
    assert one["counters"]["exit_" + n] == 3
    assert abs(one["counters"]["user_time"] - result["user"]) < 1e-15
    for key in "mean", "median", "stddev", "min":
        assert abs(one["stats"][key] - result[key]) <= 1e-12 * result[key], key
'
}
check "its times, parameters and exit codes are read" is_read_from_hyperfine

is_written_as_hyperfine() {
    local file
    for file in h h1 h4; do
        convert "$work/$file.json" "$work/h.jsonl" && convert "$work/h.jsonl" "$work/ours.json" --to hyperfine &&
            empty err && same hyperfine "$work/$file.json" "$work/ours.json" || return 1
    done
}
check "written files have the same keys, types, units and values" is_written_as_hyperfine
check "... and read back as the same records" there_and_back hyperfine "$work/h.json"

# Converted results of bilanx have the same keys and types as theirs.
our_own() {
    exits 0 "$BILANX" time --quiet --max-runs 3 -o "$work/t.jsonl" -- true &&
        convert "$work/t.jsonl" "$work/t.json" --to hyperfine && err "cannot store .*'raw_cpu_times'.* (1 record)$" &&
        convert "$work/t.jsonl" "$work/tg.json" --to google && err "cannot store .*'elapsed'.* (1 record)$" && test "$(grep -c '(1 record)' "$work/err")" = 1 &&
        python3 - "$work" <<'PYTHON'
import json, sys
def load(name): return json.load(open(f'{sys.argv[1]}/{name}.json', encoding='utf-8'))
def types(one): return {key: type(value) for key, value in one.items()}
theirs, ours = types(load('h4')['results'][0]), types(load('t')['results'][0])
ours.pop('memory_usage_byte', None)  # hyperfine 1.19 and up
assert theirs == ours, (theirs, ours)
theirs, ours = load('google'), load('tg')
assert types(theirs['benchmarks'][0]).items() <= types(ours['benchmarks'][0]).items(), ours
theirs['context'].pop('compiler')
for key in 'library_version', 'json_schema_version': theirs['context'].pop(key, None)  # Google Benchmark 1.9 and up
assert types(theirs['context']).items() <= types(ours['context']).items(), ours['context']
PYTHON
}
check "our own records become files like theirs" our_own

cat >"$work/go.txt" <<'GO'
goos: linux
pkg: example.com/x
BenchmarkDecode/size=1e4-8   	     100	    150000 ns/op	  64 MB/s	   40418 B/op
BenchmarkDecode/size=1e4-8   	     100	    150000 ns/op	  64 MB/s	   40418 B/op
PASS
GO
cat >"$work/py.json" <<'PY'
{"benchmarks": [{"metadata": {"name": "b", "loops": 4}, "runs": [{"warmups": [[4, 2.5]], "values": [1.5, 1.25]}]}],
 "metadata": {"hostname": "h"}, "version": "1.0"}
PY
check "Go's format survives a round trip" there_and_back benchfmt "$work/go.txt"

py_back() {
    convert "$work/py.json" "$work/one.jsonl" && convert "$work/one.jsonl" "$work/again" --to pyperf && empty err &&
        convert "$work/again" "$work/two.jsonl" && records "$work/two.jsonl" '
assert r[0]["raw_times"] == [6, 5] and r[0]["number_per_run"] == 4 and r[0]["machine"] == {"host": "h"}'
}
check "pyperf's format survives a round trip" py_back

packed() {
    local file
    for file in google.json h.json go.txt py.json; do
        gzip -k "$work/$file" && convert "$work/$file" "$work/one.jsonl" &&
            convert "$work/$file.gz" "$work/two.jsonl" && cmp "$work/one.jsonl" "$work/two.jsonl" || return 1
    done
    "$BILANX" convert - - --to bilanx <"$work/h.json.gz" | grep -c '"kind":"measurement"' | grep -qx 2
}
check "gzipped files are read, also from stdin" packed

torn() {
    head -c 300 "$work/google.json.gz" >"$work/torn.gz"
    exits 1 "$BILANX" convert "$work/torn.gz" - --to bilanx && err "torn.gz: cannot be unpacked: " && empty out
}
check "a truncated gzip file is rejected" torn

# bomb BYTE FORMAT MESSAGE: more than a gigabyte of one byte, a line per megabyte, packed to a
# hundredth of that.
bomb() {
    python3 -c 'import gzip, sys
member = gzip.compress((sys.argv[1].encode() * 0xFFFFF + b"\n") * 64, 1)
sys.stdout.buffer.write(member * 17)' "$1" >"$work/bomb.gz"
    (ulimit -v 1500000; exits 1 "$BILANX" convert "$work/bomb.gz" - --from "$2" --to bilanx) && err "bomb.gz: $3"
}
check "a gzip bomb as a document is rejected" bomb ' ' google 'too large for one JSON document: over 256 MB'
check "a gzip bomb of lines is rejected" bomb ' ' bilanx "over 1024 MB when unpacked: unpack it with 'gunzip' first"

refuse() { # refuse STATUS MESSAGE ARGUMENT...
    local status=$1 message=$2
    shift 2
    exits "$status" "$BILANX" convert "$@" && err "^bilanx: $message" && empty out
}
check "one file is a usage error" refuse 2 "convert needs two files, IN and OUT" "$work/h.json"
check "a file name that does not imply a format is a usage error" refuse 2 "cannot tell the format of 'x.json' from its name: set it with --to" "$work/h.json" x.json
check "an unknown format is a usage error" refuse 2 "unknown format 'hyperfin' (did you mean 'hyperfine'?)" "$work/h.json" - --to hyperfin
check "an unknown input format is a usage error" refuse 2 "unknown format 'csv': use one of bilanx, google," "$work/h.json" - --from csv --to bilanx
check "a missing file fails" refuse 1 "cannot open '$work/none': No such file" "$work/none" - --to google
check "a directory fails" refuse 1 "cannot read '$work': Is a directory" "$work" - --to google
check "a program fails" refuse 1 "$BILANX:1: unknown format" "$BILANX" - --to google
check "a wrong --from fails" refuse 1 "$work/h.json: 'benchmarks' is missing" "$work/h.json" - --from google --to bilanx
: >"$work/empty"
check "an empty file fails" refuse 1 "$work/empty: is empty" "$work/empty" - --to google
head -c 200 "$work/h.json" >"$work/cut"
check "a truncated file fails" refuse 1 "$work/cut:[0-9]*:[0-9]*: not JSON" "$work/cut" - --to bilanx
printf '{"schema":"bilanx/1","x":"' >"$work/long"
truncate -s 1100M "$work/long"
check "a line of over a gigabyte fails" refuse 1 "$work/long:1: line over 256 MB" "$work/long" - --to bilanx
rm "$work/long"
printf '{"results":[{"command":"\\u001b[31m","times":[-1]}]}' >"$work/steer"
check "a negative time fails" refuse 1 "$work/steer: 'results\[0\].times\[0\]' must be a time of at least 0, not -1" "$work/steer" - --to bilanx

steers() {
    printf '{"schema":"bilanx/1","kind":"measurement","task":{"label":"x"},"number_per_run":1,"raw_times":[1],"\\u001b[31m":1}' >"$work/s.jsonl"
    convert "$work/s.jsonl" - --to hyperfine && err "cannot store .*'.x1b\[31m'.* (1 record)$" && ! grep -q $'\033' "$work/err"
}
check "names cannot control the terminal" steers

# OUT is complete or unchanged, and nothing is left next to it.
whole() {
    mkdir "$work/out.d" && echo '{"schema":"bilanx/1","kind":"before"}' >"$work/out.d/kept.jsonl" && chmod 640 "$work/out.d/kept.jsonl"
    { head -n 1 "$work/h.jsonl"; echo '{"schema":"bilanx/1"'; } >"$work/half.jsonl"
    exits 1 "$BILANX" convert "$work/half.jsonl" "$work/out.d/kept.jsonl" && err "half.jsonl:2:" &&
        grep -q before "$work/out.d/kept.jsonl" && [ "$(ls "$work/out.d")" = kept.jsonl ] &&
        (trap '' XFSZ; ulimit -f 1; exits 1 "$BILANX" convert "$work/google.json" "$work/out.d/kept.jsonl") &&
        err "kept.jsonl': cannot write: File too large" && grep -q before "$work/out.d/kept.jsonl" &&
        [ "$(ls "$work/out.d")" = kept.jsonl ] &&
        ln -s kept.jsonl "$work/out.d/link.jsonl" && convert "$work/h.json" "$work/out.d/link.jsonl" &&
        [ -L "$work/out.d/link.jsonl" ] && [ "$(wc -l <"$work/out.d/kept.jsonl")" = 2 ] &&
        [ "$(stat -c %a "$work/out.d/kept.jsonl")" = 640 ] && [ "$(ls "$work/out.d" | wc -l)" = 2 ]
}
check "OUT is replaced completely or not at all" whole

full() {
    exits 1 "$BILANX" convert "$work/h.json" /dev/full --to google && err "^bilanx: '/dev/full': cannot write: No space left" &&
        "$BILANX" convert "$work/h.json" - --to google >/dev/full 2>"$work/err"
    [ $? = 1 ] && err "'stdout': cannot write: No space left"
}
check "a full disk fails" full

in_place() {
    convert "$work/h.json" "$work/h4.json" --to google && exits 2 "$BILANX" convert "$work/h4.json" "$work/h4.json" --to bilanx &&
        err "is the input: choose another output file" && grep -q '"context"' "$work/h4.json"
}
check "IN cannot be OUT" in_place

lists() { exits 0 "$BILANX" convert --list && out '^google  *Google Benchmark' && out '^benchfmt .*\.txt \.bench$'; }
check "--list names the formats" lists
helps() { exits 0 "$BILANX" convert --help && out 'bilanx convert google.json runs.jsonl' && out '[-][-]from FORMAT'; }
check "--help shows examples" helps
plan
