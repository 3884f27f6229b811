#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the kernel's symbol table: `nm -n -S` text on stdin, assembly for section .kallsyms on stdout.

The table (read by kernel/unwind/kallsyms.c) is all 32-bit words and bytes:
    count       number of symbols
    functions   how many of them, the first ones, are functions; the others are data
    end         offset of _etext from _text: where the last function ends
    offset[]    of each symbol from _text, rising among the functions and among the data
    name[]      offset of each symbol's name in names
    names       NUL-terminated strings
Among several functions at one address the one that comes first is the one that a look-up by address
finds. Data are what has a size: variables, and tables of constants.
"""
import re
import sys

FUNCTION_TYPES = "tTwW"
DATA_TYPES = "dDbBrR"
# Local labels, ARM's mapping symbols, and the linker script's marks, which are no functions.
NO_FUNCTION = re.compile(r"\.L|\$|_+s?text$|_+etext$|__\w+_(start|end)$")


class TableError(Exception):
    """The input cannot be made into a table."""


def parse(lines):
    """Returns (address, size, type, name) of every defined symbol of `nm` output."""
    symbols = []
    for line in lines:
        fields = line.split()
        if len(fields) == 3:
            fields.insert(1, "0")  # what is not known to have a size
        if len(fields) != 4:
            continue  # undefined symbols have no address
        try:
            symbols.append((int(fields[0], 16), int(fields[1], 16), fields[2], fields[3]))
        except ValueError:
            raise TableError(f"not a line of nm: {line.strip()!r}") from None
    return symbols


def bound(symbols, name):
    """Returns the address of one of the linker script's symbols."""
    for address, _, _, symbol in symbols:
        if symbol == name:
            return address
    raise TableError(f"the linker script defines no {name}")


def select_functions(symbols, start, end):
    """Returns the sorted list of (offset, name) of functions in [start, end)."""
    functions = {
        # Global before local, strong before weak, plain before underscored.
        (address - start, kind == "t", kind in "wW", name.startswith("_"), name)
        for address, _, kind, name in symbols
        if kind in FUNCTION_TYPES and start <= address < end and not NO_FUNCTION.match(name)
    }
    return [(entry[0], entry[-1]) for entry in sorted(functions)]


def select_data(symbols, start):
    """Returns the sorted list of (offset, name) of data from start on."""
    data = {
        (address - start, name)
        for address, size, kind, name in symbols
        if kind in DATA_TYPES and size and 0 <= address - start < 1 << 32 and name[0] not in ".$"
    }
    return sorted(data)


def words(values):
    """Yields .long directives, eight values a line."""
    for i in range(0, len(values), 8):
        yield "\t.long " + ", ".join(str(value) for value in values[i : i + 8])


def generate(symbols):
    """Yields the lines of the assembly file."""
    start, end = bound(symbols, "_text"), bound(symbols, "_etext")
    if not 0 <= end - start < 1 << 32:
        raise TableError("_text and _etext are not a 32-bit range")
    functions = select_functions(symbols, start, end)
    table = functions + select_data(symbols, start)
    name_offsets, position = [], 0
    for _, name in table:
        name_offsets.append(position)
        position += len(name) + 1
    yield '\t.section .kallsyms, "a"'
    yield "\t.balign 4"
    yield "\t.globl kallsyms_table"
    yield "kallsyms_table:"
    yield from words([len(table), len(functions), end - start])
    yield from words([offset for offset, _ in table])
    yield from words(name_offsets)
    for _, name in table:
        yield f'\t.asciz "{name}"'
    yield "\t.size kallsyms_table, . - kallsyms_table"
    yield "\t.type kallsyms_table, %object"
    yield '\t.section .note.GNU-stack, "", %progbits'


def main():
    try:
        print("\n".join(generate(parse(sys.stdin))))
    except TableError as error:
        sys.exit(f"kallsyms: {error}")


if __name__ == "__main__":
    main()
