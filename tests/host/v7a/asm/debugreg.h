/* SPDX-License-Identifier: MIT */
/* ARMv7-A's own, before the one that the host's headers have. */
#pragma once

#include "../../../../arch/arm/v7a/include/asm/debugreg.h"
