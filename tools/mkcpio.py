#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a cpio archive (format newc) that depends on nothing but the files' names and contents.

    mkcpio.py ARCHIVE NAME=FILE ...

Programs (names under bin/) are executable, everything else is readable; owner 0, time 0.
"""
import os
import stat
import sys


def entry(name, ino, mode, data=b""):
    """One member: thirteen hexadecimal fields, the name, the data, each part padded to four."""
    nlink = 2 if stat.S_ISDIR(mode) else 1
    fields = (ino, mode, 0, 0, nlink, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


def directories(names):
    """All parents of the names, each before what is in it."""
    found = set()
    for name in names:
        parent = os.path.dirname(name)
        while parent:
            found.add(parent)
            parent = os.path.dirname(parent)
    return sorted(found)


def main(argv):
    if len(argv) < 2 or not all("=" in arg for arg in argv[2:]):
        sys.exit("usage: mkcpio.py ARCHIVE NAME=FILE ...")
    files = dict(arg.split("=", 1) for arg in argv[2:])
    members = [(name, stat.S_IFDIR | 0o755, b"") for name in directories(files)]
    for name, path in sorted(files.items()):
        mode = 0o755 if name.startswith("bin/") else 0o644
        with open(path, "rb") as file:
            members.append((name, stat.S_IFREG | mode, file.read()))
    image = b"".join(entry(name, ino, mode, data)
                     for ino, (name, mode, data) in enumerate(members, 1))
    image += entry("TRAILER!!!", 0, 0)
    with open(argv[1], "wb") as file:
        file.write(image + b"\0" * (-len(image) % 512))


if __name__ == "__main__":
    main(sys.argv)
