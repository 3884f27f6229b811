# SPDX-License-Identifier: MIT
"""The guest's perf with breakpoints: how often, who, and what stock perf reads of it."""
import re

import pytest

from perfdata import SAMPLE, Stream
from test_profile import kernel_symbols, script, user_symbols
from test_stat import rows


@pytest.mark.parametrize("event, times", [
    ("mem:counter:w", 1000), ("mem:counter/LONG:w:u", 1000), ("mem:counter/1", 1000), ("mem:counter:w:k", 0),
    ("mem:count:x", 1000), ("'{mem:counter:w,mem:count:x}'", 1000)])
def test_stat_says_how_often(boot, event, times, board_has):
    event = event.replace("LONG", "8" if board_has["ARCH"] == "x86_64" else "4")
    guest = boot(f"perf stat -x , -e {event} -- watchme 1000", "--icount")
    assert guest.status == 0, guest.console
    found = rows(guest.console)
    assert [row[2] for row in found] == event.strip("'{}").split(",")
    assert {int(row[0]) for row in found} == {times}


def test_record_says_who(boot, perf):
    guest = boot("perf record -e mem:counter:w -g -- watchme 100", "--icount")
    assert guest.status == 0, guest.console
    blocks = script(perf, guest)
    assert len(blocks) == 100
    for head, frames in blocks:
        assert head == "watchme"
        assert user_symbols(frames)[:2] == ["count", "main"]
    stream = Stream(guest.pipe.read_bytes())
    samples = [stream.sample(r) for r in stream.records() if r.type == SAMPLE]
    assert len({s.addr for s in samples}) == 1 and samples[0].addr % 4 == 0
    assert "mem:counter:w" in perf("script", "-i", guest.pipe, "-F", "event").stdout


def test_a_function_of_the_kernel(boot):
    """Whoever executes it: each fork of a shell comes by."""
    guest = boot("perf stat -x , -e mem:sys_getppid:x -- sh -c 'hello; hello'", "--icount")
    assert guest.status == 0 and rows(guest.console), guest.console


def test_who_writes_a_variable_of_the_kernel(boot, perf):
    """By its name, with the chain of each who did, in the kernel and below it."""
    guest = boot("perf record -e mem:nr_forks:w -g -- sh -c 'hello; hello; hello'", "--icount")
    assert guest.status == 0, guest.console
    blocks = script(perf, guest)
    assert len(blocks) == 3
    for head, frames in blocks:
        assert head == "sh"
        assert kernel_symbols(frames)[0] == "process_publish" and "process_fork" in kernel_symbols(frames), frames
        assert "fork" in user_symbols(frames), frames
    report = perf("report", "-i", guest.pipe, "--stdio", "-g", "none").stdout
    assert re.search(r"\[k\] process_publish", report), report


def test_a_symbol_of_what_is_there(boot, perf):
    """It is looked for in what the process has mapped."""
    guest = boot("sh -c '(sleep 0.5; hello; hello; exec true) & perf record -e mem:fork:x -g -p $!'", "--icount")
    assert guest.status == 0, guest.console
    blocks = script(perf, guest)
    assert [head for head, _ in blocks] == ["sh", "sh"]
    assert all(user_symbols(frames)[0] == "fork" for _, frames in blocks)


def test_more_than_there_are(boot):
    guest = boot("perf stat " + "-e mem:counter:w " * 5 + "-- watchme 1", "--icount")
    assert guest.status != 0 and "no breakpoint left" in guest.console, guest.console


@pytest.mark.parametrize("event, message", [
    ("mem:no_such_name", "neither the program nor the kernel has a symbol \"no_such_name\""),
    ("mem:", "there has to be an address"), ("mem:counter/x", "no length"), ("mem:counter:ww", "modifier w"),
    ("mem:counter/9:w", "can not watch that: a range has 1 to 8 bytes"),
    ("mem:do_syscall:x:u", "can not watch that: only the kernel can touch that address"),
    ("mem:syscall_entry:x", "can not watch that: by what is there the kernel is entered")])
def test_what_is_wrong(boot, event, message):
    guest = boot(f"perf stat -e {event} -- watchme 1", "--icount")
    assert guest.status != 0 and message in guest.console, guest.console
    assert not re.search("^watchme:", guest.console, re.M)


@pytest.mark.parametrize("event, message", [
    ("mem:0xffff0000:w", "the kernel's addresses are for the privileged user alone"),
    ("mem:counter:w", "perf_event_paranoid is 2, so the kernel is left out")])
def test_who_is_not_privileged(boot, event, message, board_has):
    if board_has["ARCH"] in ("x86_64", "arm64"):
        event = event.replace("0xffff", "0xffffffff8000")
    guest = boot(f"setpriv --reuid 1000 perf stat -x , -e {event} -- watchme 10", "--icount")
    assert message in guest.console, guest.console
    assert (guest.status == 0) == (event == "mem:counter:w")


def test_reads_alone(boot, board_has):
    """x86_64 has no breakpoint for them."""
    guest = boot("perf stat -x , -e mem:counter:r -- watchme 1000", "--icount")
    if board_has["ARCH"] == "x86_64":
        assert guest.status != 0 and "can not watch that" in guest.console, guest.console
    else:
        assert [int(row[0]) for row in rows(guest.console)] == [0]
