#!/usr/bin/python3
"""Runs the Python and the C++ of every case of a suite for torch, twice each.

The models are made once, by their own programs, and loaded by both languages. All C++ is one
program, because its headers take longer than anything else. Prints TAP.

    suite_torch.py BILANX SUITE
"""
import json
import os
import subprocess
import sys
import tempfile
import traceback

BILANX, SUITE = sys.argv[1:]
results = []


def result(name, fault=None):
    results.append(fault is None)
    print(f'{"ok" if fault is None else "not ok"} {len(results)} - {name}')
    for line in (fault or '').splitlines()[-20:]:
        print(f'# {line}')
    sys.stdout.flush()


def attempt(name, function):
    try:
        function()
        result(name)
    except BaseException:
        result(name, traceback.format_exc())


def make_models(cases, folder):
    """Runs the program of each model in this process, as importing torch for each would take long."""
    for name, model in {case['model']['name']: case['model'] for case in cases if 'model' in case}.items():
        path = os.path.join(folder, name + '.py')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(model['program'])

        def run():
            sys.argv = [path, os.path.join(folder, name + '.pt')]
            with open(path, encoding='utf-8') as source:
                exec(compile(source.read(), path, 'exec'), {'__name__': '__main__'})
        attempt(f'the model {name} is made', run)
    result('some models are saved', None if any(f.endswith('.pt') for f in os.listdir(folder)) else 'none')


def run_python(case):
    names = {}
    for key in 'global_setup', 'setup', 'stmt', 'stmt':
        exec(case['task'].get(key, ''), names)
    if case['autograd'] == 'forward+backward':
        assert any(getattr(value, 'grad', None) is not None for key, value in names.items()
                   if key.startswith('w')), 'nothing has a gradient'


def write_cplusplus(cases, path):
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(dict.fromkeys(line for case in cases
                                           for line in case['task'].get('global_setup', '').splitlines())))
        file.write('\n#include <cstdio>\n')
        for number, case in enumerate(cases):
            task = case['task']
            file.write(f'static void case{number}()\n{{\n{task.get("setup", "")}\n'
                       f'for (int twice = 0; twice < 2; twice++) {{\n{task["stmt"]};\n}}\n}}\n')
        file.write('int main()\n{\n')
        for number in range(len(cases)):
            file.write(f'try {{ case{number}(); puts("{number}"); }} '
                       f'catch (const std::exception &e) {{ fprintf(stderr, "{number}: %s\\n", e.what()); }}\n')
        file.write('}\n')


def run_cplusplus(cases, folder):
    source, program = os.path.join(folder, 'cases.cpp'), os.path.join(folder, 'cases')
    write_cplusplus(cases, source)
    compiler = ['g++', '-std=c++17', '-O0', '-w', '-I/usr/include/torch/csrc/api/include', source,
                '-o', program, '-ltorch', '-ltorch_cpu', '-lc10']
    compiled = subprocess.run(compiler, capture_output=True, text=True, check=False)
    result('all of the C++ compiles', compiled.stderr if compiled.returncode else None)
    if compiled.returncode:
        return
    ran = subprocess.run([program], capture_output=True, text=True, check=False)
    done = set(ran.stdout.split())
    for number, case in enumerate(cases):
        faults = [line for line in ran.stderr.splitlines() if line.startswith(f'{number}:')]
        result(case['name'], None if str(number) in done else '\n'.join(faults) or f'exit {ran.returncode}')


def main():
    expanded = subprocess.run([BILANX, 'run', SUITE, '--expand'], capture_output=True, text=True, check=True)
    cases = [json.loads(line) for line in expanded.stdout.splitlines()]
    distinct = {(c['label'], c['language'], c['mode'], c['autograd'], c['threads']) for c in cases}
    labels = {c['label'] for c in cases}
    result('at least 181 cases of 72 labels',
           None if len(distinct) >= 181 and len(labels) >= 72 else f'{len(distinct)}, {len(labels)}')
    with tempfile.TemporaryDirectory() as folder:
        os.environ['BILANX_MODELS'] = folder
        make_models(cases, folder)
        for case in cases:
            if case['language'] == 'python':
                attempt(case['name'], lambda case=case: run_python(case))
        run_cplusplus([case for case in cases if case['language'] == 'c++'], folder)
    print(f'1..{len(results)}')
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
