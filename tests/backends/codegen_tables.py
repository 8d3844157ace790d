"""The operators of the backend codegen, from its source."""
import os
import re

ROW = re.compile(r'^OP\("(\w+)", "([^"]+)", "([^"]+)", (\w+),')
ROUTINE = re.compile(r'(?:ROW|SOFT|PLANNED)\(\s*"(\w+)",\s*(?:"(default|dim[\w ]*|correction|Scalar\w*)")?')


def pointwise_rows(path):
    """(name, overloads, words of the schema, rule of the result) of every line of the table."""
    with open(path, encoding='utf-8') as file:
        for match in filter(None, map(ROW.match, file)):
            yield match[1], match[2].split(), [word.replace('!?', '!') for word in match[3].split()], match[4]


def other_names(path):
    """(name, overload) of all operators that are not pointwise, from the files beside the table."""
    folder = os.path.dirname(path)
    for name in ('reduction.c', 'normalization.c', 'copies.c', 'indexing.c', 'pooling.c'):
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            found = list(ROUTINE.finditer(file.read()))
        assert found, f'{name} has no table that we can read'
        for match in found:
            for overload in (match[2] or 'default').split():
                yield match[1], overload
    yield from (('fill_', 'Scalar'), ('fill_', 'Tensor'))
