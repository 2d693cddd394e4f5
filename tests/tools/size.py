#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""size.py [--board B] [--update]: code, stack and symbols of the library, with gcc -Os, on each emulated board.

Checked on every board: no static data, only allowed undefined symbols, bounded stack, limits.txt, and that size.csv
(checked in, by module) is fresh: every number within 2 % or 16 bytes. --update rewrites size.csv.
With --board each function is printed. Every function: build/size/<board>.csv."""
import argparse
import concurrent.futures
import csv
import fnmatch
import glob
import os
import re
import subprocess
import sys

import stackdepth
from building import BOARDS, ROOT, SWARM_BOARDS, Config, Count, print_notes, tail

HERE = "tests/tools"
CSV = f"{HERE}/size.csv"
FOOTPRINT = f"{HERE}/footprint.csv"
TEXTBOOK = "boards/apps/bench/workload_track.c"  # with tests/bench/textbook_ekf.h in it
TOLERANCE_PART, TOLERANCE_BYTES = 0.02, 16
PUBLIC = "cairn_*"


def read_words(name):
    with open(f"{HERE}/{name}", encoding="ascii") as file:
        return [line.split("#")[0].split() for line in file if line.split("#")[0].strip()]


def output(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT).stdout


class Board:
    """One board's library, built with gcc -Os and all that gcc tells about stacks."""

    def __init__(self, name):
        self.config = Config(name, "gcc", "-Os")
        self.name, self.out = name, self.config.out
        self.objects = f"build/{(self.config.value('LIBRARY_OF') or [name])[0]}/{self.config.name}/obj"
        self.count, self.lines = Count(), []
        self.archive = f"{self.out}/libcairn.a"
        self.prefix = "riscv64-unknown-elf-" if name.startswith("rv32") else "arm-none-eabi-"

    def check(self, holds, what):
        if holds:
            self.count.passed += 1
        else:
            self.count.fail(f"size {self.name}: {what}")

    def tool(self, name, *arguments):
        return output(self.prefix + name, *arguments)

    def symbols(self):
        """{name: [(type, bytes, module)]} of everything defined, and {name: modules that want it} of what is not."""
        defined, wanted, module = {}, {}, ""
        for line in self.tool("nm", "--print-size", "--radix=d", self.archive).splitlines():
            if line.endswith(":"):
                module = line[:-3]
                continue
            words = line.split()
            if len(words) == 2:
                wanted.setdefault(words[1], []).append(module)
            elif len(words) == 4:
                defined.setdefault(words[3], []).append((words[2], int(words[1]), module))
        return defined, {name: modules for name, modules in wanted.items() if name not in defined}

    def check_symbols(self):
        static = [f"{name} ({module}, {size} bytes)" for name, found in self.defined.items()
                  for kind, size, module in found if kind in "dDbBCsSgG"]
        self.check(not static, "mutable static data: " + ", ".join(static))
        allowed = [words[0] for words in read_words("symbols.txt")]
        bad = [f"{name} (wanted by {', '.join(self.undefined[name])})" for name in sorted(self.undefined)
               if not any(fnmatch.fnmatchcase(name, a) for a in allowed)]
        self.check(not bad, "new dependencies: " + ", ".join(bad) + "; do without them, or allow them in symbols.txt")
        return not bad

    def link_needed(self):
        """An image of what the library calls in libm, libc and libgcc."""
        image = f"{self.out}/needed.elf"
        flags = output("make", "--no-print-directory", f"BOARD={self.name}", "OPT=-Os",
                       "print-LINK", "print-LINK_LIBS").split("\n")
        glue = self.config.value("PORT_SOURCES")
        objects = [f"{self.out}/obj/{source[:-2]}.o" for source in glue if "libc_" in source]
        built, text = self.config.build(*objects) if objects else (True, "")
        assert built, text
        output(*flags[0].split(), "-nostdlib", "-nostartfiles", "-Wl,-e0,-z,noexecstack", "-o", image,
               *[f"-Wl,-u,{name}" for name in sorted(self.undefined)], *objects, *flags[1].split())
        return image

    def read_stack(self):
        graph = stackdepth.Graph()
        for path in sorted(glob.glob(f"{self.objects}/src/*/*.ci")):
            if os.path.exists(self.source_of(path)):
                stackdepth.read_callgraph(graph, path)
        for path in sorted(glob.glob(f"{self.objects}/src/*/*.o")):
            if os.path.exists(self.source_of(path)):
                stackdepth.read_relocations(graph, self.prefix + "objdump", path, self.source_of(path))
                stackdepth.read_addresses(graph, self.prefix + "objdump", path, self.source_of(path))
        stackdepth.read_image(graph, self.prefix, self.link_needed())
        table = stackdepth.read_indirect(words[0] for words in read_words("indirect.txt"))
        self.graph, self.depths = graph, stackdepth.Depths(graph, table)
        self.own = [name for name in sorted(graph.frames) if name.startswith("src/") or name in self.defined]

    def source_of(self, path):
        return os.path.splitext(path[len(self.objects) + 1:])[0] + ".c"

    def check_stack(self):
        for name in self.own:
            self.depths.depth(name)
        problems = sorted(self.depths.problems)
        self.check(not problems, "the stack has no bound:\n  " + "\n  ".join(problems))
        unlisted = self.depths.unlisted()
        self.check(not unlisted, "indirect.txt: no line says who calls " + ", ".join(unlisted))
        public = [name for name in self.own if fnmatch.fnmatch(name, PUBLIC)]
        limits = [words for words in read_words("limits.txt") if words[0] == "stack" and words[1] in ("*", self.name)]
        patterns = [words[3:] for words in limits]
        for words in limits:
            self.check_stack_of([name for name in public if self.limit_of(name, patterns) == words[3:]], int(words[2]))

    @staticmethod
    def limit_of(name, patterns):
        """The last line of limits.txt that names the function; a line without patterns is for all the others."""
        return next((line for line in reversed(patterns) if any(fnmatch.fnmatch(name, word) for word in line)), [])

    def check_stack_of(self, names, limit):
        worst = max(names, key=lambda name: self.depths.depth(name)[0], default=None)
        if worst:
            used, path = self.depths.depth(worst)
            text = f"deepest public call: {worst}, {used} bytes of stack, limit {limit}"
            self.lines.append(text)
            self.check(used <= limit, text + ": " + " > ".join(f"{name}({self.graph.frames.get(name)})" for name in path))

    def text_of(self, name):
        """Code of a function, its clones and parts included."""
        module = os.path.basename(name.split(":")[0])[:-2] if ":" in name else None
        bare = name.split(":")[-1]
        return sum(size for symbol, found in self.defined.items() for kind, size, where in found
                   if kind in "tTwW" and (symbol == bare or symbol.startswith(bare + "."))
                   and module in (None, where))

    def closure(self, patterns):
        """Code and constants of the roots and all they need in the library; an object is a root where its name is a pattern."""
        roots = [name for name, found in self.defined.items() if found[0][0] == "R" and name in patterns
                 or found[0][0] == "T" and any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]
        if not roots:
            return 0, 0
        linked = f"{self.out}/closure.o"
        emulation = ["-melf32lriscv"] if self.name.startswith("rv32") else []
        self.tool("ld", *emulation, "-r", "--gc-sections", "-e", roots[0], "-o", linked,
                  *[f"-u{name}" for name in roots], self.archive)
        sections = re.findall(r"^\.(?:text|rodata|srodata)\S*\s+(\d+)", self.tool("size", "-A", linked), re.M)
        return sum(map(int, sections)), len(roots)

    def footprint(self):
        """{feature: (own code, with the helpers of libm and libgcc, deepest stack)}: limits.txt names the features."""
        features = {words[2]: words[4:] for words in read_words("limits.txt") if words[0] == "closure"}
        table = {}
        for feature, patterns in {**features, "everything": [PUBLIC]}.items():
            size, n_roots = self.closure(patterns)
            if n_roots:
                deepest = max(self.depths.depth(name)[0] for name in self.own
                              if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns))
                table[feature] = (size, self.linked_size(), deepest)
        return table

    def linked_size(self):
        """Code and constants of the last closure when what it needs of libm, libc and libgcc is linked in."""
        image, closed = f"{self.out}/closure.elf", f"{self.out}/closure.o"
        flags = output("make", "--no-print-directory", f"BOARD={self.name}", "OPT=-Os",
                       "print-LINK", "print-LINK_LIBS").split("\n")
        roots = re.findall(r" [TR] (cairn_\w+)", self.tool("nm", closed))
        glue = [f"{self.out}/obj/{source[:-2]}.o" for source in self.config.value("PORT_SOURCES") if "libc_" in source]
        output(*flags[0].split(), "-nostdlib", "-nostartfiles", "-Wl,-e0,-z,noexecstack,--gc-sections", "-o", image,
               *[f"-Wl,-u,{name}" for name in roots], closed, *glue, *flags[1].split())
        sections = re.findall(r"^\.(?:text|rodata|srodata|ARM.ex\w+)\S*\s+(\d+)", self.tool("size", "-A", image), re.M)
        return sum(map(int, sections))

    def check_closures(self):
        goals = {words[2]: int(words[3]) for words in read_words("limits.txt") if words[0] == "goal" and words[1] == self.name}
        for words in read_words("limits.txt"):
            if words[0] == "closure" and words[1] in ("*", self.name):
                size, n_roots = self.closure(words[4:])
                if n_roots == 0:
                    self.lines.append(f"{words[2]}: not there yet")
                    continue
                text = f"{words[2]} and all it needs: {size} bytes of code and constants, limit {words[3]}"
                goal = goals.get(words[2], size)
                text += f", FALLS SHORT of its goal {goal} by {size - goal}" if size > goal else ""
                self.lines.append(text)
                self.check(size <= int(words[3]), text)

    def compare_textbook(self):
        """The textbook filter that bench.py counts beside track: what it takes of stack, state and code."""
        made = f"{self.out}/obj/{TEXTBOOK[:-2]}"
        built, text = self.config.build(made + ".o")
        if not built:
            self.count.fail(f"size {self.name}: {TEXTBOOK} does not build\n{tail(text, 40)}")
            return
        graph = stackdepth.Graph()
        stackdepth.read_callgraph(graph, made + ".ci")
        run, multiply = (graph.frames[f"{TEXTBOOK}:{name}"] for name in ("run_textbook", "textbook_multiply"))
        sizes = {words[3]: int(words[1]) for words in map(str.split, self.tool(
            "nm", "--print-size", "--radix=d", made + ".o").splitlines()) if len(words) == 4}
        self.lines.append(f"a textbook EKF beside track (4 states, no bias, scale or weight): {run + multiply} bytes of stack, "
                          f"{sizes['textbook']} of state, {sizes['run_textbook'] + sizes['textbook_multiply']} of code")

    def modules(self):
        """{module: (text, deepest stack of its functions)} for size.csv."""
        table = {}
        for line in self.tool("size", "-A", self.archive).splitlines():
            member, section = re.match(r"(\w+)\.o ", line), re.match(r"\.(?:text|rodata|srodata)\S*\s+(\d+)", line)
            if member:
                module = member[1]
                table[module] = [0, 0]
            elif section:
                table[module][0] += int(section[1])
        homes = {name: found[0][2] for name, found in self.defined.items()}
        for name in self.own:
            module = os.path.basename(name.split(":")[0])[:-2] if ":" in name else homes[name]
            table[module][1] = max(table[module][1], self.depths.depth(name)[0])
        return {module: tuple(numbers) for module, numbers in sorted(table.items())}

    def write_functions(self):
        os.makedirs("build/size", exist_ok=True)
        self.functions = [(name, self.text_of(name), self.graph.frames[name], self.depths.depth(name)[0])
                          for name in self.own]
        with open(f"build/size/{self.name}.csv", "w", encoding="ascii", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["function", "text_bytes", "frame_bytes", "stack_bytes"])
            writer.writerows(self.functions)

    def measure(self):
        built, text = self.config.build("library")
        if not built:
            self.count.fail(f"{self.config}: build failed\n{tail(text, 40)}")
            return self
        self.defined, self.undefined = self.symbols()
        if not self.check_symbols():
            return self  # nobody knows the stack of what is not allowed
        self.read_stack()
        self.check_stack()
        self.check_closures()
        if self.name == "mps2-an386":
            self.compare_textbook()
        self.write_functions()
        return self


def read_csv():
    if not os.path.exists(CSV):
        return {}
    with open(CSV, encoding="ascii") as file:
        return {(row["board"], row["module"]): (int(row["text_bytes"]), int(row["stack_bytes"]))
                for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def write_csv(boards):
    with open(CSV, "w", encoding="ascii", newline="") as file:
        file.write("# gcc -Os; code with constants of each module, deepest stack of its functions; size.py --update\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["board", "module", "text_bytes", "stack_bytes"])
        for board in boards:
            writer.writerows([board.name, module, *numbers] for module, numbers in board.modules().items())


def write_footprint(boards):
    with open(FOOTPRINT, "w", encoding="ascii", newline="") as file:
        file.write("# gcc -Os; a feature of limits.txt and all it needs: own code and constants, the same with the helpers "
                   "of libm and libgcc,\n# deepest stack of its calls; size.py --update\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["board", "feature", "text_bytes", "linked_bytes", "stack_bytes"])
        for board in boards:
            writer.writerows([board.name, feature, *numbers] for feature, numbers in board.footprint().items())


def read_footprint():
    if not os.path.exists(FOOTPRINT):
        return {}
    with open(FOOTPRINT, encoding="ascii") as file:
        return {(row["board"], row["feature"]): tuple(int(row[key]) for key in ("text_bytes", "linked_bytes", "stack_bytes"))
                for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def is_near(new, old):
    return abs(new - old) <= max(TOLERANCE_BYTES, TOLERANCE_PART * old)


def check_fresh(board):
    for path, table, new in ((CSV, read_csv(), board.modules()), (FOOTPRINT, read_footprint(), board.footprint())):
        old = {key: numbers for (name, key), numbers in table.items() if name == board.name}
        stale = [f"{key} is {new.get(key)}, the file says {old.get(key)}" for key in sorted(set(old) | set(new))
                 if key not in old or key not in new or not all(is_near(*pair) for pair in zip(new[key], old[key]))]
        board.check(not stale, f"{path} is stale (make size, then tests/tools/size.py --update):\n  " + "\n  ".join(stale))


def measured(name):
    board = Board(name)
    try:
        return board.measure()
    except subprocess.CalledProcessError as error:  # most likely a symbol that needs what the image has not
        board.count.fail(f"size {name}: {error.cmd[0]} failed:\n{tail(error.stderr)}")
        return board


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--board", choices=BOARDS + SWARM_BOARDS)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    os.chdir(ROOT)
    names = [options.board] if options.board and options.board != "host" else BOARDS[1:]
    total = Count()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        boards = list(pool.map(measured, names))
    if not options.board and all(hasattr(board, "functions") for board in boards):
        # compilers inline differently: a line is stale if no board needs it
        unused = set.intersection(*(set(board.depths.unused()) for board in boards))
        boards[0].check(not unused, "indirect.txt: no call on any board needs: " + ", ".join(sorted(unused)))
    if options.update and not options.board and not any(not hasattr(board, "functions") for board in boards):
        write_csv(boards)
        write_footprint(boards)
    for board in boards:
        if hasattr(board, "functions"):
            check_fresh(board)
        if options.board:
            for name, text, frame, stack in getattr(board, "functions", []):
                print(f"{text:6} text {frame:5} frame {stack:5} stack  {name}")
        print(f"{board.name}: {'; '.join(board.lines)}")
        total.add(board.count)
    print_notes(total.notes)
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
