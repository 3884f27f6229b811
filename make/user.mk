# SPDX-License-Identifier: MIT
# The programs, and the boot archive that holds them.
#
# A program is a directory of C files (user/init, user/workloads/demo) or one file of user/tools or
# user/workloads. build/<board>/user/ keeps it with debugging information, for the host's perf and
# gdb; the archive holds a copy that has only its symbol table, which perf script in the guest reads.

# The compiler's own headers; some compilers have <limits.h> apart.
USER_INCLUDE := $(foreach dir,include include-fixed,$(addprefix -isystem ,$(wildcard \
	$(shell $(CC) -print-file-name=$(dir)))))

# As in the kernel: every frame, every caller, and no function under another name. Debugging
# information, and with it the build id, does not tell in which directory it was made.
USER_CFLAGS := -std=gnu17 -O2 -g -nostdinc $(USER_INCLUDE) \
	-isystem user/include -isystem $(NEWLIB)/include -Iinclude \
	-fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-ipa-sra -fno-ipa-cp -fno-ipa-icf \
	-fno-partial-inlining -fno-stack-protector -fno-pic -fno-pie -ffunction-sections -fdata-sections \
	-ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(NEWLIB)=newlib
# The compiler is the host's, and takes this for Linux, as foreign sources then would.
NOT_LINUX := -U__linux__ -U__linux -Ulinux -U__gnu_linux__
USER_CFLAGS_x86_64 := $(FRAMES_x86_64) -fcf-protection=none $(NOT_LINUX)
USER_CFLAGS_arm-v7a := $(USER_FRAMES_arm-v7a)
USER_CFLAGS_arm64 := $(USER_FRAMES_arm64) $(NOT_LINUX)
USER_CFLAGS += $(USER_MACHINE) $(USER_CFLAGS_$(ARCH_ID)) $(USER_THREADS)
# These are compiled in Thumb state, so that chains in which the states mix are nothing rare.
USER_THUMB_arm-v7a := user/workloads/pingpong user/workloads/demo/sleeper tests/guest/user/callback
# Ours are held to more than a stranger's.
USER_WARNINGS := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror

USER_LDFLAGS := -nostdlib -static -no-pie -Wl,--build-id=sha1 -Wl,--gc-sections \
	-Wl,-z,separate-code -Wl,-z,max-page-size=4096 -Wl,-z,noexecstack -Wl,--no-warn-execstack
# The first pages are no program's: pointers gone wrong point there. The odd start leaves room for the
# file's header, which threads look into for their data; x86_64's linker script leaves it by itself.
USER_LDFLAGS_arm-v7a := $(USER_MACHINE) -Wl,-Ttext-segment=0x10000 -Wl,--section-start=.note.gnu.build-id=0x10200
USER_LDFLAGS += $(USER_LDFLAGS_$(ARCH_ID))

USER_OBJ := $(BOARD_OUT)/user/obj
USER_LIB := $(USER_OBJ)/libsys.a
USER_CRT := $(USER_OBJ)/user/libc/$(ARCH_FAMILY)/crt0.o
# What every link ends with: all of the glue comes first, so that its functions are the ones taken,
# not some that newlib has under the same names. What is not needed is thrown out again.
USER_LIBS := -Wl,--whole-archive $(USER_LIB) -Wl,--no-whole-archive \
	-Wl,--start-group $(NEWLIB)/lib/libc.a $(NEWLIB)/lib/libm.a -lgcc -Wl,--end-group

$(USER_OBJ)/%.o: %.c $(NEWLIB_LIBC)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(USER_CFLAGS) $(USER_WARNINGS) -Iuser/libc/$(ARCH_FAMILY) -MD -MP -c $< -o $@

$(USER_OBJ)/%.o: %.S
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) $(USER_CFLAGS) -MD -MP -c $< -o $@

$(USER_THUMB_$(ARCH_ID):%=$(USER_OBJ)/%.o): USER_CFLAGS += -mthumb

# Or the compiler would see what they do, and call them for it.
$(USER_OBJ)/user/libc/arm/string.o: USER_CFLAGS += -fno-builtin -fno-tree-loop-distribute-patterns

USER_LIB_SRC := $(sort $(wildcard user/libc/*.c user/libc/$(ARCH_FAMILY)/*.[cS]))
USER_LIB_OBJ := $(filter-out $(USER_CRT),$(patsubst %,$(USER_OBJ)/%.o,$(basename $(USER_LIB_SRC))))
$(USER_LIB): $(USER_LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(CROSS)ar rcsD $@ $(USER_LIB_OBJ)

# --- Programs of ours ---
USER_DIRS := $(patsubst %/,%,$(sort $(dir $(wildcard user/init/*.c user/perf/*.c user/bench/*.c \
	user/sh/*.c user/workloads/*/*.c))))
USER_FILES := $(sort $(wildcard user/tools/*.c user/workloads/*.c))
USER_PROGRAMS := $(notdir $(USER_DIRS)) $(notdir $(USER_FILES:.c=))

# $(call program_objects,directory or file.c)
program_objects = $(patsubst %.c,$(USER_OBJ)/%.o,$(or $(sort $(wildcard $(1)/*.c)),$(1)))
define program_rule
$(BOARD_OUT)/user/$(notdir $(1:.c=)): $(call program_objects,$(1))
USER_ALL_OBJ += $(call program_objects,$(1))
endef
$(foreach program,$(USER_DIRS) $(USER_FILES),$(eval $(call program_rule,$(program))))

$(USER_PROGRAMS:%=$(BOARD_OUT)/user/%): $(USER_CRT) $(USER_LIB) $(NEWLIB_LIBC)
	$(call say,LD,$@)
	$(Q)$(CC) $(USER_LDFLAGS) -o $@ $(filter %.o,$^) $(USER_LIBS)

include make/app.mk

# Every program that is in the archive, with debugging information.
PROGRAM_ELFS := $(patsubst %,$(BOARD_OUT)/user/%,$(filter-out $(APP_NAME),$(USER_PROGRAMS))) $(APP_ELF)

programs: $(PROGRAM_ELFS)

# --- The archive ---
ARCHIVE := $(BOARD_OUT)/archive.cpio
ARCHIVE_BIN := $(PROGRAM_ELFS:$(BOARD_OUT)/user/%=$(BOARD_OUT)/root/%)

$(ARCHIVE_BIN): $(BOARD_OUT)/root/%: $(BOARD_OUT)/user/%
	@mkdir -p $(@D)
	$(Q)$(OBJCOPY) --strip-debug $< $@

# A change of the list alone (another APP) makes another archive too.
$(BOARD_OUT)/archive.list: FORCE
	@mkdir -p $(@D)
	@echo '$(ARCHIVE_BIN)' | cmp -s - $@ || echo '$(ARCHIVE_BIN)' > $@

$(ARCHIVE): $(ARCHIVE_BIN) $(BOARD_OUT)/archive.list tools/mkcpio.py
	$(call say,CPIO,$@)
	$(Q)python3 tools/mkcpio.py $@ $(foreach file,$(ARCHIVE_BIN),bin/$(notdir $(file))=$(file))

archive: $(ARCHIVE)
.PHONY: programs archive FORCE

-include $(USER_LIB_OBJ:.o=.d) $(USER_CRT:.o=.d) $(USER_ALL_OBJ:.o=.d)
