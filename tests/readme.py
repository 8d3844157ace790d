#!/usr/bin/env python3
"""Executes the examples of Markdown files, as a reader would after `make install`: TAP.

    readme.py BUILD_DIR PREFIX LIBDIR FILE.md...

```c copy.c           a block with a file's name writes that file
```console            `$ command` lines (\\ continues one), each followed by what it prints
```console no-run     not run: only for make, git and apt-get, which a test cannot run
```console clone      `$ git clone URL && cd NAME`, which is not run, then commands that run in
                      $BILANX_CLONES/NAME, or are skipped if there is no such clone

Each Markdown file has its own directory, with `suites/` in it. The output is compared ignoring numbers, units and
padding; `...` stands for the rest of a line, or alone on a line for any lines. The text may show
stdout only or both streams, since warnings depend on the machine. A command must succeed, or have
a comment with its exit status: `$ bilanx run ./crash  # exits 1`.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile

TIMEOUT_S = 300
NEVER_RUN = re.compile(r"(sudo )?(make|git|apt-get)\b")
CLONE = re.compile(r"git clone (?:-q )?https://\S+/([\w.-]+) && cd \1")
NUMBER = r"[-+±]?\d[\d,]*(\.\d+)?([eE][-+]?\d+)?"
UNIT = r"([num\u00b5\u03bc]s|s|min|[kKMGT]?i?B(/s)?|[kKMGT]?/s|[kMGT])(?![\w/])"


def blocks(path):
    """Yields (line number, words of the info string, lines) of each fenced block."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    start = None
    for number, line in enumerate(lines, 1):
        if not line.startswith("```"):
            continue
        if start is None:
            start, info = number, line.strip("`").split()
        else:
            yield start, info, lines[start:number - 1]
            start = None
    if start is not None:
        raise SystemExit(f"{path}:{start}: this block has no end")


def commands(first, lines):
    """Yields (line number, command, expected lines) of a console block."""
    found = []
    continued = False
    for number, line in enumerate(lines, first + 1):
        if continued:
            found[-1][1] += "\n" + line
        elif line.startswith("$ "):
            found.append([number, line[2:], []])
        elif found:
            found[-1][2].append(line)
        else:
            raise SystemExit(f"line {number}: a console block begins with '$ command'")
        continued = bool(found) and found[-1][1].endswith("\\") and not found[-1][2]
    return found


# Warnings about the state of the machine or the location of code, not about the example.
MOMENT = (r"(neighbour|rare-epochs|core-shared|core-unknown|core-relearned|wide-interval|high-iqr|unreliable-iqr|disturbed|busy-machine|cpu-frequency-scaling|layout-groups|process-groups|"
          r"by (layout|process) \(\d+ and \d+ of \d+\))")


def normal(line):
    """Removes from a line everything that may vary."""
    line = re.sub(rf"{MOMENT}, |(, )?{MOMENT}(?! \()", "", line)  # in the notes column
    line = re.sub(r"^(benchmark.*) note\s*$", r"\1", line)     # this column may be missing
    if line.startswith("benchmark"):                           # and so may these
        line = re.sub(r" (±|layout)(?= |$)", "", line)
    line = re.sub(rf"\b{UNIT}(?=\)|\])", "U", line)            # a column heading: time (ns)
    line = re.sub(rf"{NUMBER}(\s*{UNIT})?", "N", line)
    line = re.sub(r"N or N", "N N%", line)                     # two times have no interval
    line = re.sub(r"N%(\s+N%)+", "N% N%", line)                # within, between, perhaps layout
    line = re.sub(r"([-=─━])\1\1+", r"\1\1\1", line)           # a rule is as long as its column
    return re.sub(r"\s+", " ", line).strip()


def trimmed(lines):
    of_moment = re.compile(rf"{MOMENT}( \(|: )|control: ")
    lines = [normal(line) for line in lines if not of_moment.match(line)]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def line_matches(pattern, line):
    parts = [re.escape(part.strip()) for part in pattern.split("...")]
    return re.fullmatch(r"\s*.*?\s*".join(parts), line) is not None


def matches(expected, actual):
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return (bool(actual) and line_matches(expected[0], actual[0])
            and matches(expected[1:], actual[1:]))


def problem(command, expected, directory, environment):
    """Runs a command; returns what is wrong with it, or None."""
    try:
        done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=TIMEOUT_S, errors="replace")
    except subprocess.TimeoutExpired:
        return f"takes longer than {TIMEOUT_S} s"
    promised = re.search(r"# exits (\d+)$", command)
    status = int(promised.group(1)) if promised else 0
    if done.returncode != status:
        return f"exits with {done.returncode}, not {status}:\n{done.stdout}{done.stderr}"
    wanted = trimmed(expected)
    for output in (done.stdout, done.stderr + done.stdout, done.stdout + done.stderr):
        if matches(wanted, trimmed(output.splitlines())):
            return None
    diff = difflib.unified_diff(wanted, trimmed((done.stdout + done.stderr).splitlines()),
                                "expected", "printed", lineterm="")
    return "\n".join(diff) + f"\nas printed:\n{done.stdout}{done.stderr}"


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def case(self, name, trouble=None, skip=None):
        self.count += 1
        self.failed += trouble is not None
        name = name.split("\n")[0].replace("#", "")
        print(f"{'ok' if trouble is None else 'not ok'} {self.count} - {name}"
              + (f" # SKIP {skip}" if skip else ""))
        for line in (trouble or "").splitlines():
            print("#", line)
        sys.stdout.flush()


def not_run(name, command, tap):
    if NEVER_RUN.match(command):
        tap.case(name, skip="cannot run in a test")
    else:
        tap.case(name, "only make, git and apt-get may be no-run")


def run_in_clone(base, found, environment, tap):
    """Runs commands in an existing clone, as tests have no network."""
    number, command, _ = found[0]
    match = CLONE.fullmatch(command)
    if not match:
        tap.case(f"{base}:{number}", "begin with 'git clone URL/NAME && cd NAME'")
        return
    directory = os.path.join(os.environ.get("BILANX_CLONES", "/nonexistent"), match[1])
    for number, command, expected in found[1:]:
        name = f"{base}:{number}: {command}"
        if os.path.isdir(directory):
            tap.case(name, problem(command, expected, directory, environment))
        else:
            tap.case(name, skip=f"no $BILANX_CLONES/{match[1]}")


def run_console(base, kind, found, directory, environment, tap):
    if kind == ["clone"]:
        run_in_clone(base, found, environment, tap)
        return
    for number, command, expected in found:
        name = f"{base}:{number}: {command}"
        if kind == ["no-run"]:
            not_run(name, command, tap)
        else:
            tap.case(name, problem(command, expected, directory, environment))


def run_file(path, directory, environment, tap):
    base = os.path.basename(path)
    for first, info, lines in blocks(path):
        if len(info) == 2 and re.fullmatch(r"[\w-]+\.\w+", info[1]):
            with open(os.path.join(directory, info[1]), "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        elif info[:1] == ["console"]:
            run_console(base, info[1:], commands(first, lines), directory, environment, tap)
        elif info[:1] in (["sh"], ["bash"], ["shell"]):
            tap.case(f"{base}:{first}",
                     "this block is not tested: make it 'console', with '$ ' and output")


def installed(build, prefix, libdir, root):
    """Installs below root; returns an environment that finds programs there."""
    subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", root],
                   check=True, stdout=sys.stderr)
    prefix = root + prefix
    lib = os.path.join(prefix, libdir)
    ours = {"PATH": f"{prefix}/bin", "CPATH": f"{prefix}/include", "LIBRARY_PATH": lib,
            "LD_LIBRARY_PATH": lib, "PKG_CONFIG_PATH": f"{lib}/pkgconfig",
            "CMAKE_PREFIX_PATH": prefix}
    environment = dict(os.environ)
    for role in "AUTHOR", "COMMITTER":
        environment.update({f"GIT_{role}_NAME": "You", f"GIT_{role}_EMAIL": "you@example.com"})
    environment.pop("MALLOC_PERTURB_", None)  # set by Meson; it would slow down what is measured
    for name, value in ours.items():
        environment[name] = ":".join(filter(None, [value, os.environ.get(name)]))
    return environment


def main(build, prefix, libdir, *files):
    tap = Tap()
    with tempfile.TemporaryDirectory() as root:
        environment = installed(build, prefix, libdir, root)
        for path in files:
            with tempfile.TemporaryDirectory() as directory:
                os.symlink(f"{root}{prefix}/share/bilanx/suites", f"{directory}/suites")
                run_file(path, directory, environment, tap)
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
