/* SPDX-License-Identifier: MIT */
/* x86_64's own, before the one that other host tests have. */
#pragma once

#include "../../../../arch/x86_64/include/asm/breakpoint.h"
