/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of arch/io.h: Device memory keeps the order of its own accesses; nothing to add. */
#pragma once
