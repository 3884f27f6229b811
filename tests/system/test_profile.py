# SPDX-License-Identifier: MIT
"""Profiles as they leave the guest, read with stock perf: chains, counts, and streams that end early."""
import re
import shlex
import signal
import subprocess
import time

import pytest

import perf_convert
from perf_counts import Counts
from perfdata import CONTEXT_KERNEL, CONTEXT_USER, MAX_CONTEXT, MMAP, MMAP2, SAMPLE, Stream

MISC_MMAP_BUILD_ID = 1 << 14
SWITCHES = "perf record -e context-switches -c 1 -g --"


def script(perf, guest, fields="comm,ip,sym,dso"):
    """Blocks of perf script: (header line, [(symbol, file)])."""
    done = perf("script", "-i", guest.pipe, "-F", fields)
    blocks = []
    for block in done.stdout.strip().split("\n\n"):
        head, *frames = block.splitlines()
        parsed = [re.match(r"\s*[0-9a-f]+ (\S+?)(?:\+0x[0-9a-f]+)? \((.*)\)$", f) for f in frames]
        assert all(parsed), block
        blocks.append((head.strip(), [(m[1], m[2]) for m in parsed]))
    return blocks


def user_symbols(frames):
    return [symbol for symbol, file in frames if file != "[kernel.kallsyms]"]


def kernel_symbols(frames):
    return [symbol for symbol, file in frames if file == "[kernel.kallsyms]"]


@pytest.fixture
def profile(boot):
    """profile(command): runs it, which must end well, and returns the guest with its stream. Time is
    instructions, so that a slice ends where it ends on any host."""
    def run(command, *options, **more):
        guest = boot(command, "--icount", *options, **more)
        assert guest.status == 0, guest.console + guest.errors
        return guest
    return run


@pytest.mark.parametrize("depth", [1, 4, 16])
def test_c01_c03_chains_at_known_depth(profile, perf, depth):
    """A reader at the bottom of so many calls: the kernel's part of the chain, then all of them."""
    blocks = script(perf, profile(f"{SWITCHES} pingpong 40 {depth}"))
    expected = ["read", "receive"] + ["descend"] * depth
    found = {"ping": 0, "pong": 0}
    for _, frames in blocks:
        user = user_symbols(frames)
        for role in found:
            if user[:len(expected) + 1] == expected + [role]:
                assert user[len(expected) + 1] == "main"
                assert frames[0][1] == "[kernel.kallsyms]"
                found[role] += 1
    # Both sleep in read() once a round; the last one may meet a byte or the end already there.
    assert all(39 <= n <= 42 for n in found.values()), found


def test_c01_the_first_frame_is_who_slept(profile, perf):
    """No frame of the scheduler, none twice, and the system call's entry at the end."""
    blocks = script(perf, profile(f"{SWITCHES} pingpong 40"))
    reading = [f for _, f in blocks if "receive" in user_symbols(f)]
    assert reading
    kernel = {tuple(kernel_symbols(frames)) for frames in reading}
    assert len(kernel) == 1, kernel
    (chain,) = kernel
    assert chain[0] == "pipe_read", chain
    assert "sys_read" in chain and "do_syscall" in chain, chain
    assert len(set(chain)) == len(chain), f"a frame is there twice: {chain}"
    assert not {"schedule", "yield", "wait_event", "__schedule"} & set(chain)


def test_c03_every_chain_is_kernel_then_user(profile):
    """By the markers: kernel frames first, user frames after, each part once."""
    for sample in profile(f"{SWITCHES} pingpong 40").samples():
        markers = [ip for ip in sample.chain if ip >= MAX_CONTEXT]
        assert markers in ([CONTEXT_KERNEL, CONTEXT_USER], [CONTEXT_KERNEL], [CONTEXT_USER])
        assert sample.chain[0] == markers[0] and sample.chain[1] == sample.ip


def test_no_symbol_is_missing_and_none_is_the_hosts(profile, perf):
    guest = profile("perf record -a -e context-switches -c 1 -g -- demo")
    for head, frames in script(perf, guest):
        assert frames, head
        for caller, (symbol, file) in zip([("", "")] + frames, frames):
            # A call that never returns ends its function: its return address lies behind that.
            assert symbol != "[unknown]" or caller[0] == "_exit", (head, frames)
            assert file == "[kernel.kallsyms]" or re.fullmatch(r"/bin/\w+", file), file


def test_every_map_carries_a_build_id(profile):
    """So that perf never falls back on the host's symbols."""
    guest = profile("perf record -a -e context-switches -c 1 -- pingpong 5")
    maps = [r for r in guest.stream.records() if r.type in (MMAP, MMAP2)]
    assert len(maps) >= 4
    assert all(r.type == MMAP2 and r.misc & MISC_MMAP_BUILD_ID for r in maps)


def test_kernel_threads_have_kernel_chains_alone(profile, perf):
    blocks = script(perf, profile("perf record -a -e context-switches -c 1 -g -- demo"))
    threads = [f for head, f in blocks if "thread_start" in kernel_symbols(f) and not user_symbols(f)]
    assert threads, "no kernel thread slept"


def test_samples_are_the_schedulers_count(make, out):
    """Between two moments the stream holds as many samples as the scheduler counted switches."""
    done = make("run", "APP=tests/system/programs/ctxt.c",
                "CMD=perf record -a -e context-switches -c 1 -- ctxt")
    assert done.returncode == 0, done.stdout + done.stderr
    start, end, switches = map(int, re.search(r"^ctxt (\d+) (\d+) (\d+)", done.stdout, re.M).groups())
    stream = Stream((out / "perf.pipe").read_bytes())
    times = [stream.sample(r).time for r in stream.records() if r.type == SAMPLE]
    assert switches > 400
    assert sum(start <= time < end for time in times) == switches


def test_page_faults_tell_their_address(profile):
    samples = profile("perf record -e page-faults -c 1 -g -- pagefaults 32").samples()
    assert len(samples) >= 32
    pages = [s.addr >> 12 for s in samples if s.event.name == "page-faults"]
    assert len(set(pages)) == len(pages), "a page faulted twice"


def test_cpu_clock_finds_the_loop(profile, perf):
    blocks = script(perf, profile("perf record -e cpu-clock -F 997 -g -- spin 300"))
    hot = [user_symbols(f)[0] for _, f in blocks if user_symbols(f)]
    assert len(hot) > 100
    assert max(set(hot), key=hot.count) not in ("main", "_start")


def test_a_guest_killed_in_mid_run_leaves_every_complete_sample(board, out, tmp_path, perf):
    pipe = tmp_path / "perf.pipe"
    process = subprocess.Popen(["tools/qemu-run", "--board", board, "--stream", str(pipe), "--quiet",
                                "--", *shlex.split(f"{SWITCHES} pingpong 1000000")],
                               stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not pipe.exists() or pipe.stat().st_size < 300_000:
            assert time.monotonic() < deadline, "no stream within a minute"
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGTERM)  # ends QEMU where it stands
        process.wait(30)
    stream = Stream(pipe.read_bytes())
    samples = sum(r.type == SAMPLE for r in stream.records())
    assert samples > 500
    data = tmp_path / "perf.data"
    data.write_bytes(perf_convert.convert(pipe.read_bytes())[0])
    for path in (pipe, data):
        assert len(perf("script", "-i", path, "-F", "comm", "-G").stdout.splitlines()) == samples


def test_every_channel_carries_the_same_stream(profile, perf, board_has):
    kinds, deep = [], []
    for channel in board_has["EXPORTS"].split():
        guest = profile(f"{SWITCHES} pingpong 20", "--export", channel, timeout=120)
        kinds.append({r.type for r in guest.stream.records()})
        chains = {tuple(frames) for _, frames in script(perf, guest)}
        # Where it slept; a slice may end below receive(), too, and not in the same place.
        deep.append({c for c in chains if "receive" in user_symbols(c) and c[0][0] == "pipe_read"})
    assert len(kinds) > 1 and deep[0]
    assert all(kind == kinds[0] for kind in kinds)
    assert all(some == deep[0] for some in deep)


def test_without_a_channel_perf_says_so(boot):
    guest = boot(f"{SWITCHES} true", "--export", "none")
    if "export channel" in guest.console:
        pytest.skip("a channel is part of the board")
    assert guest.status != 0
    assert "perf:" in guest.console


def test_make_run_from_start_to_end(make, out):
    """The first thing a user does: sites with both chains, counts, and commands that work as printed."""
    done = make("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[k]" in done.stdout and "do_syscall" in done.stdout and "main" in done.stdout
    counts = Counts(Stream((out / "perf.pipe").read_bytes()))
    total = counts.samples["context-switches"]
    assert total > 100 and re.search(rf"^ +{total}  samples of context-switches$", done.stdout, re.M)
    assert re.search(rf"^ +{counts.lost}  lost$", done.stdout, re.M)
    assert not re.search(r"% +swapper", done.stdout), "the idle task is no site"
    assert "by swapper (0), the idle task" in done.stdout
    commands = done.stdout.split("To look further\n")[1].strip().splitlines()
    assert len(commands) == 4
    for command in commands:
        ran = subprocess.run(["sh", "-c", command.strip()], stdin=subprocess.DEVNULL, text=True,
                             capture_output=True, errors="replace", timeout=120, check=False)
        assert ran.returncode == 0 and len(ran.stdout.splitlines()) > 5, (command, ran.stderr)


@pytest.mark.parametrize("how", ["directory", "files"])
def test_make_run_profiles_the_users_program(make, tmp_path, how):
    program = tmp_path / "mine"
    program.mkdir()
    (program / "mine.c").write_text(
        "#include <stdio.h>\n#include <unistd.h>\nlong work(long);\n"
        "int main(int argc, char **argv) { for (int i = 0; i < 5; i++) usleep(1000);\n"
        "printf(\"%s %ld\\n\", argv[argc - 1], work(20000000)); return 0; }\n")
    (program / "work.c").write_text(
        "long work(long n);\n__attribute__((noinline)) long work(long n) {\n"
        "long s = 0; for (volatile long i = 0; i < n; i++) s += i ^ n; return s; }\n")
    app = program if how == "directory" else f"{program}/mine.c {program}/work.c"
    done = make("run", f"APP={app}", "ARGS=one 'two words'")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "two words" in done.stdout
    assert "samples of cpu-clock" in done.stdout and "samples of context-switches" in done.stdout
    assert re.search(r"mine .*\[\.\] work", done.stdout), done.stdout
    assert "--stdio -s work\n" in done.stdout
