#!/usr/bin/python3
"""The package in a virtual environment, after `pip install`: TAP. BILANX_BUILD is the build."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def clean_environment():
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.python = os.path.join(cls.folder, "venv/bin/python")
        subprocess.run(["/usr/bin/python3", "-m", "venv", os.path.join(cls.folder, "venv")], check=True)
        cls.call(cls.python, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-index",
                 ROOT)

    @classmethod
    def call(cls, *words):
        return subprocess.run(words, check=True, capture_output=True, text=True, cwd=cls.folder,
                              env=clean_environment()).stdout

    def test_the_example_of_the_readme_is_five_lines_and_works(self):
        with open(os.path.join(ROOT, "python/README.md")) as file:
            example = re.search(r"```python\n(.*?)```", file.read(), re.S).group(1)
        self.assertEqual(len(example.splitlines()), 5)
        printed = self.call(self.python, "-c", example)
        self.assertIn("<sorted(x): ", printed)
        self.assertIn("slower", printed)

    def test_the_command_and_its_workers_are_there(self):
        bilanx = os.path.join(self.folder, "venv/bin/bilanx")
        self.assertIn("bilanx ", self.call(bilanx, "--version"))
        for words in (["x + 1", "-s", "int x = 1"], ["-l", "python", "1"]):
            self.assertIn("benchmark", self.call(bilanx, "time", "--max-run-time", "0.05", "-q", *words))

    def test_the_drop_in_needs_nothing_else(self):
        self.call(self.python, "-c", """if True:
            import bilanx.benchmark as benchmark
            assert benchmark.Timer("x + 1", "x = 1").timeit(10).median > 0
            timer = benchmark.Timer("x++;", "volatile int x = 0;", language="c++")
            assert timer.timeit(10).median > 0
            assert timer.collect_callgrind(number=10).counts() > 10
            assert benchmark.Timer("1").collect_callgrind(number=10).counts() > 10
            """)

    def test_a_missing_library_is_named(self):
        printed = self.call(self.python, "-c", """if True:
            import bilanx._paths as paths
            paths._LIBRARIES["libabsent.so.7"] = "libabsent7"
            print(paths.missing_libraries())""")
        self.assertEqual(printed.strip(), "{'libabsent.so.7': 'libabsent7'}")

    def test_the_wheel_is_for_the_stable_abi(self):
        out = self.call("/usr/bin/python3", os.path.join(ROOT, "python/backend.py"), self.folder)
        path = out.strip().splitlines()[-1]
        self.assertRegex(os.path.basename(path), r"^bilanx-[0-9.]+-cp38-abi3-linux_\w+\.whl$")
        names = zipfile.ZipFile(path).namelist()
        for name in "bilanx/bin/bilanx", "bilanx/libexec/bilanx/bilanx-worker", "bilanx/py.typed":
            self.assertIn(name, names)


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    tap.main()
