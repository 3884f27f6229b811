/* SPDX-License-Identifier: MIT */
/* AArch64 part of arch/identify.h. */
#pragma once

#define ARCH_NAME "aarch64"
