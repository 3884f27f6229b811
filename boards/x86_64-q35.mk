# SPDX-License-Identifier: MIT
# A newer PC: QEMU's "q35" machine. Differs from x86_64-pc in the chipset only.
ARCH        := x86_64
LINKER      := linker/x86_64.ld
HANDOVER    := pc pvh multiboot2 acpi
DRIVERS     := irq/i8259 irq/lapic irq/ioapic timer/tsc timer/hpet timer/pit timer/lapic_timer \
	       timer/cmos_rtc serial/uart16550 video/screen video/font bus/pci bus/pci_ports bus/virtio_pci \
	       bus/virtio_ring export/virtio_console export/uart_export
QEMU        := qemu-system-x86_64
# Everything that QEMU can do, or little beside x86_64 itself.
CPUS        := max qemu64
CPU         := max
QEMU_BOARD  := -M q35 -cpu @CPU@,-x2apic -device isa-debug-exit,iobase=0xf4,iosize=4
EXPORTS     := virtio uart
EXPORT_uart := -serial file:@STREAM@
EXPORT_virtio := -device virtio-serial-pci -chardev file,id=export,path=@STREAM@ \
		 -device virtconsole,chardev=export
# By GRUB: from a CD by BIOS, from a USB stick by UEFI.
BOOTS       := kernel iso uefi
BOOT_iso    := -device VGA -cdrom @ISO@
BOOT_uefi   := -bios @UEFI@ -device VGA -device qemu-xhci -drive if=none,id=stick,format=raw,readonly=on,file=@ISO@ \
	       -device usb-storage,drive=stick
# isa-debug-exit turns a written code c into the exit status 2c+1.
QEMU_STATUS := odd
