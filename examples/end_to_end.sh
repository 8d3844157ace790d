#!/bin/sh
# end_to_end: does a change make a function slower, over 100 generated inputs?
#
# The change is a compiler flag here; a side can as well be a revision (git:main) or an environment.
# The sides take turns in many short processes, so every input has its replicates and a verdict with
# an interval: faster, slower or same. --fail-on turns it into a gate: exit status 3.
bilanx=${BILANX:-bilanx}
here=$(dirname "$0")
"$bilanx" ab --A 'cc:gcc -O2' --B 'cc:gcc -O3 -ffast-math' --stmt 'sum_by_memory(x)' \
    --source "$here/kernels.c" --inputs "$here/layouts.yaml" --take 100 --order-by elements --budget 1 "$@"
