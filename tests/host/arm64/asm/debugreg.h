/* SPDX-License-Identifier: MIT */
/* AArch64's own, before the one that other host tests have. */
#pragma once

#include "../../../../arch/arm64/include/asm/debugreg.h"
