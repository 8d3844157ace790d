"""The worker for Python, started by bilanx in the interpreter of the measured environment.

The statement sees neither this folder nor this file: sys.path begins with the current folder, as
for timeit, and __main__ is a fresh module.
"""
import os
import sys


def import_ours(here):
    """Imports the worker's own modules, leaving nothing in sys.path and no __pycache__."""
    if sys.path and os.path.abspath(sys.path[0]) == here:
        del sys.path[0]
    writes = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, here)
    try:
        import bilanx_statement
        try:
            import _bilanx
            return bilanx_statement, _bilanx, None
        except ImportError as error:
            import bilanx_plain
            return bilanx_statement, None, (bilanx_plain, error)
    finally:
        sys.path.remove(here)
        sys.dont_write_bytecode = writes
        if not getattr(sys.flags, 'safe_path', False):
            sys.path.insert(0, '')


def restore_stack(limit):
    """Restores the limit that was changed to move the mappings of this process."""
    if limit:
        import resource
        resource.setrlimit(resource.RLIMIT_STACK,
                           (limit, resource.getrlimit(resource.RLIMIT_STACK)[1]))


def main():
    channel = os.environ.pop('BILANX_WORKER', None)
    if not channel:
        sys.stderr.write("bilanx starts this Python worker itself; it is not for direct use. See 'bilanx time'.\n")
        return 2
    receive, send = [int(word) for word in channel.split(',')]
    limit = int(os.environ.pop('BILANX_STACK_LIMIT', '0'))
    os.set_inheritable(receive, False)
    os.set_inheritable(send, False)
    here = os.path.dirname(os.path.abspath(__file__))
    statement, extension, plain = import_ours(here)
    sys.argv = ['']
    try:
        import faulthandler
        faulthandler.enable()  # a crash prints its line
    except Exception:
        pass
    if extension:
        extension.undo_draw(limit)
        glue = statement.Glue(extension.set_threads, extension.safe_threads, extension.make_inputs)
        status = extension.serve(receive, send, glue, statement.Failure)
    else:
        module, reason = plain
        restore_stack(limit)
        status = module.serve(receive, send, statement.Glue(), statement.Failure, reason)
    statement.flush()
    os._exit(status)  # everything was sent; torch would take a tenth of a second to clean up


if __name__ == '__main__':
    sys.exit(main())
