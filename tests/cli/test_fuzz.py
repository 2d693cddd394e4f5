#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random files, seeded: the tool ends with 0, 1 or 2, says why, and never prints nan or inf."""
import random
import re
import sys

sys.dont_write_bytecode = True
from support.tool import main

N_NETWORKS = 150
N_DAMAGED = 150
NUMBERS = ["0", "1", "-1", "1e-30", "1e30", "1e7", "-0.0", "5", "5.0", "0.001", "1e-9", "nan", "inf", "", "x", "4294967295",
           "4294967296", "1e400", "\"7\"", " 3 ", "1,2"]


def run(tool, random_source, names):
    arguments = ["locate", "--ranges", "r.csv", "--anchors", "a.csv", "--svg", "m.svg"]
    arguments += ["--truth", "t.csv"] if "t.csv" in names else []
    arguments += ["--start", "s.csv"] if "s.csv" in names else []
    arguments += ["--skip-bad"] if random_source.random() < 0.5 else []
    arguments += ["--loss", random_source.choice(["squared", "absolute", "huber", "redescend"])]
    arguments += ["--noise-rel", random_source.choice(["0", "1e-6", "0.1", "1", "10"])]
    arguments += ["--noise-abs", random_source.choice(["0", "1e-6", "0.1", "1000"])]
    arguments += random_source.choice([[], ["--radius", "5"], ["--radius", "0.001"]])
    arguments += random_source.choice([[], [], ["--start-std", "0.001"], ["--start-std", "1e6"]])
    result = tool.run(*arguments)
    kept = {name: tool.read(name) for name in names if result.code not in (0, 1)}
    assert result.code in (0, 1), (result.code, result.err, arguments, kept)
    if result.code == 1:
        assert len(result.err.splitlines()) == 1 and result.out == "", (result.err, result.out)
        assert "came out" not in result.err, (result.err, arguments)
        return False
    shown = result.out + result.err + tool.read("m.svg")
    found = re.search(r"[^a-z](nan|inf)[^a-z]", shown)
    assert not found, (found, arguments, {name: tool.read(name) for name in names})
    return True


def draw_places(random_source, nodes, span, flat, columns):
    """Places as CSV; sometimes all equal, on a line, or far away."""
    shift = random_source.choice([0, 0, 1e7, -3e9])
    kind = random_source.random()
    rows = ["id,x_m,y_m,z_m" if columns == 3 else "id,x_m,y_m"]
    for node in nodes:
        place = [random_source.uniform(-span, span) for _ in range(columns)]
        if kind < 0.1:
            place = [1.0] * columns
        elif kind < 0.2:
            place = [place[0]] * columns
        if flat and columns == 3:
            place[2] = 2.5
        rows.append(",".join([str(node)] + [repr(c + shift) for c in place]))
    return "\n".join(rows) + "\n"


def test_random_networks(tool):
    n_located = 0
    for seed in range(N_NETWORKS):
        source = random.Random(seed)
        columns = source.choice([2, 2, 3])
        n_nodes = source.choice([2, 5, 10, 30])
        nodes = [source.choice([node, node, 4294967295 - node]) for node in range(n_nodes)]
        span = source.choice([1e-3, 1, 100, 1e5])
        rows = ["a,b,range_m,std_m"]
        for _ in range(source.choice([1, 5, 20, 200])):
            a, b = source.choice(nodes), source.choice(nodes)
            range_m = source.choice([source.uniform(0, 2 * span), source.uniform(0, 2 * span), 1e-8, 9e6])
            rows.append(f"{a},{b},{range_m!r},{source.choice(['', '', '0.1', '1e-9', '1e6'])}")
        tool.write("r.csv", "\n".join(rows) + "\n")
        anchors = source.sample(sorted(set(nodes)), min(len(set(nodes)), source.choice([1, 3, 4, 5, 8])))
        tool.write("a.csv", draw_places(source, anchors, span, source.random() < 0.1, columns))
        tool.write("s.csv", draw_places(source, sorted(set(nodes)), span, False, columns))
        tool.write("t.csv", draw_places(source, sorted(set(nodes)), span, False, columns))
        names = ["r.csv", "a.csv", "t.csv"] + (["s.csv"] if source.random() < 0.4 else [])
        try:
            n_located += run(tool, source, names)
        except AssertionError:
            print(f"seed {seed}")
            raise
    assert n_located > N_NETWORKS / 10, n_located


def test_damaged_files(tool):
    whole = "a,b,range_m,std_m\n" + "".join(f"{a},{b},{a + b},0.1\n" for a in range(5) for b in range(5, 9))
    for seed in range(N_DAMAGED):
        source = random.Random(seed)
        lines = [line.split(",") for line in whole.splitlines()]
        for _ in range(source.choice([1, 1, 3])):
            line = source.choice(lines)
            line[source.randrange(len(line))] = source.choice(NUMBERS)
        data = bytearray("\n".join(",".join(line) for line in lines), "utf-8")
        if source.random() < 0.5:
            data = data[:source.randrange(len(data))]
        if data and source.random() < 0.3:
            data[source.randrange(len(data))] = source.randrange(256)
        tool.write("r.csv", bytes(data))
        tool.write("a.csv", "id,x_m,y_m\n0,0,0\n1,9,0\n2,0,9\n3,8,7\n")
        try:
            run(tool, source, ["a.csv"])
        except AssertionError:
            print(f"seed {seed}")
            raise


if __name__ == "__main__":
    main(globals())
