# SPDX-License-Identifier: MIT
# Builds build/<board>/hotregs.elf: the portable core, one architecture, the board's drivers.

# A board's ARCH is a directory under arch/; a variable or a file of an architecture is named by ARCH_ID.
ARCH_ID := $(subst /,-,$(ARCH))

CROSS_x86_64 := x86_64-linux-gnu-
CROSS_arm-v7a := arm-none-eabi-
CROSS_arm64 := aarch64-linux-gnu-
CROSS := $(CROSS_$(ARCH_ID))
# Debugging information names files relative to this directory, so that an image depends on its
# sources and not on where they were compiled.
CC := $(CROSS)gcc -ffile-prefix-map=$(CURDIR)=.
LD := $(CROSS)ld
NM := $(CROSS)nm
OBJCOPY := $(CROSS)objcopy

OBJ := $(OUT)/obj
KERNEL := $(OUT)/hotregs.elf

# What several ARCHs share lies beside them.
ARCH_INCLUDE_x86_64 := -Iarch/common/include
ARCH_INCLUDE_arm-v7a := -Iarch/arm/common/include
ARCH_INCLUDE_arm64 := $(ARCH_INCLUDE_arm-v7a) $(ARCH_INCLUDE_x86_64)

# The kernel uses no FPU or vector register, keeps every frame and every caller (a chain is only as
# good as its frames), and clones no function under another name.
KERNEL_CFLAGS := -std=gnu17 -O2 -g -ffreestanding -nostdinc -isystem $(shell $(CC) -print-file-name=include) \
	-Iinclude -Iarch/include -Iarch/$(ARCH)/include $(ARCH_INCLUDE_$(ARCH_ID)) \
	-Wall -Wextra -Wno-unused-parameter -Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror \
	-fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-ipa-sra -fno-ipa-cp -fno-ipa-icf \
	-fno-partial-inlining -fno-stack-protector -fno-pic -fno-pie -fno-common -fno-strict-aliasing \
	-fno-delete-null-pointer-checks -fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns
# To gcc, -fno-omit-frame-pointer speaks of functions that need a frame, which a leaf does not. Only a
# function to be profiled always gets one: so -pg, with a nop for its call; and no instruction of the
# body is moved between the frame's end and the return.
FRAMES_x86_64 := -pg -mnop-mcount -fno-schedule-insns2
KERNEL_CFLAGS_x86_64 := $(FRAMES_x86_64) -m64 -mno-red-zone -mcmodel=kernel -mgeneral-regs-only -fcf-protection=none
# Chains need the tables of every function here. A function has one table, so no path through it may
# go without its prologue (-fno-shrink-wrap). And without gaps between functions a call must not be
# the last instruction of one, as it is where the compiler finds out that it does not return. Nor may
# the body's instructions move in front of the prologue, where the table is not true yet
# (-mno-sched-prolog; arch/arm/common/frame_repair.c sees a few instructions far only).
KERNEL_CFLAGS_arm-v7a := -mcpu=cortex-a7 -marm -mfloat-abi=soft -mgeneral-regs-only -funwind-tables -fno-shrink-wrap \
	-mno-sched-prolog -fno-ipa-pure-const
# What calls another function has a frame record. A leaf has none, and its caller is in the link register,
# as arch/arm64/unwind.c finds out. Atomics are the base architecture's, inline.
KERNEL_CFLAGS_arm64 := -march=armv8-a -mgeneral-regs-only -mno-outline-atomics -mbranch-protection=none \
	-fno-stack-clash-protection
KERNEL_CFLAGS += $(KERNEL_CFLAGS_$(ARCH_ID)) $(BOARD_DEFINES:%=-D%)

ARCH_DIRS_arm-v7a := arch/arm/common
ARCH_DIRS := $(ARCH_DIRS_$(ARCH_ID)) arch/$(ARCH)
PAGE_TABLES := $(addprefix arch/common/,page_tables.c user_reader.c)
ARCH_SRC_x86_64 := $(PAGE_TABLES)
ARCH_SRC_arm64 := $(PAGE_TABLES) $(addprefix arch/arm/common/,asid.c breakpoint.c byte_select.c init.c power.c smp.c)

KERNEL_SRC := $(sort $(wildcard kernel/*.c kernel/*/*.c boards/$(BOARD).c \
	$(foreach dir,$(ARCH_DIRS),$(dir)/*.c $(dir)/*.S $(dir)/boot/*.S $(dir)/boot/*.c)) \
	$(ARCH_SRC_$(ARCH_ID)) boot/cmdline.c boot/ram.c $(HANDOVER:%=boot/%.c) $(DRIVERS:%=drivers/%.c))
KERNEL_OBJ := $(patsubst %,$(OBJ)/%.o,$(basename $(KERNEL_SRC)))

KERNEL_MAKE := make/kernel.mk boards/$(BOARD).mk

# $(call kernel-objects,DIRECTORY,FLAGS): rules that compile the kernel's sources with these flags more.
define kernel-objects
$(1)/%.o: %.c $(KERNEL_MAKE)
	$$(call say,CC,$$<)
	@mkdir -p $$(@D)
	$(Q)$(CC) $(KERNEL_CFLAGS) $(2) -MMD -MP -c $$< -o $$@

$(1)/%.o: %.S $(KERNEL_MAKE)
	$$(call say,AS,$$<)
	@mkdir -p $$(@D)
	$(Q)$(CC) $(KERNEL_CFLAGS) $(2) -D__ASSEMBLY__ -MMD -MP -c $$< -o $$@
endef
$(eval $(call kernel-objects,$(OBJ)))

# The kernel of the tests checks itself (include/hotregs/check.h), and so has objects of its own. SAN=1
# adds the compiler's checks for undefined behaviour, and is the kernel that `make run` boots then.
CHECKED_OBJ := $(OUT)/checked
CHECKED_CFLAGS_x86_64 := -mstack-protector-guard=global
CHECKED_CFLAGS := -DCHECKS -fstack-protector-strong $(CHECKED_CFLAGS_$(ARCH_ID)) $(if $(SAN),-fsanitize=undefined)
$(eval $(call kernel-objects,$(CHECKED_OBJ),$(CHECKED_CFLAGS)))
CHECKED_KERNEL_OBJ := $(patsubst %,$(CHECKED_OBJ)/%.o,$(basename $(KERNEL_SRC) $(wildcard kernel/debug/check/*.c)))

KERNEL_LDFLAGS := -nostdlib -static -z max-page-size=4096 -z noexecstack --build-id=sha1 \
	--fatal-warnings $(if $(LOAD_ADDRESS),--defsym=LOAD_ADDRESS=$(LOAD_ADDRESS)) -T $(LINKER)
# Where the processor cannot divide, the compiler calls a function of its own.
KERNEL_LIBS_arm-v7a := $(shell $(CC) $(KERNEL_CFLAGS) -print-libgcc-file-name)
KERNEL_LIBS := $(KERNEL_LIBS_$(ARCH_ID))

# $(call kernel-image,ELF,OBJECTS): rules that link an image. It is linked twice: the first one names
# the symbols that the second carries in its .kallsyms section, which lies behind all code, so that
# no address moves between the two.
define kernel-image
$(1:.elf=.first.elf): $(2) $(LINKER)
	@mkdir -p $$(@D)
	$(Q)$(LD) $(KERNEL_LDFLAGS) -o $$@ $(2) $(KERNEL_LIBS)

$(1:.elf=.kallsyms.S): $(1:.elf=.first.elf) tools/kallsyms.py
	$(Q)$(NM) -n -S $$< | python3 tools/kallsyms.py > $$@

$(1:.elf=.kallsyms.o): $(1:.elf=.kallsyms.S)
	$(Q)$(CC) $(KERNEL_CFLAGS) -D__ASSEMBLY__ -c $$< -o $$@

$(1): $(1:.elf=.kallsyms.o)
	$$(call say,LD,$$@)
	$(Q)$(LD) $(KERNEL_LDFLAGS) -o $$@ $(2) $$< $(KERNEL_LIBS)

$(1:.elf=.bin): $(1)
	$(Q)$(OBJCOPY) -O binary $$< $$@
endef

# $(call bootable,ELF): an image and what QEMU boots of it, where that is another form.
bootable = $(1) $(if $(QEMU_IMAGE),$(1:.elf=.$(QEMU_IMAGE)))

$(eval $(call kernel-image,$(KERNEL),$(if $(SAN),$(CHECKED_KERNEL_OBJ),$(KERNEL_OBJ))))

-include $(KERNEL_OBJ:.o=.d) $(CHECKED_KERNEL_OBJ:.o=.d)
