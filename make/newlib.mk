# SPDX-License-Identifier: MIT
# The C library of the programs: newlib, built from Debian's package newlib-source with frame
# pointers and without sibling calls, so that chains cross it. Kept in the user's cache directory
# under a name that tells everything it was made from.

NEWLIB_TARBALL := $(firstword $(wildcard /usr/src/newlib/newlib-*.tar.xz))
NEWLIB_TARGET_x86_64 := x86_64-elf
NEWLIB_TARGET_arm-v7a := arm-none-eabi
NEWLIB_TARGET_arm64 := aarch64-elf
NEWLIB_TARGET := $(NEWLIB_TARGET_$(ARCH_ID))

# How the library and all programs are compiled for the processor: they must agree on who passes
# floating-point numbers where.
USER_MACHINE_x86_64 := -m64
USER_MACHINE_arm-v7a := -mcpu=cortex-a7 -mfloat-abi=hard
USER_MACHINE_arm64 := -march=armv8-a -mno-outline-atomics
USER_MACHINE := $(USER_MACHINE_$(ARCH_ID))

# Each thread has newlib's data of its own: __getreent(), in user/libc, tells which.
USER_THREADS := -D__DYNAMIC_REENT__

# A call of a function known not to return can be its caller's last instruction; the return address
# then names whatever function comes next. So the library is not told (exit calls _exit).
NEWLIB_CFLAGS := -g -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -ffunction-sections \
	-fdata-sections -fno-stack-protector -fno-pic -fno-pie -D__noreturn__=__nothrow__ $(USER_THREADS)
NEWLIB_CFLAGS_x86_64 := $(FRAMES_x86_64) -fcf-protection=none
# Frame records come with ARM code, unwind tables are for both states; and tables can not say that
# some paths through a function have no frame, nor that a part of the body comes before the prologue
# (-mno-sched-prolog). The macro gives system calls the names that they have in user/libc: newlib's
# ports to ARM expect them with an underscore.
USER_FRAMES_arm-v7a := -marm -funwind-tables -fno-shrink-wrap -mno-sched-prolog
NEWLIB_CFLAGS_arm-v7a := $(USER_MACHINE) $(USER_FRAMES_arm-v7a) -DMISSING_SYSCALL_NAMES
# Leaves have a frame record, too, but for those in assembly.
# Nothing reads unwind tables, which would be in the archive.
USER_FRAMES_arm64 := -mno-omit-leaf-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -mbranch-protection=none \
	-fno-stack-clash-protection
NEWLIB_CFLAGS_arm64 := $(USER_MACHINE) $(USER_FRAMES_arm64) -DMISSING_SYSCALL_NAMES
NEWLIB_CFLAGS += $(NEWLIB_CFLAGS_$(ARCH_ID))

HOTREGS_CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/hotregs
NEWLIB_KEY := $(shell { cat $(NEWLIB_TARBALL) tools/build-newlib.sh; echo $(NEWLIB_CFLAGS); \
	$(CC) --version; } </dev/null 2>/dev/null | sha256sum | cut -c1-16)
NEWLIB := $(HOTREGS_CACHE)/newlib-$(ARCH_ID)-$(NEWLIB_KEY)
NEWLIB_LIBC := $(NEWLIB)/lib/libc.a

$(NEWLIB_LIBC):
	@tools/build-newlib.sh "$(NEWLIB_TARBALL)" "$(NEWLIB_TARGET)" "$(CROSS)" "$(NEWLIB_CFLAGS)" \
		"$(NEWLIB)"

newlib: $(NEWLIB_LIBC)
.PHONY: newlib
