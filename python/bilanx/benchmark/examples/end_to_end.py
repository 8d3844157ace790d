"""Two interpreters, such as those of two virtual environments with different PyTorch: is one slower?

    python3 -m bilanx.benchmark.examples.end_to_end --ref PYTHON --new PYTHON [--stmt STMT]

Each case is a random tensor `x` of the fuzzer for unary operators. Both interpreters measure it, in
processes that alternate, and send their measurements back as pickles.
"""
import argparse
import collections
import os
import pickle
import subprocess
import sys
import tempfile

import bilanx.benchmark as benchmark


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ref", default=sys.executable, help="an interpreter with PyTorch")
    parser.add_argument("--new", default=sys.executable, help="the one to compare with it")
    parser.add_argument("--stmt", default="torch.sort(x, dim=0)")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--replicates", type=int, default=2)
    parser.add_argument("--min-run-time", type=float, default=0.1)
    parser.add_argument("--measure", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--env", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def measure(arguments):
    """In the interpreter that is measured: one case, appended to a file."""
    import torch
    from bilanx.benchmark.op_fuzzers.unary import UnaryOpFuzzer
    fuzzer = UnaryOpFuzzer(seed=arguments.seed, dtype=getattr(torch, arguments.dtype))
    for tensors, properties, params in fuzzer.take(1):
        shape = "x".join(map(str, tensors["x"].shape))
        result = benchmark.Timer(
            arguments.stmt, globals=tensors, label=arguments.stmt, env=arguments.env,
            sub_label=f"seed {arguments.seed}, {shape}", description=arguments.dtype,
        ).blocked_autorange(min_run_time=arguments.min_run_time)
        result.metadata = {"tensors": properties, "params": params}
        with open(arguments.measure, "ab") as file:
            pickle.dump(result, file)


def measure_elsewhere(arguments, env, python, seed, path):
    search = os.pathsep.join(folder for folder in sys.path if folder)
    subprocess.run(
        [python, "-m", "bilanx.benchmark.examples.end_to_end", "--measure", path, "--env", env,
         "--seed", str(seed), "--stmt", arguments.stmt, "--dtype", arguments.dtype,
         "--min-run-time", str(arguments.min_run_time)],
        check=True, env=dict(os.environ, PYTHONPATH=search))


def collect(arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "measurements.pkl")
        for seed in range(arguments.seeds):
            for _ in range(arguments.replicates):
                for env, python in (("ref", arguments.ref), ("new", arguments.new)):
                    measure_elsewhere(arguments, env, python, seed, path)
        with open(path, "rb") as file:
            while True:
                try:
                    yield pickle.load(file)
                except EOFError:
                    return


def main():
    arguments = parse_arguments()
    if arguments.measure:
        measure(arguments)
        return
    results = benchmark.Measurement.merge(collect(arguments))
    compare = benchmark.Compare(results)
    compare.trim_significant_figures()
    compare.highlight_warnings()
    compare.print()
    cases: dict[object, dict[object, benchmark.Measurement]] = collections.defaultdict(dict)
    for result in results:
        cases[result.sub_label][result.env] = result
    for name, sides in cases.items():
        print(f"{name:<32} new / ref: {sides['new'].ratio(sides['ref'])}")


if __name__ == "__main__":
    main()
