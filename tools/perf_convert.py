#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a seekable perf.data of a pipe-mode stream: perf_convert.py STREAM PERF.DATA

Stock perf cannot do it well (6.1 not at all, 6.12 without features), and some of its commands
(evlist, data convert, --time in per cent) read seekable files only. A stream that was cut short
yields every complete record.
"""
import struct
import sys

from perfdata import (EVENT_UPDATE, HEADER_ATTR, HEADER_BUILD_ID, HEADER_FEATURE,
                      HEADER_TRACING_DATA, MAGIC, SAMPLE, Stream, StreamError)

FILE_HEADER_SIZE = 104
FEATURE_TRACING_DATA, FEATURE_BUILD_ID, FEATURE_EVENT_DESC, FEATURE_SAMPLE_TIME = 1, 2, 12, 21
MISC_BUILD_ID_SIZE = 1 << 15


def header_string(text):
    """A string of the header: u32 length, then that many bytes, padded with zeros."""
    data = text.encode() + b"\0"
    data += bytes(-len(data) % 64)
    return struct.pack("<I", len(data)) + data


def event_description(events, attr_size):
    """Feature EVENT_DESC: attr, ids and name of each event."""
    out = struct.pack("<II", len(events), attr_size)
    for event in events:
        out += attr_of_size(event, attr_size) + struct.pack("<I", len(event.ids))
        out += header_string(event.name) + struct.pack(f"<{len(event.ids)}Q", *event.ids)
    return out


def attr_of_size(event, size):
    """The attr, its size field and its bytes brought to the one size that a file has."""
    attr = bytearray(event.attr.ljust(size, b"\0"))
    struct.pack_into("<I", attr, 4, size)
    return bytes(attr)


def sort_out(stream):
    """(data section, features by bit number) of a stream."""
    data, features, build_ids = [], {}, b""
    first, last = None, 0
    for record in stream.records():
        if record.type in (HEADER_ATTR, EVENT_UPDATE):
            continue  # they become the attr section and EVENT_DESC
        if record.type == HEADER_FEATURE:
            if len(record.body) > 8:
                features[struct.unpack_from("<Q", record.body)[0]] = record.body[8:]
        elif record.type == HEADER_TRACING_DATA:
            features[FEATURE_TRACING_DATA] = record.raw[8 + len(record.body):]
        elif record.type == HEADER_BUILD_ID:
            header = struct.pack("<IHH", 0, record.misc | MISC_BUILD_ID_SIZE, len(record.raw))
            build_ids += header + record.body
        else:
            data.append(record.raw)
            if record.type == SAMPLE:
                sample = stream.sample(record)
                if sample and sample.time:
                    first = sample.time if first is None else min(first, sample.time)
                    last = max(last, sample.time)
    if build_ids:
        features[FEATURE_BUILD_ID] = build_ids
    if first is not None:
        features[FEATURE_SAMPLE_TIME] = struct.pack("<QQ", first, last)
    return b"".join(data), features


def convert(pipe):
    """The bytes of a seekable file for those of a stream, and what was wrong with the stream."""
    stream = Stream(pipe)
    data, features = sort_out(stream)
    events = stream.events
    if not events:
        raise StreamError("the stream describes no event")
    if not data:
        raise StreamError("the stream holds no record")
    attr_size = max(len(event.attr) for event in events)
    features[FEATURE_EVENT_DESC] = event_description(events, attr_size)

    ids = b"".join(struct.pack(f"<{len(e.ids)}Q", *e.ids) for e in events)
    attrs, at = b"", FILE_HEADER_SIZE
    for event in events:
        attrs += attr_of_size(event, attr_size) + struct.pack("<QQ", at, 8 * len(event.ids))
        at += 8 * len(event.ids)
    attrs_at = FILE_HEADER_SIZE + len(ids)
    data_at = attrs_at + len(attrs)

    # The feature sections' table lies right behind the data, in the order of the bits.
    at = data_at + len(data) + 16 * len(features)
    bitmap, table, payloads = [0] * 4, b"", b""
    for bit in sorted(features):
        bitmap[bit // 64] |= 1 << bit % 64
        table += struct.pack("<QQ", at, len(features[bit]))
        payloads += features[bit]
        at += len(features[bit])
    header = MAGIC + struct.pack("<QQ QQ QQ QQ 4Q", FILE_HEADER_SIZE, attr_size + 16,
                                 attrs_at, len(attrs), data_at, len(data), 0, 0, *bitmap)
    return header + ids + attrs + data + table + payloads, stream.problem


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: perf_convert.py STREAM PERF.DATA")
    try:
        with open(sys.argv[1], "rb") as source:
            result, problem = convert(source.read())
        with open(sys.argv[2], "wb") as target:
            target.write(result)
    except (OSError, StreamError) as error:
        sys.exit(f"perf_convert: {sys.argv[1]}: {error}")
    if problem:
        print(f"perf_convert: {sys.argv[1]}: {problem}; all before it is kept", file=sys.stderr)


if __name__ == "__main__":
    main()
