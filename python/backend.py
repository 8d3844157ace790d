"""Builds a wheel of the Python package with the command and its workers inside (PEP 517).

Not meson-python: its version in Debian 12 packs only what Python itself has a place for, and the
command's workers belong to libexec. The wheel is for the stable ABI, so one serves every CPython.

    python3 python/backend.py FOLDER     puts the wheel there: `make wheel`
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBEXEC = "bilanx/libexec/bilanx/"
PARTS = {  # in the build: in the wheel
    "bilanx": "bilanx/bin/bilanx",
    "bilanx-worker": LIBEXEC + "bilanx-worker",
    "bilanx-allocations.so": LIBEXEC + "bilanx-allocations.so",
    "python/_bilanx.abi3.so": LIBEXEC + "python/_bilanx.abi3.so",
    "python/bilanx/_native.abi3.so": "bilanx/_native.abi3.so",
}
WORKER_FILES = ("bilanx_plain.py", "bilanx_statement.py", "bilanx_worker.py")


def version():
    with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as file:
        return re.search(r"version: '([^']+)'", file.read()).group(1)


def build():
    """Builds everything, unless BILANX_BUILD is a folder where that was done, and returns it."""
    if os.environ.get("BILANX_BUILD"):
        return os.path.abspath(os.environ["BILANX_BUILD"])
    folder = "build-wheel"
    subprocess.run([os.path.join(ROOT, "tools/build"), folder, "-Dtests=false", "-Dpython=enabled"],
                   check=True, cwd=ROOT)
    return os.path.join(ROOT, folder)


def contents(folder):
    """Pairs of a name in the wheel and a file."""
    for part, name in PARTS.items():
        yield name, os.path.join(folder, part)
    for name in WORKER_FILES:
        yield LIBEXEC + "python/" + name, os.path.join(ROOT, "python", name)
    package = os.path.join(ROOT, "python/bilanx")
    for path, folders, files in os.walk(package):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in files:
            if name.endswith((".py", ".pyi", ".typed")):
                file = os.path.join(path, name)
                yield os.path.relpath(file, os.path.dirname(package)), file


def metadata():
    with open(os.path.join(ROOT, "python/README.md"), encoding="utf-8") as file:
        description = file.read()
    return ("Metadata-Version: 2.1\nName: bilanx\nVersion: %s\n"
            "Summary: Measures how fast code runs, and how certain that is\nLicense: MIT\n"
            "Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n%s"
            % (version(), description))


def tag():
    return "cp38-abi3-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


class Wheel:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data, executable=False):
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o100755 if executable else 0o100644) << 16
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append("%s,sha256=%s,%d\n" % (name, digest, len(data)))

    def close(self, name):
        self.record.append(name + ",,\n")
        self.zip.writestr(name, "".join(self.record))
        self.zip.close()


def stripped(path):
    """A program or a module without its debug information, which is most of it."""
    copy = path + ".stripped"
    try:
        subprocess.run(["strip", "--strip-debug", "-o", copy, path], check=True)
        with open(copy, "rb") as file:
            return file.read()
    finally:
        if os.path.exists(copy):
            os.remove(copy)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = build()
    info = "bilanx-%s.dist-info/" % version()
    name = "bilanx-%s-%s.whl" % (version(), tag())
    wheel = Wheel(os.path.join(wheel_directory, name))
    for place, path in contents(folder):
        binary = path.startswith(folder)
        with open(path, "rb") as file:
            data = stripped(path) if binary else file.read()
        wheel.add(place, data, executable=binary)
    wheel.add(info + "METADATA", metadata().encode())
    wheel.add(info + "WHEEL", ("Wheel-Version: 1.0\nGenerator: bilanx\nRoot-Is-Purelib: false\n"
                               "Tag: %s\n" % tag()).encode())
    wheel.add(info + "entry_points.txt", b"[console_scripts]\nbilanx = bilanx._paths:main\n"
              b"[pytest11]\nbilanx = bilanx.pytest_plugin\n")
    wheel.close(info + "RECORD")
    return name


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    name = "bilanx-%s" % version()
    files = subprocess.run(["git", "ls-files"], check=True, cwd=ROOT, capture_output=True, text=True)
    path = os.path.join(sdist_directory, name + ".tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        for file in files.stdout.splitlines():
            archive.add(os.path.join(ROOT, file), "%s/%s" % (name, file))
    return name + ".tar.gz"


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    print(os.path.join(sys.argv[1], build_wheel(sys.argv[1])))
