# SPDX-License-Identifier: MIT
"""tools/perf_report.py on made streams and with a perf that fails: what is wrong is shown."""
import os
import shutil
import subprocess

import pytest

import perf_report
import streams


@pytest.fixture
def report(out, tmp_path):
    """report(pipe, *options, **environment): the report on that stream, None for no stream."""
    def run(pipe, *options, **environment):
        if pipe is not None:
            (tmp_path / "perf.pipe").write_bytes(pipe)
        return subprocess.run(["python3", "tools/perf_report.py", *options, tmp_path, out / "hotregs.elf"],
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


def test_a_stream_from_elsewhere(make, out):
    make("run", "CMD=perf record -a -e context-switches -c 1 -g -- pingpong 20")
    (out / "perf.data").unlink()
    done = make("report")
    assert done.returncode == 0 and "by pingpong" in done.stdout, done.stderr
    (out / "perf.pipe").unlink()
    assert "perf.pipe: not there" in make("report").stderr


def test_nothing_was_run(report, tmp_path):
    (tmp_path / "perf.data").write_bytes(b"an earlier run's")
    done = report(None)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "perf.data").exists()


def test_no_stream_and_no_sample(report):
    assert "nothing to report" in report(b"").stdout
    done = report(streams.header() + streams.attr(3, [1]) + streams.comm(5, "task", 10, 1))
    assert done.returncode == 0 and "no sample" in done.stdout


@pytest.mark.parametrize("command, missed", [
    ("perf record -g -- demo", True), ("perf record -go /dev/export -- demo", True),
    ("perf record -- echo -o -", True), ("true | perf record -F 997 true", True),
    ("perf record -a -g -o - -- demo | perf script", False), ("perf record --output=- demo", False),
    ("perf record -ago - demo", False), ("perf record -e cpu-clock -o - demo", False),
    ("perf stat -- demo", False), ("cat", False), ("echo perf record", False), ("", False)])
def test_a_profile_is_missed_where_one_was_asked_for(report, command, missed):
    done = report(b"", f"--command={command}")
    assert done.returncode == 0 and ("nothing to report" in done.stdout) == missed, done.stdout + done.stderr


def test_recursion_is_folded():
    """As often as one function follows itself in one column; a branch's first line is one of them."""
    chain = ["            |", "            ---sleep"] + ["               down"] * 41
    branches = ["               |--60.00%--down", "               |          down", "               |          main",
                "                --40.00%--main"]
    assert perf_report.folded(chain + branches) == chain[:2] + [
        "               down  (41 times)", "               |--60.00%--down  (2 times)",
        "               |          main", "                --40.00%--main"]


def test_long_chains_are_cut():
    line = "    50.00%  odd      odd                [.] odd"
    entry = perf_report.Entry(perf_report.ENTRY.match(line), line)
    entry.lines += [f"               {name}" for name in ("even", "odd") * 40]
    assert len(entry.shown()) == perf_report.CHAIN_LINES + 3
    assert entry.shown()[-2].strip() == f"({80 - perf_report.CHAIN_LINES} more lines)"


def test_what_perf_complains_of_is_an_error(report, tmp_path):
    path = fake_perf(tmp_path / "bin", 'case "$3" in report) echo "no callchain" >&2;; esac; exec $REAL "$@"')
    done = report(streams.small(5), PATH=path)
    assert done.returncode == 1 and "no callchain" in done.stderr
    assert "by pong (7)" in done.stdout, "what there is to show is shown"


def test_an_empty_report_is_an_error(report, tmp_path):
    path = fake_perf(tmp_path / "bin", 'case "$3" in report) exit 0;; esac; exec $REAL "$@"')
    done = report(streams.small(5), PATH=path)
    assert done.returncode == 1 and "no entry" in done.stderr
