/* SPDX-License-Identifier: MIT */
/* x86_64's own, before the one that the host's headers have. */
#pragma once

#include "../../../../arch/x86_64/include/asm/debugreg.h"
