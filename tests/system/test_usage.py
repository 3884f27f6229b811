# SPDX-License-Identifier: MIT
"""What a user types, right and wrong: one clear line for each mistake, the guest's status for make."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

import names


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


def without_makes(lines):
    """What is left beside make's own "make: *** [target] Error N"."""
    return [line for line in lines if not re.match(r"make: \*\*\* \[.*\] Error", line)]


@pytest.mark.parametrize("variable", ["MEM=lots", "MEM=0/abc", "SMP=0", "SMP=9", "CPU=z80", "TIMEOUT=x", "TIMEOUT=-1"])
def test_wrong_values_of_variables(make, out, variable):
    """One line, before anything is built or run; and nothing of an earlier run is left."""
    (out / "perf.pipe").write_bytes(b"an earlier run's")
    (out / "perf.data").write_bytes(b"an earlier run's")
    done = make("run", variable, "CMD=true")
    assert done.returncode != 0
    (line,) = without_makes(said(done))
    assert variable in line
    assert not (out / "perf.pipe").exists() and not (out / "perf.data").exists()


def test_a_mistyped_variable_is_named(make):
    """Once, on the standard error; variables that are only used, a compiler's say, are nothing to talk about."""
    done = make("help", "CDM=ls /bin", "HOST_CC=gcc", "T=x", "CMD=ls /bin")
    assert done.returncode == 0
    assert [line.split(": ", 1)[1] for line in done.stderr.splitlines()] == \
        ["CDM=: no such variable; `make help` lists those there are"]


def test_wrong_export(make):
    done = make("run", "EXPORT=usb", "CMD=true")
    assert done.returncode != 0
    (line,) = said(done)
    assert "EXPORT=usb" in line


@pytest.mark.parametrize("command, word", [
    ("echo 'abc", "not closed"), ("echo a > b", ">"), ("true; true", ";"), ("echo " + "x" * 2040, "too long")])
def test_wrong_command_lines(make, command, word):
    for variables in ([f"CMD={command}"], ["APP=user/tools/echo.c", f"ARGS={command}"]):
        done = make("run", *variables)
        assert done.returncode != 0
        (line,) = without_makes(said(done))
        assert word in line


def test_a_name_with_blanks(make, tmp_path):
    (tmp_path / "two words").mkdir()
    app = tmp_path / "two words" / "x.c"
    app.write_text("int main(void) { return 0; }\n")
    done = make("run", f"APP={app}")
    assert done.returncode != 0
    (line,) = said(done)
    assert "two words/x.c" in line and "blanks" in line


def test_a_test_that_there_is_not(make):
    done = make("test", "T=no_such_test")
    assert done.returncode != 0
    lines = without_makes(said(done))
    assert "No test matches T=no_such_test" in lines[0]
    assert any("test_profile" in line for line in lines) and any("test_ring" in line for line in lines)
    assert "no tests ran" not in done.stdout


def test_every_test_is_found_by_its_name(request):
    """T is checked by names read from the sources: pytest's own list holds no other."""
    found = {name for name, _ in names.tests_in_sources()}
    for item in request.session.items:
        assert f"system/{item.path.stem}/{item.originalname}" in found
    assert names.any_matches("guest/user/pipe") and not names.any_matches("guest/user/no_such_pipe")


@pytest.mark.parametrize("pattern, groups", [
    ("", list(names.GROUPS)), ("host", ["host"]), ("guest", ["guest/kernel", "guest/user", "guest/hostile"]),
    ("guest/smp-races", ["guest/kernel"]), ("guest/user/pipe", ["guest/user"]), ("test_usage", ["system"])])
def test_only_what_is_tested_is_built(pattern, groups):
    """`make test` builds for the groups that T is about, and knows of each what it needs."""
    assert names.groups(pattern) == groups
    with open("make/test.mk", encoding="utf-8") as file:
        assert set(re.findall(r"^TEST_NEEDS_(\S+) :=", file.read(), re.M)) == set(names.GROUPS)


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


def test_app_that_does_not_link(make, tmp_path):
    (tmp_path / "library.c").write_text(
        "int dlopen(void);\nint main(void) { return dlopen(); }\n")
    done = make("run", f"APP={tmp_path}/library.c")
    assert done.returncode != 0
    assert "dlopen" in done.stderr
    assert [l for l in said(done) if "does not link" in l] and "does not compile" not in done.stderr
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
    package = board_has["QEMU"].replace("x86_64", "x86").replace("aarch64", "arm")
    assert lines and f"package {package}" in lines[0] and "not installed" in lines[0]


@pytest.mark.parametrize("command, error", [("false", "Error 1"), ("exits 42", "Error 42")])
def test_the_guests_status_reaches_make(make, command, error):
    done = make("run", f"CMD={command}")
    assert done.returncode == 2
    assert error in done.stderr
    assert "report" not in done.stdout, "none was asked for"


def test_a_command_of_the_users(make):
    done = make("run", "CMD=echo these words")
    assert done.returncode == 0, done.stderr
    assert "these words" in done.stdout


def test_a_command_of_the_users_program(make, tmp_path):
    (tmp_path / "mine.c").write_text("#include <stdio.h>\nint main(void) { puts(\"of mine\"); return 3; }\n")
    done = make("run", f"APP={tmp_path}/mine.c", "CMD=perf stat -- mine")
    assert "of mine" in done.stdout and "task-clock" in done.stdout and "Error 3" in done.stderr


def test_recording_without_chains_has_a_report(make):
    done = make("run", "CMD=perf record -e cpu-clock -F 997 -- spin 200")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^ +\d+\.\d+% +spin +spin +\[\.\] hot$", done.stdout, re.M), done.stdout
    assert "annotate" in done.stdout and "-s hot" in done.stdout


def test_deep_recursion_is_folded(make, tmp_path):
    (tmp_path / "deep.c").write_text(
        "#include <unistd.h>\n__attribute__((noinline)) int down(int n) {\n"
        "if (!n) usleep(1000); else down(n - 1); return n; }\n"
        "int main(void) { for (int i = 0; i < 20; i++) down(100); return 0; }\n")
    done = make("run", f"APP={tmp_path}/deep.c")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^[ |]+down  \((99|100|101) times\)\n[ |]+main\n[ |]+__libc_start\n[ |]+_start$", done.stdout,
                     re.M), done.stdout
    assert not re.search(r"^([ |]+)down\n\1down$", done.stdout, re.M)


def test_ctrl_c_ends_the_recording_and_shows_it(board):
    """To the whole foreground group, as a terminal sends it."""
    log = pathlib.Path(f"build/{board}/perf.pipe")
    log.unlink(missing_ok=True)
    process = subprocess.Popen(
        ["make", f"BOARD={board}", "run", "CMD=perf record -e cpu-clock -F 997 -g -- spin 600000"],
        env={k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        # What a terminal starts does not ignore it, as what a script starts in the background does.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        deadline = time.monotonic() + 120
        while not log.exists() or log.stat().st_size < 30_000:
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        output = process.communicate(timeout=60)[0]
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert process.returncode in (-signal.SIGINT, 130)
    assert "qemu-run: interrupted" in output and "Error 130" in output
    assert re.search(r"^ +\d+\.\d+% +spin +spin +\[\.\] hot$", output, re.M), output


def wait_for_state(pid, states):
    deadline = time.monotonic() + 60
    while pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ")[-1][0] not in states:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_log_has_all_that_the_guest_said_when_it_is_ended(board, tmp_path):
    """Also what qemu-run had yet to read."""
    log = tmp_path / "log"
    run = subprocess.Popen(["tools/qemu-run", "--board", board, "--log", log, "--stream", tmp_path / "pipe",
                            "--command", "echo last words"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children")
    while not log.exists() or not log.stat().st_size:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    run.send_signal(signal.SIGSTOP)
    wait_for_state(run.pid, "TZ")
    # On a busy host the guest may have ended, and been read to its end, by now.
    for emulator in children.read_text().split():
        wait_for_state(emulator, "Z")
    run.send_signal(signal.SIGTERM)
    run.send_signal(signal.SIGCONT)
    run.wait(60)
    assert re.search(r"^last words$", log.read_text(), re.M), log.read_text()


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
    shown = make("all", "V=1").stdout
    assert "mkcpio.py" not in short.stdout and "mkcpio.py" in shown
    assert ":" not in shown.splitlines()


def test_debug_stops_at_start_kernel(make, board_has):
    if not shutil.which(board_has.get("GDB", "gdb")):
        pytest.skip("the debugger is not installed")
    done = make("debug", "GDB_ARGS=-batch -ex bt", timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Breakpoint 1, start_kernel ()" in done.stdout
    assert re.search(r"^#1 .* in (x86_64|arm|arm64)_start \(", done.stdout, re.M), done.stdout


def test_debug_takes_what_run_takes(make, out, board_has):
    if not shutil.which(board_has.get("GDB", "gdb")):
        pytest.skip("the debugger is not installed")
    wrong = make("debug", "SMP=99")
    assert wrong.returncode and "qemu-run: SMP=99: " in wrong.stderr, wrong.stderr
    smp = board_has.get("QEMU_SMP", "2")
    threads = "GDB_ARGS=-batch -ex 'info threads' -ex 'hbreak smp_start' -ex continue"
    done = make("debug", f"SMP={smp}", "CMD=echo 'one two'", threads, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"^\*? +\d+ +Thread ", done.stdout, re.M)) == int(smp), done.stdout
    assert re.search("command line: .*-- echo", (out / "console.log").read_text()), done.stdout
