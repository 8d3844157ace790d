#!/usr/bin/env bash
# C++ statements with PyTorch: its headers are parsed once, statements share a translation unit.
. "$(dirname "$0")/time.bash"
counting_compiler c++
patience=500  # PyTorch's headers take half a minute to parse
torch=(-l c++ --with torch -s 'auto x = torch::ones({4, 4}), y = x + 1' --cc "$work/c++-counted")

check "one of three statements fails" fails "
assert sorted(one['task']['stmt'] for one in r if 'raw_times' in one) == ['torch::mm(x, y)', 'x + y'], r
assert [one['task']['stmt'] for one in r if 'error' in one] == ['x.nothing()']
assert e['code'] == 'compile-failed' and 'statement:1:3' in e['output'], e" \
    'x + y' 'torch::mm(x, y)' 'x.nothing()' "${torch[@]}" "${once[@]}"
check "... and the headers are precompiled" bash -c "[ \$(wc -l <'$work/calls') -ge 3 ]"
rm -f "$work/calls"
check "compiled code is not compiled again" exits 0 "$BILANX" time 'torch::mm(x, y)' "${torch[@]}" "${once[@]}"
check "... at all" test ! -e "$work/calls"
# Names that need few headers: parsed the first time, precompiled the second, used the third.
few() { rm -f "$work/calls"; exits 0 "$BILANX" time "$1" -l c++ --with torch -s 'auto x = torch::ones({2, 2}, torch::kFloat64)' --cc "$work/c++-counted" --cflags=-DFEW "${once[@]}"; }
check "a statement that needs few headers" few 'torch::relu(x)'
check "... is compiled at once" test "$(calls)" = 1
check "the second such statement" few 'torch::neg(x)'
check "... precompiles the few headers" test "$(calls)" = 2
check "the third such statement" few 'torch::abs(x)'
check "... uses them" test "$(calls)" = 1
check "a statement that needs more headers than it seems" few 'x + TORCH_VERSION_MAJOR'
rm -f "$work/calls"
check "TorchScript works, too" measures "assert len(r) == 1 and r[0]['kind'] == 'measurement'" \
    'm.eval()' -l c++ --with torch -s 'torch::jit::Module m("m")' --cc "$work/c++-counted" "${once[@]}"
check "... with precompiled headers" test "$(calls)" = 1
# Inputs are tensors of torch's, with the bytes that C gets.
. "$(dirname "$0")/inputs.bash"
in_c="$(saying "${dense[@]}")" in_torch="$(saying "${dense[@]}")"
for name in "${sparse[@]}"; do
    in_c+="$(saying "${name}_indices" "${name}_values")"
    in_torch+="say(\"${name}_indices\", $name._indices()); say(\"${name}_values\", $name._values()); "
done
in_torch+='TORCH_CHECK(of_bool.scalar_type() == at::kBool && of_bf16.scalar_type() == at::kBFloat16 && sorted.is_coalesced() && !loose.is_coalesced());'
check "inputs in C" sums "$work/c.sums" "$in_c" -g "$say_c"
check "... and in C++ with torch" sums "$work/torch.sums" "$in_torch" -g "$say_torch" -l c++ --with torch --cc "$work/c++-counted"
check "... are the same, byte by byte" same_sums "$work/c.sums" "$work/torch.sums"
check "a setup's variable with the name of an input" fault compile-failed compile "'plain' is an input" 'plain + 1' -l c++ --with torch -s 'float plain = 1' \
    --cc "$work/c++-counted" --inputs "$work/every.yaml" --take 1 "${once[@]}"
TORCH_ROOT=$work/none check "a missing torch says what to install" fault compile-failed compile 'apt-get install libtorch-dev' 'x + y' "${torch[@]}" "${once[@]}"
check "torch needs C++" fails "assert 'add -l c++' in e['text']" 'x + 1' --with torch -s 'int x = 1' "${once[@]}"
check "an unknown recipe is a usage error" exits 2 "$BILANX" time 'x' --with troch
check "... with a suggestion" grep -q "did you mean 'torch'" "$work/err"
plan
