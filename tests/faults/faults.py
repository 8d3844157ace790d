"""Whatever goes wrong, nothing is lost or left behind, and a message says what happened.

    faults.py BILANX [--seed N] [--count N | --all] [--jobs N] [--languages c,c++,python] [--fault N]

A fault is what the statement does, its language and the command, or the function of the Python package; and, at random, what else is wrong and
which process gets which signal when. --all runs every statement with every command. After each fault:
  - no process or temporary file is left (except those that the next run removes after kill -9);
  - every line of the file of records is a record, and --resume completes a suite without writing one twice;
  - the exit status is a documented one, and unless it is 0, stderr says why;
  - it has ended in time, and no sanitizer has reported anything.
Prints TAP, one line per command. To reproduce a finding use --seed and --fault.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LONGEST_S = 90
BRIEF = ['--max-run-time', '20ms', '--timeout', '1s']

# What a statement does: per language, a statement and the code before it.
Code = collections.namedtuple('Code', 'stmt setup globals', defaults=('', ''))
HEADERS = '#include <signal.h>\n#include <sys/resource.h>\n#include <unistd.h>\n#include <pthread.h>\n'
ONCE = 'static int n; if (n++ < 3) '


def c(stmt, setup='', functions=''):
    return Code(stmt, setup, HEADERS + functions)


def py(stmt, setup=''):
    return Code(stmt, 'import ctypes, os, signal, subprocess, sys, threading, time\n' + setup)


ACTS = {
    'works': {'c': c('x++', 'volatile long x = 0'), 'python': py('x += 1', 'x = 0')},
    'works slowly': {'c': c('usleep(30000)'), 'python': py('time.sleep(.03)')},
    'does not compile': {'c': c('x +'), 'python': py('x +')},
    'aborts': {'c': c('abort()'), 'python': py('os.abort()')},
    'dereferences a null pointer': {'c': c('*(volatile int *)0 = 1'), 'python': py('ctypes.string_at(0)')},
    'crashes in its setup': {'c': c('x++', 'volatile long x = 0; abort()'), 'python': py('1', 'os.abort()')},
    'exits': {'c': c('exit(0)'), 'python': py('sys.exit(0)')},
    'exits at once': {'c': c('_exit(3)'), 'python': py('os._exit(3)')},
    'hangs': {'c': c('pause()'), 'python': py('time.sleep(1000)')},
    'hangs in its setup': {'c': c('x++', 'volatile long x = 0; for (;;) pause()'), 'python': py('1', 'time.sleep(1000)')},
    'spins': {'c': c('for (volatile int i = 0;; i++) {}'), 'python': py('while True: pass')},
    'stops itself': {'c': c('raise(SIGSTOP)'), 'python': py('os.kill(os.getpid(), signal.SIGSTOP)')},
    'kills itself': {'c': c('raise(SIGKILL)'), 'python': py('os.kill(os.getpid(), signal.SIGKILL)')},
    'kills its group': {'c': c('kill(0, SIGTERM)'), 'python': py('os.kill(0, signal.SIGTERM)')},
    'floods its output': {'c': c('puts("again and again and again")'), 'python': py('print("again and again")')},
    'overflows its stack': {'c': c('deeper(1)', '', 'static int deeper(int n) { volatile char a[4096]; a[0] = (char)n; return deeper(n + 1) + a[0]; }'),
                            'python': py('deeper()', 'def deeper(): deeper()\n')},
    'leaves sleepers': {'c': c('{' + ONCE + '{ if (fork() == 0) { sleep(1000); _exit(0); } } }'),
                        'python': py('n += 1\nif n < 3 and os.fork() == 0: time.sleep(1000)', 'n = 0')},
    'leaves daemons': {'c': c('{' + ONCE + '{ if (fork() == 0) { setsid(); for (;;) pause(); } } }'),
                       'python': py('n += 1\nif n < 3: subprocess.Popen(["setsid", "sleep", "1000"])', 'n = 0')},
    'leaves a child of its setup': {'c': c('x++', 'volatile long x = 0; if (fork() == 0) { setsid(); sleep(1000); _exit(0); }'),
                                    'python': py('1', 'subprocess.Popen(["setsid", "sleep", "1000"])')},
    'forks repeatedly': {'c': c('{static int n; if (n++ < 6) fork();}'), 'python': py('n += 1\nif n < 5: os.fork()', 'n = 0')},
    'runs a command': {'c': c('(void)!system("true")'), 'python': py('subprocess.run(["true"])')},
    'closes everything': {'c': c('for (int i = 0; i < 64; i++) close(i)'), 'python': py('os.closerange(0, 64)')},
    'closes its streams': {'c': c('close(0), close(1), close(2)'), 'python': py('os.closerange(0, 3)')},
    'writes to every descriptor': {'c': c('for (int i = 3; i < 20; i++) { ssize_t done = write(i, "babble\\n", 7); (void)done; }'),
                                   'python': py('for i in range(3, 20):\n    try: os.write(i, b"babble\\n")\n    except OSError: pass')},
    'leaves its loop': {'c': c('if (x++ > 3) break', 'volatile long x = 0'), 'python': py('if len(sys.argv) > 100: pass')},
    'returns': {'c': c('return'), 'python': py('return')},
    'throws': {'c++': Code('throw 1'), 'python': py('raise ValueError("a fault")')},
    'blocks all signals': {'c': c('pause()', 'sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0)'),
                           'python': py('time.sleep(1000)', 'signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))')},
    'limits its own descriptors': {'c': c('x++', 'volatile long x = 0; struct rlimit none = {3, 3}; setrlimit(RLIMIT_NOFILE, &none)'),
                                   'python': py('1', 'import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))')},
    'changes directory': {'c': c('x++', 'volatile long x = 0; if (chdir("/") != 0) abort()'), 'python': py('1', 'os.chdir("/")')},
    'starts threads': {'c': c('pthread_t t; pthread_create(&t, 0, endless, 0)', '', 'static void *endless(void *p) { for (;;) pause(); return p; }'),
                       'python': py('threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()')},
    'takes more and more memory': {'c': c('memset(malloc(1 << 24), 1, 1 << 24)'), 'python': py('x.append(bytes(1 << 24))', 'x = []')},
}
ACTS['throws']['c'] = c('__builtin_trap()')


def quote(text):
    return json.dumps(text)


def write_suite(folder, language, code):
    def entry(name, one):
        lines = [f'  {name}:', f'    stmt: {quote(one.stmt)}']
        lines += [f'    setup: {quote(one.setup)}'] if one.setup else []
        lines += [f'    global_setup: {quote(one.globals)}'] if one.globals else []
        return '\n'.join(lines)
    fine = ACTS['works']['python' if language == 'python' else 'c']
    path = os.path.join(folder, 'suite.yaml')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'suite: faults\nlanguage: {language}\nbenchmarks:\n' + '\n'.join(
            [entry('before', fine), entry('act', code), entry('after', fine)]) + '\n')
    return path


def statement(language, code):
    words = ['-l', language]
    words += ['-s', code.setup] if code.setup else []
    words += ['-g', code.globals] if code.globals else []
    return words


def time_command(folder, language, code, out):
    return ['time', code.stmt, *statement(language, code), *BRIEF, '-o', out]


def run_command(folder, language, code, out):
    return ['run', write_suite(folder, language, code), *BRIEF, '-o', out]


def count_command(folder, language, code, out):
    return ['count', code.stmt, *statement(language, code), '--timeout', '3s', '-o', out]


def ab_command(folder, language, code, out):
    sides = ['--A', 'export SIDE=a', '--B', 'export SIDE=b'] if language == 'python' else ['--A', 'cc:gcc -O1', '--B', 'cc:gcc -O2']
    return ['ab', *sides, '--stmt', code.stmt, *statement(language, code), '--budget', '.3s', '--timeout', '1s', '-o', out]


def shell_command(folder, language, code, out):
    return ['time', '--max-run-time', '20ms', '--min-runs', '3', '--timeout', '2s', '-o', out, '--', 'sh', '-c', code.stmt]


# The package, beside the command in its build. The setup runs with the first call: nothing of it may
# happen in the process that measures.
FUNCTIONS = """
import sys
sys.path.insert(0, {package!r})
import bilanx
from bilanx._results import Results

scope = {{}}

def function():
    if not scope:
        exec({setup!r}, scope)
    exec({stmt!r}, scope)

try:
    Results([bilanx.{call}]).save({out!r})
except KeyboardInterrupt as stopped:
    print('interrupted with', len(stopped.results), file=sys.stderr)
    sys.exit(130)
except Exception as error:
    print(type(error).__name__, error, file=sys.stderr)
    sys.exit(1)
"""


def functions(call):
    def command(folder, language, code, out):
        path = os.path.join(folder, 'functions.py')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(FUNCTIONS.format(package=PACKAGE[0], setup=code.setup, stmt=code.stmt, call=call, out=out))
        return [path]
    return command


PACKAGE = []  # its folder, once the command is known
time_function = functions('time(function, max_run_time=.02, timeout=1)')
ab_functions = functions('ab(function, function, budget=.3, timeout=1)')

# A command may start a server on purpose: processes that call setsid() are not checked.
for text in ('true', 'exit 3', 'kill -9 $$', 'sleep 1000', 'sleep 1000 &', 'yes', 'exec 0<&- 1>&- 2>&-', 'kill -STOP $$'):
    ACTS[text] = {'sh': Code(text)}
COMMANDS = {'time': time_command, 'run': run_command, 'ab': ab_command, 'count': count_command, 'command': shell_command,
            'function': time_function, 'functions': ab_functions}
IN_PYTHON = {'function', 'functions'}

# Additional problems.
CIRCUMSTANCES = ['nothing'] * 6 + [
    'an empty cache', 'an empty cache', 'a damaged cache', 'no cache', 'no home', 'stdin is closed', 'stdout is closed',
    'stderr is closed', 'a full output', 'files of 4 KB', 'umask 0', 'no TMPDIR']
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
Fault = collections.namedtuple('Fault', 'index command act language circumstance signal target delay')
STATUSES = {0, 1, 2, 3, 129, 130}


def table(languages):
    """Every statement with every command."""
    found = []
    for act, codes in ACTS.items():
        if 'sh' in codes:
            found.append(('command', act, 'sh'))
            continue
        spoken = [one for one in languages if one in codes or (one == 'c++' and 'c' in codes)]
        found += [(command, act, language) for command in COMMANDS if command != 'command' for language in spoken
                  if language == 'python' or command not in IN_PYTHON]
    return found


def draw(seed, index, languages):
    source = random.Random(f'{seed} {index}')
    rows = table(languages)
    random.Random(seed).shuffle(rows)
    command, act, language = rows[(index - 1) % len(rows)]
    killed = source.random() < .6
    return Fault(index, command, act, language, source.choice(CIRCUMSTANCES),
                 source.choice(SIGNALS) if killed else None, source.choice(['bilanx', 'bilanx', 'a worker', 'all']),
                 source.choice([.005, .03, .1, .3, 1]) * source.random() * 2)


def describe(fault):
    text = f'{fault.command}, {fault.language}: {fault.act}; {fault.circumstance}'
    if fault.signal:
        text += f'; {fault.signal.name} to {fault.target} after {fault.delay * 1000:.0f} ms'
    return text


def code_of(fault):
    acts = ACTS[fault.act]
    return acts.get(fault.language) or acts['c']


def damage(folder, source):
    """Changes a few bytes of every file."""
    for path in glob.glob(os.path.join(folder, '**', '*'), recursive=True):
        if os.path.isfile(path) and os.path.getsize(path):
            with open(path, 'r+b') as file:
                for _ in range(4):
                    file.seek(source.randrange(os.path.getsize(path)))
                    file.write(bytes([source.randrange(256)]))


def alive(token):
    """The processes with the token in their environment, which all descendants inherit."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/environ', 'rb') as file:
                if token in file.read():
                    with open(f'/proc/{pid}/cmdline', 'rb') as line:
                        found.append((int(pid), line.read().replace(b'\0', b' ').decode(errors='replace')))
        except OSError:
            pass
    return found


def name_of(pid):
    try:
        with open(f'/proc/{pid}/comm', encoding='utf-8') as file:
            return file.read().strip()
    except OSError:
        return ''


def children_of(pid):
    """Children, except for the guard, which cleans up after kill -9: nothing cleans up after the guard."""
    try:
        with open(f'/proc/{pid}/task/{pid}/children', encoding='ascii') as file:
            return [int(word) for word in file.read().split() if name_of(word) != 'bilanx-guard']
    except OSError:
        return []


class Trial:
    """One fault: sets up, runs, disturbs and checks afterwards."""

    def __init__(self, bilanx, seed, fault, cache):
        self.bilanx, self.fault, self.findings = bilanx, fault, []
        self.folder = tempfile.mkdtemp(prefix='faults-')
        self.source = random.Random(f'{seed} {fault.index} trial')
        self.token = f'BILANX_FAULT={os.path.basename(self.folder)}'.encode()
        self.out = os.path.join(self.folder, 'out.jsonl')
        self.temporary = os.path.join(self.folder, 'tmp')
        os.mkdir(self.temporary)
        self.environment = dict(os.environ, BILANX_FAULT=os.path.basename(self.folder), TMPDIR=self.temporary,
                                XDG_CACHE_HOME=cache, HOME=self.folder)
        self.environment.update({name: f'handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigill=0:detect_leaks=0:log_path={self.folder}/sanitizer'
                                 for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS')})

    def arguments(self):
        return COMMANDS[self.fault.command](self.folder, self.fault.language, code_of(self.fault), self.out)

    def arrange(self):
        """Sets up what is wrong from the start; returns the arguments for Popen."""
        circumstance, how = self.fault.circumstance, {}
        if circumstance in ('an empty cache', 'a damaged cache'):
            self.environment['XDG_CACHE_HOME'] = os.path.join(self.folder, 'cache')
        if circumstance == 'a damaged cache':
            self.run(self.arguments())
            if os.path.exists(self.out):
                os.unlink(self.out)
            damage(self.environment['XDG_CACHE_HOME'], self.source)
        elif circumstance == 'no cache':
            self.environment['XDG_CACHE_HOME'] = self.environment['HOME'] = '/proc'
        elif circumstance == 'no home':
            del self.environment['XDG_CACHE_HOME'], self.environment['HOME']
        elif circumstance == 'a full output':
            self.out = '/dev/full'
        elif circumstance == 'no TMPDIR':
            self.environment['TMPDIR'] = os.path.join(self.folder, 'nowhere')
        closed = {'stdin is closed': 0, 'stdout is closed': 1, 'stderr is closed': 2}.get(circumstance)

        def before():
            if closed is not None:
                os.close(closed)
            if circumstance == 'files of 4 KB':
                resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
            if circumstance == 'umask 0':
                os.umask(0)
        how['preexec_fn'] = before
        return how

    def run(self, arguments, disturb=None, **how):
        """Runs bilanx; calls `disturb` meanwhile."""
        with open(os.path.join(self.folder, 'stdout'), 'wb') as out, open(os.path.join(self.folder, 'stderr'), 'wb') as err:
            program = sys.executable if self.fault.command in IN_PYTHON else self.bilanx
            process = subprocess.Popen([program, *arguments], env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=err, cwd=self.folder, start_new_session=True, **how)
            if disturb:
                disturb(process)
            try:
                process.wait(LONGEST_S)
            except subprocess.TimeoutExpired:
                self.findings.append(f'has not ended after {LONGEST_S} s')
                for pid, _ in alive(self.token):
                    os.kill(pid, signal.SIGKILL)
                process.wait()
        return process.returncode

    def kill(self, process):
        time.sleep(self.fault.delay)
        targets = {'bilanx': [process.pid], 'a worker': children_of(process.pid)[-1:],
                   'all': [process.pid, *children_of(process.pid)]}[self.fault.target]
        for pid in targets:
            try:
                os.kill(pid, self.fault.signal)
            except ProcessLookupError:
                pass

    def text_of(self, name):
        with open(os.path.join(self.folder, name), encoding='utf-8', errors='replace') as file:
            return file.read()

    def check_processes(self):
        for _ in range(40):
            left = alive(self.token)
            if not left:
                return
            time.sleep(.05)
        self.findings.append(f'left running: {left}')
        for pid, _ in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def check_files(self):
        killed = self.fault.signal == signal.SIGKILL
        if not killed:
            left = os.listdir(self.temporary)
            if left:
                self.findings.append(f'left in TMPDIR: {left}')
            own = os.path.join(self.folder, 'cache')
            building = glob.glob(os.path.join(own, 'bilanx', '*', 'building-*'))
            if building:
                self.findings.append(f'left in the cache: {building}')
        for path in glob.glob(os.path.join(self.folder, 'sanitizer*')):
            with open(path, encoding='utf-8', errors='replace') as file:
                said = file.read(1500)
            if 'ERROR' in said or 'runtime error' in said:  # not warnings about partial support
                self.findings.append('a sanitizer says: ' + said)

    def records(self):
        if not os.path.isfile(self.out):
            return []
        found = []
        with open(self.out, 'rb') as file:
            for number, line in enumerate(file, 1):
                try:
                    one = json.loads(line)
                    assert one['schema'] == 'bilanx/1' and line.endswith(b'\n')
                    found.append(one)
                except (ValueError, KeyError, AssertionError):
                    self.findings.append(f'line {number} is not a record: {line[:200]}')
        return found

    def check_status(self, status):
        fault = self.fault
        reached = fault.signal and fault.target != 'a worker'
        allowed = STATUSES | ({-fault.signal} if reached else set())
        if status not in allowed:
            self.findings.append(f'exit status {status}')
        silent = not self.text_of('stderr').strip()
        if status in (1, 2, 3, 129, 130) and silent and fault.circumstance != 'stderr is closed':
            self.findings.append(f'exit status {status} without a message')
        if fault.signal != signal.SIGINT and 'Traceback' in self.text_of('stderr') and 'bilanx_worker.py' in self.text_of('stderr'):
            self.findings.append('a traceback from our own code')

    def check_resume(self):
        """An interrupted suite is completed, and nothing is written twice."""
        words = self.arguments()
        words[words.index('-o')] = '--resume'
        status = self.run(words)
        if status not in (0, 1):
            self.findings.append(f'--resume: exit status {status}: {self.text_of("stderr")[:300]}')
        labels = collections.Counter(one['task'].get('label') for one in self.records())
        if labels != {'before': 1, 'act': 1, 'after': 1}:
            self.findings.append(f'after --resume there are {dict(labels)}')

    def perform(self):
        how = self.arrange()
        status = self.run(self.arguments(), self.kill if self.fault.signal else None, **how)
        self.check_processes()
        self.check_status(status)
        self.check_files()
        self.records()
        if self.fault.command == 'run' and self.fault.circumstance in ('nothing', 'an empty cache', 'a damaged cache', 'umask 0'):
            self.check_resume()
            self.check_processes()
        if self.findings:
            self.findings.append('stderr: ' + self.text_of('stderr')[:600])
        shutil.rmtree(self.folder, ignore_errors=True)
        return self.findings


def attempt(bilanx, seed, fault, cache):
    try:
        return Trial(bilanx, seed, fault, cache).perform()
    except Exception as error:  # a failure of the driver is a finding too
        return [f'the driver failed: {error!r}']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('bilanx')
    parser.add_argument('--seed', type=int, default=random.SystemRandom().randrange(10 ** 6))
    parser.add_argument('--count', type=int, default=60)
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1)
    parser.add_argument('--languages', default='c,c++,python')
    parser.add_argument('--fault', type=int, help='only this one')
    options = parser.parse_args()
    bilanx, languages = os.path.abspath(options.bilanx), options.languages.split(',')
    PACKAGE.append(os.path.join(os.path.dirname(bilanx), 'python'))
    if not os.path.isdir(os.path.join(PACKAGE[0], 'bilanx')):
        for name in IN_PYTHON:
            del COMMANDS[name]
    count = len(table(languages)) if options.all else options.count
    faults = [draw(options.seed, index, languages) for index in ([options.fault] if options.fault else range(1, count + 1))]
    print(f'# seed {options.seed}', flush=True)
    found = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as cache, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(attempt, bilanx, options.seed, fault, cache): fault for fault in faults}
        for future in concurrent.futures.as_completed(futures):
            fault = futures[future]
            for finding in future.result():
                found[fault.command].append(f'fault {fault.index} ({describe(fault)}): {finding}')
                print(f'# {found[fault.command][-1]}', flush=True)
    commands = [name for name in COMMANDS if any(fault.command == name for fault in faults)]
    for number, name in enumerate(commands, 1):
        total = sum(fault.command == name for fault in faults)
        print(f'{"not ok" if found[name] else "ok"} {number} - {name}: {total} faults, seed {options.seed}')
    print(f'1..{len(commands)}')
    return 1 if any(found.values()) else 0


if __name__ == '__main__':
    sys.exit(main())
