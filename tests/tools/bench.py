#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench.py BOARD ELF: instruction counts of the workloads under QEMU, exact and repeatable; never cycles.

Prints a CSV: workload, units, unit, instructions, instructions per unit. The cost of an empty call is taken off."""
import os
import subprocess
import sys

from building import ROOT, run, tail

PLUGIN = "build/insncount.so"
SOURCE = "tests/tools/insncount.c"


def build_plugin():
    os.makedirs(os.path.join(ROOT, "build"), exist_ok=True)
    fresh = os.path.join(ROOT, PLUGIN)
    if os.path.exists(fresh) and os.path.getmtime(fresh) > os.path.getmtime(os.path.join(ROOT, SOURCE)):
        return
    made = f"{PLUGIN}.{os.getpid()}"
    subprocess.run(["gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", made, SOURCE],
                   cwd=ROOT, check=True)
    os.replace(os.path.join(ROOT, made), fresh)


def main():
    board, elf = sys.argv[1], sys.argv[2]
    build_plugin()
    counts_path = f"{os.path.splitext(elf)[0]}.counts"
    code, text = run([f"boards/{board}/run", elf], CAIRN_QEMU=f"-plugin {PLUGIN},out={counts_path}")
    lines = [line.split() for line in text.splitlines() if line.startswith("bench ")]
    with open(os.path.join(ROOT, counts_path), encoding="ascii") as file:
        counts = [int(line.split()[1]) for line in file if line.startswith("instructions ")]
    if code != 0 or len(counts) != len(lines) or not lines:
        sys.exit(f"bench on {board}: exit code {code}, {len(counts)} counts for {len(lines)} workloads\n{tail(text)}")
    empty = counts[[line[1] for line in lines].index("empty")]
    print("board,workload,units,unit,instructions,instructions_per_unit")
    for words, count in zip(lines, counts):
        _, name, units, unit = words[:4]
        print(f"{board},{name},{units},{unit},{count - empty},{(count - empty) / int(units):.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
