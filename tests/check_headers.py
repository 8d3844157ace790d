#!/usr/bin/env python3
"""Compiles every public header by itself, as C and as C++, and the examples in its first comment;
and all of them together, strictly. Every public function must be misused by test_misuse.c.

An example is a block of lines indented by five or more columns. It is a whole file if it has a
BILANX_MAIN or a BILANX_BACKEND; otherwise functions that it defines stand at file level and the
rest is the body of a function that returns an error. Prints TAP.

    check_headers.py INCLUDE_DIR [CC [CXX]]
"""
import re
import subprocess
import sys
from pathlib import Path

PREAMBLE = '#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n' \
           '#include <bilanx/record.h>\n'

USE = '''
struct bilanx_error use(void);
struct bilanx_error use(void)
{
    BILANX_TRY(BILANX_SUCCESS);
    return BILANX_SUCCESS;
}
'''


def first_comment(text):
    """The lines of the comment at the top, without its marks."""
    lines = []
    for line in text.splitlines():
        match = re.match(r'(?://|/\*| \*)/?(.*)', line)
        if not match or line.startswith('#'):
            break
        lines.append(match[1])
    return lines


def examples(lines):
    """Blocks of indented lines; an empty line does not end one, prose does."""
    block = []
    for line in lines + ['prose']:
        if line.startswith('     '):
            block.append(line[5:])
        elif not line.strip():
            block.append('')
        else:
            if any(block):
                yield '\n'.join(block).strip()
            block = []


def program(example, header):
    """An example as a translation unit."""
    include = f'#include <bilanx/{header}>\n'
    example = '\n'.join(line for line in example.splitlines() if not line.startswith('cc '))
    if 'BILANX_MAIN' in example or 'BILANX_BACKEND(' in example:
        return PREAMBLE + example
    functions = re.findall(r'^static .*?^}\n?', example, re.M | re.S)
    for function in functions:
        example = example.replace(function, '')
    return PREAMBLE + include + ''.join(functions) + \
        'struct bilanx_error example(void);\nstruct bilanx_error example(void)\n{\n' + example + \
        '\nreturn BILANX_SUCCESS;\n}\n'


def compiles(command, text, suffix):
    """The compiler's complaint about it."""
    done = subprocess.run([*command, '-x', suffix, '-fsyntax-only', '-'], input=text, text=True, check=False,
                          capture_output=True)
    return [] if done.returncode == 0 else done.stderr.splitlines()


def main():
    folder = sys.argv[1]
    compilers = [sys.argv[2] if len(sys.argv) > 2 else 'cc', sys.argv[3] if len(sys.argv) > 3 else 'c++']
    c = [compilers[0], '-std=gnu17', '-Wall', '-Wextra', '-Werror', '-Wno-unused',
         '-Wno-missing-field-initializers', '-I', folder]
    cplusplus = [compilers[1], '-std=c++17', '-Wall', '-Wextra', '-Werror', '-I', folder]
    results = []
    for path in sorted(Path(folder, 'bilanx').glob('*.h')):
        alone = f'#include <bilanx/{path.name}>\n'
        results.append((f'{path.name} by itself is C', compiles(c, alone, 'c')))
        results.append((f'{path.name} by itself is C++', compiles(cplusplus, alone, 'c++')))
        found = list(examples(first_comment(path.read_text())))
        results.append((f'{path.name} has an example', [] if found else ['there is none']))
        results += [(f'{path.name}: example {number} compiles', compiles(c, program(example, path.name), 'c'))
                    for number, example in enumerate(found, 1)]
    together = ''.join(f'#include <bilanx/{path.name}>\n' for path in sorted(Path(folder, 'bilanx').iterdir()))
    in_c = '\n'.join(line for line in together.splitlines() if '.hpp' not in line)
    strict = ['-Wall', '-Wextra', '-Wpedantic', '-Werror', '-I', folder]
    results.append(('all of them together are C11', compiles([compilers[0], '-std=c11', *strict], in_c + USE, 'c')))
    results.append(('all of them together are C++17',
                    compiles([compilers[1], '-std=c++17', *strict], together + USE, 'c++')))
    misuse = Path(__file__).with_name('unit').joinpath('api/test_misuse.c').read_text()
    functions = {name for path in Path(folder, 'bilanx').glob('*.h')
                 for name in re.findall(r'^BILANX_API [^;(]*?(bilanx_\w+)\(', path.read_text(), re.M)}
    results.append(('every public function is misused in a test',
                    [f'{name}() is not' for name in sorted(functions) if f'{name}(' not in misuse]
                    if functions else ['no function was found']))
    print(f'1..{len(results)}')
    for number, (name, wrong) in enumerate(results, 1):
        print(f'{"not ok" if wrong else "ok"} {number} - {name}')
        for line in wrong:
            print(f'# {line}')
    return 1 if any(wrong for _, wrong in results) else 0


if __name__ == '__main__':
    sys.exit(main())
