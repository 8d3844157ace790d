#!/usr/bin/env python3
"""Checks every #include of src/<module>/ and programs/ against the tables of docs/ARCHITECTURE.md.

A table row whose first cell is the name of a module, or of several, says in its last cell what that
module may use. A row whose first cell is a public header says in its second cell which module owns
it; without such a row it is the module that has a source file of the same name. Prints TAP.

    check_modules.py [ROOT]
"""
import re
import sys
import tempfile
from pathlib import Path

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<(bilanx/[^>]+)>)')
PROGRAMS = 'programs'


def words(cell):
    """The names in a cell: `base`, clock -> ['base', 'clock']."""
    return re.findall(r'[\w/.-]+', re.sub(r'\(.*?\)', '', cell))


def read_tables(text):
    """What each module may use, and who owns which public header."""
    uses, owners = {}, {'error.h': 'base'}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
        if not line.lstrip().startswith('|') or len(cells) < 2 or not words(cells[0]):
            continue
        first = words(cells[0])
        if first[0].endswith('.h'):
            for header in first:
                owners[Path(header).name] = words(cells[1])[0]
        elif first[0].split('/')[0] == PROGRAMS:
            uses.setdefault(PROGRAMS, set()).update(words(cells[-1]))
        elif first != ['module'] and not set(cells[0]) <= set('-: '):
            for module in first:
                uses[module] = set(words(cells[-1])) - {'nothing'}
            for module, more in re.findall(r'\((\w+) also ([^)]+)\)', cells[-1]):
                uses[module] |= set(words(more))
    return uses, owners


class Tree:
    def __init__(self, root):
        self.root = Path(root)
        page = self.root / 'docs/ARCHITECTURE.md'
        self.uses, self.owners = read_tables(page.read_text())

    def modules(self):
        """The folders to check, each a module's name and its path."""
        for path in sorted((self.root / 'src').iterdir()):
            if path.is_dir():
                yield path.name, path
        for name in PROGRAMS, 'python':
            if (self.root / name).is_dir():
                yield name, self.root / name

    def owner(self, header):
        """The module that a public header belongs to, or None."""
        if header in self.owners:
            return self.owners[header]
        sources = sorted((self.root / 'src').glob(f'*/{Path(header).stem}.c'))
        return sources[0].parent.name if sources else None

    def is_generated(self, name):
        """Whether a meson.build makes that header."""
        return f"custom_target('{name}'" in (self.root / 'src/meson.build').read_text() \
            if (self.root / 'src/meson.build').exists() else False

    def offence(self, module, path, name):
        """What is wrong with including `name` in a file of `module`, or None."""
        folder, _, header = name.rpartition('/')
        may_use = self.uses[module]
        if not folder:
            if (path.parent / name).exists() or self.is_generated(name):
                return None
            return f"'{name}' is not beside it"
        if folder == 'bilanx':
            used = self.owner(header)
            if used is None:
                return f"no module owns the public header '{name}'"
            if 'public' in may_use:
                return None
        else:
            used = folder.split('/')[0]
            if module == PROGRAMS and (self.root / PROGRAMS / name).exists():
                return None
        if used == module or used in may_use:
            return None
        return f"'{name}' is of '{used}', which '{module}' may not use"

    def offences(self, module, folder):
        if module not in self.uses:
            return [f"docs/ARCHITECTURE.md does not name the module '{module}'"]
        found = []
        for path in sorted(folder.rglob('*.[ch]')):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                wrong = match and self.offence(module, path, match[1] or match[2])
                if wrong:
                    found.append(f'{path.relative_to(self.root)}:{number}: {wrong}')
        return found


def self_test():
    """A small tree: every offence in it is found, and nothing else."""
    files = {
        'docs/ARCHITECTURE.md': '| module | is | may use |\n|---|---|---|\n'
                                '| base | libc, only | nothing |\n| clock | time | base |\n'
                                '| `stats`, more | two | base (more also clock) |\n'
                                '| programs/bilanx | it | public headers and base |\n\n'
                                '| header | module |\n|---|---|\n| bilanx/bench.h | clock |\n',
        'src/base/text.h': '',
        'src/base/text.c': '#include "text.h"\n#include "bilanx/error.h"\n#include <stdio.h>\n'
                           '#include "clock/clock.h"\n',
        'src/clock/clock.c': '#include "base/text.h"\n#include "clock/clock.h"\n'
                             '#include "bilanx/bench.h"\n  # include "stats/stats.h"\n',
        'src/stats/timing.c': '#include "bilanx/timing.h"\n#include "bilanx/error.h"\n'
                              '#include "missing.h"\n#include <bilanx/bench.h>\n',
        'src/more/more.c': '#include "bilanx/timing.h"\n#include "bilanx/nobody.h"\n'
                           '#include "clock/clock.h"\n',
        'src/unknown/unknown.c': '',
        'programs/bilanx/command.h': '',
        'programs/bilanx/main.c': '#include "command.h"\n#include "bilanx/timing.h"\n'
                                  '#include "base/text.h"\n#include "stats/stats.h"\n'
                                  '#include "bilanx/command.h"\n',
    }
    expected = ['src/base/text.c:4', 'src/clock/clock.c:4', 'src/more/more.c:1', 'src/more/more.c:2',
                'src/stats/timing.c:3', 'src/stats/timing.c:4', 'docs/ARCHITECTURE.md',
                'programs/bilanx/main.c:4', 'programs/bilanx/main.c:5']
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        tree = Tree(root)
        found = [line for module, folder in tree.modules() for line in tree.offences(module, folder)]
    wrong = [f'expected {place}' for place in expected
             if not any(line.startswith((place + ':', place + ' ')) for line in found)]
    return wrong or ([] if len(found) == len(expected) else ['found: ' + line for line in found])


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    results = [('the check finds every offence of a small tree', self_test())]
    try:
        tree = Tree(root)
        results += [(f'{module} includes what it may use', tree.offences(module, folder))
                    for module, folder in tree.modules()]
    except OSError as error:
        results.append(('docs/ARCHITECTURE.md is there', [str(error)]))
    print(f'1..{len(results)}')
    for number, (name, wrong) in enumerate(results, 1):
        print(f'{"not ok" if wrong else "ok"} {number} - {name}')
        for line in wrong:
            print(f'# {line}')
    return 1 if any(wrong for _, wrong in results) else 0


if __name__ == '__main__':
    sys.exit(main())
