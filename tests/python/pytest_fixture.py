#!/usr/bin/python3
"""The fixture `benchmark` against pytest-benchmark's, on the same tests: TAP."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import bilanx

import tap

TESTS = '''
import pytest

def test_plain():
    pass

def test_call(benchmark):
    assert benchmark(sum, [1, 2, 3]) == 6
    benchmark.extra_info["key"] = [1]

@pytest.mark.parametrize("n", [10, 20])
@pytest.mark.benchmark(group="sums", min_rounds=7)
def test_sums(benchmark, n):
    assert benchmark(lambda: sum(range(n))) == sum(range(n))

def test_pedantic(benchmark):
    calls = []
    benchmark.pedantic(calls.append, args=(1,), rounds=4, iterations=3, warmup_rounds=2)
    assert len(calls) == (19 if benchmark.enabled else 1)
    assert not benchmark.enabled or benchmark.stats.stats.rounds == 4

def test_setup(benchmark):
    seen = []
    last = benchmark.pedantic(lambda x: seen.append(x) or len(seen), setup=lambda: ((5,), {}), rounds=3,
                              warmup_rounds=1)
    assert seen == [5] * last and last == (4 if benchmark.enabled else 1)

def test_stats(benchmark):
    benchmark(len, "a")
    stats = benchmark.stats if benchmark.enabled else None
    assert not stats or stats["min"] <= stats["median"] <= stats["max"] == stats.get("max")
    assert not stats or stats["name"] == stats.name == "test_stats"
    assert not stats or stats.stats.outliers == stats["outliers"] and stats.get("none", 3) == 3

def test_twice(benchmark):
    benchmark(len, "a")
    with pytest.raises(Exception):
        benchmark(len, "b")

def test_wrong(benchmark):
    with pytest.raises(ValueError):
        benchmark.pedantic(len, args=("a",), setup=lambda: None, iterations=2)
'''
OURS, THEIRS = ["-p", "bilanx.pytest"], []


class Fixture(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        with open(os.path.join(self.folder, "test_it.py"), "w") as file:
            file.write(TESTS)

    def run_tests(self, whose, *options):
        quick = ["--benchmark-max-time=0.01", "-p", "no:cacheprovider", "-q"]
        done = subprocess.run([sys.executable, "-m", "pytest", *whose, *quick, *options],
                              cwd=self.folder, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def document(self, whose, *options):
        path = os.path.join(self.folder, "out.json")
        status, output = self.run_tests(whose, "--benchmark-json=" + path, *options)
        self.assertEqual(status, 0, output)
        with open(path) as file:
            return json.load(file)

    def make_faster_than_possible(self):
        for folder, _, files in os.walk(os.path.join(self.folder, ".benchmarks")):
            for name in files:
                path = os.path.join(folder, name)
                with open(path) as file:
                    document = json.load(file)
                for one in document["benchmarks"]:
                    one["stats"]["median"] = 1e-12
                with open(path, "w") as file:
                    json.dump(document, file)

    def test_tests_pass_and_files_have_the_same_keys_as_with_pytest_benchmark(self):
        ours, theirs = self.document(OURS), self.document(THEIRS)
        self.assertLessEqual(set(ours), set(theirs))
        self.assertEqual([one["fullname"] for one in ours["benchmarks"]],
                         [one["fullname"] for one in theirs["benchmarks"]])
        for our, their in zip(ours["benchmarks"], theirs["benchmarks"]):
            self.assertEqual(set(our), set(their))
            self.assertLessEqual(set(our["stats"]), set(their["stats"]) | {"data"})
            for key in "name", "group", "param", "params", "extra_info":
                self.assertEqual(our[key], their[key], key)
        for document, name in (ours, "ours"), (theirs, "theirs"):
            path = os.path.join(self.folder, name + ".json")
            with open(path, "w") as file:
                json.dump(document, file)
            self.assertEqual([r.sub_label for r in bilanx.load(path)],
                             [one["name"] for one in ours["benchmarks"]])

    def test_options_choose_and_disable(self):
        for whose in OURS, THEIRS:
            self.assertIn("8 passed, 1 skipped", self.run_tests(whose, "--benchmark-only")[1])
            self.assertIn("1 passed, 8 skipped", self.run_tests(whose, "--benchmark-skip")[1])
            status, output = self.run_tests(whose, "--benchmark-disable", "-k", "not twice")
            self.assertEqual(status, 0, output)

    def test_runs_are_stored_and_compared(self):
        for whose in OURS, THEIRS:
            self.assertEqual(self.run_tests(whose, "--benchmark-save=first")[0], 0)
            status, output = self.run_tests(whose, "--benchmark-compare",
                                            "--benchmark-compare-fail=median:100")
            self.assertEqual(status, 0, output)
            self.assertIn("0001_first", output)
            self.make_faster_than_possible()
            status, output = self.run_tests(whose, "--benchmark-compare",
                                            "--benchmark-compare-fail=median:5%")
            self.assertNotEqual(status, 0, output)
            self.assertIn("Performance has regressed", output)
            shutil.rmtree(os.path.join(self.folder, ".benchmarks"))

    def test_a_limit_that_makes_no_sense_is_refused(self):
        status, output = self.run_tests(OURS, "--benchmark-compare-fail=speed:5%")
        self.assertNotEqual(status, 0)
        self.assertIn("speed:5%", output)


if __name__ == "__main__":
    tap.main()
