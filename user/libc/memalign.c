/* SPDX-License-Identifier: MIT */
/* posix_memalign(), which newlib's aligned_alloc() wants and some releases do not have. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

int posix_memalign(void **result, size_t alignment, size_t size)
{
	if (alignment < sizeof(void *) || (alignment & (alignment - 1)))
		return EINVAL;
	*result = memalign(alignment, size);
	return *result ? 0 : ENOMEM;
}
