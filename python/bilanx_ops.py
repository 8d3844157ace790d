"""The worker of `bilanx ops` in an interpreter, for backends that are written in Python.

All backends of the run are loaded into this process, those in C too. Nothing is installed into the
environment of the interpreter.
"""
import os
import sys


def import_ours(here):
    """Imports our own modules, leaving nothing in sys.path and no __pycache__."""
    if sys.path and os.path.abspath(sys.path[0]) == here:
        del sys.path[0]
    writes = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, here)
    try:
        import _bilanx_ops
        import bilanx_backends  # the extension finds it among the loaded modules
        return _bilanx_ops, bilanx_backends
    finally:
        sys.path.remove(here)
        sys.dont_write_bytecode = writes


def find_library(here):
    """The worker is next to this folder, built or installed."""
    return os.path.join(os.path.dirname(here), 'bilanx-operators.so')


def main():
    if not os.environ.get('BILANX_WORKER'):
        sys.stderr.write("bilanx starts this worker itself; it is not for direct use. See 'bilanx ops'.\n")
        return 2
    here = os.path.dirname(os.path.abspath(__file__))
    extension, _ = import_ours(here)
    sys.argv = ['']
    try:
        import faulthandler
        faulthandler.enable()  # a crash prints its line
    except Exception:
        pass
    status = extension.serve(find_library(here))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # everything was sent; torch would take a tenth of a second to clean up


if __name__ == '__main__':
    sys.exit(main())
