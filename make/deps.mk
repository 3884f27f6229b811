# SPDX-License-Identifier: MIT
# The dependency step: before anything but the board is read, the packages that the goals need are there.
# $(READY) is empty for goals that need no tool.

DEPS_GOALS_none := help clean distclean
DEPS_GOALS_test := mutants check check-board test tests verify verify-board verify-%
DEPS_GOALS_parsers := fuzz-parsers fuzz-parser-% $(DEPS_GOALS_test)
DEPS_GOALS_run := run run-uboot report bench fuzz $(DEPS_GOALS_test)
DEPS_GOALS_check := host-tests host-test-% $(DEPS_GOALS_parsers)
DEPS_GOALS_debug := debug $(DEPS_GOALS_test)
DEPS_GOALS_format := format format-check
DEPS_GOALS_uboot := uboot run-uboot $(DEPS_GOALS_test)
DEPS_GOALS_models := models verify
DEPS_GOALS_chroot := verify chroot-check
DEPS_GOALS_iso := iso $(DEPS_GOALS_test) $(if $(filter iso uefi bochs,$(BOOT)),run bench)
DEPS_GOALS_uefi := $(DEPS_GOALS_test) $(if $(filter uefi,$(BOOT)),run bench)
DEPS_GOALS_bochs := $(DEPS_GOALS_test) $(if $(filter bochs,$(BOOT)),run bench)
# Another npm than Debian's will do. Programs whose sources it brings are in the long tests.
DEPS_GOALS_npm := $(if $(shell command -v npm),,$(if $(APP_NPM),$(DEPS_GOALS_run) all programs archive debug iso) \
	verify verify-board verify-%)

GOALS := $(filter-out $(DEPS_GOALS_none),$(or $(MAKECMDGOALS),all))
DEPS_USES := $(if $(GOALS),build $(foreach use,run check parsers models debug chroot format uboot iso uefi bochs npm,\
	$(if $(filter $(DEPS_GOALS_$(use)),$(GOALS)),$(use))))
# What is about every board wants the packages of each at once.
DEPS_FAMILIES := $(if $(filter verify mutants,$(GOALS))$(if $(BOARD_NAMED),,$(filter check,$(GOALS))),$(FAMILIES),$(ARCH_FAMILY))
DEPS := $(foreach use,$(DEPS_USES),$(use) $(DEPS_FAMILIES:%=$(use)-%))

# A stamp for each set of uses, so that the question is asked once. By number: the names of all are too long for one.
empty :=
DEPS_STAMP := build/deps/$(if $(DEPS),$(firstword $(shell echo '$(strip $(DEPS))' | cksum)))
READY := $(if $(DEPS),$(shell [ $(DEPS_STAMP) -nt make/packages.txt ] || \
	{ tools/deps.sh $(DEPS) >&2 && mkdir -p build/deps && touch $(DEPS_STAMP); } && echo yes))
$(if $(DEPS),$(if $(READY),,$(error the packages named above are needed)))
