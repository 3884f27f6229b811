# SPDX-License-Identifier: MIT
"""Breakpoints where the guest suites do not go: in Bochs, whose debug registers are as a processor's and
report each slot that has struck; on two processors; and many times as many strikes."""
import shutil
import subprocess

import pytest

import ktap
import mkcpio


def in_bochs(test):
    test = pytest.mark.boards("x86_64-pc")(test)
    for program, reason in (("grub-mkrescue", "Debian has GRUB for PCs on PCs only"),
                            ("bochs", "bochs is not installed: it is in Debian's package bochs")):
        test = pytest.mark.skipif(not shutil.which(program), reason=reason)(test)
    return test


@pytest.fixture
def guest_tests(board, out):
    """guest_tests(option...): names of those that have passed, of tests of which none has failed."""
    def run(*options, timeout=120):
        command = ["tools/qemu-run", "--board", board, "--timeout", str(timeout), "--export", "none",
                   "--kernel", str(out / "test/hotregs-test.elf"), *options]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=timeout + 30, check=False)
        results = ktap.parse(done.stdout, "guest")
        assert [r for r in results if r.status == "failed"] == [], done.stdout + done.stderr
        return {r.name.removeprefix("guest/") for r in results if r.status == "passed"}
    return run


@pytest.fixture
def programs(out, tmp_path):
    """Options for a guest with its test program, and what that runs."""
    archive = tmp_path / "archive.cpio"
    files = [out / "test/user/guest-tests", out / "user/init", out / "user/true"]
    mkcpio.main(["mkcpio.py", str(archive), *(f"bin/{path.name}={path}" for path in files)])
    return ["--archive", str(archive), "--", "guest-tests"]


@in_bochs
def test_the_kernels_in_bochs(guest_tests):
    passed = guest_tests("--boot", "bochs", "--append", "cpus=1 ktest=*breakpoint*")
    assert len(passed) >= 25 and "breakpoint_overlapping_ones_all_strike" in passed


@in_bochs
@pytest.mark.parametrize("pattern, least, one", [
    ("*breakpoint*", 20, "breakpoint_overlapping_ones_all_strike"),
    ("x86_debug_*", 5, "x86_debug_strike_put_off_to_an_entry"),
    ("sigtrap_*", 9, "sigtrap_of_an_instruction")])
def test_programs_in_bochs(guest_tests, programs, pattern, least, one):
    passed = guest_tests("--boot", "bochs", *programs, pattern)
    assert len(passed) >= least and one in passed


@pytest.mark.parametrize("counted", [True, False], ids=["icount", "threads"])
def test_storms_on_two_processors(guest_tests, programs, board_has, counted):
    several = [] if "QEMU_SMP" in board_has else ["--smp", "2"]
    options = [*several, *["--icount"] * counted]
    assert guest_tests(*options, "--append", "ktest=smp_breakpoint_storm")
    assert len(guest_tests(*options, *programs, "smp_breakpoint_*")) == 3


@pytest.mark.slow
def test_a_million_strikes_in_the_kernel(guest_tests):
    assert len(guest_tests("--icount", "--append", "cpus=1 ktest=breakpoint_*_go_on strikes=1000000", timeout=400)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("counted", [True, False], ids=["icount", "threads"])
def test_long_storms(guest_tests, board_has, counted):
    several = [] if "QEMU_SMP" in board_has else ["--smp", "4"]
    assert guest_tests(*several, *["--icount"] * counted, "--append", "ktest=smp_breakpoint_storm steps=20000",
                       timeout=600)
