#!/usr/bin/env bash
# Runs a test of a backend in an interpreter that has PyTorch: with_torch.sh MODULE_PATH TEST ...
# With MODULE_PATH, the first argument of the test is the module for that PyTorch.
find=$1 test=$2
shift 2
python=/usr/bin/python3
if ! $python -c 'import torch' 2>/dev/null; then
    echo "1..0 # SKIP $python has no PyTorch"
    exit 0
fi
if [ "$find" != none ]; then
    module=$("$find" $python)
    case $? in
    0) set -- "$module" "$@" ;;
    77) echo "1..0 # SKIP no headers of PyTorch: install libtorch-dev" && exit 0 ;;
    *) exit 1 ;;
    esac
    logs=$(dirname "$0")/../../suites/ops
    [ -n "$BILANX_DATA" ] && set -- "$@" "$BILANX_DATA"/*
    [ -d "$logs" ] && set -- "$@" "$logs"
fi
PYTHONDONTWRITEBYTECODE=1 exec $python "$test" "$@"
