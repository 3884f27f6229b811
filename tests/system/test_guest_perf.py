# SPDX-License-Identifier: MIT
"""The perf of the guest: what it makes of its options, and what it says about wrong ones."""
import re

import pytest


@pytest.mark.parametrize("options, period, freq", [
    ("-e context-switches,cpu-clock -F 997", (997, 997), (1, 1)),
    ("-F 997 -e context-switches,cpu-clock", (997, 997), (1, 1)),
    ("-e context-switches -c 20000 -e cpu-clock", (20000, 20000), (0, 0)),
    ("-e context-switches/period=1/,cpu-clock/freq=997/", (1, 997), (0, 1)),
    ("-c 20000 -e cs/period=1/u,cpu-clock/freq=997/", (1, 997), (0, 1)),
    ("-e cs/freq=5,period=2/,cpu-clock", (2, 4000), (0, 1))])
def test_rates_of_events(boot, options, period, freq):
    """-c and -F are for all events wherever they stand; an event's own term wins."""
    guest = boot(f"perf record {options} -- true")
    assert guest.status == 0, guest.console
    stream = guest.stream
    list(stream.records())
    names = [event.name.partition(":")[0] for event in stream.events]
    assert names == ["context-switches", "cpu-clock"]
    attrs = [event.attr for event in stream.events]
    assert tuple(int.from_bytes(a[16:24], "little") for a in attrs) == period
    assert tuple(int.from_bytes(a[40:48], "little") >> 10 & 1 for a in attrs) == freq


@pytest.mark.parametrize("command, said", [
    ("perf record -p 3 -- true", r"-p and a command .* exclude each other"),
    ("perf record -c 1 -F 3 -- true", r"-c and -F exclude each other"),
    ("perf record -F 200000 -- true", r"200000 samples a second are out of range: 1 to 100000"),
    ("perf record -e cpu-clock -c 1 -- true", r"does not take a period of 1$"),
    ("perf record -e cs/foo=1/ -- true", r"the terms are period=N and freq=N"),
    ("perf record -e cs/period=1 -- true", r'the second "/" is missing'),
    ("perf record -e cs/freq=0/ -- true", r'"0" is not a positive number'),
    ("perf record -e cs:x -- true", r"the modifiers are u and k"),
    ("perf stat -e cs/period=1/ -- true", r"period= and freq= are for perf record"),
])
def test_what_is_refused(boot, command, said):
    guest = boot(command)
    assert guest.status in (1, 129)
    assert re.search(rf"^perf: .*{said}", guest.console, re.M), guest.console


def test_unknown_events_are_answered_by_those_there_are(boot):
    guest = boot("perf record -e nosuch -- true")
    assert guest.status == 129
    listed = re.findall(r"^  ([a-z-]+)", guest.console.partition('"nosuch" is not known')[2], re.M)
    assert {"context-switches", "cpu-clock", "page-faults"} <= set(listed)
    for name in listed:
        assert "<not supported>" not in boot(f"perf stat -e {name} -- true").console
    assert "cycles" in listed or "<not supported>" in boot("perf stat -e cycles -- true").console


def test_stat_of_all_tasks_says_so(boot):
    assert "counter stats for 'system wide'" in boot("perf stat -a -- true").console
    assert "counter stats for 'echo a b'" in boot("perf stat -- echo a b").console
