#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cairn locate: networks, options, outputs and drawings."""
import math
import os
import pty
import random
import re
import subprocess
import sys
import xml.dom.minidom

sys.dont_write_bytecode = True
from support.tool import TOOL, Skipped, close, data_folder, main

ANCHORS = {1: (0, 0), 2: (10, 0), 3: (0, 10), 4: (9, 11)}
SENSORS = {10: (4, 3), 11: (6, 7), 12: (2, 6), 13: (7, 2)}
TOLERANCE_M = 0.01


def places_csv(places, names="id,x_m,y_m", offset=(0, 0, 0)):
    rows = [",".join([str(node)] + [repr(float(c + o)) for c, o in zip(place, offset)]) for node, place in places.items()]
    return "\n".join([names] + rows) + "\n"


def ranges_csv(places, pairs=None):
    """Exact ranges of all pairs that are not both anchors, or of the given pairs."""
    nodes = sorted(places)
    pairs = pairs or [(a, b) for a in nodes for b in nodes if a < b and b >= 10]
    return "a,b,range_m\n" + "".join(f"{a},{b},{math.dist(places[a], places[b])!r}\n" for a, b in pairs)


def write_network(tool, offset=(0, 0, 0)):
    tool.write("r.csv", ranges_csv({**ANCHORS, **SENSORS}))
    tool.write("a.csv", places_csv(ANCHORS, offset=offset))
    tool.write("t.csv", places_csv(SENSORS, offset=offset))
    return ["locate", "--ranges", "r.csv", "--anchors", "a.csv"]


def all_near(result, places, offset=(0, 0, 0), tolerance_m=TOLERANCE_M):
    rows = result.rows()
    for node, place in places.items():
        for name, coordinate, shift in zip(("x_m", "y_m", "z_m"), place, offset):
            close(rows[str(node)][name], coordinate + shift, tolerance_m)


def test_exact_ranges(tool):
    result = tool.fine(tool.run(*write_network(tool), "--truth", "t.csv"))
    all_near(result, {**ANCHORS, **SENSORS})
    assert result.out.startswith("id,x_m,y_m,std_m,state\n1,")
    assert [row["state"] for row in result.rows().values()] == ["anchor"] * 4 + ["placed"] * 4
    assert [row["std_m"] for row in result.rows().values()][:4] == ["0"] * 4
    for key, value in (("sensors", 4), ("anchors", 4), ("ranges", 22), ("placed", 4), ("unplaced", 0), ("compared", 4),
                       ("ranges_folded", 0), ("flip_possible", 0)):
        assert result.number(key) == value, (key, result.err)
    for key in ("rmse_m", "max_error_m", "rmse_placed_m"):
        assert result.number(key) < TOLERANCE_M, result.err
    assert result.number("iterations") >= 1 and result.number("seconds") >= 0


def test_map_sized_coordinates(tool):
    for offset in ((4.6e6, 1.6e7, 0), (-1e5, 1e7, 0), (1e9, -1e9, 0)):
        result = tool.fine(tool.run(*write_network(tool, offset), "--truth", "t.csv"))
        all_near(result, SENSORS, offset)


def test_same_places_wherever_the_origin_is(tool):
    here = tool.fine(tool.run(*write_network(tool))).rows()
    there = tool.fine(tool.run(*write_network(tool, (1048576, -2097152, 0)))).rows()
    for node in here:
        close(float(there[node]["x_m"]) - 1048576, float(here[node]["x_m"]), 2e-6)
        close(float(there[node]["y_m"]) + 2097152, float(here[node]["y_m"]), 2e-6)


def test_order_and_direction_of_rows_do_not_matter(tool):
    command = write_network(tool)
    first = tool.fine(tool.run(*command)).out
    lines = tool.read("r.csv").splitlines()
    swapped = [",".join([row.split(",")[1], row.split(",")[0], row.split(",")[2]]) for row in lines[:0:-1]]
    tool.write("r.csv", "\n".join(lines[:1] + swapped) + "\n")
    tool.write("a.csv", "\n".join(["id,x_m,y_m"] + tool.read("a.csv").splitlines()[:0:-1]) + "\n")
    assert tool.fine(tool.run(*command)).out == first


def test_same_bytes_every_run(tool):
    command = write_network(tool)
    assert tool.fine(tool.run(*command)).out == tool.fine(tool.run(*command, "--seed", 7)).out


def test_three_dimensions(tool):
    anchors = {1: (0, 0, 0), 2: (10, 0, 1), 3: (0, 10, 2), 4: (9, 11, 8), 5: (3, 3, 9)}
    sensors = {10: (4, 3, 5), 11: (6, 7, 2), 12: (2, 6, 6)}
    tool.write("r.csv", ranges_csv({**anchors, **sensors}))
    tool.write("a.csv", places_csv(anchors, "id,x_m,y_m,z_m"))
    tool.write("t.csv", places_csv(sensors, "id,x_m,y_m,z_m"))
    for dim in ([], ["--dim", 3]):
        result = tool.fine(tool.run("locate", "--ranges", "r.csv", "--anchors", "a.csv", "--truth", "t.csv", *dim))
        assert result.out.startswith("id,x_m,y_m,z_m,std_m,state\n")
        all_near(result, sensors)
    tool.write("flat.csv", places_csv({node: (*place[:2], 2) for node, place in anchors.items()}, "id,x_m,y_m,z_m"))
    flat = ("locate", "--ranges", "r.csv", "--anchors", "flat.csv")
    tool.refused(tool.run(*flat, "--method", "light"), "flat.csv:", "one plane", "leave --method out and give --side")
    for method in ([], ["--method", "cold"]):
        result = tool.run(*flat, *method)
        assert "frame: mirror image in the anchors' plane possible, give --side" in result.err, result.err


def test_settings_that_leave_nothing_of_the_ranges_are_refused(tool):
    command = write_network(tool) + ["--out", "x.csv"]
    tool.refused(tool.run(*command, "--noise-abs", 0, "--noise-rel", 0), "r.csv: 22 of 22 ranges would be exact")
    tool.write("r.csv", tool.read("r.csv").replace("range_m", "range_m,std_m").replace("\n", ",0.1\n").replace("std_m,0.1", "std_m"))
    tool.fine(tool.run(*command, "--noise-abs", 0, "--noise-rel", 0))
    tool.refused(tool.run(*command, "--bias", "common", "--bias-mean", 100), "--bias-mean 100 m leaves nothing of ranges")
    tool.refused(tool.run(*command, "--bias", "scale", "--bias-mean", 100), "natural logarithm must be", code=2)
    tool.refused(tool.run(*command, "--bias-mean", 1), "need --bias", code=2)
    tool.refused(tool.run(*command[:3], "--method", "light"), "without --method light")


def test_a_map_of_space_shows_heights(tool):
    tool.fine(tool.run("simulate", "network", "--n", 30, "--dim", 3, "--radius", 0.9, "--anchors", 6, "--out", "net"))
    tool.fine(tool.run("locate", "--ranges", "net/ranges.csv", "--anchors", "net/anchors.csv", "--svg", "m.svg", "--out", "p"))
    drawing = xml.dom.minidom.parse(tool.path("m.svg")).documentElement
    shades = [len(group.getElementsByTagName("circle")) for group in drawing.getElementsByTagName("g")
              if group.getAttribute("class") in ("h0", "h1", "h2", "h3", "h4")]
    placed = sum(row["state"] == "placed" for row in tool.run("locate", "--ranges", "net/ranges.csv", "--anchors",
                                                              "net/anchors.csv").rows().values())
    assert len(shades) == 10 and sum(shades) == placed + 5, (shades, placed)  # on the map and in the legend
    assert ", height " in tool.read("m.svg")


def test_starts_that_tell_little(tool):
    """A start without ranges stays where it is, and moves nobody; a deviation that is not used is named."""
    command = write_network(tool) + ["--start", "s.csv"]
    start = {node: (x + 0.3, y - 0.2) for node, (x, y) in SENSORS.items()}
    tool.write("s.csv", places_csv({**start, 99: (5, 5.5)}))
    for method in ("cold", "light"):
        rows = tool.fine(tool.run(*command, "--method", method, "--noise-rel", 0.01)).rows()
        assert [float(rows["99"][name]) for name in ("x_m", "y_m")] == [5, 5.5], rows["99"]
        assert 0.1 < float(rows["99"]["std_m"]) < 1 and rows["99"]["state"] == "placed", rows["99"]
        assert all(math.dist((float(rows[str(node)]["x_m"]), float(rows[str(node)]["y_m"])), place) < 0.05
                   for node, place in SENSORS.items()), rows
    assert "start_std_given_m" not in tool.fine(tool.run(*command, "--start-std", 0.5)).err
    for given, words in ((0.001, "starts hold no firmer"), (1000, "the map is made without them")):
        assert words in tool.fine(tool.run(*command, "--start-std", given)).key("start_std_given_m"), given


def test_a_soft_map_stays_on_the_side(tool):
    """Three anchors and noisy ranges: what the last stages bend through the plane is brought back, and mostly placed."""
    placed = 0
    for seed in (147, 218, 323):
        tool.fine(tool.run("simulate", "network", "--n", 8, "--anchors", 3, "--dim", 3, "--anchor-height", 0, "--radius", 3,
                           "--sigma", 0.05, "--seed", seed, "--out", "net"))
        result = tool.fine(tool.run("locate", "--ranges", "net/ranges.csv", "--anchors", "net/anchors.csv", "--side",
                                    ".5,.5,.5", "--noise-rel", 0.05, "--noise-abs", 0))
        assert sum(float(row["z_m"]) for row in result.rows().values()) > 0, (seed, result.out)
        placed += sum(row["state"] == "placed" for row in result.rows().values())
    assert placed > 0


def test_as_few_anchors_as_dimensions_with_a_side(tool):
    """Two anchors on a line, three in a tilted plane: the side decides; what no side decides is refused."""
    for dim, anchors, sensors, side, other in (
            (2, {1: (0, 0), 2: (10, 2)}, {10: (4, 3), 11: (6, 7), 12: (2, 6), 13: (8, 4)}, "5,9", "5,-9"),
            (3, {1: (0, 0, 0), 2: (10, 0, 1), 3: (0, 10, 2)},
             {10: (4, 3, 5), 11: (6, 7, 4), 12: (2, 6, 6), 13: (7, 2, 3), 14: (5, 5, 9)}, "1,2,50", "1,2,-50")):
        names = "id,x_m,y_m,z_m" if dim == 3 else "id,x_m,y_m"
        tool.write("r.csv", ranges_csv({**anchors, **sensors}))
        tool.write("a.csv", places_csv(anchors, names))
        command = ["locate", "--ranges", "r.csv", "--anchors", "a.csv"]
        for options in ([], ["--method", "cold"], ["--method", "cold", "--bias", "common", "--bias-std", 0.01]):
            result = tool.fine(tool.run(*command, "--side", side, *options))
            assert result.key("frame") is None and result.key("placed") == str(len(sensors)), result.err
            all_near(result, {**anchors, **sensors}, tolerance_m=0.05)
        mirrored = tool.fine(tool.run(*command, "--side", other)).rows()
        assert all(math.dist([float(mirrored[str(node)][name]) for name in names.split(",")[1:]], place) > 1
                   for node, place in sensors.items()), mirrored
        if dim == 2:
            tool.refused(tool.run(*command), "2 anchors and 0 starts", "2 and --side")
        else:
            assert "mirror image" in tool.run(*command).key("frame")
        tool.refused(tool.run(*command, "--side", side, "--method", "light"), "--side needs --method cold", code=2)
        tool.write("a.csv", places_csv({node: (place[0], *[0] * (dim - 1)) if dim == 3 else (0, 0)
                                        for node, place in {**anchors, 3: (5,) * dim}.items()}, names))
        tool.refused(tool.run(*command, "--side", side), "a.csv:", "which no --side makes up for")
        if dim == 2:
            tool.write("a.csv", places_csv({1: (0, 0), 2: (5, 5), 3: (9, 9)}, names))
            tool.refused(tool.run(*command), "a.csv:", "on one line", "or give --start or --side")


def test_too_few_anchors(tool):
    write_network(tool)
    tool.write("two.csv", "id,x_m,y_m\n1,0,0\n2,10,0\n")
    tool.refused(tool.run("locate", "--ranges", "r.csv", "--anchors", "two.csv"), "two.csv: 2 anchors and 0 starts")


def test_anchors_on_a_line(tool):
    write_network(tool)
    for far in ("5,0", "0,0", "5,0.0000001"):
        tool.write("line.csv", f"id,x_m,y_m\n1,0,0\n2,10,0\n3,{far}\n")
        tool.refused(tool.run("locate", "--ranges", "r.csv", "--anchors", "line.csv"), "line.csv:", "one line")


def test_start(tool):
    command = write_network(tool)
    tool.write("s.csv", "id,x_m,y_m\n10,4.2,3.1\n11,5.8,7.1\n3,99,99\n")
    result = tool.fine(tool.run(*command, "--start", "s.csv", "--start-std", 0.2))
    all_near(result, {3: (0, 10)})
    all_near(result, {10: (4, 3)}, tolerance_m=0.2)
    assert result.key("starts") == "2" and result.key("starts_ignored") == "1", result.err


def test_starts_that_no_range_reaches(tool):
    command = write_network(tool)
    tool.write("s.csv", "id,x_m,y_m\n10,4.2,3.1\n77,5,5\n")
    result = tool.fine(tool.run(*command, "--start", "s.csv", "--start-std", 0.2))
    assert result.key("starts") == "2" and result.key("starts_without_range") == "1", result.err
    tool.write("s.csv", "id,x_m,y_m\n10,4.2,3.1\n11,1e8,0\n")
    tool.refused(tool.run(*command, "--start", "s.csv"), "s.csv: the places are spread so widely")


def test_result_as_start(tool):
    command = write_network(tool)
    tool.write("r.csv", tool.read("r.csv") + "50,51,3\n")
    tool.fine(tool.run(*command, "--out", "first.csv"))
    assert "50,,,,unplaced\n" in tool.read("first.csv")
    result = tool.fine(tool.run(*command, "--start", "first.csv", "--start-std", 0.5))
    all_near(result, SENSORS, tolerance_m=0.02)
    assert result.key("unplaced") == "2" and result.key("starts") == "4", result.err


def test_unknown_ids_and_idle_anchors(tool):
    command = write_network(tool)
    tool.write("a.csv", tool.read("a.csv") + "77,5,5\n")
    tool.write("t.csv", tool.read("t.csv") + "88,1,1\n1,0,0\n")
    result = tool.fine(tool.run(*command, "--truth", "t.csv"))
    assert result.rows()["77"]["state"] == "anchor" and "88" not in result.rows()
    assert result.key("anchors") == "5" and result.key("compared") == "4", result.err


def test_repeated_pairs_are_folded(tool):
    command = write_network(tool)
    tool.write("r.csv", tool.read("r.csv") + "10,1,5\n1,10,5\n")
    result = tool.fine(tool.run(*command))
    assert result.key("ranges") == "22" and result.key("ranges_folded") == "2", result.err


def test_mirror_image_is_reported(tool):
    tool.write("a.csv", places_csv(ANCHORS))
    tool.write("r.csv", "a,b,range_m\n1,20,5\n2,20,6.7082039\n1,21,5\n2,21,6.7\n3,21,8.06\n4,21,9.43\n")
    rows = tool.fine(tool.run("locate", "--ranges", "r.csv", "--anchors", "a.csv")).rows()
    assert rows["20"]["state"] == "flip_possible", rows
    assert rows["21"]["state"] == "placed", rows


def test_losses(tool):
    command = write_network(tool)
    tool.write("r.csv", tool.read("r.csv").replace("1,10,5.0\n", "1,10,50\n"))
    errors = {}
    for loss in ("squared", "absolute", "huber", "redescend"):
        result = tool.fine(tool.run(*command, "--loss", loss, "--truth", "t.csv", "--noise-rel", 0, "--noise-abs", 0.05))
        errors[loss] = result.number("max_error_m")
    assert errors["redescend"] < 0.05 < errors["squared"], errors
    assert errors["absolute"] < errors["squared"] and errors["huber"] < errors["squared"], errors


def test_extreme_settings(tool):
    command = write_network(tool)
    for option, values in (("--noise-rel", (0, 1e-6, 10)), ("--noise-abs", (0, 1e-9, 1e6)), ("--radius", (1e-3, 1e7)),
                           ("--start-std", (1e7,))):
        for value in values:
            result = tool.fine(tool.run(*command, option, value))
            assert "nan" not in result.out and "inf" not in result.out, (option, value, result.out)


def test_huge_and_tiny_networks(tool):
    for scale in (1e-6, 1e-3, 1e5):
        grown = {node: (x * scale, y * scale) for node, (x, y) in {**ANCHORS, **SENSORS}.items()}
        tool.write("r.csv", ranges_csv(grown))
        tool.write("a.csv", places_csv({node: grown[node] for node in ANCHORS}))
        result = tool.fine(tool.run("locate", "--ranges", "r.csv", "--anchors", "a.csv", "--noise-abs", 0))
        all_near(result, {node: grown[node] for node in SENSORS}, tolerance_m=TOLERANCE_M * scale)


def test_contradictory_ranges_end(tool):
    command = write_network(tool)
    lines = tool.read("r.csv").splitlines()
    tool.write("r.csv", "\n".join(lines[:1] + [f"{line.rsplit(',', 1)[0]},{i % 2 * 1e6 + 1}"
                                               for i, line in enumerate(lines[1:])]) + "\n")
    result = tool.run(*command)
    assert result.code in (0, 1), result.code
    assert "nan" not in result.out and "inf" not in result.out, result.out


def test_usage_errors(tool):
    command = write_network(tool)
    for arguments, word in ((["locate"], "--ranges FILE is missing"), (["locate", "--anchors", "a.csv"], "--ranges FILE is missing"),
                            (command + ["--nonsense"], "unknown argument '--nonsense'"),
                            (command + ["extra"], "unknown argument 'extra'"), (command + ["--dim", 4], "--dim '4'"),
                            (command + ["--dim"], "--dim needs a value"), (command + ["--out", "--quiet"], "--out needs"),
                            (command + ["--noise-rel", "-1"], "--noise-rel '-1'"),
                            (command + ["--noise-rel", "nan"], "--noise-rel 'nan'"),
                            (command + ["--loss", "cubic"], "one of squared absolute huber redescend"),
                            (command + ["--loss", "log", "--method", "light"], "needs --method lift"),
                            (command + ["--loss", "log", "--method", "cold"], "needs --method lift"),
                            (command + ["--method", "warm"], "one of auto light cold lift"),
                            (command + ["--side", "1,2,3"], "not a place of 2 coordinates"),
                            (command + ["--quiet=1"], "takes no value"), (command + ["--out", ""], "--out ''"),
                            (command + ["--out", "x", "--svg", "x"], "the same file"),
                            (command + ["--out", f"./{command[2]}"], "would replace the file of --ranges"),
                            (command + ["--svg", command[4]], "would replace the file of --anchors"),
                            (command + ["--ranges", "x"], "--ranges is given twice"), ([], "which command"),
                            (["dance"], "no command 'dance'")):
        tool.refused(tool.run(*arguments), word, code=2)


def test_help_and_version(tool):
    for arguments in (["--help"], ["locate", "--help"], ["simulate", "--help"], ["simulate", "network", "--help"],
                      ["bench", "--help"], ["bench", "locate", "--help"], ["locate", "--nonsense", "-h"]):
        result = tool.fine(tool.run(*arguments))
        assert result.out.startswith("usage: cairn ") and result.err == "", arguments
        assert max(map(len, result.out.splitlines())) <= 120, arguments
    assert tool.fine(tool.run("--version")).out.startswith("cairn 0.")
    help_text = tool.fine(tool.run("locate", "--help")).out
    for option in ("ranges", "anchors", "start", "truth", "dim", "noise-rel", "noise-abs", "radius", "start-std", "loss",
                   "bias", "method", "seed", "out", "svg", "quiet", "skip-bad", "range-max"):
        assert f"  --{option} " in help_text or f"  --{option}\n" in help_text, option


def marks(drawing, css_class):
    groups = [g for g in drawing.getElementsByTagName("g") if g.getAttribute("class") == css_class
              and g.getAttribute("clip-path")]
    inner = [e for e in groups[0].childNodes if e.nodeType == e.ELEMENT_NODE][0]
    return [e for e in inner.childNodes if e.nodeType == e.ELEMENT_NODE]


def test_drawing(tool):
    command = write_network(tool)
    tool.write("r.csv", tool.read("r.csv") + "50,51,3\n1,20,5\n2,20,6.7082039\n")
    tool.write("t.csv", tool.read("t.csv") + "50,1,9\n20,4,3\n")
    tool.fine(tool.run(*command, "--truth", "t.csv", "--svg", "map.svg", "--out", "p.csv"))
    drawing = xml.dom.minidom.parse(tool.path("map.svg"))
    for css_class, count in (("anchor", 4), ("placed", 4), ("flip", 1), ("truth", 5), ("unplaced", 1)):
        assert len(marks(drawing, css_class)) == count, (css_class, len(marks(drawing, css_class)))
    text = tool.read("map.svg")
    for words in ("5 of 7 sensors placed", "RMSE ", "flip possible (1)", "measured range (25)", " m</text>"):
        assert words in text, words
    for forbidden in ("<image", "@import", "<script", "href", "nan", "inf"):
        assert forbidden not in text, forbidden


def test_drawing_of_a_long_thin_or_single_place(tool):
    tool.write("r.csv", "a,b,range_m\n" + "".join(f"{a},9,{abs(500 - x) + 1}\n" for a, x in ((1, 0), (2, 1000), (3, 400))))
    tool.write("a.csv", "id,x_m,y_m\n1,0,0\n2,1000,0\n3,400,40\n")
    tool.fine(tool.run("locate", "--ranges", "r.csv", "--anchors", "a.csv", "--svg", "m.svg"))
    drawing = xml.dom.minidom.parse(tool.path("m.svg")).documentElement
    assert 300 < float(drawing.getAttribute("height")) < 1100 and 300 < float(drawing.getAttribute("width")) < 1400


def test_drawing_to_standard_output(tool):
    result = tool.fine(tool.run(*write_network(tool), "--out", "p.csv", "--svg", "-"))
    xml.dom.minidom.parseString(result.out)


def test_large_network(tool):
    tool.fine(tool.run("simulate", "network", "--n", 20000, "--radius", 0.018, "--eta", 0.01, "--out", "net"))
    result = tool.fine(tool.run("locate", "--ranges", "net/ranges.csv", "--anchors", "net/anchors.csv", "--start",
                                "net/start.csv", "--truth", "net/truth.csv", "--noise-abs", 0, "--radius", 0.018,
                                "--out", "p.csv", "--svg", "m.svg"))
    assert result.number("rmse_m") < 0.01, result.err


def simulated(tool, *options):
    """Arguments that locate a simulated network of 10 % relative noise with its truth."""
    tool.fine(tool.run("simulate", "network", "--sigma", 0.1, *options, "--out", "net"))
    return ["locate", "--ranges", "net/ranges.csv", "--truth", "net/truth.csv", "--noise-abs", 0, "--out", "p.csv"]


def test_cold_start_is_the_default(tool):
    for seed in range(1, 4):
        command = simulated(tool, "--n", 1000, "--radius", 0.06, "--seed", seed) + ["--anchors", "net/anchors.csv"]
        for radius in ([], ["--radius", 0.06]):
            result = tool.fine(tool.run(*command, *radius))
            assert result.key("method") == "cold" and result.key("frame") is None, result.err
            assert result.number("rmse_m") < 0.008, result.err
    named = tool.read("p.csv")
    tool.fine(tool.run(*command, "--radius", 0.06, "--method", "cold"))
    assert tool.read("p.csv") == named
    light = tool.fine(tool.run(*command, "--radius", 0.06, "--method", "light"))
    assert light.key("method") == "light" and light.number("rmse_m") > result.number("rmse_m"), light.err


def placed_of(text):
    """Places by id of a CSV text; nodes without one are left out."""
    rows = [line.split(",") for line in text.splitlines()[1:]]
    return {row[0]: (float(row[1]), float(row[2])) for row in rows if row[1]}


def start_gains(tool, eta, n_seeds):
    """Errors with starts over errors without, of the sensors that both place; one a network, in ascending order."""
    gains = []
    for seed in range(1, 1 + n_seeds):
        command = simulated(tool, "--n", 1000, "--radius", 0.06, "--eta", eta, "--seed", seed)
        command += ["--anchors", "net/anchors.csv", "--radius", 0.06]
        tool.fine(tool.run(*command))
        without = placed_of(tool.read("p.csv"))
        started = tool.fine(tool.run(*command, "--start", "net/start.csv"))
        assert started.key("unplaced") == "0" and started.key("method") == "cold", started.err
        close(started.number("start_std_m"), eta, 0.25 * eta)
        places, truth = placed_of(tool.read("p.csv")), placed_of(tool.read("net/truth.csv"))
        both = [node for node in truth if node in without]
        gains.append(math.sqrt(sum(math.dist(places[node], truth[node]) ** 2 for node in both) /
                               sum(math.dist(without[node], truth[node]) ** 2 for node in both)))
    return sorted(gains)


def test_starts_help_the_cold_start(tool):
    assert start_gains(tool, 0.01, 3)[-1] < 0.8
    assert start_gains(tool, 0.03, 3)[-1] < 1
    far = start_gains(tool, 0.1, 11)  # the sensors moved by 1.7 radio ranges: next to nothing is left to know
    assert far[5] <= 1, far


def test_three_dimensions_without_a_radius(tool):
    command = simulated(tool, "--n", 600, "--dim", 3, "--radius", 0.25) + ["--anchors", "net/anchors.csv"]
    guessed = tool.fine(tool.run(*command)).number("rmse_m")
    given = tool.fine(tool.run(*command, "--radius", 0.25)).number("rmse_m")
    assert guessed < 1.2 * given, (guessed, given)


def heard(seed, n_nodes, chance):
    """Nodes in the unit square, and those pairs that hear each other: chance is a function of the distance."""
    draw = random.Random(seed)
    places = {node: (draw.random(), draw.random()) for node in range(10, 10 + n_nodes)}
    pairs = [(a, b) for a in places for b in places if a < b and draw.random() < chance(math.dist(places[a], places[b]))]
    return places, pairs


def test_networks_that_are_no_discs(tool):
    """Exact ranges must come out exact where the radio range can only be guessed wrong."""
    for name, chance in (("all", lambda d: 1), ("soft", lambda d: 1 / (1 + math.exp((d - 0.3) / 0.06)))):
        places, pairs = heard(1, 60, chance)
        anchors = {node: places[node] for node in range(10, 16)}
        tool.write("r.csv", ranges_csv(places, pairs))
        tool.write("a.csv", places_csv(anchors))
        tool.write("t.csv", places_csv(places))
        result = tool.fine(tool.run("locate", "--ranges", "r.csv", "--anchors", "a.csv", "--truth", "t.csv"))
        assert result.key("unplaced") == "0" and result.number("rmse_m") < 0.01, (name, result.err)


def test_without_anchors_the_frame_is_its_own(tool):
    command = write_network(tool, (4e6, -1e6, 0))
    tool.write("r.csv", ranges_csv({**ANCHORS, **SENSORS}, [(a, b) for a in sorted({**ANCHORS, **SENSORS})
                                                            for b in sorted(SENSORS) + sorted(ANCHORS) if a < b]))
    tool.write("t.csv", places_csv({**ANCHORS, **SENSORS}, offset=(4e6, -1e6, 0)))
    for options, method in (([], "cold"), (["--noise-rel", 0.3], "cold"), (["--loss", "log"], "lift"),
                            (["--method", "lift"], "lift")):
        result = tool.fine(tool.run(*command[:3], "--truth", "t.csv", "--svg", "m.svg", *options))
        assert result.key("method") == method and result.key("frame").startswith("own, no anchors"), result.err
        assert result.key("anchors") == "0" and result.key("unplaced") == "0" and result.key("compared") == "8", result.err
        assert result.number("rmse_m") < 5 * TOLERANCE_M, result.err
        places = {int(node): (float(row["x_m"]), float(row["y_m"])) for node, row in result.rows().items()}
        for a, truth_a in {**ANCHORS, **SENSORS}.items():
            for b, truth_b in {**ANCHORS, **SENSORS}.items():
                close(math.dist(places[a], places[b]), math.dist(truth_a, truth_b), 10 * TOLERANCE_M)
        xml.dom.minidom.parse(tool.path("m.svg"))
    tool.refused(tool.run(*command[:3], "--method", "light"), "r.csv: 0 anchors and 0 starts")
    tool.refused(tool.run(*command[:3], "--side", "1,2,3"), "not a place of 2 coordinates", code=2)


def test_large_network_without_anchors(tool):
    command = simulated(tool, "--n", 1000, "--anchors", 3, "--radius", 0.08)
    result = tool.fine(tool.run(*command, "--radius", 0.08))
    assert result.key("method") == "cold" and result.key("frame").startswith("own"), result.err
    assert result.number("rmse_m") < 0.02, result.err
    assert result.key("sensors") == "1000" and result.key("compared") == "997", result.err


def test_starts_instead_of_anchors(tool):
    write_network(tool)
    tool.write("s.csv", places_csv({**ANCHORS, **SENSORS}))
    result = tool.fine(tool.run("locate", "--ranges", "r.csv", "--start", "s.csv", "--start-std", 0.1))
    assert result.key("frame") is None and result.key("starts") == "8", result.err
    all_near(result, {**ANCHORS, **SENSORS}, tolerance_m=0.1)


def test_unplaced_nodes_of_the_cold_start(tool):
    command = write_network(tool)
    tool.write("r.csv", tool.read("r.csv") + "50,51,3\n51,52,4\n50,52,5\n")
    result = tool.fine(tool.run(*command))
    assert result.key("method") == "cold" and result.key("unplaced") == "3" and result.key("placed") == "4", result.err
    assert [result.rows()[node]["state"] for node in ("50", "51", "52")] == ["unplaced"] * 3
    all_near(result, SENSORS)


def run_on_terminal(tool, *arguments):
    """Exit code and what a terminal on the standard error stream shows; Skipped where the system has no terminals."""
    shown = b""
    try:
        terminal, far_end = pty.openpty()
    except OSError as error:
        raise Skipped(f"no pseudo terminal here: {error}") from error
    with subprocess.Popen([TOOL, *arguments], cwd=tool.folder, stdin=subprocess.DEVNULL, stderr=far_end) as process:
        os.close(far_end)
        while True:
            try:
                block = os.read(terminal, 4096)
            except OSError:  # the tool has closed its end
                break
            shown += block
        os.close(terminal)
    return process.returncode, shown.decode()


def test_progress_bar(tool):
    tool.fine(tool.run("simulate", "network", "--n", 20000, "--radius", 0.02, "--sigma", 0.3, "--out", "net"))
    command = ["locate", "--ranges", "net/ranges.csv", "--anchors", "net/anchors.csv", "--out", "p.csv"]
    code, shown = run_on_terminal(tool, *command)
    assert code == 0 and "sensors: 19980" in shown, shown
    shares = [int(share) for share in re.findall(r"\r\[[# ]{32}\] +(\d+) %", shown)]
    if float(re.search(r"seconds: (\S+)", shown).group(1)) > 1.5:
        assert shares and shares == sorted(shares), shown
    code, shown = run_on_terminal(tool, *command, "--quiet")
    assert code == 0 and " %" not in shown and "seconds: " in shown, shown
    code, shown = run_on_terminal(tool, *write_network(tool), "--out", "p.csv")
    assert code == 0 and " %" not in shown, shown


def test_measured_office(tool):
    folder = data_folder("patwari-utah-cir")
    result = tool.fine(tool.run("locate", *(part for name in ("ranges", "anchors", "truth")
                                            for part in (f"--{name}", f"{folder}/{name}.csv"))))
    print(f"patwari-utah-cir: rmse_m {result.key('rmse_m')} of {result.key('compared')} sensors")
    assert result.key("compared") == "40", result.err
    assert result.number("rmse_m") < 3.6, result.err  # classical scaling gives 3.6 to 4.1 m


if __name__ == "__main__":
    main(globals())
