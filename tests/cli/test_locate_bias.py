#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cairn locate: biases, sides of flat anchors, relative maps, and what residuals point at."""
import math
import os
import random
import re
import sys

sys.dont_write_bytecode = True
from support.tool import close, data_folder, main

ANCHORS = {1: (0, 0), 2: (10, 0), 3: (0, 10), 4: (9, 11), 5: (5, -3), 6: (-2, 5)}
SENSORS = {10: (4, 3), 11: (6, 7), 12: (2, 6), 13: (7, 2), 14: (3, 8), 15: (8, 5)}


def places_csv(places, dim=2):
    names = "id,x_m,y_m,z_m\n" if dim == 3 else "id,x_m,y_m\n"
    return names + "".join(f"{node}," + ",".join(repr(float(c)) for c in place) + "\n" for node, place in places.items())


def write(tool, measure, anchors=None, sensors=None, dim=2):
    """Ranges of all pairs with a sensor, as measure(a, b, distance) reads them."""
    anchors, sensors = anchors or ANCHORS, sensors or SENSORS
    nodes = {**anchors, **sensors}
    rows = [f"{a},{b},{measure(a, b, math.dist(nodes[a], nodes[b]))!r}" for a in nodes for b in nodes if a < b and b in sensors]
    tool.write("r.csv", "a,b,range_m\n" + "\n".join(rows) + "\n")
    tool.write("a.csv", places_csv(anchors, dim))
    tool.write("t.csv", places_csv(sensors, dim))
    return ["locate", "--ranges", "r.csv", "--anchors", "a.csv", "--truth", "t.csv", "--noise-rel", "0", "--noise-abs", "0.05"]


def noisy(seed=1, std_m=0.05):
    draw = random.Random(seed)
    return lambda a, b, d: d + draw.gauss(0, std_m)


def test_nothing_is_suspect_when_nothing_is_wrong(tool):
    for seed in range(5):
        result = tool.fine(tool.run(*write(tool, noisy(seed))))
        assert "suspect" not in result.err, result.err
        assert 0.5 < result.number("residual_rms") < 1.3


def test_common_bias(tool):
    command = write(tool, lambda a, b, d: d + 2.8)
    plain = tool.fine(tool.run(*command))
    assert "suspect: ranges are too long as a rule" in plain.err, plain.err
    result = tool.fine(tool.run(*command, "--bias", "common"))
    close(result.number("bias_mean_m"), 2.8, 0.01)
    assert result.number("rmse_m") < 0.01 < 0.3 < plain.number("rmse_m"), result.err
    assert "suspect" not in result.err and result.key("method") == "lift", result.err
    for method in ("light", "cold"):
        turns = tool.fine(tool.run(*command, "--bias", "common", "--method", method))
        close(turns.number("bias_mean_m"), 2.8, 0.2)  # in turns with the map: slower
        assert turns.number("rmse_m") < plain.number("rmse_m") / 3, turns.err


def test_bias_of_a_network_that_is_not_dense(tool):
    """Lift folds such maps: the one with the biases in turns is as good as the ranges allow."""
    tool.fine(tool.run("simulate", "network", "--n", 40, "--anchors", 6, "--radius", 0.45, "--sigma", 0.02, "--out", "net"))
    rows = [line.split(",") for line in tool.read("net/ranges.csv").splitlines()]
    tool.write("r.csv", "".join(f"{a},{b},{r if a == 'a' else float(r) + 0.1}\n" for a, b, r in rows))
    result = tool.fine(tool.run("locate", "--ranges", "r.csv", "--anchors", "net/anchors.csv", "--truth", "net/truth.csv",
                                "--bias", "common", "--noise-rel", 0.02, "--noise-abs", 0))
    assert result.key("method") == "cold" and result.number("rmse_m") < 0.02, result.err
    close(result.number("bias_mean_m"), 0.1, 0.005)


def test_scale(tool):
    command = write(tool, lambda a, b, d: d * 1.07)
    result = tool.fine(tool.run(*command, "--bias", "scale"))
    close(result.number("bias_ln_mean"), -math.log(1.07), 0.002)
    assert result.number("rmse_m") < 0.02, result.err


def test_bias_of_devices(tool):
    delay = {node: 0.1 * (node % 5) - 0.2 for node in {**ANCHORS, **SENSORS}}
    command = write(tool, lambda a, b, d: d + delay[a] + delay[b])
    result = tool.fine(tool.run(*command, "--bias", "device", "--bias-std", "5"))
    assert result.number("rmse_m") < 0.02, result.err
    close(result.number("bias_mean_m"), sum(delay.values()) / len(delay), 0.01)


def test_bias_of_links_is_expected_to_be_its_mean(tool):
    command = write(tool, lambda a, b, d: d + 0.4)
    result = tool.fine(tool.run(*command, "--bias", "link", "--bias-mean", "0.4", "--bias-std", "0.1"))
    assert result.number("rmse_m") < 0.01, result.err


def test_fault_14_exchanged_anchors_are_named(tool):
    command = write(tool, noisy())
    swapped = {**ANCHORS, 2: ANCHORS[6], 6: ANCHORS[2]}
    tool.write("a.csv", places_csv(swapped))
    result = tool.fine(tool.run(*command))
    assert "suspect: anchors 2 and 6 seem exchanged" in result.err, result.err


def test_fault_14_one_id_on_two_devices_is_named(tool):
    draw = random.Random(4)
    other = (9, 9)
    nodes = {**ANCHORS, **SENSORS}

    def measure(a, b, d):
        if 15 in (a, b) and (a + b) % 2:
            d = math.dist(nodes[a if b == 15 else b], other)
        return d + draw.gauss(0, 0.05)
    result = tool.fine(tool.run(*write(tool, measure), "--loss", "redescend", "--method", "lift"))
    assert "suspect: id 15 seems to be two devices" in result.err, result.err


def test_fault_16_millimetres_are_noticed(tool):
    result = tool.fine(tool.run(*write(tool, lambda a, b, d: d * 1000)))
    assert "cannot be; together they are" in result.err and "another unit" in result.err, result.err
    result = tool.fine(tool.run(*write(tool, lambda a, b, d: d * 1000 if (a, b) == (1, 10) else d), "--loss", "redescend"))
    times = re.search(r"suspect: the range of 1 and 10 is (\d+) times their distance", result.err)
    close(times.group(1), 1000, 10)  # the declared deviation is 1 % of the distance


def test_fault_4_height_is_settled_by_a_side(tool):
    beacons = {1: (0, 0, 2.1), 2: (10, 0, 2.1), 3: (10, 8, 2.1), 4: (0, 8, 2.1)}
    command = write(tool, lambda a, b, d: d, beacons, {10: (4, 3, 0.4)}, 3)
    tool.refused(tool.run(*command, "--method", "light"), "one plane", "--side")
    for side, height in (("0,0,0", 0.4), ("5,5,9", 3.8)):
        result = tool.fine(tool.run(*command, "--side", side))
        close(result.rows()["10"]["z_m"], height, 0.01)
        assert result.rows()["10"]["state"] == "placed" and "frame:" not in result.err
    for method in ([], ["--method", "lift"]):  # by default it is said, not refused
        result = tool.fine(tool.run(*command, *method))
        assert "frame: mirror image" in result.err and result.rows()["10"]["state"] == "flip_possible"
        assert min(abs(float(result.rows()["10"]["z_m"]) - z) for z in (0.4, 3.8)) < 0.01


def test_flat_anchors_serve_networks_of_any_size(tool):
    draw = random.Random(5)
    places = {i: (draw.random(), draw.random(), draw.random() if i > 10 else 0.25) for i in range(1, 301)}
    anchors = {i: place for i, place in places.items() if i <= 10}
    sensors = {i: place for i, place in places.items() if i > 10}
    rows = [f"{a},{b},{math.dist(places[a], places[b])!r}" for b in sensors for a in places
            if a < b and math.dist(places[a], places[b]) < 0.35]
    tool.write("r.csv", "\n".join(["a,b,range_m"] + rows) + "\n")
    tool.write("a.csv", places_csv(anchors, 3))
    command = ("locate", "--ranges", "r.csv", "--anchors", "a.csv", "--noise-rel", 0.01, "--radius", 0.35)
    for side, sign in (("0,0,9", 1), ("0,0,-9", -1)):
        result = tool.fine(tool.run(*command, "--side", side))
        assert "frame:" not in result.err, result.err
        for node, row in result.rows().items():
            image = 0.25 + sign * (places[int(node)][2] - 0.25)
            close(row["z_m"], image, 0.01)
            assert row["state"] == ("anchor" if int(node) in anchors else "placed"), row
    result = tool.fine(tool.run(*command))
    assert "frame: mirror image" in result.err, result.err
    assert {row["state"] for row in result.rows().values()} == {"anchor", "flip_possible"}


def test_relative_map_without_enough_anchors(tool):
    command = write(tool, lambda a, b, d: d, {1: (0, 0)})
    tool.refused(tool.run(*command), "too few")
    result = tool.fine(tool.run(*command, "--method", "lift"))
    assert "frame: relative" in result.err, result.err
    places = {int(node): (float(row["x_m"]), float(row["y_m"])) for node, row in result.rows().items()}
    truth = {1: (0, 0), **SENSORS}
    for a in truth:
        for b in truth:
            close(math.dist(places[a], places[b]), math.dist(truth[a], truth[b]), 0.01)


def test_fault_23_lift_repeats_and_seeds_agree(tool):
    command = write(tool, noisy()) + ["--method", "lift"]
    first = tool.fine(tool.run(*command))
    assert tool.fine(tool.run(*command)).out == first.out
    for seed in range(1, 6):
        other = tool.fine(tool.run(*command, "--seed", seed))
        for node, row in first.rows().items():
            close(other.rows()[node]["x_m"], float(row["x_m"]), 0.02)


def test_signal_strength_data(tool):
    folder = data_folder("patwari-utah-cir")
    if folder is None:
        return
    names = [part for name in ("ranges", "anchors", "truth") for part in (f"--{name}", os.path.join(folder, f"{name}.csv"))]
    result = tool.fine(tool.run("locate", *names, "--noise-rel", "0.47", "--noise-abs", "0", "--loss", "log", "--bias", "device"))
    assert result.number("rmse_m") < 2.3, result.err


if __name__ == "__main__":
    main(globals())
