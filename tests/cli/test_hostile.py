#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hostile files and options, each by each, for every command: a right result, or code 1 or 2 with one line that says where and
what; never a signal, silence, a number that is none, or half a file. No chance: the same runs every time."""
import os
import re
import sys

sys.dont_write_bytecode = True
from support.tool import main

ANCHORS = "id,x_m,y_m\n1,0,0\n2,10,0\n3,0,10\n4,10,10\n"
PLACES = "id,x_m,y_m\n11,4,3\n12,7,6\n"
LINKS = "a,b,weight\n1,2,1\n2,3,1\n3,1,2\n3,4,0.5\n4,5,1\n5,6,1\n6,4,1\n"
LABELS = "id,label\n1,red\n6,blue\n"
POINTS = "id,c1,c2,c3\n" + "".join(f"{i},{i % 3},{i % 4},{i * i % 7}\n" for i in range(12))
RANGES = "a,b,range_m,std_m\n" + "".join(
    f"{a},{b},{m},0.1\n" for a, b, m in ((1, 11, 5), (2, 11, 6.708), (3, 11, 8.062), (4, 11, 9.22), (1, 12, 9.22),
                                        (2, 12, 6.708), (3, 12, 8.062), (11, 12, 4.243)))
LOG = "t_s,a,b,range_m\n" + "".join(f"{i / 4},{1 + i % 4},50,{(5, 6.708, 8.062, 9.22)[i % 4]}\n" for i in range(40))
PATH = "t_s,id,x_m,y_m\n" + "".join(f"{i},50,4,3\n" for i in range(10))
ODOMETRY = "t_s,id,forward_m,turn_rad\n" + "".join(f"{i / 4},50,0,0\n" for i in range(40))
DISTANCES = "name,p,q,r,s\np,0,1,2,3\nq,1,0,1,2\nr,2,1,0,1\ns,3,2,1,0\n"
# command, its other arguments, its files by option
JOBS = (
    ("locate", (), {"--ranges": RANGES, "--anchors": ANCHORS, "--start": PLACES, "--truth": PLACES}),
    ("track", (), {"--log": LOG, "--anchors": ANCHORS, "--truth": PATH, "--odometry": ODOMETRY}),
    ("cluster", ("--k", "2"), {"--links": LINKS, "--truth": LABELS}),
    ("cluster", ("--k", "2", "--window", "4"), {"--links": LINKS}),
    ("cluster", ("--k", "2", "--similarity", "gaussian"), {"--points": POINTS}),
    ("label", (), {"--links": LINKS, "--seeds": LABELS, "--truth": LABELS}),
    ("label", ("--window", "4"), {"--links": LINKS, "--seeds": LABELS}),
    ("embed", ("--landmarks", "5"), {"--points": POINTS}),
    ("mds", (), {"--distances": DISTANCES}),
)
NOT_NUMBERS = ("nan", "-inf", "1e400", "0x10", "1 2", "\"7\" 8")
NUMBERS = ("", "-1", "0", "1e308", "1e-320", "4294967295", "4294967296", "7" * 400)
OUTPUTS = ("out.csv", "map.svg")


def cut_column(text):
    return "\n".join(line.rpartition(",")[0] for line in text.splitlines()) + "\n"


def short_row(text):
    lines = text.splitlines()
    return "\n".join(lines[:2] + [lines[2].rpartition(",")[0]] + lines[3:]) + "\n"


WHOLE = {  # what a file may be, made of what it should be; True: it still says the same
    "empty": (lambda text: "", False),
    "blank": (lambda text: " \n\t\n\r\n", False),
    "comment": (lambda text: "# nothing\n", False),
    "only a header": (lambda text: text.split("\n")[0] + "\n", False),
    "no header": (lambda text: text.split("\n", 1)[1], False),
    "a zero byte": (lambda text: text[:-3] + "\0" + text[-3:], False),
    "only zero bytes": (lambda text: "\0" * 5000, False),
    "every byte": (lambda text: bytes(range(255, -1, -1)) * 9, False),
    "a column less": (cut_column, False),
    "a field less": (short_row, False),
    "a column twice": (lambda text: "\n".join(f"{line},{line.split(',')[0]}" for line in text.splitlines()) + "\n", False),
    "semicolons": (lambda text: text.replace(",", ";"), False),
    "16385 columns": (lambda text: text.split("\n")[0] + ",x" * 16384 + "\n", False),
    "a line of a megabyte": (lambda text: text + "x" * 1000000 + "\n", False),
    "a longer line": (lambda text: text + "1" * 1100000, False),
    "a comment of a megabyte": (lambda text: "#" + "x" * 1000000 + "\n" + text, True),
    "carriage returns": (lambda text: text.replace("\n", "\r\n"), True),
    "a byte order mark": (lambda text: "\ufeff" + text, True),
    "no end": (lambda text: text[:-1], True),
    "rows twice": (lambda text: text + text.split("\n", 1)[1], False),
}


def run(tool, job, damaged=None, data=None, extra=()):
    """Runs a job with one of its files damaged; returns what came of it and the text of its outputs."""
    command, options, files = job
    arguments = [command, *options]
    for option, text in files.items():
        name = option[2:] + ".csv"
        arguments += [option, name]
        if option != damaged:
            tool.write(name, text)
        elif data is not None:
            tool.write(name, data)
    remove_outputs(tool)
    result = tool.run(*arguments, "--out", OUTPUTS[0], "--svg", OUTPUTS[1], *extra)
    written = [tool.read(name) for name in OUTPUTS if os.path.exists(tool.path(name))]
    return result, written


def remove_outputs(tool):
    for name in OUTPUTS:
        if os.path.exists(tool.path(name)):
            os.remove(tool.path(name))


def check(result, written, what, words=(), is_text=False):
    """What holds of every run; a text may be any, `nan` too."""
    said = f"{what}: exit code {result.code}, {result.err[-600:]!r}"
    assert result.code in (0, 1, 2), said
    assert not re.search(r"Sanitizer|runtime error", result.err), said
    if result.code != 0:
        assert not written and result.out == "", f"output in spite of the error: {said}"
        assert len(result.err.splitlines()) == 1 and len(result.err) < 1000, f"not one short line: {said}"
        for word in words:
            assert re.search(word, result.err), f"{word} is not said: {said}"
        return
    assert len(written) == len(OUTPUTS), f"output is missing: {said}"
    assert written[1].endswith("</svg>\n") and written[0].endswith("\n"), f"half a file: {said}"
    for text in written + [result.err]:
        assert is_text or not re.search(r"[>,:= ]-?(nan|inf)\b", text), f"a number that is none: {said}"


def timeless(written):
    return [re.sub(r", [0-9.e-]+ s<", "<", text) for text in written]


def jobs_and_files():
    return [(job, option) for job in JOBS for option in job[2]]


def test_jobs_should_be_done_when_files_are_whole(tool):
    for job in JOBS:
        result, written = run(tool, job)
        check(result, written, job[:2])
        tool.fine(result)


def test_files_should_be_read_or_named_when_damaged_as_a_whole(tool):
    for job, option in jobs_and_files():
        wanted = run(tool, job)[1]
        for kind, (damage, is_the_same) in WHOLE.items():
            what = (job[:2], option, kind)
            result, written = run(tool, job, option, damage(job[2][option]))
            check(result, written, what, [re.escape(option[2:] + ".csv")])
            if is_the_same:
                assert timeless(written) == timeless(wanted), f"{what}: another result, {result.err[-300:]!r}"


def test_fields_should_be_read_or_named_when_damaged(tool):
    for job, option in jobs_and_files():
        rows = [line.split(",") for line in job[2][option].splitlines()]
        for column, title in enumerate(rows[0]):
            for value in NOT_NUMBERS + NUMBERS:
                fields = [list(row) for row in rows]
                fields[2][column] = value
                result, written = run(tool, job, option, "\n".join(map(",".join, fields)) + "\n")
                words = [re.escape(option[2:] + ".csv")]
                is_number = title not in ("label", "name")
                if value in NOT_NUMBERS and is_number:
                    assert result.code == 1, f"{job[:2]}, {option}, {title} = {value}: taken"
                    words = [rf"{words[0]}:3: .*{re.escape(value.split()[0].strip(chr(34)))}"]
                check(result, written, (job[:2], option, title, value[:30]), words, not is_number)


def test_files_should_be_named_when_they_are_none(tool):
    os.mkdir(tool.path("folder"))
    for job, option in jobs_and_files():
        path = tool.path(option[2:] + ".csv")
        for target in ("folder", "nowhere", "/proc/self/mem", "/dev/null"):  # /proc/self/mem opens and cannot be read
            if os.path.lexists(path):
                os.remove(path)
            os.symlink(target, path)
            result, written = run(tool, job, option)
            os.remove(path)
            check(result, written, (job[:2], option, target), [re.escape(option[2:] + ".csv")])
            assert result.code == 1, (job[:2], option, target)


def test_outputs_should_be_named_when_they_cannot_be_written(tool):
    os.mkdir(tool.path("folder"))
    for job in JOBS:
        for option in ("--out", "--svg"):
            for target in ("missing/x", "folder", "/dev/full"):
                result, written = run(tool, job, extra=(option, target))
                assert result.code == 2 and "twice" in result.err or result.code == 1 and target in result.err, \
                    (job[:2], option, target, result.code, result.err)
                assert not re.search(r"Sanitizer|runtime error", result.err) and len(written) < 2, result.err


def test_options_should_be_named_when_their_values_are_no_values(tool):
    texts = ("FILE", "DIR", "NAME", "X,Y[,Z]", "PARTS")  # the last two are read once the files are
    needed = {"locate": "--ranges x --anchors x", "track": "--log x --anchors x", "cluster": "--links x --k 2",
              "label": "--links x --seeds x", "embed": "--points x", "mds": "--distances x", "simulate network": ""}
    for command, others in needed.items():
        found = re.findall(r"^  (--[a-z-]+) ([^ \n]+)", tool.run(*command.split(), "--help").out, re.M)
        options = [option for option, value in found if value not in texts and option + " " not in others]
        assert len(options) > 5, (command, found)
        for option in options:
            for value in ("nan", "x", "", "-1e308", "7" * 400):
                result = tool.run(*command.split(), *others.split(), option, value)
                check(result, [], (command, option, value[:30]), [re.escape(option)])
                assert result.code == 2, (command, option, value[:30], result.code)


if __name__ == "__main__":
    main(globals())
