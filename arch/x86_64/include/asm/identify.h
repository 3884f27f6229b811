/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/identify.h. */
#pragma once

#define ARCH_NAME "x86_64"
