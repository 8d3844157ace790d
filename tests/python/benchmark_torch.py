#!/usr/bin/python3
"""bilanx.benchmark against torch.utils.benchmark, on the same inputs: TAP.

torch computes some figures in single precision, which affects the last digits; here both use
double precision.
"""
import inspect
import io
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import threading
import unittest
from contextlib import redirect_stdout

import numpy
import torch
import torch.utils.benchmark as theirs
from torch.utils.benchmark.op_fuzzers import binary, sparse_binary, sparse_unary, spectral, unary

import bilanx.benchmark as ours
from bilanx import _native
from bilanx.benchmark.op_fuzzers import (
    binary as our_binary, sparse_binary as our_sparse_binary, sparse_unary as our_sparse_unary,
    spectral as our_spectral, unary as our_unary)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import compare_torch  # noqa: E402
import tap  # noqa: E402

BOTH = theirs, ours


def text(value):
    """A repr without addresses and without the name of the package."""
    shown = re.sub("0x[0-9a-f]+", "0x0", value if isinstance(value, str) else repr(value))
    return shown.replace("bilanx.benchmark", "torch.utils.benchmark")


def mock(cost, noise, clock):
    """A timer with random times, which depend on the order of calls."""
    class Mock:
        def __init__(self, stmt, setup, timer, globals):
            self.state = numpy.random.RandomState(7)

        def draw(self, mean):
            return max(self.state.normal(mean, mean * noise), 5e-9)

        def timeit(self, number):
            return self.draw(clock) + self.draw(cost * number) + self.draw(clock)
    return Mock


def outcome(function):
    try:
        return text(function())
    except Exception as error:
        return type(error)


class Measuring(unittest.TestCase):
    def test_replaced_timers_give_the_same_measurements(self):
        for cost, noise, clock in ((8e-9, .05, 1e-7), (4e-6, .2, 1e-7), (2e-5, .5, 1e-5),
                                   (1e-3, .05, 1e-6), (3, .1, 1e-7)):
            results = []
            for module in BOTH:
                class Timer(module.Timer):
                    _timer_cls = mock(cost, noise, clock)
                timer = Timer("f(x)\ng()", "x = 1\ny = 2", label="l", description="d", num_threads=3)
                results.append([timer.timeit(100), timer.blocked_autorange(min_run_time=4),
                                timer.adaptive_autorange(), timer.adaptive_autorange(.01)])
            for their, our in zip(*results):
                self.assertEqual(text(our), text(their))
                self.assertEqual(our.raw_times, their.raw_times)
                self.assertEqual([our.median, our.iqr, our.significant_figures, our.has_warnings],
                                 [their.median, their.iqr, their.significant_figures,
                                  their.has_warnings])
                self.assertAlmostEqual(our.mean / their.mean, 1, places=14)

    def test_reprs_of_random_measurements_are_the_same(self):
        rng = random.Random(5)
        words = [None, "", "a", "two words", "x\ny"]
        for _ in range(300):
            task = dict(stmt=rng.choice(["f()", "f()\ng()"]), setup=rng.choice(["pass", "", "x", "x\ny"]),
                        label=rng.choice(words), sub_label=rng.choice(words),
                        description=rng.choice(words), env=rng.choice(words),
                        num_threads=rng.choice([1, 2]))
            scale = 10 ** rng.uniform(-8.5, 2)
            times = [scale * rng.uniform(1, 1.5) for _ in range(rng.randint(1, 12))]
            shown = [module.Measurement(1, times, module.TaskSpec(**task)) for module in BOTH]
            self.assertEqual(text(shown[1]), text(shown[0]))
            for name in "title", "as_row_name", "env", "label", "stmt", "num_threads":
                self.assertEqual(getattr(shown[1], name), getattr(shown[0], name), name)

    def test_statements_see_torch_and_its_threads(self):
        seen = []
        before = torch.get_num_threads()
        ours.Timer("seen.append(torch.get_num_threads())", num_threads=2,
                   globals={"seen": seen}).timeit(1)
        self.assertEqual(set(seen), {2})
        self.assertEqual(torch.get_num_threads(), before)
        with ours.set_torch_threads(1):
            self.assertEqual(torch.get_num_threads(), 1)
        self.assertEqual(torch.get_num_threads(), before)

    def test_the_same_arguments_are_refused(self):
        for arguments in ({"stmt": 1}, {"language": "x"}, {"global_setup": "x"}, {"stmt": "x +"},
                          {"language": "c++", "globals": {"x": 1}}, {"stmt": "return"}):
            self.assertEqual(*[outcome(lambda: module.Timer(**arguments)) for module in BOTH])
        for call in (lambda m: m.Timer().repeat(), lambda m: m.Timer().autorange(),
                     lambda m: m.Timer("1/0").timeit(1), lambda m: m.Timer("a").timeit(1),
                     lambda m: m.Compare([1]), lambda m: m.unit_to_english("x"),
                     lambda m: m.trim_sigfig(1.5, 1.5), lambda m: m.CopyIfCallgrind([1]),
                     lambda m: m.CopyIfCallgrind(torch.ones(1)),
                     lambda m: m.Timer().collect_callgrind(repeats=0),
                     lambda m: m.Timer(globals={"x": 1}).collect_callgrind(),
                     lambda m: m.Timer(globals={"torch": 1}).collect_callgrind(),
                     lambda m: m.FuzzedParameter("x", distribution="y"),
                     lambda m: m.FuzzedParameter("x", 1, 2, {1: 1.0}),
                     lambda m: m.Fuzzer([m.FuzzedParameter("x", 1, 2, "uniform")],
                                        [m.FuzzedTensor("x", (1,))]),
                     lambda m: list(m.Fuzzer([], [], seed=-1).take(1))):
            self.assertEqual(*[outcome(lambda: call(module)) for module in BOTH])

    def test_refusals_say_the_same(self):
        def said(call, module):
            with self.assertRaises(Exception) as caught:
                call(module)
            return text(str(caught.exception))
        for call in (lambda m: m.Timer(1), lambda m: m.Timer(language="x"),
                     lambda m: m.Timer(global_setup="x"), lambda m: m.Timer().repeat(),
                     lambda m: m.Timer("x;", language="c++", globals={"x": 1}),
                     lambda m: m.Timer().collect_callgrind(repeats=0),
                     lambda m: m.Timer(globals={"x": 1}).collect_callgrind(),
                     lambda m: m.CopyIfCallgrind([1]), lambda m: m.Compare([1]),
                     lambda m: m.FuzzedParameter("x", distribution={1: 0.5, 2: 0.4}),
                     lambda m: m.Measurement.merge([1])):
            self.assertEqual(*[said(call, module) for module in BOTH])

    def test_helpers_give_the_same(self):
        rng = random.Random(3)
        for _ in range(1000):
            x = 10 ** rng.uniform(-8.9, 3)
            self.assertEqual(ours.select_unit(x), theirs.select_unit(x))
            n = rng.randint(1, 6)
            self.assertAlmostEqual(ours.trim_sigfig(x, n) / theirs.trim_sigfig(x, n), 1, places=12)
        for unit in "ns", "us", "ms", "s":
            self.assertEqual(ours.unit_to_english(unit), theirs.unit_to_english(unit))
        self.assertEqual(ours.ordered_unique([3, 1, 3]), theirs.ordered_unique([3, 1, 3]))

    def test_names_and_signatures_are_the_same(self):
        def parameters(function):
            return [(p.name, p.kind) for p in inspect.signature(function).parameters.values()]
        for name in sorted(set(ours.__all__) - {"install", "uninstall"}):
            their, our = getattr(theirs, name), getattr(ours, name)
            if not callable(their) or name in ("Language", "Colorize", "timer"):
                continue
            self.assertEqual(parameters(our), parameters(their), name)
            for method in [m for m in vars(their) if not m.startswith("_")] \
                    if inspect.isclass(their) else []:
                if inspect.isfunction(getattr(their, method)):
                    self.assertEqual(parameters(getattr(our, method)),
                                     parameters(getattr(their, method)), f"{name}.{method}")
                else:
                    self.assertTrue(hasattr(our, method), f"{name}.{method}")


class Tables(unittest.TestCase):
    def test_tables_are_the_same_character_by_character(self):
        for seed in range(150):
            rng = random.Random(seed)
            drawn, shown = compare_torch.draw_measurements(rng), []
            trim, warn, color = rng.random() < .5, rng.random() < .5, rng.choice([None, False, True])
            for module in BOTH:
                compare = module.Compare([
                    module.Measurement(number, times, module.TaskSpec(setup="pass", **task))
                    for task, number, times in drawn])
                if trim:
                    compare.trim_significant_figures()
                if warn:
                    compare.highlight_warnings()
                if color is not None:
                    compare.colorize(rowwise=color)
                out = io.StringIO()
                with redirect_stdout(out):
                    compare.print()
                shown.append((out.getvalue(), str(compare)))
            self.assertEqual(shown[1], shown[0], seed)


class Fuzzing(unittest.TestCase):
    def same_samples(self, make, count):
        """Parameters, properties and data of both modules."""
        samples = [list(fuzzer.take(count)) for fuzzer in make]
        for (tensors, properties, params), (our_tensors, our_properties, our_params) in zip(*samples):
            self.assertEqual(our_params, params)
            self.assertEqual({k: type(v) for k, v in our_params.items()},
                             {k: type(v) for k, v in params.items()})
            self.assertEqual(repr(our_properties), repr(properties))
            for name, tensor in tensors.items():
                mine = our_tensors[name]
                if not tensor.is_sparse:
                    self.assertEqual(mine.stride(), tensor.stride())
                else:
                    self.assertTrue(torch.equal(mine._indices(), tensor._indices()))
                    mine, tensor = mine._values(), tensor._values()
                self.assertEqual((mine.shape, mine.dtype), (tensor.shape, tensor.dtype))
                self.assertTrue(torch.equal(mine, tensor))
        self.assertEqual(make[1].rejection_rate, make[0].rejection_rate)

    def test_operator_fuzzers_give_the_same_samples(self):
        for their, our in ((unary.UnaryOpFuzzer, our_unary.UnaryOpFuzzer),
                           (binary.BinaryOpFuzzer, our_binary.BinaryOpFuzzer),
                           (spectral.SpectralOpFuzzer, our_spectral.SpectralOpFuzzer),
                           (sparse_unary.UnaryOpSparseFuzzer, our_sparse_unary.UnaryOpSparseFuzzer),
                           (sparse_binary.BinaryOpSparseFuzzer,
                            our_sparse_binary.BinaryOpSparseFuzzer)):
            self.same_samples([their(seed=0), our(seed=0)], 2)
        self.assertEqual(our_spectral.REGULAR_SIZES, spectral.REGULAR_SIZES)

    def test_dtypes_and_other_distributions_give_the_same_samples(self):
        for dtype in torch.float64, torch.int32, torch.uint8, torch.int64:
            made = []
            for m in BOTH:
                made.append(m.Fuzzer(
                    [m.FuzzedParameter("a", 1, 40, "uniform"), m.FuzzedParameter("r", 0.5, 2.5, "uniform"),
                     [m.FuzzedParameter("s", distribution={"x": .5, None: .25, 3: .25}, strict=True)],
                     m.FuzzedParameter("b", distribution={m.ParameterAlias("a"): .5, 3: .5})],
                    [m.FuzzedTensor("t", ("a", "b", 4), steps=(1, 2), probability_contiguous=.2,
                                    dtype=dtype, max_elements=2000)],
                    [lambda params: params["a"] % 3], seed=11))
            self.same_samples(made, 30)

    def test_a_constructor_gets_the_parameters(self):
        made = [m.Fuzzer([m.FuzzedParameter("a", 1, 9, "uniform")],
                         [m.FuzzedTensor("t", ("a", 2), tensor_constructor=lambda size, dtype, a:
                                         torch.full(size, a, dtype=dtype))], seed=2) for m in BOTH]
        self.same_samples(made, 10)


class Counting(unittest.TestCase):
    def stats(self, module, rng):
        def counts(inclusive):
            names = [rng.choice(["/a/b/Python/ceval.c:f", "/x/build/../aten/add.cpp:g",
                                 "???:0x12", "/q/Objects/dictobject.c:lookdict_unicode",
                                 "/w/build/aten/v.h:" + "very_long_name<int>" * 6]) +
                     rng.choice(["", " [/lib/libtorch.so]"]) + str(i % 30) for i in range(60)]
            return module.FunctionCounts(tuple(sorted(
                (module.FunctionCount(rng.randint(-50, 10 ** 7), name) for name in names),
                reverse=True)), inclusive)
        return module.CallgrindStats(
            module.TaskSpec("f()\ng()", "x = 1", num_threads=2), 100, rng.random() < .5,
            counts(True), counts(False), counts(True), counts(False), None)

    def test_values_and_reprs_are_the_same(self):
        shown = []
        for module in BOTH:
            rng, texts = random.Random(1), []
            for _ in range(10):
                a, b = self.stats(module, rng), self.stats(module, rng)
                exclusive = a.stats()
                texts += map(text, [
                    a, b, exclusive, a.stats(inclusive=True), a.delta(b), a.delta(b, True),
                    a.as_standardized(), a.as_standardized().stats(), exclusive[:3],
                    exclusive[-4:], exclusive * 3, exclusive * .5, exclusive + b.stats(),
                    exclusive.denoise(), exclusive.filter(lambda name: "???" in name),
                    exclusive.transform(lambda name: name[:9]), exclusive.sum(), len(exclusive),
                    a.counts(), a.counts(denoise=True), list(exclusive)[:2],
                    module.FunctionCounts(exclusive._data, False, _linewidth=160)])
            shown.append(texts)
        self.assertEqual(shown[1], shown[0])


INSTALLED = """
import pickle, sys
{first}
import bilanx.benchmark
bilanx.benchmark.install()
import torch.utils.benchmark as benchmark
import torch
from torch.utils.benchmark.utils.common import Measurement, TaskSpec
from torch.utils.benchmark.utils.valgrind_wrapper.timer_interface import CallgrindStats
from torch.utils.benchmark.op_fuzzers.unary import UnaryOpFuzzer
assert torch.utils.benchmark is benchmark is bilanx.benchmark, benchmark
assert Measurement is benchmark.Measurement
loaded = pickle.load(open(sys.argv[1], "rb"))
assert [type(one) for one in loaded] == [Measurement, CallgrindStats], loaded
print(loaded[0])
pickle.dump(loaded, open(sys.argv[2], "wb"))
bilanx.benchmark.uninstall()
import torch.utils.benchmark as again
assert again is not bilanx.benchmark and "bilanx" not in again.__file__, again
assert Measurement.__module__ == "bilanx.benchmark.utils.common"
"""


class Installing(unittest.TestCase):
    def test_pickles_of_either_load_in_either(self):
        rng = random.Random(2)
        measurement = theirs.Measurement(2, [1.0, 2.0, 4.0, 9.0], theirs.TaskSpec("f()", "pass"))
        original = [measurement, Counting().stats(theirs, rng)]
        folder = self.enterContext(__import__("tempfile").TemporaryDirectory())
        there, back = os.path.join(folder, "there"), os.path.join(folder, "back")
        for first in "", "import torch.utils.benchmark":
            with open(there, "wb") as file:
                pickle.dump(original, file)
            printed = subprocess.run([sys.executable, "-c", INSTALLED.format(first=first), there, back],
                                     check=True, capture_output=True, text=True).stdout
            self.assertIn("<torch.utils.benchmark.utils.common.Measurement object at 0x", printed)
            self.assertEqual(text(printed.strip()), text(measurement))
            with open(back, "rb") as file:
                loaded = pickle.load(file)
            self.assertEqual([type(one) for one in loaded],
                             [theirs.Measurement, theirs.CallgrindStats])
            self.assertEqual(list(map(text, loaded)), list(map(text, original)))

    def test_examples_run(self):
        quick = ["--seeds", "1", "--replicates", "1", "--min-run-time", "0.001", "--stmt", "x.neg()"]
        for name, arguments, part in (("simple_timeit", [], "Median"), ("blas_compare_setup", [], "blas"),
                                      ("end_to_end", quick, "new / ref: Ratio(")):
            done = subprocess.run([sys.executable, "-m", "bilanx.benchmark.examples." + name, *arguments],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(part, done.stdout)

    def test_the_documented_recipe_runs_with_one_import_changed(self):
        def dot(a, b):
            return a.mul(b).sum(-1)
        results = []
        for b, n in [(1, 1), (64, 64)]:
            x = torch.ones((b, n))
            for threads in [1, 2]:
                for stmt in "dot(x, x)", "x.mul(x)":
                    timer = ours.Timer(stmt=stmt, globals={"x": x, "dot": dot}, label="dot",
                                       sub_label=f"[{b}, {n}]", description=stmt, num_threads=threads)
                    results.append(pickle.loads(pickle.dumps(
                        timer.blocked_autorange(min_run_time=0.001))))
        compare = ours.Compare(results)
        compare.trim_significant_figures()
        compare.colorize()
        self.assertIn("2 threads: ---", str(compare))


def workers():
    """The processes that this process has started and not ended, by their names."""
    found = []
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children") as file:
            found += [(pid, comm(pid)) for pid in file.read().split()]
    return [pid for pid, name in found if name == "bilanx-worker"]


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except OSError:
        return ""


class Compiled(unittest.TestCase):
    """C++ statements with PyTorch share a worker that has loaded it."""

    def setUp(self):
        self.addCleanup(_native.stop_worker)
        self.timer("x + 1").timeit(1)  # compiles it, loads it in a separate process
        self.timer("x + 1").timeit(1)  # starts the worker
        self.before = workers()
        self.assertEqual(len(self.before), 1)

    def timer(self, expression, **more):
        return ours.Timer(f"torch::Tensor y = {expression};", language="c++",
                          setup="torch::Tensor x = torch::ones({1});", **more)

    def test_the_next_statement_finds_the_worker(self):
        first, second = self.timer("x + 1"), self.timer("x + 1")
        for timer in first, second, first, second:
            self.assertGreater(timer.timeit(10).median, 0)
        del first, second, timer
        self.assertEqual(workers(), self.before)

    def test_a_crash_does_not_affect_the_next_statement(self):
        for _ in range(3):  # the first time in a separate process
            with self.assertRaisesRegex(OSError, "signal 6, Aborted"):
                self.timer("x + 1; std::abort()").timeit(1)
        self.assertGreater(self.timer("x + 1").timeit(10).median, 0)
        self.assertEqual(workers(), self.before)

    def test_threads_and_forks_do_not_wait_for_each_other(self):
        failures = []

        def measure(timer):
            try:
                for _ in range(3):
                    timer.timeit(10)
                    self.timer("x + 1").timeit(10)
            except BaseException as error:
                failures.append(error)
        timers = [self.timer("x + 1") for _ in range(3)]
        threads = [threading.Thread(target=measure, args=(timer,)) for timer in timers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        child = os.fork()
        if child == 0:
            measure(timers[0])
            os._exit(bool(failures))
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        measure(timers[0])
        self.assertEqual(failures, [])
        del timers, threads
        self.assertEqual(workers(), self.before)

    def test_a_worker_that_was_killed_is_replaced(self):
        timer = self.timer("x + 1")
        timer.timeit(1)
        os.kill(int(self.before[0]), signal.SIGKILL)
        self.assertGreater(self.timer("x + 1").timeit(10).median, 0)
        self.assertGreater(timer.timeit(10).median, 0)

    def test_another_number_of_threads_needs_another_worker(self):
        many = self.timer("x + at::get_num_threads()", num_threads=2)
        for _ in range(2):
            self.assertGreater(many.timeit(10).median, 0)
            many = self.timer("x + at::get_num_threads()", num_threads=2)
        self.assertEqual(len(workers()), 1)
        self.assertNotEqual(workers(), self.before)

    def test_the_worker_ends_when_it_is_told_to(self):
        timer = self.timer("x + 1")
        timer.timeit(1)
        _native.stop_worker()
        self.assertEqual(workers(), [])
        self.assertGreater(timer.timeit(10).median, 0)


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    tap.main()
