# SPDX-License-Identifier: MIT
"""What is used up ends the one who asked for more, with a report, and nobody else; in the smallest machine, too."""
import re
import subprocess
import sys

import pytest


@pytest.fixture
def small_archive(out, board_has, tmp_path):
    """A boot archive of little more than the guest's tests, for a machine of 8 MiB."""
    objcopy = {"x86_64": "x86_64-linux-gnu-objcopy"}.get(board_has["ARCH"], "arm-none-eabi-objcopy")
    names = ("init", "sh", "true", "exits", "kill", "echo", "cat")  # what these tests execute
    programs = [out / "test/user/guest-tests", *(out / "user" / name for name in names)]
    for program in programs:
        subprocess.run([objcopy, "--strip-all", program, tmp_path / program.name], check=True)
    path = tmp_path / "archive.cpio"
    subprocess.run([sys.executable, "tools/mkcpio.py", path,
                    *(f"bin/{p.name}={tmp_path / p.name}" for p in programs)], check=True)
    return path


def skip_fixed_memory(board_has):
    if "QEMU_MEM" in board_has:
        pytest.skip("the board always has as much")


@pytest.mark.parametrize("memory", ["8", "64"])
def test_out_of_memory_ends_who_asked_with_a_report(boot, board_has, memory):
    """The report names the process, what it has and what there is; its chain, and its areas. Then the
    shell goes on."""
    skip_fixed_memory(board_has)
    guest = boot("sh -c 'hog; hello $?'", "--mem", memory, "--icount")
    assert guest.status == 0, guest.console + guest.errors
    assert "\nhello 137\n" in guest.console
    said = re.search(r"^hog\[(\d+)\]: out of memory with (\d+) KiB; (\d+) of (\d+) KiB are free; the most has "
                     r"hog\[\1\]: \2 KiB\nhog\[\1\]: page fault, out of memory, address (0x[0-9a-f]+): ended "
                     r"by signal 9\n", guest.console, re.M)
    assert said, guest.console
    has, free, total = (int(said[n]) for n in (2, 3, 4))
    assert free < 256 and has > total // 2 and total < int(memory) * 1024
    assert guest.console.count("(user)") >= 3, guest.console
    areas = re.findall(r"^  ([0-9a-f]+)-([0-9a-f]+) rw-p", guest.console, re.M)
    if memory == "8":  # else there are too many for a report
        assert any(int(start, 16) <= int(said[5], 16) < int(end, 16) for start, end in areas)
    assert len(areas) <= 40


@pytest.mark.parametrize("tests", ["limits_*", "process_*", "wild_*"])
def test_limits_in_8_MiB(boot, board_has, small_archive, tests):
    skip_fixed_memory(board_has)
    guest = boot(f"guest-tests '{tests}'", "--mem", "8", "--icount", "--archive", str(small_archive), timeout=120)
    assert guest.status == 0, guest.console + guest.errors
    assert not re.search(r"^not ok|# SKIP", guest.console, re.M)
    assert len(re.findall(r"^ok ", guest.console, re.M)) >= 3
