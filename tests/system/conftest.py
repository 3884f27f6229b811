# SPDX-License-Identifier: MIT
"""What the system tests share: the board, booting it, stock perf, and the choice of tests by T.

tests/run.py sets HOTREGS_BOARD, HOTREGS_T (a substring or glob of test names) and HOTREGS_SLOW.
"""
import fnmatch
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
from dataclasses import dataclass

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests"), str(ROOT / "tests/system")]

import run as driver  # noqa: E402  tests/run.py
from perfdata import SAMPLE, Stream  # noqa: E402


def pytest_configure(config):
    os.chdir(ROOT)
    config.addinivalue_line("markers", "slow: only in `make verify`")
    config.addinivalue_line("markers", "boards(glob): of these boards only")


def pytest_collection_modifyitems(config, items):
    pattern = os.environ.get("HOTREGS_T", "")
    if pattern:
        items[:] = [i for i in items if driver.matches(f"system/{i.path.stem}/{i.name}", pattern)]
    board = os.environ.get("HOTREGS_BOARD", "x86_64-pc")
    slow = os.environ.get("HOTREGS_SLOW")
    items[:] = [i for i in items if of_this_board(i, board) and (slow or "slow" not in i.keywords)]


def of_this_board(item, board):
    """What is about another board is no test of this one, and so is not skipped either."""
    return all(fnmatch.fnmatch(board, mark.args[0]) for mark in item.iter_markers("boards"))


@pytest.fixture(scope="session")
def board():
    return os.environ.get("HOTREGS_BOARD", "x86_64-pc")


@pytest.fixture(scope="session")
def board_has(board):
    """The variables of the board's file, by name."""
    loader = importlib.machinery.SourceFileLoader("qemu_run", "tools/qemu-run")
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("qemu_run", loader))
    loader.exec_module(module)
    return module.read_board(board)


@pytest.fixture(scope="session")
def out(board):
    """The board's build directory; its images were built before the tests began."""
    path = ROOT / "build" / board
    assert (path / "hotregs.elf").exists(), f"{path} holds no image: run `make BOARD={board}`"
    return path


@dataclass
class Guest:
    """A run that has ended."""
    status: int
    console: str
    errors: str
    pipe: pathlib.Path

    @property
    def stream(self):
        return Stream(self.pipe.read_bytes())

    def samples(self):
        stream = self.stream
        found = [stream.sample(r) for r in stream.records() if r.type == SAMPLE]
        assert not stream.problem, stream.problem
        return found


@pytest.fixture
def boot(board, out, tmp_path):
    """boot(command, *options): runs a command line in the guest, whose input is what is typed, and returns how
    that went."""
    def run(command, *options, timeout=60, typed=""):
        pipe = tmp_path / "perf.pipe"
        words = ["tools/qemu-run", "--board", board, "--timeout", str(timeout), "--stream", str(pipe),
                 "--command", command, *options]
        done = subprocess.run(words, input=typed, capture_output=True, text=True,
                              errors="replace", timeout=timeout + 30, check=False)
        return Guest(done.returncode, done.stdout, done.stderr, pipe)
    return run


@pytest.fixture(scope="session")
def buildid_dir(out, tmp_path_factory):
    """A build-id directory with the kernel and all programs, as `make run` makes one."""
    path = tmp_path_factory.mktemp("buildid")
    images = [out / "hotregs.elf", *sorted(p for p in (out / "user").iterdir() if p.is_file())]
    perf_command(path, "buildid-cache", "-a", ",".join(str(i) for i in images))
    return path


def perf_command(buildid_dir, *arguments, check=True):
    environment = dict(os.environ, PAGER="cat", DEBUGINFOD_URLS="", LC_ALL="C")
    done = subprocess.run(["perf", "--buildid-dir", str(buildid_dir), *map(str, arguments)],
                          env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=120, check=False)
    assert not check or done.returncode == 0, done.stderr
    return done


@pytest.fixture
def perf(buildid_dir):
    """perf(argument...): stock perf with our symbols; fails unless it ends well."""
    return lambda *arguments, **more: perf_command(buildid_dir, *arguments, **more)


@pytest.fixture
def make(board, tmp_path):
    """make(argument...): what a user types; MAKEFLAGS of the make that runs us are not passed on."""
    def run(*arguments, timeout=300, **environment):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
        env.update(environment)
        return subprocess.run(["make", f"BOARD={board}", *arguments], env=env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, errors="replace",
                              timeout=timeout, check=False)
    return run
