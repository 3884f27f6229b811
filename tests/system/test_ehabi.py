# SPDX-License-Identifier: MIT
"""Our reading of ARM unwind tables against readelf's: of every opcode, of what compilers write, of our own."""
import bisect
import pathlib
import random
import re
import shutil
import struct
import subprocess

import pytest

import mkcpio
from perfdata import CONTEXT_USER

PREFIX = "arm-none-eabi-"
PROGRAMS = pathlib.Path("tests/system/programs")
# What ends a listing for us; readelf goes on to the last byte.
ENDS = {"finish": "finish", "Refuse to unwind": "Refuse to unwind", "[Spare]": "bad",
        "[Reserved]": "bad", "[unsupported opcode]": "bad"}

pytestmark = pytest.mark.skipif(not shutil.which(f"{PREFIX}gcc"),
                                reason=f"no {PREFIX}gcc (Debian: gcc-arm-none-eabi)")


def run(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def dump(tmp_path_factory):
    """dump(elf): {address: ([opcode...], recipe)}, or "cantunwind" for an address."""
    binary = tmp_path_factory.mktemp("ehabi") / "ehabi_dump"
    run("gcc", "-std=gnu17", "-O1", "-g", "-fno-strict-aliasing", "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all", "-Itests/host/include", "-Iinclude", "-Iarch/include",
        "-Iarch/arm/common", "tests/host/ehabi_dump.c", "arch/arm/common/ehabi.c",
        "arch/arm/common/recipe.c", "-o", binary)

    def read(elf):
        functions = {}
        for line in run(binary, elf).splitlines():
            if not line.startswith("\t"):
                address, _, rest = line.partition(":")
                functions[int(address, 16)] = rest.strip() or ([], [])
                ops, recipe = functions[int(address, 16)] if not rest.strip() else ([], [])
            elif line.startswith("\t=> "):
                recipe.append(line.removeprefix("\t=> "))
            else:
                ops.append(line.strip())
        return functions
    return read


def readelf(elf):
    """The same as readelf sees it, without recipes. None: it does not show the opcodes."""
    functions, ops = {}, []
    for line in run(f"{PREFIX}readelf", "-u", elf).splitlines():
        head = re.match(r"0x([0-9a-f]+)(?: <.*>)?: (.*)", line)
        op = re.match(r"  (?:0x[0-9a-f]{2} )+ *(.*)", line)
        if head:
            ops = []
            functions[int(head[1], 16)] = "cantunwind" if "cantunwind" in head[2] else ops
            address = int(head[1], 16)
        elif op and (not ops or ops[-1] not in ENDS.values()):
            ops.append(ENDS.get(op[1], op[1]))
        elif "Personality routine" in line:
            functions[address] = None
    for ops in functions.values():
        if isinstance(ops, list) and (not ops or ops[-1] not in ENDS.values()):
            ops.append("finish")
    return functions


def compare(dump, elf):
    """All entries of @elf; returns how many had opcodes to compare, and the listings."""
    ours, theirs = dump(elf), readelf(elf)
    assert ours.keys() == theirs.keys()
    compared = 0
    for address, ops in theirs.items():
        if ops is None:
            assert ours[address] != "bad"
        elif ops == "cantunwind":
            assert ours[address] == ops, hex(address)
        else:
            assert ours[address][0] == ops, hex(address)
            compared += 1
    return compared, ours


def build(tmp_path, source, *flags):
    """Links @source; what it calls is not there and need not be."""
    elf = tmp_path / "program.elf"
    run(f"{PREFIX}gcc", "-nostdlib", "-Wl,-Ttext=0x10000", "-Wl,-e,0x10000",
        "-Wl,--unresolved-symbols=ignore-all", "-Wl,--no-warn-rwx-segments", *flags,
        PROGRAMS / source, "-o", elf)
    return elf


def symbols(elf):
    lines = run(f"{PREFIX}nm", elf).splitlines()
    return {line.split()[2]: int(line.split()[0], 16) & ~1 for line in lines if len(line.split()) == 3}


def test_every_opcode(dump, tmp_path):
    elf = build(tmp_path, "unwind_opcodes.S", "-mcpu=cortex-a7")
    compared, ours = compare(dump, elf)
    assert compared == 25
    name = symbols(elf)
    # readelf does not read what a language's own routine is followed by.
    assert ours[name["personality_own"]][0] == ["pop {r4, r14}", "finish"]
    assert ours[name["routine"]] == "cantunwind"
    spare = [n for n in name if n.startswith(("spare_", "reserved_"))]
    assert len(spare) == 12 and all(ours[name[n]][0] == ["bad"] for n in spare)


@pytest.mark.parametrize("state", ["-marm", "-mthumb"])
@pytest.mark.parametrize("level", ["-O0", "-O2", "-Os"])
@pytest.mark.parametrize("fp", ["-fomit-frame-pointer", "-fno-omit-frame-pointer"])
@pytest.mark.parametrize("more", ["-mfloat-abi=soft", "-mfpu=neon-vfpv4 -mfloat-abi=hard", "-fexceptions"])
def test_what_compilers_write(dump, tmp_path, state, level, fp, more):
    elf = build(tmp_path, "unwind_shapes.c", "-mcpu=cortex-a7", state, level, fp, "-funwind-tables",
                *more.split())
    compared, ours = compare(dump, elf)
    assert compared >= 10
    # What a walk meets again and again goes by recipe, not by decoder.
    name = symbols(elf)
    for function in ("two_calls", "large_frame", "early_return"):
        assert ours[name[function]][1] != ["none"], function
    if "-fexceptions" in more:
        assert ours[name["cleaned_up"]][0][-1] == "finish"
    if "hard" in more and level != "-O0":
        assert any("D8" in op for op in ours[name["doubles"]][0])


STACK_BEGINS = ("thread_start", "boot_high", "boot_high_secondary")


def callers(elf, starts):
    """Which of the functions that begin at @starts call another one."""
    calls = re.findall(r"^ *([0-9a-f]+):\tblx?\t", run(f"{PREFIX}objdump", "-d", "--no-show-raw-insn", elf), re.M)
    return {starts[bisect.bisect(starts, int(call, 16)) - 1] for call in calls}


@pytest.mark.boards("arm-*")
def test_the_kernels_tables(dump, board, out):
    """They agree with readelf, and are what the kernel's walker is made for."""
    elf = out / "hotregs.elf"
    compared, ours = compare(dump, elf)
    assert compared > 300
    name = symbols(elf)
    for address, function in ours.items():
        if function == "cantunwind" or function[0] == ["finish"]:
            continue
        start = [op for op in function[0] if op.startswith("vsp = r") and op != "vsp = r11"]
        assert not start, f"{address:x}: starts from another register than SP and R11: {start}"
    # Walks follow the frame records of these without a look at the table: leaves_record().
    recorded = [a for a in callers(elf, sorted(ours)) if name["__entry_text_end"] <= a < name["_etext"]]
    assert len(recorded) > 300
    for address in recorded:
        if address in (name[n] for n in STACK_BEGINS):
            continue
        ops, recipe = ours[address]
        shape = re.match(r"r11([+-]\d+) size \d+ mask \S+ fp (\d+) pc (\d+)$", recipe[0])
        assert shape, (f"{address:x}", ops, recipe)
        start, fp, pc = map(int, shape.groups())
        assert (start + 4 * fp, start + 4 * pc) == (-4, 0), (f"{address:x}", ops, recipe)


@pytest.mark.boards("arm-*")
def test_the_programs_tables(dump, board, out):
    programs = sorted(p for p in (out / "user").iterdir() if p.is_file() and p.suffix == "")
    assert programs
    for program in programs:
        compared, _ = compare(dump, program)
        assert compared > 10, program


PT_LOAD, PT_ARM_EXIDX = 1, 0x70000001


def index_header(elf):
    """Where in @elf the program header of the index is, and the index itself: its offset and size."""
    phoff, phnum = struct.unpack_from("<I", elf, 28)[0], struct.unpack_from("<H", elf, 44)[0]
    for at in range(phoff, phoff + 32 * phnum, 32):
        kind, offset, _, _, size = struct.unpack_from("<5I", elf, at)
        if kind == PT_ARM_EXIDX:
            return at, offset, size
    raise AssertionError("no unwind tables")


def section(elf, wanted):
    """Offset and size of a section, by its name."""
    shoff, = struct.unpack_from("<I", elf, 32)
    shentsize, shnum, shstrndx = struct.unpack_from("<3H", elf, 46)
    headers = [struct.unpack_from("<10I", elf, shoff + i * shentsize) for i in range(shnum)]
    for name, _, _, _, offset, size, *_ in headers:
        start = headers[shstrndx][4] + name
        if elf[start:elf.index(0, start)] == wanted:
            return offset, size
    raise AssertionError(f"no section {wanted}")


def noise(elf, draw):
    """Index and tables are random bytes; what lies beside them is the program's own."""
    for offset, size in (section(elf, b".ARM.extab"), section(elf, b".ARM.exidx")):
        elf[offset:offset + size] = draw.randbytes(size)


def wild_references(elf, draw):
    """Sorted as it should be, but each entry refers anywhere."""
    _, offset, size = index_header(elf)
    for at in range(offset + 4, offset + size, 8):
        struct.pack_into("<I", elf, at, draw.getrandbits(31))


def wild_opcodes(elf, draw):
    """Each function has opcodes that do lead somewhere: from FP or R7, up, down, and a pop of lr."""
    _, offset, size = index_header(elf)
    forms = (0x80a8b0b0, 0x809ba8b0, 0x8097a8b0, 0x8040a8b0, 0x80a840b0, 0x80a89bb0, 0x808400b0,
             0x80b0b0b0, 0x808fffb0, 0x803fa8b0, 0x80b2ffff, 0x80b40000)
    for at in range(offset + 4, offset + size, 8):
        struct.pack_into("<I", elf, at, draw.choice(forms))


def wild_index(elf, draw):
    """The program header has the index anywhere, of any size."""
    at, _, _ = index_header(elf)
    odd = (0, 1, 7, 0x10000, 0x7ffffff8, 0x80000000, 0xf0000000, 0xfffffff8, 0xffffffff)
    struct.pack_into("<I", elf, at + 8, draw.choice(odd))
    struct.pack_into("<I", elf, at + 16, draw.choice(odd))


def shifted_index(elf, draw):
    """The index begins a few bytes off, or goes on behind its end."""
    at, _, size = index_header(elf)
    address = struct.unpack_from("<I", elf, at + 8)[0]
    struct.pack_into("<I", elf, at + 8, address + draw.choice((-8, -4, -1, 1, 2, 4)))
    struct.pack_into("<I", elf, at + 16, size + draw.choice((-9, -1, 1, 64, 4096)))


@pytest.mark.boards("arm-*")
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow),
                                  pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("spoil", [noise, wild_references, wild_opcodes, wild_index, shifted_index])
def test_c10_hostile_tables(boot, board, out, tmp_path, spoil, seed):
    """Whatever a program's tables say, it runs, and all of its samples are there."""
    program = bytearray((out / "root/pingpong").read_bytes())
    spoil(program, random.Random(seed))
    (tmp_path / "pingpong").write_bytes(program)
    archive = tmp_path / "archive.cpio"
    mkcpio.main(["mkcpio.py", str(archive), f"bin/pingpong={tmp_path / 'pingpong'}",
                 *(f"bin/{name}={out / 'root' / name}" for name in ("init", "perf"))])
    guest = boot("perf record -e context-switches -c 1 -g -- pingpong 40", "--archive", str(archive), "--append", "cpus=1")
    assert guest.status == 0, guest.console + guest.errors
    samples = guest.samples()
    assert len(samples) >= 80
    assert sum(CONTEXT_USER in s.chain for s in samples) >= 80
    assert all(len(s.chain) <= 127 + 2 for s in samples)
