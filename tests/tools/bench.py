#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench.py BOARD ELF [WORD...] | bench.py [--update]: instruction counts of the workloads under QEMU; never cycles.

With a board it prints a CSV: workload, units, unit, instructions, instructions per unit, and fails above a limit of
limits.txt. The cost of an empty call is taken off. Words choose workloads. Without a board it runs all boards and compares
with bench.csv (checked in): every count within 2 %; --update rewrites the file."""
import argparse
import concurrent.futures
import csv
import os
import subprocess
import sys

from building import BOARDS, ROOT, Config, Count, print_notes, run, tail

PLUGIN = "build/insncount.so"
SOURCE = "tests/tools/insncount.c"
CSV = "tests/tools/bench.csv"
LIMITS = "tests/tools/limits.txt"
TOLERANCE_PART = 0.02


def build_plugin():
    os.makedirs(os.path.join(ROOT, "build"), exist_ok=True)
    fresh = os.path.join(ROOT, PLUGIN)
    if os.path.exists(fresh) and os.path.getmtime(fresh) > os.path.getmtime(os.path.join(ROOT, SOURCE)):
        return
    made = f"{PLUGIN}.{os.getpid()}"
    subprocess.run(["gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", made, SOURCE],
                   cwd=ROOT, check=True)
    os.replace(os.path.join(ROOT, made), fresh)


def measure(board, elf):
    """[(workload, units, unit, instructions)] of one board, and what went wrong."""
    counts_path = f"{os.path.splitext(elf)[0]}.counts"
    code, text = run([f"boards/{board}/run", elf], CAIRN_QEMU=f"-plugin {PLUGIN},out={counts_path}")
    lines = [line.split() for line in text.splitlines() if line.startswith("bench ")]
    with open(os.path.join(ROOT, counts_path), encoding="ascii") as file:
        counts = [[int(word) for word in line.split()[1:]] for line in file if line.startswith("instructions ")]
    if code != 0 or len(counts) != len(lines) or not lines:
        return [], f"bench on {board}: exit code {code}, {len(counts)} counts for {len(lines)} workloads\n{tail(text)}"
    empty = counts[[line[1] for line in lines].index("empty")][0]
    rows = []
    for words, (count, laps, worst) in zip(lines, counts):
        # a workload with laps is counted by them, and its longest lap is a row of its own
        unit, _, lap = words[3].partition("/")
        rows.append((words[1], int(words[2]), unit, laps if laps else count - empty))
        if laps:
            rows.append((f"{words[1]}_worst", 1, lap or unit, worst))
    return rows, ""


def check_limits(board, rows, count):
    """Lines `instructions BOARD WORKLOAD N` of limits.txt: at most N a unit."""
    with open(LIMITS, encoding="ascii") as file:
        limits = [line.split("#")[0].split() for line in file if line.startswith("instructions ")]
    for _, _, workload, limit in (words for words in limits if words[1] == board):
        found = [instructions / units for name, units, _, instructions in rows if name == workload]
        if found and found[0] <= int(limit):
            count.passed += 1
        else:
            count.fail(f"{workload} on {board}: {found} instructions, limit {limit}")


def print_board(board, elf, words):
    rows, wrong = measure(board, elf)
    if wrong:
        sys.exit(wrong)
    chosen = [row for row in rows if not words or any(word in row[0] for word in words)]
    if not chosen:
        sys.exit(f"no workload has {' or '.join(words)} in its name; there are {' '.join(row[0] for row in rows)}")
    print("board,workload,units,unit,instructions,instructions_per_unit")
    for name, units, unit, count in chosen:
        print(f"{board},{name},{units},{unit},{count},{count / units:.1f}")
    count = Count()
    check_limits(board, rows, count)
    print_notes(count.notes)
    sys.exit(1 if count.failed else 0)


def measure_built(board):
    config = Config(board)
    elf = f"{config.out}/apps/bench.elf"
    built, text = config.build(elf)
    return measure(board, elf) if built else ([], f"{config}: build failed\n{tail(text, 40)}")


def read_csv():
    if not os.path.exists(CSV):
        return {}
    with open(CSV, encoding="ascii") as file:
        return {(row["board"], row["workload"]): int(row["instructions"])
                for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def write_csv(measured):
    with open(CSV, "w", encoding="ascii", newline="") as file:
        file.write("# instructions under QEMU, gcc -Os; bench.py --update\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["board", "workload", "units", "unit", "instructions"])
        for board, (rows, _) in measured.items():
            writer.writerows([board, *row] for row in rows)


def check_all(update):
    boards = [board for board in BOARDS if board != "host"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        measured = dict(zip(boards, pool.map(measure_built, boards)))
    count = Count()
    for _, wrong in measured.values():
        if wrong:
            count.fail(wrong)
    if update and not count.failed:
        write_csv(measured)
    old = read_csv()
    for board, (rows, _) in measured.items():
        check_limits(board, rows, count)
        for name, _, _, new in rows:
            known = old.pop((board, name), None)
            if known is not None and abs(new - known) <= TOLERANCE_PART * known:
                count.passed += 1
            else:
                count.fail(f"bench.csv is stale (tests/tools/bench.py --update): {name} on {board} takes {new} "
                           f"instructions, not {known}")
    for board, name in old:
        if measured[board][0]:
            count.fail(f"bench.csv names a workload that is gone: {name} on {board}")
    print_notes(count.notes)
    print(count)
    return 1 if count.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="write bench.csv anew")
    parser.add_argument("board", nargs="?", help="print the counts of this board instead, in CSV")
    parser.add_argument("elf", nargs="?", help="its bench program")
    parser.add_argument("words", nargs="*", metavar="word", help="only workloads whose names contain one of these")
    options = parser.parse_args()
    if options.board is not None and options.elf is None:
        parser.error("a board needs its bench program; make bench BOARD=x finds it")
    os.chdir(ROOT)
    build_plugin()
    if options.board is not None:
        print_board(options.board, os.path.abspath(options.elf), options.words)
        return 0
    return check_all(options.update)


if __name__ == "__main__":
    sys.exit(main())
