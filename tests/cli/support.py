"""What the black-box tests share: running the program, reference data, and results as TAP."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ["BLOCKGEN"]
SANITIZED = os.environ.get("BLOCKGEN_SANITIZED", "OFF") in ("ON", "1", "TRUE")
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
ALGORITHMS = ("tess", "lc", "co-sum", "co-mc", "cd-mc")

# Two back-to-back gluons at 90 degrees, 1 TeV: a physical point that is easy to spoil.
GOOD = "500 0 0 500 500 0 0 -500 500 500 0 0 500 -500 0 0"


def run(*arguments, stdin=None, **more):
    """The finished process: returncode, stdout, stderr as text."""
    more.setdefault("timeout", 600)
    more.setdefault("text", True)
    return subprocess.run([PROGRAM, *map(str, arguments)], input=stdin if stdin is not None else "",
                          stdout=more.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, **more)


def data(name):
    return os.path.join(DATA, name)


def rows(name):
    with open(data(name)) as file:
        return [line.split() for line in file if line.strip() and not line.startswith("#")]


def lines(name):
    return [" ".join(row) for row in rows(name)]


def values(name):
    return [float(row[0]) for row in rows(name)]


def wait_for_work(process, seconds):
    """Until the process has had so many seconds of a processor: how busy the machine is does not matter."""
    ticks = os.sysconf("SC_CLK_TCK")
    while process.poll() is None:
        with open(f"/proc/{process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        if (int(fields[11]) + int(fields[12])) / ticks >= seconds:
            return
        time.sleep(0.02)


class CliTest(unittest.TestCase):
    def succeeds(self, *arguments, **more):
        p = run(*arguments, **more)
        self.assertEqual(p.returncode, 0, p.stderr)
        return p

    def tended(self, command, **more):
        """A process that ends with the test at the latest, also where that fails before it has stopped it."""
        def stop():
            p.kill()
            p.wait()
            for stream in (p.stdin, p.stdout, p.stderr):
                if stream:
                    stream.close()
        p = subprocess.Popen(command, **more)
        self.addCleanup(stop)
        return p

    def refused(self, status, wanted, *arguments, **more):
        """Exit status `status`, and every text of `wanted` in the message. Returns the process."""
        p = run(*arguments, **more)
        self.assertEqual(p.returncode, status, (arguments, p.stdout, p.stderr))
        for text in (wanted,) if isinstance(wanted, str) else wanted:
            self.assertIn(text, p.stderr)
        return p

    def close(self, got, expected, tolerance):
        self.assertEqual(len(got), len(expected))
        for g, e in zip(got, expected):
            self.assertLess(abs(g - e), tolerance * abs(e), f"{g!r} is not {e!r}")


class TapResult(unittest.TestResult):
    count = 0

    def report(self, word, test, comment="", details=""):
        TapResult.count += 1
        print(f"{word} {TapResult.count} - {test.id().replace('__main__.', '')}{comment}")
        for line in details.splitlines():
            print("#", line)
        sys.stdout.flush()

    def addSuccess(self, test):
        self.report("ok", test)

    def addSkip(self, test, reason):
        self.report("ok", test, f" # SKIP {reason}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.report("not ok", test, details=self._exc_info_to_string(err, test))

    def addError(self, test, err):
        super().addError(test, err)
        self.report("not ok", test, details=self._exc_info_to_string(err, test))

    def addSubTest(self, test, subtest, err):
        if err is not None:
            super().addSubTest(test, subtest, err)
            self.report("not ok", subtest, details=self._exc_info_to_string(err, test))


def main():
    """All cases of the file, or those of the classes that are named."""
    result = TapResult()
    loader, module = unittest.defaultTestLoader, sys.modules["__main__"]
    suite = loader.loadTestsFromNames(sys.argv[1:], module) if sys.argv[1:] else loader.loadTestsFromModule(module)
    suite.run(result)
    print(f"1..{TapResult.count}")
    sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)
