# SPDX-License-Identifier: MIT
"""tools/perf_report.py on made streams and with a perf that fails: what is wrong is shown."""
import os
import shutil
import subprocess

import pytest

import streams


@pytest.fixture
def report(out, tmp_path):
    """report(pipe, **environment): the report on that stream, None for no stream."""
    def run(pipe, **environment):
        if pipe is not None:
            (tmp_path / "perf.pipe").write_bytes(pipe)
        return subprocess.run(["python3", "tools/perf_report.py", tmp_path, out / "hotregs.elf"],
                              env=dict(os.environ, **environment), text=True, capture_output=True,
                              timeout=120, check=False)
    return run


def fake_perf(directory, script):
    """A perf in front of the stock one, which is $REAL to it."""
    directory.mkdir()
    path = directory / "perf"
    path.write_text(f"#!/bin/sh\nREAL={shutil.which('perf')}\n{script}\n")
    path.chmod(0o755)
    return f"{directory}:{os.environ['PATH']}"


def test_lost_records_are_counted_and_no_error(report):
    done = report(streams.small(5) + streams.lost(11, 40, 3000))
    assert "chunks" not in done.stderr and "overload" not in done.stderr
    assert "        40  lost" in done.stdout and "by pong (7)" in done.stdout


def test_nothing_was_run(report, tmp_path):
    (tmp_path / "perf.data").write_bytes(b"an earlier run's")
    done = report(None)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "perf.data").exists()


def test_no_stream_and_no_sample(report):
    assert "nothing to report" in report(b"").stdout
    done = report(streams.header() + streams.attr(3, [1]) + streams.comm(5, "task", 10, 1))
    assert done.returncode == 0 and "no sample" in done.stdout


def test_what_perf_complains_of_is_an_error(report, tmp_path):
    path = fake_perf(tmp_path / "bin", 'case "$3" in report) echo "no callchain" >&2;; esac; exec $REAL "$@"')
    done = report(streams.small(5), PATH=path)
    assert done.returncode == 1 and "no callchain" in done.stderr
    assert "by pong (7)" in done.stdout, "what there is to show is shown"


def test_an_empty_report_is_an_error(report, tmp_path):
    path = fake_perf(tmp_path / "bin", 'case "$3" in report) exit 0;; esac; exec $REAL "$@"')
    done = report(streams.small(5), PATH=path)
    assert done.returncode == 1 and "no entry" in done.stderr
