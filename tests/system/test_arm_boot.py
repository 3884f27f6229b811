# SPDX-License-Identifier: MIT
"""How ARM boards start: what loaders and processors hand over, and what is said of a hand-over that
is missing, damaged, or another board's."""
import importlib.machinery
import importlib.util
import os
import re
import shutil
import struct
import subprocess
import time

import pytest

PAGE = 4096
UART = {"arm-virt": 0x09000000, "arm-raspi2": 0x3f201000}
RAM = {"arm-virt": 0x40000000, "arm-raspi2": 0}


pytestmark = pytest.mark.boards("arm-*")


# --- Running QEMU with other arguments than tools/qemu-run's ---

def load_qemu_run():
    loader = importlib.machinery.SourceFileLoader("qemu_run", "tools/qemu-run")
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("qemu_run", loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def qemu(board, tmp_path):
    """qemu(words, remove=, add=, keys=): (exit status, console) of the board's QEMU command line
    without some options and with others; keys are typed once the console is there."""
    def run(*words, remove=(), add=(), keys=None):
        script = load_qemu_run()
        args = script.parse_arguments(["--board", board, "--stream", str(tmp_path / "perf.pipe"), *words])
        description = script.read_board(board)
        script.apply_board(args, description)
        command = script.qemu_command(args, description, None)
        for option in remove:
            at = command.index(option)
            del command[at:at + 2]
        process = subprocess.Popen([*command, *add], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        console = b""
        if keys:
            while b"console at" not in console:
                console += process.stdout.read1()
            for key in keys:
                time.sleep(0.3)
                process.stdin.write(key.encode())
                process.stdin.flush()
        try:
            rest, _ = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            rest, _ = process.communicate()
            return None, (console + rest).decode(errors="replace")
        return process.returncode, (console + rest).decode(errors="replace")
    return run


# --- Device trees (Devicetree Specification 0.4, chapter 5) ---

def cells(*values):
    return struct.pack(f">{len(values)}I", *values)


def strings(*values):
    return b"".join(value.encode() + b"\0" for value in values)


def tree(root):
    """The blob of {name: bytes or {...}}, properties and children in order."""
    names, structure = bytearray(), bytearray()

    def pad():
        structure.extend(bytes(-len(structure) % 4))

    def put(name, node):
        structure.extend(cells(1) + strings(name))
        pad()
        for key, value in node.items():
            if isinstance(value, dict):
                put(key, value)
                continue
            structure.extend(cells(3, len(value), len(names)) + value)
            names.extend(strings(key))
            pad()
        structure.extend(cells(2))

    put("", root)
    structure.extend(cells(9))
    head = 40 + 16
    return cells(0xd00dfeed, head + len(structure) + len(names), head, head + len(structure), 40, 17,
                 16, 0, len(names), len(structure)) + bytes(16) + structure + names


def board_tree(board, compatible=None):
    """As much of a board's tree as tells where its RAM and its console are."""
    return {
        "compatible": strings(compatible or {"arm-virt": "linux,dummy-virt",
                                             "arm-raspi2": "brcm,bcm2836"}[board]),
        "#address-cells": cells(1), "#size-cells": cells(1),
        "chosen": {"stdout-path": strings("/uart:115200n8")},
        "memory@0": {"device_type": strings("memory"), "reg": cells(RAM[board], 0x10000000)},
        "uart": {"compatible": strings("arm,pl011"), "reg": cells(UART[board], 0x1000)},
    }


@pytest.fixture
def with_tree(out, tmp_path):
    """with_tree(blob): an image that puts the blob's address into r2 before it starts."""
    def make(blob):
        size = -(-(0x100 + len(blob)) // PAGE) * PAGE
        code = struct.pack("<2I", 0xe28f2000 | (0x100 - 8),         # add r2, pc, #...
                           0xea000000 | (size - 4 - 8) // 4)        # b to the image
        path = tmp_path / "with-tree.bin"
        path.write_bytes(code.ljust(0x100, b"\0") + blob.ljust(size - 0x100, b"\0")
                         + (out / "hotregs.bin").read_bytes())
        return str(path)
    return make


def started(console):
    return "Hotregs on armv7l" in console


# --- What works ---

@pytest.mark.boards("arm-virt")
@pytest.mark.parametrize("machine, state", [
    ("virt", "entered in Supervisor mode"), ("virt,virtualization=on", "entered in Hyp mode"),
    ("virt,secure=on", "entered in Supervisor mode")])
def test_every_state_that_an_image_is_started_in(board, qemu, machine, state):
    status, console = qemu("--", "echo", "hello", add=["-M", machine, "-smp", "3"])
    assert status == 0 and "hello" in console, console
    assert state in console and "runs in Non-secure" in console
    assert "smp: 3 of 3 processors run" in console  # which come in the same state
    assert "device tree boot, 262144 KiB" in console  # and no Secure memory in it


@pytest.mark.boards("arm-virt")
@pytest.mark.parametrize("machine", ["virt", "virt,secure=on"])
def test_elf_file_finds_the_tree_at_the_start_of_ram(board, out, qemu, machine):
    status, console = qemu("--append", "some=thing", remove=["-kernel"],
                           add=["-kernel", str(out / "hotregs.elf"), "-M", machine])
    assert status == 126 and "device tree boot" in console, console
    assert "command line: some=thing" in console
    assert "cannot start /bin/init" in console and "boot archive" in console  # QEMU loads none here


@pytest.mark.boards("arm-virt")
@pytest.mark.parametrize("cpu", ["cortex-a15", "cortex-a7"])
def test_both_processors(board, boot, cpu):
    guest = boot("pingpong 20", "--cpu", cpu)
    assert guest.status == 0, guest.console + guest.errors


@pytest.mark.boards("arm-virt")
def test_another_processor_is_refused_and_named(make):
    done = make("run", "CPU=cortex-a9", "CMD=true")
    assert done.returncode != 0 and "RUN" not in done.stdout
    assert "CPU=cortex-a9" in done.stderr and "cortex-a15, cortex-a7" in done.stderr


@pytest.mark.boards("arm-virt")
def test_processor_that_firmware_refuses_is_left_out(qemu, tmp_path):
    """A tree names one that the machine does not have."""
    blob = tmp_path / "three.dtb"
    qemu("--", "true", add=["-smp", "3", "-M", f"virt,dumpdtb={blob}"])
    status, console = qemu("--", "echo", "hello", add=["-smp", "2", "-dtb", str(blob)])
    assert status == 0 and "hello" in console, console
    assert "smp: processor 2 does not come and is left out" in console
    assert "smp: 2 of 3 processors run" in console


@pytest.mark.boards("arm-raspi2")
def test_raw_image_goes_by_atags(board, boot):
    guest = boot("pingpong 20")
    assert guest.status == 0 and "ATAGs boot, 983040 KiB" in guest.console, guest.console
    assert "smp: 4 of 4 processors run" in guest.console  # from the loop of QEMU's loader


@pytest.mark.boards("arm-raspi2")
@pytest.mark.parametrize("how", ["elf", "firmware's address"])
def test_without_a_hand_over_the_boards_table_does(board, out, qemu, how):
    image = (["-kernel", str(out / "hotregs.elf")] if how == "elf" else
             ["-device", f"loader,file={out}/hotregs.bin,addr=0x8000,cpu-num=0,force-raw=on"])
    status, console = qemu(remove=["-kernel", "-initrd", "-append"], add=image)
    assert status == 126 and "bare boot, 983040 KiB" in console, console
    assert "no device tree and no ATAGs" in console and "cannot start /bin/init" in console
    if how == "elf":  # where all processors begin at the entry point
        assert "smp: 4 of 4 processors run" in console


@pytest.mark.boards("arm-raspi2")
def test_tree_of_the_firmware(board, qemu, tmp_path):
    """A tree as a Raspberry Pi's firmware has it: buses that translate, and a controller for each of
    processor and devices."""
    intc = {"phandle": cells(1), "#interrupt-cells": cells(2), "reg": cells(0x7e00b200, 0x200),
            "compatible": strings("brcm,bcm2836-armctrl-ic")}
    blob = tmp_path / "pi.dtb"
    blob.write_bytes(tree({
        "compatible": strings("raspberrypi,2-model-b", "brcm,bcm2836"),
        "#address-cells": cells(1), "#size-cells": cells(1), "interrupt-parent": cells(1),
        "cpus": {"#address-cells": cells(1), "#size-cells": cells(0),
                 "enable-method": strings("brcm,bcm2836-smp"),
                 **{f"cpu@{n:x}": {"device_type": strings("cpu"), "reg": cells(n)}
                    for n in (0xf00, 0xf02)}},
        "chosen": {}, "memory@0": {"device_type": strings("memory"), "reg": cells(0, 0x3b400000)},
        "soc": {
            "#address-cells": cells(1), "#size-cells": cells(1),
            "ranges": cells(0x7e000000, 0x3f000000, 0x1000000, 0x40000000, 0x40000000, 0x1000),
            "interrupt-controller@7e00b200": intc,
            "local_intc@40000000": {"reg": cells(0x40000000, 0x100),
                                    "compatible": strings("brcm,bcm2836-l1-intc")},
            "serial@7e201000": {"compatible": strings("arm,pl011", "arm,primecell"),
                                "reg": cells(0x7e201000, 0x200), "interrupts": cells(2, 25)},
        }}))
    status, console = qemu("--", "cat", add=["-dtb", str(blob)], keys=["typed\n", "\4"])
    assert status == 0 and "device tree boot" in console, console
    assert console.count("typed") == 2  # echo, and what cat read
    assert "smp: 2 of 2 processors run" in console  # of four


def test_input_comes_by_interrupt(qemu):
    line = "longer than the sixteen bytes of a FIFO"
    status, console = qemu("--", "cat", keys=[line + "\n", "\4"])
    assert status == 0 and console.count(line) == 2, console


def test_semihosting_carries_the_stream(boot):
    guest = boot("perf record -e context-switches -c 1 -- pingpong 50", "--export", "semihosting")
    assert guest.status == 0 and "export channel is the file" in guest.console, guest.console
    assert len(guest.samples()) > 50


# --- What does not ---

def test_no_tree_says_what_is_there(board, qemu, with_tree):
    status, console = qemu("--kernel", with_tree(b"\x7fELF and what follows"))
    assert status == 126 and not started(console), console
    assert "no device tree" in console and "there is 7f 45 4c 46" in console
    assert "should be the address of a device tree" in console


def test_damaged_tree_is_said(board, qemu, with_tree):
    blob = bytearray(tree(board_tree(board)))
    blob[0x60] = 0xff
    status, console = qemu("--kernel", with_tree(bytes(blob)))
    assert status == 126 and not started(console), console
    assert "the device tree at" in console and "damaged" in console


def test_tree_of_another_board_is_said(board, qemu, with_tree):
    status, console = qemu("--kernel", with_tree(tree(board_tree(board, "acme,roadrunner"))))
    assert status == 126 and not started(console), console
    assert "image is for another board" in console and "acme,roadrunner" in console


def test_image_of_another_board_says_so_on_this_ones_console(board, make, qemu, tmp_path):
    """The tree lies where the image's own board has no RAM, and the console is elsewhere, too."""
    other = {"arm-virt": "arm-raspi2", "arm-raspi2": "arm-virt"}[board]
    done = make(f"BOARD={other}", "kernel")
    assert done.returncode == 0, done.stderr
    blob = tmp_path / "board.dtb"
    blob.write_bytes(tree(board_tree("arm-raspi2")))
    status, console = qemu("--kernel", f"build/{other}/hotregs.bin",
                           add=["-dtb", str(blob)] if board == "arm-raspi2" else [])
    assert status == 126 and not started(console), console
    assert "image is for another board" in console


def test_tree_without_memory_is_said(board, qemu, with_tree):
    description = board_tree(board)
    del description["memory@0"]
    status, console = qemu("--kernel", with_tree(tree(description)))
    assert status == 126 and not started(console), console
    assert "names no memory" in console


def test_archive_that_is_not_in_ram_is_said(board, qemu, with_tree):
    description = board_tree(board)
    description["chosen"] |= {"linux,initrd-start": cells(RAM[board] + 0x20000000),
                              "linux,initrd-end": cells(RAM[board] + 0x20001000)}
    status, console = qemu("--kernel", with_tree(tree(description)))
    assert status == 126 and not started(console), console
    assert "boot archive at" in console and "is not in RAM" in console


def test_stream_name_with_blanks_is_refused(board, tmp_path):
    done = subprocess.run(["tools/qemu-run", "--board", board, "--export", "semihosting", "--stream",
                           str(tmp_path / "a b")], capture_output=True, text=True, check=False)
    assert done.returncode == 125
    (line,) = done.stderr.splitlines()
    assert "blanks" in line


# --- Images for boot loaders ---

@pytest.fixture
def u_boot():
    for tool in ("mkimage", "mkfs.vfat", "mcopy", "sfdisk"):
        if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            pytest.skip(f"{tool} is not installed")
    if not os.path.exists("/usr/lib/u-boot/qemu_arm/u-boot.bin"):
        pytest.skip("u-boot-qemu is not installed")


@pytest.mark.boards("arm-virt")
def test_through_u_boot(u_boot, make, out):
    (out / "perf.pipe").write_bytes(b"an earlier run's")
    (out / "perf.data").write_bytes(b"an earlier run's")
    done = make("run-uboot", "CMD=exits 42", timeout=120)
    assert "Starting kernel" in done.stdout and "device tree boot" in done.stdout, done.stdout + done.stderr
    assert "command line: -- exits 42" in done.stdout
    assert done.returncode != 0 and "Error 42" in done.stderr
    assert "report" not in done.stdout and not (out / "perf.data").exists()


@pytest.mark.boards("arm-virt")
@pytest.mark.parametrize("export", ["virtio", "semihosting"])
def test_a_profile_through_u_boot_is_reported(u_boot, make, export):
    done = make("run-uboot", f"EXPORT={export}", "CMD=perf record -e cpu-clock -F 997 -g -- spin 200", timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^ +\d+\.\d+% +spin +spin +\[\.\] hot$", done.stdout, re.M), done.stdout
    assert "To look further" in done.stdout


@pytest.mark.boards("arm-raspi2")
def test_sdcard_folder(board, make, out):
    done = make("sdcard", "CMD=pingpong 20")
    assert done.returncode == 0, done.stderr
    card = out / "sdcard"
    assert (card / "kernel7.img").read_bytes() == (out / "hotregs.bin").read_bytes()
    assert (card / "archive.cpio").read_bytes() == (out / "archive.cpio").read_bytes()
    assert (card / "cmdline.txt").read_text() == "-- pingpong 20\n"
    config = (card / "config.txt").read_text().splitlines()
    assert make("sdcard").returncode == 0
    assert (card / "cmdline.txt").read_text() == \
        "-- perf record -a -e context-switches -c 1 -g -o - -- demo | perf script\n"
    assert "kernel=kernel7.img" in config and "initramfs archive.cpio followkernel" in config


@pytest.mark.parametrize("goal, other", [
    pytest.param("uboot", "arm-raspi2", marks=pytest.mark.boards("arm-raspi2")),
    pytest.param("sdcard", "arm-virt", marks=pytest.mark.boards("arm-virt"))])
def test_goals_of_other_boards_say_whose(make, goal, other):
    done = make(goal)
    assert done.returncode != 0
    (line,) = [l for l in (done.stdout + done.stderr).splitlines() if l.strip()]
    assert f"BOARD={other}" in line and {"uboot": "arm-virt", "sdcard": "arm-raspi2"}[goal] in line
