#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts what is in a pipe-mode stream, by event and by task: perf_counts.py STREAM"""
import collections
import struct
import sys

from perfdata import COMM, FORK, LOST, LOST_SAMPLES, SAMPLE, Stream, StreamError, cstring

IDLE = "swapper"  # perf's name for the idle task


class Counts:
    """Samples and lost records of a stream; tasks by tid, under the name they last had."""

    def __init__(self, stream):
        self.samples = collections.Counter()  # by event name
        self.tasks = collections.Counter()    # by (comm, tid)
        self.lost = 0
        self.comms = {0: IDLE}
        by_tid = collections.Counter()
        for record in stream.records():
            if record.type == SAMPLE:
                sample = stream.sample(record)
                if sample:
                    self.samples[sample.event.name] += 1
                    by_tid[sample.tid] += 1
            elif record.type == LOST:
                self.lost += struct.unpack_from("<QQ", record.body)[1]
            elif record.type == LOST_SAMPLES:
                self.lost += struct.unpack_from("<Q", record.body)[0]
            elif record.type == COMM:
                _, tid = struct.unpack_from("<ii", record.body)
                self.comms[tid] = cstring(record.body[8:])
            elif record.type == FORK:
                _, _, tid, parent = struct.unpack_from("<4i", record.body)
                self.comms.setdefault(tid, self.comms.get(parent, f":{tid}"))
        for tid, count in by_tid.items():
            self.tasks[self.comms.get(tid, f":{tid}"), tid] = count


def describe(stream, counts, top=None):
    """The @counts of @stream as lines of text; only the @top busiest tasks one by one."""
    lines = [f"{counts.samples[event.name]:10}  samples of {event.name}" for event in stream.events]
    lines.append(f"{counts.lost:10}  lost")
    tasks = counts.tasks.most_common()
    lines += [f"{count:10}  by {comm} ({tid}){'' if tid else ', the idle task'}" for (comm, tid), count in tasks[:top]]
    if top and tasks[top:]:
        lines.append(f"{sum(n for _, n in tasks[top:]):10}  by {len(tasks) - top} more tasks")
    return lines


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: perf_counts.py STREAM")
    try:
        with open(sys.argv[1], "rb") as source:
            stream = Stream(source.read())
        print("\n".join(describe(stream, Counts(stream))))
    except (OSError, StreamError) as error:
        sys.exit(f"perf_counts: {sys.argv[1]}: {error}")


if __name__ == "__main__":
    main()
