#!/bin/sh
# spectral_torch: the transforms of PyTorch on the same inputs, and on those of PyTorch's benchmarks.
bilanx=${BILANX:-bilanx}
here=$(dirname "$0")
"$bilanx" time -l python 'torch.fft.fft(x)' 'torch.fft.rfft(x)' -s 'import torch' \
    --inputs "$here/spectral.yaml" --take 12 --order-by elements --fit "$@"
"$bilanx" time -l python 'torch.fft.fftn(x)' 'torch.fft.rfftn(x)' -s 'import torch' \
    --inputs spectral --take 3 --order-by elements "$@"
