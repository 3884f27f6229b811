#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes an ISO image from which GRUB starts the kernel, by BIOS and by UEFI, from a CD or a USB stick.

    mkiso.py [--command LINE] [--timeout SECONDS] ISO KERNEL ARCHIVE

LINE is the command line for the guest's init; SECONDS is how long GRUB waits with its menu, in which
the line can be changed.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

from guest_command import CommandError, init_words

PACKAGES = "grub-common, grub-pc-bin, grub-efi-amd64-bin, xorriso and mtools"
STRIP = "x86_64-linux-gnu-strip"

# What the configuration below uses, and what GRUB looks for on its way to it.
MODULES = """multiboot2 normal test all_video serial terminal iso9660 fat search part_acorn part_amiga part_apple
    part_bsd part_dfly part_dvh part_gpt part_msdos part_plan part_sun part_sunpc""".split()
CONFIGURATION = """\
set timeout={timeout}
if serial --unit=0 --speed=115200; then
	terminal_input console serial
	terminal_output console serial
fi
if [ $grub_platform = efi ]; then
	insmod efi_gop
fi
menuentry "Hotregs" {{
	multiboot2 /boot/hotregs.elf {words}
	module2 /boot/archive.cpio
	if [ $grub_platform = pc ]; then
		set gfxpayload=text
	fi
}}
"""


class IsoError(Exception):
    """There can be no image."""


def grub_word(word):
    """@word in GRUB's quoting. GRUB hands it over quoted again, if a blank is in it; but only then, so
    that the kernel would not see an empty one, nor where one with a tab ends."""
    if not word or any(c in word for c in "\t\n"):
        raise IsoError(f"GRUB cannot hand over {word!r}, a word without text or with a tab")
    return "'" + word.replace("'", "'\\''") + "'"


def make_iso(path, kernel, archive, words, timeout=0):
    """@words: the kernel's command line."""
    if not shutil.which("grub-mkrescue"):
        raise IsoError(f"grub-mkrescue is not installed: it needs Debian's packages {PACKAGES}")
    configuration = CONFIGURATION.format(timeout=timeout, words=" ".join(map(grub_word, words)))
    with tempfile.TemporaryDirectory() as root:
        boot = os.path.join(root, "boot")
        os.makedirs(os.path.join(boot, "grub"))
        # GRUB loads what a debugger needs, too, and from address 0 up if that is free: there, UEFI's driver
        # of USB sticks reads nothing, as it takes the address for none.
        subprocess.run([STRIP, "--strip-all", "-o", os.path.join(boot, "hotregs.elf"), kernel], check=True)
        shutil.copyfile(archive, os.path.join(boot, "archive.cpio"))
        with open(os.path.join(boot, "grub", "grub.cfg"), "w", encoding="utf-8",
                  errors="surrogateescape") as file:
            file.write(configuration)
        command = ["grub-mkrescue", "-o", path, f"--install-modules={' '.join(MODULES)}", "--locales=",
                   "--fonts=", "--themes=", root]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    if done.returncode:
        raise IsoError(f"grub-mkrescue failed; it needs Debian's packages {PACKAGES}\n{done.stdout}")


def main():
    parser = argparse.ArgumentParser(prog="mkiso.py", description=__doc__.split("\n")[0])
    parser.add_argument("--command", default="")
    parser.add_argument("--timeout", type=int, default=0)
    parser.add_argument("iso")
    parser.add_argument("kernel")
    parser.add_argument("archive")
    args = parser.parse_args()
    try:
        words = init_words(args.command)
        make_iso(args.iso, args.kernel, args.archive, ["--", *words] if words else [], args.timeout)
    except (CommandError, IsoError) as error:
        sys.exit(f"mkiso: {error}")


if __name__ == "__main__":
    main()
