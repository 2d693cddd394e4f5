#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""golden.py [--update] [--jobs N]: the same bits on every board, with every compiler, at every optimization: all of
them here, a part of them in `make test`.

Each tests/golden/golden_*.c prints lines `name hash`; all must be in golden.txt with that hash, and no name there may
be missing. --update writes golden.txt from the host's gcc -O2; every other configuration must still agree."""
import argparse
import concurrent.futures
import os
import sys

from building import BOARDS, OPTS, ROOT, TOOLCHAINS, Config, Count, print_notes, run, tail

GOLDEN = os.path.join(ROOT, "tests/golden/golden.txt")


def read_golden():
    pairs = {}
    with open(GOLDEN, encoding="ascii") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                pairs[words[0]] = words[1]
    return pairs


def print_hashes(config):
    """Returns ({name: hash}, notes) of one built configuration."""
    pairs, notes = {}, []
    for program in config.value("GOLDEN_PROGRAMS"):
        if not os.path.exists(os.path.join(ROOT, program)):
            notes.append(f"{program}: not built")
            continue
        code, text = run([f"boards/{config.board}/run", program])
        if code != 0:
            notes.append(f"{program}: exit code {code}\n{tail(text)}")
        for line in text.splitlines():
            words = line.split()
            if len(words) != 2 or words[0] in pairs:
                notes.append(f"{program}: unexpected line, or a name twice: {line}")
            else:
                pairs[words[0]] = words[1]
    return pairs, notes


def count_config(config):
    """Builds and compares one configuration: a passed case for each equal hash."""
    count = Count()
    built, text = config.build("golden-programs")
    if not built:
        count.fail(f"golden {config}: build failed\n{tail(text)}")
        return count
    pairs, notes = print_hashes(config)
    for note in notes:
        count.fail(note)
    want = read_golden()
    for name in sorted(set(pairs) | set(want)):
        if pairs.get(name) == want.get(name):
            count.passed += 1
        else:
            count.fail(f"golden {config}: {name} is {pairs.get(name)}, want {want.get(name)}")
    return count


def all_configs():
    return [Config(board, toolchain, opt) for board in BOARDS for toolchain in TOOLCHAINS for opt in OPTS]


def chosen_configs():
    """What `make test` compares: the host with everything; each board as its tests are built, and with one more
    configuration, in rotation, so that the boards between them see every compiler at every optimization."""
    configs = [Config("host", toolchain, opt) for toolchain in TOOLCHAINS for opt in OPTS]
    for turn, board in enumerate(board for board in BOARDS if board != "host"):
        others = [config for config in all_configs() if config.board == board and str(config) != str(Config(board))]
        configs += [Config(board), others[2 * turn % len(others)]]
    return configs


def update():
    config = Config("host")
    built, text = config.build("golden-programs")
    pairs, notes = print_hashes(config) if built else ({}, [tail(text)])
    if notes:
        sys.exit("\n".join(notes))
    with open(GOLDEN, "w", encoding="ascii") as file:
        file.write("# name hash: `python3 tests/tools/golden.py --update` writes this file.\n")
        file.writelines(f"{name} {pairs[name]}\n" for name in sorted(pairs))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.update:
        update()
    total = Count()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        configs = all_configs()
        for config, count in zip(configs, pool.map(count_config, configs)):
            print(f"{'FAIL' if count.failed else 'ok':4} {str(config):24} {count}", flush=True)
            total.add(count)
    print_notes(total.notes)
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
