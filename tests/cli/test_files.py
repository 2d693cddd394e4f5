#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the tool does with files that people really have: odd, damaged, huge, contradictory."""
import sys

sys.dont_write_bytecode = True
from support.tool import close, main

ANCHORS = "id,x_m,y_m\n1,0,0\n2,10,0\n3,0,10\n"
# node 10 is at (4, 3)
TOLERANCE_M = 0.01  # files are tested here, not the solver
RANGES = "a,b,range_m\n1,10,5\n2,10,6.7082039\n3,10,8.0622577\n"


def locate(tool, ranges=RANGES, anchors=ANCHORS, *arguments, **keywords):
    tool.write("r.csv", ranges)
    tool.write("a.csv", anchors)
    return tool.run("locate", "--ranges", "r.csv", "--anchors", "a.csv", *arguments, **keywords)


def at_4_3(tool, result):
    row = tool.fine(result).rows()["10"]
    close(row["x_m"], 4, TOLERANCE_M)
    close(row["y_m"], 3, TOLERANCE_M)


def test_plain_files(tool):
    at_4_3(tool, locate(tool))


def test_columns_in_any_order_and_unknown_columns(tool):
    at_4_3(tool, locate(tool, "note,range_m,b,a\nx,5,10,1\ny,6.7082039,10,2\n,8.0622577,10,3\n",
                        "y_m,id,x_m,name\n0,1,0,n\n0,2,10,n\n10,3,0,n\n"))


def test_comments_blank_lines_crlf_bom(tool):
    at_4_3(tool, locate(tool, "# made by hand\r\n\r\na,b,range_m\r\n1,10,5\r\n  # half way\r\n2,10,6.7082039\r\n \r\n"
                        "3,10,8.0622577\r\n", "\ufeffid,x_m,y_m\r\n1,0,0\r\n2,10,0\r\n3,0,10\r\n"))


def test_bom_before_a_comment(tool):
    at_4_3(tool, locate(tool, "\ufeff# comment\n" + RANGES))


def test_quotes_and_blanks_round_fields(tool):
    at_4_3(tool, locate(tool, '"a", "b" ,"range_m"\n"1", 10 ,"5"\n2,10,\t6.7082039\n3,10,8.0622577 \n'))


def test_broken_quotes(tool):
    tool.refused(locate(tool, 'a,b,range_m\n1,10,5\n"1"2,10,5\n'), "r.csv:3: a quote is not closed, or text follows it, '12'")
    tool.refused(locate(tool, 'a,b,range_m\n"1" \t2,10,5\n'), "r.csv:2: a quote is not closed, or text follows it, '1 ")
    tool.refused(locate(tool, 'a,b,range_m\n1,10,"5\n'), "r.csv:2: a quote is not closed")
    tool.refused(locate(tool, '"a,b,range_m\n1,10,5\n'), "r.csv:1: a quote is not closed")
    tool.refused(locate(tool, 'a,b,range_m\n1,10,"5\r\n'), "r.csv:2: a quote is not closed")


def test_last_line_without_end(tool):
    at_4_3(tool, locate(tool, RANGES.rstrip("\n"), ANCHORS.rstrip("\n")))


def test_number_formats(tool):
    at_4_3(tool, locate(tool, "a,b,range_m\n1,10,+5.0\n2,10,67082039e-7\n3,10,.80622577E1\n"))


def test_empty_std_means_not_given(tool):
    at_4_3(tool, locate(tool, "a,b,range_m,std_m\n1,10,5,\n2,10,6.7082039,0.1\n3,10,8.0622577,0\n"))


def test_standard_input_and_output(tool):
    tool.write("a.csv", ANCHORS)
    at_4_3(tool, tool.run("locate", "--ranges", "-", "--anchors", "a.csv", "--out", "-", stdin=RANGES))
    tool.write("r.csv", RANGES)
    at_4_3(tool, tool.run("locate", "--ranges=r.csv", "--anchors=-", stdin=ANCHORS))


def test_missing_file(tool):
    tool.write("a.csv", ANCHORS)
    tool.refused(tool.run("locate", "--ranges", "none.csv", "--anchors", "a.csv"), "none.csv: cannot be opened")


def test_directory_as_file(tool):
    tool.write("a.csv", ANCHORS)
    tool.refused(tool.run("locate", "--ranges", ".", "--anchors", "a.csv"), "cannot be read")


def test_empty_file(tool):
    tool.refused(locate(tool, ""), "r.csv:1: there is no header row")
    tool.refused(locate(tool, RANGES, ""), "a.csv:1: there is no header row")
    tool.refused(locate(tool, "# only a comment\n\n"), "r.csv:3: there is no header row")


def test_header_only(tool):
    tool.refused(locate(tool, "a,b,range_m\n"), "r.csv:2: there is no usable range")
    tool.refused(locate(tool, RANGES, "id,x_m,y_m\n"), "a.csv: 0 anchors")


def test_no_header(tool):
    tool.refused(locate(tool, "1,10,5\n2,10,6\n"), "r.csv:1: the header has no column a, it begins with, '1'")


def test_missing_column(tool):
    tool.refused(locate(tool, "a,b,distance\n1,10,5\n"), "r.csv:1:", "no column range_m")
    tool.refused(locate(tool, RANGES, "id,x_m\n1,0\n"), "a.csv:1:", "no column y_m")
    tool.refused(locate(tool, RANGES, ANCHORS, "--dim", 3), "a.csv:1:", "no column z_m")


def test_semicolons(tool):
    tool.refused(locate(tool, "a;b;range_m\n1;10;5\n"), "r.csv:1:", "commas, not semicolons")


def test_column_twice(tool):
    tool.refused(locate(tool, "a,b,range_m,a\n1,10,5,1\n"), "r.csv:1: a column is named twice, 'a'")


def test_truncated_last_line(tool):
    tool.refused(locate(tool, RANGES + "4,1"), "r.csv:5:", "2 fields", "truncated")


def test_too_many_fields(tool):
    tool.refused(locate(tool, "a,b,range_m\n1,10,5,6\n"), "r.csv:2:", "4 fields")


def test_binary_junk(tool):
    tool.refused(locate(tool, bytes(range(256)) * 20), "r.csv:1:")
    tool.refused(locate(tool, b"\x7fELF\x02\x01\x01\x00\x00"), "r.csv:1:", "zero byte")
    tool.refused(locate(tool, b"a,b,range_m\n1,10,\x1b[31m5\n"), "r.csv:2: range_m is not a number, '?[31m5'")
    tool.refused(locate(tool, b"a,b,range_m\n1,10,\xff\xfe\n"), "r.csv:2:")


def test_endless_line(tool):
    tool.write("a.csv", ANCHORS)
    result = tool.shell("{ printf 'a,b,range_m\\n1,2,3\\n'; head -c 1000000000 /dev/zero | tr '\\0' 7; } | "
                        "\"$CAIRN\" locate --ranges - --anchors a.csv")
    tool.refused(result, "standard input:3: the line is longer than 1 MiB")


def test_many_columns(tool):
    tool.refused(locate(tool, "," * 100000 + "\n"), "r.csv:1: more than 16384 columns")


def test_not_numbers(tool):
    for text in ("abc", "1.2.3", "0x10", "5m", "1e", "--5", "1 2", ""):
        tool.refused(locate(tool, f"a,b,range_m\n2,10,6\n1,10,{text}\n"), "r.csv:3: range_m is")


def test_not_ids(tool):
    for text in ("-1", "1.5", "4294967296", "99999999999999999999999", "x", ""):
        tool.refused(locate(tool, f"a,b,range_m\n{text},10,5\n"), "r.csv:2: a is")
        tool.refused(locate(tool, RANGES, f"id,x_m,y_m\n{text},1,5\n"), "a.csv:2: id is")


def test_largest_id(tool):
    result = locate(tool, RANGES.replace("10,", "4294967295,"))
    close(tool.fine(result).rows()["4294967295"]["x_m"], 4, TOLERANCE_M)


def test_unusable_ranges_are_refused_or_skipped(tool):
    for bad in ("1,11,0", "1,11,-0.0", "1,11,-3", "1,11,nan", "1,11,-inf", "1,11,Infinity", "1,11,1e400", "1,11,1e30",
                "11,11,5"):
        ranges = RANGES + bad + "\n"
        tool.refused(locate(tool, ranges), "r.csv:5:", "--skip-bad")
        result = locate(tool, ranges, ANCHORS, "--skip-bad")
        at_4_3(tool, result)
        assert result.key("ranges_skipped") == "1"
        assert "11" not in result.rows()
    tool.refused(locate(tool, "a,b,range_m\n1,11,0\n", ANCHORS, "--skip-bad"), "no usable range")
    tool.refused(locate(tool, RANGES, ANCHORS, "--range-max", 7), "r.csv:4:", "--range-max")


def test_unusable_deviations(tool):
    for bad in ("-1", "nan", "1e30"):
        tool.refused(locate(tool, f"a,b,range_m,std_m\n1,10,5,{bad}\n"), "r.csv:2:", f"'{bad}'")


def test_skip_bad_does_not_hide_text(tool):
    tool.refused(locate(tool, "a,b,range_m\n1,10,five\n", ANCHORS, "--skip-bad"), "r.csv:2:", "'five'")


def test_unusable_coordinates(tool):
    for bad in ("nan", "inf", "1e13", "x"):
        tool.refused(locate(tool, RANGES, f"id,x_m,y_m\n1,0,0\n2,{bad},1\n"), "a.csv:3:", f"'{bad}'")


def test_duplicate_anchor_names_both_lines(tool):
    tool.refused(locate(tool, RANGES, ANCHORS + "2,11,0\n"), "a.csv:5:", "line 3", "'2'")
    tool.write("s.csv", "id,x_m,y_m\n10,1,1\n\n10,1,1\n")
    tool.refused(locate(tool, RANGES, ANCHORS, "--start", "s.csv"), "s.csv:4:", "line 2")


def test_two_standard_inputs(tool):
    result = tool.run("locate", "--ranges", "-", "--anchors", "-", stdin="")
    tool.refused(result, "only one file", code=2)


def test_reader_goes_away(tool):
    tool.fine(tool.run("simulate", "network", "--n", 5000, "--radius", 0.025, "--out", "net"))
    result = tool.shell("{ \"$CAIRN\" locate --ranges net/ranges.csv --anchors net/anchors.csv --start net/start.csv "
                        "--svg m.svg 2>err; echo $? >code; } | head -n 1")
    assert result.out == "id,x_m,y_m,std_m,state\n", result.out
    assert tool.read("code") == "0\n", tool.read("code")
    assert tool.read("err") == "", tool.read("err")
    assert tool.read("m.svg").endswith("</svg>\n")
    result = tool.shell("{ \"$CAIRN\" bench locate --cell 1000 --seeds 1; echo $? >code; } | head -n 1")
    assert tool.read("code") in ("0\n", "1\n") and result.err == "", result.err


def test_full_disk(tool):
    tool.refused(locate(tool, RANGES, ANCHORS, "--out", "/dev/full"), "/dev/full: cannot be written whole")
    result = tool.shell("\"$CAIRN\" locate --ranges r.csv --anchors a.csv >/dev/full")
    tool.refused(result, "standard output: cannot be written whole")
    result = locate(tool, RANGES, ANCHORS, "--svg", "/dev/full")
    assert result.code == 1 and "/dev/full" in result.err and "seconds" not in result.err, result.err
    for arguments in ("--help", "--version", "locate --help", "bench", "bench locate --help"):
        tool.refused(tool.shell(f"\"$CAIRN\" {arguments} >/dev/full"), "cannot be written whole")


def test_place_that_cannot_be_written(tool):
    tool.refused(locate(tool, RANGES, ANCHORS, "--out", "none/p.csv"), "none/p.csv: cannot be written")


if __name__ == "__main__":
    main(globals())
