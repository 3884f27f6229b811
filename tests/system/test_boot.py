# SPDX-License-Identifier: MIT
"""Machines the image boots on, how it ends, and what it says when it cannot go on."""
import re
import struct
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


@pytest.fixture
def processors_vary(board_has):
    if "QEMU_SMP" in board_has:
        pytest.skip("the board always has as many")


@pytest.mark.parametrize("processors", [2, 4, 8])
def test_all_processors_run(boot, processors_vary, processors):
    guest = boot("pingpong 50", "--smp", str(processors))
    assert guest.status == 0, guest.console + guest.errors
    assert f"smp: {processors} of {processors} processors run" in guest.console
    told = re.findall(r"smp: cpu (\d+): clock(?:s agree within \d+| skew -?\d+ cycles, within \d+)", guest.console)
    assert told == [str(n) for n in range(1, processors)]


def test_all_processors_of_a_board_run(boot, board_has):
    if "QEMU_SMP" not in board_has:
        pytest.skip("the board has as many as one likes")
    guest = boot("pingpong 50")
    assert guest.status == 0, guest.console + guest.errors
    assert "smp: {0} of {0} processors run".format(board_has["QEMU_SMP"]) in guest.console


@pytest.mark.parametrize("wanted, run", [("1", 1), ("3", 3), ("99", 4)])
def test_fewer_processors_run_if_asked(boot, wanted, run):
    guest = boot("pingpong 50", "--smp", "4", "--append", f"cpus={wanted}")
    assert guest.status == 0, guest.console + guest.errors
    assert f"smp: {run} of 4 processors run" in guest.console


@pytest.mark.parametrize("wanted", ["0", "two", "3x", ""])
def test_a_number_of_processors_that_is_none_is_told(boot, wanted):
    guest = boot("pingpong 50", "--smp", "4", "--append", f"cpus={wanted}")
    assert guest.status == 0, guest.console + guest.errors
    assert f"cpus={wanted}: not a number of processors" in guest.console
    assert "smp: 4 of 4 processors run" in guest.console


def pc_with(qemu_processors, *options, out):
    """A PC with processors as QEMU's -smp takes them: (status, console)."""
    command = ["qemu-system-x86_64", "-M", "pc", "-cpu", "max,-x2apic", "-accel", "tcg", "-m", "64", "-smp",
               qemu_processors, "-nodefaults", "-display", "none", "-no-reboot", "-serial", "stdio", "-device",
               "isa-debug-exit,iobase=0xf4,iosize=4", "-kernel", str(out / "hotregs.elf"), "-initrd",
               str(out / "archive.cpio"), "-append", "-- echo hello", *options]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          timeout=60, check=False)
    return done.returncode >> 1, done.stdout


@pytest.mark.boards("x86_64-pc")
def test_places_for_processors_are_none(out):
    status, console = pc_with("2,maxcpus=4", out=out)
    assert status == 0 and "hello" in console, console
    assert "smp: 2 of 2 processors run" in console
    assert "left out" not in console


@pytest.mark.boards("x86_64-pc")
def test_a_processor_that_does_not_come_is_left_out(out, tmp_path):
    """One more table of processors (ACPI 6.4, 5.2.12): the second is there, number 5 is not, and number
    300 is one for x2APIC mode."""
    content = struct.pack("<II", 0xfee00000, 0)
    content += b"".join(struct.pack("<BBBBI", 0, 8, n, n, 1) for n in (5, 1))
    content += struct.pack("<BBHIII", 9, 16, 0, 300, 1, 300)
    (tmp_path / "madt").write_bytes(content)
    status, console = pc_with("2", "-acpitable", f"sig=APIC,data={tmp_path / 'madt'}", out=out)
    assert status == 0 and "hello" in console, console
    assert "smp: processor 5 does not come and is left out" in console
    assert "smp: 2 of 3 processors run" in console
    assert "300" not in console


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


def test_memory_of_8_MiB_is_enough(boot, memory_varies, board_has):
    """Or of as much as QEMU needs to load what it starts."""
    guest = boot("pingpong 50", "--mem", board_has.get("LEAST_MEM", "8"))
    assert guest.status == 0, guest.console + guest.errors


def test_too_little_memory_is_said(boot, memory_varies, empty_archive, board_has):
    little = "5" if "LEAST_MEM" in board_has else "4"  # QEMU has room for the tree, just so
    guest = boot("true", "--mem", little, "--archive", str(empty_archive))
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
