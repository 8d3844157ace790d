"""The BLAS libraries of this system, which blas_compare measures.

    python3 -m bilanx.benchmark.examples.blas_compare_setup
"""
import glob
import os

# Debian installs each in its own folder, and links one of them to where programs look.
PATTERN = "/usr/lib/*/*/libblas.so.3"
PACKAGES = "libblas3 libopenblas0-pthread libblis4-pthread"


def libraries():
    """Names, and folders for LD_LIBRARY_PATH."""
    return {os.path.basename(os.path.dirname(path)): os.path.dirname(path)
            for path in sorted(glob.glob(PATTERN))}


def main():
    for name, folder in libraries().items():
        print(f"{name:<20} {folder}")
    print(f"more of them: apt-get install {PACKAGES}")


if __name__ == "__main__":
    main()
