# SPDX-License-Identifier: MIT
"""What the guest prints: shown, kept in a log, its last lines remembered."""
import collections
import re
import sys


class FirmwareText:
    """What firmware and boot loader print before the kernel does: whole lines without the control sequences
    that would clear the user's terminal, and without empty ones."""
    KERNEL = b"Hotregs on "  # how its banner begins
    CONTROL = re.compile(rb"\x1b(?:\[[0-9;=?]*[A-Za-z]|[^\[])")

    def __init__(self):
        self.held = b""
        self.over = False

    def filter(self, data):
        if self.over:
            return data
        self.held += data
        before, kernel, after = self.held.partition(self.KERNEL)
        if kernel:
            self.over, self.held = True, b""
            return self._clean(before) + kernel + after
        whole, newline, self.held = self.held.rpartition(b"\n")
        return self._clean(whole) if newline else b""

    def end(self):
        """What was held back since its line had no end."""
        text, self.held = self._clean(self.held), b""
        return text

    def _clean(self, text):
        lines = (line.strip() for line in re.split(rb"[\r\n]", self.CONTROL.sub(b"\r", text)))
        return b"".join(line + b"\r\n" for line in lines if line)


class Console:
    """Copies the guest's console to our output and a log, and remembers its last lines."""

    def __init__(self, quiet, log, tail, firmware):
        self.quiet = quiet
        self.log = open(log, "wb") if log else None
        self.lines = collections.deque(maxlen=max(tail, 1))
        self.partial = b""
        self.any = self.panicked = False
        self.firmware = FirmwareText() if firmware else None

    def feed(self, data):
        self._put(self.firmware.filter(data) if self.firmware else data)

    def end(self):
        """No more will come."""
        if self.firmware:
            self._put(self.firmware.end())

    def _put(self, data):
        if not data:
            return
        self.any = True
        if not self.quiet:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        if self.log:
            self.log.write(data)
            self.log.flush()
        *whole, self.partial = (self.partial + data).split(b"\n")
        self.panicked |= any(line.startswith(b"kernel panic: ") for line in whole)
        self.lines.extend(whole)

    def tail(self):
        lines = [*self.lines, self.partial] if self.partial else self.lines
        return [line.decode(errors="replace").rstrip("\r") for line in lines]
