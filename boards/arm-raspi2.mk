# SPDX-License-Identifier: MIT
# Raspberry Pi 2 Model B v1.1 (BCM2836, Cortex-A7); as QEMU models it, always four processors and
# 1 GiB. `make sdcard` for a real one.
ARCH          := arm/v7a
LINKER        := linker/arm_v7a.ld
LOAD_ADDRESS  := 0x8000
HANDOVER      := fdt fdt_boot board atags
DRIVERS       := irq/bcm2836 timer/arm_generic_timer serial/pl011 export/bcm2835_mini_uart \
		 export/semihosting
GDB           := gdb-multiarch
QEMU          := qemu-system-arm
QEMU_BOARD    := -M raspi2b -semihosting-config enable=on,target=native
QEMU_MEM      := 1024
QEMU_SMP      := 4
# QEMU hands archive and command line to a raw image only.
QEMU_IMAGE    := bin
EXPORTS       := semihosting uart
EXPORT_uart   := -serial file:@STREAM@
EXPORT_ARGS_semihosting := export=@STREAM@
SDCARD_CONFIG := kernel=kernel7.img|initramfs archive.cpio followkernel|enable_uart=1|init_uart_clock=48000000
