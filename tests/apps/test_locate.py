#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_locate.py [WORD]: the locate firmware on the host, a Cortex-M4F and a Cortex-M0: same bits, honest messages.

A word selects the cases whose names contain it. The last line is `N passed, N failed`; `, N skipped` if some were."""
import filecmp
import os
import re
import shutil
import sys
import tempfile
import xml.dom.minidom

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from building import DATA, ROOT, Config, run, tail  # pylint: disable=wrong-import-position

BOARDS = ["host", "mps2-an386", "microbit"]
APP = "boards/apps/locate"
SMALL, LARGE = f"{APP}/sample-small", f"{APP}/sample"
MEASURED = os.path.join(DATA, "patwari-utah-cir")
CONSOLE_COLUMNS = 76

OUT = {board: Config(board).out for board in BOARDS}
RANGES = "a,b,range_m\n1,11,5\n2,11,5\n3,11,5\n"
ANCHORS = "id,x_m,y_m\n1,0,0\n2,8,0\n3,0,6\n"


class Skipped(Exception):
    """The case cannot run here."""


def locate(board, *arguments):
    """Returns (exit code, console)."""
    program = f"{OUT[board]}/apps/locate.elf"
    return run([f"boards/{board}/run", program, *arguments])


def located(board, *arguments):
    code, text = locate(board, *arguments)
    assert code == 0, f"{board} {arguments}: exit code {code}\n{tail(text)}"
    return text


def hash_of(text):
    return re.search(r"^places_hash: ([0-9a-f]{8})$", text, re.M)[1]


def table_of(text):
    """The error table as a dictionary."""
    lines = text.splitlines()
    row = next(i for i, line in enumerate(lines) if line.startswith("sensors placed"))
    return dict(zip(lines[row].split(), lines[row + 1].split()))


class Folder:
    """A network in files, under build/ so that its name is short and relative."""

    def __init__(self, **files):
        self.files = files

    def __enter__(self):
        os.makedirs(os.path.join(ROOT, "build"), exist_ok=True)
        self.path = tempfile.mkdtemp(prefix="locate-", dir=os.path.join(ROOT, "build"))
        for name, text in self.files.items():
            with open(f"{self.path}/{name}.csv", "w", encoding="utf-8", newline="") as file:
                file.write(text)
        return os.path.relpath(self.path, ROOT)

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", newline="") as file:
        return file.read()


def sample(folder=SMALL):
    return {name: read(f"{folder}/{name}.csv") for name in ("ranges", "anchors", "truth")}


def places_should_have_the_same_bits_on_every_board():
    with Folder() as folder:
        hashes, files, pictures = set(), set(), set()
        for board in BOARDS:
            places, svg = f"{folder}/{board}.csv", f"{folder}/{board}.svg"
            hashes.add(hash_of(located(board, SMALL, "--places", places, "--svg", svg)))
            files.add(read(places))
            pictures.add(read(svg).replace(board, "BOARD"))
        assert len(hashes) == 1 and len(files) == 1 and len(pictures) == 1, hashes


def large_sample_should_have_the_same_bits_on_host_and_board():
    hashes = {hash_of(located(board, LARGE)) for board in BOARDS[:2]}
    assert len(hashes) == 1, hashes


def compiled_in_samples_should_equal_their_files():
    for board, folder in (("host", LARGE), ("mps2-an386", LARGE), ("microbit", SMALL)):
        assert hash_of(located(board)) == hash_of(located(board, folder)), board


def samples_should_be_what_the_generator_makes():
    with Folder() as folder:
        program = f"{folder}/generate"
        code, text = run(["cc", "-std=c99", "-O2", "-ffp-contract=off", "-Iinclude", "-o", program,
                          f"{APP}/sample/generate.c", "src/core/rng.c", "-lm"])
        assert code == 0, text
        code, text = run([program, folder])
        assert code == 0, text
        names = [f"{where}/{what}.csv" for where in ("sample", "sample-small") for what in sample()]
        for name in names + ["sample_large.c", "sample_small.c"]:
            assert filecmp.cmp(os.path.join(ROOT, folder, name), os.path.join(ROOT, APP, name), False), name


def slicing_should_not_change_a_bit():
    hashes = {hash_of(located("host", LARGE, "--slice", n)) for n in ("1", "777", "20000", "4294967295")}
    assert len(hashes) == 1, hashes


def errors_should_be_small_and_the_console_narrow():
    text = located("mps2-an386")
    table = table_of(text)
    assert table["sensors"] == "191" and table["placed"] == "191", table
    assert float(table["rmse_m"]) < 0.6 and float(table["max_error_m"]) < 3.0, table
    misfit, expected = map(float, re.search(r"^misfit (\S+) a range; about (\S+) is", text, re.M).groups())
    assert expected == 0.67 and 0.8 < misfit / expected < 1.25, (misfit, expected)
    wide = [line for line in text.splitlines() if len(line) > CONSOLE_COLUMNS or not line.isascii()]
    assert not wide, wide
    assert text.count("A") >= 9 + 1, "anchors on the map"


def errors_should_be_those_of_the_places_written():
    with Folder() as folder:
        table = table_of(located("host", LARGE, "--places", f"{folder}/out.csv"))
        rows = [line.split(",") for line in read(f"{folder}/out.csv").split()[1:]]
        truth = {row[0]: row[1:] for row in (line.split(",") for line in sample(LARGE)["truth"].split()[1:])}
        squares = sorted((float(row[1]) - float(truth[row[0]][0])) ** 2 + (float(row[2]) - float(truth[row[0]][1])) ** 2
                         for row in rows if row[4] != "anchor")
        assert len(squares) == 191
        assert abs((sum(squares) / 191) ** 0.5 - float(table["rmse_m"])) < 0.001, table
        assert abs(squares[95] ** 0.5 - float(table["median_m"])) < 0.001, table
        assert abs(squares[-1] ** 0.5 - float(table["max_error_m"])) < 0.001, table


def places_on_the_console_should_equal_the_file():
    with Folder() as folder:
        located("microbit", "--places", f"{folder}/out.csv")
        text = located("microbit", "--places", "-")
        between = re.search(r"-----BEGIN PLACES-----\n(.*)-----END PLACES-----\n", text, re.S)[1]
        assert between == read(f"{folder}/out.csv")


def picture_should_be_well_formed():
    with Folder() as folder:
        located("mps2-an386", "--svg", f"{folder}/map.svg")
        picture = xml.dom.minidom.parse(os.path.join(ROOT, folder, "map.svg"))
        assert len(picture.getElementsByTagName("circle")) == 2 * 191 + 3


def map_coordinates_should_not_cost_precision():
    def shifted(text):
        head, *rows = text.split()
        rows = [row.split(",") for row in rows]
        return "\n".join([head] + [f"{r[0]},{float(r[1]) + 500000:.2f},{float(r[2]) + 5400000:.2f}" for r in rows])
    files = sample()
    with Folder(ranges=files["ranges"], anchors=shifted(files["anchors"]), truth=shifted(files["truth"])) as folder:
        text = located("microbit", folder)
        assert hash_of(text) == hash_of(located("microbit", SMALL))
        assert table_of(text) == table_of(located("microbit", SMALL))


def spelling_of_the_files_should_not_matter():
    files = {}
    for name, text in sample().items():
        head, *rows = text.split()
        rows = [" , ".join(reversed(row.split(","))) for row in rows]
        head = ",".join(reversed(head.split(",")))
        files[name] = "\ufeff# " + "long comment " * 40 + "\r\n\r\n" + "\r\n# note\r\n".join([head] + rows)
    with Folder(**files) as folder:
        for board in ("host", "microbit"):
            assert hash_of(located(board, folder)) == hash_of(located(board, SMALL)), board


def repeated_pairs_should_be_merged_and_reported():
    head, *rows = sample()["ranges"].split()
    doubled = [head] + rows[:100] + [",".join([r.split(",")[1], r.split(",")[0], r.split(",")[2]]) for r in rows[:100]]
    files = dict(sample(), ranges="\n".join(doubled))
    with Folder(**files) as folder:
        text = located("host", folder)
        assert "100 repeated or reversed pairs" in text and "200 ranges" in text, text


def starts_should_be_used_and_strangers_ignored():
    files = sample()
    files["start"] = files["truth"] + "9999,1,1\n"
    with Folder(**files) as folder:
        text = located("microbit", folder)
        assert "31 starts" in text and "1 rows of start.csv and truth.csv" in text, text
        assert float(table_of(text)["rmse_m"]) < 0.6


def networks_without_truth_should_be_located():
    files = sample()
    del files["truth"]
    with Folder(**files) as folder:
        text = located("microbit", folder)
        assert hash_of(text) == hash_of(located("microbit", SMALL))
        assert table_of(text)["rmse_m"] == "-" and "deviation" in text, text


def sensors_out_of_reach_should_stay_unplaced():
    files = sample()
    files["ranges"] += "9001,9002,5\n"
    files["ranges"] = "\n".join(line for line in files["ranges"].split() if not re.search(r"\b(130|131),", line))
    with Folder(**files) as folder:
        for board in BOARDS:
            text = located(board, folder, "--places", f"{folder}/{board}.csv")
            assert table_of(text)["unplaced"] == "2", text
            assert re.search(r"^9001,,,,unplaced$", read(f"{folder}/{board}.csv"), re.M)
        assert read(f"{folder}/host.csv") == read(f"{folder}/microbit.csv")


def measured_network_should_be_located():
    if not os.path.isdir(MEASURED):
        raise Skipped(MEASURED + " is not here")
    texts = [located(board, MEASURED) for board in BOARDS[:2]]
    assert hash_of(texts[0]) == hash_of(texts[1])
    table = table_of(texts[1])
    assert table["sensors"] == "40" and float(table["rmse_m"]) < 4.0, table
    code, text = locate("microbit", MEASURED)
    assert code == 1 and "more than 40 nodes" in text or "more than 250 ranges" in text, text


def make_run(*arguments):
    """What `make run` prints; the outer make's settings are not for this one."""
    names = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BOARD", "MAKECMDGOALS")
    return run(["env", *[f"--unset={name}" for name in names], "make", "run", *arguments])


def make_run_should_pass_folder_and_arguments_on():
    assert make_run("ARGS=") == (0, located("mps2-an386"))
    folder = SMALL
    assert make_run(f"DATA={folder}", "ARGS=") == (0, located("mps2-an386", folder))
    want = located("microbit", folder, "--loss", "huber")
    assert make_run("BOARD=microbit", f"DATA={folder}", "ARGS=--loss huber") == (0, want)
    code, text = make_run("DATA=no-such-folder")
    assert code != 0 and "no-such-folder/anchors.csv:0: cannot be opened" in text, text


def make_run_should_locate_the_measured_network():
    if not os.path.isdir(MEASURED):
        raise Skipped(MEASURED + " is not here")
    with Folder() as folder:
        svg = f"{folder}/map.svg"
        assert make_run(f"DATA={MEASURED}", f"ARGS=--svg {svg}") == (0, located("mps2-an386", MEASURED, "--svg", svg))
        assert "</svg>" in read(svg)


# (file, its text, what the line must say after folder/)
BAD = [
    ("anchors", None, r"anchors\.csv:0: cannot be opened"),
    ("ranges", None, r"ranges\.csv:0: cannot be opened"),
    ("ranges", "", r"ranges\.csv:0: header needed, with at most 10 columns"),
    ("ranges", "a,b,distance\n1,2,3\n", r"ranges\.csv:1: column missing, range_m"),
    ("anchors", "id,y_m\n1,0\n", r"anchors\.csv:1: column missing, x_m"),
    ("anchors", "id,x_m,y_m,z_m\n1,0,0,0\n", r"anchors\.csv:1: places in space, .*, z_m"),
    ("ranges", "a,b,range_m\n", r"ranges\.csv:1: no ranges"),
    ("ranges", "a,b,range_m\n\n1,11\n", r"ranges\.csv:3: as many fields as the header needed"),
    ("ranges", "a,b,range_m\n1,11,5,6\n", r"ranges\.csv:2: as many fields as the header needed"),
    ("ranges", "a,b,range_m\n1," + "1" * 200 + ",5\n", r"ranges\.csv:2: line too long, more than 127 characters"),
    ("ranges", "a,b,range_m\n1,1\0,5\n", r"ranges\.csv:2: not a text, zero byte"),
    ("ranges", "a,b,range_m\n-1,11,5\n", r"ranges\.csv:2: a must be an integer from 0 to 4294967295, -1"),
    ("ranges", "a,b,range_m\n1,4294967296,5\n", r"ranges\.csv:2: b must be an integer .*, 4294967296"),
    ("ranges", RANGES + "1,2,nan\n", r"ranges\.csv:5: range_m must be a number, nan"),
    ("ranges", RANGES + "1,2,\n", r"ranges\.csv:5: range_m must be a number, "),
    ("ranges", RANGES + "1,2,0\n", r"ranges\.csv:5: range_m must be above 0, 0"),
    ("ranges", RANGES + "1,2,-3\n", r"ranges\.csv:5: range_m must be above 0, -3"),
    ("ranges", RANGES + "1,2,1e-60\n", r"ranges\.csv:5: power of ten out of range, 1e-60"),
    ("ranges", RANGES + "1,2,1e10\n", r"ranges\.csv:5: above 1e9 m: .*, 1e10"),
    ("ranges", RANGES + "1,2,0.12345678901234567890123\n", r"ranges\.csv:5: at most 15 digits, .*, 0\.1234567890\d+"),
    ("ranges", RANGES + "7,7,3\n", r"ranges\.csv:5: range from a node to itself, 7"),
    ("ranges", "a,b,range_m,std_m\n1,11,5,-1\n", r"ranges\.csv:2: std_m must not be negative, -1"),
    ("ranges", "a,b,range_m,std_m\n1,11,5,x\n", r"ranges\.csv:2: std_m must be a number, x"),
    ("anchors", ANCHORS + "2,1,1\n", r"anchors\.csv:5: anchor given twice, 2"),
    ("anchors", ANCHORS + "4,x,1\n", r"anchors\.csv:5: x_m must be a number, x"),
    ("anchors", ANCHORS + "4,1,\n", r"anchors\.csv:5: y_m must be a number, "),
    ("anchors", ANCHORS + "4,1,1e10\n", r"anchors\.csv:5: above 1e9 m: not a place on Earth, 1e10"),
    ("start", "id,x_m,y_m\n11,1\n", r"start\.csv:2: as many fields as the header needed"),
    ("start", "id,x_m,y_m\n11,1,1\n11,2,2\n", r"start\.csv:3: start given twice, 11"),
    ("truth", "id,x_m,y_m\n11,1,1\n11,2,2\n", r"truth\.csv:3: true place given twice, 11"),
    ("truth", "id,x_m,y_m\n11,1,+-2\n", r"truth\.csv:2: y_m must be a number, \+-2"),
    ("ranges", "\x7fELF\2\1\1\0\0\0", r"ranges\.csv:1: not a text, zero byte"),
    ("anchors", "id,x_m,y_m\n", r": the network cannot be located, too few known places"),
    ("anchors", "id,x_m,y_m\n1,5,5\n2,5,5\n3,5,5\n", r": the network cannot be located, known places in one plane, line or point.*"),
    ("anchors", "id,x_m,y_m\n1,0,0\n", r": the network cannot be located, too few known places"),
    ("anchors", "id,x_m,y_m\n1,0,0\n2,1,1\n3,2,2\n", r": the network cannot be located, known places in one plane, line or point.*"),
]


def bad_input_should_give_one_line_and_exit_code_1():
    for name, text, expected in BAD:
        files = {"ranges": RANGES, "anchors": ANCHORS, name: text}
        files = {key: value for key, value in files.items() if value is not None}
        with Folder(**files) as folder:
            answers = [locate(board, folder) for board in ("host", "microbit")]
            for code, answer in answers:
                lines = answer.splitlines()
                assert code == 1, f"{name} {text!r}: exit code {code}\n{answer}"
                assert re.fullmatch(re.escape(folder) + "/?" + expected, lines[-1]), f"{text!r}: {lines[-1]}"
                started = lines[0].startswith("Cairn")  # the network was read, and the report begun
                assert started or len(lines) == 1, answer
            assert answers[0][1].splitlines()[-1] == answers[1][1].splitlines()[-1]


def capacity_should_be_named_when_it_is_exceeded():
    nodes = "a,b,range_m\n" + "".join(f"1,{i},5\n" for i in range(4, 42))  # with anchors 41 nodes
    for rows in (37, 38):  # 39 and 40 nodes
        fits = nodes.splitlines()[:rows]
        with Folder(ranges="\n".join(fits) + "\n2,4,5\n3,4,5\n", anchors=ANCHORS) as folder:
            assert f"{rows - 1} sensors" in located("microbit", folder)
    with Folder(ranges=nodes, anchors=ANCHORS) as folder:
        code, text = locate("microbit", folder)
        want = f"{folder}/ranges.csv:39: more than 40 nodes: raise LOCATE_NODES in boards/microbit/board.mk, 41\n"
        assert (code, text) == (1, want), text
        assert locate("host", folder)[0] == 0
    ranges = "a,b,range_m\n" + "1,11,5\n2,11,5\n3,11,5\n" * 83 + "1,11,5\n"
    with Folder(ranges=ranges, anchors=ANCHORS) as folder:
        located("microbit", folder)
    with Folder(ranges=ranges + "2,11,5\n", anchors=ANCHORS) as folder:
        code, text = locate("microbit", folder)
        want = f"{folder}/ranges.csv:252: more than 250 ranges: raise LOCATE_RANGES in boards/microbit/board.mk, 5\n"
        assert (code, text) == (1, want), text


def bad_arguments_should_give_exit_code_2():
    for arguments in (["--what", "1"], ["--svg"], ["a", "b"], ["--noise-rel", "-1"], ["--noise-abs", "x"],
                      ["--slice", "0"], ["--sweeps", "65536"], ["--loss", "none"], ["--radius", "nan"]):
        for board in ("host", "microbit"):
            code, text = locate(board, *arguments)
            assert code == 2 and "usage: locate" in text, f"{board} {arguments}: {code}\n{text}"


def unwritable_outputs_should_give_exit_code_1():
    for board in ("host", "microbit"):
        code, text = locate(board, "--places", "build/no/such/folder", "--svg", "build/no/such/folder")
        assert code == 1 and "places cannot be written" in text and "picture cannot be written" in text, text


def full_disk_should_give_exit_code_1():
    for board in ("host", "microbit"):
        for option, what in (("--places", "places"), ("--svg", "picture")):
            code, text = locate(board, SMALL, option, "/dev/full")
            assert code == 1 and text.endswith(f"{what} cannot be written: /dev/full\n"), f"{board} {option}: {text[-200:]}"


def endless_line_should_be_refused_where_it_grows_too_long():
    """A gigabyte without an end of line, through a pipe: it is not read further than the first 128 bytes need."""
    for board in ("host", "microbit"):
        with Folder(anchors=ANCHORS) as folder:
            path = f"{folder}/ranges.csv"
            os.mkfifo(os.path.join(ROOT, path))
            writer = f"{{ printf 'a,b,range_m\\n1,11,5\\n'; head -c 1000000000 /dev/zero | tr '\\0' 7; }} >{path} 2>/dev/null &"
            start = f"exec boards/{board}/run {OUT[board]}/apps/locate.elf {folder}"
            code, text = run(["sh", "-c", f"{writer} {start}"])
            want = f"{folder}/ranges.csv:3: line too long, more than 127 characters\n"
            assert code == 1 and text.endswith(want), (board, code, text[-300:])


def reader_that_goes_away_should_end_the_program_in_silence():
    for board in ("host", "mps2-an386"):
        start = f"boards/{board}/run {OUT[board]}/apps/locate.elf"
        with Folder() as folder:
            code, text = run(["sh", "-c", f"{start} 2>{folder}/err | head -n 1"])
            assert (code, text) == (0, f"Cairn locate on {board}\n"), (code, text)
            said = [line for line in read(f"{folder}/err").splitlines() if "has no peer" not in line]  # QEMU of its network
            assert not said, said


def decimals_should_agree_with_strtod():
    with Folder() as folder:
        program = f"{folder}/check_decimal"
        code, text = run(["cc", "-std=c99", "-O2", "-Iinclude", "-Iboards", "-o", program, "tests/apps/check_decimal.c",
                          "boards/apps/common/decimal.c", "src/core/rng.c"])
        assert code == 0, text
        code, text = run([program])
        assert code == 0, text


CASES = [
    places_should_have_the_same_bits_on_every_board, large_sample_should_have_the_same_bits_on_host_and_board,
    compiled_in_samples_should_equal_their_files, samples_should_be_what_the_generator_makes,
    slicing_should_not_change_a_bit, errors_should_be_small_and_the_console_narrow,
    errors_should_be_those_of_the_places_written, places_on_the_console_should_equal_the_file,
    picture_should_be_well_formed, map_coordinates_should_not_cost_precision, spelling_of_the_files_should_not_matter,
    repeated_pairs_should_be_merged_and_reported, starts_should_be_used_and_strangers_ignored,
    networks_without_truth_should_be_located, sensors_out_of_reach_should_stay_unplaced,
    measured_network_should_be_located, bad_input_should_give_one_line_and_exit_code_1,
    capacity_should_be_named_when_it_is_exceeded, bad_arguments_should_give_exit_code_2,
    unwritable_outputs_should_give_exit_code_1, decimals_should_agree_with_strtod,
    full_disk_should_give_exit_code_1, endless_line_should_be_refused_where_it_grows_too_long,
    reader_that_goes_away_should_end_the_program_in_silence,
    make_run_should_pass_folder_and_arguments_on, make_run_should_locate_the_measured_network,
]


def build():
    """False when the firmware could not be built."""
    for board in BOARDS:
        built, text = Config(board).build(f"{OUT[board]}/apps/locate.elf")
        if not built:
            print(f"{board}: build failed\n{tail(text, 40)}")
            return False
    return True


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    cases = [case for case in CASES if word in case.__name__]
    passed = failed = skipped = 0
    if not build():
        print(f"0 passed, {len(cases)} failed")
        return 1
    for case in cases:
        try:
            case()
            passed += 1
        except Skipped as why:
            print(f"SKIP {case.__name__}: {why}")
            skipped += 1
        except Exception as error:  # pylint: disable=broad-except
            print(f"FAIL {case.__name__}: {type(error).__name__}: {error}")
            failed += 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
