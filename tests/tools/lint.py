#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lint.py [--format]: the style and interface rules that a script can check. One case for each rule; failures name file and
line. --format: formats every C file and does nothing else."""
import argparse
import collections
import concurrent.futures
import glob
import hashlib
import os
import re
import subprocess
import sys

from building import ROOT, Config, Count, tail

LINES_MAX, FUNCTION_LINES_MAX, COLUMNS_MAX = 600, 60, 130
COMPLEXITY_MAX, NESTING_MAX = 10, 3
STANDARD_HEADERS = {"stdint.h", "stddef.h", "stdbool.h", "float.h", "math.h", "string.h", "limits.h"}
# core <- sample, place, walk <- embed, locate <- node
LEVELS = {"core": 0, "sample": 1, "place": 1, "walk": 1, "embed": 2, "locate": 2, "node": 3}
HEAP_AND_IO = r"\b(malloc|calloc|realloc|free|alloca|printf|sprintf|snprintf|puts|fopen|abort|exit|assert)\s*\("
COMPILE = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wundef", "-Werror",
           "-fsyntax-only", "-Iinclude", "-Isrc"]


def tracked(*patterns):
    """Files git knows or would add, so that build products and private notes don't count."""
    try:
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns], cwd=ROOT, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.split("\n")
    except FileNotFoundError:
        listed = []
    if not any(listed):  # no git, or no repository: an unpacked archive
        listed = [path for pattern in patterns for path in glob.glob("**/" + pattern, recursive=True, root_dir=ROOT)
                  if not path.startswith("build/")]
    return sorted(path for path in set(listed) if path and os.path.isfile(path))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def without_comments(text):
    """C text with comments and strings blanked, lines kept."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0]) if match[0][0] == "/" else '""' if match[0][0] == '"' else "' '"
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)


C_FILES = tracked("*.c", "*.h")
LIBRARY_FILES = [path for path in C_FILES if path.startswith(("src/", "include/"))]
HEADERS = [path for path in C_FILES if path.startswith("include/cairn/")]
SOURCES = [path for path in C_FILES if path.startswith("src/") and path.endswith(".c")]


def grep(paths, pattern, code_only=True):
    found = []
    for path in paths:
        text = without_comments(read(path)) if code_only else read(path)
        for number, line in enumerate(text.split("\n"), 1):
            if re.search(pattern, line):
                found.append(f"{path}:{number}: {line.strip()[:100]}")
    return found


def functions(path):
    """(first line number, name, lines) of each function; our brace style puts both braces in the first column."""
    lines = without_comments(read(path)).split("\n")
    start = None
    for i, line in enumerate(lines):
        if line == "{":
            start = i
        elif line == "}" and start is not None:
            head = " ".join(lines[max(0, start - 4):start])
            names = re.findall(r"(\w+)\s*\(", head.split(";")[-1].split("}")[-1])
            yield start + 1, names[0] if names else "?", lines[start:i + 1]
            start = None


# --- rules: each returns a list of what breaks it --------------------------------------------------------------------

def spdx_and_purpose_should_open_every_file():
    bad = []
    for path in tracked("*.c", "*.h", "*.py", "*.sh", "*.mk", "*.ld", "Makefile"):
        lines = read(path).split("\n")[:3]
        lines = lines[1:] if lines[0].startswith("#!") else lines
        if "SPDX-License-Identifier: MIT" not in lines[0] or len(lines[1].strip()) < 8:
            bad.append(path)
    return bad


def files_should_be_short():
    return [f"{path}: {n} lines" for path in tracked("*.c", "*.h", "*.py", "*.mk", "*.sh", "Makefile")
            if (n := read(path).count("\n")) > LINES_MAX]


def functions_should_be_short():
    return [f"{path}:{number}: {name}, {len(lines)} lines" for path in C_FILES if path.endswith(".c")
            for number, name, lines in functions(path) if len(lines) > FUNCTION_LINES_MAX + 2]


def library_functions_should_be_simple():
    bad = []
    for path in SOURCES:
        for number, name, lines in functions(path):
            body = "\n".join(lines)
            # decisions as McCabe counted them; a list of argument checks joined by || is one
            complexity = 1 + len(re.findall(r"\b(?:if|for|while|case)\b|\?", body))
            deepest = max((len(line) - len(line.lstrip()) for line in lines
                           if re.match(r"\s*(if|for|while|switch|do)\b", line)), default=0) // 4
            if complexity > COMPLEXITY_MAX:
                bad.append(f"{path}:{number}: {name}, complexity {complexity} > {COMPLEXITY_MAX}")
            if deepest > NESTING_MAX:
                bad.append(f"{path}:{number}: {name}, nesting {deepest} > {NESTING_MAX}")
    return bad


def text_should_be_clean():
    paths = tracked("*.c", "*.h", "*.py", "*.sh", "*.mk", "*.ld", "Makefile")
    bad = grep([path for path in paths if path != "Makefile" and not path.endswith(".mk")], r"\t", False)
    bad += grep(paths, r"[ \t]+$|[^\x00-\x7F]", False)
    bad += grep(C_FILES, r"^.{%d,}$" % (COLUMNS_MAX + 1), False)
    return bad + [f"{path}: no newline at its end" for path in paths if not read(path).endswith("\n")]


def sources_should_be_formatted():
    """As .clang-format says; of other versions of the tool we know nothing, they differ in details."""
    told = subprocess.run(["clang-format", "--version"], text=True, stdout=subprocess.PIPE, check=False).stdout
    if " 14." not in told:
        return []
    done = subprocess.run(["clang-format", "--dry-run", *C_FILES], cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    places = re.findall(r"^(\S+?):(\d+):\d+: (?:warning|error): code should be", done.stdout, re.M)
    first = {path: number for path, number in reversed(places)}
    return [f"{path}:{number}: clang-format -i {path}" for path, number in sorted(first.items())]


def library_should_include_only_what_is_portable():
    bad = []
    for path in LIBRARY_FILES:
        for number, line in enumerate(read(path).split("\n"), 1):
            include = re.match(r'\s*#\s*include\s+(?:<([^>]+)>|"([^"]+)")', line)
            if include and include[1] and include[1] not in STANDARD_HEADERS:
                bad.append(f"{path}:{number}: <{include[1]}>")
            if include and include[2] and include[2].startswith(("port", "boards", "tests")):
                bad.append(f"{path}:{number}: {include[2]}")
    return bad


def families_should_depend_one_way():
    homes = {os.path.basename(path)[:-2]: path.split("/")[1] for path in SOURCES}
    bad = []
    for path in SOURCES + [p for p in C_FILES if p.startswith("src/") and p.endswith(".h")]:
        family = path.split("/")[1]
        if family not in LEVELS:
            bad.append(f"{path}: unknown family {family}")
            continue
        for module in re.findall(r'#\s*include\s+["<](?:cairn/|\w+/)?(\w+?)(?:_internal)?\.h[">]', read(path)):
            home = homes.get(module, family)
            if home != family and LEVELS.get(home, 9) >= LEVELS[family]:
                bad.append(f"{path}: {family} uses {module} of {home}")
    return bad


def library_should_have_no_heap_and_no_output():
    return grep(LIBRARY_FILES, HEAP_AND_IO)


def library_should_have_no_double():
    return [line for line in grep(LIBRARY_FILES, r"\bdouble\b") if "include/cairn/real.h" not in line]


def guards_should_put_the_good_case_in_the_comparison():
    return grep(LIBRARY_FILES, r"<=\s*0\.0f?\b")


def library_should_have_no_unfinished_work():
    return grep(C_FILES, r"\b(TODO|FIXME|XXX|HACK)\b", False)


def tree_should_not_name_machines():
    own = "tests/tools/lint.py"
    paths = [path for path in tracked("*.c", "*.h", "*.py", "*.sh", "*.mk", "*.md", "Makefile", "boards/*/run")
             if path != own]
    return grep(paths, r"/(work|farm|root|home)/", False)


def source_names_should_be_unique():
    counts = collections.Counter(os.path.basename(path) for path in SOURCES)
    return [name for name, n in counts.items() if n > 1]


def public_names_should_carry_the_prefix():
    config = Config("host")
    built, text = config.build("library")
    if not built:
        return [tail(text)]
    listed = subprocess.run(["nm", "-g", "--defined-only", f"{config.out}/libcairn.a"], cwd=ROOT, text=True,
                            stdout=subprocess.PIPE, check=True).stdout
    names = re.findall(r"^[0-9a-f]+ \w (\w+)$", listed, re.M)
    bad = [f"symbol {name}" for name in names if not name.startswith("cairn_")]
    for path in HEADERS:
        for name in re.findall(r"^#\s*define\s+(\w+)", without_comments(read(path)), re.M):
            if not name.startswith("CAIRN_"):
                bad.append(f"{path}: macro {name}")
    return bad


def umbrella_should_include_every_header():
    reached, waiting = set(), ["include/cairn/cairn.h"]
    while waiting:
        path = waiting.pop()
        if path not in reached and path in HEADERS:
            reached.add(path)
            waiting += [f"include/cairn/{name}.h" for name in re.findall(r'#\s*include\s+["<]cairn/(\w+)\.h', read(path))]
    return sorted(set(HEADERS) - reached)


def compile_each(paths, compilers, *flags):
    """Compiles sources; headers as the first thing that an otherwise empty program includes."""
    bad = []
    for compiler in compilers:
        for path in paths:
            source = "-" if path.endswith(".h") else path
            done = subprocess.run([*compiler, *flags, source], cwd=ROOT, text=True, check=False,
                                  input=f'#include "{path}"\nextern int not_empty;\n',
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                bad.append(f"{' '.join(compiler)} {path}\n{tail(done.stdout, 6)}")
    return bad


def headers_should_compile_alone_in_every_language():
    flags = ["-pedantic", "-Wall", "-Wextra", "-Wundef", "-Werror", "-fsyntax-only", "-Iinclude", "-Iport", "-I."]
    headers = HEADERS + ["port/port.h"]
    compilers = [[tool, "-x", "c", "-std=" + std] for tool in ("gcc", "clang") for std in ("c99", "c11", "c17")]
    return compile_each(headers, compilers + [["g++", "-x", "c++", "-std=c++11"]], *flags)


def library_should_compile_in_later_standards():
    flags = COMPILE[1:]
    return compile_each(SOURCES, [["gcc", "-std=c11"], ["gcc", "-std=c17"]], *flags)


def library_should_compile_for_16_bit_int():
    """MSP430: int and size_t have 16 bits. Its compiler is clang; the C headers are those of newlib."""
    if not os.path.exists("/usr/include/newlib/math.h"):
        return []
    return compile_each(SOURCES, [["clang", "--target=msp430-none-elf", "-isystem", "/usr/include/newlib"]],
                        *[flag for flag in COMPILE if flag != "-Wconversion"],
                        "-Wno-tautological-constant-out-of-range-compare")


def fast_math_should_be_refused():
    bad = []
    for compiler in ("gcc", "clang"):
        done = subprocess.run([compiler, "-std=c99", "-ffast-math", "-fsyntax-only", "-Iinclude", "-x", "c", "-"],
                              input="#include <cairn/cairn.h>\n", cwd=ROOT, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 0:
            bad.append(f"{compiler} -ffast-math compiles")
    return bad


def declarations(path):
    """(name, parameters, comment before it) of each function a header declares."""
    text = read(path)
    pattern = r"(?:/\*\*(?P<doc>(?:[^*]|\*(?!/))*)\*/\s*)?^(?!\s|#|typedef|return)[\w \*]*?\b(?P<name>cairn_\w+|port_\w+)" \
              r"\((?P<args>[^;{}]*)\)\s*[;{]"
    for match in re.finditer(pattern, text, re.M):
        yield match["name"], match["args"], match["doc"]


def tidy(path):
    """What clang-tidy says of a source and its headers; kept under build/lint until one of them changes."""
    flags = ["-std=c99", "-Iinclude", "-Isrc"]
    text = subprocess.run(["gcc", "-E", *flags, path], cwd=ROOT, stdout=subprocess.PIPE, check=False).stdout
    kept = f"build/lint/{hashlib.sha1(text + read(path).encode() + read('.clang-tidy').encode()).hexdigest()}"
    if os.path.exists(kept):
        return []
    done = subprocess.run(["clang-tidy", "--quiet", path, "--", *flags], cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    found = [line.replace(ROOT + "/", "") for line in done.stdout.split("\n") if re.search(r": (warning|error): ", line)]
    if done.returncode == 0 and not found:
        os.makedirs("build/lint", exist_ok=True)
        with open(kept, "w", encoding="ascii"):
            pass
    return found or ([] if done.returncode == 0 else [f"{path}: clang-tidy failed, {tail(done.stdout, 3)}"])


def clang_tidy_should_find_nothing():
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return sorted({line for found in pool.map(tidy, SOURCES) for line in found})


def cppcheck_should_find_nothing():
    """variableScope: arrays are declared with their peers, at the top. knownConditionTrueFalse: it follows one path to
    a condition and forgets the others. The macros are those the caller may set. What is unchanged it remembers."""
    os.makedirs("build/lint/cppcheck", exist_ok=True)
    done = subprocess.run(["cppcheck", "-q", "--enable=warning,style,performance,portability", "--std=c99",
                           "--inline-suppr", "--suppress=variableScope", "--suppress=knownConditionTrueFalse",
                           "--suppress=missingIncludeSystem", "--cppcheck-build-dir=build/lint/cppcheck",
                           "-UCAIRN_CONFIG_FILE", "-UCAIRN_REAL_DOUBLE", "-Iinclude", "-Isrc", "src"], cwd=ROOT,
                          text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return re.findall(r"^\S+:\d+:\d+: .*", done.stdout, re.M)


def public_functions_should_be_documented():
    bad = []
    for path in HEADERS + ["port/port.h"]:
        for name, arguments, comment in declarations(path):
            if comment is None:
                bad.append(f"{path}: {name} has no comment of its own")
                continue
            arguments = re.sub(r"/\*.*?\*/", "", arguments, flags=re.S)
            for argument in arguments.split(","):
                words = re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", argument))
                if len(words) > 1 and not re.search(rf"\b{words[-1]}\b", comment):
                    bad.append(f"{path}: {name}: {words[-1]} is not explained")
    return bad


def status_codes_in_comments_should_exist():
    known = {name for path in HEADERS + ["port/port.h"] for name in re.findall(r"\b(?:CAIRN|PORT)_\w+",
                                                                               without_comments(read(path)))}
    bad = []
    for path in HEADERS + ["port/port.h"]:
        for name in set(re.findall(r"\b((?:CAIRN_ERR|PORT)_[A-Z]\w*[A-Z])\b", read(path))):
            if name not in known:
                bad.append(f"{path}: {name}")
    return bad


def test_cases_should_say_what_they_test():
    bad = []
    for path in C_FILES:
        if path.startswith("tests/") and os.path.basename(path).startswith("test_"):
            text = without_comments(read(path))
            names = re.findall(r"^TEST\((\w+)\)", text, re.M)
            bad += [f"{path}: {name}" for name in names
                    if not re.match(r"test_\w+_should_\w+_when_\w+$", name)]
            bad += [f"{path}: {name} is not in the list" for name in names
                    if len(re.findall(rf"\b{name}\b", text)) < 2]
    return bad


def faults_should_be_covered_by_cases_that_exist():
    """The table of tests/README.md: each kind of bad input has a case, and the named cases are there."""
    path = "tests/README.md"
    known = set()
    for source in tracked("tests/*.c", "tests/*.py"):
        known |= set(re.findall(r"^(?:TEST\(|def )(\w+)", read(source), re.M))
    bad = []
    for number, line in enumerate(read(path).split("\n"), 1):
        if line.startswith("| ") and not line.startswith(("| bad input", "| ---")):
            names = re.findall(r"`(\w+)`", line)
            bad += [f"{path}:{number}: {name} is no case" for name in names if name not in known]
            bad += [] if names else [f"{path}:{number}: no case"]
    return bad


def scripts_should_parse():
    bad = []
    for path in tracked("*.sh", "boards/*/run", "boards/common/qemu", "tests/tools/deps", ".ci/run"):
        shell = "bash" if "bash" in read(path).split("\n")[0] else "sh"
        if subprocess.run([shell, "-n", path], cwd=ROOT, check=False, stderr=subprocess.DEVNULL).returncode != 0:
            bad.append(path)
    for path in tracked("*.py"):
        try:
            compile(read(path), path, "exec")
        except SyntaxError as error:
            bad.append(f"{path}: {error}")
    return bad


def tools_should_say_what_they_do_when_asked():
    bad = []
    for path in tracked("tests/tools/*.py", "tests/tools/deps"):
        if path.endswith(".py") and "__main__" not in read(path):
            continue
        command = [sys.executable if path.endswith(".py") else "sh", path, "--help"]
        asked = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
        if asked.returncode != 0 or os.path.basename(path) not in asked.stdout:
            bad.append(f"{path} --help: exit code {asked.returncode}, {asked.stdout[:60]!r}")
    return bad


RULES = [value for name, value in list(globals().items()) if "_should_" in name and callable(value)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--format", action="store_true", help="write every C file as .clang-format says, check nothing")
    os.chdir(ROOT)
    if parser.parse_args().format:
        return subprocess.run(["clang-format", "-i", *C_FILES], check=False).returncode
    count = Count()
    for rule in RULES:
        bad = rule()
        name = rule.__name__.replace("_", " ")
        if bad:
            more = [f"  ... {len(bad) - 20} more"] if len(bad) > 20 else []
            count.fail(f"FAIL {name}:\n" + "\n".join("  " + line for line in bad[:20] + more))
        else:
            count.passed += 1
    for note in count.notes:
        print(note)
    print(count)
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
