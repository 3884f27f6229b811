# SPDX-License-Identifier: MIT
# The host tests: see make/host-tests.mk.

HOST_TESTS += test_framework
test_framework_SRC :=

# The files under test are included: for their names, which are the C library's too, or are static.
HOST_TESTS += test_string test_printf test_kallsyms test_virtio_console
test_string_SRC :=
test_printf_SRC :=
test_kallsyms_SRC :=
test_virtio_console_SRC := drivers/bus/virtio_ring.c

HOST_TESTS += test_virtio_ring test_pci
test_virtio_ring_SRC := drivers/bus/virtio_ring.c
test_pci_SRC := drivers/bus/pci.c

HOST_TESTS += test_page
test_page_SRC := kernel/mm/page.c kernel/mm/kmalloc.c
test_page_CFLAGS := -Itests/host/mm

HOST_TESTS += test_kmalloc
test_kmalloc_SRC := kernel/mm/kmalloc.c kernel/mm/page.c
test_kmalloc_CFLAGS := -Itests/host/mm

HOST_TESTS += test_console test_export test_printk
test_console_SRC := kernel/fs/console.c kernel/fs/line.c
HOST_TESTS += test_line
test_line_SRC := kernel/fs/line.c
test_export_SRC := kernel/fs/export.c
test_printk_SRC := kernel/debug/printk.c kernel/lib/printf.c
test_printk_CFLAGS := -Dsnprintf=kernel_snprintf -Dvsnprintf=kernel_vsnprintf

HOST_TESTS += test_address_space
test_address_space_SRC := kernel/mm/address_space.c kernel/mm/fault.c kernel/mm/vma.c \
	kernel/mm/shootdown.c
test_address_space_CFLAGS := -Itests/host/mm

HOST_TESTS += test_shootdown
test_shootdown_SRC := kernel/mm/shootdown.c
test_shootdown_CFLAGS := -DMMU_FLUSH_BROADCASTS=true

HOST_TESTS += test_vmap
test_vmap_SRC := kernel/mm/vmap.c kernel/mm/shootdown.c
# Few addresses, so that they run out.
test_vmap_CFLAGS := -Itests/host/mm -DVMAP_END=0xffffc00002000000UL

HOST_TESTS += test_cmdline test_pvh test_multiboot2 test_ram test_acpi test_timer
test_cmdline_SRC := boot/cmdline.c
test_pvh_SRC := boot/pvh.c boot/ram.c
test_multiboot2_SRC := boot/multiboot2.c boot/ram.c
test_ram_SRC := boot/ram.c
test_acpi_SRC := boot/acpi.c
test_timer_SRC := kernel/time/timer.c kernel/time/tick.c

HOST_TESTS += test_path test_words test_cpio test_elf test_credentials
test_credentials_SRC := kernel/proc/credentials.c
test_path_SRC := kernel/fs/path.c
test_words_SRC := kernel/proc/words.c
HOST_TESTS += test_signal
test_signal_SRC := kernel/proc/signal.c kernel/proc/signal_queue.c kernel/proc/signal_state.c kernel/proc/signal_stop.c
test_cpio_SRC := kernel/fs/cpio.c
test_elf_SRC := kernel/proc/elf.c

HOST_TESTS += test_pipe_buffer test_pipe test_archive
test_pipe_buffer_SRC :=
test_pipe_SRC := kernel/fs/pipe.c kernel/fs/file.c
TREE_SRC := $(addprefix kernel/fs/,dir.c file.c inode.c lock.c page_tree.c path.c tree.c tree_file.c)
test_archive_SRC := kernel/fs/archive.c kernel/fs/cpio.c $(filter-out %/tree.c,$(TREE_SRC))
HOST_TESTS += test_page_tree test_tree test_lock
test_page_tree_SRC := kernel/fs/page_tree.c
test_tree_SRC := $(TREE_SRC)
test_lock_SRC := $(TREE_SRC)

BREAKPOINT_SRC := $(addprefix kernel/breakpoint/,breakpoint.c reserve.c slots.c) tests/host/breakpoint_machine.c
PERF_SRC := $(BREAKPOINT_SRC) $(addprefix kernel/perf/,attr.c callchain.c clock.c context.c core.c group.c limit.c moves.c output.c page.c \
	breakpoint_pmu.c permission.c pmu.c policy.c read.c record.c ring.c sample.c sample_state.c schedule.c sideband.c software.c swap.c task.c)

HOST_TESTS += test_ring test_ring_modes test_ring_order
test_ring_modes_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_ring_SRC := kernel/perf/ring.c
HOST_TESTS += test_policy test_callchain
test_policy_SRC := kernel/perf/policy.c
test_callchain_SRC := kernel/perf/callchain.c
HOST_TESTS += test_abi
test_abi_SRC := tests/host/abi_ours.c
HOST_TESTS += test_attr
test_attr_SRC := $(PERF_SRC)
HOST_TESTS += test_abi_page
test_abi_page_SRC := $(PERF_SRC) tests/host/perf_fixture.c kernel/proc/sys_perf.c \
	kernel/fs/files.c kernel/fs/file.c

HOST_TESTS += test_files test_seq
test_files_SRC := kernel/fs/files.c kernel/fs/file.c
test_seq_SRC := kernel/fs/seq.c kernel/fs/file.c
HOST_TESTS += test_mutex
test_mutex_CFLAGS := -pthread
HOST_TESTS += test_record
test_record_SRC := $(PERF_SRC) tests/host/perf_fixture.c
HOST_TESTS += test_permission
test_permission_SRC := $(PERF_SRC) tests/host/perf_fixture.c
HOST_TESTS += test_group test_schedule test_turns test_swap test_handler
test_swap_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_turns_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_handler_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_group_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_schedule_SRC := $(PERF_SRC) tests/host/perf_fixture.c
HOST_TESTS += test_events test_inherit test_moves test_sample_state
HOST_TESTS += test_frequency
test_frequency_SRC := kernel/perf/frequency.c
test_frequency_CFLAGS := -lm
HOST_TESTS += test_lost_samples
test_lost_samples_SRC := $(PERF_SRC) tests/host/perf_fixture.c
HOST_TESTS += test_meanwhile
# Of the ring's it has one function of its own.
test_meanwhile_CFLAGS := -Wl,--allow-multiple-definition
test_meanwhile_SRC := $(PERF_SRC) tests/host/perf_fixture.c
HOST_TESTS += test_limit test_throttle test_clockid test_control_page test_exclude_idle
test_exclude_idle_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_control_page_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_clockid_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_throttle_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_limit_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_moves_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_sample_state_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_events_SRC := $(PERF_SRC) tests/host/perf_fixture.c
test_inherit_SRC := $(PERF_SRC) tests/host/perf_fixture.c

HOST_TESTS += test_fdt test_board
test_fdt_SRC := boot/fdt.c
test_board_CFLAGS := -Itests/host/arm
test_board_SRC := boot/fdt.c boot/fdt_boot.c boot/board.c boot/atags.c boot/ram.c boot/cmdline.c

HOST_TESTS += test_ehabi test_recipe test_frame_repair
test_ehabi_SRC := arch/arm/common/ehabi.c arch/arm/common/recipe.c
test_ehabi_CFLAGS := -Iarch/arm/common
test_recipe_SRC := arch/arm/common/ehabi.c arch/arm/common/recipe.c
test_recipe_CFLAGS := -Iarch/arm/common
test_frame_repair_SRC := arch/arm/common/frame_repair.c arch/arm/common/ehabi.c arch/arm/common/recipe.c
test_frame_repair_CFLAGS := -Iarch/arm/common

# Drivers on models of their devices; their files are included, for what is static in them.
ARM_DRIVER_TESTS := test_gicv2 test_bcm2836 test_pl011 test_generic_timer test_virtio_mmio
HOST_TESTS += $(ARM_DRIVER_TESTS)
$(foreach t,$(ARM_DRIVER_TESTS),$(eval $(t)_CFLAGS := -Itests/host/mmio -Itests/host/arm \
	-idirafter arch/arm/common/include -idirafter arch/arm/v7a/include))
test_virtio_mmio_SRC := drivers/bus/virtio_ring.c
HOST_TESTS += test_screen
test_screen_SRC := drivers/video/font.c boot/cmdline.c
test_screen_CFLAGS := -Itests/host/mmio

HOST_TESTS += test_asid
test_asid_CFLAGS := -Itests/host/arm -idirafter arch/arm/v7a/include

HOST_TESTS += test_lock_order
test_lock_order_SRC := kernel/debug/check/lock_order.c

HOST_TESTS += test_divide
test_divide_SRC := user/libc/arm/divide.c

HOST_TESTS += test_skew
test_skew_SRC := kernel/smp/skew.c
test_skew_CFLAGS := -Itests/host/skew

HOST_TESTS += test_stat
test_stat_SRC := user/perf/stat_print.c user/perf/count.c
test_stat_CFLAGS := -Wl,--no-as-needed -lm
HOST_TESTS += test_x86_breakpoint
test_x86_breakpoint_CFLAGS := -Itests/host/x86_64 -idirafter arch/x86_64/include
HOST_TESTS += test_v7a_breakpoint
test_v7a_breakpoint_SRC := arch/arm/common/byte_select.c
test_v7a_breakpoint_CFLAGS := -Itests/host/v7a -idirafter arch/arm/v7a/include -idirafter arch/arm/common/include
HOST_TESTS += test_v7a_step
test_v7a_step_SRC := arch/arm/v7a/access.c
test_v7a_step_CFLAGS := -idirafter arch/arm/v7a/include

HOST_TESTS += test_reserve
test_reserve_SRC := $(BREAKPOINT_SRC)
HOST_TESTS += test_breakpoint
test_breakpoint_SRC := $(BREAKPOINT_SRC)
HOST_TESTS += test_breakpoint_event
test_breakpoint_event_SRC := $(filter-out %/breakpoint_pmu.c,$(PERF_SRC)) tests/host/perf_fixture.c

HOST_TESTS += test_arm64_breakpoint test_arm64_frame_repair
test_arm64_breakpoint_SRC := arch/arm/common/byte_select.c
test_arm64_breakpoint_CFLAGS := -Itests/host/arm64 -idirafter arch/arm64/include -idirafter arch/arm/common/include
test_arm64_frame_repair_SRC := arch/arm64/frame_repair.c
test_arm64_frame_repair_CFLAGS := -Iarch/arm64
