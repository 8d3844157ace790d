#!/bin/sh
# simple_timeit_torch: the same for tensors with one element in Python.
#
# torch is imported once; each epoch is a fork of that process.
bilanx=${BILANX:-bilanx}
setup='import torch; x, y = torch.ones(1), torch.ones(1)'
"$bilanx" time -l python 'x + y' -s "$setup" "$@"
"$bilanx" time -l python 'x + y' -s "$setup" "$@" --method timeit --number 10000
