#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fuzzes beacon and node: 500,000 inputs under the sanitizers, 10 million without. FUZZ_INPUTS: another number."""
import glob
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUTS = int(os.environ.get("FUZZ_INPUTS", "10000000"))
SANITIZE = ["-O1", "-g", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]


def fuzz(name, flags, n_inputs, seed):
    out = f"build/fuzz/{name}"
    sources = ["tests/fuzz/fuzz_node.c"] + sorted(glob.glob("src/node/*.c", root_dir=ROOT) +
                                                  glob.glob("src/core/*.c", root_dir=ROOT))
    subprocess.run(["gcc", "-std=c99", *flags, "-Iinclude", "-Isrc", "-o", out, *sources, "-lm"], cwd=ROOT, check=True)
    done = subprocess.run([out, str(n_inputs), str(seed)], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        print(f"FAIL fuzz {name}, seed {seed}:\n{done.stdout[-2000:]}")
    return done.returncode == 0


def main():
    os.makedirs(os.path.join(ROOT, "build/fuzz"), exist_ok=True)
    results = [fuzz("node-sanitized", SANITIZE, INPUTS // 20, 2), fuzz("node", ["-O2"], INPUTS, 1)]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
