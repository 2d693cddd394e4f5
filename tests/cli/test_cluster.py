#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cairn cluster and cairn label: links, points, streams, outputs, drawings, refusals."""
import os
import random
import subprocess
import sys
import xml.dom.minidom

sys.dont_write_bytecode = True
from support.tool import TOOL, main

GROUPS = {0: range(100, 110), 1: range(200, 212), 2: range(4294967280, 4294967290)}


def links_csv(crossing=((100, 200), (201, 4294967281), (4294967282, 101))):
    rows = [(a, b) for nodes in GROUPS.values() for a in nodes for b in nodes if a < b]
    return "a,b\n" + "".join(f"{a},{b}\n" for a, b in rows + list(crossing))


def truth_csv():
    return "id,label\n" + "".join(f"{node},group {group}\n" for group, nodes in GROUPS.items() for node in nodes)


def points_csv():
    draw = random.Random(3)
    return "id,c1,c2\n" + "".join(f"{10 * g + i},{(5, 0)[g] + draw.random()},{(0, 5)[g] + draw.random()}\n"
                                  for g in range(2) for i in range(10))


def test_links(tool):
    tool.write("l.csv", links_csv())
    tool.write("t.csv", truth_csv())
    result = tool.run("cluster", "--links", "l.csv", "--k", "3", "--truth", "t.csv", "--svg", "m.svg")
    assert result.code == 0 and result.key("nodes") == "32" and result.key("clusters") == "3", result.err
    assert result.number("purity") == 1 and result.number("nmi") > 0.9999 and result.number("accuracy") == 1
    rows = result.rows()
    assert rows["100"]["label"] == "0" and len({rows[str(n)]["label"] for n in GROUPS[1]}) == 1
    drawing = xml.dom.minidom.parse(tool.path("m.svg"))
    assert len(drawing.getElementsByTagName("circle")) == 32 + 3  # nodes and the legend


def test_rows_in_any_order_and_repeated(tool):
    lines = links_csv().splitlines()
    tool.write("l.csv", links_csv())
    tool.write("m.csv", "\n".join([lines[0]] + lines[:0:-1]) + "\n")
    one = tool.run("cluster", "--links", "l.csv", "--k", "3")
    two = tool.run("cluster", "--links", "m.csv", "--k", "3")
    assert one.code == 0 and one.out == two.out
    tool.write("n.csv", links_csv() + "100,100\n777,777\n101,100\n")
    three = tool.run("cluster", "--links", "n.csv", "--k", "3")
    assert three.key("links_self") == "2" and three.key("links_folded") == "1"
    assert three.rows()["777"]["label"] == ""


def test_points(tool):
    tool.write("p.csv", points_csv())
    for options in (["--similarity", "cosine"], ["--similarity", "gaussian", "--sigma", "1"],
                    ["--similarity", "nearest", "--nearest", "4"]):
        result = tool.run("cluster", "--points", "p.csv", "--k", "2", *options)
        labels = [row["label"] for row in result.rows().values()]
        assert result.code == 0 and labels == ["0"] * 10 + ["1"] * 10, (options, result.err, labels)


def test_endless_stream(tool):
    """Labels arrive while the stream is still open."""
    process = subprocess.Popen([TOOL, "cluster", "--links", "-", "--k", "2", "--window", "200", "--nodes", "20",
                                "--every", "400"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, cwd=tool.folder)
    draw = random.Random(5)
    process.stdin.write(b"a,b\n")
    for _ in range(500):
        group = draw.randrange(2)
        a, b = draw.sample(range(10), 2)
        process.stdin.write(f"{a + 10 * group},{b + 10 * group}\n".encode())
    process.stdin.flush()
    rows = [process.stdout.readline().decode().split(",") for _ in range(21)][1:]
    labels = {int(node): label.strip() for count, node, label in rows if count == "400"}
    assert len(labels) == 20 and len({labels[i] for i in range(10)}) == 1 and labels[0] != labels[10], labels
    process.stdin.close()
    process.stdout.read()
    assert process.wait(20) == 0


def test_endless_stream_of_labels(tool):
    """Known labels spread while the stream is still open, and follow a node that changes its group."""
    tool.write("s.csv", "id,label\n0,left\n10,right\n77,left\n")
    process = subprocess.Popen([TOOL, "label", "--links", "-", "--seeds", "s.csv", "--window", "200", "--nodes", "20",
                                "--every", "400", "--svg", "w.svg"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, cwd=tool.folder)
    draw = random.Random(6)
    group = {i: i // 10 for i in range(20)}

    def send(n):
        for _ in range(n):
            a = draw.randrange(20)
            b = draw.choice([i for i in range(20) if i != a and group[i] == group[a]])
            process.stdin.write(f"{a},{b}\n".encode())
        process.stdin.flush()

    process.stdin.write(b"a,b\n")
    send(400)
    rows = [process.stdout.readline().decode().strip().split(",") for _ in range(21)][1:]
    assert {int(node): label for _, node, label in rows} == {i: ("left", "right")[group[i]] for i in range(20)}
    assert all(count == "400" for count, _, _ in rows)
    group[5] = 1
    send(1600)
    process.stdin.close()
    changes = [line.strip().split(",") for line in process.stdout.read().decode().splitlines()]
    assert [node for _, node, _ in changes] == ["5"] and changes[0][2] == "right", changes
    assert "queries: 5" in process.stderr.read().decode() and process.wait(20) == 0
    drawing = xml.dom.minidom.parse(tool.path("w.svg"))
    assert len(drawing.getElementsByTagName("circle")) == 20 + 2  # nodes and the legend
    for text in ("x_m,y_m\n1\n", "x_m,y_m\n1,2\n"):  # one complaint each
        tool.refused(tool.run("cluster", "--points", "-", "--k", 2, stdin=text), "standard input:")
    tool.write("none.csv", "id,label\n")
    assert tool.run("label", "--links", "-", "--seeds", "none.csv", "--window", "50").code == 1


def test_label(tool):
    tool.write("l.csv", links_csv())
    tool.write("t.csv", truth_csv())
    tool.write("s.csv", "id,label\n103,group 0\n205,group 1\n4294967285,group 2\n5,group 2\n")
    for method in ("walk", "field"):
        result = tool.run("label", "--links", "l.csv", "--seeds", "s.csv", "--truth", "t.csv", "--method", method)
        assert result.code == 0 and result.number("accuracy") == 1, result.err
        assert result.key("seeds") == "3" and result.key("seeds_ignored") == "1" and result.key("reached") == "32"
        assert all(0 <= float(row["margin"]) <= 1 for row in result.rows().values())
    result = tool.run("label", "--links", "l.csv", "--seeds", "s.csv", "--svg", "m.svg")
    drawing = xml.dom.minidom.parse(tool.path("m.svg"))
    assert result.code == 0 and len(drawing.getElementsByTagName("circle")) == 32 + 3  # nodes and the legend
    assert tool.run("label", "--links", "l.csv", "--seeds", "s.csv", "--out", "x", "--svg", "x").code == 2


def test_seeds_elsewhere_are_refused(tool):
    tool.write("l.csv", "a,b\n1,2\n2,3\n")
    tool.refused(tool.run("label", "--links", "l.csv", "--seeds", "-", stdin="id,label\n99,red\n"), "no seed is a node")


def test_label_points(tool):
    tool.write("p.csv", points_csv())
    tool.write("s.csv", "id,label\n3,low\n14,high\n")
    for options in (["--similarity", "cosine"], ["--similarity", "gaussian", "--sigma", "1"],
                    ["--similarity", "nearest", "--nearest", "4"]):
        result = tool.run("label", "--points", "p.csv", "--seeds", "s.csv", *options)
        labels = [row["label"] for row in result.rows().values()]
        assert result.code == 0 and labels == ["low"] * 10 + ["high"] * 10, (options, result.err, labels)
    assert tool.run("label", "--seeds", "s.csv").code == 2


def test_truth_of_others_agrees_on_nothing(tool):
    tool.write("l.csv", links_csv())
    tool.write("t.csv", "id,label\n1,a\n2,b\n")
    result = tool.run("cluster", "--links", "l.csv", "--k", "3", "--truth", "t.csv")
    assert result.code == 0 and result.key("compared") == "0" and "nmi" not in result.err, result.err


def test_drawing_of_the_standard_input_says_so(tool):
    result = tool.run("cluster", "--links", "-", "--k", "3", "--svg", "m.svg", stdin=links_csv())
    title = xml.dom.minidom.parse(tool.path("m.svg")).getElementsByTagName("title")[0]
    assert result.code == 0 and title.firstChild.data == "standard input", result.err


def test_groups_without_a_node_are_told(tool):
    links = "a,b\n1,2\n2,3\n3,1\n4,5\n5,6\n6,4\n"
    for k, reason in ((9, "there are fewer nodes with links than groups"), (5, "more were not found in the links"), (2, "")):
        result = tool.run("cluster", "--links", "-", "--k", k, stdin=links)
        found = int(result.key("clusters"))
        assert result.code == 0 and (found == k) == (reason == ""), (k, result.err)
        assert found == k or result.err.endswith(f"{found} of the {k} groups have a node: {reason}\n"), result.err
        assert "groups have a node" not in result.err or found < k, result.err


def test_refusals(tool):
    tool.write("l.csv", links_csv())
    cases = {"a,b,weight\n1,2,-1\n": "weight", "a,b,weight\n1,2,nan\n": "2:", "a,b\n1,x\n": "2:", "a,b\n": "no link",
             "a,b,weight\n1,2,1\n2,3,1e-45\n": "3: the weight is not within", "a,b,weight\n1,2,1e31\n": "2: the weight",
             "x,y\n1,2\n": "1:"}
    for text, reason in cases.items():
        tool.write("bad.csv", text)
        result = tool.run("cluster", "--links", "bad.csv", "--k", "2")
        assert result.code == 1 and reason in result.err, (text, result.err)
        assert result.out == ""
    tool.write("none.csv", "id,label\n")
    assert tool.run("label", "--links", "l.csv", "--seeds", "none.csv").code == 1
    assert tool.run("cluster", "--links", "l.csv").code == 2
    assert tool.run("cluster", "--k", "2").code == 2
    assert tool.run("cluster", "--links", "l.csv", "--k", "256").code == 2
    for command in (["cluster", "--k", "2"], ["label", "--seeds", "none.csv"]):
        assert tool.run(*command, "--links", "l.csv", "--window", "50", "--truth", "l.csv").code == 2
        assert tool.run(*command, "--points", "l.csv", "--window", "50", "--svg", "x.svg").code == 2
    tool.refused(tool.run("cluster", "--k", 2, "--links", "-", "--window", 50, "--out", "x.csv", stdin="a,b\n"),
                 "there are no links")
    assert not os.path.exists(tool.path("x.svg"))
    for command in (["cluster", "--k", "2"], ["label", "--seeds", "none.csv"]):
        result = tool.run(*command, "--links", "l.csv", "--window", "1")
        assert result.code == 2 and "--window has to be 2" in result.err
    for option in ("speed", "stream"):
        result = tool.run("bench", "pic", "--set", option, "--draw", "3")
        assert result.code == 2 and "--draw is for" in result.err
    result = tool.run("cluster", "--links", "l.csv", "--k", "3", "--window", "600", "--svg", "x.svg")
    drawing = xml.dom.minidom.parse(tool.path("x.svg"))
    assert result.code == 0 and len(drawing.getElementsByTagName("circle")) == 32 + 3, result.err


main(globals())
