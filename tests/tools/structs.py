#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""structs.py [--update]: bytes of every public struct on every board, against structs.csv (checked in, exact)."""
import argparse
import csv
import glob
import os
import re
import subprocess
import sys
import tempfile

from building import BOARDS, ROOT, Config, Count

CSV = "tests/tools/structs.csv"
TYPEDEF = re.compile(r"^typedef struct\b[^;{]*\{.*?^\}\s*(cairn_\w+);|^typedef struct (?:\w+) (cairn_\w+);", re.M | re.S)


def public_structs():
    names = set()
    for path in glob.glob("include/cairn/*.h"):
        with open(path, encoding="utf-8") as file:
            names |= {a or b for a, b in TYPEDEF.findall(re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S))}
    return sorted(names)


def measure(board, names):
    """{struct: bytes}: an array as long as the struct is wide, measured in the object file."""
    config = Config(board)
    compiler, nm = (" ".join(config.value(name)) for name in ("CC", "NM"))
    flags = config.value("CPU_FLAGS")
    headers = sorted(glob.glob("include/cairn/*.h"))
    source = "".join(f"#include \"{path}\"\n" for path in headers) + "".join(f"char size_of_{name}[sizeof({name})] = {{1}};\n" for name in names)
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "structs.o")
        subprocess.run([*compiler.split(), *flags, "-std=c99", "-Iinclude", "-I.", "-x", "c", "-", "-c", "-o", made],
                       input=source, text=True, cwd=ROOT, check=True)
        listed = subprocess.run([nm, "-S", "--radix=d", made], text=True, check=True, stdout=subprocess.PIPE).stdout
    return {name: int(size) for size, name in re.findall(r"^\d+ (\d+) \w size_of_(\w+)$", listed, re.M)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    os.chdir(ROOT)
    names = public_structs()
    sizes = {board: measure(board, names) for board in BOARDS}
    rows = [[name] + [str(sizes[board][name]) for board in BOARDS] for name in names]
    if options.update:
        with open(CSV, "w", encoding="ascii", newline="") as file:
            file.write("# bytes of every public struct; structs.py --update\n")
            csv.writer(file, lineterminator="\n").writerows([["struct"] + BOARDS] + rows)
    old = {}
    if os.path.exists(CSV):
        with open(CSV, encoding="ascii") as file:
            old = {row[0]: row for row in csv.reader(line for line in file if not line.startswith("#"))}
    count = Count()
    for row in [["struct"] + BOARDS] + rows:
        if old.pop(row[0], None) == row:
            count.passed += 1
        else:
            count.fail(f"structs.csv is stale (tests/tools/structs.py --update): {','.join(row)}")
    for name in old:
        count.fail(f"structs.csv names a struct that is gone: {name}")
    for note in count.notes:
        print(note)
    print(count)
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
