/* SPDX-License-Identifier: MIT */
/* A way through the C library and back into the program. */
#pragma once

/* Sorts two numbers with a comparison that calls @leaf: callback_sort, qsort, compare, @leaf. */
void callback_sort(void (*leaf)(void));
