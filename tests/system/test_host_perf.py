# SPDX-License-Identifier: MIT
"""user/perf uses the public ABI only: the same source is a perf for the host."""
import os
import re
import signal
import struct
import subprocess
import time

import pytest
import streams
from perfdata import FORK, MMAP


@pytest.fixture
def host_perf(make):
    done = make("host-perf")
    assert done.returncode == 0, done.stderr
    return "build/host/perf"


def run(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, errors="replace",
                          timeout=60, check=False)
    if done.returncode and ("Permission denied" in done.stderr or "EACCES" in done.stderr):
        pytest.skip("EACCES: this host does not let us open events")
    assert done.returncode == 0, done.stderr
    return done


def test_it_counts(host_perf):
    done = run(host_perf, "stat", "-e", "page-faults", "--", "/bin/true")
    assert "page-faults" in done.stdout + done.stderr


def test_it_records_what_stock_perf_reads(host_perf, tmp_path):
    pipe = tmp_path / "perf.pipe"
    run(host_perf, "record", "-e", "page-faults", "-c", "1", "-g", "-o", pipe, "--", "/bin/true")
    done = run("perf", "script", "-i", pipe, "-F", "comm,event")
    lines = done.stdout.split("\n")
    assert any("page-faults" in line and "true" in line for line in lines), done.stdout


LOOP = ["sh", "-c", "while :; do :; done"]


def is_being_written(perf, path):
    """Waits until records come, however long that takes."""
    size = 0
    for _ in range(600):
        if size and os.path.getsize(path) > size:
            return
        if perf.poll() is not None:
            break
        size = os.path.getsize(path) if os.path.exists(path) else 0
        time.sleep(0.2)
    pytest.fail(f"nothing is recorded: {perf.communicate()}")


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        return int(f.read().rpartition(")")[2].split()[11])


def catches_signals(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        caught = int(re.search(r"SigCgt:\s*(\w+)", f.read())[1], 16)
    return caught >> (signal.SIGTERM - 1) & 1


def has_begun(perf, pid):
    """Waits until perf has set itself up, and then for a time in which pid ran for many samples."""
    for _ in range(600):
        if catches_signals(perf.pid):
            break
        time.sleep(0.1)
    begin = cpu_ticks(pid)
    for _ in range(600):
        if cpu_ticks(pid) >= begin + 50:
            return
        time.sleep(0.1)
    pytest.fail("the loop does not run")


@pytest.mark.parametrize("signo", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_a_signal_ends_the_recording_of_what_goes_on(host_perf, tmp_path, signo, overwrite):
    """What is in the rings is written; with --overwrite that is all."""
    pipe = tmp_path / "perf.pipe"
    run(host_perf, "stat", "-e", "cpu-clock", "--", "/bin/true")
    with subprocess.Popen(LOOP) as loop:
        words = [host_perf, "record", *overwrite, "-e", "cpu-clock", "-F", "1000", "-p", str(loop.pid), "-o", pipe]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as perf:
            if overwrite:
                has_begun(perf, loop.pid)
            else:
                is_being_written(perf, pipe)
            perf.send_signal(signo)
            errors = perf.communicate(timeout=60)[1]
        loop.kill()
    assert perf.returncode == 0, errors
    assert int(re.search(r"(\d+) samples, \d+ lost", errors)[1]) > 0
    assert "cpu-clock" in run("perf", "script", "-i", pipe, "-F", "comm,event").stdout


def test_who_is_told_to_end_ends_its_command(host_perf, tmp_path):
    pipe = tmp_path / "perf.pipe"
    words = [host_perf, "record", "-e", "cpu-clock", "-F", "1000", "-o", pipe, "--", *LOOP]
    run(host_perf, "stat", "-e", "cpu-clock", "--", "/bin/true")
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as perf:
        is_being_written(perf, pipe)
        perf.send_signal(signal.SIGTERM)
        errors = perf.communicate(timeout=60)[1]
    assert perf.returncode == 128 + signal.SIGTERM, errors
    assert " samples, " in errors


def test_maps_without_end_are_no_trouble(host_perf, tmp_path):
    """Each map of a task that forks is copied; a stream says how many there are."""
    map_of = streams.record(MMAP, struct.pack("<iiQQQ", 5, 5, 0x400000, 0x1000, 0) + b"/nowhere".ljust(16, b"\0"))
    fork = streams.record(FORK, struct.pack("<iiiiQ", 6, 5, 6, 5, 0))
    pipe = tmp_path / "perf.pipe"
    pipe.write_bytes(streams.header() + streams.attr(3, [11]) + map_of * 300000 + fork
                     + streams.sample(11, 6, 2000, (streams.USER, 0x400123)))
    assert "400123" in run(host_perf, "script", "-i", pipe).stdout
