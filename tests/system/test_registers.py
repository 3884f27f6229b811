# SPDX-License-Identifier: MIT
"""Registers and stacks in samples, as stock perf reads them."""
import re

import pytest

import perf_convert

# By the machine's prefix: the names of instruction and stack pointer, and where user space ends.
REGISTERS = {"x86_64": ("IP", "SP", 0x7ffffffff000), "arm64": ("pc", "sp", 0x7ffffffff000),
             "arm": ("pc", "sp", 0x80000000)}


@pytest.fixture
def registers(board):
    return next(names for machine, names in REGISTERS.items() if board.startswith(machine))


@pytest.fixture
def samples(boot, perf, tmp_path):
    """samples(command): per sample comm, IP, and the registers there and of the user's code."""
    def run(command):
        guest = boot(command, "--icount")
        assert guest.status == 0, guest.console
        seekable = tmp_path / "perf.data"
        seekable.write_bytes(perf_convert.convert(guest.pipe.read_bytes())[0])
        texts = [perf("script", "-i", path, "-F", "comm,ip,iregs,uregs", "-G").stdout
                 for path in (guest.pipe, seekable)]
        assert texts[0] == texts[1], "the converter lost something"
        return [parse(line) for line in texts[0].splitlines()]
    return run


def parse(line):
    head, *groups = line.split("ABI:")
    comm, ip = head.split()
    parsed = [{name: int(value, 16) for name, value in re.findall(r"(\w+):0x([0-9a-f]+)", group)}
              for group in groups]
    return comm, int(ip, 16), *parsed


def test_registers_where_it_struck_and_of_the_user(samples, registers):
    ip_name, sp_name, user_end = registers
    kernel = 0
    for comm, ip, intr, user in samples("perf record -e context-switches,page-faults -c 1 -g "
                                        "--user-regs --intr-regs -- pingpong 20"):
        assert comm == "pingpong" or comm == "perf"
        assert intr[ip_name] == ip
        assert 0 < user[ip_name] < user_end and 0 < user[sp_name] < user_end
        if ip >= user_end:
            kernel += 1
            assert intr[sp_name] >= user_end
        else:
            assert intr == user
    assert kernel >= 40


def test_registers_of_an_event_of_user_mode(samples, registers):
    ip_name, _, user_end = registers
    found = samples("perf record -e context-switches:u -c 1 -I --user-regs -- pingpong 20")
    assert len(found) >= 40
    for _, ip, intr, user in found:
        assert intr == user and intr[ip_name] == ip < user_end


def test_kernel_threads_have_no_user_registers(samples):
    found = samples("perf record -a -e context-switches -c 1 -I --user-regs -- demo")
    idle = [sample for sample in found if sample[0] == "swapper"]
    assert idle and all(len(sample) < 4 or not sample[3] for sample in idle)


def test_stock_perf_reads_stacks(make, out, perf):
    """A program that samples itself and writes what it read from the ring."""
    done = make("run", "APP=tests/system/programs/stack.c", "CMD=stack")
    # Its stream names no kernel, of which the report at the end of the run complains.
    assert "init exited with status 0" in done.stdout, done.stdout + done.stderr
    found = re.search(r"^stack (\w+) (\w+) (\w+)$", done.stdout, re.M)
    sp, size, samples = (int(word, 0) for word in found.groups())
    dump = perf("script", "-D", "-i", out / "perf.pipe").stdout
    sizes = [int(n) for n in re.findall(r"ustack: size (\d+),", dump)]
    assert 1 <= samples <= 10 and len(sizes) == samples and set(sizes) == {size}
    # Without the machine's name in the stream, perf gives registers those of the host's.
    assert len(re.findall(rf"\.\.\.\. \S+ +0x0*{sp:x}\b", dump, re.I)) == samples
