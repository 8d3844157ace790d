#!/usr/bin/env python3
"""Checks every #include of src/, programs/, backends/ and python/ against the tables of docs/ARCHITECTURE.md.

A room is a folder of sources: src/core/run is core/run, programs/worker is programs/worker. A table
row whose first cell is a room says in its last cell which rooms it may use, by the last part of
their names. A row whose first cell is a public header says in its second cell which room owns it;
without such a row it is the room that has a source file of the same name. Prints TAP.

    check_modules.py [ROOT]
"""
import re
import sys
import tempfile
from pathlib import Path

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<(bilanx/[^>]+)>)')


def words(cell):
    """The names in a cell: `base`, clock -> ['base', 'clock']."""
    return re.findall(r'[\w/.-]+', re.sub(r'\(.*?\)', '', cell))


def short(room):
    """core/run -> run: how tables and messages name a room."""
    return room if room.startswith('programs/') else room.rpartition('/')[2]


def read_tables(text):
    """The rooms that each room may use, and the room that owns each public header."""
    uses, owners, steps = {}, {'error.h': 'base'}, []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
        if not line.lstrip().startswith('|') or len(cells) < 2 or not words(cells[0]):
            continue
        first = words(cells[0])
        if first[0].endswith('.h'):
            for header in first:
                owners[Path(header).name] = words(cells[1])[0]
        elif first[0].isdigit():
            steps.append((words(cells[1])[0], words(cells[2])[0]))
        elif first[0] not in ('room', 'header', 'public') and not set(cells[0]) <= set('-: '):
            for room in first:
                uses[room] = set(words(cells[-1])) - {'nothing'}
    return uses, owners, steps


class Tree:
    def __init__(self, root):
        self.root = Path(root)
        page = self.root / 'docs/ARCHITECTURE.md'
        self.uses, self.owners, self.steps = read_tables(page.read_text())

    def rooms(self):
        """The folders to check, as pairs of room name and path."""
        src = self.root / 'src'
        for path in sorted({file.parent for file in src.rglob('*.[ch]')}):
            yield str(path.relative_to(src)), path
        for top in ('programs', 'backends'):
            for path in sorted({file.parent for file in (self.root / top).rglob('*.[ch]')}):
                yield str(path.relative_to(self.root)), path
        if (self.root / 'python').is_dir():
            yield 'python', self.root / 'python'
            yield 'python/native', self.root / 'python/native'

    def owner(self, header):
        """The room that a public header belongs to, or None."""
        if header in self.owners:
            return self.owners[header]
        sources = sorted((self.root / 'src').rglob(f'{Path(header).stem}.c'))
        return sources[0].parent.name if sources else None

    def is_generated(self, name):
        """Whether a meson.build generates that header."""
        return any(f"custom_target('{name}'" in file.read_text()
                   for top in ('src', 'programs')
                   for file in (self.root / top).rglob('meson.build'))

    def offence(self, room, path, name):
        """Why a file of `room` may not include `name`, or None."""
        folder, _, header = name.rpartition('/')
        may_use = self.uses[room]
        if not folder:
            if (path.parent / name).exists() or self.is_generated(name):
                return None
            return f"'{name}' is not beside it"
        if folder == 'bilanx':
            used = self.owner(header)
            if used is None:
                return f"no room owns the public header '{name}'"
            if 'public' in may_use:
                return None
        else:
            if not (self.root / 'src' / name).exists() and not name.startswith('backends/'):
                return f"there is no '{name}'"
            used = short(folder)
        if used == short(room) or used in may_use:
            return None
        return f"'{name}' is of '{used}', which '{room}' may not use"

    def offences(self, room, folder):
        if room not in self.uses:
            return [f"docs/ARCHITECTURE.md does not name the room '{room}'"]
        found = []
        for path in sorted(folder.glob('*.[ch]')):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                wrong = match and self.offence(room, path, match[1] or match[2])
                if wrong:
                    found.append(f'{path.relative_to(self.root)}:{number}: {wrong}')
        return found

    def vacant(self):
        """Rooms in the table that do not exist."""
        there = {room for room, _ in self.rooms()}
        return [f"docs/ARCHITECTURE.md names '{room}', which is not there"
                for room in self.uses if room not in there]

    def stumbles(self):
        """Steps of the walk that name no function of their room, or a room that was left before."""
        paths, wrong = dict(self.rooms()), []
        for number, (room, function) in enumerate(self.steps, 1):
            code = '\n'.join(path.read_text() for path in paths[room].glob('*.[ch]')) if room in paths else ''
            if not re.search(rf'\b{function}\b', code):
                wrong.append(f"step {number}: '{room}' has no '{function}'")
            if room in [earlier for earlier, _ in self.steps[:number - 1]]:
                wrong.append(f"step {number}: '{room}' was left before")
        return wrong

    def namesakes(self):
        """Rooms with the same short name."""
        names = [short(room) for room, _ in self.rooms()]
        return [f"there are two rooms '{name}'" for name in sorted(set(names)) if names.count(name) > 1]


def self_test():
    """Checks a small tree: finds exactly its offences."""
    files = {
        'docs/ARCHITECTURE.md': '| room | is | may use |\n|---|---|---|\n'
                                '| base | libc, only | nothing |\n| core/clock | time | base |\n'
                                '| `core/stats`, core/more | two | base |\n'
                                '| core/gone | nobody | base |\n'
                                '| programs/bilanx | it | public headers and base |\n\n'
                                '| header | room |\n|---|---|\n| bilanx/bench.h | clock |\n\n'
                                '| | room | function |\n|---|---|---|\n| 1 | core/clock | `clock_read` |\n'
                                '| 2 | base | `text_add` |\n| 3 | core/clock | `include` |\n',
        'src/base/text.h': '',
        'src/base/text.c': '#include "text.h"\n#include "bilanx/error.h"\n#include <stdio.h>\n'
                           '#include "core/clock/clock.h"\n',
        'src/core/clock/clock.h': 'int clock_read(void);\n',
        'src/core/clock/clock.c': '#include "base/text.h"\n#include "core/clock/clock.h"\n'
                                  '#include "bilanx/bench.h"\n  # include "core/stats/stats.h"\n',
        'src/core/stats/stats.h': '',
        'src/core/stats/timing.c': '#include "bilanx/timing.h"\n#include "bilanx/error.h"\n'
                                   '#include "missing.h"\n#include <bilanx/bench.h>\n'
                                   '#include "base/missing.h"\n',
        'src/core/more/more.c': '#include "bilanx/timing.h"\n#include "bilanx/nobody.h"\n'
                                '#include "core/clock/clock.h"\n',
        'src/unknown/unknown.c': '',
        'programs/bilanx/command.h': '',
        'programs/bilanx/main.c': '#include "command.h"\n#include "bilanx/timing.h"\n'
                                  '#include "base/text.h"\n#include "core/stats/stats.h"\n'
                                  '#include "bilanx/command.h"\n',
    }
    expected = ['src/base/text.c:4', 'src/core/clock/clock.c:4', 'src/core/more/more.c:1',
                'src/core/more/more.c:2', 'src/core/more/more.c:3', 'src/core/stats/timing.c:3',
                'src/core/stats/timing.c:4', 'src/core/stats/timing.c:5',
                "docs/ARCHITECTURE.md does not name the room 'unknown'",
                "docs/ARCHITECTURE.md names 'core/gone'",
                "step 2: 'base' has no 'text_add'", "step 3: 'core/clock' was left before",
                'programs/bilanx/main.c:4', 'programs/bilanx/main.c:5']
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        tree = Tree(root)
        found = [line for room, folder in tree.rooms() for line in tree.offences(room, folder)]
        found += tree.vacant() + tree.namesakes() + tree.stumbles()
    wrong = [f'expected {place}' for place in expected
             if not any(line.startswith((place + ':', place + ' ', place + ',')) or line == place
                        for line in found)]
    return wrong or ([] if len(found) == len(expected) else ['found: ' + line for line in found])


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    results = [('the check finds every violation in a small tree', self_test())]
    try:
        tree = Tree(root)
        results += [(f'{room} includes only what it may use', tree.offences(room, folder))
                    for room, folder in tree.rooms()]
        results.append(('every room in the table exists', tree.vacant()))
        results.append(('no two rooms have the same name', tree.namesakes()))
        results.append(('every step of the walk names a function of its room', tree.stumbles()))
    except OSError as error:
        results.append(('docs/ARCHITECTURE.md exists', [str(error)]))
    print(f'1..{len(results)}')
    for number, (name, wrong) in enumerate(results, 1):
        print(f'{"not ok" if wrong else "ok"} {number} - {name}')
        for line in wrong:
            print(f'# {line}')
    return 1 if any(wrong for _, wrong in results) else 0


if __name__ == '__main__':
    sys.exit(main())
