/* SPDX-License-Identifier: MIT */
/* Architecture contract: what this architecture is called. */
#pragma once

/* ARCH_NAME: as uname -m says it. */
#include <asm/identify.h>
