# SPDX-License-Identifier: MIT
"""What an emulator forgives and a processor does not, in one place each: caches, TLBs, barriers.

arch/include/arch/cache.h has one function for each rule; nothing but the files below contains the
instructions.
"""
import re

import pytest

from test_structure import ROOT, files, offences

# In text that is assembled: what surrounds it is a string's or a line's own.
BARRIER = r'(?:^|["\s;])(?:dsb|dmb|isb)\b(?!\s*\()'
# CP15 c7 is cache maintenance, c8 the TLB: MCR p15, opc1, Rt, CRn, CRm (ARM DDI 0406C, B3.17).
MAINTENANCE = r"\bmcr\w*\s+p15\s*,\s*\d\s*,\s*%?\w+\s*,\s*c[78]\s*,"
# TTBR0, TTBR1, TTBCR (c2) and the ASID (c13, c0, 1).
TABLES = r"\bmcr\w*\s+p15\s*,\s*0\s*,\s*%?\w+\s*,\s*(?:c2\s*,|c13\s*,\s*c0\s*,\s*1\b)"
X86 = r"\b(?:invlpg|invpcid|wbinvd|invd|clflush(?:opt)?|clwb|[lms]fence)\b"

# AArch64's: maintenance by name, and TTBR0_EL1, TTBR1_EL1, TCR_EL1.
MAINTENANCE_64 = r"\b(?:tlbi|dc|ic)\s+[a-z]\w*"
TABLES_64 = r"\bmsr\s+(?:ttbr[01]|tcr)_el1\b"

ARM64_HOME = {"arch/arm64/include/asm/cache.h", "arch/arm64/cache.c", "arch/arm64/boot/head.S"}
ARM_HOME = {"arch/arm/v7a/include/asm/cache.h", "arch/arm/v7a/cache.c", "arch/arm/v7a/boot/head.S"}
X86_HOME = {"arch/x86_64/include/asm/cache.h"}
RULES = {"barriers": (BARRIER, ARM_HOME | ARM64_HOME), "maintenance": (MAINTENANCE, ARM_HOME),
         "tables": (TABLES, ARM_HOME), "x86": (X86, X86_HOME),
         "maintenance, 64": (MAINTENANCE_64, ARM64_HOME), "tables, 64": (TABLES_64, ARM64_HOME)}


def without_comments(line):
    return re.sub(r"/\*.*?\*/|/\*.*$|//.*$|^\s*\*.*$", "", line)


def issued(paths, pattern):
    """Places of the instructions, comments aside."""
    expression = re.compile(pattern)
    return [place for place in offences(paths, pattern)
            if expression.search(without_comments(place.split(": ", 1)[1]))]


def rooms():
    return files("arch", "boot", "drivers", "kernel", "include")


@pytest.mark.parametrize("rule", RULES)
def test_one_place_issues_them(rule):
    pattern, home = RULES[rule]
    elsewhere = [p for p in rooms() if str(p.relative_to(ROOT)) not in home]
    assert issued(elsewhere, pattern) == []


@pytest.mark.parametrize("rule", RULES)
def test_that_place_does(rule):
    """Or the search above would find nothing anywhere."""
    pattern, home = RULES[rule]
    assert issued([ROOT / p for p in home], pattern)


@pytest.mark.parametrize("rule, line", [
    ("barriers", '__asm__ volatile("dsb sy" ::: "memory");'), ("barriers", "\tisb"),
    ("barriers", '"mcr p15, 0, %0, c1, c0, 0\\n\\t" "isb"'), ("maintenance", "mcreq p15, 0, r0, c8, c7, 0"),
    ("maintenance", 'cp_write("mcr p15, 0, %0, c7, c5, 0", 0)'), ("tables", "mcr p15, 0, r4, c2, c0, 1"),
    ("tables", "mcr p15, 0, %0, c13, c0, 1"), ("maintenance, 64", "tlbi vmalle1is"),
    ("maintenance, 64", '"dc cvau, %0"'), ("tables, 64", "msr ttbr0_el1, x0"), ("x86", 'invlpg (%0)')])
def test_the_search_knows_them(rule, line):
    assert re.search(RULES[rule][0], without_comments(line))


def test_every_table_register_but_its_own_is_left_alone():
    """By name, too: cp_write() of what asm/cache.h loads belongs to the change of tables alone."""
    writes = offences(rooms(), r"cp_write\((?:TTBR0|TTBR1|CONTEXTIDR)\b")
    assert [w.split(":")[0] for w in writes] == ["arch/arm/v7a/mmu.c"]
