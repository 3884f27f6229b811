# SPDX-License-Identifier: MIT
# The user's own program: APP=file.c, several files, or a directory with sources.
#
# A directory may also hold an app.mk, which says what else the program is made of, and how:
#   APP_CFLAGS      more options for its compilation
#   APP_NPM         sources of others: package@version of the npm registry, never in this tree
#   APP_NPM_SHA256  of the package's archive
#   APP_NPM_SRC     which of its files are compiled, with APP_NPM_CFLAGS and without warnings
#   APP_RECORD      the perf command under which `make run` starts the program

APP_SRC := $(foreach path,$(APP),$(or $(sort $(wildcard $(path)/*.c)),$(path)))
APP_NAME := $(basename $(notdir $(patsubst %/,%,$(firstword $(APP)))))
ifneq ($(APP),)
ifneq ($(filter-out %.c,$(APP_SRC)),)
$(error APP=$(APP): no C sources in $(filter-out %.c,$(APP_SRC)))
endif
ifneq ($(filter init perf,$(APP_NAME)),)
$(error APP=$(APP): the name $(APP_NAME) is taken by a program that every run needs)
endif
APP_ELF := $(BOARD_OUT)/user/app/$(APP_NAME)

# Where its package is unpacked, and what is compiled of it: once, as the package does not change.
APP_NPM_DIR := build/npm/$(APP_NPM)
APP_NPM_OBJ := $(APP_NPM_SRC:%.c=$(BOARD_OUT)/user/app/obj/$(APP_NPM)/%.o)
APP_INCLUDE := $(addprefix -I,$(sort $(dir $(APP_SRC)) $(dir $(APP_NPM_SRC:%=$(APP_NPM_DIR)/%))))
ifneq ($(APP_NPM),)
$(APP_NPM_SRC:%=$(APP_NPM_DIR)/%) &:
	$(call say,FETCH,$(APP_NPM))
	$(Q)tools/fetch-npm.sh $(APP_NPM) $(APP_NPM_SHA256) $(APP_NPM_DIR)

$(APP_NPM_OBJ): $(BOARD_OUT)/user/app/obj/$(APP_NPM)/%.o: $(APP_NPM_DIR)/%.c $(APP)/app.mk make/user.mk $(NEWLIB_LIBC)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(USER_CFLAGS) $(APP_NPM_CFLAGS) -w -c $< -o $@
endif

APP_COMPILE = $(CC) $(USER_CFLAGS) -Wall $(APP_CFLAGS) $(APP_INCLUDE)
# Always compiled: which files it includes, and with which sources it was called, may have changed.
# Linked to itself only by what it is made of, so that an unchanged program leaves the archive alone.
$(APP_ELF): $(USER_CRT) $(USER_LIB) $(NEWLIB_LIBC) $(APP_NPM_OBJ) FORCE
	@mkdir -p $(@D)
	$(call say,APP,$(APP_SRC))
	$(Q)$(APP_COMPILE) $(USER_LDFLAGS) \
		-o $@.new $(USER_CRT) $(APP_SRC) $(APP_NPM_OBJ) $(USER_LIBS) || \
		{ rm -f $@.new; \
		if $(APP_COMPILE) -fsyntax-only $(APP_SRC) 2>/dev/null; \
		then echo 'APP=$(APP) does not link: the messages above name what this C library lacks (README.md tells)'; \
		else echo 'APP=$(APP) does not compile: see the messages above'; fi >&2; exit 1; }
	$(Q)cmp -s $@.new $@ && rm $@.new || mv $@.new $@
endif
