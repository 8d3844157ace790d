#!/usr/bin/env bash
# The user's own definitions are measured, even if libc has the same names, and as in a program.
. "$(dirname "$0")/time.bash"
cd "$work" || exit 1
few=(--method timeit --number 3 --quiet)

# defines NAME FILE: a function of the same name as one of libc's, with another type and result.
defines() { printf 'int %s(int x) { static volatile int sum; sum = x; for (int i = 0; i < 1000; i++) sum += i; return sum; }\n' "$1" >"$2"; }
ours() { echo "if ($1(3) != 499503) __builtin_trap()"; }

names=(random step advance re_match lrand48 getpid basename hcreate index rindex signal remove rename atoi div gamma y1 j0 getline
    strdup qsort bsearch rand srand time clock send recv connect listen read write open close select poll dprintf error warn err
    swab insque tsearch ftw glob regexec nice wait lfind utime)
for name in "${names[@]}"; do
    defines "$name" "$name.c"
    check "a user's $name() is measured" exits 0 "$BILANX" time "$(ours "$name")" --source "$name.c" "${few[@]}"
done
for name in random step select index; do
    check "... $name() with clang, too" exits 0 "$BILANX" time "$(ours "$name")" --source "$name.c" --cc clang "${few[@]}"
    check "... $name() is counted" exits 0 "$BILANX" count "$(ours "$name")" --source "$name.c" --quiet
    echo "int $name(int); int outer(int x) { return $name(x); }" >outer.c
    check "... $name() in two files" exits 0 "$BILANX" time "$(ours outer)" -g 'int outer(int);' --source "$name.c" --source outer.c "${few[@]}"
done
check "... and compared" exits 0 "$BILANX" ab --A cc:gcc --B cc:clang --stmt "$(ours step)" --source step.c --budget .2 --quiet
printf 'int optind = 42; double y0 = 1.5; int environ = 7;\n' >variables.c
check "a user's variables are used" exits 0 "$BILANX" time 'if (optind != 42 || y0 != 1.5 || environ != 7) __builtin_trap()' --source variables.c "${few[@]}"
printf '#include <cstring>\nint rindex(int x) { return x + 1; }\nstatic int step(int x) { return rindex(x); }\n' >names.cpp
check "... in C++, too" exits 0 "$BILANX" time -l c++ 'if (step(1) != 2) __builtin_trap()' --source names.cpp "${few[@]}"
printf '#include <stdlib.h>\nint random(int x) { return x; }\n' >wrong.c
check "a function without a definition fails" exits 1 "$BILANX" time 'nowhere()' -g 'int nowhere(void);' "${few[@]}"
check "... and is named once" bash -c "[ \$(grep -c 'undefined reference to .nowhere' '$work/err') = 1 ]"
check "code that does not compile for the user fails" exits 1 "$BILANX" time 'random(1)' --source wrong.c "${few[@]}"
check "... with the compiler's message" err 'conflicting types for .random.'

defines lrand48 taken.c
gcc -O2 -fPIC -shared -o libtaken.so taken.c && gcc -O2 -fPIC -c taken.c && ar rcs libtaken.a taken.o
printf '#include <stddef.h>\nvoid *__libc_malloc(size_t);\nvoid *malloc(size_t n) { return __libc_malloc(n); }\n' >allocator.c
gcc -O2 -fPIC -shared -o allocator.so allocator.c
for library in -l:libtaken.a -l:libtaken.so; do
    linked=(-g 'int lrand48(int);' --ldflags "-L$work -Wl,-rpath,$work $library")
    check "a function of a library is measured ($library)" exits 0 "$BILANX" time "$(ours lrand48)" "${linked[@]}" "${few[@]}"
done
check "... with another allocator it is libc's" exits 0 env LD_PRELOAD="$work/allocator.so" "$BILANX" time 'lrand48(1)' "${linked[@]}" --method timeit --number 3
check "... and a warning says so" err "name-of-libc.*'lrand48'"
check "... unless it is linked statically" exits 0 env LD_PRELOAD="$work/allocator.so" "$BILANX" time "$(ours lrand48)" \
    -g 'int lrand48(int);' --ldflags "-L$work -l:libtaken.a" "${few[@]}"

cat >inner.c <<'END'
int scale = 3;
int clamp(int x) { return x < 0 ? 0 : x > 255 ? 255 : x; }
__attribute__((noinline)) int sum(const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s += clamp(x[i] * scale); return s; }
__attribute__((noinline)) int outer(const int *x, int n) { return n ? sum(x, n) / n + clamp(x[0]) : scale; }
END
cat >inner.cpp <<'END'
#include <algorithm>
#include <vector>
int seen = 0;
struct item { int key, value; };
inline bool before(const item &a, const item &b) { return a.key < b.key; }
__attribute__((noinline)) int rank(std::vector<item> &items) { std::sort(items.begin(), items.end(), before); seen++; return items.front().value; }
END
# same_code CC SOURCE STATEMENT SETUP LANGUAGE: every function of the source that a program contains
# is the same in the measured object, including operands other than addresses, and nothing that the
# object defines is called through its PLT.
same_code() {
    local cc=$1 source=$2 main='int main() { return 0; }'
    rm -rf "$XDG_CACHE_HOME"
    { echo "#include \"$work/$source\""; echo "$main"; } >"program.${source##*.}"
    "$cc" -O2 -o program "program.${source##*.}" || return 1
    exits 0 "$BILANX" time "$3" -s "$4" -l "$5" --cc "$cc" --source "$source" "${few[@]}" || return 1
    python3 - "$work/program" "$XDG_CACHE_HOME"/bilanx/objects/*.so <<'END'
import re, subprocess, sys
def functions(path):
    found, name = {}, None
    for line in subprocess.check_output(['objdump', '-d', '--no-show-raw-insn', path], text=True).splitlines():
        title = re.match(r'[0-9a-f]+ <(.*)>:$', line)
        if title:
            name = title[1]
            found[name] = []
        elif name and ':' in line:
            code = line.split(':', 1)[1].strip()
            code = re.sub(r'#.*', '', code)                               # the address of data
            code = re.sub(r'-?0x[0-9a-f]+\(%rip\)', 'DATA(%rip)', code)
            code = re.sub(r'\b[0-9a-f]+ <([^>+]*)[^>]*>', r'<\1>', code)  # the address of code
            if code and not code.startswith(('nop', 'cs nop', 'data16', 'xchg   %ax')):
                found[name].append(code.strip())
    return found
program, measured = functions(sys.argv[1]), functions(sys.argv[2])
system = {'main', '_start', '_init', '_fini', 'deregister_tm_clones', 'register_tm_clones', '__do_global_dtors_aux', 'frame_dummy'}
own = [name for name in program if name not in system and not name.endswith('@plt') and '@plt-' not in name and not name.startswith('.')]
assert len(own) >= 2, own
for name in own:
    assert program[name] == measured.get(name), (name, program[name], measured.get(name))
for name, code in measured.items():
    for line in code:
        called = re.search(r'<([^>@]*)@plt>', line)
        assert not called or called[1] not in measured, (name, line)
END
}
for cc in gcc clang; do
    check "the code is the same as in a program, with $cc" same_code "$cc" inner.c 'outer(x, 8)' 'int x[8] = {1, 2, 3}' c
done
printf 'extern "C" int random(int x);\nint random(int x) { return x * 3 + 17; }\nint own(int x) { return random(x) - 2 * x; }\n' >"$work/named.cpp"
for cc in g++ clang++; do
    check "a name may come from a header that another one includes, with $cc" exits 0 "$BILANX" time 'own(x)' -l c++ --cc "$cc" --source "$work/named.cpp" \
        -s 'int x = 1; if (own(1) != 18) __builtin_abort();' "${few[@]}"
    check "... in C++, with $cc" same_code "$cc" inner.cpp 'rank(items)' 'std::vector<item> items(20)' c++
done
plan
