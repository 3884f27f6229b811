/* SPDX-License-Identifier: MIT */
/* Tables that boot/head.S made, by link address: the root, and what shows the image by 2 MiB. */
#pragma once

#include <hotregs/types.h>

extern u64 boot_root[], boot_image_l2[];
