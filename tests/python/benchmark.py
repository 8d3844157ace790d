#!/usr/bin/python3
"""bilanx.benchmark without PyTorch and without numpy, neither of which can be imported: TAP."""
import gc
import io
import json
import os
import pickle
import signal
import sys
import threading
import timeit
import unittest
from contextlib import redirect_stdout

for name in "torch", "numpy":
    sys.modules[name] = None

import bilanx.benchmark as benchmark  # noqa: E402
from bilanx import _native  # noqa: E402
from bilanx.benchmark.op_fuzzers import unary  # noqa: E402
from bilanx.benchmark.utils.valgrind_wrapper import timer_interface  # noqa: E402

import tap  # noqa: E402


def measured(times, number=1, **task):
    return benchmark.Measurement(number, times, benchmark.TaskSpec("f()", "pass", **task))


def children():
    """The processes that this one has started and not ended, except for the one that guards them."""
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        names = [open(f"/proc/{pid}/comm").read().strip() for pid in file.read().split()]
    return [name for name in names if name != "bilanx-guard"]


class Recorder:
    """A replaced timer that takes 1 us per call and notes the order of calls."""
    calls = []

    def __init__(self, stmt, setup, timer, globals):
        Recorder.calls = []

    def timeit(self, number):
        Recorder.calls.append(number)
        return 1e-7 + number * 1e-6


class Recorded(benchmark.Timer):
    _timer_cls = Recorder


class Timers(unittest.TestCase):
    def test_a_statement_sees_its_globals_and_its_setup(self):
        seen = []
        benchmark.Timer("seen.append(x)", setup="x = 7", globals={"seen": seen}).timeit(1)
        self.assertEqual(set(seen), {7})
        self.assertEqual(len(seen), 3)  # two to warm up

    def test_a_statement_can_change_the_names_of_its_setup(self):
        seen = []
        benchmark.Timer("x += 1; seen.append(x)", setup="x = 0", globals={"seen": seen}).timeit(3)
        self.assertEqual(seen, [1, 2, 3, 4, 5])

    def test_the_setup_runs_once_per_measurement(self):
        ran = []
        timer = benchmark.Timer("pass", setup="ran.append(1)", globals={"ran": ran})
        timer.blocked_autorange(min_run_time=0.001)
        self.assertEqual(len(ran), 1)
        timer.timeit(10)
        self.assertEqual(len(ran), 2)

    def test_globals_of_the_caller_do_not_change(self):
        mine = {"x": 1}
        benchmark.Timer("y = x", globals=mine).timeit(1)
        self.assertEqual(mine, {"x": 1})

    def test_multi_line_code_is_dedented(self):
        timer = benchmark.Timer("""
            for i in range(2):
                y = x
        """, setup="""
            x = 1
            """)
        self.assertEqual(timer._task_spec.stmt, "for i in range(2):\n    y = x")
        self.assertEqual(timer._task_spec.setup, "x = 1")
        timer.timeit(1)

    def test_a_string_keeps_its_indentation(self):
        seen = []
        benchmark.Timer('seen.append("""a\n  b""")', globals={"seen": seen}).timeit(1)
        self.assertEqual(seen[0], "a\n  b")

    def test_code_that_would_leave_the_loop_is_refused(self):
        for code in "return", "break", "yield 1", "x +":
            with self.assertRaises(SyntaxError, msg=code):
                benchmark.Timer(code)

    def test_exceptions_pass_through_and_garbage_is_collected_again(self):
        timer = benchmark.Timer("1 / x", setup="x = 0")
        for _ in range(2):
            with self.assertRaises(ZeroDivisionError):
                timer.timeit(1)
        self.assertTrue(gc.isenabled())

    def test_garbage_is_not_collected_in_a_block(self):
        seen = []
        benchmark.Timer("seen.append(gc.isenabled())", globals={"seen": seen, "gc": gc}).timeit(1)
        self.assertEqual(set(seen), {False})

    def test_another_clock_is_read_twice_per_block(self):
        ticks = iter(range(1000))
        timer = benchmark.Timer("pass", timer=lambda: float(next(ticks)))
        self.assertEqual(timer.timeit(5).raw_times, [1.0])
        self.assertEqual(next(ticks), 4)

    def test_a_negative_number_of_calls_is_none(self):
        seen = []
        timer = benchmark.Timer("seen.append(1)", globals={"seen": seen})
        timer._timeit(-1)
        self.assertEqual(seen, [])

    def test_bad_arguments_are_refused(self):
        for kind, arguments in (
                (ValueError, {"stmt": len}), (ValueError, {"language": "fortran"}),
                (ValueError, {"global_setup": "int x;"}),
                (ValueError, {"language": "C++", "globals": {"x": 1}})):
            with self.assertRaises(kind, msg=str(arguments)):
                benchmark.Timer(**arguments)
        for name in "repeat", "autorange":
            with self.assertRaises(NotImplementedError):
                getattr(benchmark.Timer(), name)()

    def test_languages_have_several_names(self):
        for name in "py", "Python", "PYTHON", benchmark.Language.PYTHON:
            self.assertIs(benchmark.Timer(language=name)._language, benchmark.Language.PYTHON)
        for name in "cpp", "c++", "C++", benchmark.Language.CPP:
            self.assertIs(benchmark.Timer("1;", language=name)._language, benchmark.Language.CPP)

    def test_a_replaced_timer_sees_the_calls_of_torch_in_order(self):
        Recorded().timeit(1000)
        self.assertEqual(Recorder.calls, [10, 1000])
        Recorded().blocked_autorange(min_run_time=0.01)
        self.assertEqual(Recorder.calls, [0] * 5 + [1, 10, 100, 1000] + [1000] * 10)
        Recorded().adaptive_autorange()
        self.assertEqual(Recorder.calls, [0] * 5 + [1, 10, 100, 1000] + [1000] * 10)

    def test_a_callback_gets_each_block(self):
        blocks = []
        got = Recorded().blocked_autorange(lambda *block: blocks.append(block), min_run_time=0.01)
        self.assertEqual(blocks, [(got.number_per_run, seconds) for seconds in got.raw_times])

    def test_an_exception_in_a_callback_ends_the_measurement(self):
        def fail(number, seconds):
            raise KeyError("enough")
        with self.assertRaises(KeyError):
            Recorded().blocked_autorange(fail)

    def test_interrupting_raises_keyboard_interrupt(self):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            benchmark.Timer("pass").blocked_autorange(min_run_time=60)

    def test_nothing_leaks(self):
        def run():
            for _ in range(300):
                benchmark.Timer("x + 1", setup="x = 1").timeit(2)
            gc.collect()
            return len(gc.get_objects())
        run()
        before = run()
        self.assertLess(run(), before + 50)


class Rigorous(unittest.TestCase):
    def test_epochs_are_forks_and_have_an_interval(self):
        here = []
        got = benchmark.Timer("here.append(1)", globals={"here": here}).rigorous(max_run_time=0.1)
        self.assertEqual(here, [])  # everything happened elsewhere
        self.assertEqual(got.record["method"], "rigorous")
        self.assertEqual(len(got.raw_times), len(got.record["epochs"]))
        low, high = got.record["stats"]["ci95"]
        self.assertLessEqual(low, got.record["stats"]["estimate"])
        self.assertLessEqual(got.record["stats"]["estimate"], high)

    def test_no_child_is_left(self):
        benchmark.Timer("pass").rigorous(max_run_time=0.05)
        self.assertEqual(children(), [])

    def test_what_cannot_be_forked_is_refused(self):
        with self.assertRaisesRegex(ValueError, "num_threads=1"):
            benchmark.Timer(num_threads=2).rigorous()
        with self.assertRaises(ZeroDivisionError):
            benchmark.Timer("1 / 0").rigorous()

    def test_interrupting_raises_keyboard_interrupt(self):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            benchmark.Timer("sum(range(100000))").rigorous(max_run_time=60)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)


class Measurements(unittest.TestCase):
    def test_statistics_are_of_times_per_call(self):
        got = measured([4e-6, 1e-6, 2e-6, 3e-6], number=10)
        self.assertEqual([got.median, got.mean], [2.5e-7, 2.5e-7])
        self.assertAlmostEqual(got.iqr, 1.5e-7)

    def test_replicates_are_merged_in_the_order_of_appearance(self):
        merged = benchmark.Measurement.merge(
            [measured([2.0], 2, label="b"), measured([3.0], label="a"), measured([1.0], label="b")])
        self.assertEqual([(m.label, m.times) for m in merged], [("b", [1.0, 1.0]), ("a", [3.0])])

    def test_a_pickle_is_equal(self):
        before = measured([1.0, 2.0], label="l")
        after = pickle.loads(pickle.dumps(before))
        self.assertEqual((after.median, after.task_spec), (before.median, before.task_spec))
        self.assertIsInstance(after, benchmark.Measurement)

    def test_its_record_is_one_that_bilanx_reads(self):
        record = measured([1.0, 3.0], number=2, label="l", description="d").record
        self.assertEqual(record["schema"], "bilanx/1")
        self.assertEqual(record["task"]["label"], "l")
        self.assertEqual(record["raw_times"], [1.0, 3.0])
        json.dumps(record)

    def test_a_ratio_has_an_interval(self):
        slow, fast = measured([2.0, 2.1, 1.9]), measured([1.0, 1.05, .95])
        ratio = slow.ratio(fast)
        self.assertAlmostEqual(ratio.estimate, 2.0, places=6)
        self.assertTrue(1.5 < ratio.interval[0] < 2 < ratio.interval[1] < 2.5)
        self.assertIn("too few", repr(measured([1.0]).ratio(fast)))
        with self.assertRaises(ValueError):
            measured([0.0]).ratio(fast)

    def test_html_shows_text_as_text(self):
        self.assertIn("&lt;b&gt;", measured([1.0], label="<b>")._repr_html_())

    def test_units_and_figures(self):
        self.assertEqual(benchmark.select_unit(1e-10), ("ns", 1e-9))
        self.assertEqual(benchmark.select_unit(5e5), ("s", 1))
        self.assertEqual(benchmark.trim_sigfig(1234.5, 2), 1200.0)
        self.assertEqual(benchmark.trim_sigfig(0.012345, 2), 0.012)
        self.assertEqual(benchmark.trim_sigfig(-3.14159, 3), -3.14)


class Tables(unittest.TestCase):
    def test_what_is_no_measurement_is_refused(self):
        with self.assertRaises(ValueError):
            benchmark.Compare([1])

    def test_measurements_can_be_added_later(self):
        compare = benchmark.Compare([measured([1.0], label="l", description="a")])
        compare.extend_results([measured([2.0], label="l", description="b")])
        out = io.StringIO()
        with redirect_stdout(out):
            compare.print()
        self.assertIn("|   a   |   b", out.getvalue())

    def test_a_missing_description_and_mixed_envs_are_fine(self):
        table = str(benchmark.Compare([measured([1.0], env=None), measured([2.0], env="e")]))
        self.assertIn("(e)", table)

    def test_markdown_and_html(self):
        compare = benchmark.Compare([measured([1.0], label="<l>", description="a")])
        self.assertIn("| a |", compare.to_markdown())
        self.assertIn("&lt;l&gt;", compare._repr_html_())
        self.assertNotIn("<l>", compare._repr_html_())

    def test_measurements_of_torch_are_accepted(self):
        foreign = type("Measurement", (), {"__module__": "torch.utils.benchmark.utils.common",
                                           "task_spec": benchmark.TaskSpec("g()", "pass"),
                                           "number_per_run": 1, "raw_times": [1.0]})()
        self.assertIn("g()", str(benchmark.Compare([foreign])))


class Fuzzers(unittest.TestCase):
    def take(self, parameters, n=20, **settings):
        fuzzer = benchmark.Fuzzer(parameters, [], seed=1, **settings)
        return [params for _, _, params in fuzzer.take(n)]

    def test_the_same_seed_gives_the_same_samples(self):
        parameters = [benchmark.FuzzedParameter("n", 1, 10 ** 6, "loguniform")]
        self.assertEqual(self.take(parameters), self.take(parameters))

    def test_draws_are_those_of_numpy(self):
        state = _native.RandomState(0)
        self.assertEqual(state.randint(0, 2 ** 63), 900450186894289455)
        self.assertEqual([state.rand(), state.uniform(2, 4), state.randint(-5, 6)],
                         [0.7151893663724195, 3.205526752143288, -2])
        for seed in -1, 2 ** 32:
            with self.assertRaises(ValueError):
                _native.RandomState(seed)

    def test_constraints_take_a_dictionary_or_names(self):
        parameters = [benchmark.FuzzedParameter(name, 1, 9, "uniform") for name in "ab"]
        for constraint in (lambda params: params["a"] < params["b"], lambda a, b: a < b,
                           lambda b, a: a < b, lambda **all: all["a"] < all["b"]):
            self.assertTrue(all(s["a"] < s["b"] for s in self.take(parameters,
                                                                   constraints=[constraint])))

    def test_aliases_are_followed_and_cycles_refused(self):
        alias = benchmark.ParameterAlias
        chain = [benchmark.FuzzedParameter("a", distribution={alias("b"): 1}),
                 benchmark.FuzzedParameter("b", distribution={alias("c"): 1}),
                 benchmark.FuzzedParameter("c", distribution={7: 1})]
        self.assertEqual(self.take(chain, 1), [{"a": 7, "b": 7, "c": 7}])
        chain[2] = benchmark.FuzzedParameter("c", distribution={alias("a"): 1})
        with self.assertRaisesRegex(ValueError, "cycle"):
            self.take(chain, 1)

    def test_what_cannot_be_satisfied_is_an_error(self):
        parameter = benchmark.FuzzedParameter("n", 1, 9, "uniform")
        with self.assertRaisesRegex(ValueError, "valid parameters"):
            self.take([parameter], 1, constraints=[lambda n: False])

    def test_bad_distributions_are_refused(self):
        for distribution in "normal", {1: .5}, {1: -1, 2: 2}:
            with self.assertRaises(AssertionError):
                benchmark.FuzzedParameter("n", distribution=distribution)

    def test_tensors_need_torch(self):
        with self.assertRaisesRegex(ModuleNotFoundError, "PyTorch"):
            unary.UnaryOpFuzzer(seed=0)


class Compiled(unittest.TestCase):
    def test_a_statement_in_cplusplus_is_measured(self):
        timer = benchmark.Timer("x = x * 3 + OFFSET;", setup="volatile long x = 1;",
                                global_setup="#define OFFSET 1", language="c++",
                                timer=timeit.default_timer)
        self.assertEqual(timer.timeit(100).number_per_run, 100)
        got = timer.blocked_autorange(min_run_time=0.001)
        self.assertGreater(got.median, 0)
        self.assertEqual(got.record["task"]["language"], "c++")

    def test_what_does_not_compile_says_why(self):
        with self.assertRaisesRegex(RuntimeError, "nonsense"):
            benchmark.Timer("nonsense(1);", language="c++").timeit(1)

    def test_a_crash_is_an_error(self):
        with self.assertRaisesRegex(OSError, "signal 11"):
            benchmark.Timer("*p = 1;", setup="int *volatile p = 0;", language="c++").timeit(1)


class Counts(unittest.TestCase):
    def test_python_is_counted_by_function(self):
        timer = benchmark.Timer("y = x + k", setup="x = 1",
                                globals={"k": benchmark.CopyIfCallgrind(5)})
        first, second = timer.collect_callgrind(number=50, repeats=2)
        self.assertEqual(first.number_per_run, 50)
        self.assertGreater(first.counts(), 50 * 20)
        self.assertGreater(first.counts(), first.baseline_exclusive_stats.sum())
        self.assertLess(abs(first.counts() - second.counts()), first.counts() * 0.2)
        self.assertEqual(pickle.loads(pickle.dumps(first)).counts(), first.counts())
        retained = timer.collect_callgrind(number=50, retain_out_file=True, collect_baseline=False)
        self.assertIn("events: Ir", retained.stmt_callgrind_out)
        self.assertEqual(len(retained.baseline_exclusive_stats), 0)

    def test_cplusplus_is_counted_and_deterministic(self):
        timer = benchmark.Timer("x = x + 1;", setup="volatile int x = 0;", language="cpp")
        counts = {timer.collect_callgrind().counts() for _ in range(2)}
        self.assertEqual(len(counts), 1)
        self.assertGreater(counts.pop(), 100)

    def test_functions_of_libc_are_those_of_torch(self):
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            if " avx2" not in info.read():
                self.skipTest("glibc has nothing better to choose here")
        python = benchmark.Timer("x.find(b'z')", setup="x = b'a' * 1000")
        compiled = benchmark.Timer("strlen(s);", global_setup="#include <string.h>",
                                   setup="char s[100] = \"text\";", language="cpp")
        for timer in python, compiled:
            names = [item.function for item in timer.collect_callgrind(collect_baseline=False).stats()]
            self.assertTrue(any("_avx2" in name for name in names), names)

    def test_globals_must_be_wrapped(self):
        with self.assertRaisesRegex(ValueError, "CopyIfCallgrind"):
            benchmark.Timer("pass", globals={"x": 1}).collect_callgrind()
        with self.assertRaisesRegex(ValueError, "Unsupported type"):
            benchmark.CopyIfCallgrind([1])
        with self.assertRaisesRegex(ValueError, "repeats"):
            benchmark.Timer().collect_callgrind(repeats=0)

    def test_an_error_there_is_an_os_error_here(self):
        class Copied(str):
            pass
        Copied.__module__ = "elsewhere"
        sys.modules["elsewhere"] = type(sys)("elsewhere")
        sys.modules["elsewhere"].__dict__[Copied.__qualname__.split(".")[0]] = Copied
        Copied.__qualname__ = Copied.__qualname__.split(".")[0]
        timer = benchmark.Timer("x", globals={"x": benchmark.CopyIfCallgrind(Copied("a"))})
        with self.assertRaisesRegex(OSError, "elsewhere"):
            timer.collect_callgrind(collect_baseline=False)
        benchmark.Timer("pass").collect_callgrind(collect_baseline=False)  # it goes on

    def test_a_fork_of_this_process_leaves_the_worker_alone(self):
        timer = benchmark.Timer("pass")
        timer.collect_callgrind(collect_baseline=False)
        before = children()
        child = os.fork()
        if child == 0:
            timer_interface.wrapper_singleton().stop()
            os._exit(0)
        os.waitpid(child, 0)
        self.assertEqual(children(), before)
        timer.collect_callgrind(collect_baseline=False)

    def test_workers_end(self):
        benchmark.Timer("pass").collect_callgrind(collect_baseline=False)
        timer_interface.wrapper_singleton().stop()
        self.assertEqual(children(), [])

    def test_arithmetic(self):
        count = benchmark.FunctionCount
        a = benchmark.FunctionCounts((count(5, "f"), count(3, "g")), False)
        b = benchmark.FunctionCounts((count(5, "f"), count(1, "h")), False)
        self.assertEqual((a + b)._data, ((10, "f"), (3, "g"), (1, "h")))
        self.assertEqual((a - b)._data, ((3, "g"), (-1, "h")))
        self.assertEqual((a * 2)._data, ((10, "f"), (6, "g")))
        self.assertEqual(a.transform(lambda name: "all")._data, ((8, "all"),))
        self.assertEqual(a.filter("f".__eq__).sum(), 5)
        self.assertEqual(a[0], (5, "f"))
        with self.assertRaises(AssertionError):
            a + benchmark.FunctionCounts((), True)


if __name__ == "__main__":
    tap.main()
