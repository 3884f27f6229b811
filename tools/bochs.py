# SPDX-License-Identifier: MIT
"""Runs a PC's image in Bochs, an emulator that shares nothing with QEMU.

COM1 is a pseudo-terminal of ours, COM2 writes to a file. Bochs wants a terminal for its screen and for
its debugger's prompt: that is another one, which nobody looks at. It has no device that takes an exit
status; the machine ends by ACPI, which to Bochs is an error like any other.
"""
import fcntl
import os
import pty
import struct
import subprocess
import tempfile
import termios
import threading
import tty

# Emulated time is instructions executed. Waiting for a serial line costs the fewest where a second has
# few; a profile needs a processor that has some left beside taking samples.
INSTRUCTIONS_PER_SECOND = 50_000_000
CONFIGURATION = """\
config_interface: textconfig
display_library: term
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
cpu: model=corei7_haswell_4770, count={smp}, ips={ips}, reset_on_triple_fault=0
megs: {mem}
clock: sync=none, time0=utc
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path="{iso}", status=inserted
boot: cdrom
com1: enabled=1, mode=term, dev="{console}"
{com2}
sound: driver=dummy
plugin_ctrl: speaker=0
log: "{log}"
panic: action=fatal
error: action=report
info: action=ignore
debug: action=ignore
"""
CHATTER = r"\d+i\[|=+$|Bochs (connected|is exiting)"  # lines that tell no reason


class Bochs:
    """A running Bochs, to be used as subprocess.Popen is."""

    def __init__(self, iso, mem, smp, stream):
        self._directory = tempfile.TemporaryDirectory()
        console, self._console = pty.openpty()
        screen, self._screen = pty.openpty()
        tty.setraw(self._console)
        fcntl.ioctl(self._screen, termios.TIOCSWINSZ, struct.pack("4H", 50, 132, 0, 0))
        self.stdin = self.stdout = os.fdopen(console, "r+b", buffering=0)
        settings = self._file("bochsrc", CONFIGURATION.format(
            smp=smp, ips=INSTRUCTIONS_PER_SECOND, mem=mem, iso=iso, console=os.ttyname(self._console),
            com2=f'com2: enabled=1, mode=file, dev="{stream}"' if stream else "",
            log=os.path.join(self._directory.name, "log")))
        # Bochs stops at its debugger's prompt before the first instruction.
        self._process = subprocess.Popen(
            ["bochs", "-q", "-f", settings, "-rc", self._file("commands", "continue\n")],
            stdin=self._screen, stdout=self._screen, stderr=subprocess.PIPE, start_new_session=True,
            env=dict(os.environ, TERM="xterm"))
        self.stderr = self._process.stderr
        self.poll, self.terminate, self.kill = (self._process.poll, self._process.terminate, self._process.kill)
        threading.Thread(target=self._look_away, args=(screen,), daemon=True).start()
        threading.Thread(target=self._hang_up, daemon=True).start()

    def _file(self, name, text):
        path = os.path.join(self._directory.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    @staticmethod
    def _look_away(screen):
        try:
            while os.read(screen, 65536):
                pass
        except OSError:
            pass  # the other end is closed
        os.close(screen)

    def _hang_up(self):
        """Ours is the last opening of the terminals: closing it is what readers see as the end."""
        self._process.wait()
        os.close(self._console)
        os.close(self._screen)

    def wait(self, timeout=None):
        code = self._process.wait(timeout)
        self._directory.cleanup()
        return code
