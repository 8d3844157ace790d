"""Timer and Fuzzer: an operator on random inputs.

    python3 -m bilanx.benchmark.examples.fuzzer
"""
import bilanx.benchmark as benchmark


def main():
    fuzzer = benchmark.Fuzzer(
        parameters=[[benchmark.FuzzedParameter(f"k{i}", 16, 4096, "loguniform") for i in range(2)]],
        tensors=[benchmark.FuzzedTensor("x", size=("k0", "k1"), min_elements=1024,
                                        max_elements=1 << 20)],
        seed=0)
    for tensors, properties, params in fuzzer.take(8):
        measured = benchmark.Timer("x.sum()", globals=tensors).blocked_autorange(min_run_time=0.02)
        order = "contiguous" if properties["x"]["is_contiguous"] else "permuted"
        print(f"{params['k0']:>5} x {params['k1']:<5} {order:<11} {measured.median * 1e6:9.2f} us")
    print(f"{100 * fuzzer.rejection_rate:.0f} % of the attempts were rejected")


if __name__ == "__main__":
    main()
