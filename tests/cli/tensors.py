#!/usr/bin/python3
"""Checks tensors against numpy and torch.

numpy opens the files, and a second implementation of the generator and of the checksum, written from
docs/formats/tensors.md, gives the same values. torch takes tensors by DLPack. Prints TAP.

    tensors.py TENSOR_FILES LIBBILANX
"""
import ctypes
import subprocess
import sys
import tempfile
import traceback

import numpy as np

TENSOR_FILES, LIBBILANX = sys.argv[1:]
results = []
np.seterr(over='ignore', invalid='ignore')


def attempt(name, function):
    fault = ''
    try:
        function()
    except BaseException:
        fault = traceback.format_exc()
    results.append(not fault)
    print(f'{"not ok" if fault else "ok"} {len(results)} - {name}')
    for line in fault.splitlines()[-20:]:
        print(f'# {line}')
    sys.stdout.flush()


# ---- The generator ----

STEP = np.uint64(0x9E3779B97F4A7C15)
VALUES, EXCEPTIONS, INDICES, PERMUTATION = range(4)


def mix(x):
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)


def words(seed, purpose, count):
    """Words 0 .. count - 1 of a stream."""
    key = mix(mix(np.uint64(seed) + STEP) + np.uint64(purpose) * STEP)
    number = np.arange(count, dtype=np.uint64)
    first = mix(key + number // np.uint64(4096) * STEP)
    second = mix(first ^ STEP)
    a, b, c = first.astype(np.uint32), (first >> np.uint64(32)).astype(np.uint32), second.astype(np.uint32)
    x = (number % np.uint64(4096)).astype(np.uint32) * np.uint32(0x9E3779B9) + a
    x = (x ^ x >> np.uint32(17)) * np.uint32(0xED5AD4BB) + b
    x = (x ^ x >> np.uint32(11)) * np.uint32(0xAC4C1B51) + c
    x = (x ^ x >> np.uint32(15)) * np.uint32(0x31848BAB)
    return x ^ x >> np.uint32(14)


def units(seed, precision, count):
    """Numbers in [0, 1)."""
    if precision <= 32:
        return (words(seed, VALUES, count) >> np.uint32(32 - precision)) * 2. ** -precision
    w = words(seed, VALUES, 2 * count)
    return ((w[0::2] >> np.uint32(5)) * 2. ** 26 + (w[1::2] >> np.uint32(6))) * 2. ** -53


PARTS = {'f16': ('f2', 11, 1), 'bf16': ('f4', 8, 1), 'f32': ('f4', 24, 1), 'f64': ('f8', 53, 1),
         'c64': ('f4', 24, 2), 'c128': ('f8', 53, 2)}


def reals(dtype, seed, low, high, count):
    kind, precision, parts = PARTS[dtype]
    numbers = (low + units(seed, precision, count * parts) * (high - low)).astype(kind)
    return numbers if parts == 1 else numbers.view('c8' if kind == 'f4' else 'c16')


def integers(dtype, seed, low, high, count):
    width = high - low + 1
    if dtype in ('i8', 'i16', 'u8', 'bool'):
        w = words(seed, VALUES, count).astype(object)
        return np.array([low + (int(x) * width >> 32) for x in w])
    w = words(seed, VALUES, 2 * count).astype(object)
    return np.array([low + (((int(x) << 32) + int(y)) * width >> 64) for x, y in zip(w[0::2], w[1::2])])


def checksum(array):
    """The checksum of elements in C order."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype.itemsize == 16:
        bits = flat.view(np.uint64)
    else:
        bits = flat.view(f'u{flat.dtype.itemsize}').astype(np.uint64)
    x = (bits ^ np.arange(bits.size, dtype=np.uint64) * STEP) * np.uint64(0xD1342543DE82EF95)
    x = (x ^ x >> np.uint64(32)) * np.uint64(0xBF58476D1CE4E5B9)
    total = (x ^ x >> np.uint64(29)).sum(dtype=np.uint64)
    return int(mix(total ^ mix(np.uint64(flat.size) + STEP)))


# ---- Files ----

def strides_of(shape, steps, order):
    strides, below = [0] * len(shape), 1
    for d in reversed(order):
        strides[d] = below * steps[d]
        below = strides[d] * max(shape[d], 1)
    return strides


def line(name, dtype, shape, fill, seed, steps=None, order=None, shares='0,0', more=''):
    steps, order = steps or [1] * len(shape), order or list(range(len(shape)))
    lists = ':'.join(','.join(map(str, each)) for each in (shape, strides_of(shape, steps, order), steps, order))
    return f'{name}={dtype}:{lists}:{fill}:{shares}:{seed}{more}'


def made(*lines):
    """Arrays and checksums by name."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([TENSOR_FILES, folder], input='\n'.join(lines), capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, done.stderr
        pairs = [each.split() for each in done.stdout.splitlines()]
        return ({name: np.load(f'{folder}/{name}.npy') for name, _ in pairs},
                {name: int(number) for name, number in pairs})


def by_position(values, shape, steps, order):
    """The elements of a tensor from those of its allocation."""
    strides = [stride * values.itemsize for stride in strides_of(shape, steps, order)]
    return np.lib.stride_tricks.as_strided(values, shape, strides)


LAYOUTS = [([60, 70], [1, 1], [0, 1]), ([60, 70], [1, 1], [1, 0]), ([9, 8, 70], [1, 2, 4], [2, 0, 1]),
           ([9, 8, 70], [16, 1, 1], [0, 1, 2])]


def layouts(dtype, low, high, make):
    lines = [line(f'x{n}', dtype, shape, f'uniform,{low},{high}', n + 1, steps, order)
             for n, (shape, steps, order) in enumerate(LAYOUTS)]
    arrays, sums = made(*lines)
    for n, (shape, steps, order) in enumerate(LAYOUTS):
        array = arrays[f'x{n}']
        count = int(np.prod(np.array(shape) * np.array(steps)))
        values = make(dtype, n + 1, low, high, count).astype(array.dtype)
        expected = by_position(values, shape, steps, order)
        assert array.shape == tuple(shape) and (array == expected).all(), (n, array, expected)
        if dtype != 'bf16':  # whose file holds f32
            assert sums[f'x{n}'] == checksum(array), n


def types():
    names = {'f16': 'float16', 'bf16': 'float32', 'f32': 'float32', 'f64': 'float64', 'c64': 'complex64',
             'c128': 'complex128', 'i8': 'int8', 'i16': 'int16', 'i32': 'int32', 'i64': 'int64', 'u8': 'uint8',
             'bool': 'bool'}
    arrays, _ = made(*[line(name, name, [3, 0 if name == 'f16' else 4], 'uniform,0,1', 1) for name in names])
    for name, expected in names.items():
        assert arrays[name].dtype == expected, (name, arrays[name].dtype)
    arrays, _ = made(line('x', 'f32', [], 'uniform,0,1', 1))
    assert arrays['x'].shape == () and 0 <= arrays['x'] < 1


def ranges():
    """The bounds are rounded to the type, and the upper one is never reached."""
    for dtype in 'f16', 'f32', 'f64':
        kind = PARTS[dtype][0]
        low, high = np.dtype(kind).type(1), np.dtype(kind).type(1.001)
        arrays, _ = made(line('x', dtype, [100000], 'uniform,1,1.001', 1))
        numbers = np.float64(low) + units(1, PARTS[dtype][1], 100000) * (np.float64(high) - np.float64(low))
        below = np.nextafter(high, low)
        expected = np.minimum(numbers, np.float64(below)).astype(kind)
        assert (arrays['x'] == expected).all() and arrays['x'].max() < high, dtype
        assert dtype != 'f16' or arrays['x'].max() == below


def normals():
    arrays, _ = made(line('x', 'f64', [50001], 'normal,3,2', 5), line('y', 'f32', [50001], 'normal,3,2', 5))
    w = words(5, VALUES, 4 * 25001)
    one = ((w[0::4] >> np.uint32(5)) * 2. ** 26 + (w[1::4] >> np.uint32(6)) + 1) * 2. ** -53
    two = ((w[2::4] >> np.uint32(5)) * 2. ** 26 + (w[3::4] >> np.uint32(6))) * 2. ** -53
    length, angle = np.sqrt(-2 * np.log(one)), (two - .5) * np.pi / 2
    x, y = length * np.cos(angle) * np.where(w[3::4] & 1, -1, 1), length * np.sin(angle)
    expected = np.empty(50002)
    expected[0::2], expected[1::2] = np.where(w[3::4] & 2, y, x), np.where(w[3::4] & 2, x, y)
    assert np.abs(arrays['x'] - (3 + 2 * expected[:50001])).max() < 1e-14
    assert (arrays['y'] == arrays['x'].astype('f4')).all()


def exceptions():
    arrays, _ = made(line('x', 'f32', [100000], 'uniform,0,1', 7, shares='0.25,0.125'))
    x, w = arrays['x'], words(7, EXCEPTIONS, 100000)
    assert (np.isnan(x) == (w < 2 ** 30)).all()
    assert (np.isinf(x) == ((w >= 2 ** 30) & (w < 2 ** 30 + 2 ** 29))).all()
    plain = np.isfinite(x)
    assert (x[plain] == reals('f32', 7, 0, 1, 100000)[plain]).all()


def permutations():
    shape, steps, order = [30, 40], [1, 3], [1, 0]
    arrays, sums = made(line('x', 'i32', shape, 'permutation,0,0', 3), line('y', 'i32', shape, 'permutation,0,0', 3,
                                                                           steps, order))
    assert (np.sort(arrays['x'], axis=None) == np.arange(1200)).all()
    assert (arrays['x'] == arrays['y']).all() and sums['x'] == sums['y'] == checksum(arrays['x'])


def sparse():
    arrays, _ = made(line('x', 'f32', [40, 50, 6], 'uniform,0,1', 3, more=':2,700,coalesced'),
                     line('y', 'f32', [40, 50, 6], 'uniform,0,1', 3, more=':3,700,uncoalesced'),
                     line('z', 'i64', [40, 50], 'uniform,0,9', 3, more=':1,0,coalesced'))
    i, v = arrays['x.indices'], arrays['x.values']
    assert i.shape == (2, 700) and v.shape == (700, 6) and i.dtype == np.int64
    assert (np.diff(i[0] * 50 + i[1]) > 0).all() and i.max(axis=1).tolist() <= [39, 49]
    assert (v.reshape(-1) == reals('f32', 3, 0, 1, 4200)).all()
    i = arrays['y.indices']
    assert i.shape == (3, 700) and (i[:, :350] == i[:, 350:]).all() and arrays['y.values'].shape == (700,)
    assert arrays['z.indices'].shape == (1, 0) and arrays['z.values'].shape == (0, 50)


# ---- torch ----

class Options(ctypes.Structure):
    _fields_ = [('dtype', ctypes.c_char_p), ('dimensions', ctypes.c_int), ('shape', ctypes.c_int64 * 16),
                ('steps', ctypes.c_int64 * 16), ('order', ctypes.c_int * 16), ('fill', ctypes.c_int),
                ('low', ctypes.c_double), ('high', ctypes.c_double), ('nan_share', ctypes.c_double),
                ('inf_share', ctypes.c_double), ('seed', ctypes.c_uint64)]


class Error(ctypes.Structure):
    _fields_ = [('status', ctypes.c_int), ('text', ctypes.c_char * 508)]


def with_torch():
    import torch
    from torch.utils.dlpack import from_dlpack
    library = ctypes.CDLL(LIBBILANX)
    library.bilanx_tensor_make.restype = Error
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    types_of_torch = {'f16': torch.float16, 'bf16': torch.bfloat16, 'f32': torch.float32, 'f64': torch.float64,
                      'c64': torch.complex64, 'c128': torch.complex128, 'i8': torch.int8, 'i16': torch.int16,
                      'i32': torch.int32, 'i64': torch.int64, 'u8': torch.uint8, 'bool': torch.uint8}
    for dtype, expected in types_of_torch.items():
        for shape, steps, order in LAYOUTS:
            n = len(shape)
            options = Options(dtype=dtype.encode(), dimensions=n, seed=1)
            options.shape[:n], options.steps[:n], options.order[:n] = shape, steps, order
            made_here = ctypes.c_void_p()
            error = library.bilanx_tensor_make(ctypes.byref(options), ctypes.byref(made_here))
            assert error.status == 0, error.text
            x = from_dlpack(capsule(made_here, b'dltensor', None))
            assert x.dtype == expected and list(x.shape) == shape, (dtype, x.dtype)
            assert list(x.stride()) == strides_of(shape, steps, order), (x.stride(), shape, steps, order)
            if dtype == 'f32':
                values = reals('f32', 1, 0, 1, int(np.prod(np.array(shape) * np.array(steps))))
                assert (x.numpy() == by_position(values, shape, steps, order)).all()
            del x  # which calls the deleter


def main():
    attempt('numpy opens every type', types)
    for dtype in 'f16', 'bf16', 'f32', 'f64', 'c64', 'c128':
        attempt(f'{dtype}: values of every layout, and checksums', lambda dtype=dtype: layouts(dtype, 0, 1, reals))
    attempt('f32: another range', lambda: layouts('f32', -3, 13, reals))
    for dtype, low, high in ('i8', -128, 127), ('i16', -5, 1000), ('i32', 1, 126), ('i64', -2 ** 40, 2 ** 41), \
            ('u8', 3, 250), ('bool', 0, 1):
        attempt(f'{dtype}: values of every layout, and checksums',
                lambda dtype=dtype, low=low, high=high: layouts(dtype, low, high, integers))
    attempt('ranges that end between values', ranges)
    attempt('normal numbers', normals)
    attempt('NaN and infinity', exceptions)
    attempt('permutations', permutations)
    attempt('sparse tensors', sparse)
    attempt('torch takes every type and layout', with_torch)
    print(f'1..{len(results)}')
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
