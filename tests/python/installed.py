#!/usr/bin/python3
"""The package in a virtual environment, after `pip install`: TAP. BILANX_BUILD is the build."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


VERDICT = r"\n(slower|undecided) [0-9.]+"  # a busy machine may leave it open


def clean_environment():
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def example():
    """The first one of the README."""
    with open(os.path.join(ROOT, "python/README.md")) as file:
        return re.search(r"```python\n(.*?)```", file.read(), re.S).group(1)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.build = os.path.join(os.environ["BILANX_BUILD"], "wheel")
        os.makedirs(cls.build, exist_ok=True)
        cls.python = cls.environment("with_system", "--system-site-packages")
        # As in the README, but with a build folder that is kept for the next time.
        cls.call(cls.python, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-index",
                 "--no-cache-dir", "--config-settings", "builddir=" + cls.build, ROOT)

    @classmethod
    def environment(cls, name, *options):
        """A new virtual environment's Python."""
        subprocess.run(["/usr/bin/python3", "-m", "venv", *options, os.path.join(cls.folder, name)],
                       check=True)
        return os.path.join(cls.folder, name, "bin/python")

    @classmethod
    def call(cls, *words):
        done = subprocess.run(words, capture_output=True, text=True, cwd=cls.folder,
                              env=clean_environment())
        if done.returncode != 0:
            raise AssertionError(f"{words}:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def test_the_example_of_the_readme_is_five_lines_and_works(self):
        self.assertEqual(len(example().splitlines()), 5)
        printed = self.call(self.python, "-c", example())
        self.assertIn("<sorted(x): ", printed)
        self.assertRegex(printed, VERDICT)

    def test_the_command_and_its_workers_are_there(self):
        bilanx = os.path.join(os.path.dirname(self.python), "bilanx")
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
        for library, package, code in (("libjansson.so.4", "libjansson4", "import bilanx"),
                                       ("libyaml-0.so.2", "libyaml-0-2", "bilanx.time('1')")):
            broken = tempfile.mkdtemp(dir=self.folder)
            open(os.path.join(broken, library), "w").close()
            done = subprocess.run([self.python, "-c", "import bilanx; " + code], cwd=self.folder,
                                  capture_output=True, text=True,
                                  env=dict(clean_environment(), LD_LIBRARY_PATH=broken))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"ImportError: bilanx needs {library}: apt-get install {package}",
                          done.stderr)

    def test_a_wheel_for_the_stable_abi_installs_into_a_bare_environment(self):
        out = self.call("/usr/bin/python3", os.path.join(ROOT, "tools/wheel"), self.folder, self.build)
        path = out.strip().splitlines()[-1]
        self.assertRegex(os.path.basename(path), r"^bilanx-[0-9.]+-cp38-abi3-linux_\w+\.whl$")
        bare = self.environment("bare")
        self.call(bare, "-m", "pip", "install", "--quiet", "--no-index", path)
        self.assertRegex(self.call(bare, "-c", example()), VERDICT)
        self.call(bare, "-m", "pip", "check")
        self.assertIn("bilanx ", self.call(os.path.join(os.path.dirname(bare), "bilanx"), "--version"))


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    tap.main()
