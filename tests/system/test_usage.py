# SPDX-License-Identifier: MIT
"""What a user types, right and wrong: one clear line for each mistake, the guest's status for make."""
import os
import re
import shutil

import pytest


def said(done):
    return [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]


def test_help_lists_what_there_is(make):
    done = make("help")
    assert done.returncode == 0
    for word in ("make run", "make check", "make bench", "make debug", "x86_64-pc", "x86_64-q35", "APP=",
                 "ARGS=", "CMD=", "SMP=", "MEM=", "EXPORT=", "V=1", "T="):
        assert word in done.stdout, word
    assert "@" not in done.stdout


@pytest.mark.parametrize("goal", ["all", "run", "check"])
def test_unknown_board(make, goal):
    done = make("BOARD=nope", goal)
    assert done.returncode != 0
    (line,) = said(done)
    assert "nope" in line and "x86_64-pc" in line and "x86_64-q35" in line


@pytest.mark.parametrize("variable", ["EXPORT=usb", "MEM=lots", "SMP=0"])
def test_wrong_values_of_variables(make, variable):
    done = make("run", variable, "CMD=true")
    assert done.returncode != 0
    lines = [l for l in said(done) if variable in l]
    assert len(lines) == 1, said(done)
    assert "Traceback" not in done.stderr


def test_missing_app(make):
    done = make("run", "APP=/nowhere/prog.c")
    assert done.returncode != 0
    (line,) = said(done)
    assert "/nowhere/prog.c" in line and "no such file" in line


def test_app_that_is_no_source(make, tmp_path):
    (tmp_path / "notes.txt").write_text("not C\n")
    done = make("run", f"APP={tmp_path}/notes.txt")
    assert done.returncode != 0
    (line,) = said(done)
    assert "notes.txt" in line


def test_app_that_does_not_compile(make, out, tmp_path):
    (tmp_path / "broken.c").write_text("int main(void) { return undeclared; }\n")
    done = make("run", f"APP={tmp_path}/broken.c")
    assert done.returncode != 0
    assert "broken.c:1:25: error:" in done.stderr and "undeclared" in done.stderr
    assert [l for l in said(done) if "does not compile" in l]
    assert "RUN" not in done.stdout


def test_no_qemu(make, board_has, tmp_path):
    """As on a machine whose QEMU is out of the way: the package is named, nothing else is printed."""
    for directory in ("/usr/bin", "/bin", "/usr/sbin"):
        for name in os.listdir(directory):
            if not name.startswith("qemu-system"):
                link = tmp_path / name
                if not link.is_symlink():
                    link.symlink_to(os.path.join(directory, name))
    done = make("run", "CMD=true", PATH=str(tmp_path))
    assert done.returncode != 0
    lines = [l for l in said(done) if "qemu" in l.lower()]
    package = board_has["QEMU"].replace("x86_64", "x86")
    assert lines and f"package {package}" in lines[0] and "not installed" in lines[0]


@pytest.mark.parametrize("command, error", [("false", "Error 1"), ("exits 42", "Error 42")])
def test_the_guests_status_reaches_make(make, command, error):
    done = make("run", f"CMD={command}")
    assert done.returncode == 2
    assert error in done.stderr
    assert "nothing to report" in done.stdout


def test_a_command_of_the_users(make):
    done = make("run", "CMD=echo these words")
    assert done.returncode == 0, done.stderr
    assert "these words" in done.stdout


def test_a_program_the_guest_does_not_have(make):
    done = make("run", "CMD=nonesuch")
    assert done.returncode != 0
    assert "nonesuch: no such program" in done.stdout


def test_progress_is_short_and_V_shows_commands(make, out):
    (out / "archive.cpio").unlink()
    short = make("all")
    assert short.returncode == 0
    assert all(line.startswith("  ") and len(line) < 100 for line in said(short)), said(short)
    (out / "archive.cpio").unlink()
    assert "mkcpio.py" not in short.stdout and "mkcpio.py" in make("all", "V=1").stdout


def test_debug_stops_at_start_kernel(make, board_has):
    if not shutil.which(board_has.get("GDB", "gdb")):
        pytest.skip("the debugger is not installed")
    done = make("debug", "GDB_ARGS=-batch -ex bt", timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Breakpoint 1, start_kernel ()" in done.stdout
    assert re.search(r"^#1 .* in (x86_64|arm)_start \(", done.stdout, re.M), done.stdout
