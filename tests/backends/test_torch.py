"""The backends torch and torchscript: arguments, results, memory and errors.

    test_torch.py MODULE [FOLDER]       FOLDER has logs that must run
"""
import sys

import host
import tap
import torch
import torch_logs

EAGER = "bilanx_backend_table"
SCRIPT = "bilanx_backend_table_torchscript"
MODULE = sys.argv[1]
FOLDERS = sys.argv[2:]


def both(name, arguments, keywords, expected, times=3):
    for symbol in (EAGER, SCRIPT):
        module = host.Module(MODULE, symbol)
        reason = module.supports(name, arguments, keywords)
        assert reason is None, reason
        result = module.run(name, host.copied(list(arguments)), keywords, times)
        assert torch_logs.same(result, expected), (symbol, result, expected)
        module.close()


def refused(name, arguments, keywords, symbol=EAGER):
    module = host.Module(MODULE, symbol)
    reason = module.supports(name, arguments, keywords)
    module.close()
    return reason


def failure(name, arguments, keywords, symbol=EAGER):
    module = host.Module(MODULE, symbol)
    try:
        module.run(name, arguments, keywords)
    except host.Failure as error:
        return str(error)
    finally:
        module.close()
    return None


X = torch.rand(3, 4)


def test_tensors_and_keywords_reach_the_operator():
    both("aten.add.Tensor", [X, X], {"alpha": 2}, X * 3)


def test_strides_are_kept_and_nothing_is_copied():
    both("aten.sub.Tensor", [X.t(), X.t()[:, :1]], {}, X.t() - X.t()[:, :1])
    module, y = host.Module(MODULE), torch.zeros(2, 2)
    module.run("aten.add_.Tensor", [y.t(), torch.ones(2, 2)], {}, 3)
    assert torch.equal(y, torch.full((2, 2), 3.0)), y
    module.close()


def test_a_number_in_place_of_a_tensor_keeps_the_type():
    half = X.half()
    both("aten.mul.Tensor", [half, 2.5], {}, half * 2.5)


def test_integers_become_reals_and_lists_are_made_of_numbers():
    both("aten.native_layer_norm.default", [X, [4], None, None, 1], {},
         torch.native_layer_norm(X, [4], None, None, 1.0))
    both("aten.avg_pool2d.default", [X[None, None], 2], {},
         torch.nn.functional.avg_pool2d(X[None, None], 2))


def test_words_become_types_layouts_and_formats():
    for word in ("f16", "torch.float16"):
        both("aten._to_copy.default", [X],
             {"dtype": host.Word(word), "layout": host.Word("torch.strided"), "device": "cuda:0"},
             X.half())
    image = torch.rand(2, 3, 4, 5)
    module = host.Module(MODULE)
    made = module.run("aten.clone.default", [image],
                      {"memory_format": host.Word("torch.channels_last")})
    assert torch.equal(made, image) and made.is_contiguous(memory_format=torch.channels_last)
    module.close()


def test_lists_of_tensors_may_have_gaps():
    places = torch.tensor([2, 0])
    both("aten.index.Tensor", [X, [None, places]], {}, X[:, places])
    both("aten.cat.default", [[X, X], 1], {}, torch.cat([X, X], 1))


def test_results_are_truth_values_lists_tuples_and_nothing():
    both("aten.gt.Scalar", [X, 0.5], {}, X > 0.5)
    both("aten.split.Tensor", [X, 2], {}, list(X.split(2)))
    both("aten.max.dim", [X, 1], {}, tuple(X.max(1)))
    grad = host.Module(MODULE).run(
        "aten.convolution_backward.default",
        [X[None, None], X[None, None], torch.ones(1, 1, 1, 1), None, [1, 1], [0, 0], [1, 1], False,
         [0, 0], 1, [True, False, False]], {})
    assert grad[0].shape == (1, 1, 3, 4) and grad[1] is None and grad[2] is None, grad


def test_empty_and_scalar_tensors_pass():
    both("aten.relu.default", [torch.empty(0, 3)], {}, torch.empty(0, 3))
    both("aten.neg.default", [torch.tensor(2.0)], {}, torch.tensor(-2.0))


def test_sparse_tensors_pass():
    sparse = torch.eye(3).to_sparse()
    module = host.Module(MODULE)
    assert torch.equal(module.run("aten.mul.Tensor", [sparse, sparse], {}).to_dense(), torch.eye(3))
    module.close()


def test_an_operator_that_changes_the_shape_starts_anew_each_time():
    both("aten.t_.default", [X], {}, X.t(), times=2)
    both("aten.unsqueeze_.default", [X, 0], {}, X[None], times=3)


def test_names_of_older_versions_are_known():
    both("aten.sum.SymInt", [X, [0], True], {}, X.sum(0, True))
    columns = torch.rand(1, 4, 9)
    both("aten.im2col_backward.default", [columns, [4, 4], [2, 2], [1, 1], [0, 0], [1, 1]], {},
         torch.nn.functional.fold(columns, (4, 4), (2, 2)))


def test_results_come_from_the_allocator_of_the_host():
    big = torch.rand(100, 100)
    module = host.Module(MODULE, counted=True)
    module.run("aten.add.Tensor", [big, big], {}, 5)
    assert module.allocated == 5 + 1, module.allocated  # and the copy for us
    assert module.freed == module.allocated, (module.freed, module.allocated)
    module.close()
    before = module.allocated
    torch.add(big, big)
    assert module.allocated == before


def test_the_number_of_threads_is_that_of_the_host():
    for threads in (1, 2):
        module = host.Module(MODULE, threads=threads)
        assert torch.get_num_threads() == threads
        module.close()
    torch.set_num_threads(1)


def test_the_null_operator_returns_its_argument():
    both("bilanx.null.default", [X], {}, X)


def test_reasons_name_the_argument_and_the_version():
    assert refused("aten.add.Tensor", [X], {}) == "argument 'other' is missing"
    assert refused("aten.add.Tensor", [X, [1]], {}) == "argument 'other' is no tensor"
    assert refused("aten.sum.dim_IntList", [X, "a"], {}) == "argument 'dim' is no list"
    assert refused("aten.clone.default", [X], {"memory_format": host.Word("torch.odd")}) == \
        "argument 'memory_format' unknown word 'torch.odd'"
    assert "unknown argument 'a' for aten::relu" in refused("aten.relu.default", [X], {"a": 1})
    version = torch.__version__.split("a")[0].split("+")[0]
    assert refused("aten.nothing.default", [X], {}) == \
        f"PyTorch {version} has no operator aten.nothing.default"
    assert "is no operator" in refused("add", [X], {})
    assert "no CPU kernel" in refused("aten._cudnn_rnn.default", [X], {})


def test_an_error_is_the_first_sentence_of_torchs_message():
    for symbol in (EAGER, SCRIPT):
        assert failure("aten.mm.default", [X, X], {}, symbol) == \
            "mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)"
    module = host.Module(MODULE)  # and the next call works
    try:
        module.run("aten.mm.default", [X, X], {})
    except host.Failure:
        pass
    assert module.run("aten.mm.default", [X, X.t()], {}).shape == (3, 3)
    module.close()


def test_a_configuration_is_refused():
    try:
        host.Module(MODULE, config="fast")
        assert False
    except host.Failure as error:
        assert str(error) == "the backend takes no configuration: 'fast'", error


# Operators that PyTorch itself cannot run on a CPU.
LISTED = {"aten._cudnn_rnn.default", "aten._cudnn_rnn_backward.default"}


def test_every_operator_of_the_logs_runs_as_in_torch():
    module = host.Module(MODULE)
    wrong = {}
    for name, text in torch_logs.smallest_samples(FOLDERS).items():
        outcome = torch_logs.check(module, name, text, 2)
        if outcome not in ("same", "ran"):
            wrong[name] = outcome
    module.close()
    assert set(wrong) <= LISTED, wrong
    assert all("no CPU kernel" in outcome for outcome in wrong.values()), wrong


sys.exit(tap.run(sys.modules[__name__]))
