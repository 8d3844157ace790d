#!/usr/bin/python3
"""Functions that crash, exit, hang or raise: the process that measures them outlives them. TAP."""
import ctypes
import mmap
import os
import select
import signal
import subprocess
import sys
import threading
import time
import unittest

import bilanx
import bilanx.benchmark

import tap

QUICK = dict(max_run_time=0.02)
HERE = os.getpid()


def fine():
    pass


class Late:
    """Does something once it has been called so often that calibration is over."""

    def __init__(self, act, calls=3):
        self.act, self.left = act, calls

    def __call__(self):
        self.left -= 1
        if self.left == 0:
            self.act()


class Stubborn(Exception):
    """Cannot be made from its arguments, so it cannot travel."""

    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")


def raise_stubborn():
    raise Stubborn(1, 2)


def crash():
    ctypes.string_at(0)


def hang():
    while True:
        time.sleep(1)


def leave_a_child():
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(5)


KILLED = f"""
import os, sys, time
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import bilanx, forks
def leave():
    if os.fork() == 0:
        os.write({{1}}, b"x")
        time.sleep(1000)
    time.sleep(1000)
bilanx.time(forks.Late(leave, {{0}}))
"""

FATES = [(crash, "signal 11, Segmentation fault"), (lambda: os._exit(3), "status 3"),
         (lambda: sys.exit(4), "status 4"), (os.abort, "signal 6, Aborted"),
         (lambda: os.kill(os.getpid(), signal.SIGKILL), "signal 9, Killed"),
         (leave_a_child, "status 5")]


class Isolation(unittest.TestCase):
    def test_no_call_happens_in_this_process(self):
        called = []
        bilanx.time(lambda: called.append(1), **QUICK)
        bilanx.ab(lambda: called.append(1), lambda: called.append(2), budget=0.05)
        bilanx.benchmark.Timer("here.append(1)", setup="here.append(0)",
                               globals={"here": called}).rigorous(0.02)
        self.assertEqual(called, [])

    def test_a_function_that_ends_its_process_is_an_exception(self):
        for act, fate in FATES:
            with self.assertRaisesRegex(bilanx.MeasurementError, fate):
                bilanx.time(act, **QUICK)

    def test_so_is_one_that_does_it_later(self):
        for act, fate in FATES[:3]:
            for calls in (3, 50):
                with self.assertRaisesRegex(bilanx.MeasurementError, fate):
                    bilanx.time(Late(act, calls), **QUICK)

    def test_so_is_one_of_two_that_are_compared(self):
        for act, fate in FATES:
            for a, b in ((act, fine), (fine, act), (fine, Late(act, 1000))):
                with self.assertRaisesRegex(bilanx.MeasurementError, fate):
                    bilanx.ab(a, b, budget=0.05)

    def test_the_message_names_the_function_and_has_what_it_printed(self):
        def complain():
            os.write(2, b"out of paper\n")
            os._exit(1)
        with self.assertRaisesRegex(bilanx.MeasurementError, r"(?s)complain: .*out of paper"):
            bilanx.time(complain, **QUICK)

    def test_a_function_that_hangs_is_an_exception(self):
        for act in (hang, Late(hang, 2), Late(hang, 3)):
            with self.assertRaisesRegex(bilanx.MeasurementError, "timed out"):
                bilanx.time(act, timeout=0.2, **QUICK)
        for a, b in ((hang, fine), (fine, hang), (fine, Late(hang, 100000))):
            with self.assertRaisesRegex(bilanx.MeasurementError, "timed out"):
                bilanx.ab(a, b, timeout=0.2, budget=0.1)

    def test_what_a_function_raises_is_raised_here(self):
        with self.assertRaises(ZeroDivisionError) as raised:
            bilanx.time(lambda: 1 / 0, **QUICK)
        self.assertIn("1 / 0", str(raised.exception.__cause__))
        with self.assertRaises(ZeroDivisionError):
            bilanx.ab(fine, lambda: 1 / 0, budget=0.05)
        with self.assertRaisesRegex(bilanx.MeasurementError, "Stubborn: 1 and 2"):
            bilanx.time(raise_stubborn, **QUICK)
        with self.assertRaisesRegex(bilanx.MeasurementError, "Stubborn: 1 and 2"):
            bilanx.time(Late(raise_stubborn), **QUICK)

    def test_it_works_in_a_thread(self):
        seen = []

        def measure():
            try:
                bilanx.time(crash, **QUICK)
            except bilanx.MeasurementError as error:
                seen.append(str(error))
            seen.append(bilanx.time(fine, **QUICK).kind)
        thread = threading.Thread(target=measure)
        thread.start()
        thread.join()
        self.assertIn("signal 11", seen[0])
        self.assertEqual(seen[1], "measurement")

    def test_a_caller_that_is_killed_leaves_nothing_behind(self):
        for calls in (1, 3):  # where the setup is, and in an epoch
            ours, theirs = os.pipe()
            caller = subprocess.Popen([sys.executable, "-c", KILLED.format(calls, theirs)],
                                      pass_fds=(theirs,))
            os.close(theirs)
            self.assertEqual(os.read(ours, 1), b"x")
            caller.kill()
            caller.wait()
            self.assertTrue(select.select([ours], [], [], 60)[0])
            self.assertEqual(os.read(ours, 1), b"")  # no process has the other end
            os.close(ours)

    def test_nothing_is_left_behind(self):
        before = len(os.listdir("/proc/self/fd"))
        for act, _ in FATES:
            with self.assertRaises(bilanx.MeasurementError):
                bilanx.time(act, **QUICK)
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


class Press:
    """Presses ^C after a number of calls, counted in all forks together."""

    def __init__(self, calls, press=lambda: os.kill(HERE, signal.SIGINT)):
        self.calls, self.press = calls, press
        self.shared = mmap.mmap(-1, 8)

    def __call__(self):
        count = int.from_bytes(self.shared[:8], "little") + 1
        self.shared[:8] = count.to_bytes(8, "little")
        if count == self.calls:
            self.press()


MANY = 200000  # calls, more than an epoch has

AT_A_TERMINAL = f"""
import os, signal, sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import bilanx, forks
press = forks.Press({MANY}, lambda: os.killpg(forks.HERE, signal.SIGINT))
try:
    bilanx.time(press, max_run_time=100)
except KeyboardInterrupt as stopped:
    print("kept", len(stopped.results))
"""


class Interruption(unittest.TestCase):
    def results(self, call):
        with self.assertRaises(KeyboardInterrupt) as raised:
            call()
        return raised.exception.results

    def test_a_function_keeps_its_epochs(self):
        results = self.results(lambda: bilanx.time(Press(MANY), max_run_time=100))
        self.assertEqual([result.method for result in results], ["rigorous"])
        self.assertGreater(results[0].time, 0)

    def test_functions_before_it_are_kept_as_well(self):
        results = self.results(lambda: bilanx.time(fine, Press(1), **QUICK))
        self.assertEqual([result.stmt for result in results][:1], ["fine"])

    def test_a_comparison_keeps_what_is_known(self):
        press = Press(MANY)
        results = self.results(lambda: bilanx.ab(press, press, budget=100, alpha=1e-12))
        self.assertEqual([result.kind for result in results], ["verdict"])

    def test_a_setup_has_nothing_to_keep(self):
        timer = bilanx.benchmark.Timer("pass", setup="press(); hang()",
                                       globals={"press": Press(1), "hang": hang})
        self.assertEqual(len(self.results(timer.rigorous)), 0)

    def test_a_key_pressed_at_a_terminal_reaches_only_this_process(self):
        done = subprocess.run([sys.executable, "-c", AT_A_TERMINAL], capture_output=True, text=True,
                              start_new_session=True)
        self.assertEqual(done.stdout, "kept 1\n", done.stderr)


if __name__ == "__main__":
    tap.main()
