# SPDX-License-Identifier: MIT
"""Worst-case stack depth of every function of the library, and what makes it unbounded.

Frames come from gcc (-fstack-usage -fcallgraph-info=su,da), calls from gcc and from the disassembled objects (gcc
doesn't list the calls it makes up itself, such as float helpers). What the library calls in libm and libgcc has no such
files: its frames and calls are read from the disassembly of a linked image.

An indirect call needs a line in the table, and a function whose address is taken must be the callee of one."""
import re
import subprocess

INDIRECT = "__indirect_call"
NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
FRAME = re.compile(r"(\d+) bytes \(([\w,]+)\)")
FUNCTION = re.compile(r"^[0-9a-f]+ <(?!\.L)([^>]+)>:$")  # RISC-V objects have local labels too
RELOCATION = re.compile(r"^\s+[0-9a-f]+: (R_\w+)\s+(\S+)")
CALLS = ("R_ARM_THM_CALL", "R_ARM_THM_JUMP24", "R_ARM_THM_JUMP11", "R_RISCV_CALL", "R_RISCV_CALL_PLT", "R_RISCV_JAL",
         "R_RISCV_RVC_JUMP")
ADDRESSES = ("R_ARM_ABS32", "R_ARM_THM_MOVW_ABS_NC", "R_ARM_THM_MOVT_ABS", "R_RISCV_32", "R_RISCV_HI20", "R_RISCV_PCREL_HI20")
# bx with another register than lr is a call at the end of a function; jr may as well be a switch, gcc tells
INDIRECT_CALL = re.compile(r"^\s+[0-9a-f]+:\s+(?:blx\s+\w+|bx\s+(?!lr)\w+|(?:c\.)?jalr\s+.*)$")
# Thumb-1 with arguments of its caller on the stack returns by pop {r3}; add sp; bx r3
RETURN = re.compile(r"\bpop\t\{(\w+)\}\n(?:[^\n]*\badd\tsp, [^\n]*\n)?[^\n]*\bbx\t\1$", re.MULTILINE)


class Graph:
    def __init__(self):
        self.frames, self.calls, self.dynamic, self.external_indirect = {}, {}, set(), set()
        self.pointed_at = set()  # functions whose address is taken

    def call(self, caller, callee):
        self.calls.setdefault(caller, set()).add(callee)


def read_callgraph(graph, path):
    """One .ci file of gcc. Static functions are called file:name there, and here."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            node, edge = NODE.match(line), EDGE.match(line)
            if node:
                frame = FRAME.search(node[2])
                if frame:
                    graph.frames[node[1]] = int(frame[1])
                    if frame[2] != "static":
                        graph.dynamic.add(node[1])
            elif edge:
                graph.call(edge[1], edge[2])


def _titled(graph, source, name):
    """The name of the call graph for a symbol of an object: static functions carry their file."""
    for title in (f"{source}:{name}", f"{source}:{name.split('.')[0]}"):
        if title in graph.frames:
            return title
    return name


def read_relocations(graph, objdump, path, source):
    """Calls of one object file."""
    text = subprocess.run([objdump, "-dr", "--no-show-raw-insn", path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    caller, is_direct = None, False
    for line in RETURN.sub("", text).splitlines():
        function, relocation = FUNCTION.match(line), RELOCATION.match(line)
        if function:
            caller = _titled(graph, source, function[1])
        elif INDIRECT_CALL.search(line):
            if caller and not is_direct:
                graph.call(caller, INDIRECT)
            is_direct = False
        elif relocation and caller and relocation[1] in CALLS:
            is_direct = relocation[1].startswith("R_RISCV_CALL")  # of the pair auipc, jalr
            name = re.sub(r"[+-]0x[0-9a-f]+$", "", relocation[2])
            name = re.sub(r"^\.text\.", "", name)
            callee = _titled(graph, source, name)
            if not name.startswith((".L", "*ABS*", ".text")) and callee != caller:
                graph.call(caller, callee)


def read_addresses(graph, objdump, path, source):
    """The functions whose address one object file takes, in code or in a table."""
    text = subprocess.run([objdump, "-r", path], check=True, text=True, stdout=subprocess.PIPE).stdout
    section = ""
    for line in text.splitlines():
        records, words = re.match(r"RELOCATION RECORDS FOR \[(.*)\]:", line), line.split()
        if records:
            section = records[1]
        elif len(words) == 3 and words[1] in ADDRESSES and section.startswith((".text", ".rodata", ".srodata", ".data")):
            name = _titled(graph, source, re.sub(r"[+-]0x[0-9a-f]+$", "", re.sub(r"^\.text\.", "", words[2])))
            if name in graph.frames:
                graph.pointed_at.add(name)


def _register_bytes(registers, size):
    total = 0
    for part in registers.split(","):
        ends = [int(n) for n in re.findall(r"\d+", part)]
        total += size * (ends[1] - ends[0] + 1 if len(ends) == 2 and "-" in part else 1)
    return total


def _frame_growth(instruction):
    """Bytes by which one disassembled instruction moves the stack pointer down."""
    pushed = re.match(r"(?:push(?:\.w)?|stmdb(?:\.w)?\s+sp!,)\s*\{([^}]*)\}", instruction)
    if pushed:
        return _register_bytes(pushed[1], 4)
    floats = re.match(r"(?:vpush|vstmdb\s+sp!,)\s*\{([sd])([^}]*)\}", instruction)
    if floats:
        return _register_bytes(floats[1] + floats[2], 4 if floats[1] == "s" else 8)
    lowered = re.match(r"(?:subw?(?:\.w)?\s+sp,(?: sp,)? #|addi\s+sp,sp,-|str\s+\w+, \[sp, #-)(\d+)", instruction)
    return int(lowered[1]) if lowered else 0


def _add_aliases(graph, nm, path):
    """The disassembly gives one name to each address; the others are its equals."""
    text = subprocess.run([nm, path], check=True, text=True, stdout=subprocess.PIPE).stdout
    at = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "tTwW":
            at.setdefault(words[0], []).append(words[2])
    for names in at.values():
        known = [name for name in names if name in graph.frames]
        for name in names:
            if known and name not in graph.frames:
                graph.frames[name] = 0
                graph.call(name, known[0])


def read_image(graph, prefix, path):
    """Frames and calls of what was linked from the C libraries, where gcc left no files."""
    objdump = prefix + "objdump"
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    name, known = None, set(graph.frames)
    for line in text.splitlines():
        function = FUNCTION.match(line)
        if function:
            name = function[1]
            graph.frames.setdefault(name, 0)
        elif name and name not in known and "\t" in line:
            instruction = " ".join(line.split("\t")[1:]).strip()
            graph.frames[name] += _frame_growth(instruction)
            target = re.search(r"<([^>+]+)>", instruction)
            if target and target[1] != name and re.match(r"(b|j|tail|call|cb)", instruction):
                graph.call(name, target[1])
            elif re.match(r"(blx|jalr)\s+[a-z]\w*$", instruction):  # jumps without a link are switches and returns
                graph.external_indirect.add(name)
    _add_aliases(graph, prefix + "nm", path)


def read_indirect(lines):
    """{scope: {caller: [callees]}} of the table; the scope "" holds everywhere. "-": none of ours."""
    table = {"": {}}
    for line in lines:
        left, callees = line.split("=")
        scope, caller = left.split("/") if "/" in left else ("", left)
        table.setdefault(scope, {})[caller] = [] if callees == "-" else callees.split(",")
    return table


class Depths:
    """Depth of each function; `problems` collects what has no bound.

    Below a function that has a scope in the table, the scope's lines replace the general ones."""

    def __init__(self, graph, table, scope=""):
        self.graph, self.table, self.scope = graph, table, scope
        self.indirect = {**table[""], **table[scope]}
        self.problems, self.used, self.memo, self.scoped = set(), set(), {}, {}

    def _callees(self, name):
        callees = set(self.graph.calls.get(name, ()))
        if INDIRECT in callees:
            callees.discard(INDIRECT)
            bare = name.split(":")[-1].split(".")[0]
            if bare in self.indirect:
                self.used.add((self.scope if bare in self.table[self.scope] else "", bare))
                callees |= self._resolve(self.indirect[bare])
            else:
                self.problems.add(f"indirect call not in the table: {name}")
        return sorted(callees)

    def _resolve(self, names):
        """Titles of the functions named in the table, static ones included; unknown names are problems."""
        found = set()
        for name in names:
            titles = {title for title in self.graph.frames if title.split(":")[-1] == name}
            if not titles:
                self.problems.add(f"the table names an unknown function: {name}")
            found |= titles
        return found

    def _below_scope(self, name, path):
        bare = name.split(":")[-1]
        if bare not in self.scoped:
            self.scoped[bare] = Depths(self.graph, self.table, bare)
        inner = self.scoped[bare]
        found = inner.depth(name, path)
        self.problems |= inner.problems
        self.used |= inner.used
        return found

    def depth(self, name, path=()):
        """(bytes, deepest path) including the function's own frame."""
        if name in path:
            self.problems.add("recursion: " + " > ".join(path[path.index(name):] + (name,)))
            return 0, ()
        bare = name.split(":")[-1]
        if bare in self.table and bare != self.scope and name not in self.memo:
            self.memo[name] = self._below_scope(name, path)
        if name not in self.memo:
            if name in self.graph.dynamic:
                self.problems.add(f"frame of no fixed size: {name}")
            if name in self.graph.external_indirect:
                self.problems.add(f"indirect call in a library function: {name}")
            if name not in self.graph.frames:
                self.problems.add(f"frame unknown: {name}")
            deepest = max((self.depth(callee, path + (name,)) for callee in self._callees(name)),
                          key=lambda found: found[0], default=(0, ()))
            self.memo[name] = (self.graph.frames.get(name, 0) + deepest[0], (name,) + deepest[1])
        return self.memo[name]

    def unlisted(self):
        """Functions that something points at, and that no line of the table has for a callee."""
        listed = {callee for callers in self.table.values() for callees in callers.values() for callee in callees}
        return sorted(name for name in self.graph.pointed_at if name.split(":")[-1].split(".")[0] not in listed)

    def unused(self):
        """Lines of the table that no indirect call needed."""
        lines = {(scope, caller) for scope, callers in self.table.items() for caller in callers}
        return sorted(f"{scope}/{caller}".lstrip("/") for scope, caller in lines - self.used)
