# SPDX-License-Identifier: MIT
# The fuzzing targets: see make/fuzz.mk.

FUZZ_TARGETS += fuzz_fdt
fuzz_fdt_SRC := boot/fdt.c

FUZZ_TARGETS += fuzz_ehabi
fuzz_ehabi_SRC := arch/arm/common/ehabi.c arch/arm/common/recipe.c arch/arm/common/frame_repair.c
fuzz_ehabi_CFLAGS := -Iarch/arm/common
