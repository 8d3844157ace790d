#!/usr/bin/env python3
"""Checks that docs/notes.md has an entry for every note bilanx can print, and for no other: TAP.

    check_notes.py [ROOT]

A note is the code of a warning, or a verdict that `bilanx ab` explains below its table. In C the code
is a literal in record_warn(), in a struct run_note, or in a worker's answer ("warning_code").
record_warn() with anything else must pass on one of those.
"""
import re
import sys
import tempfile
from pathlib import Path

CODE = r'"([a-z][a-z-]*)"'
EMITTED = [
    re.compile(r'record_warn\(\s*[^,;]+,\s*' + CODE),
    re.compile(r'struct run_note(?:\s+\w+\s*=\s*|\))\{\s*' + CODE),
    re.compile(r'"warning_code",\s*' + CODE),
    re.compile(r"warning_code='([a-z-]+)'"),
]
VERDICTS = re.compile(r'verdict_words\[\] = \{[^}]*\}')
EXPLAINED = re.compile(r'\[VERDICT_(?:UNDECIDED|BIASED)\] = ' + CODE)
WARNING = re.compile(r'record_warn\(\s*[^,;]+,\s*([^"\s,(][^,(]*(?:\([^)]*\))?)\s*,')
PASSED_ON = re.compile(r'\S*(?:\.|->)code|message_text\(\w+, "warning_code"\)|const char \*code')
PARTS = '**Cause:**', '**What to do:**'
WIDTH = 78  # `bilanx help notes` indents by two and does not wrap


def emitted(root):
    """Maps each code to where it is first emitted; also returns calls whose code cannot be read."""
    found, unreadable = {}, []
    for folder in 'src', 'programs', 'python':
        for path in sorted(Path(root, folder).rglob('*.*')):
            if path.suffix not in ('.c', '.h', '.py'):
                continue
            text = path.read_text()
            place = path.relative_to(root)
            codes = [code for pattern in EMITTED for code in pattern.findall(text)]
            codes += EXPLAINED.findall(' '.join(VERDICTS.findall(text)))
            for code in codes:
                found.setdefault(code, place)
            unreadable += [f'{place}: record_warn() with {code}' for code in WARNING.findall(text)
                           if not PASSED_ON.fullmatch(code)]
    return found, unreadable


def entries(page):
    """Maps each code to the text of its entry."""
    parts = re.split(r'^(#+) (.*)\n', page, flags=re.M)
    return {title: body for mark, title, body in zip(parts[1::3], parts[2::3], parts[3::3])
            if mark == '###'}


def offences(root):
    page = entries(Path(root, 'docs/notes.md').read_text())
    found, wrong = emitted(root)
    wrong += [f"docs/notes.md has no entry '{code}', which {place} emits"
              for code, place in found.items() if code not in page]
    wrong += [f"docs/notes.md: nothing emits '{code}'" for code in page if code not in found]
    wrong += [f"docs/notes.md: '{code}' has no {part}" for code, body in page.items()
              for part in PARTS if part not in body]
    wrong += [f"docs/notes.md: '{code}' has a line over {WIDTH} columns" for code, body in page.items()
              if any(len(line) > WIDTH for line in body.splitlines())]
    return wrong


def self_test():
    """Checks a small tree: finds exactly its offences."""
    files = {
        'src/a.c': 'record_warn(record, "in-call",\n  "text");\nrecord_warn(&match->record,\n'
                   ' "on-two-lines", "%s", x);\nrecord_warn(record, note->code, "%s", note->text);\n'
                   'record_warn(record, pick(one), "x");\n'
                   'record_drop_warning(record, "no-note");\n',
        'src/b.c': 'static const struct run_note note = {\n    "in-struct", "text"};\n'
                   'x = (struct run_note){"in-literal", y};\nmessage_add(out, "warning_code", "in-c");\n'
                   'record_warn(record, message_text(closed, "warning_code"), "%s", note);\n',
        'src/c.c': 'const char *const verdict_words[] = {[VERDICT_BIASED] = "biased",\n};\n',
        'src/d.c': 'const char *const other[] = {[VERDICT_BIASED] = "not a word of ours",\n};\n',
        'programs/e.h': 'void record_warn(struct bilanx_record *record, const char *code, ...);\n',
        'python/f.py': "closed.update(warning_code='in-python')\n",
        'docs/notes.md': '# Notes\n## in-call\n' + ''.join(
            f'### {code}\n**Cause:** x\n\n**What to do:** y\n\n' for code in
            ('in-call', 'on-two-lines', 'in-struct', 'in-literal', 'biased', 'stale'))
            + '### in-python\n**Cause:** ' + 'x' * 70 + '\n',
    }
    expected = ['src/a.c: record_warn() with pick(one)',
                "docs/notes.md has no entry 'in-c', which src/b.c emits",
                "docs/notes.md: nothing emits 'stale'",
                "docs/notes.md: 'in-python' has no **What to do:**",
                "docs/notes.md: 'in-python' has a line over 78 columns"]
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = offences(root)
    return [f'not found: {line}' for line in expected if line not in found] \
        + [f'found: {line}' for line in found if line not in expected]


def main(root=Path(__file__).parent.parent):
    cases = {'the check finds what is wrong, and nothing else': self_test(),
             'every note has an entry in docs/notes.md, and every entry a note': offences(root)}
    for number, (name, wrong) in enumerate(cases.items(), 1):
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
        for line in wrong:
            print('#', line)
    print(f'1..{len(cases)}')
    return 1 if any(cases.values()) else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
