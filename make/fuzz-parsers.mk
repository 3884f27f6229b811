# SPDX-License-Identifier: MIT
# Fuzzing the parsers of what comes from outside, under libFuzzer and the sanitizers.
#   make fuzz-parsers           each for FUZZ_SECONDS, as make verify does
#   make fuzz-parser-fdt        one of them
# make check tries each of them too (tests/run.py, suite "parsers"): fuzz_<name>_RUNS inputs from a fixed
# seed, about a second's.
# A target is tests/fuzz/fuzz_<name>.c (see tests/fuzz/fuzz.h) and, in tests/fuzz/fuzz.mk,
#   FUZZ_TARGETS += <name>
#   fuzz_<name>_SRC := kernel/.../file.c ...       what it feeds
#   fuzz_<name>_CFLAGS := ...                      optional, before all other flags
#   fuzz_<name>_RUNS := ...                        where 30000 take too long
# Inputs that found something new are kept in build/fuzz/<name>.corpus.

FUZZ_CC ?= clang
FUZZ_SECONDS ?= 20
FUZZ_OUT := build/fuzz
FUZZ_TARGETS :=
include tests/fuzz/fuzz.mk
FUZZ_BINARIES := $(FUZZ_TARGETS:%=$(FUZZ_OUT)/fuzz_%)
$(foreach t,$(FUZZ_TARGETS),$(eval fuzz_$(t)_RUNS ?= 30000))

# What this compiler warns of depends on its version; gcc has looked at the same files.
FUZZ_CFLAGS := $(filter-out -fsanitize=% -Werror,$(HOST_CFLAGS)) -Itests/fuzz -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=all

# $(1): the name of a target
define fuzz_rule
$(FUZZ_OUT)/fuzz_$(1): tests/fuzz/fuzz_$(1).c tests/fuzz/fuzz.c $(fuzz_$(1)_SRC) tests/host/stubs.c \
	$(HOST_HEADERS) $(wildcard tests/fuzz/*.h user/perf/*.[ch]) make/fuzz-parsers.mk tests/fuzz/fuzz.mk
	$$(call say,HOSTCC,$$@)
	@mkdir -p $$(@D)
	$(Q)$(FUZZ_CC) $(fuzz_$(1)_CFLAGS) $(FUZZ_CFLAGS) -o $$@ tests/fuzz/fuzz_$(1).c tests/fuzz/fuzz.c \
		$(fuzz_$(1)_SRC) tests/host/stubs.c -lcmocka
endef
$(foreach t,$(FUZZ_TARGETS),$(eval $(call fuzz_rule,$(t))))

fuzz-parser-%: $(FUZZ_OUT)/fuzz_%
	$(call say,FUZZ,$* for $(FUZZ_SECONDS) s)
	@mkdir -p $(FUZZ_OUT)/$*.corpus
	@cd $(FUZZ_OUT) && ./fuzz_$* -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=1024 -timeout=10 $*.corpus >$*.log 2>&1 \
		|| { tail -n 40 $*.log; echo "# FAILED: $*, the input is in $(FUZZ_OUT)"; exit 1; }

fuzz-parsers: $(FUZZ_TARGETS:%=fuzz-parser-%)

.PHONY: fuzz-parsers
