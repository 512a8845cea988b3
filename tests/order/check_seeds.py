# SPDX-License-Identifier: MIT
# Copyright (c) the r9v authors
"""Runs a test program under many seeds of the emulator."""
import argparse
import os
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, required=True)
    parser.add_argument("program")
    arguments = parser.parse_args()
    failed = []
    for seed in range(1, arguments.seeds + 1):
        done = subprocess.run([arguments.program], env={**os.environ, "R9V_EMULATOR_SEED": str(seed)},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            failed.append(seed)
            print(done.stdout[-4000:])
    print(f"{arguments.seeds} seeds, failed: {failed or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
