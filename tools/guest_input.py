# SPDX-License-Identifier: MIT
"""Feeds our standard input to the guest's console, when it is a file or a pipe.

The console edits lines: it echoes what it is sent, hands a line over at its newline, or without one
at ^D, which on an empty line is the end of the input; and it answers with a bell when its readers
are behind and there is no room. So one piece of a line is sent at a time, then a mark and the key
that erases it: when the mark has been erased, the piece was dealt with, and unless a bell rang
before, it was taken. Mark, its erasing and the bell are not shown.
"""
import os
import termios
import time
import tty

MARK, ERASE, ERASED, BELL, END = b"\xff", b"\x7f", b"\b \b", b"\a", b"\x04"
PIECE = 200          # bytes; the console's longest line has 255
RETRY_SECONDS = 0.02
LISTENING = b": console at "  # what a serial driver prints once it has set its device up


class GuestInput:
    def __init__(self, source, sink):
        self.source, self.sink = source, sink  # file descriptors
        self.data = b""        # read, not sent
        self.at_end = False    # the source is
        self.listening = False
        self.awaited = None    # what the piece on its way ended in
        self.last = False      # and whether it was the end of the input
        self.retry_at = None
        self.held = b""        # output that may turn out to be the erasing

    def close(self):
        pass

    def wants_data(self):
        return self.listening and not self.at_end and self.awaited is None and not self._piece()

    def read(self):
        """The source has something to read, or its end."""
        data = os.read(self.source, 4096)
        self.at_end = not data
        self.data += data
        self._advance()

    def seconds_left(self):
        """Until retry() is due; None: it is not."""
        return None if self.retry_at is None else max(0, self.retry_at - time.monotonic())

    def retry(self):
        """Offers the end of the line again that the console had no room for."""
        if self.retry_at is not None and time.monotonic() >= self.retry_at:
            self.retry_at = None
            self._send(b"", self.awaited)

    def filter(self, data):
        """What to show of the guest's output @data; sends on when it contains the answer."""
        if not self.listening:
            self.listening = LISTENING in self.held + data
            self.held = (self.held + data)[-len(LISTENING):]
            if self.listening:
                self.held = b""
            return data
        if self.awaited is None or self.retry_at is not None:
            return data
        shown, self.held = self.held + data, b""
        before, mark, after = shown.partition(MARK) if not self.marked else (b"", MARK, shown)
        if not mark:
            return self._without_bell(shown)
        self.marked = True
        between, erased, rest = after.partition(ERASED)
        shown = self._without_bell(before)
        if not erased:
            keep = next((n for n in (2, 1) if between.endswith(ERASED[:n])), 0)
            self.held = between[len(between) - keep:]
            return shown + between[:len(between) - keep]
        self._answered()
        return shown + between + rest

    def _without_bell(self, data):
        self.refused |= BELL in data
        return data.replace(BELL, b"")

    def _answered(self):
        if self.refused:
            self.retry_at = time.monotonic() + RETRY_SECONDS
            return
        self.awaited = None
        if not self.last:
            self._advance()

    def _piece(self):
        """The next piece and what ends it; None when more has to be read first."""
        line, newline, _ = self.data[:PIECE].partition(b"\n")
        if newline:
            return line, newline
        if len(self.data) >= PIECE or self.at_end:
            return line, END
        return None

    def _advance(self):
        piece = self._piece() if self.awaited is None and not self.last else None
        if piece:
            text, end = piece
            self.data = self.data[len(text) + (end == b"\n"):]
            self.last = end == END and not text
            self._send(text, end)

    def _send(self, text, end):
        self.awaited, self.refused, self.marked = end, False, False
        try:
            os.write(self.sink, text + end + MARK + ERASE)
        except BrokenPipeError:
            pass  # QEMU has ended, which its output will tell


class TerminalInput:
    """Passes on what is typed, as it is typed, where the emulator does not take the terminal itself. The
    console echoes it; Ctrl-C still is a signal to us."""

    def __init__(self, source, sink):
        self.source, self.sink = source, sink
        self.settings = termios.tcgetattr(source)
        self.at_end = False
        tty.setcbreak(source)

    def close(self):
        termios.tcsetattr(self.source, termios.TCSADRAIN, self.settings)

    def wants_data(self):
        return not self.at_end

    def read(self):
        data = os.read(self.source, 4096)
        self.at_end = not data
        os.write(self.sink, data)

    def seconds_left(self):
        return None

    def retry(self):
        pass

    def filter(self, data):
        return data
