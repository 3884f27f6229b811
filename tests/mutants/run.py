#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Seeds faults, one at a time, and demands that a test fails for each: run.py [NAME-GLOB...]

A fault is a table of a .toml file beside this one:

    [name]
    file = "kernel/..."     where
    old = '''...'''         this text, which is there once,
    new = '''...'''         becomes this
    why = "..."             what would be lost
    by = ["host/test_x", "guest/user/c05*"]     tests (as T takes them), one of which has to fail
    board = "arm-virt"      where guest and system tests run, if not on x86_64-pc

Works on copies of the tree under build/mutants. First all these tests must pass without any fault. A fault
that does not compile, or whose text is not there any more, is an error, not a success.
"""
import argparse
import fnmatch
import glob
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from dataclasses import dataclass, field

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(ROOT, "build/mutants")
BUILD_SECONDS, TEST_SECONDS = 900, 600


class Problem(Exception):
    """What makes a fault say nothing about the tests."""


@dataclass
class Mutant:
    name: str
    file: str
    old: str
    new: str
    why: str
    by: list
    board: str = "x86_64-pc"
    outcome: str = ""     # "killed", "survived" or "error"
    detail: str = ""
    tests: list = field(default_factory=list)


def read_mutants(patterns):
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/mutants/*.toml"))):
        with open(path, "rb") as file:
            for name, fields in tomllib.load(file).items():
                found.append(Mutant(name, **fields))
    names = [m.name for m in found]
    for name in {n for n in names if names.count(n) > 1}:
        sys.exit(f"mutants: {name}: there are two of that name")
    return [m for m in found if not patterns or any(fnmatch.fnmatch(m.name, p) for p in patterns)]


class Tree:
    """A copy of the sources, with a build of its own."""

    def __init__(self, number):
        self.path = os.path.join(WORK, str(number))
        self.synchronise()

    def synchronise(self):
        """As the sources are now; what has not changed stays as old as it is."""
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True,
                                capture_output=True).stdout.decode().split("\0")
        wanted = {name for name in listed if name and os.path.isfile(os.path.join(ROOT, name))}
        for folder, folders, names in os.walk(self.path):
            if folder == self.path and "build" in folders:
                folders.remove("build")
            for name in names:
                path = os.path.join(folder, name)
                if os.path.relpath(path, self.path) not in wanted:
                    os.remove(path)
        for name in wanted:
            source, copy = os.path.join(ROOT, name), os.path.join(self.path, name)
            if not os.path.exists(copy) or read(source) != read(copy):
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copy(source, copy)

    def make(self, *arguments, seconds):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS", "HOTREGS"))}
        try:
            done = subprocess.run(["make", *arguments], cwd=self.path, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            raise Problem(f"make {' '.join(arguments)}: not done after {seconds} s") from None
        return done.returncode, done.stdout.decode(errors="replace")

    def failures(self, test, board):
        """The names of the tests that fail of those that @test means."""
        if test.startswith("host/"):
            return self.host_failures(test)
        status, output = self.make(f"BOARD={board}", f"T={test}", "tests", seconds=BUILD_SECONDS)
        if status:
            raise Problem("does not build:\n" + tail(output))
        results = os.path.join(self.path, f"build/results/{board}.json")
        if os.path.exists(results):
            os.remove(results)
        status, output = self.make(f"BOARD={board}", f"T={test}", "test", seconds=TEST_SECONDS)
        if not os.path.exists(results):
            raise Problem(f"{test} was not run:\n" + tail(output))
        ran = json.loads(read(results))
        if not any(r["status"] in ("passed", "failed") for r in ran):
            raise Problem(f"{test} means no test on {board}")
        failed = [r["name"] for r in ran if r["status"] == "failed"]
        if bool(failed) != bool(status):
            raise Problem(f"{test}: no failure, but status {status}:\n" + tail(output))
        return failed

    def host_failures(self, test):
        binary = f"build/host/{test.removeprefix('host/')}"
        status, output = self.make(binary, seconds=BUILD_SECONDS)
        if status:
            raise Problem("does not build:\n" + tail(output))
        environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP")
        try:
            done = subprocess.run([f"./{binary}"], cwd=self.path, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            return [f"{test} (hangs)"]
        failed = re.findall(r"^not ok \d+ - (\S+)", done.stdout.decode(errors="replace"), re.M)
        return [f"{test}/{name}" for name in failed] or ([f"{test} (ends early)"] if done.returncode else [])


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def tail(output):
    return "\n".join(f"    | {line}" for line in output.splitlines()[-12:])


def seed(mutant, tree):
    """Makes the fault; returns what undoes it."""
    path = os.path.join(tree.path, mutant.file)
    original = read(path)
    count = original.count(mutant.old.encode())
    if count != 1:
        raise Problem(f"{mutant.file} has its text {count} times")
    write(path, original.replace(mutant.old.encode(), mutant.new.encode()))
    return lambda: write(path, original)


def try_mutant(mutant, tree):
    try:
        undo = seed(mutant, tree)
        try:
            for test in mutant.by:
                mutant.tests = tree.failures(test, mutant.board)
                if mutant.tests:
                    break
        finally:
            undo()
        mutant.outcome = "killed" if mutant.tests else "survived"
        mutant.detail = mutant.tests[0] if mutant.tests else f"{', '.join(mutant.by)}; {mutant.why}"
    except Problem as problem:
        mutant.outcome, mutant.detail = "error", str(problem)


def in_parallel(jobs, trees, work):
    """Runs work(job, tree) for all jobs, one at a time in each tree."""
    waiting = queue.Queue()
    for job in jobs:
        waiting.put(job)

    def worker(tree):
        while True:
            try:
                job = waiting.get_nowait()
            except queue.Empty:
                return
            work(job, tree)
    threads = [threading.Thread(target=worker, args=(tree,)) for tree in trees]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def baseline(mutants, trees):
    """What fails without any fault can not tell one."""
    wrong = []

    def check(job, tree):
        test, board = job
        try:
            failed = tree.failures(test, board)
        except Problem as problem:
            failed = [str(problem)]
        if failed:
            wrong.append(f"{test}{'' if test.startswith('host/') else ' on ' + board}: {failed[0]}")
    jobs = {(test, "" if test.startswith("host/") else m.board) for m in mutants for test in m.by}
    in_parallel(sorted(jobs, key=lambda job: (job[1], job[0])), trees, check)
    if wrong:
        sys.exit("mutants: these fail without any fault:\n" + "\n".join(sorted(wrong)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    mutants = read_mutants(args.names)
    if not mutants:
        sys.exit(f"mutants: none is called {' '.join(args.names)}")
    trees = [Tree(n) for n in range(min(args.jobs, len(mutants)))]
    print(f"  MUTANTS {len(mutants)}; first their tests without any", flush=True)
    baseline(mutants, trees)

    def work(mutant, tree):
        try_mutant(mutant, tree)
        print(f"  {mutant.outcome:8} {mutant.name:32} {mutant.detail}", flush=True)
    # Those of a board together: less is built anew.
    in_parallel(sorted(mutants, key=lambda m: m.board), trees, work)
    count = {o: sum(m.outcome == o for m in mutants) for o in ("killed", "survived", "error")}
    print(f"\n{count['killed']} killed, {count['survived']} survived"
          + (f", {count['error']} in error" if count["error"] else ""))
    return count["killed"] != len(mutants)


if __name__ == "__main__":
    sys.exit(main())
