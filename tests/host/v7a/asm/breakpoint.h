/* SPDX-License-Identifier: MIT */
/* ARMv7-A's own, before the one that other host tests have. */
#pragma once

#include "../../../../arch/arm/v7a/include/asm/breakpoint.h"
