# SPDX-License-Identifier: MIT
"""Reads perf.data in pipe mode: a 16-byte header, then records that describe themselves.

The reader takes every complete record and stops at the first that is cut short or malformed;
Stream.problem then says what it met. Little endian, as all our boards are.
"""
import struct
from dataclasses import dataclass, field

MAGIC = b"PERFILE2"
PIPE_HEADER_SIZE = 16

# Kernel records, then the tools' own.
MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2, LOST_SAMPLES = 1, 2, 3, 4, 7, 9, 10, 13
SWITCH, SWITCH_CPU_WIDE = 14, 15
HEADER_ATTR, HEADER_TRACING_DATA, HEADER_BUILD_ID = 64, 66, 67
FINISHED_ROUND, EVENT_UPDATE, HEADER_FEATURE = 68, 78, 80
EVENT_UPDATE_NAME = 2

# sample_type bits.
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU = (1 << n for n in range(8))
PERIOD, STREAM_ID = 1 << 8, 1 << 9
IDENTIFIER = 1 << 16

SAMPLE_ID_ALL = 1 << 18  # attr flag
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
MAX_CONTEXT = 2**64 - 4095

SOFTWARE_NAMES = ("cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
                  "minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy")


class StreamError(Exception):
    """The stream cannot be used at all."""


@dataclass
class Event:
    """One event: its attr as it stands in the stream, its ids, its name."""
    attr: bytes
    ids: tuple
    name: str = ""

    def __post_init__(self):
        self.type, self.size, self.config = struct.unpack_from("<IIQ", self.attr)
        self.sample_type, = struct.unpack_from("<Q", self.attr, 24)
        self.flags, = struct.unpack_from("<Q", self.attr, 40)
        if not self.name:
            software = self.type == 1 and self.config < len(SOFTWARE_NAMES)
            self.name = SOFTWARE_NAMES[self.config] if software else f"{self.type}:{self.config}"


@dataclass
class Record:
    type: int
    misc: int
    body: bytes      # without the 8-byte header
    raw: bytes       # with it, and with a tracing blob that follows it
    offset: int


@dataclass
class Sample:
    event: Event
    cpumode: int
    ip: int = 0
    pid: int = -1
    tid: int = -1
    time: int = 0
    addr: int = 0
    cpu: int = -1
    period: int = 1
    chain: tuple = ()


def cstring(data):
    return data.split(b"\0", 1)[0].decode(errors="replace")


@dataclass
class Stream:
    """The records of one stream; events as far as records() has come."""
    data: bytes
    events: list = field(default_factory=list)
    problem: str = ""

    def __post_init__(self):
        self.by_id = {}
        if not self.data:
            raise StreamError("the stream is empty")
        if len(self.data) < PIPE_HEADER_SIZE or self.data[:8] != MAGIC:
            raise StreamError("not a perf.data stream")
        size, = struct.unpack_from("<Q", self.data, 8)
        if size != PIPE_HEADER_SIZE:
            raise StreamError("not in pipe mode")

    def records(self):
        """Yields every complete record in turn."""
        data, at = self.data, PIPE_HEADER_SIZE
        while at < len(data):
            if at + 8 > len(data):
                self.problem = f"cut short in a header at byte {at}"
                return
            kind, misc, size = struct.unpack_from("<IHH", data, at)
            if size < 8:
                self.problem = f"malformed record at byte {at}"
                return
            end = at + size
            if kind == HEADER_TRACING_DATA and end <= len(data) and size >= 12:
                end += struct.unpack_from("<I", data, at + 8)[0]
            if end > len(data):
                self.problem = f"cut short in a record at byte {at}"
                return
            record = Record(kind, misc, data[at + 8:at + size], data[at:end], at)
            try:
                self._note(record)
            except (struct.error, IndexError):
                self.problem = f"malformed record at byte {at}"
                return
            yield record
            at = end

    def _note(self, record):
        if record.type == HEADER_ATTR:
            size, = struct.unpack_from("<I", record.body, 4)
            if not 64 <= size <= len(record.body):
                raise struct.error
            ids = struct.unpack(f"<{(len(record.body) - size) // 8}Q", record.body[size:])
            event = Event(record.body[:size], ids)
            self.events.append(event)
            self.by_id.update((i, event) for i in ids)
        elif record.type == EVENT_UPDATE:
            what, ident = struct.unpack_from("<QQ", record.body)
            if what == EVENT_UPDATE_NAME and ident in self.by_id:
                self.by_id[ident].name = cstring(record.body[16:])

    def event_of(self, body):
        """The event a sample belongs to: by its leading identifier, or the only one there is."""
        if self.events and self.events[0].sample_type & IDENTIFIER:
            return self.by_id.get(struct.unpack_from("<Q", body)[0])
        return self.events[0] if len(self.events) == 1 else None

    def sample(self, record):
        """The fields of a SAMPLE record; None when no event owns it."""
        body = record.body
        event = self.event_of(body)
        if event is None:
            return None
        sample, at = Sample(event, record.misc & 7), 0

        def word():
            nonlocal at
            at += 8
            return struct.unpack_from("<Q", body, at - 8)[0]

        kind = event.sample_type
        if kind & IDENTIFIER:
            word()
        if kind & IP:
            sample.ip = word()
        if kind & TID:
            sample.pid, sample.tid = struct.unpack_from("<ii", body, at)
            at += 8
        if kind & TIME:
            sample.time = word()
        if kind & ADDR:
            sample.addr = word()
        for bit in (ID, STREAM_ID):
            if kind & bit:
                word()
        if kind & CPU:
            sample.cpu = word() & 0xffffffff
        if kind & PERIOD:
            sample.period = word()
        if kind & READ:
            return sample  # what follows depends on read_format; nobody here asks for it
        if kind & CALLCHAIN:
            count = word()
            sample.chain = struct.unpack_from(f"<{count}Q", body, at)
        return sample
