# SPDX-License-Identifier: MIT
"""Shared by the tools: build one configuration, run one program, read its last line."""
import os
import re
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# measured data, which are not part of the project: tests/bench/DATA.md
DATA = os.environ.get("CAIRN_DATA", os.path.join(ROOT, "..", "shared", "data"))
BOARDS = ["host", "mps2-an386", "mps2-an385", "mps2-an500", "mps3-an547", "microbit", "rv32", "rv32imac"]
# processors that are tested above; these boards are there for their UARTs
SWARM_BOARDS = ["lm3s6965evb", "netduinoplus2"]
TOOLCHAINS = ["gcc", "clang"]
OPTS = ["-O0", "-Os", "-O2"]
SANITIZED = ["asan", "msan"]
TIMEOUT_S = int(os.environ.get("CAIRN_TIMEOUT", "120"))
SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")


def default_opt(board):
    return "-O2" if board == "host" else "-Os"


class Config:
    """A board, a compiler, an optimization and a variant: one folder under build/."""

    def __init__(self, board, toolchain="gcc", opt=None, variant=""):
        self.board, self.toolchain, self.variant = board, toolchain, variant
        self.opt = opt or default_opt(board)
        self.name = self.toolchain + self.opt + ("-" + variant if variant else "")
        self.out = f"build/{board}/{self.name}"

    def __str__(self):
        return f"{self.board} {self.name}"

    def _make(self, jobs, *arguments):
        os.makedirs(os.path.join(ROOT, self.out), exist_ok=True)
        # not the caller's jobserver: its descriptors aren't inherited
        environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BOARD")}
        command = ["flock", self.out + "/lock", "make", f"-j{jobs}", "BOARD=" + self.board,
                   "TOOLCHAIN=" + self.toolchain, "OPT=" + self.opt, "VARIANT=" + self.variant,
                   # sanitizers name lines; of the others nobody reads them
                   "DEBUG_INFO=" + ("-g1" if self.variant in SANITIZED else "-g0")]
        return subprocess.run(command + list(arguments), cwd=ROOT, env=environment, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def build(self, *targets):
        """Returns (all built, output of the compilers). Who has the lock uses every core: others may be waiting for it."""
        done = self._make(os.cpu_count(), "-k", "-Otarget", *targets)
        return done.returncode == 0, done.stdout

    def value(self, name):
        """The words of a variable of the makefiles, such as TEST_PROGRAMS."""
        return self.values(name)[name]

    def values(self, *names):
        """The same for several at once, by name: make takes a while to read its files."""
        done = self._make(1, *("print-" + name for name in names))
        if done.returncode != 0:  # its complaint is no list of programs
            raise RuntimeError(f"{self}: {tail(done.stdout)}")
        return {name: line.split() for name, line in zip(names, done.stdout.splitlines())}

    def is_current(self, target):
        """False if the target's last build failed: an older one may lie there."""
        return self._make(1, "-q", target).returncode == 0


def run(command, timeout_s=TIMEOUT_S, **environment):
    """Returns (exit code, text); a timeout is exit code 124. Of a failure, standard error comes first in the text:
    emulators complain there about nothing, sanitizers about everything."""
    try:
        done = subprocess.run(command, cwd=ROOT, env=dict(os.environ, **environment), text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=timeout_s + 10, check=False)
        return done.returncode, (done.stderr if done.returncode != 0 else "") + done.stdout
    except subprocess.TimeoutExpired as late:
        text = late.stdout or b""
        return 124, text.decode(errors="replace") if isinstance(text, bytes) else text


class Count:
    """Passed, failed and skipped cases, and what the failures said."""

    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped
        self.notes = []
        self.slowest = (0.0, "")  # seconds and name of a program

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.notes += other.notes
        self.slowest = max(self.slowest, other.slowest)

    def fail(self, note):
        self.failed += 1
        self.notes.append(note)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")


def tail(text, n_lines=20):
    lines = text.rstrip().splitlines()
    return "\n".join((["..."] if len(lines) > n_lines else []) + lines[-n_lines:])


def count_program(name, command, timeout_s=TIMEOUT_S, **environment):
    """Runs a test program: its last line counts; none, a crash or a wrong exit code is a failure."""
    start_s = time.monotonic()
    code, text = run(command, timeout_s, **environment)
    lines = text.rstrip().splitlines()
    found = SUMMARY.match(lines[-1].strip()) if lines else None
    count = Count(*(int(n or 0) for n in found.groups())) if found else Count()
    if found and (code == 0) == (count.failed == 0):
        if count.failed:
            count.notes.append(f"{name}:\n{tail(text)}")
        elif count.passed == 0 and count.skipped == 0:
            count.fail(f"{name}: ran no case")
    else:
        why = "timed out" if code == 124 else f"exit code {code}" + ("" if found else ", no summary line")
        count.fail(f"{name}: {why}\n{tail(text)}")
    count.slowest = (time.monotonic() - start_s, os.path.basename(command[-1]))
    return count


def print_notes(notes):
    """What failed. The same compiler output on ten boards is printed once."""
    seen = set()
    for note in notes:
        first, _, rest = note.partition("\n")
        body = re.sub(r"build/\S+", "", rest)
        print("\n" + (first + "\n  ... as above" if body and body in seen else note))
        seen.add(body)


class Clock:
    def __init__(self):
        self.start = time.monotonic()

    def __str__(self):
        return f"{time.monotonic() - self.start:.1f} s"
