#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_streams.py [WORD]: the embed and cluster firmware on the host, a Cortex-M4F and a Cortex-M0: the same map, the
right groups.

A word selects the cases whose names contain it. The last line is `N passed, N failed`."""
import os
import re
import sys
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from building import ROOT, Config, run, tail  # pylint: disable=wrong-import-position

BOARDS = ["host", "mps2-an386", "microbit"]
APPS = ["embed", "cluster"]
OUT = {board: Config(board).out for board in BOARDS}


def printed(board, app):
    code, text = run([f"boards/{board}/run", f"{OUT[board]}/apps/{app}.elf"])
    assert code == 0, f"{board}: exit code {code}\n{tail(text)}"
    return text.splitlines()


def mean_of(cells):
    return [sum(cell[k] for cell in cells) / len(cells) for k in (0, 1)]


def apart(a, b):
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def test_embed_draws_the_same_map_everywhere_and_keeps_kinds_apart():
    maps = {board: printed(board, "embed")[:-1] for board in BOARDS}  # the last line tells bytes, which pointers change
    for board in BOARDS:
        assert maps[board] == maps["host"], f"{board} differs from the host\n" + "\n".join(maps[board])
    cells = {kind: [(x / 3, y) for y, row in enumerate(maps["host"]) for x, at in enumerate(row) if at == kind]
             for kind in "LSWR"}
    for kind, own in cells.items():
        assert len(own) >= 5, kind
        for other in set(cells) - {kind}:
            strayed = sum(apart(cell, mean_of(cells[other])) < apart(cell, mean_of(own)) for cell in own)
            assert strayed <= len(own) / 10, (kind, other, strayed)


def test_cluster_finds_the_groups_of_its_stream_with_the_same_labels_where_tables_are_as_large():
    texts = {board: printed(board, "cluster") for board in BOARDS}
    for board, lines in texts.items():
        n_nodes = int(re.search(r"(\d+) nodes", lines[0]).group(1))
        rows = [line.split() for line in lines if re.match(r" +\d+ +\d+ +\d+ +[\d.]+ ", line)]
        assert len(rows) >= 4, (board, lines)
        assert all(int(row[2]) == n_nodes for row in rows), (board, rows)
    labels = {board: [line for line in lines if re.match(r" +\d{20,}$", line)] for board, lines in texts.items()}
    assert len(labels["host"]) > 0 and labels["mps2-an386"] == labels["host"], labels


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    passed = failed = 0
    for board in BOARDS:
        for app in APPS:
            built, text = Config(board).build(f"{OUT[board]}/apps/{app}.elf")
            if not built:
                sys.exit(f"{board}: build failed\n{tail(text, 40)}")
    for name, case in sorted(globals().items()):
        if name.startswith("test_") and word in name:
            try:
                case()
                passed += 1
            except Exception:  # pylint: disable=broad-except
                print(f"FAIL {name}\n{traceback.format_exc()}")
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
