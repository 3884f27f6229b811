# SPDX-License-Identifier: MIT
"""Machines the image boots on, how it ends, and what it says when it cannot go on."""
import re
import subprocess

import pytest


@pytest.fixture(scope="session")
def empty_archive(tmp_path_factory):
    """A newc archive that holds nothing but its trailer."""
    path = tmp_path_factory.mktemp("archive") / "empty.cpio"
    subprocess.run(["python3", "tools/mkcpio.py", str(path)], check=True)
    return path


@pytest.mark.parametrize("status", [0, 1, 42, 124, 125, 126, 127, 128, 129, 134, 200, 255])
def test_a_programs_status_is_the_machines(boot, status):
    """Also where qemu-run itself would end with it: then that comes with a message."""
    guest = boot(f"exits {status}")
    assert guest.status == status
    assert guest.errors == ""


def test_a_status_after_output_without_a_newline(boot):
    assert boot("crash | cat").status == 0
    assert boot("echo no | exits 200").status == 200


def test_a_program_that_crashes(boot):
    guest = boot("crash")
    assert guest.status == 128 + 11
    assert "signal 11" in guest.console


@pytest.mark.boards("x86_64-*")
@pytest.mark.parametrize("machine", ["x86_64-pc", "x86_64-q35"])
def test_one_image_boots_on_both_chipsets(boot, board, out, machine):
    guest = boot("echo hello", "--board", machine, "--kernel", str(out / "hotregs.elf"),
                 "--archive", str(out / "archive.cpio"))
    assert guest.status == 0, guest.console + guest.errors
    assert "hello" in guest.console


@pytest.mark.parametrize("processors", ["2", "4"])
def test_more_processors_do_no_harm(boot, board_has, processors):
    if "QEMU_SMP" in board_has:
        pytest.skip("the board always has as many")
    assert boot("pingpong 50", "--smp", processors).status == 0


@pytest.mark.boards("x86_64-*")
@pytest.mark.parametrize("cpu", ["max", "qemu64"])
def test_every_processor_of_the_board(boot, cpu):
    guest = boot("sh -c 'pingpong 20 && cat /proc/cpuinfo'", "--cpu", cpu)
    assert guest.status == 0, guest.console + guest.errors
    assert "QEMU" in guest.console


@pytest.fixture
def memory_varies(board_has):
    if "QEMU_MEM" in board_has:
        pytest.skip("the board always has as much")


def test_memory_of_8_MiB_is_enough(boot, memory_varies):
    guest = boot("pingpong 50", "--mem", "8")
    assert guest.status == 0, guest.console + guest.errors


def test_too_little_memory_is_said(boot, memory_varies, empty_archive):
    guest = boot("true", "--mem", "4", "--archive", str(empty_archive))
    assert guest.status != 0
    assert re.search(r"at least \d+ MiB are needed", guest.console), guest.console + guest.errors


def test_too_little_memory_for_the_archive_is_said(boot, memory_varies):
    """QEMU would put the archive over the kernel."""
    guest = boot("true", "--mem", "2")
    assert guest.status == 2
    assert "do not hold the kernel and the archive" in guest.errors


def test_a_panic_tells_all_and_ends_the_machine(boot, empty_archive):
    guest = boot("true", "--archive", str(empty_archive))
    assert guest.status == 126, guest.console + guest.errors
    assert "qemu-run: the kernel panicked" in guest.errors
    assert re.search(r"panic", guest.console, re.I)
    assert "start_kernel" in guest.console, "the chain has no symbols"
    assert re.search(r"\b(rip|pc)\b.*\b[0-9a-f]{8}", guest.console, re.I), "no registers"
    assert re.search(r"\bcpu *0", guest.console, re.I)


def test_an_archive_that_is_none_is_refused(boot, tmp_path):
    path = tmp_path / "noise"
    path.write_bytes(b"not an archive, " * 64)
    guest = boot("true", "--archive", str(path))
    assert guest.status == 126
    assert "archive" in guest.console


def test_a_hang_ends_in_a_timeout_that_shows_the_console_once(boot):
    guest = boot("spin 60000", timeout=4)
    assert guest.status == 124
    assert "Hotregs" in guest.console and len(guest.errors.splitlines()) == 1
    guest = boot("spin 60000", "--quiet", timeout=4)
    assert guest.status == 124 and guest.console == ""
    assert "| " in guest.errors and "Hotregs" in guest.errors


@pytest.mark.slow
def test_booting_never_fails(boot):
    assert [boot("true").status for _ in range(50)] == [0] * 50
