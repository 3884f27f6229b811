# SPDX-License-Identifier: MIT
"""The names of all tests as the sources tell them, so that nothing has to be built to know that T
matches none. The values of a test's parameters are told by earlier results only.
"""
import fnmatch
import functools
import glob
import json
import os
import re
import textwrap

SUITES = ("host", "parsers", "guest", "system")
# Tests that need the same to be built (make/test.mk).
GROUPS = {"host": ["host/"], "parsers": ["parsers/"],
          "guest/kernel": ["guest/kernel/", "guest/smp-kernel/", "guest/smp-races/"],
          "guest/user": ["guest/user/", "guest/smp-user/"], "guest/hostile": ["guest/hostile/"],
          "system": ["system/"]}
TESTS = os.path.dirname(os.path.abspath(__file__))
GUEST_TEST = re.compile(r"^\s*K?TEST\w*\((\w+)", re.M)
HOST_TEST = re.compile(r"cmocka_unit_test\w*\(\s*(\w+)")
SYSTEM_TEST = re.compile(r"((?:^@.*\n(?:[ \t)].*\n)*)*)^def (test_\w+)", re.M)


def matches(name, pattern):
    if any(c in pattern for c in "*?["):
        return fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name.rsplit("/", 1)[-1], pattern)
    return pattern in name


def sources(*parts):
    for path in sorted(glob.glob(os.path.join(TESTS, *parts), recursive=True)):
        with open(path, encoding="utf-8") as file:
            yield os.path.splitext(os.path.basename(path))[0], file.read()


@functools.cache
def tests_in_sources():
    """[(name, the text that its parameters are in)]"""
    found = []
    for program, text in sources("host", "**", "test_*.c"):
        names = HOST_TEST.findall(text)
        found += [(f"host/{program}/{name}", text) for name in names or [""]]
    found += [(f"parsers/{program.removeprefix('fuzz_')}", "") for program, _ in sources("fuzz", "fuzz_*.c")]
    for suite in ("kernel", "user", "hostile"):
        for _, text in sources("guest", suite, "**", "*.c"):
            tests = GUEST_TEST.findall(text)
            found += [(f"guest/{suite}/{name}", "") for name in tests]
            if suite != "hostile":
                found += [(f"guest/smp-{suite}/{name}", "") for name in tests]
            if suite == "kernel":
                found += [(f"guest/smp-races/{name}", "") for name in tests if "smp_" in name]
    for file, text in sources("system", "test_*.py"):
        found += [(f"system/{file}/{name}", marks) for marks, name in SYSTEM_TEST.findall(text)]
    return found


def tests_in_results():
    for path in glob.glob("build/results/*.json"):
        with open(path, encoding="utf-8") as file:
            yield from (result["name"] for result in json.load(file))


def any_matches(pattern, within=""):
    """May a test whose name begins with @within match? False only when none does. A pattern that begins with a
    suite is about that one alone."""
    suite = pattern.split("/")[0]
    if suite in SUITES and within and not within.startswith(suite + "/"):
        return False
    if not pattern or "[" in pattern:
        return True
    for name, parameters in tests_in_sources():
        if name.startswith(within) and (matches(name, pattern) or pattern in parameters):
            return True
    return any(name.startswith(within) and matches(name, pattern) for name in tests_in_results())


def groups(pattern):
    """Those of GROUPS in which a test may match."""
    return [group for group, parts in GROUPS.items() if any(any_matches(pattern, part) for part in parts)]


def overview():
    """The tests there are; of the host's and the system's, only the groups."""
    groups = {}
    for name, _ in tests_in_sources():
        suite, group, *rest = name.split("/")
        key, member = (f"{suite}/{group}", rest[0]) if suite == "guest" else (suite, group)
        groups.setdefault(key, dict.fromkeys(()))[member] = None
    return "\n".join(textwrap.fill(f"{key}/  {'  '.join(members)}", 100, initial_indent="  ",
                                   subsequent_indent="      ", break_on_hyphens=False)
                     for key, members in groups.items())
