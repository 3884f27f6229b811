# SPDX-License-Identifier: MIT
"""Profiles of several processors: a ring each, and rounds by which readers merge them."""
import re
import struct
import subprocess

import pytest
from perfdata import FINISHED_ROUND, HEADER_ATTR, SAMPLE

EVENTS = "context-switches/period=1/,cpu-clock/freq=4000/"
# {pid, tid}, time, {cpu, 0}, identifier: the end of all records but samples.
TRAILER = struct.Struct("<iiQIIQ")


@pytest.fixture
def processors(board_has):
    """Options for a machine with four: a board that always has some needs none."""
    return [] if "QEMU_SMP" in board_has else ["--smp", "4"]


def stamps(stream):
    """(time, CPU) of each record that the kernel stamped; None for the end of a round."""
    for record in stream.records():
        if record.type == SAMPLE:
            sample = stream.sample(record)
            yield sample.time, sample.cpu
        elif record.type == FINISHED_ROUND:
            yield None
        elif record.type < HEADER_ATTR:
            _, _, time, cpu, _, _ = TRAILER.unpack(record.body[-TRAILER.size:])
            if time:
                yield time, cpu


def check_rounds(stream):
    """What readers rely on: after a round nothing is older than the newest before the round before. Returns how
    many rounds there were, and the CPUs."""
    due = before = newest = rounds = 0
    cpus = set()
    for stamp in stamps(stream):
        if stamp is None:
            due, before, rounds = before, newest, rounds + 1
            continue
        assert stamp[0] >= due, f"round {rounds}: {due - stamp[0]} ns too late, CPU {stamp[1]}"
        newest = max(newest, stamp[0])
        cpus.add(stamp[1])
    return rounds, cpus


# Of the group only the first event is sampled, and none follows children: the one behind it does.
GROUP = "{context-switches/period=1/,page-faults}:S,cpu-clock/freq=4000/"


def check_order(printed, times):
    """All samples are there, in the order of time; one that tells of several events, once for each."""
    assert printed == sorted(printed) and set(printed) == set(times) and len(printed) >= len(times)


@pytest.mark.parametrize("events, whom, command", [
    (EVENTS, "-a", "pingpong 8000"), (EVENTS, "", "pingpong 500"), (EVENTS, "", "threads 6"),
    (GROUP, "", "pingpong 2000")], ids=["all", "task", "threads", "group"])
def test_readers_see_one_order(boot, perf, make, processors, events, whom, command):
    """The smallest rings, so that a round is over before another processor has written what it has stamped."""
    guest = boot(f"perf record {whom} -m 1 -e {events} -g -- {command}", *processors, "--icount", timeout=120)
    assert guest.status == 0, guest.console
    rounds, cpus = check_rounds(guest.stream)
    assert rounds > 1 and len(cpus) > 1, (rounds, cpus)
    times = [sample.time for sample in guest.samples()]
    assert times != sorted(times), "the rings hold what one could have"

    stock = perf("script", "-i", guest.pipe, "--ns", "-F", "time")
    assert "out of order" not in stock.stderr
    check_order([int(s) * 10**9 + int(ns) for s, ns in re.findall(r"^\s*(\d+)\.(\d+):", stock.stdout, re.M)], times)
    assert make("host-perf").returncode == 0
    ours = subprocess.run(["build/host/perf", "script", "-i", guest.pipe], capture_output=True, text=True,
                          errors="replace", timeout=60, check=True).stdout
    check_order([int(s) * 10**6 + int(us) for s, us in re.findall(r"\] +(\d+)\.(\d+): ", ours)],
                [time // 1000 for time in times])
