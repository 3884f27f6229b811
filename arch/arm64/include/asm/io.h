/* SPDX-License-Identifier: MIT */
/* AArch64 part of arch/io.h: Device memory keeps the order of its own accesses; nothing to add. */
#pragma once
