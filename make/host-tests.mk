# SPDX-License-Identifier: MIT
# Host tests: the kernel's own C files under cmocka, with the host's compiler and its sanitizers.
#   make host-tests             builds and runs all
#   make host-test-test_ring    builds and runs one
# A test is tests/host/<name>.c and, in tests/host/tests.mk,
#   HOST_TESTS += <name>
#   <name>_SRC := kernel/.../file.c ...       what it tests
#   <name>_CFLAGS := ...                      optional, before all other flags
# tests/host/stubs.c (weak symbols) stands in for the rest of the kernel, and tests/host/include for
# the architecture.

HOST_CC ?= gcc
HOST_OUT := build/host
HOST_TESTS :=
include tests/host/tests.mk

HOST_CFLAGS := -std=gnu17 -O1 -g -fno-omit-frame-pointer -fno-strict-aliasing -fno-common \
	-fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Wno-unused-parameter -Werror \
	-Itests/host -Itests/host/include -Iinclude -Iarch/include
HOST_BINARIES := $(HOST_TESTS:%=$(HOST_OUT)/%)

# $(1): the name of a test. What it includes, files under test among it, the compiler tells.
define host_test_rule
$(1)_C := tests/host/$(1).c $($(1)_SRC) tests/host/stubs.c
$(HOST_OUT)/$(1): $$($(1)_C) make/host-tests.mk tests/host/tests.mk
	@mkdir -p $$(@D)
	$(Q)$(HOST_CC) $($(1)_CFLAGS) $(HOST_CFLAGS) -MM -MP -MT $$@ $$($(1)_C) > $$@.d
	$(Q)$(HOST_CC) $($(1)_CFLAGS) $(HOST_CFLAGS) -o $$@ $$($(1)_C) -lcmocka
endef
$(foreach t,$(HOST_TESTS),$(eval $(call host_test_rule,$(t))))
-include $(HOST_BINARIES:%=%.d)

host-tests: $(HOST_BINARIES)
	@status=0; for t in $^; do echo "# $$t"; timeout 120 $$t || { status=1; echo "# FAILED: $$t"; }; done; exit $$status

host-test-%: $(HOST_OUT)/%
	@timeout 120 $<

.PHONY: host-tests
