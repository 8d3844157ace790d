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


def load_program(path, statement, parts):
    """Runs a file with functions that @bilanx.bench marks. Returns what answers requests about
    them, and their descriptions."""
    import runpy
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    runpy.run_path(path, run_name='bilanx_program')
    programs = sys.modules.get('bilanx._programs')
    if programs is None or not programs.CASES:
        sys.stderr.write("'%s' has no function with @bilanx.bench\n" % path)
        sys.exit(1)
    return programs.glue(statement, parts), [case.words(i) for i, case in enumerate(programs.CASES)]


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
    program = sys.argv[1] if len(sys.argv) > 1 else None
    sys.argv = ['']
    try:
        import faulthandler
        faulthandler.enable()  # a crash prints its line
    except Exception:
        pass
    if extension:
        extension.undo_draw(limit)
        parts = extension.set_threads, extension.safe_threads, extension.make_inputs
        glue, cases = statement.Glue(*parts), []
        if program:
            glue, cases = load_program(program, statement, parts)
        status = extension.serve(receive, send, glue, statement.Failure, cases)
    else:
        module, reason = plain
        restore_stack(limit)
        status = module.serve(receive, send, statement.Glue(), statement.Failure, reason)
    statement.flush()
    os._exit(status)  # everything was sent; torch would take a tenth of a second to clean up


if __name__ == '__main__':
    sys.exit(main())
