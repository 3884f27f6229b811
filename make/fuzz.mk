# SPDX-License-Identifier: MIT
# Fuzzing the system calls: a program in the guest, tests/guest/fuzz, under tools/fuzz.
#   make fuzz FUZZ_OPS=1000000 FUZZ_SEED=1 BOARD=arm-virt
#   make fuzz SAN=1         a kernel that looks for undefined behaviour, too
#   make fuzz SMP=2         on two processors, in turns; FUZZ_RACES=1: at once, by the host's time
# With little memory, calls see how it is when there is none.

FUZZ_OPS ?= 50000
FUZZ_SEED ?= 1
# An operation that fails, to see what is said then.
FUZZ_FAIL ?=
FUZZ_RACES ?=

fuzz: $(call bootable,$(TEST_IMAGE)) $(TEST_ARCHIVE)
	@tools/fuzz --board $(BOARD) --kernel $(TEST_IMAGE) --archive $(TEST_ARCHIVE) --mem '$(or $(MEM),$(QEMU_MEM),32)' \
		--cpus '$(or $(SMP),1)' $(if $(QEMU_SMP),,--smp '$(or $(SMP),1)') $(if $(FUZZ_RACES),--races) \
		--ops '$(FUZZ_OPS)' --seed '$(FUZZ_SEED)' $(if $(FUZZ_FAIL),--fail '$(FUZZ_FAIL)')

.PHONY: fuzz
