#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Has Spin look through all that each model beside this file can do: run.py [NAME...]

Each is checked as it is, and again as each " * with NAME=VALUE..." line of its header says. Nothing may be wrong
then. Each " * fault NAME" line is a fault that -DNAME puts into the model, and something has to be.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build/models")
MEGABYTES, SECONDS = 1000, 600


def search(model, name, defines):
    """What Spin finds wrong: "" if nothing, else its words. RuntimeError: it did not see everything."""
    out = os.path.join(OUT, os.path.basename(model)[:-4], name)
    os.makedirs(out, exist_ok=True)
    # Not optimized: the largest of Spin's functions keep the compiler busy for minutes.
    for command in (["spin", *defines, "-a", model],
                    ["gcc", "-O0", "-w", "-DSAFETY", "-DCOLLAPSE", f"-DMEMLIM={MEGABYTES}", "-o", "pan", "pan.c"]):
        done = subprocess.run(command, cwd=out, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
    said = subprocess.run(["./pan", "-m100000"], cwd=out, capture_output=True, text=True, timeout=SECONDS).stdout
    errors = re.search(r"errors: (\d+)", said)
    if not errors or "max search depth too small" in said or "reached -DMEMLIM" in said:
        raise RuntimeError(said)
    wrong = re.search(r"pan:1: (.*)", said)
    return wrong.group(1) if int(errors.group(1)) else ""


def main():
    passed = failed = 0
    for model in sorted(glob.glob(os.path.join(HERE, "*.pml"))):
        title = os.path.basename(model)[:-4]
        if sys.argv[1:] and title not in sys.argv[1:]:
            continue
        with open(model) as file:
            header = file.read().split("*/\n/*", 1)[-1]
        cases = [("as it is", [], False)]
        cases += [(line, [f"-D{d}" for d in line.split()], False) for line in re.findall(r"^ \* with (.*)", header, re.M)]
        cases += [(name, [f"-D{name}"], True) for name in re.findall(r"^ \* fault (\w+)", header, re.M)]
        for name, defines, faulty in cases:
            try:
                wrong = search(model, re.sub(r"\W", "_", name), defines)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                ok, wrong = False, f"not all was seen: {error}"
            else:
                ok = bool(wrong) == faulty
            passed, failed = passed + ok, failed + (not ok)
            print(f"{'ok' if ok else 'not ok'} {title}, {name}{': ' + wrong[:90] if wrong else ''}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
