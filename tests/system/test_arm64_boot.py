# SPDX-License-Identifier: MIT
"""How AArch64 boards start: at each exception level, with either interrupt controller, on each processor."""
import pytest

from test_arm_boot import qemu  # noqa: F401, a fixture

pytestmark = pytest.mark.boards("arm64-virt")


@pytest.mark.parametrize("machine, level", [
    ("virt", 1), ("virt,virtualization=on", 2), ("virt,virtualization=on,secure=on", 2),
    ("virt,gic-version=3", 1), ("virt,gic-version=3,virtualization=on", 2)])
@pytest.mark.parametrize("cpu", ["cortex-a57", "max"])
def test_every_level_that_an_image_is_started_at(qemu, machine, level, cpu):  # noqa: F811
    status, console = qemu("--", "echo", "hello", add=["-M", machine, "-cpu", cpu, "-smp", "3"])
    assert status == 0 and "hello" in console, console
    assert f"entered at EL{level}, runs at EL1" in console
    assert "smp: 3 of 3 processors run" in console  # which come at the same level
    assert ("gicv3: " if "gic-version=3" in machine else "gicv2: ") in console
    assert "device tree boot, 262144 KiB" in console  # and no Secure memory in it
    assert "in the kernel breakpoints strike, watchpoints strike" in console


@pytest.mark.parametrize("machine, level", [("virt", 1), ("virt,virtualization=on", 2), ("virt,secure=on", 3),
                                            ("virt,secure=on,virtualization=on", 3)])
def test_elf_file_finds_the_tree_at_the_start_of_ram(out, qemu, machine, level):  # noqa: F811
    status, console = qemu("--append", "some=thing", remove=["-kernel"],
                           add=["-kernel", str(out / "hotregs.elf"), "-M", machine])
    assert status == 126 and "device tree boot" in console, console
    assert f"entered at EL{level}, runs at EL1" in console
    assert "cannot start /bin/init" in console  # QEMU loads no archive beside an ELF file


def test_profile_with_the_other_controller(qemu):  # noqa: F811
    """Its interrupts are timer, devices, and processors among each other."""
    status, console = qemu("--", "sh", "-c", "perf record -a -e cpu-clock -F 997 -g -o /tmp/p -- spin 100; ls -l /tmp",
                           add=["-M", "virt,gic-version=3", "-smp", "4"])
    assert status == 0 and "smp: 4 of 4 processors run" in console, console
