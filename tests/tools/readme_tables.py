# SPDX-License-Identifier: MIT
"""The tables of README.md, each made from what the tree says: headers, CSV files of measurements, a compiled program."""
import csv
import glob
import os
import re
import subprocess

from building import BOARDS, ROOT

# how each board is called in a table: its core comes from board.mk
COLUMNS = {"microbit": "M0", "mps2-an385": "M3", "mps2-an386": "M4F", "mps2-an500": "M7", "mps3-an547": "M55",
           "rv32": "RV32 F", "rv32imac": "RV32"}
STRUCTS_BOARD = "mps2-an386"
# jobs first, what they are made of last
FAMILIES = {"locate": "Where nodes are", "node": "Where a node is, found by itself", "embed": "What data look like",
            "walk": "What belongs together", "sample": "Samples of streams", "place": "Project and recentre",
            "core": "What all stand on"}
# what somebody who plans a product asks for first; the other macros stand beside the headers
PLANNED = ("CAIRN_NETWORK_BYTES", "CAIRN_LOCATE_WORDS", "CAIRN_COLDSTART_WORDS", "CAIRN_TRACK_REALS",
           "CAIRN_TRACK_NETWORK_WORDS", "CAIRN_NODE_BYTES", "CAIRN_EMBED_REALS", "CAIRN_MDS_REALS",
           "CAIRN_PIC_REALS", "CAIRN_SPREAD_REALS")
NODES = (8, 32, 128, 1000)
# what the worked sizes assume for a parameter of a macro; N nodes
PARAMETERS = {"nodes": lambda n: n, "ranges": lambda n: 6 * n, "n": lambda n: n, "dim": lambda n: 2, "starts": lambda n: 0,
              "links": lambda n: 6 * n, "k": lambda n: 4, "d": lambda n: 8, "states": lambda n: 9, "neighbours": lambda n: 12,
              "ways": lambda n: 6, "clusters": lambda n: 4, "vectors": lambda n: 3, "l": lambda n: 32, "rows": lambda n: n,
              "features": lambda n: 8, "columns": lambda n: 4, "batch": lambda n: 16, "classes": lambda n: 4,
              "kept": lambda n: 0, "kinds": lambda n: 4, "anchors": lambda n: 4}
GROWING = ("nodes", "ranges", "n", "links", "rows", "anchors")  # the others are shown at the value above
NOT_MEMORY = ("CAIRN_SYMMETRIC_REALS",)  # parts of other macros
UNITS = {"BYTES": "1u", "WORDS": "sizeof(cairn_word_t)", "REALS": "sizeof(cairn_real)", "SLOTS": "sizeof(uint32_t)"}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def rows_of(path):
    lines = [line for line in read(path).splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))


def table(head, rows, right_from=1):
    """Markdown; columns from right_from on are aligned to the right."""
    rule = ["---" if i < right_from else "---:" for i in range(len(head))]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, rule] + rows)


def headers():
    """Public headers but the umbrella, with their text."""
    paths = sorted(glob.glob("include/cairn/*.h", root_dir=ROOT))
    return [(os.path.basename(path)[:-2], read(path)) for path in paths if not path.endswith("/cairn.h")]


def one_line(comment):
    return re.sub(r"\s+", " ", re.sub(r"\n\s*\*?", " ", comment)).strip().replace("|", "\\|")


# --- accuracy ---------------------------------------------------------------------------------------------------------

def accuracy(text):
    """From what `cairn bench locate` prints: named columns, a verdict last."""
    lines = [line.split() for line in text.splitlines()]
    start = next(i for i, words in enumerate(lines) if "rmse_m" in words)
    names = lines[start]
    cells = [dict(zip(names, words)) for words in lines[start + 1:] if len(words) >= len(names) and words[0].isdigit()]
    assert cells, text
    rows = [[f"{int(cell['n']):,}", cell["m"], cell["R"], cell["sigma"], cell["eta"], f"{1e3 * float(cell['thesis']):.2f}",
             f"{1e3 * float(cell['rmse_m']):.2f}", f"{float(cell['thesis']) / float(cell['rmse_m']):.1f}"] for cell in cells]
    return table(["nodes", "anchors", "radio range", "\u03c3", "\u03b7", "thesis", "Cairn", "better by"], rows, 0)


# --- memory -----------------------------------------------------------------------------------------------------------

def macros():
    """[(module, macro, parameters)] of every macro that gives a size."""
    return [(module, name, [word.strip() for word in arguments.split(",")]) for module, text in headers()
            for name, arguments in re.findall(r"^#define (CAIRN_\w+_(?:%s))\(([^)]*)\)" % "|".join(UNITS), text, re.M)
            if name not in NOT_MEMORY]


def call(name, parameters, n):
    values = ", ".join(str(PARAMETERS[word](n)) for word in parameters)
    return f"(unsigned long)({name}({values}) * {UNITS[name.rsplit('_', 1)[1]]})"


def evaluate(expressions):
    """Their values on a Cortex-M: what its compiler writes for an array of constants."""
    includes = "".join(f'#include "cairn/{module}.h"\n' for module, _ in headers())
    values = subprocess.run(["arm-none-eabi-gcc", "-std=c99", "-mcpu=cortex-m4", "-Iinclude", "-S", "-x", "c", "-", "-o", "-"],
                            cwd=ROOT, text=True, check=True, stdout=subprocess.PIPE,
                            input=f"{includes}const unsigned long sizes[] = {{1, {', '.join(expressions)}}};\n").stdout
    return [int(word) for word in re.findall(r"\.word\s+(\d+)", values)][1:]


def formula(name, parameters, n, dim):
    """The slope of each growing parameter and what is left at 0, for linear macros: `21 nodes + 16 ranges + 8`."""
    def at(values):
        return "(unsigned long)({}({}) * {})".format(name, ", ".join(map(str, values)), UNITS[name.rsplit("_", 1)[1]])
    base = [dim if word == "dim" else PARAMETERS[word](n) for word in parameters]
    grown = [i for i, word in enumerate(parameters) if word in GROWING]
    asked = [at(base)] + [at([value + (i == j) for j, value in enumerate(base)]) for i in grown]
    asked.append(at([2 * value if j in grown else value for j, value in enumerate(base)]))
    whole, *more, twice = evaluate(asked)
    slopes = [value - whole for value in more]
    rest = whole - sum(slope * base[i] for slope, i in zip(slopes, grown))
    if twice != rest + sum(2 * slope * base[i] for slope, i in zip(slopes, grown)):
        return "not linear: see the header"
    parts = [f"{slope} {parameters[i]}" for slope, i in zip(slopes, grown)] + ([f"{rest}"] if rest or not grown else [])
    shown = [f"{word} = {value}" for word, value in zip(parameters, base) if word not in GROWING + ("dim", "starts", "kept")]
    return " + ".join(parts) + (f" ({', '.join(shown)})" if shown else "")


def size_rows(chosen):
    rows = []
    for _, name, parameters in chosen:
        unknown = [word for word in parameters if word not in PARAMETERS]
        assert not unknown, f"readme_tables.py: say in PARAMETERS what {', '.join(unknown)} of {name} stands for"
        sizes = evaluate([call(name, parameters, n) for n in NODES])
        grows = any(word in GROWING for word in parameters)
        formulas = [formula(name, parameters, NODES[0], dim) for dim in (2, 3)] if "dim" in parameters else \
            [formula(name, parameters, NODES[0], 2), "the same"]
        steep = grows and formulas[0].startswith("not linear")  # only ever for a handful of nodes
        shown = ["-" if not grows or steep and n > NODES[0] else f"{size:,}" for n, size in zip(NODES, sizes)]
        rows.append([f"`{name}`", *formulas, *shown])
    return rows


SIZES_HEAD = ["macro", "bytes in 2-D", "bytes in 3-D", *[f"N = {n:,}" for n in NODES]]


def sizes():
    """Every macro, for the headers' own README."""
    return table(SIZES_HEAD, size_rows(macros()), 3)


def memory():
    """The planner: macros in the order of PLANNED, and what locating needs in all."""
    rows = size_rows(sorted((macro for macro in macros() if macro[1] in PLANNED), key=lambda macro: PLANNED.index(macro[1])))
    whole = [call(name, parameters, n) for n in NODES for _, name, parameters in macros()
             if name in ("CAIRN_NETWORK_BYTES", "CAIRN_LOCATE_WORDS")]
    found = evaluate([f"{a} + {b}" for a, b in zip(whole[::2], whole[1::2])])
    rows.append(["**to locate: network and work**", "", "", *[f"**{size:,}**" for size in found]])
    return table(SIZES_HEAD, rows, 3)


# --- footprint --------------------------------------------------------------------------------------------------------

def footprint():
    found = {(row["board"], row["feature"]): row for row in rows_of("tests/tools/footprint.csv")}
    features = list(dict.fromkeys(feature for _, feature in found))
    rows = [[feature] + [f"{int(found[board, feature]['linked_bytes']) / 1024:.1f} / {found[board, feature]['stack_bytes']}"
                         if (board, feature) in found else "-" for board in COLUMNS] for feature in features]
    return table(["KB flash / bytes of stack", *COLUMNS.values()], rows)


def instructions():
    found = {(row["board"], row["workload"]): row for row in rows_of("tests/tools/bench.csv")}
    names = [name for name in dict.fromkeys(name for _, name in found) if name != "empty"]

    def cell(board, name):
        row = found.get((board, name))
        each = int(row["instructions"]) / int(row["units"]) if row else 0
        return "-" if not row else f"{each:.0f}" if each < 1e4 else f"{each / 1e3:.0f} k" if each < 1e6 else f"{each / 1e6:.1f} M"
    rows = [[f"`{name}`, a {next(row['unit'] for key, row in found.items() if key[1] == name)}"] +
            [cell(board, name) for board in COLUMNS] for name in names]
    return table(["instructions for", *COLUMNS.values()], rows)


def boards():
    """Compilers and flags from the tools and board.mk, memory from the link scripts."""
    rows = []
    for board in BOARDS:
        if board == "host":
            continue
        made = read(f"boards/{board}/board.mk")
        script = read(f"boards/{board}/link.ld")
        ram = re.search(r"RAM .*?LENGTH = (\d+)K", script)[1]
        flags = re.search(r"^BOARD_CPU\s*:?=\s*(.*)$", made, re.M)
        flags = flags[1] if flags else "-march={} -mabi={}".format(
            *(re.search(rf"^BOARD_{name}\s*:?=\s*(\S+)", made, re.M)[1] for name in ("MARCH", "MABI")))
        what = re.findall(r"^# (?!SPDX)(.*)$", made, re.M)[0].rstrip(".")
        rows.append([f"`{board}`", COLUMNS[board], what, f"{ram} KB", f"`{flags.strip()}`"])
    return table(["board", "column", "what it is", "RAM", "flags, with `-Os`"], rows, 9)


# --- interface --------------------------------------------------------------------------------------------------------

def calls(module, text):
    bare = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    names = re.findall(r"^(?!\s|#|typedef|return)[\w \*]*?\b(cairn_\w+)\([^;{}]*\)\s*[;{]", bare, re.M)
    own = [name for name in names if name.startswith(f"cairn_{module}_")]
    if len(own) < 2:
        return ", ".join(f"`{name}`" for name in names)
    others = [f"`{name}`" for name in names if name not in own]
    return ", ".join([f"`cairn_{module}_` " + " ".join(f"`{name[len(module) + 7:]}`" for name in own)] + others)


def family(module):
    """Where a header's source lies; headers without one are core's."""
    homes = glob.glob(f"src/*/{module}.c", root_dir=ROOT) + glob.glob(f"src/*/{module}_*.c", root_dir=ROOT)
    return homes[0].split("/")[1] if homes else "core"


def api():
    order = list(FAMILIES)
    last = ""
    sizes = {row["struct"]: row[STRUCTS_BOARD] for row in rows_of("tests/tools/structs.csv")}
    rows = []
    for module, text in sorted(headers(), key=lambda item: (order.index(family(item[0])), item[0])):
        if family(module) != last:
            last = family(module)
            rows.append([f"**{FAMILIES[last]}**", f"`src/{last}/`", "", ""])
        purpose = one_line(re.match(r"/\* SPDX[^\n]*\n(.*?)\*/", text, re.S)[1].lstrip(" *"))
        purpose = re.split(r"(?<=\w)\. (?=[A-Z])", purpose)[0].rstrip(".")
        rows.append([f"[`{module}`](include/cairn/{module}.h)", purpose, calls(module, text) or "-",
                     sizes.get(f"cairn_{module}_t", "")])
    return table(["header", "what it is for", "calls", "state"], rows, 3)


# --- settings ---------------------------------------------------------------------------------------------------------

FIELD = re.compile(r"^    ([\w ]+?)[ \*]+(\w+)(?:\[\w+\])?;[ ]*(?:/\*(.*?)\*/)?", re.M | re.S)


def cfg_structs():
    """[(header, struct, [(field, meaning)])] of every settings struct."""
    found = []
    for module, text in headers():
        for struct, body in re.findall(r"^(?:typedef )?struct (\w+_cfg) \{\n(.*?)^\}", text, re.M | re.S):
            found.append((module, f"{struct}_t", [(field, one_line(comment) or f"a `{kind.split()[-1]}`")
                                                 for kind, field, comment in FIELD.findall(body)]))
    return found


def settings():
    """Build-time macros in full; of each struct the names of its fields."""
    rows = [[f"`{name}`", one_line(comment)] for name, comment in
            re.findall(r"^/\* (CAIRN_\w+)(?:\([^)]*\))?: (.*?)\*/", read("include/cairn/config.h"), re.M | re.S)]
    rows += [[f"[`{struct}`](include/cairn/{module}.h)", " ".join(f"`{field}`" for field, _ in fields)]
             for module, struct, fields in cfg_structs()]
    return table(["setting", "meaning; fields"], rows, 2)


def fields():
    """Every field of every settings struct, for the headers' own README."""
    rows = [[f"[`{struct[len('cairn_'):-len('_cfg_t')]}`]({module}.h)" if i == 0 else "", f"`{field}`", meaning]
            for module, struct, meanings in cfg_structs() for i, (field, meaning) in enumerate(meanings)]
    return table(["settings of", "field", "meaning, unit, range, default"], rows, 3)
