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


REFUSED = [
    ("record -p 3 -- true", "-p and a command .* exclude each other"),
    ("record -t 3 -- true", "-t and a command .* exclude each other"),
    ("record -t 3 -p 3", "-p and -t exclude each other"),
    ("record -t 999", "-t: there is no thread 999"),
    ("record -p 999", "there is no process or thread 999 to watch"),
    ("record -p 99999999999", "-p: there is no 99999999999"),
    ("record -c 1 -F 3 -- true", "-c and -F exclude each other"),
    ("record -a -i -- true", "-i is for a command or -p: all tasks are watched anyway"),
    ("record -D 5 -p 1", "-D is for a command"),
    ("record -F 200000 -- true", "200000 samples a second are out of range: 1 to 100000"),
    ("record -F most -- true", '"most" is not a positive number'),
    ("record -e cpu-clock -c 1 -- true", "does not take a period of 1$"),
    ("record -e cs/foo=1/ -- true", "the terms are period=N and freq=N"),
    ("record -e cs/period=1 -- true", 'the second "/" is missing'),
    ("record -e cs/freq=0/ -- true", '"0" is not a positive number'),
    ("record -e cs:x -- true", "modifier x: the modifiers are u, k, I, p, P, S, D and e"),
    ("record -e cs: -- true", 'no modifier after ":"'),
    ("record -e cs:h -- true", "modifier h: nothing below the kernel is counted; leave it out"),
    ("record -e cs:G -- true", "modifier G: there are no guests; leave it out"),
    ("record -e cs:b -- true", "modifier b: there are no BPF programs; leave it out"),
    ("record -e cs:W -- true", "modifier W: groups are not broken up; list the events without braces"),
    ("record -e cs:pppp -- true", "modifier p: at most three"),
    ("record -e cs:pp -- true", "no samples as precise as that; P takes the most precise there are"),
    ("record -e {cs,faults -- true", r'the "\}" is missing'),
    ("record -e cs} -- true", r'a "\}" that begins or ends no group'),
    ("record -e {} -- true", r'before "\}" there must be an event'),
    ("record -e {cs,{faults}} -- true", "groups do not hold groups"),
    ("record -e {cs}u -- true", r'after "\}" there may be ":" with modifiers, or "," with more events'),
    ("record -e {cs,faults:D} -- true", 'event "faults:D": D and e are for the first of a group'),
    ("record -e {cs,faults:S} -- true", r"S is for a whole group: \{\.\.\.\}:S"),
    ("record -e {cs,task-clock}:Su -- true", 'event "task-clock:u" can be sampled in one mode alone, but not counted'),
    ("record -e {cs,faults/period=3/}:S -- true", "leave out period= and freq= of others"),
    ("record -e " + ",".join(["cs"] * 17) + " -- true", "more than 16 events"),
    ("record --overwrite -e " + ",".join(["cs"] * 16) + " -- true", "need an event: at most 15 others"),
    ("record -m 3 -- true", "3 is not a power of two of pages"),
    ("record -m 5K -- true", "5K is not a power of two of pages"),
    ("record -m lots -- true", '"lots" is no number of pages, nor a size like 64K or 1M'),
    ("record -m 99999999999G -- true", "or too large"),
    ("record -k tai -- true", 'clock "tai" is not known; there are:'),
    ("record -C 9 -- true", "there is no CPU 9; this machine's are 0 to"),
    ("record -C 0-x -- true", '"0-x" is not a list of CPUs like 0,2-3'),
    ("record -D 1x -- true", '"1x" is not a positive number'),
    ("record -s -- true", "option -s is not known; -h tells the options"),
    ("stat -e cs/period=1/ -- true", "period= and freq= are for perf record"),
    ("stat -e {cs,faults}:S -- true", "modifier S is for perf record; groups are read together without"),
    ("stat -r 0 -- true", '"0" is not a positive number'),
    ("stat -r 1001 -- true", "-r: at most 1000"),
    ("stat -C 0 -i -- true", "-i is for a command: all tasks are counted anyway"),
]


def test_what_is_refused(boot):
    """In one line that says what would be right; nothing is run."""
    script = "".join(f"perf {command.replace('-- true', '-- echo ran')}; echo @$?\n" for command, _ in REFUSED)
    guest = boot("sh -c 'cat > /tmp/script; echo @begin; sh /tmp/script'", typed=script)
    outcomes = re.findall(r"((?:(?!@).*\n)*)@(\d+)\n", guest.console.partition("@begin\n")[2])
    assert len(outcomes) == len(REFUSED), guest.console
    for (command, expected), (said, status) in zip(REFUSED, outcomes):
        assert re.search(f"^perf: .*{expected}", said, re.M), (command, said)
        assert status in ("1", "129") and "\nran" not in said, (command, said)


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
