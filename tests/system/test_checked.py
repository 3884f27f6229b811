# SPDX-License-Identifier: MIT
"""The kernel that checks itself, under what the guest tests do not do: the export channel, input, all
of a recording. A check that fails ends the machine with a status of its own."""
import subprocess

import pytest


@pytest.fixture
def image(out):
    return out / "test/hotregs-test.elf"


@pytest.mark.parametrize("command", [
    "perf record -a -e context-switches -c 1 -g -- demo",
    "perf record -e cs/period=1/,cpu-clock/freq=997/ -g -o - -- spin 1 | perf script",
    "perf stat -- pingpong 100",
])
def test_a_checked_kernel_runs(boot, image, command):
    guest = boot(command, "--kernel", image)
    assert guest.status == 0, guest.console


def test_a_checked_kernel_takes_input(board, image, tmp_path):
    done = subprocess.run(["tools/qemu-run", "--board", board, "--kernel", image, "--timeout", "60", "--stream",
                           tmp_path / "perf.pipe", "--command", "cat"],
                          input=b"a line\n", capture_output=True, timeout=90, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")
