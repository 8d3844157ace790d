"""The simplest use of Timer: python3 -m bilanx.benchmark.examples.simple_timeit"""
import bilanx.benchmark as benchmark


def main():
    timer = benchmark.Timer("sorted(x)", setup="x = list(range(100))", label="sorted already")
    print(timer.timeit(1000))
    print(timer.blocked_autorange())
    print(timer.rigorous())


if __name__ == "__main__":
    main()
