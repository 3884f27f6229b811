# SPDX-License-Identifier: MIT
# Fuzzing: the parsers of what comes from outside, under libFuzzer and the sanitizers.
#   make fuzz               each for FUZZ_SECONDS, as make verify does
#   make fuzz-fuzz_fdt      one of them
# A target is tests/fuzz/<name>.c, which defines LLVMFuzzerTestOneInput(), and, in
# tests/fuzz/fuzz.mk,
#   FUZZ_TARGETS += <name>
#   <name>_SRC := kernel/.../file.c ...       what it feeds
#   <name>_CFLAGS := ...                      optional, before all other flags
# Inputs that found something new are kept in build/fuzz/<name>.corpus; where nobody guesses the first
# one, LLVMFuzzerInitialize() puts it there.

FUZZ_CC ?= clang
FUZZ_SECONDS ?= 20
FUZZ_OUT := build/fuzz
FUZZ_TARGETS :=
include tests/fuzz/fuzz.mk

FUZZ_CFLAGS := $(filter-out -fsanitize=%,$(HOST_CFLAGS)) -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=all
# The runtime is a package of its own, and may be missing where the compiler is there.
FUZZ_READY = $(shell echo 'int LLVMFuzzerTestOneInput(void);int LLVMFuzzerTestOneInput(void){return 0;}' | \
	$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -x c - -o /dev/null >/dev/null 2>&1 && echo yes)

# $(1): the name of a target
define fuzz_rule
$(FUZZ_OUT)/$(1): tests/fuzz/$(1).c $($(1)_SRC) $(HOST_HEADERS) make/fuzz.mk tests/fuzz/fuzz.mk
	@mkdir -p $$(@D)
	$(Q)$(FUZZ_CC) $($(1)_CFLAGS) $(FUZZ_CFLAGS) -o $$@ $$(filter %.c,$$^)
endef
$(foreach t,$(FUZZ_TARGETS),$(eval $(call fuzz_rule,$(t))))

fuzz-%: $(FUZZ_OUT)/%
	$(call say,FUZZ,$* for $(FUZZ_SECONDS) s)
	@mkdir -p $(FUZZ_OUT)/$*.corpus
	@cd $(FUZZ_OUT) && ./$* -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=1024 -timeout=10 $*.corpus >$*.log 2>&1 \
		|| { tail -n 40 $*.log; echo "# FAILED: $*, the input is in $(FUZZ_OUT)"; exit 1; }

fuzz:
	@$(if $(FUZZ_READY),$(foreach t,$(FUZZ_TARGETS),$(MAKE) fuzz-$(t) &&) :,\
		echo "  SKIP    fuzzing: $(FUZZ_CC) cannot link libFuzzer (Debian: clang, libclang-rt-dev)")

.PHONY: fuzz
