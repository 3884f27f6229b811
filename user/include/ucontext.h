/* SPDX-License-Identifier: MIT */
/* The type alone: there is no getcontext() and no makecontext(). */
#pragma once

#include <sys/ucontext.h>
