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
    assert re.search(r"^ +0 +context-switches:u +# always: the kernel is left out$", guest.console, re.M)
    guest = boot("perf stat -x , -e cs:u,migrations:u,cs:k -- pingpong 5")
    assert re.search(r"^0,,context-switches:u,\d+,100.00,,\n0,,cpu-migrations:u,\d+,100.00,,\n"
                     r"[1-9]\d*,,context-switches:k,", guest.console, re.M), guest.console


def test_what_counts_only_with_the_kernel_says_whose_fault_it_is(boot):
    """Time cannot be counted for user mode alone: that is no permission here, and not supported if asked for."""
    guest = boot("sh -c 'setpriv --reuid 1000 perf stat -e task-clock -- true; echo next; "
                 "setpriv --reuid 1000 perf stat -e task-clock:u -- true'")
    asked, user_mode = guest.console.split("\nnext\n")
    assert re.search(r"^ +<not permitted> msec task-clock:u$", asked, re.M), guest.console
    assert 'event "task-clock": perf_event_paranoid is 2' in asked
    assert re.search(r"^ +<not supported> msec task-clock:u$", user_mode, re.M), guest.console


@pytest.mark.parametrize("level, command, needed", [
    (2, "perf record -a -e cs:u -- true", 0), (1, "perf record -a -e cs -- true", 0),
    (1, "perf stat -a -e cs -- true", 0), (2, "perf record -e cs:k -- true", 1),
    (3, "perf record -e cs:u -- true", 2), (3, "perf record -e cs:u -p 1", 2)])
def test_what_a_level_forbids_is_explained(boot, level, command, needed):
    """And so is which level would do: the command then is done."""
    lower = f"echo {{}} > /proc/sys/kernel/perf_event_paranoid; {as_user(command)}"
    guest = boot(f"sh -c '{lower.format(level)}; echo status $?; {lower.format(needed)}'")
    assert "\nstatus 1\n" in guest.console, guest.console
    assert "no permission" in guest.console
    assert f"perf_event_paranoid is {level}. It says what unprivileged users may profile:" in guest.console
    assert re.search(r"^ +2 +own tasks in user mode", guest.console, re.M)
    assert f"may lower it: echo {needed} > /proc/sys/kernel/perf_event_paranoid\n" in guest.console
    if "-p 1" in command:
        assert "process 1 is another user's" in guest.console and guest.status == 1
    else:
        assert guest.console.count("no permission") == 1 and guest.status == 0, guest.console


@pytest.mark.parametrize("level", [-1, 1, 2])
def test_another_users_process_is_no_matter_of_levels(boot, level):
    guest = boot(f"sh -c 'echo {level} > /proc/sys/kernel/perf_event_paranoid; {as_user('perf record -e cs:u -p 1')}'")
    assert guest.status == 1 and 'event "context-switches:u": no permission' in guest.console
    assert ("\nperf: process 1 is another user's, or a thread of the kernel: only the privileged user may profile it, "
            "whatever /proc/sys/kernel/perf_event_paranoid says\n") in guest.console, guest.console
    assert "may lower it" not in guest.console


def test_rings_that_are_too_large(boot):
    guest = boot(as_user("perf record -m 256 -e cs:u -- true"))
    assert guest.status == 1 and "perf_event_mlock_kb allows no more" in guest.console
    # Two events share a ring, so the usual size is within the limit.
    guest = boot(as_user("perf record -e cs:u,faults:u -c 1 -- true"))
    assert guest.status == 0, guest.console
