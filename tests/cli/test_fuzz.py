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
N_OTHER = 300
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


def table(names, n, row):
    return "\n".join([names] + [",".join(map(str, row(i))) for i in range(n)]) + "\n"


def draw_job(source):
    """(the arguments of a command, its files)."""
    links = table("a,b,weight", 20, lambda i: (source.randrange(9), source.randrange(9), source.choice(["", 1, 2.5])))
    points = table("c1,c2,c3", 15, lambda i: [round(source.gauss(0, 2), 3) for _ in range(3)])
    log = table("t_s,a,b,range_m", 40, lambda i: (i / 4, source.choice([1, 2, 3]), 50, round(source.uniform(1, 9), 3)))
    truth = table("t_s,id,x_m,y_m", 9, lambda i: (i, 50, round(source.uniform(0, 8), 2), 3))
    odometry = table("t_s,id,forward_m,turn_rad", 40, lambda i: (i / 4, 50, 0.1, 0.1))
    distances = table("name,p,q,r", 3, lambda i: (i, abs(i), abs(i - 1), abs(i - 2)))
    similarity = source.choice(["cosine", "gaussian", "nearest"])
    drawing = source.choice([[], ["--svg", "m.svg"]])
    return source.choice([
        (["cluster", "--links", "l.csv", "--k", "3", *source.choice([drawing, ["--window", "10"]])], {"l.csv": links}),
        (["cluster", "--points", "p.csv", "--similarity", similarity, "--k", "3", *drawing], {"p.csv": points}),
        (["label", "--links", "l.csv", "--seeds", "s.csv", *drawing], {"l.csv": links, "s.csv": "id,label\n1,a\n2,b\n"}),
        (["embed", "--points", "p.csv", "--landmarks", "5", "--metric", source.choice(["euclidean", "cosine", "chi2"]),
          *source.choice([drawing, ["--passes", "2"]])], {"p.csv": points}),
        (["mds", "--distances", "d.csv", "--loss", source.choice(["squared", "huber", "squared-distances"]), *drawing],
         {"d.csv": distances}),
        (["track", "--log", "g.csv", "--anchors", "a.csv", "--truth", "t.csv", "--odometry", "o.csv", *drawing],
         {"g.csv": log, "a.csv": "id,x_m,y_m\n1,0,0\n2,8,0\n3,0,8\n", "t.csv": truth, "o.csv": odometry})])


def test_damaged_files_of_the_other_commands(tool):
    extremes = NUMBERS + ["1e308", "-1e308", "3e38", "1e20", "1e-45"]
    n_done = 0
    for seed in range(N_OTHER):
        source = random.Random(seed)
        arguments, files = draw_job(source)
        damaged = source.choice(sorted(files))
        lines = [line.split(",") for line in files[damaged].splitlines()]
        for _ in range(source.choice([1, 1, 3])):
            line = source.choice(lines[1:])
            line[source.randrange(len(line))] = source.choice(extremes)
        data = source.choice(["\n", "\n", "\r\n"]).join(",".join(line) for line in lines) + "\n"
        data = data[:source.randrange(len(data))] if source.random() < 0.1 else data
        for name, text in {**files, damaged: data}.items():
            tool.write(name, text)
        result = tool.run(*arguments)
        said = (seed, arguments, data, result.code, result.err)
        assert result.code in (0, 1), said
        assert result.code == 0 or len(result.err.splitlines()) == 1, said
        named = arguments[0] == "label"  # whose labels are any text
        assert result.code == 1 or named or not re.search(r"[,:] ?-?(nan|inf)\b", result.out + result.err), said
        n_done += result.code == 0
    assert N_OTHER / 10 < n_done < N_OTHER * 9 / 10, n_done


if __name__ == "__main__":
    main(globals())
