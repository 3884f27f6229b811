# SPDX-License-Identifier: MIT
# Hotregs: builds, runs, tests. `make help` lists what there is.

# `make check` is about every board, unless one was named.
BOARD_NAMED := $(filter-out undefined,$(origin BOARD))
BOARD ?= x86_64-pc
APP ?=
ARGS ?=
CMD ?=
SMP ?=
MEM ?=
EXPORT ?=
BOOT ?=
TIMEOUT ?= 300
GDB_ARGS ?=
SAN ?=
T ?=
V ?= 0

# A variable on the command line that nothing here uses is a typing error, which should not go unnoticed.
ifeq ($(MAKELEVEL),0)
GIVEN := $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(v)))),$(v)))
MAKEFILES_HERE := Makefile $(wildcard make/*.mk boards/*.mk tests/host/*.mk)
UNUSED := $(foreach v,$(GIVEN),$(if $(shell grep -E '[$$][[:punct:]]$(v)[^A-Za-z0-9_]' $(MAKEFILES_HERE)),,$(v)))
$(foreach v,$(UNUSED),$(warning $(v)=: no such variable; `make help` lists those there are))
endif

MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:
Q := $(if $(filter 1,$(V)),,@)
# $(call say,WHAT,name): one line of progress, unless the commands themselves are shown.
say = $(if $(filter 1,$(V)),@:,@printf '  %-7s %s\n' '$(1)' '$(2)')

BOARDS := $(sort $(patsubst boards/%.mk,%,$(wildcard boards/*.mk)))
ifeq ($(filter $(BOARD),$(BOARDS)),)
$(error BOARD=$(BOARD): no such board; there are: $(BOARDS))
endif
# Those whose tests are to pass: what is about every board is not about the others.
UNFINISHED_BOARDS := $(patsubst boards/%.mk,%,$(shell grep -l '^UNFINISHED ' $(BOARDS:%=boards/%.mk)))
ALL_BOARDS := $(filter-out $(UNFINISHED_BOARDS),$(BOARDS))
$(if $(and $(word 2,$(APP)),$(shell [ -e '$(APP)' ] && echo yes)),\
	$(error APP=$(APP): make cannot take a name with blanks; rename it, or make a link to it))
$(foreach path,$(APP),$(if $(wildcard $(path)),,$(error APP=$(path): no such file or directory)))

all: kernel programs archive

include boards/$(BOARD).mk
# What the architectures of one family have in common goes by this name.
ARCH_FAMILY := $(firstword $(subst /, ,$(ARCH)))
FAMILIES := $(sort $(foreach arch,$(shell sed -n 's/^ARCH *:= *//p' $(ALL_BOARDS:%=boards/%.mk)),$(firstword $(subst /, ,$(arch)))))
BOOTS ?= kernel
$(if $(filter-out $(BOOTS),$(BOOT)),$(error BOOT=$(BOOT): $(BOARD) has: $(BOOTS)))
EXPORTS_HERE := $(or $(EXPORTS_$(BOOT)),$(EXPORTS))
$(if $(filter-out $(EXPORTS_HERE),$(EXPORT)),$(error EXPORT=$(EXPORT): $(BOARD) has: $(EXPORTS_HERE)))
# What a program's directory says of it, before it is known which packages that needs.
-include $(wildcard $(addsuffix /app.mk,$(APP)))
include make/deps.mk
# A kernel under the sanitizer is another build; programs and archive are the same.
BOARD_OUT := build/$(BOARD)
OUT := $(BOARD_OUT)$(if $(SAN),-san)
ifneq ($(READY),)
include make/kernel.mk $(wildcard make/newlib.mk make/user.mk make/host-tests.mk make/fuzz-parsers.mk)
include make/test.mk make/fuzz.mk make/run.mk make/arm-images.mk make/iso.mk
endif

kernel: $(call bootable,$(KERNEL))
	@:

help:
	@sed -e 's/@BOARDS@/$(BOARDS)/' make/help.txt

clean:
	$(Q)rm -rf build

# Also the C library built for this project, which `make clean` keeps since it takes minutes.
distclean: clean
	$(Q)rm -rf "$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/hotregs"

C_FILES = $(shell find arch boards boot drivers include kernel tests user -name '*.[ch]' | sort)
format:
	$(Q)clang-format -i $(C_FILES)
format-check:
	$(Q)clang-format --dry-run -Werror $(C_FILES)

.PHONY: all kernel programs archive help clean distclean format format-check
