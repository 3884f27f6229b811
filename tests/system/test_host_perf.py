# SPDX-License-Identifier: MIT
"""user/perf uses the public ABI only: the same source is a perf for the host."""
import struct
import subprocess

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


def test_maps_without_end_are_no_trouble(host_perf, tmp_path):
    """Each map of a task that forks is copied; a stream says how many there are."""
    map_of = streams.record(MMAP, struct.pack("<iiQQQ", 5, 5, 0x400000, 0x1000, 0) + b"/nowhere".ljust(16, b"\0"))
    fork = streams.record(FORK, struct.pack("<iiiiQ", 6, 5, 6, 5, 0))
    pipe = tmp_path / "perf.pipe"
    pipe.write_bytes(streams.header() + streams.attr(3, [11]) + map_of * 300000 + fork
                     + streams.sample(11, 6, 2000, (streams.USER, 0x400123)))
    assert "400123" in run(host_perf, "script", "-i", pipe).stdout
