#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each command's help has an example, and the example works as it stands."""
import re
import sys

sys.dont_write_bytecode = True
from support.tool import main

COMMANDS = ("locate", "track", "cluster", "label", "embed", "mds", "simulate network")


def example_of(tool, command):
    """The indented lines below `example`."""
    lines = tool.fine(tool.run(*command.split(), "--help")).out.splitlines()
    assert lines.count("example") == 1, f"no example in the help of {command}"
    below = lines[lines.index("example") + 1:]
    ends = [i for i, line in enumerate(below) if not line.startswith("  ")]
    return below[:ends[0]] if ends else below


def test_examples(tool):
    for command in COMMANDS:
        lines = example_of(tool, command)
        assert any(f"cairn {command} " in line for line in lines), f"{command}: the example is of another command"
        script = "\n".join(["set -e", 'cairn() { "$CAIRN" "$@"; }', *lines])
        result = tool.fine(tool.shell(script))
        assert result.out.count("\n") > 2 or command.startswith("simulate"), f"{command}: {result.out!r}"


def test_help_names_every_line_of_the_summary_of_track(tool):
    text = tool.fine(tool.run("track", "--help")).out
    words = set(re.findall(r"\w+", text.split("\nsummary ")[1].split("\nexample")[0]))
    tool.write("log.csv", "t_s,a,b,range_m\n" + "".join(f"{t},1,{2 + t % 3},5\n" for t in range(9)))
    tool.write("anchors.csv", "id,x_m,y_m\n2,0,0\n3,8,0\n4,4,8\n")
    tool.write("truth.csv", "t_s,id,x_m,y_m\n0,1,4,3\n9,1,4,3\n")
    result = tool.fine(tool.run("track", "--log", "log.csv", "--anchors", "anchors.csv", "--truth", "truth.csv"))
    printed = [line.split(":")[0] for line in result.err.splitlines()]
    assert "scale" in printed and "rmse_m" in printed, printed
    assert not set(printed) - words, f"not explained: {set(printed) - words}"


def test_summary_names_every_command(tool):
    text = tool.fine(tool.run("--help")).out
    for command in COMMANDS:
        assert f"\n  {command.split()[0]} " in text, command


if __name__ == "__main__":
    main(globals())
