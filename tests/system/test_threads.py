# SPDX-License-Identifier: MIT
"""A program of several threads, as stock perf shows it."""
import collections
import re

import perf_convert

WORKERS = ["worker-1", "worker-2", "worker-3"]
EVENTS = "context-switches/period=1/,cpu-clock/freq=5000/"


def test_stock_perf_tells_threads_apart(boot, perf, tmp_path):
    guest = boot(f"perf record -e {EVENTS} -g -- threads 3", "--icount", "--append", "cpus=1")
    assert guest.status == 0 and "3 workers: 480978 steps" in guest.console, guest.console
    numbers, chains = collections.defaultdict(set), collections.defaultdict(set)
    for sample in perf("script", "-i", guest.pipe, "-F", "comm,pid,tid,ip,sym").stdout.split("\n\n"):
        head = re.match(r"\s*(\S+)\s+(\d+)/(\d+)", sample)
        if head:
            numbers[head[1]].add((int(head[2]), int(head[3])))
            chains[head[1]].update(re.findall(r"^\s+[0-9a-f]+ (\S+)", sample, re.M))
    assert {*WORKERS, "threads"} <= set(numbers), numbers
    (process,) = {pid for pid, tid in numbers["threads"] if pid == tid}
    assert all(len(numbers[name]) == 1 for name in WORKERS), numbers
    workers = {name: next(iter(numbers[name])) for name in WORKERS}
    assert {pid for pid, _ in workers.values()} == {process}
    assert len({tid for _, tid in workers.values()} | {process}) == 4
    # Each sleeps where the queue is empty; its chain ends where threads begin.
    for name in WORKERS:
        assert {"futex_wait", "sys_futex", "pthread_cond_wait", "take_job", "work", "__thread_main",
                "__thread_start"} <= chains[name], (name, chains[name])
    assert "put_job" in chains["threads"] and "take_job" not in chains["threads"]

    seekable = tmp_path / "perf.data"
    seekable.write_bytes(perf_convert.convert(guest.pipe.read_bytes())[0])
    report = perf("report", "-i", seekable, "--stdio", "--no-children", "-g", "none", "--sort",
                  "comm,pid").stdout  # which shows the thread
    for name, (_, tid) in workers.items():
        assert re.search(rf"^ +\d+\.\d+% +{name} +{tid}:", report, re.M), report


def test_counts_are_of_all_threads(boot):
    guest = boot("perf stat -e context-switches,page-faults -- threads 3", "--icount", "--append", "cpus=1")
    assert guest.status == 0, guest.console
    switches = re.search(r"^\s*([\d,]+)\s+context-switches", guest.console, re.M)
    assert int(switches[1].replace(",", "")) >= 60, guest.console
