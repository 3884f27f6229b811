# SPDX-License-Identifier: MIT
"""The guest's perf stat. What it makes of events that had to wait, tests/host/test_stat.c shows."""
import re

import pytest


@pytest.fixture
def processors(board_has):
    """Options for a machine with several: a board that always has some needs none."""
    return [] if "QEMU_SMP" in board_has else ["--smp", "2"]


def rows(console, separator=","):
    """The fields of each line for tools."""
    return [line.split(separator) for line in console.splitlines()
            if re.match(rf"(\d[\d.]*|<not \w+>){separator}", line)]


def test_groups(boot):
    """One line an event, in the order they were given; of a group without its leader nothing is known."""
    guest = boot("perf stat -x , -e '{cs,page-faults:u},{cycles,faults},task-clock' -- pagefaults 100", "--icount")
    assert guest.status == 0, guest.console
    found = {row[2]: row for row in rows(guest.console)}
    assert [row[2] for row in rows(guest.console)] == \
        ["context-switches", "page-faults:u", "cycles", "page-faults", "task-clock"]
    assert int(found["page-faults:u"][0]) >= 100
    assert float(found["task-clock"][0]) > 0 and found["task-clock"][6] == "CPUs utilized"
    assert found["page-faults:u"][6].endswith("/sec")
    if found["cycles"][0] == "<not supported>":
        assert found["page-faults"][0] == "<not counted>"
    assert all(row[4] == "100.00" for row in rows(guest.console))


def test_repeated(boot):
    """Means and errors; the same program faults as often each time."""
    guest = boot("perf stat -r 3 -e page-faults,context-switches -- pagefaults 64", "--icount")
    assert guest.status == 0, guest.console
    assert guest.console.count("pagefaults: 64") == 3
    assert "Performance counter stats for 'pagefaults 64' (3 runs):" in guest.console
    assert re.search(r"^ +(\d+)      page-faults +\( \+-  0\.00% \)\r?$", guest.console, re.M), guest.console
    assert re.search(r"^ +0\.\d{6} \+- 0\.\d{6} seconds time elapsed  \( \+- +\d+\.\d\d% \)", guest.console, re.M)
    (row,) = rows(boot("perf stat -r 2 -x , -e faults -- pagefaults 64", "--icount").console)
    assert row[1:4] == ["", "page-faults", "0.00%"]


def test_a_command_that_fails_every_time(boot):
    guest = boot("perf stat -r 2 -e faults -- exits 7")
    assert guest.status == 7 and "(2 runs)" in guest.console
    assert boot("perf stat -r 2 -e faults -- nosuch").status == 127


def test_no_inherit(boot):
    alone, children = (int(rows(boot(f"perf stat {option} -x , -e faults -- sh -c 'pagefaults 200; pagefaults 200'",
                                     "--icount").console)[0][0]) for option in ("-i", ""))
    assert children >= alone + 400


def test_some_processors(boot, processors):
    guest = boot("sh -c 'perf stat -C 1 -x , -e cpu-clock,faults -- taskset 1 pagefaults 300; "
                 "perf stat -C 1 -e faults -- taskset 2 pagefaults 300'", *processors)
    assert guest.status == 0, guest.console
    assert int(rows(guest.console)[1][0]) < 300
    assert "stats for 'CPU(s) 1'" in guest.console
    assert int(re.search(r"^ +(\d+)      page-faults", guest.console, re.M)[1]) >= 300


def test_delay(boot):
    guest = boot("perf stat -D 50 -x , -e task-clock -- sh -c 'spin 2; sleep 0.1; spin 5'", "--icount")
    assert guest.status == 0, guest.console
    alone = boot("perf stat -x , -e task-clock -- spin 5", "--icount")
    both, one = (float(rows(g.console)[0][0]) for g in (guest, alone))
    assert one - 1 < both < one + 5, (both, one)
