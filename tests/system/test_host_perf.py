# SPDX-License-Identifier: MIT
"""user/perf uses the public ABI only: the same source is a perf for the host."""
import subprocess

import pytest


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
