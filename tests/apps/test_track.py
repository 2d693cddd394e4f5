#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_track.py [WORD]: the track firmware on the host, a Cortex-M4F and a Cortex-M0: the same bits, honest messages.

A word selects the cases whose names contain it. The last line is `N passed, N failed`; `, N skipped` if some were."""
import csv
import math
import os
import random
import re
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from building import DATA, ROOT, Config, run, tail  # pylint: disable=wrong-import-position

BOARDS = ["host", "mps2-an386", "microbit"]
OUT = {board: Config(board).out for board in BOARDS}
HEADER = "t_s,b,range_m,forward_m,turn_rad\n"


class Skipped(Exception):
    """The case cannot run here."""


def track(board, *arguments):
    return run([f"boards/{board}/run", f"{OUT[board]}/apps/track.elf", *arguments])


def same_everywhere(anchors, events, *more):
    hosts = ""
    for board in BOARDS:
        code, text = track(board, anchors, events, *more)
        assert code == 0, f"{board}: exit code {code}\n{tail(text)}"
        hosts = hosts or text
        assert text == hosts, f"{board} differs from the host\n{tail(text)}\n{tail(hosts)}"
    return hosts


def rows_of(folder, name):
    with open(os.path.join(DATA, folder, name), encoding="ascii") as file:
        return list(csv.DictReader(file))


def test_plaza1_streamed_gives_the_bits_of_the_host(folder):
    if not os.path.isdir(os.path.join(DATA, "plaza1")):
        raise Skipped("no measured data: set CAIRN_DATA")
    odometry = rows_of("plaza1", "odometry.csv")
    events, anchors, at = os.path.join(folder, "events.csv"), os.path.join(folder, "anchors.csv"), 0
    with open(events, "w", encoding="ascii") as out:
        out.write(HEADER)
        for row in rows_of("plaza1", "log.csv"):
            while at < len(odometry) and float(odometry[at]["t_s"]) <= float(row["t_s"]):
                out.write("{t_s},,,{forward_m},{turn_rad}\n".format(**odometry[at]))
                at += 1
            out.write("{t_s},{b},{range_m},,\n".format(**row))
    with open(anchors, "w", encoding="ascii") as out:
        out.write("id,x_m,y_m\n" + "".join("{id},{x_m},{y_m}\n".format(**row) for row in rows_of("plaza1", "anchors.csv")))
    text = same_everywhere(anchors, events)
    truth = {round(float(row["t_s"]), 1): (float(row["x_m"]), float(row["y_m"])) for row in rows_of("plaza1", "truth.csv")}
    near = 0
    for line in re.findall(r"^(\d[\d.]*),(-?[\d.]+),(-?[\d.]+),", text, re.M):
        at = truth.get(round(float(line[0]), 1))
        near += at is not None and math.dist(at, (float(line[1]), float(line[2]))) < 2
    assert near > 10, text


def made_up(folder):
    """A sensor going round among four anchors."""
    draw = random.Random(5)
    corners = {1: (-20, -15), 2: (22, -18), 3: (18, 20), 4: (-24, 17)}
    anchors, events = os.path.join(folder, "anchors.csv"), os.path.join(folder, "events.csv")
    with open(anchors, "w", encoding="ascii") as out:
        out.write("id,x_m,y_m\n" + "".join(f"{i},{x},{y}\n" for i, (x, y) in corners.items()))
    x, y, heading = 0.0, 0.0, 0.3
    with open(events, "w", encoding="ascii") as out:
        out.write(HEADER)
        for k in range(300):
            x, y, heading = x + 0.25 * math.cos(heading + 0.02), y + 0.25 * math.sin(heading + 0.02), heading + 0.04
            out.write(f"{k * 0.25:.3f},,,0.25,0.04\n")
            b = k % 4 + 1
            out.write(f"{k * 0.25 + 0.1:.3f},{b},{math.dist((x, y), corners[b]) + draw.gauss(0, 0.1):.4f},,\n")
    return anchors, events, (x, y)


def test_made_up_drive_is_tracked_with_the_same_bits(folder):
    anchors, events, end = made_up(folder)
    text = same_everywhere(anchors, events, "--every", "100")
    last = text.splitlines()[-2].split(",")
    assert math.dist(end, (float(last[1]), float(last[2]))) < 1, text


def test_bad_files_are_refused_with_file_and_line(folder):
    anchors, events, _ = made_up(folder)
    broken = os.path.join(folder, "broken.csv")
    for contents, line in ((HEADER + "1,1,x,,\n", 2), (HEADER + "0,,,1,0\n1,1\n", 3), ("t_s,b\n", 1), (HEADER + "1,-4,2,,\n", 2)):
        with open(broken, "w", encoding="ascii") as out:
            out.write(contents)
        for board in BOARDS:
            code, text = track(board, anchors, broken)
            assert code == 1 and f"broken.csv:{line}:" in text, (board, contents, code, text)
    assert track("host", anchors)[0] == 2 and track("host", anchors, events, "--every", "0")[0] == 2
    code, text = track("host", anchors, os.path.join(folder, "absent.csv"))
    assert code == 1 and "absent.csv" in text


def test_times_beyond_what_microseconds_hold_are_refused(folder):
    anchors, _, _ = made_up(folder)
    wild = os.path.join(folder, "wild.csv")
    for times, good in (("1e12", True), ("-1e12", True), ("1.1e12", False), ("-1e15", False)):
        with open(wild, "w", encoding="ascii") as out:
            out.write(HEADER + f"0,1,5,,\n{times},2,5,,\n")
        for board in BOARDS:
            code, text = track(board, anchors, wild)
            assert code == (0 if good else 1), (board, times, code, text)
            assert good or "wild.csv:3: a time beyond 1e12 s" in text, (board, times, text)


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for board in BOARDS:
        built, text = Config(board).build(f"{OUT[board]}/apps/track.elf")
        if not built:
            sys.exit(f"{board}: build failed\n{tail(text, 40)}")
    for name, case in sorted(globals().items()):
        if not name.startswith("test_") or word not in name:
            continue
        with tempfile.TemporaryDirectory(dir=os.path.join(ROOT, "build")) as folder:
            try:
                case(os.path.relpath(folder, ROOT))
                counts["passed"] += 1
            except Skipped as reason:
                print(f"skipped {name}: {reason}")
                counts["skipped"] += 1
            except Exception:  # pylint: disable=broad-except
                print(f"FAIL {name}\n{traceback.format_exc()}")
                counts["failed"] += 1
    print(f"{counts['passed']} passed, {counts['failed']} failed" +
          (f", {counts['skipped']} skipped" if counts["skipped"] else ""))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
