# SPDX-License-Identifier: MIT
# QEMU's "virt" machine with an ARMv7-A processor, one of CPUS.
ARCH          := arm/v7a
LINKER        := linker/arm_v7a.ld
LOAD_ADDRESS  := 0x40200000
BOARD_DEFINES := BOARD_GICD_BASE=0x08000000 BOARD_GICC_BASE=0x08010000
HANDOVER      := fdt fdt_boot board atags
DRIVERS       := irq/gic irq/gicv2 timer/arm_generic_timer timer/pl031 serial/pl011 bus/virtio_mmio \
		 bus/virtio_ring export/virtio_console export/semihosting
CPUS          := cortex-a15 cortex-a7
CPU           := cortex-a15
GDB           := gdb-multiarch
QEMU          := qemu-system-arm
QEMU_BOARD    := -M virt -cpu @CPU@ -global virtio-mmio.force-legacy=false \
		 -semihosting-config enable=on,target=native
# QEMU loads a boot archive beside a raw image only.
QEMU_IMAGE    := bin
EXPORTS       := virtio semihosting
EXPORT_virtio := -device virtio-serial-device -chardev file,id=export,path=@STREAM@ \
		 -device virtconsole,chardev=export
EXPORT_ARGS_semihosting := export=@STREAM@
# Not where U-Boot puts its script.
UBOOT_LOAD    := 0x40800000
QEMU_DISK     := -bios /usr/lib/u-boot/qemu_arm/u-boot.bin -drive if=none,format=raw,readonly=on,id=disk,file=@DISK@ \
		 -device virtio-blk-device,drive=disk
