#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tools that judge the library are judged here: each must fail on what it exists to catch."""
import fnmatch
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import golden  # noqa: E402
import readme  # noqa: E402
import size  # noqa: E402
import stackdepth  # noqa: E402
from building import ROOT, Config, Count, count_program  # noqa: E402

ARM = "arm-none-eabi-"
CPU = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
total = Count()


def case(name, holds, detail=""):
    if holds:
        total.passed += 1
    else:
        total.failed += 1
        print(f"FAIL {name} {detail}")


def check_counting():
    """A program's last line counts; anything else is a failure."""
    def shell(script, timeout_s=5):
        count = count_program("p", ["sh", "-c", script], timeout_s)
        return count.passed, count.failed, count.skipped
    case("a summary should count when the exit code agrees", shell("echo 3 passed, 0 failed") == (3, 0, 0))
    case("failures should count when the exit code agrees", shell("echo 3 passed, 2 failed; exit 1") == (3, 2, 0))
    case("skips should count when there are some", shell("echo 3 passed, 0 failed, 4 skipped") == (3, 0, 4))
    case("a program should fail when it prints nothing", shell("true") == (0, 1, 0))
    case("a program should fail when it stops before its summary", shell("echo 3 passed; kill -SEGV $$") == (0, 1, 0))
    case("a program should fail when the summary is not its last line",
         shell("echo 3 passed, 0 failed; echo more") == (0, 1, 0))
    case("a program should fail when it exits with 1 after a good summary",
         shell("echo 3 passed, 0 failed; exit 1")[1] == 1)
    case("a program should fail when it exits with 0 after a bad summary",
         shell("echo 3 passed, 2 failed")[1] == 3)
    case("a program should fail when it runs no case", shell("echo 0 passed, 0 failed") == (0, 1, 0))
    case("a program should fail when it hangs", shell("exec sleep 60", timeout_s=-9)[1] == 1)


def check_link(name, source, words):
    """A firmware program with this source must not link, for the stated reason."""
    config = Config("mps2-an386")
    app = f"{config.out}/tests/harness/test_harness.elf"
    built, text = config.build(app)
    case("a board's program should link when it is well-behaved", built, text)
    objects = [f"{config.out}/obj/boards/common/{file}.o" for file in ("startup", "startup_cortexm")]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "bad.c")
        with open(program, "w", encoding="ascii") as file:
            file.write(source)
        command = [ARM + "gcc", *CPU, "-Os", "-nostdlib", "-nostartfiles", "-Iport", "-Wl,--gc-sections",
                   "-Lboards/common", f"-Tboards/{config.board}/link.ld", "-o", os.path.join(folder, "bad.elf"),
                   program, *objects, f"{config.out}/libport.a", "-lm", "-lc_nano", "-lnosys", "-lgcc"]
        done = subprocess.run(command, cwd=ROOT, text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    case(name, done.returncode != 0 and words in done.stdout, done.stdout[-300:])


def find_problems(source, table=(), *options):
    """What the stack check says of one source file."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "s.c")
        with open(program, "w", encoding="ascii") as file:
            file.write(source)
        subprocess.run([ARM + "gcc", *CPU, "-Os", "-ffunction-sections", "-fno-optimize-sibling-calls", "-fstack-usage",
                        "-fcallgraph-info=su,da", *options, "-c", "-o", "s.o", "s.c"], cwd=folder, check=True)
        graph = stackdepth.Graph()
        stackdepth.read_callgraph(graph, os.path.join(folder, "s.ci"))
        for callees in graph.calls.values():  # the disassembly must find them again
            callees.discard(stackdepth.INDIRECT)
        stackdepth.read_relocations(graph, ARM + "objdump", os.path.join(folder, "s.o"), "s.c")
        stackdepth.read_addresses(graph, ARM + "objdump", os.path.join(folder, "s.o"), "s.c")
    depths = stackdepth.Depths(graph, stackdepth.read_indirect(table))
    deepest = {name: depths.depth(name)[0] for name in list(graph.frames)}
    return depths, deepest, "; ".join(depths.problems)


def check_stack():
    leaf = "int leaf(int n) { volatile int a[25]; a[n & 15] = n; return a[0]; }\n"
    _, deepest, problems = find_problems(
        leaf.replace("int leaf", "__attribute__((noinline)) int leaf") +
        "int top(int n) { volatile int a[50]; a[n & 31] = n; return leaf(n) + a[0]; }\n")
    case("a stack should be the sum of frames when calls are direct", problems == "" and deepest["top"] >= 300, problems)
    case("recursion should be found when it is indirect",
         "recursion" in find_problems("int b(int); __attribute__((noinline)) int a(int n) { return n ? b(n - 1) + n : 0; }\n"
                                      "__attribute__((noinline)) int b(int n) { return a(n) * 3; }\n")[2])
    case("a frame of no fixed size should be found when an array has a variable length",
         "no fixed size" in find_problems("int f(int *); int g(int n) { int a[n]; f(a); return a[0]; }\nint f(int *a) "
                                          "{ return a[0]; }\n")[2])
    pointer = leaf + "int call(int (*f)(int)) { return f(3) + 1; }\n"
    case("an indirect call should be found when the table lacks it", "not in the table" in find_problems(pointer)[2])
    depths, deepest, problems = find_problems(pointer, ["call=leaf"])
    case("an indirect call should be followed when the table has it",
         problems == "" and deepest["call"] > deepest["leaf"] >= 100 and not depths.unused(), problems)
    case("a line of the table should be reported when no call needs it",
         find_problems(leaf, ["leaf=leaf"])[0].unused() == ["leaf"])
    case("an indirect call should be found when it ends a function",
         "not in the table" in find_problems("void last(void (*f)(void)) { f(); }\n", (), "-foptimize-sibling-calls")[2])
    table = leaf.replace("int leaf", "static int leaf") + "int (*const leaves[])(int) = {leaf};\n"
    case("a function should be found when a table points at it and no line names it",
         find_problems(table)[0].unlisted() == ["s.c:leaf"] and
         find_problems(table + "int call(int i) { return leaves[i](3) + 1; }\n", ["call=leaf"])[0].unlisted() == [])
    case("a function should be found when code takes its address and no line names it",
         ["leaf"] == find_problems(leaf + "int run(int (*f)(int)); int begin(void) { return run(leaf) + 1; }\n")[0].unlisted())
    case("an unknown function should be found when it has no frame",
         "frame unknown" in find_problems("int other(int); int g(int n) { return other(n) + 1; }\n")[2])
    case("a helper should be found when only the compiler calls it",
         "__aeabi_ddiv" in find_problems("double g(double a, double b) { return a / b + 1; }\n")[2])


def check_symbols():
    """No pattern of the allow list lets in what the list is there to keep out."""
    with open(os.path.join(ROOT, "tests/tools/symbols.txt"), encoding="ascii") as file:
        patterns = [line.split("#")[0].strip() for line in file if line.split("#")[0].strip()]
    for name in ("__aeabi_f2d", "__aeabi_d2f", "__aeabi_dadd", "__aeabi_dmul", "__aeabi_i2d", "__muldf3", "__extendsfdf2",
                 "__truncdfsf2", "sqrt", "pow", "malloc", "free", "printf", "puts", "memory", "__errno"):
        case(f"the allow list should refuse {name} when the library uses it",
             not any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns))


class Planted(size.Board):
    """An archive of one object, compiled as the library is."""

    def __init__(self, folder, source):
        super().__init__("mps2-an386")
        self.archive = os.path.join(folder, "planted.a")
        program = os.path.join(folder, "planted.c")
        with open(program, "w", encoding="ascii") as file:
            file.write(source)
        subprocess.run([ARM + "gcc", *CPU, "-Os", "-c", "-o", "planted.o", program], cwd=folder, check=True)
        subprocess.run([ARM + "ar", "rc", self.archive, "planted.o"], cwd=folder, check=True)
        self.defined, self.undefined = self.symbols()


def check_planted():
    """Kind 20 of the faults of embeddings: what must not hide in an object is found there, and nothing else is."""
    for what, n_found, source in (
            ("nothing", 0, "float f(float x) { return x * 2.0f; }\n"),
            ("a constant in double", 1, "float f(float x) { return x * 0.1; }\n"),
            ("the heap", 1, "#include <stdlib.h>\nint *f(void) { return malloc(8); }\n"),
            ("stdio", 1, "#include <stdio.h>\nvoid f(int n) { printf(\"%d\", n); }\n"),
            ("a global", 1, "int calls; int f(void) { return ++calls; }\n"),
            ("a variable that a function keeps", 1, "int f(void) { static int calls = 3; return ++calls; }\n")):
        with tempfile.TemporaryDirectory() as folder:
            board = Planted(folder, source)
            board.check_symbols()
        case(f"test_fault_20: the scan of an object should find {what} when it is there",
             board.count.failed == n_found, "; ".join(board.count.notes))


def check_golden():
    """A hash that differs, is missing or is new fails; the right ones pass."""
    config = Config("host")
    right = golden.read_golden()
    kept = golden.read_golden
    name = sorted(right)[0]
    for what, pairs in (("differs", {**right, name: "00000000"}), ("is missing", {**right, "nowhere": "00000000"}),
                        ("is new", {key: value for key, value in right.items() if key != name})):
        golden.read_golden = lambda pairs=pairs: pairs
        case(f"golden should fail when a hash {what}", golden.count_config(config).failed == 1)
    golden.read_golden = kept


def check_readme():
    """A block that differs, is missing or has no maker fails; so do a program that prints something else and a dead link."""
    def verdict(check, *arguments):
        count = Count()
        check(count, *arguments)
        return count.failed > 0
    names = sorted(readme.BLOCKS)
    fresh = {name: f"text of {name}" for name in names} | {"test": "...\n7 passed, 0 failed"}
    whole = "".join(f"<!-- begin {name} -->\n{fresh[name]}\n<!-- end {name} -->\n" for name in names)
    case("README.md should pass when its blocks are fresh", not verdict(readme.check_blocks, whole, fresh))
    case("README.md should fail when a block is stale",
         verdict(readme.check_blocks, whole, {**fresh, "api": "text of a new module"}))
    case("README.md should fail when a block is missing",
         verdict(readme.check_blocks, whole.replace("begin api", "begin none"), fresh))
    case("README.md should fail when it shows a run with failures",
         verdict(readme.check_blocks, whole.replace("7 passed, 0", "7 passed, 3"), fresh))
    case("README.md should fail when it names what is not there", verdict(readme.check_links, "see [x](no/such/file)"))
    case("README.md should fail when it names no target of make", verdict(readme.check_links, "`make nothing`"))
    readme.PROGRAM_BOARDS = ["host"]
    text = '<!-- program -->\n```c\n#include <stdio.h>\nint main(void)\n{\n    printf("1\\n");\n    return 0;\n}\n```\n<!-- output -->\n' \
           '```text\n1\n```\n'
    case("the program should pass when it prints what is shown", not verdict(readme.check_programs, text))
    case("the program should fail when it prints something else",
         verdict(readme.check_programs, text.replace("text\n1", "text\n2")))
    case("the program should fail when it is the second and prints something else",
         verdict(readme.check_programs, text + text.replace("text\n1", "text\n2")))
    case("the program should fail when it does not compile",
         verdict(readme.check_programs, text.replace("printf", "float f = 1.0; printf")))


def main():
    check_counting()
    check_link("a link should fail when the heap is used",
               '#include <stdlib.h>\nvoid *volatile kept;\nint port_main(void) { kept = malloc(8); return 0; }\n',
               "malloc is linked in")
    check_link("a link should fail when static data runs into the stack",
               "static volatile char much[60000];\nint port_main(void) { return much[59999]; }\n", "RAM overflow")
    check_stack()
    check_symbols()
    check_planted()
    check_golden()
    check_readme()
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
