"""TAP for tests in Python: functions whose names are sentences."""
import traceback


def run(module):
    """Calls every function of a module that begins with 'test_', and reports them."""
    failed = 0
    tests = [(name[5:].replace("_", " "), function) for name, function in vars(module).items()
             if name.startswith("test_")]
    for number, (name, function) in enumerate(tests, 1):
        try:
            function()
            print(f"ok {number} - {name}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {number} - {name}")
            print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()),
                  end="", flush=True)
    print(f"1..{len(tests)}")
    return failed != 0
