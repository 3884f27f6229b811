#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of a board and adds them up: the one driver of all suites.

    host     cmocka programs (make/host-tests.mk)
    parsers  libFuzzer programs (make/fuzz-parsers.mk), a fixed number of inputs from a fixed seed
    guest    KTAP of the test image (tests/guest/kernel) and of two programs: what one may rely on
             (tests/guest/user), and one that means harm (tests/guest/hostile); the first two again on
             several processors, and what is about these also while they really run at once (races)
             In the long tests, the storms among these once more, longer
    system   pytest in tests/system: images, streams and stock perf

A hang ends in a timeout that shows the last console lines. Skipped tests come last, with their
reasons; the very last line is "N passed, N failed, N skipped".
"""
import argparse
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

import ktap
import names
from ktap import Result
from names import matches

HOST_BUDGET, GUEST_BUDGET, SYSTEM_BUDGET = 180, 480, 2400  # seconds: a program, a boot, the suite
SMP = 4  # processors
STORM_SCALE, STORM_BUDGET = 10, 1800  # of the long tests: how many times as long, and seconds
SANITIZER_SCALE = 8  # times that a kernel which checks itself takes as long, at most


def wanted(result, pattern):
    """Is @result asked for? So is the failure of a whole program: the one asked for may be in it."""
    whole = result.status == "failed" and result.name.count("/") < 2
    return not pattern or whole or matches(result.name, pattern)


def execute(command, budget, **more):
    """Runs @command; (its output with errors, status, seconds). 124: its time was up."""
    start = time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=budget, check=False, **more)
        output, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        output, status = late.stdout or b"", 124
    return output.decode(errors="replace"), status, time.monotonic() - start


def judge(name, output, status, seconds):
    """The results in a program's output, and one more if it did not end as it should."""
    results = ktap.parse(output, name)
    if status and results and all(r.status != "failed" for r in results):
        last = "\n".join(output.splitlines()[-15:])
        results.append(Result(name, "failed", f"exit status {status}\n{last}"))
    if name in ("guest/kernel", "guest/user"):  # on one processor: these run in the suites guest/smp-*
        results = [r for r in results if r.status != "skipped" or "one processor" not in r.detail]
    for result in results:
        result.seconds = seconds / len(results)  # the program was timed as a whole
    return results


def run_host(args):
    if not names.any_matches(args.filter, "host/"):
        return
    environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP")
    suite, _, program = args.filter.partition("/")
    only = f"{program.split('/')[0]}*" if suite == "host" else "*"
    for binary in args.host:
        name = f"host/{os.path.basename(binary)}"
        if not fnmatch.fnmatch(os.path.basename(binary), only):
            continue
        output, status, seconds = execute([binary], HOST_BUDGET, env=environment)
        yield judge(name, output, status, seconds)


def run_parsers(args):
    for target in args.parsers:
        binary, _, runs = target.partition("=")
        result = Result(f"parsers/{os.path.basename(binary).removeprefix('fuzz_')}", "passed")
        if not wanted(result, args.filter):
            continue
        corpus = f"{binary}.inputs"  # those of the target itself: always the same
        shutil.rmtree(corpus, ignore_errors=True)
        os.makedirs(corpus)
        command = [binary, "-seed=1", f"-runs={runs}", "-timeout=10", "-rss_limit_mb=1024",
                   f"-artifact_prefix={binary}.", corpus]
        output, status, result.seconds = execute(command, HOST_BUDGET)
        if status or "DONE" not in output:
            result.status = "failed"
            result.detail = f"exit status {status}\n" + "\n".join(output.splitlines()[-40:])
        yield [result]


def boot(args, *options, budget=GUEST_BUDGET, icount=True, append="cpus=1"):
    """One processor runs, on boards that always have several as well, unless append says otherwise."""
    command = ["tools/qemu-run", "--board", args.board, "--timeout", str(budget), "--append", append,
               *["--icount"] * icount,  # time is instructions, so that no test depends on the host's load
               "--stream", f"build/{args.board}/test/perf.pipe", *options]
    return execute(command, budget + 30)


def guest_glob(pattern, suite):
    """T as the pattern of names, '*' for anything, that the guest's test programs take."""
    if not pattern or pattern in f"{suite}/":
        return "*"
    pattern = pattern.removeprefix("guest/")
    for part in ("smp-", "kernel/", "user/", "races/", "hostile/"):
        pattern = pattern.removeprefix(part)
    return pattern if any(c in pattern for c in "*?[") else f"*{pattern}*"


def run_guest(args):
    suite = "guest/kernel"
    if names.any_matches(args.filter, f"{suite}/"):
        yield judge(suite, *boot(args, "--kernel", args.test_image,
                                 append=f"cpus=1 ktest={guest_glob(args.filter, suite)}"))
    suite = "guest/user"
    if names.any_matches(args.filter, f"{suite}/"):
        yield judge(suite, *boot(args, "--kernel", args.test_image, "--archive", args.test_archive,
                                 "--", "guest-tests", guest_glob(args.filter, suite),
                                 budget=GUEST_BUDGET * (1 + args.sanitizer)))
    if not args.sanitizer:
        yield from run_guest_smp(args)
    if args.slow and not args.sanitizer:
        suite = "guest/storms"
        pattern = guest_glob(args.filter, suite) if args.filter else "*storm*"
        yield judge(suite, *boot(args, "--kernel", args.test_image, "--archive", args.test_archive, "--",
                                 "guest-tests", pattern, str(STORM_SCALE), budget=STORM_BUDGET))
    # Harm is done to the kernel that users run, whose costs are bounded; in the long tests, to one that
    # looks for undefined behaviour at every step, and so needs time.
    suite = "guest/hostile"
    if args.sanitizer and not args.slow or not names.any_matches(args.filter, f"{suite}/"):
        return
    kernel = ["--kernel", args.test_image] if args.sanitizer else []
    yield judge(suite, *boot(args, *kernel, "--archive", args.test_archive, "--", "hostile-tests",
                             guest_glob(args.filter, suite), str(SANITIZER_SCALE if args.sanitizer else 1),
                             budget=GUEST_BUDGET * (1 + 9 * args.sanitizer)))


def run_guest_smp(args):
    """On several processors: by instructions, which repeats itself, and at once, where races are real."""
    for suite in ("guest/smp-kernel", "guest/smp-user", "guest/smp-races"):
        if not names.any_matches(args.filter, f"{suite}/"):
            continue
        pattern = guest_glob(args.filter, suite)
        if pattern == "*" and not suite.endswith("kernel"):
            pattern = "smp_*"  # what is about processors; the others would keep to one
        user = suite.endswith("user")
        program = ["--archive", args.test_archive, "--", "guest-tests", pattern] if user else []
        yield judge(suite, *boot(args, "--smp", str(SMP), "--kernel", args.test_image, *program,
                                 icount=not suite.endswith("races"), append="" if user else f"ktest={pattern}"))


def find_pytest():
    """A Python that has pytest: this one, or Debian's own."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import pytest"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    sys.exit("run.py: pytest is not installed: it is in Debian's package python3-pytest")


def run_system(args):
    if not names.any_matches(args.filter, "system/"):
        return
    report = f"build/results/{args.board}-system.xml"
    environment = dict(os.environ, HOTREGS_BOARD=args.board, HOTREGS_T=args.filter,
                       HOTREGS_SLOW="1" if args.slow else "", PYTHONDONTWRITEBYTECODE="1")
    command = [find_pytest(), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short",
               "--no-header", "--no-summary", "-o", "junit_family=xunit1",
               f"--junitxml={report}", "tests/system"]
    try:
        status = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                                timeout=SYSTEM_BUDGET, check=False).returncode
    except subprocess.TimeoutExpired:
        status = 124
    results = []
    if os.path.exists(report):
        for case in ElementTree.parse(report).iter("testcase"):
            file = os.path.splitext(os.path.basename(case.get("file") or case.get("classname")))[0]
            result = Result(f"system/{file}/{case.get('name')}", "passed", seconds=float(case.get("time")))
            for kind, outcome in (("skipped", "skipped"), ("failure", "failed"), ("error", "failed")):
                found = case.find(kind)
                if found is not None:
                    result.status = outcome
                    result.detail = found.get("message") if outcome == "skipped" else found.text or ""
            results.append(result)
    if status not in (0, 5) and all(r.status != "failed" for r in results):  # 5: no test chosen
        results.append(Result("system", "failed", f"pytest ended with status {status}"))
    yield results


def show(results, verbose):
    """One line a group of tests; each failure with what it said."""
    groups = {}
    for result in results:
        groups.setdefault("/".join(result.name.split("/")[:2]), []).append(result)
    for group, members in groups.items():
        counts = {s: sum(r.status == s for r in members) for s in ("passed", "failed", "skipped")}
        text = ", ".join(f"{n} {s}" for s, n in counts.items() if n)
        print(f"  TEST    {group}: {text} ({sum(r.seconds for r in members):.1f} s)")
        for result in members:
            if verbose and result.status == "passed":
                print(f"          ok {result.name}")
            if result.status == "failed":
                print(f"          FAILED {result.name}")
                print("".join(f"          | {line}\n" for line in result.detail.splitlines()), end="")
    sys.stdout.flush()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--board", default="x86_64-pc")
    parser.add_argument("--results", metavar="NAME", help="what the results are kept as (default: the board)")
    parser.add_argument("--filter", default="", help="substring or glob of test names")
    parser.add_argument("--suites", default="host,parsers,guest,system")
    parser.add_argument("--host", nargs="*", default=[], help="the host test programs")
    parser.add_argument("--parsers", nargs="*", default=[], help="the fuzzing programs, each =RUNS")
    parser.add_argument("--test-image", help="the kernel with its tests")
    parser.add_argument("--test-archive", help="the boot archive with the guest's test programs")
    parser.add_argument("--find", action="store_true", help="only print the groups of tests in which one may match")
    parser.add_argument("--sum", nargs="+", metavar="NAME", help="only add up these results")
    parser.add_argument("--sanitizer", action="store_true", help="the test image was built with SAN=1")
    parser.add_argument("--slow", action="store_true", help="the long tests too")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main():
    args = parse_arguments()
    if args.find:
        found = names.groups(args.filter)
        if found:
            print(*found)
            return 0
        sys.exit(f"No test matches T={args.filter}. There are:\n{names.overview()}")
    if args.sum:
        results = list(add_up(args.sum))
        failed = [r for r in results if r.status == "failed"]
        print("".join(f"\nFAILED {r.name}" for r in failed))
        return conclude(results, "No test ran")
    os.makedirs("build/results", exist_ok=True)
    runners = {"host": run_host, "parsers": run_parsers, "guest": run_guest, "system": run_system}
    results = []
    for suite in args.suites.split(","):
        for some in runners[suite](args):
            chosen = [r for r in some if wanted(r, args.filter)]
            show(chosen, args.verbose)
            results += chosen
    with open(results_of(args.results or args.board), "w", encoding="utf-8") as file:
        json.dump([vars(r) for r in results], file, indent=1)
    return conclude(results, f"No test matches {args.filter}")


def results_of(name):
    return f"build/results/{name}.json"


def add_up(runs):
    """The results of several runs; one without any has failed."""
    for name in runs:
        try:
            with open(results_of(name), encoding="utf-8") as file:
                for fields in json.load(file):
                    yield Result(f"{name}: {fields.pop('name')}", **fields)
        except OSError:
            yield Result(f"{name}: its tests", "failed", "did not run: see above")


def conclude(results, nothing):
    """Ends with what was skipped, what failed, and the line that counts them all."""
    count = {s: [r for r in results if r.status == s] for s in ("passed", "failed", "skipped")}
    if count["skipped"]:
        print("\nSkipped")
        for result in count["skipped"]:
            print(f"  {result.name}: {result.detail}")
    if not results:
        print(nothing)
    print(f"\n{len(count['passed'])} passed, {len(count['failed'])} failed, {len(count['skipped'])} skipped")
    return bool(count["failed"] or not results)


if __name__ == "__main__":
    sys.exit(main())
