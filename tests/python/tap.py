"""Runs the unittest cases of a script and prints TAP; a test's name is its sentence."""
import sys
import unittest


class Result(unittest.TestResult):
    count = 0

    def say(self, test, verdict, detail=""):
        self.count += 1
        name = test.id().rpartition(".")[2].replace("test_", "", 1).replace("_", " ")
        print(f"{verdict} {self.count} - {name}{detail}", flush=True)

    def addSuccess(self, test):
        self.say(test, "ok")

    def addSkip(self, test, reason):
        self.say(test, "ok", f" # SKIP {reason}")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.say(test, "not ok")
        for line in self.failures[-1][1].splitlines():
            print("#", line)

    def addError(self, test, error):
        super().addError(test, error)
        self.say(test, "not ok")
        for line in self.errors[-1][1].splitlines():
            print("#", line)


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    print(f"1..{suite.countTestCases()}")
    result = Result()
    suite.run(result)
    sys.exit(not result.wasSuccessful())
