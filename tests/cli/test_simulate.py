#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cairn simulate network and cairn bench."""
import math
import os
import sys
import time

sys.dont_write_bytecode = True
from support.tool import close, main


def table(tool, name):
    lines = tool.read(name).splitlines()
    return [dict(zip(lines[0].split(","), map(float, line.split(",")))) for line in lines[1:]]


def places(tool, name, dim=2):
    return {int(row["id"]): tuple(row[c] for c in ("x_m", "y_m", "z_m")[:dim]) for row in table(tool, name)}


def simulate(tool, *arguments, out="net"):
    return tool.fine(tool.run("simulate", "network", *arguments, "--out", out))


def deviation(values):
    return math.sqrt(sum(value * value for value in values) / len(values))


def test_files_and_summary(tool):
    result = simulate(tool, "--n", 500, "--anchors", 10, "--radius", 0.1)
    assert sorted(places(tool, "net/anchors.csv")) == list(range(10))
    assert sorted(places(tool, "net/start.csv")) == sorted(places(tool, "net/truth.csv")) == list(range(10, 500))
    assert result.number("ranges") == len(table(tool, "net/ranges.csv"))
    assert result.number("sensors") == 490 and result.number("anchors") == 10
    assert result.out == ""


def check_every_pair(tool, dim, radius_m):
    true = {**places(tool, "net/anchors.csv", dim), **places(tool, "net/truth.csv", dim)}
    measured = {(int(row["a"]), int(row["b"])): row["range_m"] for row in table(tool, "net/ranges.csv")}
    wanted = {(a, b): math.dist(true[a], true[b]) for a in true for b in true
              if a < b and math.dist(true[a], true[b]) <= radius_m}
    assert sorted(measured) == sorted(wanted), (len(measured), len(wanted))
    for pair, distance_m in wanted.items():
        close(measured[pair], distance_m, 1e-8 if radius_m < 5 else 1e-6)  # nine digits of a place


def test_all_pairs_within_the_radius_are_measured(tool):
    for n, radius_m, more in ((300, 0.13, []), (300, 0.013, []), (40, 2, []), (300, 0.2, ["--boundary", "free", "--eta", 1]),
                              (50, 5, ["--boundary", "free", "--eta", 100]), (2, 1.5, ["--anchors", 1])):
        simulate(tool, "--n", n, "--radius", radius_m, "--sigma", 0, *more)
        check_every_pair(tool, 2, radius_m)
    simulate(tool, "--n", 250, "--radius", 0.3, "--sigma", 0, "--dim", 3)
    check_every_pair(tool, 3, 0.3)


def test_noise_and_movement_have_the_stated_deviation(tool):
    simulate(tool, "--n", 3000, "--radius", 0.06, "--sigma", 0.1, "--eta", 0.02, "--boundary", "free")
    before, after = places(tool, "net/start.csv"), places(tool, "net/truth.csv")
    steps = [after[node][k] - before[node][k] for node in before for k in (0, 1)]
    close(deviation(steps), 0.02, 0.001)
    close(sum(steps) / len(steps), 0, 0.001)
    true = {**places(tool, "net/anchors.csv"), **after}
    errors = [row["range_m"] / math.dist(true[int(row["a"])], true[int(row["b"])]) - 1 for row in table(tool, "net/ranges.csv")]
    close(deviation(errors), 0.1, 0.003)
    close(sum(errors) / len(errors), 0, 0.003)


def test_places_are_uniform(tool):
    simulate(tool, "--n", 20000, "--radius", 0.001, "--anchors", 0)
    cells = [0] * 25
    for x, y in places(tool, "net/start.csv").values():
        cells[int(x * 5) * 5 + int(y * 5)] += 1
    chi_square = sum((count - 800) ** 2 / 800 for count in cells)
    assert chi_square < 51.2, chi_square  # 24 degrees of freedom, p = .001


def test_boundary(tool):
    simulate(tool, "--eta", 5)
    assert all(0 <= c <= 1 for place in places(tool, "net/truth.csv").values() for c in place)
    simulate(tool, "--eta", 5, "--boundary", "free")
    assert any(abs(c) > 5 for place in places(tool, "net/truth.csv").values() for c in place)


def test_anchors_at_one_height(tool):
    """Under a ceiling of anchors a side settles the heights; the sensors are those of any other network."""
    simulate(tool, "--n", 60, "--anchors", 6, "--dim", 3, "--radius", 0.7, "--sigma", 0.01, "--eta", 0, out="any")
    simulate(tool, "--n", 60, "--anchors", 6, "--dim", 3, "--radius", 0.7, "--sigma", 0.01, "--eta", 0, "--anchor-height", 1)
    assert [place[2] for place in places(tool, "net/anchors.csv", 3).values()] == [1] * 6
    assert tool.read("net/truth.csv") == tool.read("any/truth.csv")
    locate = ("locate", "--ranges", "net/ranges.csv", "--anchors", "net/anchors.csv", "--truth", "net/truth.csv",
              "--noise-rel", 0.01, "--noise-abs", 0)
    assert "mirror image" in tool.run(*locate).key("frame")
    result = tool.fine(tool.run(*locate, "--side", "0.5,0.5,0"))
    assert result.key("frame") is None and result.number("rmse_m") < 0.01, result.err
    simulate(tool, "--n", 30, "--anchors", 4, "--anchor-height", 0.25, out="line")
    assert [place[1] for place in places(tool, "line/anchors.csv").values()] == [0.25] * 4
    tool.refused(tool.run("simulate", "network", "--out", "d", "--anchor-height", "2"), "--anchor-height '2'", code=2)


def test_seed(tool):
    for name, seed, eta in (("one", 5, 0.1), ("same", 5, 0.1), ("other", 6, 0.1), ("slow", 5, 0.01)):
        simulate(tool, "--seed", seed, "--eta", eta, out=name)
    for file in ("ranges.csv", "anchors.csv", "start.csv", "truth.csv"):
        assert tool.read("one/" + file) == tool.read("same/" + file) != tool.read("other/" + file)
    assert tool.read("one/start.csv") == tool.read("slow/start.csv")
    assert tool.read("one/truth.csv") != tool.read("slow/truth.csv")


def test_steps(tool):
    simulate(tool, "--n", 60, "--anchors", 5, "--radius", 0.3, "--steps", 0)
    assert tool.read("net/start.csv") == tool.read("net/truth.csv")
    simulate(tool, "--n", 60, "--anchors", 5, "--radius", 0.3, "--steps", 4, out="moving")
    truth, log = table(tool, "moving/track_truth.csv"), table(tool, "moving/log.csv")
    assert sorted({row["t_s"] for row in truth}) == sorted({row["t_s"] for row in log}) == [1, 2, 3, 4]
    assert len(truth) == 4 * 55
    last = {int(row["id"]): (row["x_m"], row["y_m"]) for row in truth if row["t_s"] == 4}
    assert last == places(tool, "moving/truth.csv")
    final = [(row["a"], row["b"], row["range_m"]) for row in log if row["t_s"] == 4]
    assert final == [(row["a"], row["b"], row["range_m"]) for row in table(tool, "moving/ranges.csv")]


def test_lost_ranges_are_counted(tool):
    result = simulate(tool, "--sigma", 1)
    assert result.number("ranges_lost") > 100, result.err
    assert all(row["range_m"] > 0 for row in table(tool, "net/ranges.csv"))


def test_large_network_is_fast(tool):
    begin_s = time.monotonic()
    result = simulate(tool, "--n", 120000, "--radius", 0.008)
    assert time.monotonic() - begin_s < 20, "a search over all pairs takes minutes"
    close(result.number("mean_degree"), math.pi * 0.008**2 * 120000, 0.5)


def test_refusals(tool):
    for arguments, word in (([], "--out DIR is missing"), (["--out", "d", "--n", 0], "--n '0'"),
                            (["--out", "d", "--n", 5, "--anchors", 6], "--anchors is more than --n"),
                            (["--out", "d", "--radius", "-1"], "--radius '-1'"),
                            (["--out", "d", "--boundary", "torus"], "one of inside free")):
        tool.refused(tool.run("simulate", "network", *arguments), word, code=2)
    tool.refused(tool.run("simulate"), "which simulation", code=2)
    tool.refused(tool.run("simulate", "weather"), "no simulation 'weather'", code=2)
    tool.write("file", "")
    tool.refused(tool.run("simulate", "network", "--out", "file"), "file: the directory cannot be made")
    tool.refused(tool.run("simulate", "network", "--out", "none/net"), "none/net: the directory cannot be made")
    tool.refused(tool.run("simulate", "network", "--n", 200000, "--radius", 2, "--out", "d"), "more than 20000000 ranges")


def test_full_disk(tool):
    for name in ("ranges.csv", "anchors.csv", "truth.csv", "start.csv"):
        tool.fine(tool.run("simulate", "network", "--n", 30, "--out", "net"))
        os.remove(tool.path("net/" + name))
        os.symlink("/dev/full", tool.path("net/" + name))
        result = tool.run("simulate", "network", "--n", 30, "--out", "net")
        tool.refused(result, f"net/{name}: cannot be written whole")
        os.remove(tool.path("net/" + name))


def test_largest_file(tool):
    result = tool.shell('ulimit -f 1; "$CAIRN" simulate network --n 3000 --out net')
    tool.refused(result, "cannot be written whole, File too large")


def test_files_locate(tool):
    simulate(tool, "--n", 1000, "--eta", 0.01)
    result = tool.fine(tool.run("locate", "--ranges", "net/ranges.csv", "--anchors", "net/anchors.csv", "--start",
                                "net/start.csv", "--truth", "net/truth.csv", "--noise-abs", 0, "--radius", 0.06))
    assert result.number("compared") == 980, result.err
    assert result.number("rmse_m") < 0.008, result.err
    assert len(result.rows()) == 1000


def test_bench_list(tool):
    assert "locate " in tool.fine(tool.run("bench")).out
    tool.refused(tool.run("bench", "nothing"), "no bench 'nothing'", code=2)
    tool.refused(tool.run("bench", "locate", "--cell", "7"), "no cell '7'", code=2)
    tool.refused(tool.run("bench", "locate", "--seeds", 0), "--seeds '0'", code=2)


def test_bench_without_data_says_that_it_was_skipped(tool):
    for bench in ("real", "track --part drive"):
        result = tool.fine(tool.shell(f"CAIRN_DATA=none $CAIRN bench {bench}"))
        assert "plaza1: skipped, no data" in result.out and "skipped: no figure was judged" in result.out, result.out
        assert "figures ok" not in result.out, result.out


def test_bench_names_the_file_when_data_are_damaged(tool):
    good = {"anchors.csv": "id,x_m,y_m\n1,0,0\n", "log.csv": "t_s,a,b,range_m\n0,100,1,5\n",
            "odometry.csv": "t_s,id,forward_m,turn_rad\n0,100,0,0\n", "truth.csv": "t_s,id,x_m,y_m\n0,100,3,4\n"}
    os.makedirs(tool.path("data/plaza1"))
    for name, contents in (("anchors.csv", "id,x_m,y_m\n"), ("log.csv", "t_s,a,b,range_m\n0,100,2,5\n"),
                           ("log.csv", "t_s,a,b,range_m\n"), ("odometry.csv", good["odometry.csv"] + "1,100,x,0\n"),
                           ("truth.csv", None)):
        for each, fine in good.items():
            tool.write(f"data/plaza1/{each}", fine)
        if contents is None:
            os.remove(tool.path(f"data/plaza1/{name}"))
        else:
            tool.write(f"data/plaza1/{name}", contents)
        for bench in ("real", "track --part drive"):
            tool.refused(tool.shell(f"CAIRN_DATA=data $CAIRN bench {bench}"), f"data/plaza1/{name}:")
    os.makedirs(tool.path("data/tiers-4robots"))
    os.remove(tool.path("data/plaza1/log.csv"))
    robots = "t_s,id,x_m,y_m\n" + "".join(f"0,{robot},0,0\n" for robot in (1, 3, 4, 5))
    for log, truth, name in (("0,1,3,4\n", robots, "truth.csv"), ("0,1,9,4\n" * 6, robots, "log.csv"),
                             ("0,1,3,4\n" * 6, robots.replace("0,5,", "0,6,"), "truth.csv")):
        tool.write("data/tiers-4robots/log.csv", "t_s,a,b,range_m\n" + log)
        tool.write("data/tiers-4robots/truth.csv", truth)
        result = tool.shell("CAIRN_DATA=data $CAIRN bench real")
        assert result.code == 1 and f"data/tiers-4robots/{name}:" in result.err, (log, result.err)


def test_bench_ends_when_its_reader_goes_away(tool):
    """The whole of it takes many minutes."""
    result = tool.fine(tool.shell("{ \"$CAIRN\" bench mds; echo \"code $?\" >&2; } | head -n 1"))
    assert result.out.startswith("table ") and result.err == "code 0\n", (result.out, result.err)


def test_bench_cell(tool):
    result = tool.run("bench", "locate", "--cell", "1000/0.1/0.01", "--seeds", 2)
    row = result.out.splitlines()[1].split()
    assert len(result.out.splitlines()) == 3 and row[:5] == ["1000", "20", "0.060", "0.10", "0.01"], result.out
    good = float(row[5]) < float(row[6]) and float(row[7]) < float(row[8]) and row[10] == "0"
    assert result.code == (0 if good else 1), (result.code, result.out)
    assert (row[11] == "ok") == good, result.out
    assert float(row[5]) < 0.00565, result.out


def test_bench_and_files_agree(tool):
    bench = tool.run("bench", "locate", "--cell", "1000/0.1/0.01", "--seeds", 1).out.splitlines()[1].split()
    simulate(tool, "--n", 1000, "--eta", 0.01)
    result = tool.fine(tool.run("locate", "--ranges", "net/ranges.csv", "--anchors", "net/anchors.csv", "--start",
                                "net/start.csv", "--truth", "net/truth.csv", "--noise-abs", 0, "--radius", 0.06,
                                "--method", "light"))
    close(result.number("rmse_m"), float(bench[5]), 2e-4)


def test_few_nodes_have_fewer_anchors(tool):
    for n, anchors in ((1, 0), (10, 5), (39, 19), (40, 20), (100, 20)):
        assert tool.fine(tool.run("simulate", "network", "--n", n, "--out", "net")).number("anchors") == anchors


if __name__ == "__main__":
    main(globals())
