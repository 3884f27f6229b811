# SPDX-License-Identifier: MIT
"""What is used up ends the one who asked for more, with a report, and nobody else; in the smallest machine, too."""
import re
import subprocess
import sys

import pytest


@pytest.fixture
def small_archive(out, board_has, tmp_path):
    """A boot archive of little more than the guest's tests, for a machine of 8 MiB."""
    objcopy = {"x86_64": "x86_64-linux-gnu-objcopy", "arm64": "aarch64-linux-gnu-objcopy"}.get(board_has["ARCH"], "arm-none-eabi-objcopy")
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


def least(board_has):
    """MiB, as QEMU loads what it starts."""
    return board_has.get("LEAST_MEM", "8")


@pytest.mark.parametrize("memory", ["8", "64"])
def test_out_of_memory_ends_who_asked_with_a_report(boot, board_has, memory):
    """The report names the process, what it has and what there is; its chain, and its areas. Then the
    shell goes on."""
    skip_fixed_memory(board_has)
    mib = least(board_has) if memory == "8" else memory
    guest = boot("sh -c 'hog; hello $?'", "--mem", mib, "--icount")
    assert guest.status == 0, guest.console + guest.errors
    assert "\nhello 137\n" in guest.console
    said = re.search(r"^hog\[(\d+)\]: out of memory with (\d+) KiB; (\d+) of (\d+) KiB are free; the most has "
                     r"hog\[\1\]: \2 KiB\nhog\[\1\]: page fault, out of memory, address (0x[0-9a-f]+): ended "
                     r"by signal 9\n", guest.console, re.M)
    assert said, guest.console
    has, free, total = (int(said[n]) for n in (2, 3, 4))
    assert 64 <= free < 256 and has > total // 2 and total < int(mib) * 1024
    assert guest.console.count("(user)") >= 3, guest.console
    areas = re.findall(r"^  ([0-9a-f]+)-([0-9a-f]+) rw-p", guest.console, re.M)
    if memory == "8":  # else there are too many for a report
        assert any(int(start, 16) <= int(said[5], 16) < int(end, 16) for start, end in areas)
    assert len(areas) <= 40


@pytest.mark.parametrize("memory", ["8", "64"])
def test_what_is_left_without_privilege_is_enough_for_the_privileged_shell(boot, board_has, memory):
    """A program of another user's that takes too much is ended while others of its user's, too, get nothing;
    one that stops in time keeps what it has. The shell goes on, starts programs, and ends it."""
    skip_fixed_memory(board_has)
    guest = boot("sh -c 'setpriv --reuid 1000 hog & sleep 1; ls /; echo took; wait; "
                 "setpriv --reuid 1000 hog -k 9 & sleep 2; ls /; cat /proc/meminfo; setpriv --reuid 1000 ls / && "
                 "echo served; kill -KILL %2; wait; setpriv --reuid 1000 ls /; echo end $?'",
                 "--mem", least(board_has) if memory == "8" else memory, "--icount")
    assert guest.status == 0, guest.console + guest.errors
    first, second = guest.console.split("\ntook\n")
    ended = re.findall(r"^(\w+)\[\d+\]: out of memory with \d+ KiB; (\d+) of (\d+) KiB are free", first, re.M)
    assert [name for name, _, _ in ended] == ["hog"], guest.console
    assert int(ended[0][1]) >= int(ended[0][2]) // 8 - 4
    assert "\nbin/\ndev/\nproc/\n" in first
    assert re.search(r"^hog: keeps \d+ KiB$", second, re.M), guest.console
    left = int(re.search(r"^MemFree: +(\d+) kB", second, re.M)[1])
    assert left < int(ended[0][2]) // 8 + 128  # it has what there is for it; some ended since
    assert re.findall(r"^(\w+)\[\d+\]: out of memory", second, re.M) in (["setpriv"], ["ls"]), guest.console
    assert "\nserved\n" not in second and "\nend 0\n" in second
    assert second.count("\nbin/\ndev/\nproc/\n") + second.startswith("bin/\ndev/\n") == 2, guest.console


@pytest.mark.parametrize("tests", ["limits_*", "process_*", "wild_*"])
def test_limits_in_8_MiB(boot, board_has, small_archive, tests):
    skip_fixed_memory(board_has)
    guest = boot(f"guest-tests '{tests}'", "--mem", "8", "--icount", "--archive", str(small_archive), timeout=120)
    assert guest.status == 0, guest.console + guest.errors
    assert not re.search(r"^not ok|# SKIP", guest.console, re.M)
    assert len(re.findall(r"^ok ", guest.console, re.M)) >= 3
