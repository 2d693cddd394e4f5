#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""readme.py [--update]: every generated block of README.md and include/cairn/README.md against the tree, and the
programs, picture and links.

A block lies between `<!-- begin NAME -->` and `<!-- end NAME -->`. Without --update each is made anew and compared; a
stale one fails. The footprint is compared with the CSV files, which `make size` and bench.py compare with the code."""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import readme_tables
from building import DATA, ROOT, Config, Count, print_notes, run, tail

README = "README.md"
FIELDS = "include/cairn/README.md"
PICTURE = "boards/apps/locate/sample.svg"
MEASURED = os.path.join(DATA, "patwari-utah-cir")
SUMMARY = "build/last-test"
PROGRAM_BOARDS = ["host", "mps2-an386", "microbit", "rv32imac"]
OUTER_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BOARD", "MAKECMDGOALS", "MAKEOVERRIDES")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def must(command, **environment):
    code, text = run(command, **environment)
    assert code == 0, f"{' '.join(command)}: exit code {code}\n{tail(text)}"
    return text


def make_run(*arguments):
    return must(["env", *[f"--unset={name}" for name in OUTER_MAKE], "make", "run", *arguments])


def fenced(text):
    return "```text\n" + text.rstrip() + "\n```"


# --- blocks: each function makes one --------------------------------------------------------------------------------

def block_run():
    return fenced(make_run())


def show_tool(command, files, options):
    """Files and what the tool makes of them; the summary is left out."""
    built, text = Config("host").build("tool")
    assert built, text
    shown = []
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(content)
            shown += [f"$ cat {name}", content.rstrip()]
        paths = [os.path.join(folder, word) if word in files else word for word in options]
        shown += [f"$ build/host/cairn {command} {' '.join(options)}", must(["build/host/cairn", command, *paths])]
    return fenced("\n".join(shown))


def block_tool():
    files = {"ranges.csv": "a,b,range_m\n1,11,5.08\n2,11,6.62\n3,11,8.11\n11,12,4.19\n2,12,6.75\n3,12,8.01\n1,12,9.31\n",
             "anchors.csv": "id,x_m,y_m\n1,0,0\n2,10,0\n3,0,10\n"}
    return show_tool("locate", files, ["--ranges", "ranges.csv", "--anchors", "anchors.csv", "--noise-rel", "0", "--noise-abs", "0.1"])


def block_track():
    """A sensor that goes from 4, 6 to 8, 8 in four seconds."""
    ranges = "7.26 16.67 20.20 14.29 9.25 15.32 18.01 14.40 11.28".split()
    files = {"log.csv": "t_s,a,b,range_m\n" + "".join(f"{k / 2:g},7,{k % 4 + 1},{range_m}\n" for k, range_m in enumerate(ranges)),
             "anchors.csv": "id,x_m,y_m\n1,0,0\n2,20,0\n3,20,20\n4,0,20\n"}
    return show_tool("track", files, ["--log", "log.csv", "--anchors", "anchors.csv", "--noise-abs", "0.1", "--bias", "none"])


def block_measured():
    """One sentence about devices that exist; None where their data are not."""
    if not os.path.isdir(MEASURED):
        return None
    text = make_run(f"DATA={MEASURED}", "ARGS=")
    lines = text.splitlines()
    row = next(i for i, line in enumerate(lines) if line.startswith("sensors placed"))
    table = dict(zip(lines[row].split(), lines[row + 1].split()))
    share = re.search(r"errors inside the 95 % circle .*: (\d+) %", text)[1]
    return (f"Real devices, 44 radios in an office of 14 m by 13 m (Patwari and others, 2003; ranges from signal strength, half "
            f"as uncertain as long), from a cold start with four anchors near its corners: RMSE {table['rmse_m']} m, median "
            f"{table['median_m']} m. Only {share} % of the errors lie inside the 95 % circle claimed for them: see Limits.")


def block_test():
    """The last line of the last whole `make test` of this tree; None when there was none."""
    return fenced("$ make test\n...\n" + read(SUMMARY)) if os.path.exists(SUMMARY) else None


def block_accuracy():
    built, text = Config("host").build("tool")
    assert built, text
    code, text = run(["build/host/cairn", "bench", "locate"], 600)
    assert code in (0, 1), f"cairn bench locate: exit code {code}\n{tail(text)}"  # 1: a verdict, perhaps of time
    return readme_tables.accuracy(text)


def block_memory():
    return readme_tables.memory()


def block_sizes():
    return readme_tables.sizes()


def block_footprint():
    return readme_tables.footprint()


def block_instructions():
    return readme_tables.instructions()


def block_api():
    return readme_tables.api()


def block_settings():
    return readme_tables.settings()


def block_fields():
    return readme_tables.fields()


def block_boards():
    return readme_tables.boards()


BLOCKS = {name[len("block_"):]: function for name, function in list(globals().items()) if name.startswith("block_")}
# what may differ on another machine: the compiler decides about the stack, and tests come and go
LOOSE = {"run": r"(?m)^stack .*$", "test": r"(?:\d+|N) passed, (?:0|N) failed(, \d+ skipped)?"}


def blocks_of(text):
    return dict(re.findall(r"<!-- begin (\w+) -->\n(.*?)\n<!-- end \1 -->", text, re.S))


def replace_block(text, name, content):
    return re.sub(rf"(<!-- begin {name} -->\n).*?(\n<!-- end {name} -->)", lambda found: found[1] + content + found[2],
                  text, flags=re.S)


def same(name, ours, fresh):
    loose = LOOSE.get(name)
    return ours == fresh if loose is None else re.sub(loose, "...", ours) == re.sub(loose, "...", fresh)


# --- checks -----------------------------------------------------------------------------------------------------------

def check_blocks(count, text, fresh):
    ours = blocks_of(text)
    for name in sorted(set(BLOCKS) ^ set(ours)):
        count.fail(f"README.md: block {name} is not in both README.md and readme.py")
    for name in sorted(set(BLOCKS) & set(ours)):
        if fresh[name] is None:
            count.skipped += name == "measured" and not os.path.isdir(MEASURED)
        elif same(name, ours[name], fresh[name]):
            count.passed += 1
        else:
            old, new = ours[name].split("\n"), fresh[name].split("\n")
            first = next((pair for pair in zip(old, new) if pair[0] != pair[1]), (f"{len(old)} lines", f"{len(new)} lines"))
            count.fail(f"README.md: block {name} is stale (tests/tools/readme.py --update):\n  {first[0]}\n  {first[1]}")
    if not re.search(r"\.\.\.\n" + LOOSE["test"], ours.get("test", "")):
        count.fail("README.md: block test does not show a run without failures")


def programs_of(text):
    """The programs, each with what README.md says it prints."""
    return re.findall(r"<!-- program -->\n```c\n(.*?)```\n.*?<!-- output -->\n```text\n(.*?)```", text, re.S)


def run_program(board, toolchain, source):
    """Compiles the program with the warnings of the tree, links it as an app of the board, runs it."""
    config = Config(board, toolchain)
    value = config.values("CC", "PROGRAM", "LINK", "LINK_FLAGS", "LINK_LIBS", "STARTUP_OBJECTS", "LIBCAIRN", "LIBPORT")
    parts = value["STARTUP_OBJECTS"] + value["LIBCAIRN"] + value["LIBPORT"]
    built, text = config.build(*parts)
    assert built, text
    with tempfile.TemporaryDirectory(dir=config.out) as folder:
        program, glue, image = (os.path.join(folder, name) for name in ("program.c", "glue.o", "program.elf"))
        with open(program, "w", encoding="utf-8") as file:
            file.write(source)
        flags = [flag.replace("'", "") for flag in value["PROGRAM"] if flag not in ("-MMD", "-MP")]
        renamed = ["-Dmain=program_main", "-Dprintf=firmware_printf", "-Wno-missing-prototypes"]
        if board == "host":  # as it is: main and printf of the C library
            must(value["CC"] + flags + ["-o", image, program] + value["LIBCAIRN"] + ["-lm"])
        else:
            must(value["CC"] + flags + renamed + ["-c", "-o", program + ".o", program])
            must(value["CC"] + flags + ["-c", "-o", glue, "tests/readme/firmware.c"])
            must(value["LINK"] + value["LINK_FLAGS"] + ["-o", image, program + ".o", glue, "-Wl,--start-group"] + parts +
                 ["-Wl,--end-group"] + value["LINK_LIBS"])
        return must([f"boards/{board}/run", image])


def check_program(count, source, output):
    lines = source.count("\n")
    if not 0 < lines <= 40:
        count.fail(f"README.md: a program has {lines} lines, not 1 to 40")
    for board in PROGRAM_BOARDS:
        for toolchain in ("gcc", "clang"):
            try:
                shown = run_program(board, toolchain, source)
            except AssertionError as error:
                count.fail(f"README.md: a program on {board} with {toolchain}: {error}")
                continue
            if shown == output:
                count.passed += 1
            else:
                count.fail(f"README.md: a program on {board} with {toolchain} prints\n{shown}\nand not\n{output}")


def check_programs(count, text):
    programs = programs_of(text)
    if not programs:
        count.fail("README.md: there is no program")
    for source, output in programs:
        check_program(count, source, output)


def check_links(count, text):
    """Files that README.md names exist; so do targets of make."""
    bad = [link for link in re.findall(r"\]\((?!http|#)([^)#]+)", text) if not os.path.exists(link)]
    titles = {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)}
    bad += [link for link in re.findall(r"\]\(#([^)]+)\)", text) if link not in titles]
    targets = set(re.findall(r"^(\w+):", read("Makefile"), re.M))
    bad += [f"make {word}" for word in re.findall(r"`make ([a-z]+)\b", text) if word not in targets]
    bad += [path for path in re.findall(r"`((?:src|include|port|tests|boards)/[\w./-]+)`", text) if not glob.glob(path)]
    if bad:
        count.fail("README.md names what is not there: " + ", ".join(bad))
    else:
        count.passed += 1


def check_picture(count):
    """The picture is that of the run above it, which block_run has just made."""
    if os.path.exists(PICTURE) and read(PICTURE) == read("build/locate.svg"):
        count.passed += 1
    else:
        count.fail(f"{PICTURE} is stale (tests/tools/readme.py --update)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the blocks and the picture anew")
    options = parser.parse_args()
    os.chdir(ROOT)
    texts = {path: read(path) for path in (README, FIELDS)}
    count = Count()
    fresh = {}
    for name, make in BLOCKS.items():
        try:
            fresh[name] = make()
        except (AssertionError, OSError, subprocess.CalledProcessError) as error:
            count.fail(f"README.md: block {name} cannot be made: {error}")
            fresh[name] = None
    if options.update:
        if fresh["run"] is not None:
            shutil.copy("build/locate.svg", PICTURE)
        for path in texts:
            for name, content in fresh.items():
                texts[path] = replace_block(texts[path], name, content) if content is not None else texts[path]
            with open(path, "w", encoding="utf-8") as file:
                file.write(texts[path])
    text = texts[README]
    check_blocks(count, "\n".join(texts.values()), fresh)
    check_picture(count)
    check_programs(count, text)
    check_links(count, text)
    print_notes(count.notes)
    print(count)
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
