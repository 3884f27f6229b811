#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""After a run: makes perf.data of the guest's stream, gathers the symbols, and shows the hottest
sites as stock perf prints them, the counts, and the commands to look further.

    perf_report.py BUILD_DIRECTORY ELF...

The build-id directory holds the given ELF files alone, so no symbol of the host can be shown.
"""
import glob
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import perf_convert
from perf_counts import describe
from perfdata import Stream, StreamError

TOP_ENTRIES = 5     # of the report, per event
TOP_TASKS = 12
ENTRY = re.compile(r"^ +\d+\.\d+% ")


def perf(out, *arguments):
    """Runs stock perf; its standard output. No pager, no network."""
    environment = dict(os.environ, PAGER="cat", PERF_PAGER="cat", DEBUGINFOD_URLS="", LC_ALL="C")
    command = ["perf", "--buildid-dir", os.path.join(out, "buildid"), *arguments]
    result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, timeout=120,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            errors="replace")
    if result.returncode:
        sys.exit(f"perf_report: {shlex.join(command)}\n{result.stderr.strip()}")
    return result.stdout


def gather_symbols(out, images):
    """Makes the build-id directory anew. perf wants its absolute name, all files in one option, and
    reports no failure by its exit status."""
    directory = os.path.abspath(os.path.join(out, "buildid"))
    shutil.rmtree(directory, ignore_errors=True)
    perf(os.path.dirname(directory), "buildid-cache", "-a", ",".join(images))
    kept = len(glob.glob(os.path.join(directory, ".build-id", "*", "*")))
    different = len({pathlib.Path(image).read_bytes() for image in images})
    if kept < different:
        sys.exit(f"perf_report: perf took only {kept} of {different} files into {directory}")


def trim(report):
    """Stock output, cut to the first entries of each event."""
    shown, entries, left_out = [], 0, 0
    for line in report.splitlines():
        if line.startswith("# Samples:"):
            shown += rest(left_out) + ["", line]
            entries = left_out = 0
        elif line.startswith("# Event count"):
            shown += [line, ""]
        elif line.startswith("#"):
            continue
        elif ENTRY.match(line):
            entries += 1
            left_out += entries > TOP_ENTRIES
        if entries and entries <= TOP_ENTRIES and (line.strip() or shown[-1]):
            shown.append(line.rstrip())
    return shown + rest(left_out)


def rest(left_out):
    return [f"          ({left_out} more)"] if left_out else []


def show_commands(out, symbol):
    data = os.path.join(out, "perf.data")
    prefix = f"perf --buildid-dir {os.path.join(out, 'buildid')}"
    print("\nTo look further")
    print(f"  {prefix} report -i {data}")
    print(f"  {prefix} script -i {data}")
    if symbol:
        print(f"  {prefix} annotate -i {data} --stdio -s {symbol}")
    print(f"  python3 tools/perf_counts.py {os.path.join(out, 'perf.pipe')}")


def hottest_symbol(report):
    """The symbol of the first entry: overhead, command, dso, [k] symbol."""
    match = re.search(r"^ +\d+\.\d+%.*\[[k.]\] (\w+)", report, re.M)
    return match.group(1) if match else None


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: perf_report.py BUILD_DIRECTORY ELF...")
    out, images = sys.argv[1], sys.argv[2:]
    try:
        with open(os.path.join(out, "perf.pipe"), "rb") as source:
            pipe = source.read()
    except OSError:
        pipe = b""
    if not pipe:
        print("\nNo profile left the guest, so there is nothing to report.")
        return
    if not shutil.which("perf"):
        sys.exit("perf_report: perf is not installed: it is in Debian's package linux-perf")
    data = os.path.join(out, "perf.data")
    try:
        converted, problem = perf_convert.convert(pipe)
        with open(data, "wb") as target:
            target.write(converted)
        if problem:
            print(f"\nThe stream is {problem}; all before it is kept.")
        gather_symbols(out, images)
        report = perf(out, "report", "-i", data, "--stdio", "--no-children", "-g", "graph,2,callee")
        print("\n".join(trim(report)) + "\n")
        print("Counts", *describe(Stream(pipe), TOP_TASKS), sep="\n")
        show_commands(out, hottest_symbol(report))
    except StreamError as error:
        sys.exit(f"perf_report: {out}/perf.pipe: {error}")


if __name__ == "__main__":
    main()
