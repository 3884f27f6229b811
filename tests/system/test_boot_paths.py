# SPDX-License-Identifier: MIT
"""The ways to start a PC: directly, by GRUB from BIOS and from UEFI, and in Bochs. By each of them the
kernel finds all of its machine, the profile comes out and the status is the guest's."""
import json
import re
import shutil
import socket
import subprocess
import time

import pytest

import ktap
import perf_convert

pytestmark = [
    pytest.mark.boards("x86_64-*"),
    pytest.mark.skipif(not shutil.which("grub-mkrescue"), reason="Debian has GRUB for PCs on PCs only"),
]
only_pc = pytest.mark.boards("x86_64-pc")
slow = pytest.mark.slow


def ways(**marks):
    """The test by the named ways, each with its marks, if any."""
    return pytest.mark.parametrize("way", [pytest.param(way, marks=[some] if some else []) for way, some in marks.items()])


PROTOCOL = {"kernel": "pvh", "iso": "multiboot2", "uefi": "multiboot2 by UEFI", "bochs": "multiboot2"}


@ways(kernel=None, iso=None, uefi=None, bochs=only_pc)
def test_the_profile_comes_out(boot, perf, tmp_path, way):
    guest = boot("perf record -a -e context-switches -c 1 -g -- pingpong 50", "--boot", way)
    assert guest.status == 0 and guest.errors == "", guest.console + guest.errors
    assert f"Hotregs on x86_64, {PROTOCOL[way]} boot" in guest.console
    data, problem = perf_convert.convert(guest.pipe.read_bytes())
    assert not problem
    (tmp_path / "perf.data").write_bytes(data)
    report = perf("report", "-i", tmp_path / "perf.data", "--stdio", "--no-children", "-g", "none").stdout
    assert re.search(r"\d% +pingpong +\[kernel.kallsyms\] +\[k\] pipe_read *$", report, re.M), report
    if way != "kernel":
        assert "Booting `Hotregs'" in guest.console and "\x1b" not in guest.console, "it clears the terminal"


@only_pc
@ways(iso=None, uefi=slow, bochs=slow)
def test_words_arrive_as_they_were(boot, way):
    guest = boot("""echo 'a  b' "it's" "that's it" 'say "hi"' '|' \\\\ '$x' ü""", "--boot", way)
    assert guest.status == 0
    assert """\na  b it's that's it say "hi" | \\ $x ü\n""" in guest.console.replace("\r", "")


@only_pc
def test_a_word_that_grub_loses_is_refused(boot):
    guest = boot("echo ''", "--boot", "iso")
    assert guest.status == 125 and guest.console == ""
    assert guest.errors.startswith("qemu-run: GRUB cannot hand over")


@only_pc
@pytest.mark.parametrize("command, status", [("exits 255", 255), ("crash", 139)])
def test_a_status_out_of_bochs(boot, command, status):
    guest = boot(command, "--boot", "bochs", "--export", "none")
    assert guest.status == status
    assert guest.errors == ""
    assert guest.console.endswith("powering off\n"), "the last line was cut"


@only_pc
@ways(iso=slow, uefi=slow, bochs=None)
def test_a_panic(boot, tmp_path, way):
    (tmp_path / "noise").write_bytes(b"not an archive, " * 64)
    guest = boot("true", "--archive", str(tmp_path / "noise"), "--boot", way)
    assert guest.status == 126, guest.console
    assert "qemu-run: the kernel panicked" in guest.errors
    assert "boot archive is not a newc" in guest.console and "start_kernel" in guest.console


@only_pc
def test_input_goes_into_bochs():
    done = subprocess.run(["tools/qemu-run", "--boot", "bochs", "--export", "none", "--timeout", "60", "--", "cat"],
                          input="first\nsecond\n", capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.replace("\r", "").count("second\n") == 2, "echoed, and printed by cat"


@only_pc
@ways(iso=slow, uefi=slow, bochs=slow)
def test_a_hang_ends(boot, way):
    guest = boot("spin 600000", "--boot", way, timeout=20 if way == "uefi" else 8)
    assert guest.status == 124 and "still running" in guest.errors
    assert "Hotregs" in guest.console


@only_pc
@ways(iso=slow, uefi=slow, bochs=None)
def test_all_processors_run(boot, way):
    guest = boot("pingpong 20", "--smp", "2", "--boot", way)
    assert guest.status == 0, guest.console + guest.errors
    assert "smp: 2 of 2 processors run" in guest.console


@ways(kernel=None, iso=None, uefi=slow)
def test_memory_above_4_GiB(boot, way):
    guest = boot("pingpong 20", "--mem", "6144", "--boot", way)
    assert guest.status == 0, guest.console + guest.errors
    kib = int(re.search(r"(\d+) KiB RAM", guest.console)[1])
    assert 6144 * 1024 * 0.97 < kib < 6144 * 1024


@only_pc
def test_little_memory(boot):
    """As much as GRUB itself needs."""
    guest = boot("pingpong 20", "--mem", "16", "--boot", "iso")
    assert guest.status == 0, guest.console + guest.errors


@only_pc
@ways(iso=None, uefi=slow, bochs=None)
def test_the_kernels_own_tests(board, out, way):
    """All of them, with the firmware's and the other emulator's idea of the machine."""
    time = [] if way == "bochs" else ["--icount"]
    done = subprocess.run(
        ["tools/qemu-run", "--board", board, "--boot", way, *time, "--export", "none", "--timeout", "240",
         "--kernel", str(out / "test/hotregs-test.elf"), "--append", "ktest=*"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=270, check=False)
    results = ktap.parse(done.stdout, way)
    assert [r for r in results if r.status == "failed"] == [], done.stdout
    assert [r for r in results if "c01" in r.name and r.status == "passed"]
    assert done.returncode == 0 or way == "bochs", done.stdout + done.stderr


@pytest.fixture(scope="module")
def iso(board, out, tmp_path_factory):
    path = tmp_path_factory.mktemp("iso") / "hotregs.iso"
    subprocess.run(["tools/mkiso.py", "--command", "echo from here", str(path), str(out / "hotregs.elf"),
                    str(out / "archive.cpio")], check=True, capture_output=True)
    return path


@slow
@pytest.mark.parametrize("firmware", ["bios", "uefi"])
@pytest.mark.parametrize("medium", ["cd", "disk", "usb"])
def test_one_image_on_every_medium(board_has, iso, firmware, medium):
    attach = {"cd": ["-cdrom", str(iso)],
              "disk": ["-drive", f"format=raw,readonly=on,if=none,id=d,file={iso}", "-device", "virtio-blk,drive=d"],
              "usb": ["-drive", f"format=raw,readonly=on,if=none,id=d,file={iso}", "-device", "qemu-xhci",
                      "-device", "usb-storage,drive=d"]}[medium]
    bios = ["-bios", "/usr/share/ovmf/OVMF.fd"] if firmware == "uefi" else []
    done = subprocess.run(
        [board_has["QEMU"], *board_has["QEMU_BOARD"].replace("@CPU@", board_has["CPU"]).split(), "-accel", "tcg", "-m", "256", "-nodefaults", "-display",
         "none", "-no-reboot", "-serial", "stdio", *bios, *attach],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    assert done.returncode == 1, done.stdout + done.stderr  # status 0 by isa-debug-exit
    assert "from here" in done.stdout


def ask(qmp, command, **arguments):
    """One command of QEMU's machine protocol; events in between are passed over."""
    qmp.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
    qmp.flush()
    while True:
        answer = json.loads(qmp.readline())
        assert "error" not in answer, answer
        if "return" in answer:
            return


@only_pc
@pytest.mark.parametrize("firmware", ["bios", pytest.param("uefi", marks=slow)])
def test_a_pc_without_serial_port_shows_it_on_its_screen(board_has, iso, tmp_path, firmware):
    """By BIOS as text, of which the first line can be read; by UEFI as pixels, white on black."""
    bios = ["-bios", "/usr/share/ovmf/OVMF.fd"] if firmware == "uefi" else []
    process = subprocess.Popen(
        [board_has["QEMU"], "-M", "q35", "-cpu", "max", "-accel", "tcg", "-m", "256", "-nodefaults", "-vga", "std",
         "-display", "none", *bios, "-cdrom", str(iso), "-qmp", f"unix:{tmp_path}/qmp,server=on,wait=off",
         "-no-shutdown"])
    try:
        deadline = time.monotonic() + 60
        shown = None
        while not shown:
            assert time.monotonic() < deadline, "no line of the kernel's"
            time.sleep(0.5)
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(tmp_path / "qmp"))
                qmp = connection.makefile("rw")
                assert "QMP" in json.loads(qmp.readline())
                ask(qmp, "qmp_capabilities")
                if firmware == "bios":
                    ask(qmp, "pmemsave", val=0xb8000, size=80 * 25 * 2, filename=str(tmp_path / "text"))
                    text = (tmp_path / "text").read_bytes()[::2].decode("latin1")
                    shown = re.match("Hotregs on x86_64, multiboot2 boot", text) and "from here" in text
                else:
                    ask(qmp, "screendump", filename=str(tmp_path / "ppm"))
                    shown = first_cell(tmp_path / "ppm") == "10001 10001 10001 11111 10001 10001 10001".split()
    finally:
        process.kill()
        process.wait()


def first_cell(ppm):
    """The pixels where the first character is: an H."""
    match = re.match(rb"P6\s(\d+)\s(\d+)\s255\s", ppm.read_bytes())
    width, pixels = int(match[1]), ppm.read_bytes()[match.end():]
    scale = width // 640
    return ["".join("1" if pixels[(y * width + x) * scale * 3] else "0" for x in range(5)) for y in range(7)]


def test_ways_that_there_are_not(make):
    done = make("run", "BOOT=floppy")
    assert done.returncode != 0
    assert "BOOT=floppy" in done.stderr and "kernel iso uefi" in done.stderr
