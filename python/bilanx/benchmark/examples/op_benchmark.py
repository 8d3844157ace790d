"""Operator fuzzers: the speed of unary and binary operators on random inputs.

    python3 -m bilanx.benchmark.examples.op_benchmark
"""
import bilanx.benchmark as benchmark
from bilanx.benchmark.op_fuzzers.binary import BinaryOpFuzzer
from bilanx.benchmark.op_fuzzers.unary import UnaryOpFuzzer


def report(title, stmt, fuzzer, samples=3):
    print(title)
    for tensors, properties, _ in fuzzer.take(samples):
        measured = benchmark.Timer(stmt, globals=tensors).blocked_autorange(min_run_time=0.05)
        elements = properties["x"]["numel"]
        shape = "x".join(map(str, tensors["x"].shape))
        print(f"  {shape:<24} {measured.median * 1e9 / elements:8.3f} ns per element")


def main():
    report("x.neg()", "x.neg()", UnaryOpFuzzer(seed=0))
    report("x + y", "x + y", BinaryOpFuzzer(seed=0))


if __name__ == "__main__":
    main()
