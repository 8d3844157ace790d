#!/usr/bin/env bash
# Mistakes that people make in their first hour, and the hints they get.
. "$(dirname "$0")/time.bash"
cd "$work" || exit

# hints NAME STATUS HINT ARGUMENT...: exits with STATUS, and stderr contains HINT.
hints() {
    local name=$1 status=$2 hint=$3
    shift 3
    check "$name" exits "$status" "$BILANX" "$@"
    check "... gets the hint: $hint" grep -qF -e "$hint" err
}

declared=(-g 'double cosine(double);' -s 'double x = 1' -q)
hints "a missing library" 1 'add --pkg NAME or --ldflags -lNAME' time 'cosine(x)' "${declared[@]}"
check "... and does not hear of options that it did not give" bash -c '! grep -q Wno-unused err'
hints "a missing library on two sides" 1 'add --pkg NAME or --ldflags -lNAME' ab --A cc:gcc --B cc:clang --stmt 'cosine(x)' "${declared[@]}"
hints "a missing header" 1 "-g '#include <...>'" time 'cosine(x)' -s 'double x = 1' -q
hints "a missing header of libc" 1 "add the header with -g '#include <ctype.h>'" time 'isprint(c)' -s 'int c = 65' --cc gcc -q
hints "a missing parenthesis" 1 "strlen(s: does not compile: expected" time 'strlen(s' -s 'char *s = "x"' --cc gcc
hints "C++ without -l c++" 1 'that looks like C++: add -l c++' time 'v.size()' -s 'std::vector<int> v' -q
hints "... counted" 1 'that looks like C++: add -l c++' count 'v.size()' -s 'std::vector<int> v' -q
printf '#include <vector>\nstatic int size(const std::vector<int> &v) { return v.size(); }\n' >size.cpp
check "a source in C++ makes the statement C++" exits 0 "$BILANX" time 'size(v)' --source size.cpp -s 'std::vector<int> v(3)' "${once[@]}"
hints "a name without a declaration" 1 "declare variables in the setup" time 'sorted(x)' -s 'x = 1;' -q
hints "a setup without quotes" 1 "the setup is only 'char': quote all of it" time 'strlen(s)' -s char '*s' = '"x"' -q
hints "an unknown package" 1 'pkg-config --list-all' time 'cosine(x)' "${declared[@]}" --pkg nosuchpackage
echo 'int f(int x) { return x; }' >f.c
hints "a file as the statement" 1 'give a call as the statement, and --source ./f.c' time ./f.c -q
hints "a source that is not there" 1 "cannot read 'g.c': No such file" time 'g(1)' --source g.c -q
touch m.py
hints "a source in Python" 2 "add -l python and import the file in the setup: -s 'from FILE import *'" time 'f(1)' --source m.py -q
hints "... for Python" 2 "import the file in the setup: -s 'from FILE import *'" time 'f(1)' -l python --source m.py -q
check "several setups need no semicolons" exits 0 "$BILANX" time 'x + y' -s 'int x = 1' -s 'int y = 2' "${once[@]}"
check "... nor comments and directives" exits 0 "$BILANX" time 'x + y' -s '#define ONE 1' -s 'int x = ONE, y = 2' "${once[@]}"
hints "a command" 1 "type 'bilanx time -- sleep 0.1'" time 'sleep 0.1' -q
hints "a command with options" 2 "type 'bilanx time -- ls -l'" time ls -l
hints "a command whose arguments are words" 1 "type 'bilanx time -- sleep ...'" time sleep 0.1 -q
echo hello >fruit
hints "a file of text as a program" 2 "'fruit' is neither a suite nor a program: it is not executable" run fruit
hints "a folder as a command" 1 '(it is a folder)' time -- /tmp
hints "no runs" 2 '--runs must be at least 1' time --runs 0 -- true
hints "a hook that does not exist" 1 "failed in prepare: cannot find 'nosuchcmd' in PATH" time -r 2 --prepare nosuchcmd -- true
hints "a file of unknown format" 1 "use '--from FORMAT'" compare fruit
check "help on notes works with -h" exits 0 "$BILANX" help notes -h
check "suites are found from any folder" exits 0 "$BILANX" run suites/machine.yaml --list
check "... by a pattern, too" bash -c "'$BILANX' ops 'suites/ops/*.txt' --list | grep -q aten.addmm.default"
hints "a suite that is not there" 1 "cannot open 'suites/nosuch.yaml'" run suites/nosuch.yaml
hints "a library as for cc" 2 'add --ldflags -lz' time 'f(1)' -lz
check "-l C++ is C++" exits 0 "$BILANX" time "v.size()" -l C++ -s "std::vector<int> v" "${once[@]}"
hints "an option without its value" 2 '(c|c++|python)' count 'f(1)' -l
hints "a program in source code" 2 'compile it first, with cc -O2 f.c -lbilanx-bench -o f' run f.c
cp "$GOOD" copy
hints "a program without ./" 2 "did you mean './copy'?" run copy
check "options of Google Benchmark work" exits 0 ./copy --benchmark_list_tests --benchmark_filter='^copy'
check "... and select" bash -c 'grep -q ^copy out && ! grep -qv ^copy out'
check "... also for bilanx run" exits 0 "$BILANX" run ./copy --benchmark_list_tests --benchmark_filter='^copy' --benchmark_format=console
check "... switches with a value" exits 0 ./copy --benchmark_list_tests=true --benchmark_filter='^copy'
check "... and what is always done" exits 0 ./copy --benchmark_list_tests --benchmark_counters_tabular=true --benchmark_enable_random_interleaving --benchmark_report_aggregates_only --benchmark_out_format=json
check "--benchmark_format=json writes records" exits 0 ./copy --benchmark_filter='^copy' --max-run-time 5ms --benchmark_format=json
check "... a line each" out '^{"schema":"bilanx/1"'
check "so does --benchmark_out" exits 0 ./copy --benchmark_filter='^copy' --max-run-time 5ms --benchmark_out=google.jsonl --benchmark_out_format=json
check "... beside the table" bash -c 'grep -q "^{\"schema\":\"bilanx/1\"" google.jsonl && grep -q "^copy" out'
check "... --benchmark_format=csv a table" exits 0 ./copy --benchmark_filter='^copy' --max-run-time 5ms --benchmark_format=csv
check "... for spreadsheets" out '^copy.*,'
# refused MESSAGE OPTION...: by a program that runs alone, in one sentence.
refused() { exits 2 ./copy "${@:2}" && [ "$(wc -l <err)" = 1 ] && grep -qe "$1" err && ! grep -q ').*(' err; }
check "other formats of files are refused" refused 'instead of --benchmark_out_format, use --format csv > FILE' --benchmark_out=x.csv --benchmark_out_format=csv
check "... the table, too" refused 'use > FILE' --benchmark_out=x.txt --benchmark_out_format=console
check "... and aggregates of repetitions" refused 'leave out the repetitions' --benchmark_repetitions=3 --benchmark_report_aggregates_only=true
check "... and a switch that is neither" refused 'takes true or false' --benchmark_list_tests=maybe
check "a misspelt option of a program" refused "unknown option '--filtr' (did you mean '--filter'?)$" --filtr x
check "... or one unlike any other" refused "unknown option '--zzzzzz' (--help lists the options)$" --zzzzzz
hints "a filter that matches nothing" 1 'no cases match the filter' run ./copy --filter nothing
touch old.jsonl
hints "a compiler as a side" 2 'a compiler is given as cc:gcc -O2' ab --A 'gcc -O2' --B 'gcc -O3' --stmt 'x'
hints "records as a side" 2 'a file of records is given as file:old.jsonl' ab --A old.jsonl --B new.jsonl
hints "a branch as a side" 1 'a revision is given as git:nosuchbranch' ab --A nosuchbranch --B HEAD --stmt 'x'
hints "two programs without sides" 2 'such as --A bin:./old --B bin:./new' ab ./old ./new
hints "two commands without sides" 2 "such as --A 'cmd:gzip -k f' --B 'cmd:bzip2 -k f'" ab 'gzip -k f' 'bzip2 -k f'
hints "a command as a statement of flame" 1 "type 'bilanx flame -- sleep 1'" flame 'sleep 1'
hints "two branches without sides" 2 'such as --A git:main --B git:HEAD' ab main HEAD

plan
