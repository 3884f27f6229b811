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


@pytest.mark.parametrize("whom, command", [
    ("-a", "pingpong 8000"), ("", "pingpong 500"), ("", "threads 6")], ids=["all", "task", "threads"])
def test_readers_see_one_order(boot, perf, make, processors, whom, command):
    """The smallest rings, so that a round is over before another processor has written what it has stamped."""
    guest = boot(f"perf record {whom} -m 1 -e {EVENTS} -g -- {command}", *processors, "--icount", timeout=120)
    assert guest.status == 0, guest.console
    rounds, cpus = check_rounds(guest.stream)
    assert rounds > 1 and len(cpus) > 1, (rounds, cpus)
    times = [sample.time for sample in guest.samples()]
    assert times != sorted(times), "the rings hold what one could have"

    stock = perf("script", "-i", guest.pipe, "--ns", "-F", "time")
    assert "out of order" not in stock.stderr
    assert [int(s) * 10**9 + int(ns) for s, ns in re.findall(r"^\s*(\d+)\.(\d+):", stock.stdout, re.M)] \
        == sorted(times)
    assert make("host-perf").returncode == 0
    ours = subprocess.run(["build/host/perf", "script", "-i", guest.pipe], capture_output=True, text=True,
                          errors="replace", timeout=60, check=True).stdout
    assert [int(s) * 10**6 + int(us) for s, us in re.findall(r"\] +(\d+)\.(\d+): ", ours)] \
        == [time // 1000 for time in sorted(times)]
