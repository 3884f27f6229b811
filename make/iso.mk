# SPDX-License-Identifier: MIT
# An ISO image for a CD or a USB stick, from which GRUB starts the kernel, by BIOS and by UEFI. What
# boards it is for, their BOOT_iso says.
$(call needs,BOOT_iso,iso,ISO image)

ISO := $(OUT)/hotregs.iso
ISO_MENU_SECONDS := 3

# The command line is in it: made anew whenever it is asked for.
iso: $(KERNEL) $(ARCHIVE)
	$(call say,ISO,$(ISO))
	$(Q)python3 tools/mkiso.py --timeout $(ISO_MENU_SECONDS) --command "$$CONSOLE_COMMAND" \
		$(ISO) $(KERNEL) $(ARCHIVE)
	@echo "On a USB stick: dd if=$(ISO) of=/dev/sdX bs=1M conv=fsync, where /dev/sdX is the stick, all of" \
		"which is overwritten. Console: COM1, 115200 baud."

.PHONY: iso
