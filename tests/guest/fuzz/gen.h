/* SPDX-License-Identifier: MIT */
/*
 * Generators: each makes one argument, mostly one that a call can do something with. A row of
 * calls.c names one for every argument; the ones that it names last may look at what was made
 * before them.
 */
#pragma once

#include "fuzz.h"

/* An address or number that some check has to refuse, or nearly so. */
unsigned long hostile_word(void);

/* --- Memory: a buffer to read from or write to --- */
unsigned long gen_in(struct op *op);  /* bytes of any kind */
unsigned long gen_out(struct op *op); /* a gen_size() after it says how many */
unsigned long gen_size(struct op *op);
/* @n bytes that the call writes, or reads; NULL-safe for neither. */
unsigned long out_bytes(struct op *op, size_t n);
void *in_bytes(size_t n);
/* Now and then another address than that of @p, whose contents are wanted. */
unsigned long in_or_hostile(const void *p);
unsigned long gen_map_addr(struct op *op);
unsigned long gen_map_len(struct op *op);
unsigned long gen_brk(struct op *op);

/* --- Descriptors and paths --- */
/* One that is open, of @wanted kind when there is one (FD_NONE: of any); -1. */
unsigned long any_fd(enum fd_kind wanted);
unsigned long gen_fd(struct op *op);
unsigned long gen_fd_write(struct op *op); /* one that can be written to */
unsigned long gen_fd_dir(struct op *op);
unsigned long gen_fd_free(struct op *op); /* one that may well be closed */
unsigned long gen_path(struct op *op);
unsigned long gen_tmp_path(struct op *op); /* of something that may be changed */
unsigned long gen_argv(struct op *op);
unsigned long gen_envp(struct op *op);

/* --- Processes --- */
unsigned long gen_pid(struct op *op);

/* --- Of no type --- */
unsigned long gen_word(struct op *op);
unsigned long gen_short_time(struct op *op); /* a struct uapi_timespec */
unsigned long gen_small(struct op *op);
