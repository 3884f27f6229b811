# SPDX-License-Identifier: MIT
# Builds build/<board>/hotregs.elf: the portable core, one architecture, the board's drivers.

CROSS_x86_64 := x86_64-linux-gnu-
CROSS := $(CROSS_$(ARCH))
CC := $(CROSS)gcc
LD := $(CROSS)ld
NM := $(CROSS)nm
OBJCOPY := $(CROSS)objcopy

OUT := build/$(BOARD)
OBJ := $(OUT)/obj
KERNEL := $(OUT)/hotregs.elf

# The kernel uses no FPU or vector register, keeps every frame and every caller (a chain is only as
# good as its frames), and clones no function under another name.
KERNEL_CFLAGS := -std=gnu17 -O2 -g -ffreestanding -nostdinc -isystem $(shell $(CC) -print-file-name=include) \
	-Iinclude -Iarch/include -Iarch/$(ARCH)/include \
	-Wall -Wextra -Wno-unused-parameter -Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror \
	-fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-ipa-sra -fno-ipa-cp -fno-ipa-icf \
	-fno-partial-inlining -fno-stack-protector -fno-pic -fno-pie -fno-common -fno-strict-aliasing \
	-fno-delete-null-pointer-checks -fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns
KERNEL_CFLAGS_x86_64 := -m64 -mno-red-zone -mcmodel=kernel -mgeneral-regs-only -fcf-protection=none
KERNEL_CFLAGS += $(KERNEL_CFLAGS_$(ARCH))

KERNEL_SRC := $(sort $(wildcard kernel/*.c kernel/*/*.c arch/$(ARCH)/*.c arch/$(ARCH)/*.S \
	arch/$(ARCH)/boot/*.S arch/$(ARCH)/boot/*.c) boot/cmdline.c $(BOOT:%=boot/%.c) $(DRIVERS:%=drivers/%.c))
KERNEL_OBJ := $(patsubst %,$(OBJ)/%.o,$(basename $(KERNEL_SRC)))

$(OBJ)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(KERNEL_CFLAGS) -MMD -MP -c $< -o $@

$(OBJ)/%.o: %.S
	@mkdir -p $(@D)
	$(Q)$(CC) $(KERNEL_CFLAGS) -D__ASSEMBLY__ -MMD -MP -c $< -o $@

KERNEL_LDFLAGS := -nostdlib -static -z max-page-size=4096 -z noexecstack --build-id=sha1 -T $(LINKER)

# Linked twice: the first image names the symbols that the second carries in its .kallsyms section,
# which lies behind all code, so that no address moves between the two.
$(OUT)/hotregs.first.elf: $(KERNEL_OBJ) $(LINKER)
	$(Q)$(LD) $(KERNEL_LDFLAGS) -o $@ $(KERNEL_OBJ)

$(OBJ)/kallsyms.S: $(OUT)/hotregs.first.elf tools/kallsyms.py
	$(Q)$(NM) -n $< | python3 tools/kallsyms.py > $@

$(OBJ)/kallsyms.o: $(OBJ)/kallsyms.S
	$(Q)$(CC) $(KERNEL_CFLAGS) -D__ASSEMBLY__ -c $< -o $@

$(KERNEL): $(OBJ)/kallsyms.o
	$(Q)$(LD) $(KERNEL_LDFLAGS) -o $@ $(KERNEL_OBJ) $(OBJ)/kallsyms.o

-include $(KERNEL_OBJ:.o=.d)
