#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A small swarm of emulated nodes, and the native studies of 24 nodes that are quick."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NATIVE = ["24", "24-restart", "24-rough"]


def make(*arguments):
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BOARD")}
    done = subprocess.run(["make", "--no-print-directory", *arguments], cwd=ROOT, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        print(f"FAIL make {' '.join(arguments)}:\n{done.stdout[-2000:]}")
    elif "took their places" in done.stdout:
        print(f"make {' '.join(arguments)}: an ambiguous network was replaced by that of the next seed:\n{done.stdout}")
    return done.returncode == 0


def main():
    results = [make("swarm-native", f"ARGS={name} exact") for name in NATIVE]
    results.append(make("swarm", "NODES=8", "NETWORKS=1", "ROUNDS=30"))
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
