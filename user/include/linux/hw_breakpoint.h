/* SPDX-License-Identifier: MIT */
/* The documented name of what breakpoint events watch. */
#pragma once

#include <uapi/hw_breakpoint.h>
