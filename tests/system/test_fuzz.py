# SPDX-License-Identifier: MIT
"""`make fuzz`: random system calls in the guest, and what it says of them."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# One board an architecture: the others have the same kernel.
PLAIN = pytest.mark.boards("*-[pv]*")


def fuzz(make, *arguments, timeout=600):
    done = make("fuzz", *arguments, timeout=timeout)
    return done.returncode, done.stdout


def digest(text):
    return re.search(r"digest (\w+)", text)[1]


def section(page, title):
    return re.search(rf"^## {title}$(.*?)(?=^## |\Z)", page, re.M | re.S)[1]


def documented():
    """The numbers that docs/abi.md calls done, by what the fuzzer calls them."""
    page = (ROOT / "docs/abi.md").read_text()
    tables = {"flags": "Attribute flags", "sample_type": "sample_type", "read_format": "read_format and read"}
    done = {name: {int(n) for n in re.findall(r"^\| (\d+) \| \w+ \| done", section(page, title), re.M)}
            for name, title in tables.items()}
    requests = re.findall(r"^\| ([A-Z_]+) \| done ", section(page, "ioctl"), re.M)
    header = (ROOT / "include/uapi/perf_event.h").read_text()
    done["ioctl"] = {int(re.search(rf"IOC_{name} +PERF_EVENT_IOC_NR_\(\d, (\d+),", header)[1])
                     for name in requests}
    return done


def test_every_system_call_has_a_row():
    """One without is called with words of no type, which finds little."""
    numbers = re.findall(r"^#define SYS_(\w+)", (ROOT / "include/uapi/syscall.h").read_text(), re.M)
    rows = [name for path in (ROOT / "tests/guest/fuzz").glob("calls_*.c")
            for name in re.findall(r"^CALL\((\w+)", path.read_text(), re.M)]
    assert len(numbers) > 30
    assert sorted(rows) == sorted(numbers)


@PLAIN
def test_fifty_thousand_operations(make):
    status, text = fuzz(make, "FUZZ_OPS=50000", "FUZZ_SEED=1")
    assert status == 0, text[-3000:]
    assert re.search(r"fuzz: no faults in 50,00\d operations", text)
    # And they were sampled.
    assert int(re.search(r"([\d,]+) samples", text)[1].replace(",", "")) > 5000
    # Of what is made most often, much succeeds.
    for name in ("read", "write", "open", "mmap", "ioctl", "perf_event_open"):
        calls, successes = re.search(rf"^{name} +([\d,]+) +([\d,]+)", text, re.M).groups()
        assert int(successes.replace(",", "")) * 10 > int(calls.replace(",", "")) > 500, name
    # All that performance events can do was done.
    done = documented()
    for name, numbers in done.items():
        counts = re.search(rf"^{name} +(\d+: .*)$", text, re.M)[1]
        assert len(numbers) > 3 and numbers <= {int(n) for n in re.findall(r"(\d+): \d+/", counts)}, name


@PLAIN
def test_a_seed_repeats_itself(make):
    texts = [fuzz(make, "FUZZ_OPS=3000", f"FUZZ_SEED={seed}")[1] for seed in (7, 7, 8)]
    assert digest(texts[0]) == digest(texts[1]) != digest(texts[2])


@PLAIN
def test_on_two_processors(make):
    """In turns. Whose turn it is depends on when QEMU has something else to do, too: it seldom repeats exactly."""
    status, text = fuzz(make, "SMP=2", "FUZZ_OPS=10000", "FUZZ_SEED=1")
    assert status == 0, text[-3000:]
    assert re.search(r"fuzz: no faults in 10,00\d operations", text)
    assert int(re.search(r"([\d,]+) samples", text)[1].replace(",", "")) > 1000


@PLAIN
def test_a_failure_tells_how_to_repeat_it(make, board):
    status, text = fuzz(make, "FUZZ_OPS=5000", "FUZZ_SEED=7", "FUZZ_FAIL=1500")
    assert status != 0
    assert re.search(r"FAILED: seed=7 batch=\d+ op=15\d\d: as it was told to", text), text[-3000:]
    operations = re.findall(r"^ +(\d+) \[\d+\] [\w() ]+\(.*\) = ", text, re.M)
    assert len(operations) == 20 and "1500" in operations
    assert f"make fuzz BOARD={board} FUZZ_SEED=7 FUZZ_OPS=5000" in text


@PLAIN
@pytest.mark.slow
def test_a_million_operations(make):
    status, text = fuzz(make, "FUZZ_OPS=1000000", "FUZZ_SEED=100", timeout=2400)
    assert status == 0, text[-3000:]
    assert re.search(r"fuzz: no faults in 1,000,0\d\d operations", text)
    assert "never succeeded: none" in text


@PLAIN
@pytest.mark.slow
@pytest.mark.parametrize("races", ["", "1"])
def test_long_on_two_processors(make, races):
    status, text = fuzz(make, "SMP=2", f"FUZZ_RACES={races}", "FUZZ_OPS=300000", "FUZZ_SEED=200", timeout=2400)
    assert status == 0, text[-3000:]
    # Only who is alone may become more urgent.
    assert "never succeeded: setpriority, sched_setscheduler\n" in text


@PLAIN
@pytest.mark.slow
@pytest.mark.parametrize("cpus", [1, 2])
def test_under_the_sanitizer(make, cpus):
    status, text = fuzz(make, "SAN=1", f"SMP={cpus}", "FUZZ_OPS=200000", "FUZZ_SEED=300", timeout=2400)
    assert status == 0, text[-3000:]
