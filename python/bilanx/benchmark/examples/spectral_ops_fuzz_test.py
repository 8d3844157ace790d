"""Fourier transforms on random shapes.

    python3 -m bilanx.benchmark.examples.spectral_ops_fuzz_test
"""
import bilanx.benchmark as benchmark
from bilanx.benchmark.op_fuzzers.spectral import SpectralOpFuzzer


def run_benchmark(name="fft", samples=3, probability_regular=1.0, seed=0):
    """Measurements of torch.fft.NAME, one per sample."""
    results = []
    fuzzer = SpectralOpFuzzer(seed=seed, probability_regular=probability_regular)
    for tensors, _, _ in fuzzer.take(samples):
        shape = "x".join(map(str, tensors["x"].shape))
        results.append(benchmark.Timer(f"torch.fft.{name}(x)", globals=tensors, label="fft",
                                       sub_label=shape, description=name)
                       .blocked_autorange(min_run_time=0.05))
    return results


def main():
    benchmark.Compare(run_benchmark("fft") + run_benchmark("rfft")).print()


if __name__ == "__main__":
    main()
