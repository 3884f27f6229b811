# SPDX-License-Identifier: MIT
"""cpu-migrations on several processors: a profile of moves as stock perf shows it, and the kernel's own
tests of contract C2."""
import collections
import re
import subprocess

import pytest

@pytest.fixture
def processors(board_has):
    """Options for a machine with several: a board that always has some needs none."""
    return [] if "QEMU_SMP" in board_has else ["--smp", "2"]


def chains(script):
    """(task, frames) of each sample that perf script prints."""
    for sample in script.strip().split("\n\n"):
        head, *frames = sample.splitlines()
        yield head.split()[0], [re.sub(r"^\s*[0-9a-f]+ (\S+?)(\+0x[0-9a-f]+)? .*", r"\1", f) for f in frames]


def test_profile_of_moves(boot, perf, processors):
    guest = boot("perf record -a -e cpu-migrations -c 1 -g -- migrate 5", *processors)
    assert guest.status == 0, guest.console
    assert "migrate: moves: 6 its own, 5 of another task, 5 when woken, 5 pulled" in guest.console
    found = [frames for task, frames in chains(perf("script", "-i", guest.pipe).stdout) if task == "migrate"]
    own = [f for f in found if f[0] == "sched_set_affinity" and "move_itself" in f]
    assert len(own) == 6 and not any("migrated_by_other_context" in f for f in own)
    others = [f for f in found if "migrated_by_other_context" in f]
    by = collections.Counter(f[0] for f in others)
    assert by["sched_set_affinity"] >= 5, by
    # Who is woken on a busy processor, as the other one is about to idle, is pulled there instead.
    assert by["wake_elsewhere"] >= 1 and by["sched_pull"] >= 1, by
    assert by["wake_elsewhere"] + by["sched_pull"] >= 10, by
    # Behind the marker comes what the moved task itself did.
    for frames in others:
        assert "main" in frames[frames.index("migrated_by_other_context"):], frames


def test_stat_of_all_processors(boot, processors):
    guest = boot("perf stat -a -x , -e cpu-migrations,context-switches -- migrate 5", *processors)
    assert guest.status == 0, guest.console
    counts = {name: int(n) for n, name in re.findall(r"^(\d+),,([a-z-]+),", guest.console, re.M)}
    assert counts["cpu-migrations"] >= 20
    assert counts["context-switches"] > counts["cpu-migrations"]


def run_kernel_tests(board, out, append, *options):
    command = ["tools/qemu-run", "--board", board, "--timeout", "200", "--kernel", out / "test/hotregs-test.elf",
               "--stream", out / "test/perf.pipe", "--append", append, *options]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          timeout=230, check=False)
    assert done.returncode == 0, done.stdout
    assert len(re.findall(r"^ok \d+ c02_(?!.*SKIP)", done.stdout, re.M)) > 0, done.stdout


@pytest.mark.parametrize("counted", [True, False], ids=["icount", "threads"])
def test_moves_in_the_kernel(board, out, processors, counted):
    run_kernel_tests(board, out, "ktest=c02*", *processors, *(["--icount"] if counted else []))


@pytest.mark.slow
@pytest.mark.parametrize("smp", ["2", "4"])
@pytest.mark.parametrize("counted", [True, False], ids=["icount", "threads"])
def test_a_long_storm_of_moves(board, out, processors, smp, counted):
    options = ["--smp", smp] if processors else []
    run_kernel_tests(board, out, "ktest=c02_storm* moves=20000", *options, *(["--icount"] if counted else []))
