#!/usr/bin/python3
"""bilanx fuzz against the fuzzers of torch.utils.benchmark, sample by sample: TAP.

    fuzz_torch.py BILANX [--seeds N] [--first SEED] [--specs N]

--seeds: how many seeds of each operator fuzzer, 10 samples each. --specs: how many random
specifications, written for both. torch makes no data here: its tensors have shapes and strides
only (device 'meta'), and sparse ones are stand-ins.
"""
import argparse
import json
import math
import random
import subprocess
import sys
import tempfile

import torch
from torch.utils.benchmark import FuzzedParameter, FuzzedSparseTensor, FuzzedTensor, Fuzzer, ParameterAlias
from torch.utils.benchmark.op_fuzzers.binary import BinaryOpFuzzer
from torch.utils.benchmark.op_fuzzers.sparse_binary import BinaryOpSparseFuzzer
from torch.utils.benchmark.op_fuzzers.sparse_unary import UnaryOpSparseFuzzer
from torch.utils.benchmark.op_fuzzers.spectral import SpectralOpFuzzer
from torch.utils.benchmark.op_fuzzers.unary import UnaryOpFuzzer

SAMPLES = 10
FUZZERS = {"unary": UnaryOpFuzzer, "binary": BinaryOpFuzzer, "spectral": SpectralOpFuzzer,
           "sparse_unary": UnaryOpSparseFuzzer, "sparse_binary": BinaryOpSparseFuzzer}
DTYPES = {"f16": torch.float16, "f32": torch.float32, "f64": torch.float64, "i64": torch.int64,
          "u8": torch.uint8, "c64": torch.complex64, "bool": torch.bool}
NAMES = {str(dtype): name for name, dtype in DTYPES.items()}


class Sparse:
    """The description of a sparse tensor, without its data."""

    def __init__(self, size, dtype, sparse_dim, nnz, is_coalesced):
        self.shape, self.dtype, self.sparse, self.asked, self.coalesced = size, dtype, sparse_dim, nnz, is_coalesced

    def nnz(self):
        """torch makes duplicates where there are fewer places; bilanx does not."""
        stored = min(self.asked, math.prod(self.shape[:self.sparse]))
        return stored if self.coalesced else 2 * stored

    def sparse_dim(self): return self.sparse
    def dense_dim(self): return len(self.shape) - self.sparse
    def is_coalesced(self): return bool(self.coalesced)
    def size(self): return torch.Size(self.shape)
    def numel(self): return math.prod(self.shape)


def make_no_data():
    FuzzedTensor.default_tensor_constructor = staticmethod(
        lambda size, dtype, **kwargs: torch.empty(size, dtype=dtype, device="meta"))
    FuzzedSparseTensor.sparse_tensor_constructor = staticmethod(Sparse)


def describe(tensor, properties):
    """A tensor of torch as bilanx describes it."""
    if isinstance(tensor, Sparse):
        shape = list(tensor.shape)
        strides = [math.prod(shape[i + 1:]) for i in range(len(shape))]
        return {"shape": shape, "strides": strides, "steps": [1] * len(shape),
                "order": list(range(len(shape))), "dtype": NAMES[str(tensor.dtype)],
                "numel": tensor.numel(), "is_contiguous": True,
                "sparse_dim": tensor.sparse_dim(), "dense_dim": tensor.dense_dim(),
                "nnz": tensor.nnz(), "is_coalesced": tensor.is_coalesced()}
    return {"shape": list(tensor.shape), "strides": list(tensor.stride()),
            "steps": list(properties["steps"]), "order": [int(i) for i in properties["order"]],
            "dtype": NAMES[properties["dtype"]], "numel": properties["numel"],
            "is_contiguous": properties["is_contiguous"]}


def theirs(fuzzer, count):
    """Their samples, and the share of attempts that they rejected. None: they found no values."""
    samples = []
    try:
        for tensors, properties, parameters in fuzzer.take(count):
            samples.append({"parameters": dict(parameters),
                            "tensors": {name: describe(tensors[name], properties[name]) for name in tensors}})
    except ValueError as error:
        if "Failed to generate" not in str(error):
            raise
        return samples, None
    return samples, fuzzer.rejection_rate


def ours(bilanx, spec, seed, count, options=()):
    run = subprocess.run([bilanx, "fuzz", spec, "--seed", str(seed), "--take", str(count), "-o", "-", *options],
                         capture_output=True, text=True, check=False)
    samples = [json.loads(line) for line in run.stdout.splitlines()]
    rejected = sum(sample.pop("rejected") for sample in samples)
    if run.returncode:
        assert "no valid values in 1000 attempts" in " ".join(run.stderr.split()), run.stderr
        return samples, None
    return samples, rejected / (rejected + count) if count else 0


def difference(bilanx, spec, fuzzer, seed, count=SAMPLES, options=()):
    """A description of the difference, or None."""
    expected, rate = theirs(fuzzer, count)
    samples, our_rate = ours(bilanx, spec, seed, count, options)
    for i, (one, other) in enumerate(zip(samples, expected)):
        if one != other or list(one["parameters"]) != list(other["parameters"]):
            return f"seed {seed}, sample {i}:\n#   {one}\n#   torch: {other}"
    if len(samples) != len(expected) or our_rate != rate:
        return f"seed {seed}: {len(samples)} samples, rate {our_rate}; torch: {len(expected)}, {rate}"
    return None


def draw_parameter(rng, name, others):
    """A parameter for integers, for torch and in YAML. Without `others` to alias, of any 64 bits."""
    kind = rng.choice(["uniform", "loguniform", "choices", "aliases", "constant"]) if others is not None else "wide"
    strict = rng.random() < 0.3
    if kind == "aliases" and not others:
        kind = "choices"
    if kind in ("uniform", "loguniform", "wide", "constant"):
        low = rng.choice([1, 1, 2, 3, 7, 10, 100])
        high = {"wide": rng.choice([2**31, 2**32 - 1, 2**32, 2**40, 2**62]), "constant": low}.get(
            kind, low + rng.choice([1, 5, 30, 1000]))
        word = "loguniform" if kind == "loguniform" else "uniform"
        return (FuzzedParameter(name, low, high, word, strict=strict),
                f"{{{word}: [{low}, {high}], strict: {str(strict).lower()}}}")
    values = rng.sample(range(1, 50), rng.randint(1, 6))
    keys = {value: value for value in values}
    if kind == "aliases":
        keys.update({other: ParameterAlias(other) for other in rng.sample(others, rng.randint(1, min(3, len(others))))})
    weights = [rng.random() + 0.01 for _ in keys]
    probabilities = [weight / sum(weights) for weight in weights]
    table = ", ".join(f"{key}: {p!r}" for key, p in zip(keys, probabilities))
    return (FuzzedParameter(name, distribution=dict(zip(keys.values(), probabilities)), strict=strict),
            f"{{choices: {{{table}}}, strict: {str(strict).lower()}}}")


def draw_tensor(rng, name, sizes):
    """A dense tensor. Sizes of 1 are frequent: torch leaves their strides as they are."""
    count = rng.randint(1, 5)
    size = [rng.choice(sizes + [1, 1, 4]) for _ in range(count)]
    steps = [rng.choice([1, 1, 2, 3, "step"]) for _ in range(rng.randint(0, count))]
    dtype = rng.choice(list(DTYPES))
    probability = rng.choice([0.0, 0.25, 0.5, 1.0])
    low, high = rng.choice([(None, None), (16, None), (None, 10**6), (100, 10**9)])
    most = rng.choice([None, 10**7])
    dim = rng.choice([None, "dim"])
    if high is None and most is None:
        high = 2**40
    text = (f"{{size: {size}, steps: {steps}, probability_contiguous: {probability}, dtype: {dtype}"
            + (f", min_elements: {low}" if low else "") + (f", max_elements: {high}" if high else "")
            + (f", max_bytes: {most}" if most else "") + (f", dim: {dim}" if dim else "") + "}").replace("'", "")
    tensor = FuzzedTensor(name, tuple(size), tuple(steps) or None, probability, low, high, most, dim,
                          dtype=DTYPES[dtype])
    return tensor, text


def draw_constraint(rng, names):
    a, b = rng.choice(names), rng.choice(names)
    text = rng.choice([f"{a} <= 2 * {b} + 5", f"{a} % 3 != 1 or {b} ** 2 > {a}", f"not ({a} == {b} // 2)",
                       f"1 <= {a} / {b} < 1e3 or {b} > 2", f"-{a} // 3 < {b} - 2 and {a} > 0"])
    code = compile(text, "constraint", "eval")
    return lambda parameters: eval(code, {}, dict(parameters)), text  # pylint: disable=eval-used


def draw_spec(rng):
    """A specification for torch, and the same in YAML."""
    names, parameters, lines = [], [], ["parameters:"]
    for i in range(rng.randint(1, 6)):
        parameter, text = draw_parameter(rng, f"k{i}", names)
        names.append(f"k{i}")
        parameters.append(parameter)
        lines.append(f"  k{i}: {text}")
        if rng.random() < 0.2:
            parameter, text = draw_parameter(rng, f"wide{i}", None)
            parameters.append(parameter)
            lines.append(f"  wide{i}: {text}")
    parameters += [FuzzedParameter("step", distribution={1: 0.5, 2: 0.25, 5: 0.25}),
                   FuzzedParameter("dim", 1, 6, "uniform", strict=True),
                   FuzzedParameter("real", 0.25, 7, "uniform"), FuzzedParameter("signed", -5, 2**63 - 7, "uniform")]
    lines += ["  step: {choices: {1: 0.5, 2: 0.25, 5: 0.25}}", "  dim: {uniform: [1, 6], strict: true}",
              "  real: {uniform: [0.25, 7]}", f"  signed: {{uniform: [-5, {2**63 - 7}]}}", "tensors:"]
    tensors = []
    for i in range(rng.randint(1, 3)):
        tensor, text = draw_tensor(rng, f"x{i}", names)
        tensors.append(tensor)
        lines.append(f"  x{i}: {text}")
    constraints = [draw_constraint(rng, names + ["dim"]) for _ in range(rng.randint(0, 2))]
    if constraints:
        lines += ["constraints:"] + [f'  - "{text}"' for _, text in constraints]
    return parameters, tensors, [function for function, _ in constraints], "\n".join(lines) + "\n"


def check_specs(bilanx, count, first, folder):
    """Random specifications: what differs in the first that differs, and how many had samples."""
    found = 0
    for number in range(first, first + count):
        rng = random.Random(number)
        parameters, tensors, constraints, text = draw_spec(rng)
        path = f"{folder}/spec.yaml"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        seed = rng.randrange(2**32)
        different = difference(bilanx, path, Fuzzer(parameters, tensors, constraints, seed), seed, 5)
        if different:
            return f"specification {number}, {different}\n{text}".replace("\n", "\n# "), found
        found += ours(bilanx, path, seed, 5)[1] is not None
    return None, found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bilanx")
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--specs", type=int, default=60)
    arguments = parser.parse_args()
    make_no_data()
    results = []
    for name, fuzzer in FUZZERS.items():
        seeds = [*range(arguments.first, arguments.first + arguments.seeds), 2**32 - 1]
        different = [found for found in (difference(arguments.bilanx, name, fuzzer(seed=seed), seed) for seed in seeds)
                     if found]
        results.append((f"{name}: {len(seeds)} seeds give torch's samples", different[:1]))
    different = [difference(arguments.bilanx, name, fuzzer(seed=5, dtype=DTYPES[dtype]), 5, options=["--dtype", dtype])
                 for name, fuzzer in FUZZERS.items() for dtype in ("f16", "f64", "i64", "c64")]
    results.append(("... in other types, too", [found for found in different if found][:1]))
    with tempfile.TemporaryDirectory() as folder:
        different, found = check_specs(arguments.bilanx, arguments.specs, arguments.first, folder)
    results.append((f"{arguments.specs} random specifications give torch's samples", [different] if different else []))
    results.append((f"... of which {found} have samples", [] if 3 * found >= arguments.specs else ["too few"]))
    print(f"1..{len(results)}")
    for number, (name, wrong) in enumerate(results, 1):
        print(f'{"not ok" if wrong else "ok"} {number} - {name}')
        for line in wrong:
            print(f"# {line}")
    return 1 if any(wrong for _, wrong in results) else 0


if __name__ == "__main__":
    sys.exit(main())
