# SPDX-License-Identifier: MIT
# Images for boot loaders of ARM boards. What a board has, its file says:
#   UBOOT_LOAD     where U-Boot shall put the kernel, any multiple of 4 KiB
#   QEMU_DISK      QEMU's arguments for a machine that boots from the disk @DISK@
#   SDCARD_CONFIG  config.txt of the Raspberry Pi's firmware, its lines separated by "|"

# $(call needs,VARIABLE,GOALS,WHAT): these goals are for boards that have the variable.
needs = $(if $(filter $(2),$(MAKECMDGOALS)),$(if $($(1)),,$(error BOARD=$(BOARD) has no $(3); there are: \
	$(patsubst boards/%.mk,%,$(shell grep -l '^$(1) ' boards/*.mk)))))
$(call needs,UBOOT_LOAD,uboot run-uboot,U-Boot image)
$(call needs,SDCARD_CONFIG,sdcard,SD card)

UBOOT_OUT := $(OUT)/uboot
UBOOT_DISK := $(OUT)/uboot.img
UBOOT_FILES := $(addprefix $(UBOOT_OUT)/,boot.scr hotregs.ub archive.ub)
MKIMAGE := mkimage -A arm -C none

$(UBOOT_OUT)/hotregs.ub: $(KERNEL:.elf=.bin)
	@mkdir -p $(@D)
	$(call say,UIMAGE,$@)
	$(Q)$(MKIMAGE) -O linux -T kernel -a $(UBOOT_LOAD) -e $(UBOOT_LOAD) -n hotregs -d $< $@ >/dev/null

$(UBOOT_OUT)/archive.ub: $(ARCHIVE)
	@mkdir -p $(@D)
	$(call say,UIMAGE,$@)
	$(Q)$(MKIMAGE) -O linux -T ramdisk -n archive -d $< $@ >/dev/null

# What the kernel is told of the export channel, where that is more than QEMU's machine shows.
UBOOT_EXPORT = $(subst @STREAM@,$(OUT)/perf.pipe,$(EXPORT_ARGS_$(or $(EXPORT),$(firstword $(EXPORTS)))))

# U-Boot's own copy of the tree that QEMU made is at $fdt_addr; it adds archive and command line.
define UBOOT_SCRIPT
load virtio 0:1 0x42000000 hotregs.ub
load virtio 0:1 0x44000000 archive.ub
setenv bootargs '$(strip $(UBOOT_EXPORT) --) $(RUN_COMMAND)'
bootm 0x42000000 0x44000000 $${fdt_addr}
endef
export UBOOT_SCRIPT

# The command line is in it: made anew whenever that may be another one.
$(UBOOT_OUT)/boot.scr: always
	@case "$$RUN_COMMAND" in *\'*) echo "CMD=$$RUN_COMMAND: no ' in a boot script" >&2; exit 1;; esac
	@mkdir -p $(@D)
	@printf '%s\n' "$$UBOOT_SCRIPT" >$(@:.scr=.cmd)
	$(Q)$(MKIMAGE) -T script -n hotregs -d $(@:.scr=.cmd) $@ >/dev/null

# A disk with one FAT partition, 1 MiB from its start.
$(UBOOT_DISK): $(UBOOT_FILES)
	$(call say,DISK,$@)
	@rm -f $@ && truncate -s 64M $@
	$(Q)echo 'start=2048, type=c, bootable' | sfdisk -q $@
	$(Q)mkfs.vfat --offset 2048 -n HOTREGS $@ 64512 >/dev/null
	$(Q)mcopy -i $@@@1M $(UBOOT_FILES) ::

uboot: $(UBOOT_DISK)

# Through U-Boot's own start, from that disk.
RUN_UBOOT := $(QEMU_RUN) $(if $(EXPORT),--export $(EXPORT)) --timeout '$(TIMEOUT)' --log $(OUT)/console.log \
	--disk $(UBOOT_DISK)
run-uboot: run-check uboot
	@printf '  RUN     %s, by U-Boot\n' "$$RUN_COMMAND"
	$(call run_and_report,$(RUN_UBOOT))

# The export channel of a real board has no pins of its own.
SDCARD := $(OUT)/sdcard
sdcard: $(KERNEL:.elf=.bin) $(ARCHIVE)
	$(call say,SDCARD,$(SDCARD))
	@rm -rf $(SDCARD) && mkdir -p $(SDCARD)
	$(Q)cp $(KERNEL:.elf=.bin) $(SDCARD)/kernel7.img
	$(Q)cp $(ARCHIVE) $(SDCARD)/archive.cpio
	$(Q)echo '$(SDCARD_CONFIG)' | tr '|' '\n' >$(SDCARD)/config.txt
	$(Q)printf '%s\n' "-- $$CONSOLE_COMMAND" >$(SDCARD)/cmdline.txt
	@echo "Copy $(SDCARD)/* onto the card's FAT partition, beside the firmware's bootcode.bin," \
		"start.elf, fixup.dat and bcm2709-rpi-2-b.dtb. Console: 115200 baud, pins 8 and 10."

always:
.PHONY: uboot run-uboot sdcard always
