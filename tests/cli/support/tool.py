# SPDX-License-Identifier: MIT
"""Runs the cairn tool and counts checks. A test script defines functions test_*(tool) and ends with main(globals())."""
import os
import re
import subprocess
import sys
import tempfile
import traceback

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
TOOL = os.path.abspath(os.path.join(ROOT, os.environ.get("CAIRN", "build/host/cairn")))
TIME_LIMIT_S = 120


class Skipped(Exception):
    """Raised by a test that cannot run here."""


class Result:
    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout.decode("utf-8", "replace")
        self.err = process.stderr.decode("utf-8", "replace")

    def key(self, name):
        """Value of a `key: value` line of the summary, None when absent."""
        found = re.search(rf"^{name}: (.*)$", self.err, re.M)
        return found.group(1) if found else None

    def number(self, name):
        return float(self.key(name))

    def rows(self):
        """Rows of a CSV result by id."""
        lines = self.out.splitlines()
        names = lines[0].split(",")
        return {line.split(",")[0]: dict(zip(names, line.split(","))) for line in lines[1:]}


class Tool:
    """A scratch folder, and the tool run inside it."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, contents):
        data = contents if isinstance(contents, bytes) else contents.encode()
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run(self, *arguments, stdin=None):
        data = stdin.encode() if isinstance(stdin, str) else stdin
        return Result(subprocess.run([TOOL, *map(str, arguments)], cwd=self.folder, input=data, capture_output=True,
                                     timeout=TIME_LIMIT_S, check=False))

    def shell(self, command):
        """A shell command in which $CAIRN is the tool."""
        return Result(subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True,
                                     env=dict(os.environ, CAIRN=TOOL), timeout=TIME_LIMIT_S, check=False))

    def refused(self, result, *words, code=1):
        """The run failed with the code, one line of complaint that contains the words, and no result."""
        assert result.code == code, f"exit {result.code}, wanted {code}; stderr: {result.err!r}"
        assert len(result.err.splitlines()) == 1, f"wanted one line of complaint: {result.err!r}"
        for word in words:
            assert word in result.err, f"{word!r} is not in {result.err!r}"
        assert result.out == "", f"a result in spite of the error: {result.out[:200]!r}"

    def fine(self, result):
        assert result.code == 0, f"exit {result.code}; stderr: {result.err!r}"
        return result


def data_folder(name):
    """A folder of measured data, or Skipped."""
    for base in (os.environ.get("CAIRN_DATA"), os.path.join(ROOT, "..", "shared", "data")):
        if base and os.path.isdir(os.path.join(base, name)):
            return os.path.join(base, name)
    raise Skipped(f"no data folder {name}: set CAIRN_DATA")


def close(actual, expected, tolerance):
    assert abs(float(actual) - expected) <= tolerance, f"{actual} is not within {tolerance} of {expected}"


def main(names):
    """Run the tests whose names contain the first argument; the last line counts them."""
    passed = failed = skipped = 0
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    for name, function in list(names.items()):
        if not name.startswith("test_") or wanted not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(Tool(folder))
                passed += 1
            except Skipped as reason:
                print(f"skipped {name}: {reason}")
                skipped += 1
            except Exception:  # any error of a test is a failure of that test
                print(f"FAILED {name}")
                traceback.print_exc(limit=-2, file=sys.stdout)
                failed += 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed else 0)
