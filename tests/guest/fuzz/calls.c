/* SPDX-License-Identifier: MIT */
/* The rows by number; what is done with a number that has none. */
#include "calls.h"

const struct call *calls[NR_SYSCALLS];

const struct call unknown_call = {
    .weight = 8,
    .resync = true,
    ARGS(gen_fd, gen_in, gen_small, gen_out, gen_word, gen_word),
    .done = value,
};

/* The linker brackets the section for us. */
extern const struct call __start_fuzz_calls[], __stop_fuzz_calls[];

void calls_init(void)
{
	for (const struct call *call = __start_fuzz_calls; call < __stop_fuzz_calls; call++)
		calls[call->nr] = call;
}
