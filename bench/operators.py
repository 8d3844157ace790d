"""Compares the quantiles of `bilanx ops` with those that PyTorch's operator benchmark would give.

    operators.py BILANX LOG [--op REGEX] [--max-samples 3] [--rounds 3]

Their method, as it is documented: a sample is a graph of one operator, called as it is and compiled
by compile_fx(). The first result of the eager call stays alive. Each of three repeats times one call
of each, the median over the repeats counts, and the speed-ups of the samples give quantiles at 20,
50 and 80 %. One thread, float32.

Both take turns, on the same samples of the log. In each round, a process of each measures everything
three times. An operator agrees if, at each of the three quantiles, the medians over all of these
differ by no more than 5 %, plus two standard errors of the difference. If these two exceed 15 %,
anything would agree, so the operator counts as too noisy instead. Their
eager side is called through a graph in Python, which takes 7 to 30 us and is no part of ours, so
samples below 1 ms are left out on both sides, and counted.

In our runs PyTorch is measured a second time, under another name. Its speed-up over itself is 1 if
no backend is favoured.
"""
import argparse
import ast
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

QUANTILES = (20, 50, 80)
LARGE_S = 1e-3
ALLOWED, MOST_NOISE = 0.05, 0.15
REPEATS, RUNS = 3, 3
DTYPES = {"f16": "float32", "f32": "float32", "f64": "float64", "bf16": "float32", "b8": "bool",
          "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8"}
USUAL = (r"aten\.(add\.Tensor|mul\.Tensor|div\.Tensor|gelu\.default|gelu_backward\.default|tanh\.default|"
         r"_softmax\.default|_log_softmax\.default|native_layer_norm\.default|sum\.dim_IntList)")

RENAMED = {"aten.sum.SymInt": "aten.sum.dim_IntList"}  # as bilanx reads it, too


# ---- Their side, in a separate process

def read_log(path, pattern, most):
    """{operator: [arguments as text, ...]}, the first samples of each selected operator."""
    operators, name = {}, None
    with open(path) as file:
        for line in file:
            if line.startswith("Operator: "):
                name = RENAMED.get(line.split()[1], line.split()[1])
            elif line.startswith("cnt: ") and re.fullmatch(pattern, name):
                samples = operators.setdefault(name, [])
                if len(samples) < most:
                    samples.append(line.split(", ", 1)[1].strip())
    return operators


def make_tensor(torch, shape, dtype, stride):
    dtype = getattr(torch, DTYPES[dtype])
    count = math.prod(shape)
    if stride and count:
        count = 1 + sum((n - 1) * step for n, step in zip(shape, stride))
    flat = torch.empty(count, dtype=dtype)
    flat = flat.uniform_(-1, 1) if dtype.is_floating_point else flat.random_(0, 2)
    return flat.as_strided(shape, stride) if stride else flat.reshape(shape)


def parse(torch, text):
    """Arguments and keywords of a sample."""
    def visit(node):
        if isinstance(node, ast.Call):
            shape, dtype, *rest = node.args
            named = {key.arg: visit(key.value) for key in node.keywords}
            stride = visit(rest[0]) if rest else named.get("stride")
            return make_tensor(torch, visit(shape), dtype.id, stride)
        if isinstance(node, (ast.List, ast.Tuple)):
            items = [visit(item) for item in node.elts]
            return items if isinstance(node, ast.List) else tuple(items)
        if isinstance(node, ast.Dict):
            return {visit(key): visit(value) for key, value in zip(node.keys, node.values)}
        if isinstance(node, ast.UnaryOp):
            return -visit(node.operand)
        if isinstance(node, ast.Attribute):
            return getattr(torch, node.attr)
        if isinstance(node, ast.Name):
            return float(node.id) if node.id in ("inf", "nan") else getattr(torch, DTYPES[node.id])
        return "cpu" if node.value == "cuda" else node.value
    return visit(ast.parse(text, mode="eval").body)


def graph_of(torch, operator, arguments, keywords):
    """A graph that calls the operator, with its tensors as inputs."""
    graph, tensors = torch.fx.Graph(), []

    def place(value):
        if isinstance(value, torch.Tensor):
            tensors.append(value)
            return graph.placeholder(f"x{len(tensors)}")
        if isinstance(value, (list, tuple)):
            return type(value)(place(item) for item in value)
        return value
    node = graph.call_function(operator, place(tuple(arguments)),
                               {key: place(value) for key, value in keywords.items()})
    returns = operator._schema.returns
    graph.output((node,) if len(returns) == 1 and str(returns[0].type) == "Tensor" else node)
    return torch.fx.GraphModule({}, graph), tensors


def timed(torch, model, tensors):
    torch.manual_seed(1337)
    start = time.perf_counter()
    result = model(*tensors)
    elapsed = time.perf_counter() - start
    del result  # not timed, as there
    return elapsed


def measure_theirs(torch, compile_fx, operator, text):
    """Seconds per call, eager and compiled, of each run."""
    module, tensors = graph_of(torch, operator, *parse(torch, text))
    models = [module, compile_fx(module, tensors, config_patches={})]
    expected = models[0](*tensors)
    rows = [[timed(torch, model, tensors) for model in models] for _ in range(REPEATS * RUNS)]
    del expected
    return [[statistics.median(column) for column in zip(*rows[i::RUNS])] for i in range(RUNS)]


def run_theirs(given):
    import torch
    from torch._inductor.compile_fx import compile_fx
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")
    for name, samples in read_log(given.log, given.op, given.max_samples).items():
        _, base, overload = name.split(".")
        operator = getattr(getattr(torch.ops.aten, base), overload)
        for text in samples:
            print(json.dumps([name, text, measure_theirs(torch, compile_fx, operator, text)]),
                  flush=True)


# ---- Both sides, for each run: {(operator, arguments): [seconds eager, seconds compiled]}; ours has a
# ---- third number, seconds eager, measured again

def theirs(given):
    command = [sys.executable, __file__, given.bilanx, given.log, "--op", given.op, "--max-samples",
               str(given.max_samples), "--theirs"]
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    return [{(name, text): times[run] for name, text, times in rows} for run in range(RUNS)]


def ours(given):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records.jsonl")
        command = [given.bilanx, "ops", given.log, "--baseline", "torch", "--backend", "inductor",
                   "--backend", "again=torch", "--op", given.op, "--max-samples", str(given.max_samples), "--repeats", str(REPEATS * RUNS),
                   "--python", sys.executable, "-o", path, "-q"]
        done = subprocess.run(command, text=True, capture_output=True)
        if not os.path.exists(path):
            raise SystemExit(done.stderr[-2000:])
        with open(path) as file:
            records = [json.loads(line) for line in file]
    return [times_of(records, run) for run in range(RUNS)]


def times_of(records, run):
    times = {}
    for record in records:
        task = record["task"]
        if record["kind"] == "measurement":
            place = ("torch", "inductor", "again").index(task["description"])
            turns = record["raw_times"][run::RUNS]
            row = times.setdefault((task["label"], task["sub_label"]), [None, None, None])
            row[place] = statistics.median(turns) / record["number_per_run"]
    return {key: row for key, row in times.items() if None not in row}


def quantile(values, percent):
    """Linear between order statistics, as numpy's."""
    ordered = sorted(values)
    at = (len(ordered) - 1) * percent / 100
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def median_variance(values):
    """Of the logarithm of their median; that of a median is pi/2 times that of a mean."""
    return math.pi / 2 * statistics.variance([math.log(value) for value in values]) / len(values)


def judge(mine, peers):
    """How the medians compare, by how much they differ, and two standard errors of that."""
    difference = math.log(statistics.median(mine) / statistics.median(peers))
    noise = 2 * math.sqrt(median_variance(mine) + median_variance(peers))
    if abs(difference) > noise + ALLOWED:
        verdict = "differs"
    else:
        verdict = "agrees" if noise <= MOST_NOISE else "too noisy"
    return verdict, math.exp(difference) - 1, noise


def worst(verdicts):
    return next(each for each in ("differs", "too noisy", "agrees") if each in verdicts)


def large_samples(rounds):
    """{operator: [key, ...]} of the samples that both measured and that take long enough; and how
    many were too short."""
    operators, short = {}, 0
    for key in rounds[0][0]:
        if all(key in side for pair in rounds for side in pair):
            if statistics.median(pair[1][key][0] for pair in rounds) >= LARGE_S:
                operators.setdefault(key[0], []).append(key)
            else:
                short += 1
    return operators, short


def quantiles_of(times, keys, backend=1):
    ratios = [times[key][0] / times[key][backend] for key in keys]
    return [quantile(ratios, percent) for percent in QUANTILES]


def show_twice(rounds, operators):
    """The same backend under two names. Each run is the geometric mean over operators."""
    means = []
    for mine, _ in rounds:
        logs = [math.log(quantiles_of(mine, keys, 2)[1]) for keys in operators.values()]
        means.append(math.exp(statistics.mean(logs)))
    verdict, _, _ = judge(means, [1] * len(means))
    print(f"torch against itself: {statistics.median(means):.3f} ({min(means):.3f} .. {max(means):.3f})"
          f"  {verdict}")
    return verdict


def show(rounds):
    """Prints a row per operator; returns how many verdicts there are of each kind."""
    print(f"{'operator':34} samples  {'bilanx 20 / 50 / 80 %':22}  {'theirs 20 / 50 / 80 %':22}"
          f"  differ   noise")
    operators, short = large_samples(rounds)
    verdicts = []
    for name, keys in operators.items():
        sides = [[quantiles_of(pair[side], keys) for pair in rounds] for side in range(2)]
        judged = [judge(*([quantiles[i] for quantiles in side] for side in sides))
                  for i in range(len(QUANTILES))]
        verdicts.append(worst([verdict for verdict, _, _ in judged]))
        _, difference, noise = judged[1]
        cells = ["  ".join(f"{statistics.median(column):6.3f}" for column in zip(*side))
                 for side in sides]
        print(f"{name:34} {len(keys):7}  {cells[0]:22}  {cells[1]:22}  {difference:+6.1%}  {noise:6.1%}"
              f"  {verdicts[-1]}")
    if operators:
        verdicts.append(show_twice(rounds, operators))
    print(f"{short} samples are shorter than {LARGE_S * 1e3:.0f} ms and left out")
    return verdicts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bilanx")
    parser.add_argument("log")
    parser.add_argument("--op", default=USUAL)
    parser.add_argument("--max-samples", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--theirs", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.theirs:
        return run_theirs(given)
    rounds = []
    for i in range(given.rounds):
        rounds += zip(ours(given), theirs(given))
        print(f"round {i + 1} of {given.rounds}", file=sys.stderr)
    verdicts = show(rounds)
    print(", ".join(f"{verdicts.count(each)} {each}" for each in ("agrees", "differs", "too noisy")))
    return 0 if verdicts and worst(verdicts) == "agrees" else 1


if __name__ == "__main__":
    sys.exit(main())
