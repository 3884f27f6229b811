# SPDX-License-Identifier: MIT
"""The test driver's own reading of KTAP: what must fail, fails."""
import ktap


def outcome(text):
    return [(r.name, r.status) for r in ktap.parse(text, "s")]


def test_leaves_count_and_parents_do_not():
    text = """Booting.
KTAP version 1
1..2
    KTAP version 1
    # Subtest: chains
    1..2
    ok 1 pipe
    not ok 2 mutex
not ok 1 chains
ok 2 clock # SKIP no HPET
"""
    assert outcome(text) == [("s/chains/pipe", "passed"), ("s/chains/mutex", "failed"),
                             ("s/clock", "skipped")]
    assert ktap.parse(text, "s")[2].detail == "no HPET"


def test_a_failed_parent_with_sound_children_fails():
    text = "1..1\n    1..1\n    ok 1 a\nnot ok 1 parent\n"
    assert outcome(text) == [("s/parent/a", "passed"), ("s/parent", "failed")]


def test_an_early_end_fails():
    results = ktap.parse("1..3\nok 1 a\npanic: no memory\n", "s")
    assert [r.status for r in results] == ["passed", "failed"]
    assert "1 of 3" in results[1].detail and "panic: no memory" in results[1].detail


def test_an_early_end_inside_a_block_fails():
    assert ("s", "failed") in outcome("1..1\n    1..3\n    ok 1 a\n")


def test_no_plan_fails():
    assert outcome("ok 1 a\n") == [("s/a", "passed"), ("s", "failed")]
    assert outcome("hello\n") == [("s", "failed")]


def test_several_groups_of_one_program():
    assert outcome("1..1\nok 1 - x\n1..2\nok 1 - y\nok 2 - z\n") == [
        ("s/x", "passed"), ("s/y", "passed"), ("s/z", "passed")]


def test_what_explains_a_failure_is_kept():
    before = ktap.parse("1..1\nexpected 3, got 4\nnot ok 1 a\n", "s")
    after = ktap.parse("1..1\nnot ok 1 - a\n# expected 3, got 4\n", "s")
    assert before[0].detail == "expected 3, got 4" and "expected 3, got 4" in after[0].detail
