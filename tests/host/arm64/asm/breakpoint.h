/* SPDX-License-Identifier: MIT */
/* ARM's own, before the one that other host tests have. */
#pragma once

#include "../../../../arch/arm/common/include/asm/breakpoint.h"
