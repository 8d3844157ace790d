"""The peer of bench/torch_counts and bench/torch_suite: Timer.collect_callgrind, in a separate process.

The argument is JSON: [{stmt, setup, global_setup, language, num_threads, number}, ...]. Prints one line of
JSON per task: [counts per iteration of every repeat, seconds], or [why it failed, seconds].

There are nine repeats. Each runs a hundred copies of the statement, and CPython 3.11 tries to specialise
every instruction when it is executed for the first, the second and the fifth time. So three of the nine
repeats include that, and the median does not.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

REPEATS = 9


def ask(python, tasks, **environment):
    """Yields the answers of `python` for the tasks. Timer uses the first `python` on the PATH."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(python, os.path.join(folder, 'python'))
        # Names are looked up in a dictionary; the hash seed decides which of them collide.
        environment = dict(os.environ, PATH=folder + os.pathsep + os.environ['PATH'], PYTHONHASHSEED='0',
                           **environment)
        with subprocess.Popen([python, __file__, json.dumps(tasks)], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, universal_newlines=True, env=environment) as process:
            for line in process.stdout:
                if line.startswith('['):
                    yield json.loads(line)


def median(counts):
    return sorted(counts)[(len(counts) - 1) // 2]


def timer_of(task):
    from torch.utils.benchmark import Timer
    if task.get('language', 'python') == 'python':
        setup = task.get('global_setup', '') + '\n' + task.get('setup', '')
        return Timer(task['stmt'], setup, num_threads=task.get('num_threads', 1))
    stmt = task['stmt'].rstrip()
    return Timer(stmt if stmt.endswith((';', '}')) else stmt + ';', task.get('setup', ''),
                 global_setup=task.get('global_setup', ''), language='cpp', num_threads=task.get('num_threads', 1))


def main():
    from torch.utils.benchmark.utils import cpp_jit
    # valgrind 3.19 cannot read the debug information that this flag of Debian's torch produces.
    cpp_jit.CXX_FLAGS = [flag for flag in cpp_jit.CXX_FLAGS if flag != '-gsplit-dwarf']
    for task in json.loads(sys.argv[1]):
        started = time.time()
        number = task.get('number', 100)
        try:
            stats = timer_of(task).collect_callgrind(number=number, repeats=REPEATS, collect_baseline=False)
            said = [one.counts(denoise=False) / number for one in stats]
        except Exception as error:
            said = '%s: %s' % (type(error).__name__, str(error)[-200:])
        print(json.dumps([said, time.time() - started]), flush=True)


if __name__ == '__main__':
    main()
