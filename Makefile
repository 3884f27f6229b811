# SPDX-License-Identifier: MIT
# Hotregs: builds, runs, tests. `make help` lists what there is.
BOARD ?= x86_64-pc
V ?= 0
Q := $(if $(filter 1,$(V)),,@)

all: kernel

include boards/$(BOARD).mk
include make/kernel.mk

kernel: $(KERNEL)
.PHONY: all kernel
