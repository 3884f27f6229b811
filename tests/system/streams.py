# SPDX-License-Identifier: MIT
"""Makes small pipe-mode streams for the tests of the host's tools."""
import struct

from perfdata import (COMM, EVENT_UPDATE, EVENT_UPDATE_NAME, HEADER_ATTR, HEADER_FEATURE, LOST, MAGIC,
                      SAMPLE, SAMPLE_ID_ALL)

SAMPLE_TYPE = 0x101af  # IDENTIFIER IP TID TIME ADDR CALLCHAIN CPU PERIOD
EXCLUDE_GUEST = 1 << 20
KERNEL = 2**64 - 128
USER = 2**64 - 512


def header():
    return MAGIC + struct.pack("<Q", 16)


def record(kind, body, misc=0):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def attr(config, ids, size=112):
    body = struct.pack("<IIQQQQQ", 1, size, config, 1, SAMPLE_TYPE, 0, SAMPLE_ID_ALL | EXCLUDE_GUEST)
    return record(HEADER_ATTR, body.ljust(size, b"\0") + struct.pack(f"<{len(ids)}Q", *ids))


def name(ident, text):
    return record(EVENT_UPDATE, struct.pack("<QQ", EVENT_UPDATE_NAME, ident) + text.encode() + b"\0")


def feature(bit, payload):
    return record(HEADER_FEATURE, struct.pack("<Q", bit) + payload)


def string_feature(bit, text):
    data = text.encode().ljust(64, b"\0")
    return feature(bit, struct.pack("<I", len(data)) + data)


def trailer(pid, tid, time, cpu, ident):
    """The sample_id fields that end every record but samples."""
    return struct.pack("<iiQIIQ", pid, tid, time, cpu, 0, ident)


def comm(pid, text, time, ident):
    text = text.encode().ljust(8, b"\0")
    return record(COMM, struct.pack("<ii", pid, pid) + text + trailer(pid, pid, time, 0, ident))


def lost(ident, count, time):
    return record(LOST, struct.pack("<QQ", ident, count) + trailer(0, 0, time, 0, ident))


def sample(ident, pid, time, chain, addr=0, cpu=0, period=1):
    body = struct.pack("<QQiiQQIIQQ", ident, chain[1], pid, pid, time, addr, cpu, 0, period, len(chain))
    return record(SAMPLE, body + struct.pack(f"<{len(chain)}Q", *chain), misc=1)


def small(samples=5):
    """Two events, two tasks; (stream, its sample count)."""
    parts = [header(), attr(3, [11]), attr(0, [21, 22]), name(11, "context-switches"),
             name(21, "cpu-clock"), string_feature(6, "x86_64"), comm(7, "pong", 1000, 11),
             comm(8, "ping", 1001, 11)]
    for n in range(samples):
        chain = (KERNEL, 0xffffffff80001000 + n, USER, 0x401000 + n)
        parts.append(sample((11, 22)[n % 2], 7 + n % 2, 2000 + n, chain))
    return b"".join(parts)
