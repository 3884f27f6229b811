/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/unwind.h: nothing inline. */
#pragma once
