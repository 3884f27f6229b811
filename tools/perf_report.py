#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""After a run: makes perf.data of the guest's stream, gathers the symbols, and shows the hottest
sites of tasks as stock perf prints them, the counts, and the commands to look further.

    perf_report.py [--command LINE] BUILD_DIRECTORY ELF...

LINE is what ran in the guest: where none of it records to the export channel, no profile is missed.
The build-id directory holds the given ELF files alone, so no symbol of the host can be shown.
Whatever perf complains of, and a report without an entry, is shown as an error.
"""
import argparse
import glob
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import perf_convert
from guest_command import CommandError, exports_profile
from perf_counts import IDLE, Counts, describe
from perfdata import CALLCHAIN, Stream, StreamError

TOP_ENTRIES = 5     # of the report, per event
TOP_TASKS = 12
CHAIN_LINES = 40    # of one entry's chains
ENTRY = re.compile(r"^ +(?P<share>\d+\.\d+)% +(?P<comm>\S.*?) +\S+ +\[(?P<mode>.)\] (?P<symbol>\S+)")
# A line of a chain: bars, dashes and a share, then the function.
FRAME = re.compile(r"(?P<bars>[ |]*(?:--+(?:\d+\.\d+%--)?)?)(?P<function>[^ |-].*)")
# perf counts the LOST records instead of what was lost; the counts tell that, and LOST_SAMPLES too.
LOSSES = re.compile(r"Warning:\s+Processed \d+ (events and lost \d+ chunks!\s+Check IO/CPU overload!"
                    r"|samples and lost [\d.]+%!)")
# AArch64's callers of leaves are in the chains; perf looks for them once more, by a library that a host
# of another architecture does not have, and goes on without.
NO_UNWINDING = re.compile(r"^unwind: target platform=arm64 is not supported\n?", re.M)

complaints = []  # of perf's, shown last


def fail(message):
    sys.stdout.flush()
    sys.exit(f"perf_report: {message}")


def perf(out, *arguments):
    """Runs stock perf; its standard output. No pager, no network."""
    environment = dict(os.environ, PAGER="cat", PERF_PAGER="cat", DEBUGINFOD_URLS="", LC_ALL="C")
    command = ["perf", "--buildid-dir", os.path.join(out, "buildid"), *arguments]
    result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, timeout=120,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            errors="replace")
    said = re.sub(r"\n\s*\n", "\n", NO_UNWINDING.sub("", LOSSES.sub("", result.stderr))).strip()
    if said or result.returncode:
        complaints.append(f"{shlex.join(command)}\n{said or f'exit status {result.returncode}'}")
    if result.returncode:
        fail(complaints.pop())
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
        fail(f"perf took only {kept} of {different} files into {directory}")


def folded(lines):
    """@lines with each run of one function in one column, a recursion, as one line that counts it; dashes
    begin another branch."""
    runs = []  # [first line, its function and column, how many]
    for line in lines:
        match = FRAME.fullmatch(line)
        frame = match and (match["function"], match.start("function"))
        if frame and "-" not in match["bars"] and runs and runs[-1][1] == frame:
            runs[-1][2] += 1
        else:
            runs.append([line, frame, 1])
    return [line if count == 1 else f"{line}  ({count} times)" for line, _, count in runs]


class Entry:
    """One entry of the report: what it is about, and its lines."""

    def __init__(self, match, line):
        self.share, self.comm = float(match["share"]), match["comm"]
        self.mode, self.symbol = match["mode"], match["symbol"]
        self.lines = [line]

    def shown(self):
        whole = folded(self.lines)
        lines = whole[:CHAIN_LINES + 1]
        if len(whole) > len(lines):
            lines.append(f"            ({len(whole) - len(lines)} more lines)")
        return lines + [""] * (len(lines) > 1)


class Section:
    """What the report says of one event."""

    def __init__(self, heading):
        self.event = heading.partition("'")[2].partition("'")[0]
        self.headings, self.entries = ["", heading], []

    def shown(self):
        """Tasks first: that nobody had work is no site, so the idle task only gets a line."""
        tasks = [e for e in self.entries if e.comm != IDLE]
        idle = sum(e.share for e in self.entries if e.comm == IDLE)
        lines = [line for e in tasks[:TOP_ENTRIES] for line in e.shown()]
        if tasks[TOP_ENTRIES:]:
            lines.append(f"          ({len(tasks) - TOP_ENTRIES} more)")
        if idle:
            lines.append(f"    {idle:5.2f}%  not shown: {IDLE}, the idle task")
        return [*self.headings, "", *lines]


def sections_of(report):
    sections = []
    for line in map(str.rstrip, report.splitlines()):
        match = ENTRY.match(line)
        if line.startswith("# Samples:"):
            sections.append(Section(line))
        elif line.startswith("# Event count"):
            sections[-1].headings.append(line)
        elif match:
            sections[-1].entries.append(Entry(match, line))
        elif line and not line.startswith("#") and sections and sections[-1].entries:
            sections[-1].entries[-1].lines.append(line)
    return sections


def symbol_to_annotate(sections):
    """The hottest of a program where time was sampled, else the hottest of any task."""
    clocks = [s for s in sections if s.event.partition(":")[0] in ("cpu-clock", "task-clock")]
    for some, modes in ((clocks, "."), (clocks, ".k"), (sections, ".k")):
        entries = [e for s in some for e in s.entries if e.comm != IDLE and e.mode in modes]
        if entries:
            return max(entries, key=lambda e: e.share).symbol
    return None


def show_commands(out, symbol):
    data = os.path.join(out, "perf.data")
    prefix = f"perf --buildid-dir {os.path.join(out, 'buildid')}"
    print("\nTo look further")
    print(f"  {prefix} report -i {data}")
    print(f"  {prefix} script -i {data}")
    if symbol:
        print(f"  {prefix} annotate -i {data} --stdio -s {symbol}")
    print(f"  python3 tools/perf_counts.py {os.path.join(out, 'perf.pipe')}")


def show_report(out, stream):
    """The hottest sites; the symbol worth a closer look."""
    arguments = ["report", "-i", os.path.join(out, "perf.data"), "--stdio", "--no-children"]
    chains = any(event.sample_type & CALLCHAIN for event in stream.events)
    sections = sections_of(perf(out, *arguments, *(["-g", "graph,2,callee"] if chains else [])))
    if not any(section.entries for section in sections):
        fail("\n".join(["perf report printed no entry", *complaints]))
    print("\n".join(line for section in sections for line in section.shown()) + "\n")
    return symbol_to_annotate(sections)


def profile_expected(command):
    """Also where nobody says what ran; not of a line that no guest was given."""
    try:
        return command is None or exports_profile(command)
    except CommandError:
        return False


def main():
    parser = argparse.ArgumentParser(prog="perf_report.py", description=__doc__.split("\n")[0])
    parser.add_argument("--command")
    parser.add_argument("out")
    parser.add_argument("images", nargs="+")
    args = parser.parse_args()
    out, images = args.out, args.images
    source, data = pathlib.Path(out, "perf.pipe"), pathlib.Path(out, "perf.data")
    data.unlink(missing_ok=True)
    if not source.exists():
        return  # nothing was run
    pipe = source.read_bytes()
    if not pipe:
        if profile_expected(args.command):
            print("\nNo profile left the guest, so there is nothing to report.")
        return
    if not shutil.which("perf"):
        fail("perf is not installed: it is in Debian's package linux-perf")
    try:
        converted, problem = perf_convert.convert(pipe)
        data.write_bytes(converted)
        if problem:
            print(f"\nThe stream is {problem}; all before it is kept.")
        gather_symbols(out, images)
        stream = Stream(pipe)
        counts = Counts(stream)
        symbol = show_report(out, stream) if counts.samples else None
        if not counts.samples:
            print("\nThe profile holds no sample.\n")
        print("Counts", *describe(stream, counts, TOP_TASKS), sep="\n")
        show_commands(out, symbol)
        if complaints:
            fail("\n".join(complaints))
    except StreamError as error:
        fail(f"{source}: {error}")


if __name__ == "__main__":
    main()
