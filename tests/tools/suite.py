#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""suite.py [--board B [--toolchain T] [--opt O] [--variant V]] [--jobs N] [--only WORD]: builds and runs the tests.

Without --board everything: host with gcc and clang, in double too, sanitizers (addresses, undefined behaviour, memory that
nobody wrote), every board under its emulator, a part of the golden matrix, lint, size, fault reports, the tool's scripts.
One line of progress a suite; the last line sums all of them."""
import argparse
import concurrent.futures
import glob
import os
import sys

import golden
from building import BOARDS, OPTS, ROOT, SANITIZED, SWARM_BOARDS, TIMEOUT_S, TOOLCHAINS, Clock, Config, \
    Count, count_program, default_opt, print_notes, tail

HOSTILE = "tests/cli/test_hostile.py"
SLOW_S = 5  # a suite names its slowest program from here on


def test_programs(config, timeout_s=TIMEOUT_S):
    """Builds and runs every test program of a configuration."""
    count = Count()
    whole_tool = config.board == "host" and config.variant in ("", "asan")
    built, text = config.build("tests", *([f"{config.out}/cairn"] if whole_tool else []))
    values = config.values("TEST_PROGRAMS", "TESTS_TOO_LARGE")
    programs = values["TEST_PROGRAMS"]
    if not built:
        count.notes.append(f"{config}: build failed\n{tail(text, 40)}")
        current = [program for program in programs if config.is_current(program)]
        count.failed += max(len(programs) - len(current), 1)
        programs = current
    count.skipped += len(values["TESTS_TOO_LARGE"])
    for program in programs:
        start = [f"boards/{config.board}/run", program]
        count.add(count_program(f"{config}: {program}", start, timeout_s, CAIRN_TIMEOUT=str(timeout_s)))
    if config.variant == "asan":  # the tool meets every hostile file
        count.add(count_program(f"{config}: {HOSTILE}", ["python3", HOSTILE], 5 * TIMEOUT_S, CAIRN=f"{config.out}/cairn"))
    return count


def test_apps():
    """Every app links for every board, whether or not another test runs it there."""
    count = Count()
    for board in BOARDS:
        config = Config(board)
        built, text = config.build("apps")
        if built:
            count.passed += len(config.value("APP_NAMES"))
        else:
            count.fail(f"apps {config}: build failed\n{tail(text, 40)}")
    return count


def test_scripts():
    """The tests of the tool (tests/cli) and of the apps: scripts that end as every test program does."""
    count = Count()
    patterns = ("tests/cli/*.sh", "tests/cli/*.py", "tests/*/test_*.sh", "tests/*/test_*.py")
    scripts = sorted({path for pattern in patterns for path in glob.glob(pattern, root_dir=ROOT)})
    config = Config("host")
    if glob.glob("boards/host/cli/*.c", root_dir=ROOT):
        built, text = config.build("tool")
        if not built:
            count.fail(f"tool: build failed\n{tail(text, 40)}")
            return count
    for script in scripts:
        start = ["python3"] if script.endswith(".py") else ["sh"]
        count.add(count_program(script, start + [script], 5 * TIMEOUT_S, CAIRN="build/host/cairn"))
    return count


def test_tool(name):
    """lint and size are programs like the others: their last line counts."""
    return lambda: count_program(name, ["python3", f"tests/tools/{name}.py"], 10 * TIMEOUT_S)


def all_suites():
    """(name, function) of everything, the long ones first."""
    suites = [("scripts", test_scripts)]
    host = Config("host")
    for variant in SANITIZED:
        sanitized = Config("host", "clang", "-O1", variant)
        suites.append((str(sanitized), lambda sanitized=sanitized: test_programs(sanitized, 3 * TIMEOUT_S)))
    for config in [host, Config("host", "clang")] + [Config(board) for board in BOARDS if board != "host"]:
        suites.append((str(config), lambda config=config: test_programs(config)))
    double = Config("host", "gcc", "-O2", "double")  # the oracles of every host build are in double, by clang too
    suites.append((str(double), lambda: test_programs(double)))
    suites += [(name, test_tool(name)) for name in ("lint", "size", "structs", "faults", "bench", "readme")]
    suites.append(("apps", test_apps))
    for config in golden.chosen_configs():
        suites.append((f"golden {config}", lambda config=config: golden.count_config(config)))
    return suites


def one_board(board, toolchain, opt, variant):
    config = Config(board, toolchain, opt, variant)
    suites = [(str(config), lambda: test_programs(config, TIMEOUT_S * (3 if variant else 1)))]
    if variant:
        return suites
    suites.append((f"golden {config}", lambda: golden.count_config(config)))
    if board == "host":
        suites.append(("scripts", test_scripts))
    return suites


def run_suite(suite):
    name, function = suite
    clock = Clock()
    try:
        count = function()
    except Exception as error:  # a broken tool is a failed test, not the end of the run
        count = Count()
        count.fail(f"{name}: {error!r}")
    seconds, program = count.slowest
    longest = f", {seconds:.1f} of it {program}" if seconds >= SLOW_S and not program.startswith(name) else ""
    print(f"{'FAIL' if count.failed else 'ok':4} {name:32} {str(count):36} {clock}{longest}", flush=True)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--board", choices=BOARDS + SWARM_BOARDS)
    parser.add_argument("--toolchain", choices=TOOLCHAINS, default="gcc")
    parser.add_argument("--opt", choices=(*OPTS, "-O1"))
    parser.add_argument("--variant", choices=(*SANITIZED, "double"), default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="suites whose name contains this")
    options = parser.parse_args()
    if options.variant == "msan" and options.toolchain == "gcc":
        parser.error("--variant msan needs --toolchain clang: gcc has no such sanitizer")
    opt = options.opt or (default_opt(options.board) if options.board else None)
    suites = one_board(options.board, options.toolchain, opt, options.variant) if options.board else all_suites()
    total = Count()
    clock = Clock()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for count in pool.map(run_suite, [suite for suite in suites if options.only in suite[0]]):
            total.add(count)
    print_notes(total.notes)
    print(f"{clock}")
    print(total)
    if not options.board and not options.only and not total.failed:  # README.md shows the last whole run
        with open(os.path.join(ROOT, "build", "last-test"), "w", encoding="ascii") as file:
            file.write(f"{total}\n")
    return 1 if total.failed or total.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
