/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of arch/identify.h. */
#pragma once

#define ARCH_NAME "armv7l"
