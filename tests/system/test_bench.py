# SPDX-License-Identifier: MIT
"""`make bench`: the rows others compare with are there, under their names. No figure decides a test."""
import csv

ROWS = {"yield, kernel threads", "user yield switch", "pipe switch", "switch, no listener, added",
        "switch sample", "switch sample, both chains", "kernel entry to init"}


def test_the_table_and_its_rows(make, out):
    done = make("bench")
    assert done.returncode == 0, done.stdout + done.stderr
    with open(out / "bench.tsv", encoding="utf-8", newline="") as file:
        rows = {row["operation"]: row for row in csv.DictReader(file, delimiter="\t")}
    assert ROWS <= set(rows), ROWS - set(rows)
    for name, row in rows.items():
        assert int(row["ours"]) >= 0 and name in done.stdout
        assert row["floor"] == "-" or int(row["floor"]) > 0
