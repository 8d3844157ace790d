#!/bin/sh
# sparse_torch: the same for PyTorch in Python, where a sparse tensor is a torch.sparse_coo_tensor.
bilanx=${BILANX:-bilanx}
here=$(dirname "$0")
"$bilanx" time -l python 'torch.mv(x, v)' 'torch.mv(m, v)' \
    -s 'import torch; m = x.to_dense(); v = torch.ones(columns)' \
    --inputs "$here/sparse.yaml" --take 12 --order-by density "$@"
