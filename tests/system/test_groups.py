# SPDX-License-Identifier: MIT
"""Groups of events as perf record writes them and stock perf reads them, and clocks to stamp with."""
import re
import struct
import subprocess

import pytest
from perfdata import HEADER_FEATURE, READ

GROUP = "{cpu-clock/freq=4000/,page-faults,context-switches}"
CLOCK_DATA = 29


@pytest.fixture
def seekable(tmp_path):
    """Makes the file that perf evlist wants of a run's stream."""
    def convert(guest):
        path = tmp_path / "perf.data"
        subprocess.run(["tools/perf_convert.py", guest.pipe, path], check=True)
        return path
    return convert


def lines(script):
    """(event, period) of each line that a perf script printed."""
    return [(event, int(period)) for period, event in
            re.findall(r"^.*\[\d+\] +\d+\.\d+: +(\d+) +([\w:-]+): ", script, re.M)]


def sums(found):
    total = {}
    for event, period in found:
        total[event] = total.get(event, 0) + period
    return total


def test_leader_sampling(boot, perf, make, seekable):
    """One sample with all counts stands for each event of the group; both perfs say by how much it grew."""
    guest = boot(f"perf record -e {GROUP}:S,task-clock/period=100000/ -- pagefaults 8000", "--icount")
    assert guest.status == 0, guest.console
    samples = guest.samples()
    assert {sample.event.name for sample in samples} == {"cpu-clock", "task-clock"}

    stock = perf("script", "-i", guest.pipe).stdout
    counted = sums(lines(stock))
    assert 6000 < counted["page-faults"] < 8200, counted  # up to the last sample
    assert counted["task-clock"] == 100000 * len([s for s in samples if s.event.name == "task-clock"])
    assert make("host-perf").returncode == 0
    ours = subprocess.run(["build/host/perf", "script", "-i", guest.pipe], capture_output=True, text=True,
                          errors="replace", timeout=60, check=True).stdout
    assert lines(ours) == lines(stock)

    # The last sample's counts are the sums.
    dump = perf("script", "-D", "-i", guest.pipe).stdout
    reads = re.findall(r"\.\.\.\. group nr 3\n((?:\.{5} id [0-9a-f]+, value [0-9a-f]+.*\n){3})", dump)
    assert len(reads) == len([s for s in samples if s.event.name == "cpu-clock"])
    values = [int(value, 16) for value in re.findall(r"value ([0-9a-f]+)", reads[-1])]
    assert values == [counted.get(name, 0) for name in ("cpu-clock", "page-faults", "context-switches")]

    data = seekable(guest)
    assert perf("evlist", "-g", "-i", data).stdout.split("\n")[:2] == \
        ["{cpu-clock,page-faults,context-switches}", "task-clock"]
    attrs = dict(line.split(": ", 1) for line in perf("evlist", "-v", "-i", data).stdout.splitlines())
    for name in ("cpu-clock", "page-faults", "context-switches"):
        assert "|READ|" in attrs[name] and "read_format: TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|ID|GROUP" in attrs[name]
        assert "inherit: 1" not in attrs[name]
    assert "|READ|" not in attrs["task-clock"] and "inherit: 1" in attrs["task-clock"]
    assert "sample_freq" not in attrs["page-faults"]


def test_groups_without_counts(boot, perf, seekable):
    """Each event is sampled by itself; tools show a group's events in columns of one table."""
    guest = boot("perf record -g -e {cs/period=1/,page-faults/period=1/}:u,cpu-clock -- pagefaults 50", "--icount")
    assert guest.status == 0, guest.console
    assert all(not s.event.sample_type & READ for s in guest.samples())
    assert "of events 'anon group { context-switches:u, page-faults:u }'" in \
        perf("report", "--stdio", "--group", "-g", "none", "-i", guest.pipe).stdout
    assert "{context-switches:u,page-faults:u}\ncpu-clock\n" == perf("evlist", "-g", "-i", seekable(guest)).stdout


def test_group_of_a_processor(boot, perf):
    """-a with children that come and go: what the counts grow by is a processor's."""
    guest = boot(f"perf record -a -e {GROUP}:S -- pingpong 4000", "--icount", "--append", "cpus=1")
    assert guest.status == 0, guest.console
    counted = sums(lines(perf("script", "-i", guest.pipe).stdout))
    assert 6000 < counted["context-switches"] < 9000, counted  # up to the last sample


def test_group_modifiers(boot, seekable, perf):
    guest = boot("perf record -e {cs:u,page-faults}:De,cpu-clock:I,faults:P,cs:uk -- true")
    assert guest.status == 0, guest.console
    first, *others = perf("evlist", "-v", "-i", seekable(guest)).stdout.splitlines()
    assert "pinned: 1, exclusive: 1" in first and "exclude_kernel: 1" in first
    assert not any("pinned" in line or "exclusive" in line or "exclude_kernel" in line for line in others)
    assert "exclude_idle: 1" in others[1] and others[1].startswith("cpu-clock:I: ")
    assert not any("precise_ip" in line for line in others)


@pytest.mark.parametrize("clock, number", [("realtime", 0), ("CLOCK_MONOTONIC", 1), ("raw", 4), ("boot", 7)])
def test_clocks(boot, perf, seekable, clock, number):
    """The clock is the one asked for, and stock perf tells the time of day of a sample."""
    guest = boot(f"perf record -k {clock} -e cpu-clock -- spin 20", "--icount")
    assert guest.status == 0, guest.console
    attr = perf("evlist", "-v", "-i", seekable(guest)).stdout
    assert "use_clockid: 1" in attr and (number == 0 or f", clockid: {number}" in attr)
    first = guest.samples()[0].time
    (data,) = [r.body[8:] for r in guest.stream.records()
               if r.type == HEADER_FEATURE and r.body[0] == CLOCK_DATA]
    version, clockid, day, time = struct.unpack("<IIQQ", data)
    assert (version, clockid) == (1, number)
    assert 0 <= first - time < 10**9 and day > 10**18
    seconds, us = divmod((day + first - time) // 1000, 10**6)
    told = perf("script", "-i", guest.pipe, "-F", "tod").stdout.splitlines()[0].strip()
    assert told.endswith(f".{us:06}") and seconds % 60 == int(told[-9:-7]), (told, seconds, us)
    if number == 0:
        assert abs(time - day) < 10**9


def test_all_events_have_one_clock(boot):
    guest = boot("perf record -a -k realtime -e cpu-clock/freq=20000/,cs/period=1/ -- pingpong 20", "--icount")
    assert guest.status == 0, guest.console
    samples = guest.samples()
    assert {s.event.name for s in samples} == {"cpu-clock", "context-switches"}
    times = [s.time for s in samples]
    assert max(times) - min(times) < 10**10 and min(times) > 10**18
