# SPDX-License-Identifier: MIT
# The dependency step: before anything but the board is read, the packages that the goals need are there.
# $(READY) is empty for goals that need no tool.

DEPS_GOALS_none := help clean distclean
DEPS_GOALS_run := run run-uboot bench check test tests verify verify-%
DEPS_GOALS_check := check test tests verify verify-% host-tests host-test-%
DEPS_GOALS_debug := debug check test verify verify-%
DEPS_GOALS_format := format format-check
DEPS_GOALS_uboot := uboot run-uboot

GOALS := $(filter-out $(DEPS_GOALS_none),$(or $(MAKECMDGOALS),all))
DEPS_USES := $(if $(GOALS),build $(foreach use,run check debug format uboot,\
	$(if $(filter $(DEPS_GOALS_$(use)),$(GOALS)),$(use))))
DEPS := $(foreach use,$(DEPS_USES),$(use) $(use)-$(ARCH_FAMILY))

# A stamp for each set of uses, so that the question is asked once.
empty :=
DEPS_STAMP := build/deps/$(subst $(empty) $(empty),+,$(strip $(DEPS)))
READY := $(if $(DEPS),$(shell [ $(DEPS_STAMP) -nt make/packages.txt ] || \
	{ tools/deps.sh $(DEPS) >&2 && mkdir -p build/deps && touch $(DEPS_STAMP); } && echo yes))
$(if $(DEPS),$(if $(READY),,$(error the packages named above are needed)))
