#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cairn track: paths from a log, refusals, an endless log."""
import math
import os
import random
import re
import subprocess
import sys
import time
import xml.dom.minidom

sys.dont_write_bytecode = True
from support.tool import TOOL, main

CORNERS = {1: (-20, -15), 2: (22, -18), 3: (18, 20), 4: (-24, 17)}
ANCHORS = "id,x_m,y_m\n" + "".join(f"{i},{x},{y}\n" for i, (x, y) in CORNERS.items())


def drive(tool, shift_m=0.0, n_steps=240):
    """A sensor going round, with odometry and truth."""
    draw, log, odometry, truth = random.Random(3), "t_s,a,b,range_m\n", "t_s,id,forward_m,turn_rad\n", "t_s,id,x_m,y_m\n"
    x, y, heading = 0.0, 0.0, 0.3
    for k in range(n_steps):
        x, y, heading = x + 0.25 * math.cos(heading + 0.02), y + 0.25 * math.sin(heading + 0.02), heading + 0.04
        b = k % 4 + 1
        odometry += f"{k * 0.25},7,0.25,0.04\n"
        truth += f"{k * 0.25},7,{x + shift_m},{y + shift_m}\n"
        log += f"{k * 0.25},7,{b},{math.dist((x, y), CORNERS[b]) + draw.gauss(0, 0.1):.4f}\n"
    tool.write("anchors.csv", "id,x_m,y_m\n" + "".join(f"{i},{x + shift_m},{y + shift_m}\n" for i, (x, y) in CORNERS.items()))
    tool.write("log.csv", log)
    tool.write("odometry.csv", odometry)
    tool.write("truth.csv", truth)
    return log


def track(tool, *more):
    return tool.run("track", "--log", "log.csv", "--anchors", "anchors.csv", "--noise-abs", 0.15, *more)


def test_path_summary_and_drawing(tool):
    drive(tool)
    result = tool.fine(track(tool, "--odometry", "odometry.csv", "--truth", "truth.csv", "--svg", "path.svg"))
    assert result.number("rmse_m") < 1.5 and result.number("ranges") == 240 and result.number("odometry_rows") == 240
    assert result.number("starts") == 1 and result.number("relocks") == 0 and result.number("sensors") == 1
    rows = result.out.splitlines()
    assert rows[0] == "t_s,id,x_m,y_m,std_m,state" and len(rows) == 241 and rows[-1].endswith(",placed")
    assert rows[1] == "0.000000,7,,,,unplaced"
    xml.dom.minidom.parseString(tool.read("path.svg"))


def test_without_odometry_and_with_map_sized_coordinates(tool):
    drive(tool, 5e6)
    result = tool.fine(track(tool, "--truth", "truth.csv"))
    assert result.number("rmse_m") < 2, result.err


def test_bad_files_are_refused_with_file_and_line(tool):
    drive(tool)
    for log, words in (("t_s,a,b,range_m\n0,7,1,x\n", ["log.csv:2:"]), ("t_s,a,b\n0,7,1\n", ["log.csv", "range_m"]),
                       ("t_s,a,b,range_m,std_m\n0,7,1,3,-1\n", ["log.csv:2:", "std_m"]),
                       ("t_s,a,b,range_m\nnan,7,1,3\n", ["log.csv:2:"]),
                       ("t_s,a,b,range_m\n", ["log.csv: there are no ranges"])):
        tool.write("log.csv", log)
        result = track(tool)
        assert result.code == 1, (log, result.err)
        for word in words:
            assert word in result.err, (word, result.err)
    drive(tool)
    tool.write("far.csv", "t_s,id,x_m,y_m\n0,7,1,1\n9,7,1e308,1\n")
    tool.refused(track(tool, "--truth", "far.csv"), "far.csv:3: a coordinate is beyond 1e12 m, '1e308'")
    assert tool.run("track", "--log", "-", "--anchors", "-").code == 2
    assert tool.run("track", "--log", "log.csv").code == 2


def test_unusable_ranges_are_counted_and_left_out(tool):
    log = drive(tool)
    tool.write("log.csv", log + "60,7,1,0\n60,7,1,-3\n60,7,1,99999\n60,1,2,5\n30,7,1,20\n")
    result = tool.fine(track(tool))
    assert result.number("refused") == 4 and result.number("without_sensor") == 1, result.err


def shift_ranges(tool, scale=1.0, bias_m=0.0, only=None):
    rows = tool.read("log.csv").splitlines()
    tool.write("log.csv", rows[0] + "\n" + "".join(
        ",".join(row[:3] + [f"{float(row[3]) * scale + bias_m:.4f}" if only in (None, row[2]) else row[3]]) + "\n"
        for row in (line.split(",") for line in rows[1:])))


def test_biases_are_found_by_the_model_that_has_them(tool):
    for model, key, value, change in (("common", "bias_m", 0.4, {"bias_m": 0.4}), ("scale", "scale", 0.04, {"scale": 1.04}),
                                      ("both", "scale", 0.04, {"scale": 1.04, "bias_m": 0.1})):
        drive(tool)
        shift_ranges(tool, **change)
        more = ["--odometry", "odometry.csv", "--truth", "truth.csv"]
        wrong = tool.fine(track(tool, *more, "--bias", "none")).number("rmse_m")
        result = tool.fine(track(tool, *more, "--bias", model))
        assert abs(result.number(key) - value) < 0.5 * value, (model, result.err)
        assert result.number("rmse_m") < wrong, (model, wrong, result.err)
    assert track(tool, "--bias", "magic").code == 2


def test_scale_is_learned_beside_offsets_only_where_it_is_asked_for(tool):
    drive(tool, n_steps=960)
    shift_ranges(tool, scale=1.04)
    for anchor, offset in {"1": 0.6, "2": -0.4, "3": 0.3}.items():
        shift_ranges(tool, bias_m=offset, only=anchor)
    more = ["--odometry", "odometry.csv", "--truth", "truth.csv"]
    link, both = (tool.fine(track(tool, *more, "--bias", model)) for model in ("link", "scale-link"))
    assert link.number("scale") == 0 and abs(both.number("scale") - 0.04) < 0.02, (link.err, both.err)
    assert abs(both.number("bias_of_1_m") - 0.6) < 0.3 and both.number("rmse_m") < link.number("rmse_m"), (link.err, both.err)
    words = tool.run("track", "--help").out
    assert "no scale" in words and "scale-link" in words


def test_offsets_of_four_anchors_are_learned_in_the_state_and_of_five_beside_it(tool):
    offsets = {"1": 0.6, "2": -0.4, "3": 0.3}
    for n_anchors, error_m, gain in ((4, 0.2, 2), (5, 0.4, 1.2)):
        drive(tool, n_steps=960)
        if n_anchors == 5:  # it is heard by nobody
            tool.write("anchors.csv", tool.read("anchors.csv") + "5,0,40\n")
        for anchor, offset in offsets.items():
            shift_ranges(tool, bias_m=offset, only=anchor)
        more = ["--odometry", "odometry.csv", "--truth", "truth.csv"]
        without = tool.fine(track(tool, *more, "--bias", "none"))
        result = tool.fine(track(tool, *more, "--bias", "link"))
        assert "bias_of_" not in without.err and ("bias_of_5_m" in result.err) == (n_anchors == 5)
        for anchor in CORNERS:
            assert abs(result.number(f"bias_of_{anchor}_m") - offsets.get(str(anchor), 0)) < error_m, (anchor, result.err)
        assert result.number("rmse_m") * gain < without.number("rmse_m"), (without.err, result.err)
        assert n_anchors == 5 or result.number("normalized_error") < 1, result.err


def test_a_start_with_heading_places_the_first_row(tool):
    drive(tool)
    tool.write("start.csv", "id,x_m,y_m,heading_rad\n7,0,0,0.3\n")
    result = tool.fine(track(tool, "--odometry", "odometry.csv", "--start", "start.csv", "--start-std", 0.05, "--out", "out.csv",
                             "--truth", "truth.csv"))
    rows = tool.read("out.csv").splitlines()
    assert result.out == "" and len(rows) == 241 and ",unplaced" not in tool.read("out.csv"), rows[1]
    assert result.number("starts") == 0 and result.number("rmse_m") < 0.3, result.err


def test_starts_may_come_from_the_standard_input(tool):
    drive(tool)
    starts = "id,x_m,y_m,heading_rad\n7,0,0,0.3\n"
    tool.write("start.csv", starts)
    more = ["--odometry", "odometry.csv", "--start"]
    piped = tool.fine(tool.run("track", "--log", "log.csv", "--anchors", "anchors.csv", *more, "-", stdin=starts))
    filed = tool.fine(tool.run("track", "--log", "log.csv", "--anchors", "anchors.csv", *more, "start.csv"))
    assert piped.out == filed.out and ",unplaced" not in piped.out
    tool.write("start.csv", "id,x_m,y_m,heading_rad\n7,0,0,north\n")
    tool.refused(track(tool, *more, "start.csv"), "start.csv:2:", "north")


def test_starts_that_serve_nothing_are_counted(tool):
    drive(tool)
    tool.write("start.csv", "id,x_m,y_m\n1,0,0\n7,0,0\n8,3,3\n")
    result = tool.fine(track(tool, "--start", "start.csv"))
    assert result.number("starts_ignored") == 1 and result.number("starts_without_range") == 1, result.err
    assert result.number("sensors") == 2, result.err


def test_a_place_is_given_up_when_the_time_leaps_however_far(tool):
    rows = [row.split(",") for row in drive(tool).splitlines()[1:]]
    header, round_s = "t_s,a,b,range_m\n", 2**32 / 1e6
    last = "".join(f"{k * 0.25},7,{k % 4 + 1},{math.dist((12, 15), CORNERS[k % 4 + 1]):.4f}\n" for k in range(40))
    for leap_s in (130, 1000, 2500, round_s - 100, round_s, round_s + 1, 2 * round_s, -round_s - 60, 100 * round_s):
        begun_s = 60 + leap_s
        tool.write("log.csv", header + "".join(",".join(row) + "\n" for row in rows) + "".join(
            f"{float(row[0]) + begun_s},{','.join(row[1:])}\n" for row in (line.split(",") for line in last.splitlines())))
        result = tool.fine(track(tool))
        after = [row.split(",") for row in result.out.splitlines()[241:]]
        assert all(row[5] == "unplaced" and row[2] == "" for row in after[:8]), (leap_s, after[:8])
        assert result.number("refused") == 8 and result.number("starts") == 2, (leap_s, result.err)
        for row in after:
            assert row[2] == "" or math.dist((12, 15), (float(row[2]), float(row[3]))) < 2, (leap_s, row)
        assert after[-1][5] == "placed", after[-1]


def test_a_row_of_another_round_of_the_clock_is_refused(tool):
    rows = drive(tool).splitlines(True)
    plain = tool.fine(track(tool))
    for wild_s in (2**32 / 1e6 + 30, 30 - 2**32 / 1e6, 1e9):
        tool.write("log.csv", "".join(rows[:121]) + f"{wild_s},7,1,99\n" + "".join(rows[121:]))
        result = tool.fine(track(tool))
        lines = result.out.splitlines()
        assert lines.pop(121).endswith(",7,,,,unplaced") and lines == plain.out.splitlines(), wild_s
        assert result.number("refused") == 1, result.err


def test_ranges_between_sensors_are_counted_by_what_became_of_them(tool):
    tool.write("anchors.csv", ANCHORS)
    tool.write("start.csv", "id,x_m,y_m\n7,0,0\n8,5,0\n")
    tool.write("log.csv", "t_s,a,b,range_m\n0,7,8,5\n1,7,8,90\n2,7,8,0\n3,7,9,0\n4,9,7,-1\n5,7,9,4\n6,9,10,4\n")
    result = tool.fine(track(tool, "--start", "start.csv"))
    counts = {key: result.number(key) for key in ("used", "disbelieved", "waiting", "refused", "without_sensor")}
    assert counts == {"used": 1, "disbelieved": 1, "waiting": 0, "refused": 3, "without_sensor": 2}, counts


def test_two_sensors_part_that_start_in_one_place(tool):
    tool.write("anchors.csv", ANCHORS)
    tool.write("start.csv", "id,x_m,y_m\n7,0,0\n8,0,0\n")
    for ends in ("7,8", "8,7"):
        tool.write("log.csv", "t_s,a,b,range_m\n" + "".join(f"{k * 0.25},{ends},3\n" for k in range(40)) + "10,7,8,3\n10,8,7,3\n")
        rows = [line.split(",") for line in tool.fine(track(tool, "--start", "start.csv")).out.splitlines()[-2:]]
        apart_m = math.dist(*[(float(row[2]), float(row[3])) for row in rows])
        assert rows[0][1] == "7" and rows[1][1] == "8" and 1 < apart_m < 4, rows


def test_refused_odometry_is_counted(tool):
    drive(tool)
    tool.write("odometry.csv", tool.read("odometry.csv") + "60,7,1e9,0\n60,7,0,9\n")
    result = tool.fine(track(tool, "--odometry", "odometry.csv"))
    assert result.number("odometry_rows") == 240 and result.number("odometry_refused") == 2, result.err


def curve(drawing, css_class):
    """Heights along the curve of a class, in pixels."""
    group = next(g for g in xml.dom.minidom.parseString(drawing).getElementsByTagName("g")
                 if g.getAttribute("class") == css_class and g.getAttribute("clip-path"))
    numbers = [float(x) for x in re.findall(r"-?[0-9.]+", group.getElementsByTagName("path")[0].getAttribute("d"))]
    return numbers[1::4]


def test_drawing_shows_what_there_is_and_no_comb(tool):
    drive(tool)
    rows = tool.read("log.csv").splitlines(True)  # the anchors disagree: the place follows each in turn
    tool.write("log.csv", rows[0] + "".join(
        "{},{},{},{:.4f}\n".format(*row[:3], float(row[3]) + (0.6 if int(row[2]) % 2 else -0.6))
        for row in (line.split(",") for line in rows[1:])))
    plain = tool.fine(track(tool, "--bias", "none", "--svg", "path.svg")).err
    drawing = tool.read("path.svg")
    assert "true path" not in drawing and ">error, m<" not in drawing
    assert ("disbelieved ranges<" in drawing) == ("disbelieved: 0\n" not in plain), plain
    tool.fine(track(tool, "--bias", "none", "--truth", "truth.csv", "--svg", "path.svg", "--out", "out.csv"))
    drawing = tool.read("path.svg")
    assert "true path" in drawing and ">error, m<" in drawing
    heights = curve(drawing, "error")
    way = sum(abs(b - a) for a, b in zip(heights, heights[1:]))
    assert len(heights) > 200 and way < 12 * (max(heights) - min(heights)), (way, max(heights) - min(heights))


def test_motion_and_plausibility_are_settings(tool):
    drive(tool)
    calm = tool.fine(track(tool, "--noise-motion", 0.02, "--truth", "truth.csv"))
    lively = tool.fine(track(tool, "--noise-motion", 0.5, "--tau", 3, "--truth", "truth.csv"))
    assert calm.number("noise_factor") > lively.number("noise_factor") >= 1, (calm.err, lively.err)
    assert tool.fine(track(tool, "--range-max", 30)).number("refused") > 0
    assert tool.fine(track(tool, "--noise-rel", 0.2, "--truth", "truth.csv")).number("rmse_m") < 5
    for wrong in (["--tau", 0], ["--range-max", -1], ["--dim", 4], ["--side", "left"], ["--noise-abs", 0]):
        assert track(tool, *wrong).code == 2, wrong


def test_space_and_the_side_of_flat_anchors(tool):
    corners = {1: (-20, -15), 2: (22, -18), 3: (18, 20), 4: (-24, 17)}
    tool.write("anchors.csv", "id,x_m,y_m,z_m\n" + "".join(f"{i},{x},{y},3\n" for i, (x, y) in corners.items()))
    tool.write("log.csv", "t_s,a,b,range_m\n" + "".join(
        f"{k * 0.25},7,{k % 4 + 1},{math.dist((1, 2, -3), (*corners[k % 4 + 1], 3)):.4f}\n" for k in range(60)))
    for side, low in (("below", True), ("above", False)):
        last = tool.fine(track(tool, "--side", side, "--bias", "none")).out.splitlines()[-1].split(",")
        assert (float(last[4]) < 3) == low and math.dist((1, 2), (float(last[2]), float(last[3]))) < 1, (side, last)
    flat = tool.fine(track(tool, "--dim", 2, "--bias", "none")).out.splitlines()
    assert flat[0] == "t_s,id,x_m,y_m,std_m,state"


def test_an_endless_log_is_answered_line_by_line(tool):
    log = drive(tool).splitlines(True)
    with subprocess.Popen([TOOL, "track", "--log", "-", "--anchors", "anchors.csv"], cwd=tool.folder, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        os.set_blocking(process.stdout.fileno(), False)
        process.stdin.write("".join(log[:20]).encode())
        process.stdin.flush()
        seen, until = b"", time.monotonic() + 20
        while seen.count(b"\n") < 20 and time.monotonic() < until:
            seen += process.stdout.read() or b""
            time.sleep(0.02)
        assert seen.count(b"\n") == 20, seen
        process.stdin.close()


if __name__ == "__main__":
    main(globals())
