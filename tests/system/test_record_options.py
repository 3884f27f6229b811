# SPDX-License-Identifier: MIT
"""The options of the guest's perf record: what is recorded, of whom, and when."""
import re
import subprocess

import pytest
from perfdata import FINISHED_ROUND, LOST, SAMPLE


@pytest.fixture
def processors(board_has):
    """Options for a machine with several: a board that always has some needs none."""
    return [] if "QEMU_SMP" in board_has else ["--smp", "2"]


def names_of(perf, guest):
    """How many samples each task has, by name, as stock perf tells."""
    comms = perf("script", "-G", "-i", guest.pipe, "-F", "comm").stdout.split()
    return {name: comms.count(name) for name in comms}


def test_delay(boot, perf):
    """What ran before is not sampled; what it has become is known all the same."""
    guest = boot("perf record -D 50 -e cpu-clock -F 1000 -- sh -c 'spin 2; sleep 0.1; hello; spin 5'", "--icount")
    assert guest.status == 0, guest.console
    tasks = names_of(perf, guest)
    assert set(tasks) <= {"sh", "sleep", "hello", "spin"} and 15 <= tasks["spin"] <= 60, tasks
    # All tasks were followed, also those that came and went before.
    told = perf("script", "-i", guest.pipe, "--show-task-events").stdout
    assert [name for name in re.findall(r"PERF_RECORD_COMM exec: (\w+):", told)] == \
        ["sh", "spin", "sleep", "hello", "spin"]
    first = re.search(r"spin +\d+ +\[\d+\] +(\d+\.\d+): +PERF_RECORD_EXIT", told)[1]
    assert all(float(first) * 1e9 < s.time for s in guest.samples())


def test_a_delay_that_is_too_long(boot):
    guest = boot("perf record -D 20000 -- true", "--icount")
    assert guest.status == 0, guest.console
    assert "perf: the command ended within the time of -D" in guest.console
    assert guest.samples() == []


def test_no_inherit(boot, perf):
    for option, expected in ("-i", {"sh"}), ("", {"sh", "pagefaults"}):
        guest = boot(f"perf record {option} -e faults/period=1/ -- sh -c 'pagefaults 50; pagefaults 50'",
                     "--icount")
        assert guest.status == 0, guest.console
        assert set(names_of(perf, guest)) == expected


def test_those_that_are_there(boot, perf):
    """A process is all of its threads, those to come too; a thread is itself alone."""
    for option, count in ("-p", 4), ("-t", 1):
        guest = boot("sh -c '(sleep 0.5; exec threads 3) & "
                     f"perf record {option} $! -e cs/period=1/'", "--icount")
        assert guest.status == 0, guest.console
        process = guest.samples()[-1].pid
        threads = {s.tid for s in guest.samples() if s.pid == process}
        assert len(threads) == count and process in threads
        assert "[unknown]" not in perf("script", "-i", guest.pipe).stdout


def test_some_processors(boot, processors):
    for cpu in 0, 1:
        guest = boot(f"perf record -C {cpu} -e cs/period=1/,cpu-clock -- migrate 5", *processors)
        assert guest.status == 0, guest.console
        assert {s.cpu for s in guest.samples()} == {cpu}
        assert all(len(event.ids) == 1 for event in guest.stream.events)


def test_frequency_and_ring_size(boot):
    """-F max is what the kernel allows; a ring may be given in bytes."""
    guest = boot("sh -c 'echo 2000 > /proc/sys/kernel/perf_event_max_sample_rate; "
                 "perf record -F max -m 64K -e cpu-clock -- true'")
    assert guest.status == 0, guest.console
    stream = guest.stream
    list(stream.records())
    (event,) = stream.events
    assert int.from_bytes(event.attr[16:24], "little") == 2000
    assert int.from_bytes(event.attr[48:52], "little") == 32 << 10  # woken when half of it is full


def test_overwrite(boot, perf, make):
    """Of a long run the last samples are there, as many as the ring holds; tasks and maps are known of all."""
    guest = boot("perf record --overwrite -m 4 -g -e cs/period=1/,page-faults/period=1/ -- "
                 "sh -c 'hello; pingpong 500; pagefaults 60'", "--icount", "--append", "cpus=1")
    assert guest.status == 0, guest.console
    stream = guest.stream
    records = list(stream.records())
    samples = guest.samples()
    assert not stream.problem and not [r for r in records if r.type == LOST]
    assert 15 << 10 < sum(len(r.raw) for r in records if r.type == SAMPLE) <= 16 << 10

    # In the order of time, with names and symbols; the first that is left is of no early task.
    stock = perf("script", "-i", guest.pipe, "-F", "comm,time,event,ip,sym").stdout
    times = re.findall(r" (\d+\.\d+): ", stock)
    assert len(times) == len(samples) and times == sorted(times)
    tasks = names_of(perf, guest)
    assert set(tasks) <= {"sh", "pagefaults", "pingpong"} and tasks["pagefaults"] >= 60
    assert "touch" in stock and "unknown" not in stock
    told = perf("script", "-i", guest.pipe, "--show-task-events").stdout
    assert re.findall(r"PERF_RECORD_COMM exec: (\w+):", told) == ["sh", "hello", "pingpong", "pagefaults"]
    hello, = re.findall(r"^ *hello +\d+ +\[\d+\] +(\d+\.\d+): +PERF_RECORD_EXIT", told, re.M)
    assert float(hello) < float(times[0])
    assert make("host-perf").returncode == 0
    ours = subprocess.run(["build/host/perf", "script", "-i", guest.pipe], capture_output=True, text=True,
                          errors="replace", timeout=60, check=True).stdout
    assert re.findall(r"\] +(\d+\.\d+): ", ours) == times


def test_overwrite_makes_no_promises(boot, perf):
    """Samples come when all is over, however often rings were emptied before: no round may say that none will."""
    pause = "; sleep 0.6; hello"
    guest = boot(f"perf record --overwrite -e faults/period=1/ -- sh -c 'hello{3 * pause}'", "--icount")
    assert guest.status == 0, guest.console
    assert FINISHED_ROUND not in {r.type for r in guest.stream.records()}
    done = perf("script", "-i", guest.pipe, "--show-task-events")
    assert "out of order" not in done.stderr
    times = re.findall(r"\] +(\d+\.\d+): ", done.stdout)
    assert times == sorted(times)


def test_overwrite_of_a_short_run(boot):
    """Less than a ring holds: nothing is missing."""
    guest = boot("sh -c 'perf stat -x , -e faults -- pagefaults 50; "
                 "perf record --overwrite -e faults/period=1/ -- pagefaults 50'", "--icount")
    assert guest.status == 0, guest.console
    counted = int(re.search(r"^(\d+),,page-faults,", guest.console, re.M)[1])
    assert len(guest.samples()) == counted
