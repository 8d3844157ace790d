#!/usr/bin/env bash
# The backend codegen from the command line: code shown, settings, tuning, chains, kernels that do not compile.
. "$(dirname "$0")/cli.bash"
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache
mkdir -m 700 cache
cat >small.txt <<'LOG'
Operator: aten.gelu.default
cnt: 5, ((T([8, 16], f16),), {})
Operator: aten.sum.dim_IntList
cnt: 2, ((T([13, 16], f16), [0]), {})
Operator: aten.mm.default
cnt: 1, ((T([4, 4], f16), T([4, 4], f16)), {})
LOG
cat >chains.txt <<'LOG'
Operator: bilanx.chain.default
cnt: 3, ((('aten.add.Tensor', T([8, 300], f32), T([300], f32), ('=alpha', 2)), ('aten.gelu.default', '<0>'), ('aten.mul_.Tensor', '<1>', 0.5)), {})
cnt: 1, ((('aten.add.Tensor', T([8, 300], f32), '<3>'), ('aten.gelu.default', '<0>')), {})
LOG
ops=("$BILANX" ops --baseline reference --no-roof --repeats 1)

check "kernels agree with the reference" exits 0 "${ops[@]}" small.txt --backend codegen -o one.jsonl
check "... in records of two operators" records one.jsonl "assert len([1 for one in r if one['task']['description'] == 'codegen']) == 2"
check "products are not its business" err 'not supported by codegen (1): aten.mm.default'
check "the code is shown" exits 0 "$BILANX" ops --show-code aten.gelu.default small.txt
check "... in C with vectors" out 'vector_size(64)\|vector_size(32)\|vector_size(16)'
check "... with comments" out '^// Point by point'
run "$BILANX" ops --show-code aten.gelu.default small.txt
check "... which compiles without warnings" cc -x c -Wall -Wextra -Werror -Wno-psabi -O1 -march=native -c out -o kernel.o
check "operators without code fail" exits 1 "$BILANX" ops --show-code aten.mm.default small.txt
check "... and it is said why" out 'not supported: not written'
check "only code generators have code" exits 1 "$BILANX" ops --show-code aten.gelu.default small.txt --backend reference
check "... as is said" out 'generates no code'
check "settings change the code" exits 0 "$BILANX" ops --show-code aten.gelu.default small.txt --backend codegen:vector=16
check "... of vectors" out 'vector_size(16)'
printf 'Operator: aten.relu.default\ncnt: 1, ((T([2048, 1024], f32),), {})\ncnt: 1, ((T([8, 16], f32),), {})\n' >sizes.txt
code() { "$BILANX" ops --show-code relu sizes.txt --backend "codegen:stream=$1" "${@:2}"; }
check "large results can bypass the caches" grep -q 'stream_f32(out0' <(code 1 --max-samples 1)
stays() { "$@" >shown && grep -q 'store_f32(out0' shown && ! grep -q stream_ shown; }
check "... with prefetched inputs" grep -q '__builtin_prefetch(self_at' <(code 1 --max-samples 1)
check "... or stay in them" stays code 0
check "small ones usually stay in them" stays "$BILANX" ops --show-code relu sizes.txt --start-idx 1
check "results that bypass the caches are right" exits 0 "${ops[@]}" sizes.txt --backend codegen:stream=1
cat >witness.c <<'C'
#include "activations.c"
#include <stdio.h>
__attribute__((constructor)) static void note_start(void)
{
    FILE *file = fopen(getenv("WITNESS"), "a");
    fprintf(file, "a worker\n");
    fclose(file);
}
C
cat >large.txt <<'LOG'
Operator: aten.relu.default
cnt: 1, ((T([256, 1024], f32),), {})
cnt: 1, ((T([512, 1024], f32),), {})
cnt: 1, ((T([768, 1024], f32),), {})
cnt: 1, ((T([1024, 1024], f32),), {})
LOG
cc -O2 -shared -fPIC -I"$root/include" -I"$root/examples/backend" witness.c -o witness.so -lm || exit 1
WITNESS=$work/starts
export WITNESS
check "multithreaded kernels are measured" exits 0 "$BILANX" ops large.txt --max-samples 4 --threads 2 --no-roof --repeats 3 --baseline ./witness.so --backend codegen
check "... and unloading them does not kill the worker" test "$(wc -l <starts)" = 1
check "unknown settings are refused" exits 1 "${ops[@]}" small.txt --backend codegen:colour=red
check "... by name" err "unknown setting 'colour=red'"
check "so are strange values" exits 1 "${ops[@]}" small.txt --backend codegen:vector=33
check "... with the possible values" err '16, 32 or 64'
check "... and numbers out of range" exits 1 "${ops[@]}" small.txt --backend codegen:unroll=0
check "... with that range" err 'from 1 to 16'
check "a missing compiler is an error" exits 1 "${ops[@]}" small.txt --backend codegen:cc=no-such-compiler
check "... with its name" err "cannot find the compiler 'no-such-compiler'"
check "a kernel that does not compile is a failed sample" exits 1 "${ops[@]}" small.txt --op gelu --backend codegen:cflags=-Dlong=nonsense -o bad.jsonl
check "... with the compiler's words" records bad.jsonl "assert any(one['kind'] == 'failure' and 'nonsense' in json.dumps(one) for one in r)"
cat >many.txt <<'LOG'
Operator: aten.gelu.default
cnt: 1, ((T([8, 16], f32),), {})
cnt: 1, ((T([8, 32], f32),), {})
cnt: 1, ((T([8, 48], f32),), {})
Operator: aten.sum.dim_IntList
cnt: 1, ((T([13, 16], f32), [0]), {})
cnt: 1, ((T([14, 16], f32), [0]), {})
LOG
printf '#!/bin/sh\ncase "$*" in *kernel.c*) echo one >>%s/compiled ;; esac\nexec cc "$@"\n' "$work" >counting-cc
chmod +x counting-cc
check "kernels are compiled together" exits 0 "${ops[@]}" many.txt --backend "codegen:cc=$work/counting-cc" -o many.jsonl
check "... in one translation unit for each type of vector: sums may need f64" test "$(wc -l <compiled)" = 2
check "... each with its share of the time" records many.jsonl "
times = [one['counters']['prepare_s'] for one in r if one['task']['description'].startswith('codegen')]
assert len(times) == 5 and min(times) > 0.1 * max(times), times"
check "... and kept in the cache" exits 0 "${ops[@]}" many.txt --backend "codegen:cc=$work/counting-cc"
check "... so that nothing is compiled again" test "$(wc -l <compiled)" = 2
check "a kernel that does not compile stops no other" exits 1 "${ops[@]}" many.txt --backend codegen:cflags=-Dgelu=1 -o some.jsonl
check "... of the same translation unit" records some.jsonl "
kinds = [(one['kind'], one['task']['label']) for one in r if one['task']['description'].startswith('codegen')]
assert sorted(kinds) == [('failure', 'aten.gelu.default')] * 3 + [('measurement', 'aten.sum.dim_IntList')] * 2, kinds"
check "tuning works" exits 0 "${ops[@]}" small.txt --op gelu --backend codegen:autotune
check "... and is remembered" test -n "$(ls cache/bilanx/tuned)"
check "... in a folder of ours" test "$(stat -c %a cache/bilanx/tuned)" = 700
check "remembered settings are used" exits 0 "${ops[@]}" small.txt --op gelu --backend codegen:autotune
check "chains are fused" exits 0 "$BILANX" ops --fuse chains.txt --max-samples 1 --no-roof --repeats 1
check "... and compared with the steps one by one" out '^bilanx.chain.default: codegen='
check "the code of a chain is one kernel" exits 0 "$BILANX" ops --show-code bilanx.chain.default chains.txt --max-samples 1
check "... with its steps as values" out 'const V step1 = gelu(step0);'
check "a chain that refers ahead is refused" exits 1 "$BILANX" ops --show-code bilanx.chain.default chains.txt --start-idx 1
check "... as is said" out 'does not come before it'
check "--fuse needs chains" exits 1 "$BILANX" ops --fuse small.txt
check "... and says how to record them" err "ops record --chains"
plan
