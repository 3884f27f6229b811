# SPDX-License-Identifier: MIT
# What the tests need built, and running them: tests/run.py is the driver.

# The kernel with its own tests, and with all its checks of itself.
TEST_OUT := $(OUT)/test
TEST_IMAGE := $(TEST_OUT)/hotregs-test.elf
GUEST_KERNEL_OBJ := $(patsubst %.c,$(CHECKED_OBJ)/%.o,$(sort $(wildcard tests/guest/kernel/*.c tests/guest/kernel/$(ARCH)/*.c \
	$(if $(SAN),tests/guest/kernel/san/*.c))))
$(eval $(call kernel-image,$(TEST_IMAGE),$(CHECKED_KERNEL_OBJ) $(GUEST_KERNEL_OBJ)))

# What is measured has no checks, and no tests but the driver that starts the measurements, and a unit with counters.
BENCH_IMAGE := $(OUT)/bench/hotregs-bench.elf
BENCH_OBJ := $(addprefix $(OBJ)/tests/guest/kernel/,bench.o counting_pmu.o ktest.o)
$(eval $(call kernel-image,$(BENCH_IMAGE),$(KERNEL_OBJ) $(BENCH_OBJ)))
-include $(GUEST_KERNEL_OBJ:.o=.d) $(BENCH_OBJ:.o=.d)

# The archive with the programs that test the system from user mode.
TEST_ARCHIVE := $(BOARD_OUT)/test/archive.cpio
GUEST_PROGRAM := $(BOARD_OUT)/test/user/guest-tests
GUEST_USER_OBJ := $(patsubst %.c,$(USER_OBJ)/%.o,$(sort $(wildcard tests/guest/user/*.c tests/guest/user/$(ARCH)/*.c)))

# These have to know which workloads there are.
CYCLES_OBJ := $(USER_OBJ)/tests/guest/user/cycles_test.o
$(CYCLES_OBJ): USER_CFLAGS += -DWORKLOADS='"$(notdir $(basename $(filter-out %.h,$(wildcard user/workloads/*))))"'
$(CYCLES_OBJ): user/workloads

$(GUEST_PROGRAM): $(GUEST_USER_OBJ) $(USER_CRT) $(USER_LIB)

# Programs that mean harm: a boot of their own.
HOSTILE_PROGRAM := $(BOARD_OUT)/test/user/hostile-tests
HOSTILE_OBJ := $(patsubst %,$(USER_OBJ)/%.o,$(basename $(sort $(wildcard tests/guest/hostile/*.c \
	tests/guest/hostile/$(ARCH)/*.[cS])) tests/guest/user/ktap.c \
	tests/guest/user/machine.c tests/guest/user/samples.c))

$(HOSTILE_PROGRAM): $(HOSTILE_OBJ) $(USER_CRT) $(USER_LIB)

# On ARM, programs whose unwind tables lie: whole ELF files in assembly.
HOSTILE_TABLES_arm-v7a := none work order alignment size place links code
HOSTILE_TABLES := $(HOSTILE_TABLES_$(ARCH_ID):%=$(BOARD_OUT)/test/user/hostile-tables-%)

$(HOSTILE_TABLES): $(BOARD_OUT)/test/user/hostile-tables-%: tests/guest/hostile/arm/v7a/programs/tables.S
	@mkdir -p $(@D)
	$(call say,AS,$@)
	$(Q)$(CC) $(USER_MACHINE) -DLIE_$* -c -o $@.o $< && $(OBJCOPY) -O binary -j .text $@.o $@

# Fuzzes the system calls: see make/fuzz.mk. Not every generator looks at the operation.
FUZZ_PROGRAM := $(TEST_OUT)/user/fuzz
FUZZ_OBJ := $(patsubst %,$(USER_OBJ)/%.o,$(basename $(sort $(wildcard tests/guest/fuzz/*.c tests/guest/fuzz/$(ARCH)/*.S))))

$(FUZZ_OBJ): USER_WARNINGS += -Wno-unused-parameter
$(FUZZ_PROGRAM): $(FUZZ_OBJ) $(USER_CRT) $(USER_LIB)

$(GUEST_PROGRAM) $(HOSTILE_PROGRAM) $(FUZZ_PROGRAM):
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(USER_LDFLAGS) -o $@ $(filter %.o,$^) $(USER_LIBS)

-include $(GUEST_USER_OBJ:.o=.d) $(HOSTILE_OBJ:.o=.d) $(FUZZ_OBJ:.o=.d)

TEST_BIN := $(ARCHIVE_BIN) $(GUEST_PROGRAM) $(HOSTILE_PROGRAM) $(HOSTILE_TABLES) $(FUZZ_PROGRAM)
$(TEST_ARCHIVE): $(TEST_BIN) tools/mkcpio.py
	$(call say,CPIO,$@)
	@mkdir -p $(@D)
	$(Q)python3 tools/mkcpio.py $@ $(foreach file,$(TEST_BIN),bin/$(notdir $(file))=$(file))

# What tests need is built by as many jobs as there are processors; the tests themselves run one by one.
PARALLEL = $(MAKE) -j$(shell nproc)

comma := ,
# The sanitizer is in the kernel. Host tests have theirs anyway; the others are about what users run.
SUITES := $(if $(SAN),guest,host parsers guest system)
$(if $(filter-out $(SUITES),$(filter host parsers guest system,$(firstword $(subst /, ,$(T))))),$(error T=$(T): SAN=1 is for guest tests))
# Groups of tests (tests/names.py), and what each needs. `make test` names those in which T matches one.
TEST_GROUPS ?= host parsers guest/kernel guest/user guest/hostile system
TEST_NEEDS_host := $(HOST_BINARIES)
TEST_NEEDS_parsers := $(FUZZ_BINARIES)
TEST_NEEDS_guest/kernel := $(call bootable,$(TEST_IMAGE)) $(ARCHIVE)
TEST_NEEDS_guest/user := $(call bootable,$(TEST_IMAGE)) $(TEST_ARCHIVE)
TEST_NEEDS_guest/hostile := $(call bootable,$(if $(SAN),$(TEST_IMAGE),$(KERNEL))) $(TEST_ARCHIVE)
TEST_NEEDS_system := $(call bootable,$(KERNEL)) $(ARCHIVE) $(call bootable,$(TEST_IMAGE)) $(GUEST_PROGRAM)

TEST_RUN = tests/run.py --board $(BOARD) --results $(notdir $(OUT)) $(if $(SAN),--sanitizer) --filter '$(T)' --host $(HOST_BINARIES) \
	--parsers $(foreach t,$(FUZZ_TARGETS),$(FUZZ_OUT)/fuzz_$(t)=$(fuzz_$(t)_RUNS)) \
	--test-image $(TEST_IMAGE) --test-archive $(TEST_ARCHIVE) $(if $(filter 1,$(V)),--verbose)

# The suites' groups.
groups_of = $(filter $(1) $(1:%=%/%),$(TEST_GROUPS))
tests: $(foreach group,$(call groups_of,$(SUITES)),$(TEST_NEEDS_$(group)))

# Every test of every board, unless a board is named; what does not depend on one runs with the first.
# Then the guest tests again, under the sanitizer, on one board of each architecture.
SAN_BOARDS := x86_64-pc arm-virt
CHECKED := $(BOARD) $(filter-out $(BOARD),$(ALL_BOARDS)) $(SAN_BOARDS:%=%-san)
ifeq ($(BOARD_NAMED),)
check: test-find
	@rm -f $(CHECKED:%=build/results/%.json)
	@failed=0; suites=host,parsers,guest,system; \
	for board in $(BOARD) $(filter-out $(BOARD),$(ALL_BOARDS)); do \
		printf '  CHECK   %s\n' $$board; \
		$(MAKE) BOARD=$$board CHECK_SUITES=$$suites check-board || failed=1; \
		suites=guest,system; \
	done; \
	for board in $(SAN_BOARDS); do \
		printf '  CHECK   %s, SAN=1\n' $$board; \
		$(MAKE) BOARD=$$board SAN=1 check-board || failed=1; \
	done; \
	tests/run.py --sum $(CHECKED) && exit $$failed
else
check: test-find check-board
endif

CHECK_SUITES := $(if $(SAN),guest,host$(comma)parsers$(comma)guest$(comma)system)
check-needs: $(foreach group,$(call groups_of,$(subst $(comma), ,$(CHECK_SUITES))),$(TEST_NEEDS_$(group)))
check-board:
	@$(PARALLEL) check-needs
	@$(TEST_RUN) --suites $(CHECK_SUITES)

# Before anything is built: a T that no test matches.
test-find:
	@tests/run.py --find --filter '$(T)' > /dev/null

test:
	@groups=$$(tests/run.py --find --filter '$(T)') && $(PARALLEL) tests TEST_GROUPS="$$groups"
	@$(TEST_RUN) --suites $(subst $(empty) $(empty),$(comma),$(SUITES))

# Faults, one at a time: a test has to fail for each. M chooses some by their names.
M ?=
mutants:
	@tests/mutants/run.py $(foreach name,$(M),'$(name)')

# What several processors do at once, searched through by Spin.
models:
	@tests/models/run.py

# Both commands of the README on bare systems of the releases that are supported.
chroot-check:
	@tools/chroot-check

# On every board; the long tests and the fuzzers too; that each seeded fault is found; that a second build of the
# same sources is the same; and all of it on other releases of Debian.
verify: fuzz-parsers models mutants $(ALL_BOARDS:%=verify-%)
	@tools/rebuild-check $(BOARD) $(KERNEL) $(ARCHIVE)
	@tools/chroot-check

verify-%:
	@echo "  VERIFY  $*: the image, then all tests of make check and the long ones"
	@$(PARALLEL) BOARD=$* tests
	@$(MAKE) BOARD=$* verify-board
	@$(MAKE) BOARD=$* SAN=1 verify-board

verify-board: tests
	@$(TEST_RUN) --slow --suites $(CHECK_SUITES)

.PHONY: models mutants chroot-check tests check check-board test test-find verify verify-board
