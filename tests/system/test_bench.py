# SPDX-License-Identifier: MIT
"""`make bench`: the rows others compare with are there, under their names. No figure decides a test."""
import csv

import pytest

ROWS = {"yield, kernel threads", "user yield switch", "pipe switch", "switch, no listener, added",
        "switch sample", "switch sample, both chains", "move sample", "move sample, kernel chain",
        "kernel entry to init", "syscall", "futex switch", "thread create+join",
        "fork+exit+wait", "page fault", "perf_event_open+close",
        *(f"{what} {number}{end}" for what, end in (("perf_event_open+close,", ""), ("switch,", ", added"))
          for number in ("1 event", "8 events", "64 events", "10 tasks", "1000 tasks")),
        *(f"switch, {number} events, {what}, added" for number in (8, 64) for what in ("equal contexts", "counters")),
        "sigtrap round trip", "switch, 4 breakpoints not hit, added",
        *(f"breakpoint {what}" for what in ("hit, counted", "hit, sample and chain")),
        *(f"breakpoint open+close, {number} tasks" for number in (0, 1024, 10000))}
FLOORS = {"x86_64": {"hot regs": 9, "yield, kernel threads": 28, "switch sample, both chains": 9 + 22 * 10},
          "arm/v7a": {"hot regs": 6, "yield, kernel threads": 17, "switch sample, both chains": 6 + 22 * 8},
          "arm64": {"hot regs": 6, "yield, kernel threads": 30, "switch sample, both chains": 6 + 22 * 8}}


def test_several_processors(make, board_has):
    if "QEMU_SMP" in board_has:
        pytest.skip("the board always has as many")
    done = make("bench", "SMP=4")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "instead of" not in done.stdout and "no figure" not in done.stdout


def test_the_table_and_its_rows(make, out, board_has):
    done = make("bench")
    assert done.returncode == 0, done.stdout + done.stderr
    with open(out / "bench.tsv", encoding="utf-8", newline="") as file:
        rows = {row["operation"]: row for row in csv.DictReader(file, delimiter="\t")}
    assert ROWS <= set(rows), ROWS - set(rows)
    for name, row in rows.items():
        assert int(row["ours"]) >= 0 and name in done.stdout
        assert row["floor"] == "-" or 0 < int(row["floor"]) <= int(row["ours"]), "a floor is a bound"
    for name, floor in FLOORS[board_has["ARCH"]].items():
        assert int(rows[name]["floor"]) == floor, name
