# SPDX-License-Identifier: MIT
# Booting a board: run, bench, debug. tools/qemu-run does it; this says with what.

QEMU_RUN := tools/qemu-run --board $(BOARD) $(if $(MEM),--mem '$(MEM)') $(if $(SMP),--smp '$(SMP)') \
	$(if $(filter command environment,$(origin CPU)),--cpu '$(CPU)') $(if $(BOOT),--boot '$(BOOT)') $(if $(filter 1,$(V)),--show)

# What the guest's init runs: the user's command line, the user's program under perf, or a tour of
# what a profile of switches shows.
SAMPLE_SWITCHES := perf record -a -e context-switches -c 1 -g
APP_RECORD ?= perf record -e context-switches/period=1/,cpu-clock/freq=997/ -g
# $(call recording,OPTIONS): the user's program, or the tour, under perf with these options, too.
recording = $(if $(APP),$(APP_RECORD) $(1)-- $(APP_NAME) $(ARGS),$(SAMPLE_SWITCHES) $(1)-- demo)
export RUN_COMMAND = $(or $(CMD),$(call recording,))
# For machines without an export channel: the profile comes on the console, as text.
export CONSOLE_COMMAND = $(or $(CMD),$(call recording,-o - ) | perf script)

RUN := $(QEMU_RUN) --kernel $(KERNEL) --stream $(OUT)/perf.pipe $(if $(EXPORT),--export $(EXPORT)) --timeout '$(TIMEOUT)' --log $(OUT)/console.log \
	--command "$$RUN_COMMAND"

# $(call run_and_report,COMMAND): the guest's status is the recipe's; a report that fails is a failure
# too. Ctrl-C ends the guest, and the report of what was recorded until then follows.
define run_and_report
	@trap : INT; status=0; \
	$(1) || status=$$?; \
	python3 tools/perf_report.py --command="$$RUN_COMMAND" $(OUT) $(KERNEL) $(PROGRAM_ELFS) \
		|| [ $$status -ne 0 ] || status=1; \
	exit $$status
endef

run: run-check kernel archive
	@printf '  RUN     %s\n' "$$RUN_COMMAND"
	$(call run_and_report,$(RUN))

# The guest's shell, and all keys are its own. It may take as long as one likes.
shell: export RUN_COMMAND = sh
shell: TIMEOUT := $(if $(filter command line environment,$(origin TIMEOUT)),$(TIMEOUT),0)
shell: run-check kernel archive
	@echo '  SHELL   exit or Ctrl-D ends it, and the machine; Ctrl-A X ends QEMU'
	$(call run_and_report,$(RUN) --keys)

# The same of a stream that came from elsewhere, a real machine's.
report: kernel programs
	@[ -e $(OUT)/perf.pipe ] || { echo "$(OUT)/perf.pipe: not there" >&2; exit 1; }
	@python3 tools/perf_report.py $(OUT) $(KERNEL) $(PROGRAM_ELFS)

# First of all: nothing of an earlier run is left to be taken for this one's, and what can be seen to
# be wrong is said before anything is built.
run-check:
	@rm -f $(OUT)/perf.pipe $(OUT)/perf.data $(OUT)/console.log
	@$(RUN) --check

# One instruction is one nanosecond of the guest's clock, so that its clock counts instructions. The
# kernel's own operations are measured by an image of its own, those of programs by a program.
ifneq ($(SAN),)
$(if $(filter bench,$(MAKECMDGOALS)),$(error SAN=1: a kernel that checks itself is not what make bench measures))
endif
# One processor is measured, unless several are asked for: the others would do some of the work.
BENCH_CPUS := $(if $(SMP),,cpus=1)
# MiB for 10,000 tasks, where a board's memory is a matter of choice.
BENCH_MEM := $(if $(MEM)$(QEMU_MEM),,--mem 704)
bench: bench-check $(call bootable,$(BENCH_IMAGE)) kernel archive
	$(call say,BENCH,$(BOARD))
	@for log in kbench bench crowd; do \
		case $$log in \
		kbench) set -- --kernel $(BENCH_IMAGE) --append "$(BENCH_CPUS) kbench";; \
		bench) set -- --append "$(BENCH_CPUS) bench" --command bench;; \
		crowd) set -- $(BENCH_MEM) --append "$(BENCH_CPUS)" --command "bench crowd";; \
		esac; \
		$(QEMU_RUN) --icount --timeout '$(TIMEOUT)' --quiet --log $(OUT)/$$log.log --stream $(OUT)/bench.pipe "$$@" \
			|| exit 1; \
	done
	@python3 tools/bench.py $(ARCH) $(OUT)/bench.tsv $(OUT)/kbench.log $(OUT)/bench.log $(OUT)/crowd.log

bench-check:
	@rm -f $(OUT)/bench.tsv
	@$(QEMU_RUN) --timeout '$(TIMEOUT)' --check

debug: debug-check kernel archive
	@GDB=$(GDB) tools/debug $(OUT) $(KERNEL) $(QEMU_RUN) $(if $(CMD),--command "$$RUN_COMMAND") -- $(GDB_ARGS)

debug-check:
	@$(QEMU_RUN) --check

# The guest's perf for the host: user/perf keeps to the public ABI.
HOST_PERF := build/host/perf
host-perf: $(HOST_PERF)
$(HOST_PERF): $(wildcard user/perf/*.[ch])
	$(call say,HOSTCC,$@)
	@mkdir -p $(@D)
	$(Q)gcc -std=gnu17 -O2 -g -Wall -Wextra -Werror -fno-omit-frame-pointer -o $@ $(filter %.c,$^) -lm

.PHONY: run shell report run-check bench bench-check debug debug-check host-perf
