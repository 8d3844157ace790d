#!/usr/bin/python3
"""bilanx.time() and its siblings, without PyTorch: TAP."""
import contextlib
import gc
import os
import pickle
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import bilanx
import bilanx.benchmark
from bilanx import _paths

import tap

QUICK = dict(language="python", max_run_time=0.02)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


@contextlib.contextmanager
def inside(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


INTERRUPTED = """
import bilanx
try:
    bilanx.time("1", language="python", max_run_time=40, precision=1e-9)
except KeyboardInterrupt as stopped:
    print("kept", len(stopped.results))
"""

NOTEBOOK = """
import sys, types
shell = types.SimpleNamespace(config={"IPKernelApp": {}})
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
import bilanx
bilanx.time("1", "2", language="python", max_run_time=0.02)
"""


class Timing(unittest.TestCase):
    def test_a_statement_in_c(self):
        result = bilanx.time("x += 1", setup="volatile long x = 0", max_run_time=0.05)
        self.assertEqual((result.kind, result.language, result.method),
                         ("measurement", "c", "rigorous"))
        self.assertGreater(result.time, 0)
        self.assertLessEqual(result.interval[0], result.time)
        self.assertTrue(result)

    def test_several_statements_give_several_results(self):
        results = bilanx.time("1", "-x", setup="x = 2", **QUICK)
        self.assertEqual([result.stmt.strip() for result in results], ["1", "-x"])
        self.assertEqual(len(results[:1]), 1)

    def test_python_is_this_interpreter(self):
        result = bilanx.time("assert 'bilanx' not in sys.modules", setup="import sys", **QUICK)
        self.assertEqual(result.kind, "measurement")

    def test_a_function_is_called_in_forks_of_this_process(self):
        called = []
        result = bilanx.time(lambda: called.append(1), max_run_time=0.05, label="mine")
        self.assertEqual(called, [])
        self.assertEqual((result.label, result.method), ("mine", "rigorous"))

    def test_a_function_can_be_timed_by_other_methods(self):
        self.assertEqual(bilanx.time(dict, method="timeit", number=7).number_per_run, 7)
        self.assertEqual(bilanx.time(dict, method="blocked", min_run_time=0.01).method, "blocked")
        self.assertEqual(bilanx.time(dict, method="adaptive", max_run_time=0.05).method, "adaptive")

    def test_what_fails_is_a_result_too(self):
        result = bilanx.time("nonsense +", language="c")
        self.assertEqual((result.kind, result.error["code"]), ("failure", "compile-failed"))
        self.assertFalse(result)
        self.assertIn("compile-failed", repr(result))

    def test_bad_arguments_are_errors_with_the_message_of_the_command(self):
        with self.assertRaisesRegex(TypeError, "unknown option '--colour"):
            bilanx.time("1", colour=1)
        with self.assertRaisesRegex(ValueError, "'--number' takes a whole number, not 'x'"):
            bilanx.time("1", number="x")
        with self.assertRaisesRegex(TypeError, "nothing to measure"):
            bilanx.time()
        with self.assertRaisesRegex(TypeError, "not int"):
            bilanx.time(1)
        with self.assertRaisesRegex(ValueError, "unknown method 'fast'"):
            bilanx.time(dict, method="fast")
        with self.assertRaisesRegex(TypeError, "nothing to compare"):
            bilanx.compare()
        with self.assertRaisesRegex(TypeError, "one function"):
            bilanx.bench(10)
        with self.assertRaisesRegex(TypeError, "two functions"):
            bilanx.ab(dict, "cc:gcc")
        with self.assertRaisesRegex(RuntimeError, "missing.yaml"):
            bilanx.run("missing.yaml")

    def test_numbers_out_of_range_are_refused_in_the_words_of_the_command(self):
        def words(name, call):
            with self.assertRaises(ValueError) as raised:
                call()
            self.assertIn(name, str(raised.exception))
            return str(raised.exception).partition(" takes ")[2]
        infinite, none = float("inf"), float("nan")
        for name, values in (("max_run_time", (-1, 0, none, infinite, 1e300)),
                             ("min_run_time", (-1, none, infinite)), ("timeout", (-1, 0, none)),
                             ("number", (-1, 2.5)), ("threads", (-1, 0, 10**9)),
                             ("threshold", (-1, none))):
            for value in values:
                options = {name: value}
                self.assertEqual(words(name, lambda: bilanx.time(dict, **options)),
                                 words(name.replace("_", "-"), lambda: bilanx.time("1", **options)))
        for name, values in (("alpha", (5, 1, 0, -1, none)), ("budget", (-1, 0, infinite)),
                             ("margin", (-1, none)), ("equal", (-1, none)), ("timeout", (0, none))):
            for value in values:
                options = {name: value}
                self.assertEqual(
                    words(name, lambda: bilanx.ab(dict, dict, **options)),
                    words(name, lambda: bilanx.ab("cc:cc", "cc:cc", stmt="1", **options)))

    def test_interrupting_keeps_what_was_measured(self):
        for seconds in (2, 8, 32):  # on a busy machine it may have nothing at first
            threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "kept.jsonl")
                with self.assertRaises(KeyboardInterrupt) as raised:
                    bilanx.time("1", language="python", max_run_time=100, precision=1e-9, json=path)
                self.assertEqual(bilanx.load(path), raised.exception.results)
            if raised.exception.results:
                break
        self.assertEqual(len(raised.exception.results), 1)

    def test_a_key_pressed_at_a_terminal_keeps_what_was_measured(self):
        child, terminal = pty.fork()
        if child == 0:
            os.execv(sys.executable, [sys.executable, "-c", INTERRUPTED])
        output, pressed = b"", False
        while not re.search(rb"kept \d", output):
            try:
                output += os.read(terminal, 1000)
            except OSError:
                break
            if not pressed and output.count(b"0/1") > 12:  # it is drawn after an epoch
                pressed = os.write(terminal, b"\x03") == 1
        os.waitpid(child, 0)
        os.close(terminal)
        self.assertIn(b"kept 1", output[-200:])

    def test_a_terminal_has_a_bar_and_errors_have_their_message(self):
        child, terminal = pty.fork()
        if child == 0:
            os.execv(sys.executable, [sys.executable, "-c", """if True:
                import bilanx
                try:
                    bilanx.time("1", number="x")
                except ValueError as error:
                    print("refused:", error)"""])
        output = b""
        while True:
            try:
                output += os.read(terminal, 1000)
            except OSError:
                break
        os.waitpid(child, 0)
        os.close(terminal)
        self.assertIn(b"refused: option '--number' takes a whole number", output)

    def test_a_notebook_has_a_bar_of_tqdm(self):
        done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"2/2 \[.*\]")

    def test_progress_elsewhere_is_lines_if_asked_for(self):
        for progress, shown in ((None, ""), (False, ""), (True, "1/1  1  ")):
            code = f"import bilanx; bilanx.time('1', progress={progress}, **{QUICK})"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            self.assertTrue(done.stderr.startswith(shown), done.stderr)
            self.assertEqual(bool(done.stderr), bool(shown), done.stderr)

    def test_it_works_in_a_thread(self):
        results = []
        thread = threading.Thread(target=lambda: results.append(bilanx.time("1", **QUICK)))
        thread.start()
        thread.join()
        self.assertEqual(results[0].kind, "measurement")

    def test_many_calls_leak_nothing(self):
        def call(times):
            for _ in range(times):
                bilanx.time(dict, method="timeit", number=2)
            gc.collect()
            with open("/proc/self/statm") as file:
                pages = int(file.read().split()[1])
            return sys.getallocatedblocks(), pages * resource.getpagesize()
        call(2000)
        before, open_before = call(2000), descriptors()
        after = call(10000)
        self.assertLess(after[0] - before[0], 1000)
        self.assertLess(after[1] - before[1], 4 << 20)  # the heap breathes
        self.assertEqual(descriptors(), open_before)

    def test_workers_of_statements_leave_nothing_behind(self):
        def call(times):
            for _ in range(times):
                bilanx.time("1", language="python", method="timeit", number=1, max_run_time=0.01)
            return descriptors()
        before = call(2)
        self.assertEqual(call(20), before)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


class Comparing(unittest.TestCase):
    def test_two_functions_take_turns_until_a_verdict(self):
        small, large = list(range(100)), list(range(1000))
        result = bilanx.ab(lambda: sum(small), lambda: sum(large), budget=3)
        self.assertEqual(result.kind, "verdict")
        self.assertIn(result.verdict, ("slower", "undecided"))  # on a busy machine
        self.assertGreater(result.change, 1)
        if result.verdict == "slower":
            self.assertLess(result.interval[0], result.change)
        self.assertEqual(len(result.times), 2)

    def test_a_function_is_not_slower_than_itself(self):
        def work():
            return sum(range(100))
        self.assertNotIn(bilanx.ab(work, work, budget=0.3).verdict, ("harness-biased",))

    def test_sides_are_those_of_the_command(self):
        result = bilanx.ab("cc:gcc -O2 -DN=1", "cc:gcc -O2 -DN=50", stmt="for (int i = 0; i < N; i++) x++;",
                           setup="volatile int x = 0", budget=20)
        self.assertEqual(result.kind, "verdict")
        self.assertGreater(result.change, 1)  # a busy machine may leave the verdict undecided

    def test_tables_of_results_and_measurements(self):
        measured = bilanx.benchmark.Measurement(
            1, [2.0], bilanx.benchmark.TaskSpec("g()", "pass", description="b"))
        result = bilanx.time("1", description="a", **QUICK)
        table = bilanx.compare(result, [measured], format="csv")
        self.assertIn("g()", table)
        self.assertIn(",a,", table)
        with self.assertRaises(TypeError):
            bilanx.compare(result, no_such_option=True)


PROGRAM = """
import bilanx

@bilanx.bench(n=[10, 20], word=["a", "b"])
def total(n, word):
    numbers = list(range(n))
    yield lambda: sum(numbers)

@bilanx.bench
def nothing():
    pass

@bilanx.bench
def broken():
    raise ValueError("no good")

if __name__ == "__main__":
    bilanx.main()
"""


class Repository(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for words in (["init", "-q"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty",
                                       "-m", "first"]):
            subprocess.run(["git", "-C", self.folder, *words], check=True)

    def commit(self):
        return subprocess.run(["git", "-C", self.folder, "rev-parse", "HEAD"], check=True, capture_output=True,
                              text=True).stdout.strip()

    def test_records_of_functions_name_the_commit(self):
        with inside(self.folder):
            timed = bilanx.time(lambda: 1, method="timeit", number=10)
            compared = bilanx.ab(lambda: 1, lambda: 1, budget=0.05)
        self.assertEqual(timed.git["commit"], self.commit())
        self.assertEqual(compared.git["commit"], self.commit())

    def test_outside_a_repository_they_name_none(self):
        with tempfile.TemporaryDirectory() as folder, inside(folder):
            self.assertNotIn("git", bilanx.time(lambda: 1, method="timeit", number=10).to_dict())


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = self.write(PROGRAM)

    def write(self, text):
        path = os.path.join(self.folder, "program.py")
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_a_file_of_functions_is_a_program(self):
        results = bilanx.run(self.path, max_run_time=0.02)
        self.assertEqual([(r.label, r.task.get("sub_label"), r.kind) for r in results],
                         [("total", "n=10, word=a", "measurement"),
                          ("total", "n=10, word=b", "measurement"),
                          ("total", "n=20, word=a", "measurement"),
                          ("total", "n=20, word=b", "measurement"),
                          ("nothing", None, "measurement"), ("broken", None, "failure")])
        self.assertIn("ValueError: no good", results[-1].error["text"])

    def test_a_file_runs_itself(self):
        for words in ([sys.executable, self.path], [_paths.command(), "run", self.path]):
            os.chmod(self.path, 0o644)
            listed = subprocess.run(words + ["--list"], check=True, capture_output=True, text=True,
                                    env=dict(os.environ, BILANX_PYTHON=sys.executable)).stdout
            self.assertIn("total/10/a", listed)

    def test_a_file_that_can_be_executed_is_executed(self):
        self.write(f"#!{sys.executable}\n" + PROGRAM)
        os.chmod(self.path, 0o755)
        self.assertEqual(bilanx.run(self.path, filter="nothing", max_run_time=0.02)[0].label, "nothing")

    def test_a_file_without_benchmarks_is_an_error(self):
        with self.assertRaises(RuntimeError):
            bilanx.run(self.write("import bilanx\n"))


class Results(unittest.TestCase):
    def test_results_cannot_be_changed(self):
        result = bilanx.Result({"kind": "measurement", "task": {"stmt": "f"}, "stats": {"estimate": 1.0}})
        for change in (lambda: setattr(result, "time", 2), lambda: setattr(result, "other", 2)):
            with self.assertRaises(AttributeError):
                change()
        result.to_dict()["kind"] = "changed"
        result.task["stmt"] = "changed"
        self.assertEqual((result.kind, result.stmt), ("measurement", "f"))
        with self.assertRaisesRegex(AttributeError, "no 'absent'"):
            result.absent
        self.assertEqual(pickle.loads(pickle.dumps(result)), result)
        self.assertEqual(len({result, pickle.loads(pickle.dumps(result))}), 1)
        self.assertIn("stmt", dir(result))

    def test_files_are_read_and_written(self):
        results = bilanx.time("1", "2", **QUICK)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "records.jsonl")
            results.save(path)
            self.assertEqual([r.stmt for r in bilanx.load(path)], ["1", "2"])
        with self.assertRaises((ValueError, RuntimeError)):
            bilanx.load(path)

    def test_a_file_that_was_cut_off_is_read_with_a_warning(self):
        record = bilanx.time("1", **QUICK)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "torn.jsonl")
            bilanx.Results([record]).save(path)
            with open(path, "a", encoding="utf-8") as file:
                file.write('{"schema":"bilanx/1","kind":"meas')
            with self.assertWarnsRegex(UserWarning, "torn.jsonl:2: the last line is incomplete; left out, kept the 1 record"):
                self.assertEqual([r.stmt for r in bilanx.load(path)], ["1"])

    def test_html_shows_text_as_text(self):
        result = bilanx.Result({"kind": "measurement", "task": {"stmt": "a < b"}})
        self.assertIn("a &lt; b", result._repr_html_())
        self.assertIn("a &lt; b", bilanx._results.Table("a < b")._repr_html_())

    def test_records_cannot_control_the_terminal(self):
        evil = "a\x1b]0;owned\x07\x9b2J\u202e\x00\r\n\ud800z"
        task = {"stmt": evil, "label": evil, "sub_label": evil, "description": evil}
        records = [{"kind": "measurement", "task": task, "stats": {"estimate": 1.0}},
                   {"kind": "failure", "task": {"stmt": evil}, "error": {"code": evil, "text": evil}},
                   {"kind": "verdict", "task": {"stmt": evil}, "verdict": evil}]
        shown = [repr(bilanx.Result(record)) for record in records]
        shown += map(str, map(bilanx.Result, records))
        shown.append(repr(bilanx._results.Results(map(bilanx.Result, records))).replace("\n", ""))
        measured = bilanx.benchmark.Measurement(1, [2.0], bilanx.benchmark.TaskSpec(
            evil, evil, label=evil, sub_label=evil, description=evil, env=evil))
        shown.append(repr(measured).replace("\n", ""))
        safe = evil.replace("\ud800", "").replace("\x00", "")
        table = bilanx.benchmark.Compare([bilanx.benchmark.Measurement(
            1, [2.0], bilanx.benchmark.TaskSpec(safe, "", label=safe, description=safe, env=safe))])
        shown.append(str(table).replace("\n", ""))
        from bilanx.benchmark.utils.valgrind_wrapper import timer_interface as counts
        shown.append(repr(counts.FunctionCounts((counts.FunctionCount(1, evil),), False))
                     .replace("\n", ""))
        for text in shown:
            self.assertTrue(text.isprintable(), ascii(text))
            self.assertIn("a\\x1b]0;owned\\x07", text)

    def test_what_is_loaded_cannot_control_the_terminal(self):
        record = ('{"schema": "bilanx/1", "kind": "measurement", "number_per_run": 1, '
                  '"task": {"stmt": "\\u001b[2Jx"}, "raw_times": [1]}\n')
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write(record)
            file.flush()
            loaded = bilanx.load(file.name)[0]
        self.assertEqual(loaded.stmt, "\x1b[2Jx")
        self.assertIn("<\\x1b[2Jx: 1 s", str(loaded))

    def test_paths_are_never_options(self):
        with tempfile.TemporaryDirectory() as folder, inside(folder):
            for name in ("-h", "--help", "-", "--quiet"):
                with self.assertRaisesRegex((ValueError, RuntimeError), name):
                    bilanx.run(name)
                with self.assertRaisesRegex((ValueError, RuntimeError), name):
                    bilanx.load(name)
                with self.assertRaisesRegex((ValueError, RuntimeError), name):
                    bilanx.ab("cc:cc", "cc:cc", name)
                result = bilanx.time("1", json=name, **QUICK)
                self.assertEqual(list(bilanx.load(name)), [result])
                self.assertTrue(os.path.exists(name))

    def test_a_statement_may_be_long(self):
        text = "'" + "x" * (1 << 20) + "'"
        result = bilanx.time(text, setup="y = " + text, description=text[:1000], **QUICK)
        self.assertEqual((result.kind, result.stmt), ("measurement", text))
        with self.assertRaisesRegex(ValueError, "NUL"):
            bilanx.time("'a\0b'", **QUICK)

    def test_what_is_measured_does_not_inherit_the_arguments(self):
        result = bilanx.time("pass", setup="import os\nfor fd in os.listdir('/proc/self/fd'):\n"
                             "  try: assert 'memfd' not in os.readlink('/proc/self/fd/' + fd)\n"
                             "  except OSError: pass", **QUICK)
        self.assertEqual(result.kind, "measurement", result)

    def test_pandas_where_it_is(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = bilanx.time("1", "2", **QUICK).to_pandas()
        self.assertEqual(list(frame["name"]), ["1", "2"])

    def test_instructions_are_counted(self):
        result = bilanx.count("x++", setup="volatile int x = 0", repeats=2)
        self.assertGreater(result.instructions, 1)
        self.assertIn("instructions", repr(result))


if __name__ == "__main__":
    tap.main()
