# SPDX-License-Identifier: MIT
# The fuzzing targets: see make/fuzz-parsers.mk.

FUZZ_TARGETS += fdt ehabi
fuzz_fdt_SRC := boot/fdt.c
fuzz_fdt_RUNS := 15000
fuzz_ehabi_SRC := arch/arm/common/ehabi.c arch/arm/common/recipe.c arch/arm/common/frame_repair.c
fuzz_ehabi_CFLAGS := -Iarch/arm/common

FUZZ_TARGETS += acpi pvh multiboot2 arm_boot cmdline
fuzz_acpi_SRC := boot/acpi.c
fuzz_acpi_RUNS := 15000
fuzz_pvh_SRC := boot/pvh.c boot/ram.c
fuzz_multiboot2_SRC := boot/multiboot2.c boot/ram.c
fuzz_arm_boot_SRC := boot/fdt.c boot/fdt_boot.c boot/board.c boot/atags.c boot/ram.c boot/cmdline.c
fuzz_arm_boot_CFLAGS := -Itests/host/arm
fuzz_cmdline_SRC := boot/cmdline.c kernel/proc/words.c

FUZZ_TARGETS += elf cpio path printf
fuzz_elf_SRC := kernel/proc/elf.c
fuzz_cpio_SRC := kernel/fs/cpio.c
fuzz_path_SRC := kernel/fs/path.c
fuzz_printf_SRC :=

FUZZ_TARGETS += attr ring
fuzz_attr_SRC := $(filter-out %/breakpoint_pmu.c,$(PERF_SRC)) tests/host/perf_fixture.c
$(FUZZ_OUT)/fuzz_attr: kernel/perf/breakpoint_pmu.c
fuzz_ring_SRC := kernel/perf/ring.c

FUZZ_TARGETS += perf_elf stream
fuzz_perf_elf_SRC := user/perf/elf.c
fuzz_stream_SRC := user/perf/reader.c user/perf/option.c
