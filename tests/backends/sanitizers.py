"""Kernels compiled with ASan and UBSan, in an interpreter that has loaded these before anything else."""
import os
import subprocess
import sys

SETTINGS = 'cflags=-fsanitize=address,cflags=-fsanitize=undefined,cflags=-fno-sanitize-recover=all'


def preload():
    """Starts the interpreter again with their libraries, unless it has them."""
    if 'SANITIZED' in os.environ:
        return
    found = [subprocess.check_output(['cc', f'-print-file-name={name}'], text=True).strip()
             for name in ('libasan.so', 'libubsan.so')]
    os.environ.update(LD_PRELOAD=' '.join(found), ASAN_OPTIONS='detect_leaks=0', SANITIZED='1')
    os.execv(sys.executable, [sys.executable, '-B', *sys.argv])
