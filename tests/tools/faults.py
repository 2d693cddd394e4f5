#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""faults.py: proves that each emulated board carries arguments and exit codes, and reports what goes wrong."""
import argparse
import re
import sys

from building import BOARDS, SWARM_BOARDS, Config, Count, print_notes, run, tail

STACK_OVERFLOW, FAULT = 98, 99
# argument: (exit code, pattern that must be printed)
CASES = {
    "seven, eight": (7, ""),
    "nothing": (0, ""),
    "stack": (STACK_OVERFLOW, "STACK OVERFLOW"),
    "instruction": (FAULT, "pc=[018][08]000"),  # where flash begins
}
# no MPU there: a small overflow is found by the paint, when the program ends
BY_BOARD = {"microbit": {"unaligned": (FAULT, "FAULT"), "stack-by-a-little": (STACK_OVERFLOW, "STACK OVERFLOW")}}


def is_at_the_guard(board, argument, text):
    """Where the processor can guard the stack's end, an overflow is stopped there and not somewhere below."""
    if argument != "stack" or board == "microbit":
        return True
    found = re.search(r"sp=([0-9a-f]{8}) end=([0-9a-f]{8})", text)
    return found is not None and abs(int(found[1], 16) - int(found[2], 16)) <= 512


def count_board(board):
    count = Count()
    config = Config(board)
    elf = f"{config.out}/apps/faults.elf"
    built, text = config.build(elf)
    if not built:
        count.fail(f"{config}: build failed\n{tail(text)}")
        return count
    for argument, (want, said) in {**CASES, **BY_BOARD.get(board, {})}.items():
        code, text = run([f"boards/{board}/run", elf, argument])
        says = said.replace("pc=", " mepc=" if board.startswith("rv32") else " pc=")
        if code == want and re.search(says, text) and is_at_the_guard(board, argument, text):
            count.passed += 1
        else:
            count.fail(f"{board}: faults '{argument}': exit code {code}, want {want}: {tail(text)}")
    return count


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    total = Count()
    for board in BOARDS + SWARM_BOARDS:
        if board != "host":
            total.add(count_board(board))
    print_notes(total.notes)
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
