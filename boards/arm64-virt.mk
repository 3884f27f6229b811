# SPDX-License-Identifier: MIT
# QEMU's "virt" machine with a 64-bit processor, one of CPUS.
ARCH          := arm64
# Not all of the tests pass yet: `make check` leaves it out, unless it is named.
UNFINISHED    := yes
LINKER        := linker/arm64.ld
LOAD_ADDRESS  := 0x40200000
BOARD_DEFINES := BOARD_GICD_BASE=0x08000000 BOARD_GICC_BASE=0x08010000
HANDOVER      := fdt fdt_boot board atags
DRIVERS       := irq/gic irq/gicv2 irq/gicv3 timer/arm_generic_timer timer/pl031 serial/pl011 bus/virtio_mmio \
		 bus/virtio_ring export/virtio_console export/semihosting
CPUS          := cortex-a57 cortex-a72 max
CPU           := cortex-a57
GDB           := gdb-multiarch
QEMU          := qemu-system-aarch64
QEMU_BOARD    := -M virt -cpu @CPU@ -global virtio-mmio.force-legacy=false \
		 -semihosting-config enable=on,target=native
# MiB: QEMU puts the archive into the upper half of memory, and behind it, at a multiple of 2 MiB, the tree.
LEAST_MEM     := 12
# QEMU loads a boot archive beside a raw image only.
QEMU_IMAGE    := bin
EXPORTS       := virtio semihosting
EXPORT_virtio := -device virtio-serial-device -chardev file,id=export,path=@STREAM@ \
		 -device virtconsole,chardev=export
EXPORT_ARGS_semihosting := export=@STREAM@
