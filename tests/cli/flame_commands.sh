#!/usr/bin/env bash
# bilanx flame -- COMMAND: the frames of Python in commands, in what they start, and in programs
# that embed Python.
. "$(dirname "$0")/flame.bash"
unset PYTHONPATH PYTHONSAFEPATH VIRTUAL_ENV LD_PRELOAD
python=/usr/bin/python3

# Two functions that take three quarters and a quarter of the CPU time.
cat >parts.py <<'PY'
import time
def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(50))
def large():
    busy(.6)
def small():
    busy(.2)
large()
small()
PY
shares='assert abs(total("large", "busy") - 74) < 6 and abs(total("small", "busy") - 25) < 5, (total("large"), total("small"))'
check "a script" folded "$shares" -- $python parts.py
check "... between the native frames" stacks '
for f, w in stacks:
    if "busy" in bare(f):
        at = [bare(f).index(n) for n in ("_PyEval_EvalFrameDefault", "<module>", "busy")]
        assert at == sorted(at) and bare(f)[at[2] - 1] in ("large", "small"), f'
check "... and nothing is reported missing" bash -c '! grep "without frames of Python" "$0"' "$work/err"
check "... but the kernel's frames" err 'without frames of the kernel'
check "a script that is a child of a shell" folded "$shares" -- sh -c "$python parts.py; true"
check "... of a shell with another one beside it" folded "$shares" -- bash -c "$python parts.py & $python parts.py; wait"
check "a script without an environment, isolated" folded "$shares" -- env -i $python -I -E -S parts.py
printf '#!%s -I\n' $python | cat - parts.py >parts
chmod +x parts
check "a script that is a program" folded "$shares" -- ./parts
check "... found on the PATH" folded "$shares" -- env PATH="$work:$PATH" sh -c parts
check "several runs" folded 'assert total("large", "busy") > 50 and total("busy") > 90' --duration 2 -- $python parts.py

cat >embeds.c <<'C'
#include <Python.h>
int main(void)
{
    Py_Initialize();
    int failed = PyRun_SimpleString("exec(open('parts.py').read())");
    return Py_FinalizeEx() || failed;
}
C
read -ra embedding <<<"$($python-config --includes --embed --ldflags | tr '\n' ' ')"
cc embeds.c -o embeds "${embedding[@]}"
check "a program that embeds Python" folded "$shares" -- ./embeds

# Each way to start a program is another function of libc.
cat >starts.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char *words[] = {argv[2], "parts.py", 0}, *none[] = {0};
    const char *way = argv[1], *name = strrchr(argv[2], '/') + 1;
    pid_t pid = 0;
    FILE *file;
    if (!strcmp(way, "system"))
        return system("exec /usr/bin/python3 parts.py");
    if (!strcmp(way, "popen"))
        return !(file = popen("/usr/bin/python3 parts.py", "r")) || pclose(file);
    if (!strcmp(way, "posix_spawn") && posix_spawn(&pid, argv[2], 0, 0, words, none))
        return 1;
    if (!strcmp(way, "posix_spawnp") && posix_spawnp(&pid, name, 0, 0, words, none))
        return 1;
    if (!pid && !(pid = vfork())) {
        if (!strcmp(way, "execv")) execv(argv[2], words);
        if (!strcmp(way, "execve")) execve(argv[2], words, none);
        if (!strcmp(way, "execvp")) execvp(name, words);
        if (!strcmp(way, "execvpe")) execvpe(name, words, none);
        if (!strcmp(way, "execl")) execl(argv[2], words[0], words[1], (char *)0);
        if (!strcmp(way, "execlp")) execlp(name, words[0], words[1], (char *)0);
        if (!strcmp(way, "execle")) execle(argv[2], words[0], words[1], (char *)0, none);
        if (!strcmp(way, "fexecve")) fexecve(open(argv[2], O_RDONLY), words, none);
        _exit(127);
    }
    int status = 1;
    waitpid(pid, &status, 0);
    return status != 0;
}
C
cc -w starts.c -o starts
for way in execv execve execvp execvpe execl execlp execle fexecve posix_spawn posix_spawnp system popen; do
    check "a script started by $way()" folded "$shares" -- env PATH=/usr/bin:/bin ./starts $way $python
done

# Threads, forks, and code that is freed.
cat >crew.py <<'PY'
import multiprocessing, threading, time
def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(50))
def in_thread(): spin(.4)
def in_fork(): spin(.4)
def in_spawn(): spin(.4)
if __name__ == '__main__':
    for kind, target in ('fork', in_fork), ('spawn', in_spawn):
        process = multiprocessing.get_context(kind).Process(target=target)
        process.start()
        process.join()
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
PY
check "threads and processes of Python" folded '
assert all(abs(total(name) - 30) < 7 for name in ("in_thread", "in_fork", "in_spawn")), [total(n) for n in ("in_thread", "in_fork", "in_spawn")]' -- $python crew.py
cat >freed.py <<'PY'
import time
def busy():
    end = time.process_time() + .06
    while time.process_time() < end:
        sum(range(50))
template, places = busy.__code__, set()
for i in range(10):
    name = f'part_{i}'
    busy.__code__ = template.replace(co_name=name, co_qualname=name)
    places.add(id(busy.__code__))
    busy()
    busy.__code__ = template
assert len(places) < 10, places
PY
check "code in the place of code that was freed" folded 'assert all(abs(total(f"part_{i}") - 9.5) < 4 for i in range(10)), [total(f"part_{i}") for i in range(10)]' \
    -- $python freed.py

# The command is as it would be without us.
cat >same.sh <<'SH'
env | LC_ALL=C sort
/usr/bin/python3 -c 'import os, sys
print(*sorted(os.environ.items()), sep="\n")
print(os.open("/dev/null", 0), sys.argv, os.popen("env | LC_ALL=C sort").read(), sum(range(9000000)))'
echo "$0" >&2
exit 7
SH
# The shell itself sets two variables.
without_shell() { grep -vE "^_=|^SHLVL=|^\('(_|SHLVL)'" "$1"; }
# is_same [VARIABLE=VALUE]
is_same() {
    env "$@" sh -c 'sh same.sh >alone.out 2>alone.err </dev/null'
    exits 1 env "$@" "$BILANX" flame -q --folded s.folded -- sh -c 'sh same.sh >with.out 2>with.err' && err 'exited with status 7' &&
        grep -q PATH with.out && diff <(without_shell alone.out) <(without_shell with.out) && diff alone.err with.err
}
check "output, status, environment and descriptors are as without us" is_same
library=$(ldconfig -p | sed -n 's/.*libm\.so\.6.*x86-64.* => //p; s/.*libm\.so\.6.*AArch64.* => //p' | head -1)
check "... also if something else is preloaded" is_same LD_PRELOAD="$library"
leaves_signals() {
    cat >signals.py <<'PY'
import signal, os
hits = []
signal.signal(signal.SIGURG, lambda *_: hits.append(1))
os.kill(os.getpid(), signal.SIGURG)
assert hits
PY
    exits 0 "$BILANX" flame -q --folded s.folded --duration .5 -- $python signals.py
}
check "a program may use the signal that we use" leaves_signals

# Where the frames cannot be had, the result says why and what helps.
cat >old.c <<'C'
static volatile unsigned long sum;
const char *Py_GetVersion(void) { return "3.9.2 (default)"; }
void *PyGILState_GetThisThreadState(void) { return 0; }
int main(void)
{
    for (long i = 0; i < 300000000; i++)
        sum += i;
}
C
cc -O2 -rdynamic old.c -o old
check "a version that is not known" exits 0 "$BILANX" flame --folded s.folded -- ./old
check "... is reported, with those that are" err 'without frames of Python: this is version 3.9.2, and only CPython 3.11 to 3.13 is known'
cat >late.c <<'C'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *python = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    ((void (*)(void))dlsym(python, "Py_Initialize"))();
    return ((int (*)(const char *))dlsym(python, "PyRun_SimpleString"))("exec(open('parts.py').read())");
}
C
cc late.c -o late -ldl
so=$($python -c 'import sysconfig; print(sysconfig.get_config_var("INSTSONAME"))')
check "an interpreter that a program loads later" exits 0 "$BILANX" flame --folded s.folded -- ./late "$so"
check "... is reported" err "without frames of Python: $so was loaded when the program was running: start it with LD_PRELOAD=$so"
check "... and that helps" folded "$shares" -- env LD_PRELOAD="$so" ./late "$so"
printf '#include <stdlib.h>\nint main(void) { return system("/usr/bin/python3 parts.py") != 0; }\n' >shell.c
cc -static shell.c -o static
check "a child of a static program" exits 0 "$BILANX" flame --folded s.folded -- ./static
check "... is reported" err 'without frames of Python: python3[.0-9]* did not load bilanx-frames.so'
if cc -fsanitize=address shell.c -o sanitized 2>/dev/null; then
    check "a program with a sanitizer runs as without us" exits 0 "$BILANX" flame --folded s.folded -- ./sanitized
fi
plan
