"""Finds where one token of a C file can be changed, and writes the file with all changes in it.

A change stands beside the original, and mutant_is() (mutant.h) decides which of them is executed:
`a < b` becomes `(mutant_is(7) ? (a <= b) : (a < b))`.
"""
import ctypes
import dataclasses
import re

from clang.cindex import CursorKind, Index, SourceLocation, TypeKind, conf

OPERATORS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '+': '-', '-': '+',
             '*': '/', '/': '*', '%': '*', '&&': '||', '||': '&&', '&': '|', '|': '&', '<<': '>>', '>>': '<<',
             '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=', '|=': '&=', '&=': '|='}
WORDS = {'true': 'false', 'false': 'true'}
CONDITIONS = {CursorKind.IF_STMT: 0, CursorKind.WHILE_STMT: 0, CursorKind.DO_STMT: 1,
              CursorKind.CONDITIONAL_OPERATOR: 0}
# Which children are statements, not expressions.
STATEMENTS = {CursorKind.COMPOUND_STMT: slice(None), CursorKind.IF_STMT: slice(1, None),
              CursorKind.WHILE_STMT: slice(1, None), CursorKind.DO_STMT: slice(0, 1),
              CursorKind.FOR_STMT: slice(-1, None), CursorKind.CASE_STMT: slice(1, None),
              CursorKind.DEFAULT_STMT: slice(None)}
REMOVABLE = (CursorKind.CALL_EXPR, CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR,
             CursorKind.UNARY_OPERATOR, CursorKind.CONTINUE_STMT, CursorKind.BREAK_STMT)
NOT_EVALUATED = (CursorKind.CXX_UNARY_EXPR, CursorKind.ASM_STMT, CursorKind.STRUCT_DECL,
                 CursorKind.ENUM_DECL)
OUR_BUGS = ('assert', 'static_assert', '_Static_assert')  # what they check is not behaviour


@dataclasses.dataclass
class Change:
    path: str       # of the source, below the tree
    function: str   # '' at file scope
    line: int
    start: int      # the range of the text that is replaced
    end: int
    was: str        # the token or statement, and what it becomes
    becomes: str
    shape: str      # value, statement or constant: how both stand in the text
    other: str = ''  # the text of the range, changed
    scope_end: int = 0  # of a constant: where its name ends to be visible; 0: with the file
    number: int = 0

    def name(self):
        """The same after changes elsewhere in the file, unless the function does the same thing twice."""
        return f'{self.path} {self.function}: {self.was} -> {self.becomes}'

    def wrap(self, inner):
        if self.shape == 'statement':
            return f'{{ if (!mutant_is({self.number})) {inner} }}'
        return f'(mutant_is({self.number}) ? ({self.other}) : ({inner}))'


def spelling_offset(location):
    """Where the token stands in the text, arguments of macros included."""
    name, line, column, offset = ctypes.c_void_p(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
    spelling = conf.lib.clang_getSpellingLocation
    spelling.argtypes = [SourceLocation] + 4 * [ctypes.c_void_p]
    spelling(location, *(ctypes.byref(each) for each in (name, line, column, offset)))
    return offset.value, name.value


class Finder:
    """Walks the functions of one file."""

    def __init__(self, path, file, arguments):
        with open(file, 'rb') as source:
            self.bytes = source.read()
        # Offsets are of bytes; one character per byte keeps them valid in the text.
        self.text, self.path, self.function, self.found = self.bytes.decode('latin-1'), path, '', {}
        unit = Index.create().parse(file, args=arguments, options=1)  # 1: macros are recorded
        fatal = [each for each in unit.diagnostics if each.severity >= 3]
        if fatal:
            raise SystemExit(f'mutate: {fatal[0]}')
        self.file = file
        self.unchanged = [self.range(each) for each in unit.cursor.get_children()
                          if each.kind == CursorKind.MACRO_INSTANTIATION and each.spelling in OUR_BUGS
                          and each.location.file.name == file]
        for each in unit.cursor.get_children():
            if each.location.file and each.location.file.name == file:
                self.top(each)

    def range(self, cursor):
        (start, first), (end, last) = map(spelling_offset, (cursor.extent.start, cursor.extent.end))
        return (start, end) if first == last else (0, 0)

    def add(self, start, end, was, becomes, shape='value', other=None, scope_end=0):
        if any(low <= start < high for low, high in self.unchanged) or (start, end, becomes) in self.found:
            return
        self.found[start, end, becomes] = Change(
            self.path, self.function, self.text.count('\n', 0, start) + 1, start, end, was, becomes, shape,
            other if other is not None else becomes, scope_end)

    def top(self, cursor):
        if cursor.kind == CursorKind.FUNCTION_DECL and cursor.is_definition():
            self.function = cursor.spelling
            self.visit(list(cursor.get_children())[-1])
            self.function = ''
        elif cursor.kind in (CursorKind.VAR_DECL, CursorKind.ENUM_DECL):
            self.constants(cursor, 0)

    def visit(self, cursor):
        start, end = self.range(cursor)
        if cursor.kind in NOT_EVALUATED or self.text.startswith('static ', start):
            return
        if cursor.kind == CursorKind.COMPOUND_STMT:
            self.scope_end = end - 1
        elif cursor.kind == CursorKind.DECL_STMT:
            for child in cursor.get_children():
                self.constants(child, self.scope_end)
        if end > start:
            self.change(cursor, start, end)
        for position, child in enumerate(cursor.get_children()):
            if cursor.kind == CursorKind.CASE_STMT and position == 0:
                continue
            if cursor.kind == CursorKind.VAR_DECL and '=' not in self.text[start:self.range(child)[0]]:
                continue  # the size of an array
            self.visit(child)

    def change(self, cursor, start, end):
        text, kind = self.text[start:end], cursor.kind
        children = list(cursor.get_children())
        if kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR):
            self.operator(children, start, end)
        elif kind == CursorKind.UNARY_OPERATOR:
            self.unary(text, start, end)
        elif kind in (CursorKind.INTEGER_LITERAL, CursorKind.FLOATING_LITERAL, CursorKind.CHARACTER_LITERAL,
                      CursorKind.CXX_BOOL_LITERAL_EXPR):
            other = changed_literal(self.text, start)
            if other:
                self.add(start, start + len(other[0]), *other)
        if kind in CONDITIONS and (kind == CursorKind.CONDITIONAL_OPERATOR or text.startswith(('if', 'while', 'do'))):
            self.condition(children[CONDITIONS[kind]])
        for child in children[STATEMENTS[kind]] if kind in STATEMENTS else ():
            self.statement(child)

    def operator(self, children, start, end):
        left_end, right_start = self.range(children[0])[1], self.range(children[1])[0]
        between = self.text[left_end:right_start]
        was = between.strip()
        if was not in OPERATORS or not start < left_end < right_start < end:
            return
        pointers = [child.type.get_canonical().kind in (TypeKind.POINTER, TypeKind.CONSTANTARRAY)
                    for child in children]
        if was == '-' and all(pointers) or was == '+' and pointers[1]:
            return
        becomes = OPERATORS[was]
        whole = self.text[start:left_end] + between.replace(was, becomes) + self.text[right_start:end]
        self.add(start, end, shown(self.text[start:end]), shown(whole), other=whole)

    def unary(self, text, start, end):
        for was, becomes in (('++', '--'), ('--', '++'), ('!', ''), ('-', '')):
            if text.startswith(was):
                self.add(start, end, shown(text), shown(becomes + text[len(was):]), other=becomes + text[len(was):])
                return
            if len(was) == 2 and text.endswith(was):
                self.add(start, end, text, text[:-2] + becomes)
                return

    def condition(self, cursor):
        start, end = self.range(cursor)
        if end > start and not any(f'{was}' in self.text[start:end] for was in ('==', '!=')):
            self.add(start, end, shown(self.text[start:end]), shown(f'!({self.text[start:end]})'),
                     other=f'!({self.text[start:end]})')

    def statement(self, cursor):
        start, end = self.range(cursor)
        after = re.compile(r'\s*;').match(self.text, end)
        macro = cursor.kind == CursorKind.DO_STMT and self.text[start:start + 2] != 'do'  # such as BILANX_TRY
        if (macro or cursor.kind in REMOVABLE) and after and end > start:
            self.add(start, after.end(), shown(self.text[start:end]), '(removed)', 'statement')

    def constants(self, cursor, scope_end):
        if cursor.kind == CursorKind.ENUM_DECL:
            declared = [each for each in cursor.get_children() if each.kind == CursorKind.ENUM_CONSTANT_DECL]
        else:
            declared = [cursor] if cursor.kind == CursorKind.VAR_DECL and 'const ' in cursor.type.spelling else []
        semicolon = self.text.find(';', self.range(cursor)[1])
        for each in declared:
            start, end = self.range(each)
            value = re.fullmatch(r'\w+ ?\w*\s*=\s*([-\d.eE]+)', self.text[start:end].split('const ')[-1].split('double ')[-1])
            other = changed_literal(value.group(1), 0) if value else None
            if other and '[' not in self.text[start:end] and semicolon > 0:
                self.add(semicolon + 1, semicolon + 1, f'{each.spelling} = {value.group(1)}',
                         f'{each.spelling} = {other[1]}', 'constant', other[1], scope_end)
                self.found[semicolon + 1, semicolon + 1, f'{each.spelling} = {other[1]}'].constant = each.spelling

    scope_end = 0


def shown(text):
    text = ' '.join(text.split())
    return text if len(text) <= 70 else text[:50] + ' ... ' + text[-15:]


def changed_literal(text, start):
    """The literal at the start, and another in its place."""
    match = re.compile(r"true\b|false\b|'(\\.|[^'\\])+'|0x[\da-fA-F.]+([pP][-+]?\d+)?\w*|[\d.]+([eE][-+]?\d+)?\w*").match(text, start)
    if not match:
        return None
    was = match.group()
    if was in WORDS:
        return was, WORDS[was]
    if re.fullmatch(r'(0x[\da-fA-F]+|\d+)[uUlL]*|\'.*\'', was):
        return was, '1' if was == '0' else '0' if was == '1' else f'({was} + 1)'
    return was, '1.0' if was.rstrip('fFlL').strip('0.') == '' else f'({was} * 2)'


def render(text, start, end, changes):
    """The text of the range with these changes, which lie within it or each other."""
    parts, at, rest = [], start, sorted(changes, key=lambda each: (each.start, -each.end))
    while rest:
        first = rest[0]
        within = [each for each in rest[1:] if each.start < first.end]
        rest = rest[1 + len(within):]
        parts.append(text[at:first.start])
        if first.start == first.end:
            parts.append(first.other)
        else:
            parts.append(first.wrap(render(text, first.start, first.end, within)))
        at = first.end
    return ''.join(parts) + text[at:end]


def rewrite(text, changes):
    """The whole text with these numbered changes in it."""
    edits = []
    for each in changes:
        if each.shape != 'constant':
            edits.append(each)
            continue
        name = each.constant
        edits.append(dataclasses.replace(
            each, other=f'\n#define {name} (mutant_is({each.number}) ? ({each.other}) : {name})\n'))
        if each.scope_end:
            edits.append(dataclasses.replace(each, start=each.scope_end, end=each.scope_end,
                                             other=f'\n#undef {name}\n'))
    return render(text, 0, len(text), edits)


def find(path, file, arguments):
    return sorted(Finder(path, file, arguments).found.values(), key=lambda each: (each.start, each.end))
