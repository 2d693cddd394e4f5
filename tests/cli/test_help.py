#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each command's help has an example, and the example works as it stands."""
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


def test_summary_names_every_command(tool):
    text = tool.fine(tool.run("--help")).out
    for command in COMMANDS:
        assert f"\n  {command.split()[0]} " in text, command


if __name__ == "__main__":
    main(globals())
