/* SPDX-License-Identifier: MIT */
/* 64-bit division as C functions. */
#pragma once

#include <stdint.h>

uint64_t divide_unsigned(uint64_t n, uint64_t d, uint64_t *remainder);
int64_t divide_signed(int64_t n, int64_t d, int64_t *remainder);
