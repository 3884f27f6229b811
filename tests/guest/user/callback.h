/* SPDX-License-Identifier: MIT */
/* A way through the C library and back into the program. */
#pragma once

/* Sorts two numbers with a comparison that calls @leaf: callback_sort, qsort, compare, @leaf. */
void callback_sort(void (*leaf)(void));
/* Calls @leaf, which must not return, with its last instruction. */
void callback_for_good(void (*leaf)(void));
