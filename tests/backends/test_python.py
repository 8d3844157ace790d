"""Backends in Python files: which function runs, what it is given, what becomes of its result.

    test_python.py FOLDER       with the extension and its parts
"""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import _bilanx_ops
import host
import numpy
import tap
import torch

TABLES = _bilanx_ops.tables()
WORK = tempfile.TemporaryDirectory()
X = torch.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]])


def backend(text, config=None, threads=1):
    path = os.path.join(WORK.name, f"file{len(os.listdir(WORK.name))}.py")
    with open(path, "w") as file:
        file.write(text)
    return host.Module(TABLES["python"], config=path + (f":{config}" if config else ""),
                       threads=threads)


def result(text, name, *arguments, **keywords):
    module = backend(text)
    assert module.supports(name, arguments, keywords) is None
    made = module.run(name, arguments, keywords, 2)
    module.close()
    return made


def failure(act):
    try:
        act()
    except host.Failure as error:
        return str(error)
    return None


def test_a_function_is_found_by_the_name_of_its_operator():
    for name in ("relu", "relu_default", "aten_relu_default"):
        made = result(f"import numpy as np\ndef {name}(x): return np.maximum(x, 0)",
                      "aten.relu.default", X)
        assert torch.equal(made, X.relu())
    assert torch.equal(result("def add_Tensor(x, y, *, alpha=1): return x + alpha * y",
                              "aten.add.Tensor", X, X, alpha=3), X * 4)
    module = backend("def add(x, y): return x")
    assert "has no add_Tensor" in module.supports("aten.add.Tensor", [X, X], {})
    module.close()


def test_a_table_may_name_operators():
    assert torch.equal(result("import numpy as np\nOPERATORS = {'aten.mul.Tensor': np.multiply}",
                              "aten.mul.Tensor", X, X), X * X)


def test_a_file_that_imports_torch_gets_tensors():
    text = """import torch
def relu(x):
    assert isinstance(x, torch.Tensor) and x.stride() == (1, 3)
    return x.relu()"""
    assert torch.equal(result(text, "aten.relu.default", X.t()), X.t().relu())


def test_arrays_share_the_memory_of_the_host():
    y = X.clone()
    made = result("def relu_(x):\n    x[x < 0] = 0\n    return x", "aten.relu_.default", y)
    assert torch.equal(y, X.relu()) and torch.equal(made, y)


def test_all_kinds_of_arguments_arrive():
    text = """import torch
def f(x, mask, n, flag, none, text, word, layout, sizes, pair, *, p):
    assert mask.dtype == torch.bool and n == 3 and flag is True and none is None
    assert text == 'mean' and word is torch.float16 and layout is torch.strided
    assert sizes == [1, 2] and pair == (3, 0.5) and p == 2.5
    return x"""
    result(text, "aten.f.default", X, X > 0, 3, True, None, "mean", host.Word("f16"),
           host.Word("torch.strided"), [1, 2], (3, 0.5), p=2.5)


def test_sparse_tensors_arrive():
    made = result("import torch\ndef f(x): return x.to_dense()", "aten.f.default",
                  torch.eye(3).to_sparse())
    assert torch.equal(made, torch.eye(3))


def test_results_may_be_nested_and_of_any_type():
    text = """import numpy as np
def f(x): return x > 0, [x.sum(), None], x[:, ::2], 3, 0.5, True"""
    mask, (total, nothing), strided, three, half, true = result(text, "aten.f.default", X)
    assert torch.equal(mask, X > 0) and total == X.sum() and nothing is None
    assert torch.equal(strided, X[:, ::2]) and (three, half, true) == (3, 0.5, True)
    for dtype in (torch.float16, torch.float64, torch.int64, torch.uint8, torch.bool):
        given = X.to(dtype)
        assert torch.equal(result("def f(x): return x + 0 if x.dtype != bool else x.copy()",
                                  "aten.f.default", given), given)


def test_results_that_cannot_be_written_to_are_copied():
    made = result("import numpy as np\ndef f(x): return np.broadcast_to(x, (2, 2, 3))",
                  "aten.f.default", X)
    assert torch.equal(made, X.expand(2, 2, 3))


def test_an_exception_is_one_failed_call_with_its_last_line():
    text = """import numpy as np
def f(x):
    if x.size > 2:
        raise ValueError('too large\\nand more')
    return x"""
    module = backend(text)
    wrong = failure(lambda: module.run("aten.f.default", [X], {}))
    assert wrong.startswith("ValueError: too large (file"), wrong
    assert wrong.endswith("in f: raise ValueError('too large\\nand more'))"), wrong
    assert torch.equal(module.run("aten.f.default", [X[:1, :1]], {}), X[:1, :1])
    module.close()


def test_a_result_that_is_no_tensor_is_an_error():
    module = backend("def f(x): return object()")
    wrong = failure(lambda: module.run("aten.f.default", [X], {}))
    assert wrong == "it returned object, which is no tensor", wrong
    module.close()


def test_bfloat16_needs_torch():
    module = backend("def f(x): return x")
    assert failure(lambda: module.run("aten.f.default", [X.bfloat16()], {})) == \
        "numpy has no bfloat16"
    module.close()


def test_hooks_get_configuration_and_threads_and_plan_the_call():
    text = """import torch
def open_backend(config, threads):
    global seen
    seen = (config, threads)
def supports(name): return None if name == 'aten.f.default' else 'only f'
def prepare(name, arguments, keywords):
    return (lambda x: [x + keywords['by']]), arguments, lambda made: made[0]
def describe(): return 'seen %s %d' % seen"""
    module = backend(text, "fast=1", threads=2)
    assert module.describe() == "seen fast=1 2", module.describe()
    assert module.supports("aten.g.default", [X], {}) == "only f"
    assert torch.equal(module.run("aten.f.default", [X], {"by": 2}, 2), X + 2)
    module.close()


def test_the_null_operator_returns_its_argument():
    assert torch.equal(result("def f(x): return x", "bilanx.null.default", X), X)


def test_arrays_of_numpy_come_from_the_allocator_of_the_host():
    path = os.path.join(WORK.name, "allocates.py")
    with open(path, "w") as file:
        file.write("""import numpy as np
def f(x):
    y = x + 1
    y.resize((500, 100), refcheck=False)    # the same memory, resized
    return y
def g(x): return np.zeros((1000, 100)) + x[0, 0]""")
    big = torch.ones(1000, 100)
    module = host.Module(TABLES["python"], config=path, counted=True)
    assert torch.equal(module.run("aten.f.default", [big], {}), torch.full((500, 100), 2.0))
    assert module.allocated >= 2, module.allocated
    before = module.allocated
    assert torch.equal(module.run("aten.g.default", [big], {}, 5),
                       torch.ones(1000, 100, dtype=torch.float64))
    assert module.allocated >= before + 5, module.allocated
    module.close()
    assert module.freed == module.allocated, (module.freed, module.allocated)
    before = module.allocated
    numpy.ones((1000, 100))
    assert module.allocated == before


def test_errors_of_files_say_what_is_wrong():
    def opened(config):
        return failure(lambda: host.Module(TABLES["python"], config=config))
    assert opened(None) == "name a file: python:FILE"
    assert opened("/nowhere.py") == "cannot find the file '/nowhere.py': a Python file is expected"
    assert failure(lambda: backend("def f(x): return x", "fast")) == \
        "the file takes no configuration: 'fast'"
    wrong = failure(lambda: backend("import nonsense_module"))
    assert wrong.startswith("ModuleNotFoundError: No module named 'nonsense_module' (file"), wrong
    assert failure(lambda: backend("ARRAYS = 'odd'")) == \
        "ARRAYS is 'odd': use dlpack, numpy, torch"


def test_nothing_is_leaked_by_running():
    module = backend("def f(x): return x + 1")
    big = torch.rand(1000, 1000)
    module.run("aten.f.default", [big], {}, 3)
    before = memory()
    module.run("aten.f.default", [big], {}, 200)
    assert memory() - before < 400 << 20, memory() - before  # 200 results are twice as much
    module.close()


def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_inductor_says_what_it_needs_or_compiles():
    if int(torch.__version__.split(".")[0]) < 2:
        wrong = failure(lambda: host.Module(TABLES["inductor"]))
        assert wrong.startswith("inductor needs PyTorch 2, and this is 1.13"), wrong
        return
    wrong = failure(lambda: host.Module(TABLES["inductor"], config="max_autotun=1"))
    assert wrong == "inductor has no setting 'max_autotun' (did you mean 'max_autotune'?)", wrong
    wrong = failure(lambda: host.Module(TABLES["inductor"], config="halide"))
    assert wrong is None or "pip install halide" in wrong, wrong
    module = host.Module(TABLES["inductor"])
    for name, arguments, expected in (("aten.gelu.default", [X], torch.nn.functional.gelu(X)),
                                      ("aten.max.dim", [X, 1], tuple(X.max(1))),
                                      ("aten.relu_.default", [X.clone()], X.relu())):
        made = module.run(name, arguments, {}, 2)
        pairs = zip(made, expected) if isinstance(made, tuple) else [(made, expected)]
        assert all(torch.allclose(a, b, atol=1e-5) for a, b in pairs), name
    module.close()


sys.exit(tap.run(sys.modules[__name__]))
