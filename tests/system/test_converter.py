# SPDX-License-Identifier: MIT
"""tools/perf_convert.py and perf_counts.py on made streams, whole, cut short and malformed."""
import struct
import subprocess

import pytest

import perf_convert
import streams
from conftest import perf_command
from perf_counts import Counts, describe
from perfdata import SAMPLE, Stream, StreamError


@pytest.fixture
def perf(tmp_path):
    """Stock perf without any symbols."""
    return lambda *arguments: perf_command(tmp_path / "buildid", *arguments)


def samples_of_file(data):
    """The SAMPLE records in the data section of a seekable file."""
    at, size = struct.unpack_from("<QQ", data, 40)
    found, end = [], at + size
    assert end <= len(data)
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == SAMPLE:
            found.append(data[at:at + length])
        at += length
    assert at == end
    return found


def write(path, data):
    path.write_bytes(data)
    return path


def test_whole_stream_is_read_by_stock_perf(tmp_path, perf):
    converted, problem = perf_convert.convert(streams.small(5))
    assert problem == ""
    path = write(tmp_path / "perf.data", converted)
    assert perf("evlist", "-i", path).stdout.split() == ["context-switches", "cpu-clock"]
    fields = "comm,tid,time,event,ip"
    lines = [l.split() for l in perf("script", "-i", path, "-F", fields).stdout.splitlines()]
    heads = [l for l in lines if len(l) > 1]
    assert [h[0] for h in heads] == ["pong", "ping", "pong", "ping", "pong"]
    assert [h[3] for h in heads] == ["context-switches:", "cpu-clock:"] * 2 + ["context-switches:"]
    chains = [l[0] for l in lines if len(l) == 1]
    assert chains[:4] == ["ffffffff80001000", "401000", "ffffffff80001001", "401001"]
    assert "arch : x86_64" in perf("script", "-i", path, "--header-only").stdout


def test_percentages_of_time_work(tmp_path, perf):
    """`--time` in per cent needs the SAMPLE_TIME feature that only the converter writes."""
    path = write(tmp_path / "perf.data", perf_convert.convert(streams.small(10))[0])
    lines = perf("script", "-i", path, "-F", "comm,time", "--time", "0%-50%").stdout.split("\n")
    assert 0 < len([l for l in lines if l.strip()]) < 10


def test_every_cut_keeps_every_complete_sample():
    pipe = streams.small(4)
    ends, stream = [], Stream(pipe)
    for record in stream.records():
        if record.type == SAMPLE:
            ends.append(record.offset + len(record.raw))
    for cut in range(len(pipe)):
        whole = sum(end <= cut for end in ends)
        try:
            converted, problem = perf_convert.convert(pipe[:cut])
        except StreamError:
            assert whole == 0, f"cut at {cut} lost {whole} samples"
            continue
        assert len(samples_of_file(converted)) == whole
        boundary = any(r.offset == cut for r in Stream(pipe).records())
        assert bool(problem) != boundary, f"cut at {cut}: {problem}"


@pytest.mark.parametrize("kept", [1, 3])
def test_a_cut_stream_is_read_by_stock_perf(tmp_path, perf, kept):
    pipe = streams.small(4)
    ends = [r.offset + len(r.raw) for r in Stream(pipe).records() if r.type == SAMPLE]
    path = write(tmp_path / "perf.data", perf_convert.convert(pipe[:ends[kept - 1] + 5])[0])
    lines = perf("script", "-i", path, "-F", "comm").stdout.split()
    assert len(lines) == kept


def test_malformed_tail_keeps_what_came_before():
    pipe = streams.small(3)
    for tail in (bytes(64), b"\x09\0\0\0\0\0\x04\0" + bytes(8), b"text on the wrong channel\n" * 3):
        converted, problem = perf_convert.convert(pipe + tail)
        assert problem
        assert len(samples_of_file(converted)) == 3


def test_attrs_of_different_sizes_become_one_size(tmp_path, perf):
    pipe = (streams.header() + streams.attr(3, [1], size=64) + streams.attr(0, [2], size=112)
            + streams.comm(5, "task", 10, 1)
            + streams.sample(1, 5, 20, (streams.KERNEL, 0xffffffff80000000))
            + streams.sample(2, 5, 30, (streams.USER, 0x401000)))
    path = write(tmp_path / "perf.data", perf_convert.convert(pipe)[0])
    events = perf("script", "-i", path, "-F", "event").stdout.split()
    assert [e.rstrip(":") for e in events] == ["context-switches", "cpu-clock"]


@pytest.mark.parametrize("pipe, word", [
    (b"", "empty"), (b"PERFILE2", "not a perf.data"), (b"console text, not a profile", "not a perf.data"),
    (streams.header(), "no event"), (streams.header() + streams.attr(3, [1]), "no record")])
def test_what_is_no_profile_is_refused_in_one_line(tmp_path, pipe, word):
    source = write(tmp_path / "in", pipe)
    done = subprocess.run(["tools/perf_convert.py", source, tmp_path / "out"], text=True,
                          capture_output=True, check=False)
    assert done.returncode == 1
    assert word in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_counts():
    pipe = streams.small(5) + streams.lost(11, 40, 3000) + streams.lost(11, 2, 3001)
    stream = Stream(pipe)
    counts = Counts(stream)
    assert counts.samples == {"context-switches": 3, "cpu-clock": 2}
    assert counts.tasks == {("pong", 7): 3, ("ping", 8): 2}
    assert counts.lost == 42
    assert [line.split() for line in describe(stream, counts, top=1)][-2:] == [
        ["3", "by", "pong", "(7)"], ["2", "by", "1", "more", "tasks"]]
