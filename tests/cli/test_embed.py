#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cairn embed and cairn mds: distances kept, streams and raw numbers, spaces, mixed distances, drawings, refusals."""
import itertools
import math
import os
import random
import struct
import sys
import xml.dom.minidom

sys.dont_write_bytecode = True
from support.tool import close, data_folder, main


def plane(n=300, seed=4, noise=0.0):
    """Vectors of 5 features that lie in a plane."""
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        u, v = draw.uniform(-3, 3), draw.uniform(-2, 2)
        rows.append([2 + u * (a - 2) / 3 + v * (a % 2) + draw.gauss(0, noise) for a in range(5)])
    return rows


def csv(rows, labels=None):
    head = ("label," if labels else "") + ",".join(f"f{a}" for a in range(len(rows[0]))) + "\n"
    return head + "".join((labels[i] + "," if labels else "") + ",".join(f"{x:.7g}" for x in row) + "\n"
                          for i, row in enumerate(rows))


def places(result, first=0):
    return [[float(x) for x in line.split(",")[first:]] for line in result.out.splitlines()[1:]]


def worst_error(rows, found):
    return max(abs(math.dist(rows[i], rows[j]) - math.dist(found[i], found[j]))
               for i, j in itertools.combinations(range(0, len(rows), 7), 2))


def test_distances_of_a_plane_are_kept_by_every_policy(tool):
    rows = plane()
    tool.write("p.csv", csv(rows))
    for policy in ("random", "maxmin", "kmeans", "fixed"):
        result = tool.fine(tool.run("embed", "--points", "p.csv", "--landmarks", 30, "--rounds", 6, "--policy", policy))
        assert len(places(result)) == 300 and result.key("features") == "5"
        assert worst_error(rows, places(result)) < 0.1, policy  # of an extent of 8


def test_a_stream_and_a_file_and_raw_numbers_are_the_same(tool):
    rows = plane(noise=0.1)
    text = csv(rows)
    tool.write("p.csv", text)
    tool.write("p.raw", b"".join(struct.pack("<5f", *[float(f"{x:.7g}") for x in row]) for row in rows))
    file = tool.fine(tool.run("embed", "--points", "p.csv", "--landmarks", 40))
    assert tool.run("embed", "--points", "-", "--landmarks", 40, stdin=text).out == file.out
    assert tool.run("embed", "--points", "p.raw", "--raw", 5, "--landmarks", 40).out == file.out
    assert tool.run("embed", "--points", "p.csv", "--landmarks", 40, "--svg", "m.svg").out == file.out
    assert tool.run("embed", "--points", "p.csv", "--landmarks", 40, "--seed", 2).out != file.out
    drawing = xml.dom.minidom.parse(tool.path("m.svg"))
    assert len(drawing.getElementsByTagName("circle")) >= 300


def test_a_second_pass_lowers_the_error(tool):
    rows = plane(600, noise=0.4)
    tool.write("p.csv", csv(rows))
    errors = []
    for passes in (1, 2):
        found = places(tool.fine(tool.run("embed", "--points", "p.csv", "--landmarks", 30, "--passes", passes)))
        errors.append(sum((math.dist(rows[i], rows[j]) - math.dist(found[i], found[j])) ** 2
                          for i, j in itertools.combinations(range(0, 600, 5), 2)))
    assert errors[1] < errors[0], errors


def test_labels_are_passed_on_and_coloured(tool):
    rows = plane(60)
    labels = [f"kind {i % 3}" for i in range(60)]
    tool.write("p.csv", csv(rows, labels))
    result = tool.fine(tool.run("embed", "--points", "p.csv", "--label", "label", "--landmarks", 20, "--svg", "m.svg"))
    assert [line.split(",")[0] for line in result.out.splitlines()[1:]] == labels
    text = tool.read("m.svg")
    assert all(f"kind {i}" in text for i in range(3))
    assert len(xml.dom.minidom.parseString(text).getElementsByTagName("circle")) == 60 + 3  # and the legend


def test_vectors_of_extreme_size_are_placed_or_refused_with_the_reason(tool):
    rows = [[random.Random(5 * i + a).random() for a in range(4)] for i in range(40)]
    same = tool.fine(tool.run("embed", "--points", "-", "--metric", "cosine", "--landmarks", 20, stdin=csv(rows)))
    for scale in (1e-30, 1e20):
        text = csv([[scale * x for x in row] for row in rows])
        result = tool.fine(tool.run("embed", "--points", "-", "--metric", "cosine", "--landmarks", 20, stdin=text))
        assert worst_error(places(same), places(result)) < 1e-3, scale
    for metric, scale, words in (("euclidean", 1e-24, "nearer to one another than 1e-12"), ("chi2", 1e-30, "1e-12"),
                                 ("euclidean", 1e20, ":3: cannot be placed: a distance to others is above 1e11")):
        text = csv([[scale * x for x in row] for row in rows])
        result = tool.run("embed", "--points", "-", "--metric", metric, "--landmarks", 20, "--out", "x.csv", stdin=text)
        tool.refused(result, words, "scale the features")
    tool.refused(tool.run("embed", "--points", "-", "--metric", "cosine", "--out", "x.csv", stdin="a,b\n0,0\n1,2\n"),
                 "standard input:2: cannot be placed: all features are 0")
    tool.fine(tool.run("embed", "--points", "-", "--landmarks", 2, stdin="a,b\n1,2\n1,2\n1,2\n"))


def test_short_streams(tool):
    rows = plane(8)
    tool.write("p.csv", csv(rows))
    result = tool.fine(tool.run("embed", "--points", "p.csv", "--landmarks", 100, "--rounds", 5))
    assert result.key("landmarks") == "8" and len(places(result)) == 8
    tool.refused(tool.run("embed", "--points", "-", "--out", "x.csv", stdin="f0,f1\n"), "no vectors")
    tool.refused(tool.run("embed", "--points", "-", "--out", "x.csv", "--metric", "chi2", "--landmarks", 2,
                          stdin="f0,f1\n1,2\n-1,3\n"),
                 "standard input:3: cannot be placed: a feature is negative", "0 or more")
    tool.refused(tool.run("embed", "--points", "-", "--out", "x.csv", stdin=b"f0,f1\n1,2\0\n"), "zero byte")
    tool.refused(tool.run("embed", "--points", "-", "--out", "x.csv", "--label", "f0", stdin="f0\nx\n"), "no column of features")
    tool.refused(tool.run("embed", "--points", ".", "--raw", 3, "--out", "x.csv"), ".: cannot be read")
    tool.refused(tool.run("embed", "--points", "gone", "--raw", 3, "--out", "x.csv"), "gone: cannot be opened")
    tool.refused(tool.run("mds", "--distances", "-", stdin="name,a,b\na,0,x\nb,1,0\n"), ":2: a distance is not a finite number", "leave the entry empty")
    for text, words in (("name,a,b\na,0,3\nb,3,2\n", "b is at distance 2 from itself"),
                        ("name,a,b\na,,\nb,,\n", "there is no distance in the table"),
                        ("name,a,b\na,0,3\nb,2,0\n", "standard input: the distance of a and b differs")):
        tool.refused(tool.run("mds", "--distances", "-", stdin=text), words)


def test_a_sphere_keeps_angles(tool):
    draw = random.Random(6)
    rows = [[draw.gauss(0, 1) for _ in range(40)] for _ in range(20)]
    tool.write("p.csv", csv(rows))
    result = tool.fine(tool.run("embed", "--points", "p.csv", "--space", "sphere", "--dim", 399))
    found = places(result)
    assert all(len(row) == 400 for row in found)
    for p in found:
        close(math.hypot(*p), 1, 1e-5)
    for i, j in itertools.combinations(range(20), 2):
        cosine = sum(a * b for a, b in zip(rows[i], rows[j])) / math.hypot(*rows[i]) / math.hypot(*rows[j])
        kept = math.acos(sum(a * b for a, b in zip(found[i], found[j])))
        close(kept, math.acos(cosine), 5 / 20)  # five deviations of one over the root of 400
    assert tool.run("embed", "--points", "p.csv", "--space", "sphere", "--metric", "cosine").code == 2


def test_a_mix_is_the_weighted_sum_of_its_parts(tool):
    rows = plane(200, noise=0.2)
    wide = [[3 * x for x in row] + [7.0] for row in rows]
    tool.write("p.csv", csv(rows))
    tool.write("w.csv", csv(wide))
    plain = places(tool.fine(tool.run("embed", "--points", "p.csv", "--landmarks", 30, "--metric", "euclidean")))
    mixed = places(tool.fine(tool.run("embed", "--points", "w.csv", "--landmarks", 30, "--parts",
                                      "euclidean:1-5:.33333333,chi2:6-6:2")))
    for p, q in zip(plain, mixed):
        assert math.dist(p, q) < 0.02
    for parts in ("euclidean:1-7", "euclidean:0-2", "euclidean:3-2", "what:1-2", "euclidean:1-2:0", "euclidean:1-2:-1",
                  "euclidean:1-2:nan", "euclidean:1-2,", "euclidean:1-2;3", "euclidean"):
        tool.refused(tool.run("embed", "--points", "w.csv", "--parts", parts), "--parts")


def test_refusals(tool):
    tool.write("p.csv", csv(plane(30)))
    cases = {"f0,f1\n1,2\n1,nan\n": ":3:", "f0,f1\n1,2\n1\n": ":3:", "f0,f1\n1,x\n": ":2:", "": "bad.csv"}
    for text, reason in cases.items():
        tool.write("bad.csv", text)
        result = tool.run("embed", "--points", "bad.csv", "--out", "x.csv")
        assert result.code == 1 and reason in result.err, (text, result.err)
    result = tool.run("embed", "--points", "-", "--metric", "chi2", "--out", "x.csv", stdin="f0,f1\n1,2\n1,-2\n")
    assert result.code == 1 and "standard input:3: cannot" in result.err, result.err
    for options in (["--passes", 2], ["--policy", "fixed", "--svg", "m.svg"]):  # the blank line counts
        tool.refused(tool.run("embed", "--points", "-", "--metric", "chi2", *options, "--out", "x.csv",
                              stdin="f0,f1\n1,2\n\n1,-2\n"), "standard input:4: cannot be placed")
    tool.write("cut.raw", struct.pack("<7f", *range(7)))
    result = tool.run("embed", "--points", "cut.raw", "--raw", 5, "--out", "x.csv")
    assert result.code == 1 and "cut off" in result.err
    tool.write("nan.raw", struct.pack("<4f", 1, 2, math.nan, 3))
    assert tool.run("embed", "--points", "nan.raw", "--raw", 2, "--out", "x.csv").code == 1
    assert tool.run("embed").code == 2
    assert tool.run("embed", "--points", "p.csv", "--dim", 0).code == 2
    assert tool.run("embed", "--points", "p.csv", "--landmarks", 1).code == 2
    assert tool.run("embed", "--points", "p.csv", "--label", "label", "--raw", 5).code == 2
    assert tool.run("embed", "--points", "gone.csv").code == 1
    assert not os.path.exists(tool.path("gone.csv"))


def table(rows, missing=()):
    names = [f"n{i}" for i in range(len(rows))]
    text = "name," + ",".join(names) + "\n"
    for i, p in enumerate(rows):
        text += names[i] + "," + ",".join("" if (min(i, j), max(i, j)) in missing else f"{math.dist(p, q):.7g}"
                                          for j, q in enumerate(rows)) + "\n"
    return text


def mds_places(result):
    return [[float(x) for x in line.split(",")[1:]] for line in result.out.splitlines()[1:]]


def test_mds_finds_a_plane_again(tool):
    draw = random.Random(8)
    rows = [[draw.uniform(0, 5), draw.uniform(0, 3)] for _ in range(20)]
    tool.write("d.csv", table(rows))
    for loss in ("squared", "absolute", "squared-distances", "huber", "redescend"):
        result = tool.fine(tool.run("mds", "--distances", "d.csv", "--loss", loss, "--quiet", "--svg", "m.svg"))
        found = mds_places(result)
        worst = max(abs(math.dist(rows[i], rows[j]) - math.dist(found[i], found[j]))
                    for i, j in itertools.combinations(range(20), 2))
        assert worst < 0.02, (loss, worst)
        assert result.number("stress1") < 0.005 and result.key("objects") == "20"
    drawing = xml.dom.minidom.parse(tool.path("m.svg"))
    assert len(drawing.getElementsByTagName("circle")) == 20


def test_mds_does_without_missing_entries(tool):
    draw = random.Random(9)
    rows = [[draw.uniform(0, 5), draw.uniform(0, 3)] for _ in range(20)]
    pairs = list(itertools.combinations(range(20), 2))
    tool.write("d.csv", table(rows, set(draw.sample(pairs, 40))))
    found = mds_places(tool.fine(tool.run("mds", "--distances", "d.csv", "--starts", 5, "--quiet")))
    for i, j in pairs:
        close(math.dist(found[i], found[j]), math.dist(rows[i], rows[j]), 0.05)


def test_mds_on_a_sphere(tool):
    draw = random.Random(10)
    rows = []
    for _ in range(15):
        p = [draw.gauss(0, 1) for _ in range(3)]
        rows.append([x / math.hypot(*p) for x in p])
    tool.write("d.csv", table(rows))  # straight lines through the ball
    found = mds_places(tool.fine(tool.run("mds", "--distances", "d.csv", "--space", "sphere-chord", "--starts", 5, "--quiet")))
    for p in found:
        close(math.hypot(*p), 1, 1e-4)
    for i, j in itertools.combinations(range(15), 2):
        close(math.dist(found[i], found[j]), math.dist(rows[i], rows[j]), 0.05)


def as_distances(path):
    """A table of similarities up to 1, turned round."""
    with open(path, encoding="utf-8") as file:
        head, *rows = [line.split(",") for line in file.read().split()]
    return "\n".join([",".join(head)] + [",".join([row[0]] + ["0" if i == j else f"{1 - float(s):.7g}"
                                                            for j, s in enumerate(row[1:])])
                                         for i, row in enumerate(rows)]) + "\n"


def test_fault_3_mds_reaches_the_best_stress_from_random_starts(tool):
    folder = data_folder("mds_classic")
    with open(os.path.join(folder, "eurodist.csv"), encoding="utf-8") as file:
        tool.write("eurodist.csv", file.read())
    tool.write("ekman.csv", as_distances(os.path.join(folder, "ekman_similarity.csv")))
    for name, best in (("eurodist", 0.0722), ("ekman", 0.1312)):  # the best that majorisation finds
        stress = [tool.fine(tool.run("mds", "--distances", f"{name}.csv", "--starts", 10, "--seed", seed,
                                     "--quiet")).number("stress1") for seed in range(1, 21)]
        assert all(value < 1.005 * best for value in stress), (name, stress)


def test_mds_refusals(tool):
    cases = {"name,a,b\na,0,1\nb,2,0\n": "symmetric", "name,a,b\na,0,1\n": "square", "name,a,b\na,0,-1\nb,-1,0\n": ":2:",
             "name,a\na,0\nb,1\n": "more rows", "name,a,b\na,0,x\nb,1,0\n": ":2:", "name,a,b\na,0,nan\nb,nan,0\n": ":2:",
             "name,a,b\na,0,1\nb,1e308,0\n": ":3: a distance is above 1e11, '1e308'"}
    for text, reason in cases.items():
        tool.write("d.csv", text)
        result = tool.run("mds", "--distances", "d.csv", "--quiet")
        assert result.code == 1 and reason in result.err and result.out == "", (text, result.err)
    named = tool.fine(tool.run("mds", "--distances", "-", "--quiet", stdin='name,"a,""x",b\n"a,""x",0,1\nb,1,0\n')).out
    assert named.splitlines()[1].startswith('"a,""x",') and named.splitlines()[2].startswith("b,"), named
    assert tool.run("mds").code == 2
    assert tool.run("mds", "--distances", "gone.csv").code == 1


main(globals())
