# SPDX-License-Identifier: MIT
"""The guest's perf in the hands of an unprivileged user."""
import re

import pytest

from perfdata import CONTEXT_KERNEL, MMAP, MMAP2


def as_user(command):
    return f"setpriv --reuid 1000 {command}"


def test_events_fall_back_to_user_mode(boot, perf):
    """As stock perf does: the event is recorded without the kernel, and its name says so."""
    guest = boot(as_user("perf record -e context-switches,page-faults -c 1 -g -I -- pingpong 20"),
                 "--icount")
    assert guest.status == 0, guest.console
    assert 'event "context-switches": perf_event_paranoid is 2, so the kernel is left out' in guest.console
    assert "no addresses" not in guest.console
    samples = guest.samples()
    assert {s.event.name for s in samples} == {"context-switches:u", "page-faults:u"}
    assert len(samples) >= 50
    for sample in samples:
        assert sample.cpumode == 2 and CONTEXT_KERNEL not in sample.chain
    kernel_maps = [r for r in guest.stream.records() if r.type in (MMAP, MMAP2) and r.misc & 7 == 1]
    assert not kernel_maps
    text = perf("script", "-i", guest.pipe, "-F", "event,ip,iregs", "-G").stdout
    assert len(text.splitlines()) == len(samples)


def test_counts_fall_back_too(boot):
    guest = boot(as_user("perf stat -e page-faults,context-switches -- pagefaults 32"), "--icount")
    assert guest.status == 0, guest.console
    faults = int(re.search(r"^ +(\d+) +page-faults:u$", guest.console, re.M)[1])
    assert faults >= 32
    assert re.search(r"^ +0 +context-switches:u$", guest.console, re.M)


def test_what_counts_only_with_the_kernel_says_whose_fault_it_is(boot):
    """Time cannot be counted for user mode alone: that is no permission here, and not supported if asked for."""
    guest = boot("sh -c 'setpriv --reuid 1000 perf stat -e task-clock -- true; echo next; "
                 "setpriv --reuid 1000 perf stat -e task-clock:u -- true'")
    asked, user_mode = guest.console.split("\nnext\n")
    assert re.search(r"^ +<not permitted> +task-clock:u$", asked, re.M), guest.console
    assert 'event "task-clock": perf_event_paranoid is 2' in asked
    assert re.search(r"^ +<not supported> +task-clock:u$", user_mode, re.M), guest.console


@pytest.mark.parametrize("command", ["perf record -a -e cs:u -- true", "perf record -e cs:k -- true",
                                     "perf record -e cs:u -p 1"])
def test_what_is_forbidden_is_explained(boot, command):
    guest = boot(as_user(command))
    assert guest.status == 1
    assert "no permission" in guest.console
    assert "perf_event_paranoid is 2. It says what unprivileged users may profile:" in guest.console
    assert re.search(r"^ +2 +own tasks in user mode", guest.console, re.M)


def test_rings_that_are_too_large(boot):
    guest = boot(as_user("perf record -m 256 -e cs:u -- true"))
    assert guest.status == 1 and "perf_event_mlock_kb allows no more" in guest.console
    # Two events share a ring, so the usual size is within the limit.
    guest = boot(as_user("perf record -e cs:u,faults:u -c 1 -- true"))
    assert guest.status == 0, guest.console
