#!/bin/sh
# end_to_end_torch: the same for an operator of PyTorch in two environments.
#
# A side is shell code that sets an environment up: 'source pr/bin/activate' for a virtual one, or as
# here a variable that chooses other kernels.
bilanx=${BILANX:-bilanx}
here=$(dirname "$0")
"$bilanx" ab --A 'export ATEN_CPU_CAPABILITY=default' --B 'export ATEN_CPU_CAPABILITY=avx2' \
    --stmt 'torch.square(x)' -l python -s 'import torch' \
    --inputs "$here/layouts.yaml" --take 100 --order-by elements --budget 1 "$@"
