/* SPDX-License-Identifier: MIT */
/* Thread-local data: what the program's header says of them, and their place beside a stack. */
#include "thread.h"

#include <elf.h>
#include <string.h>

#define STACK_ALIGN 16

#ifdef __LP64__
typedef Elf64_Ehdr elf_header;
typedef Elf64_Phdr elf_segment;
#else
typedef Elf32_Ehdr elf_header;
typedef Elf32_Phdr elf_segment;
#endif

/* The program's header: the linker says where the first segment has it. */
extern const elf_header __ehdr_start;

/* What a thread's data begin as: @filled bytes of @image, then zeroes. */
struct template
{
	const char *image;
	size_t filled, size, align;
};

static struct template find_template(void)
{
	const char *header = (const char *)&__ehdr_start;
	const elf_segment *segment = (const elf_segment *)(header + __ehdr_start.e_phoff);

	for (int i = 0; i < __ehdr_start.e_phnum; i++, segment++)
		if (segment->p_type == PT_TLS)
			return (struct template){(const char *)(uintptr_t)segment->p_vaddr,
						 segment->p_filesz, segment->p_memsz,
						 segment->p_align ? segment->p_align : 1};
	return (struct template){.align = 1};
}

static size_t pointer_align(const struct template *t)
{
	return t->align > STACK_ALIGN ? t->align : STACK_ALIGN;
}

size_t tls_space(void)
{
	struct template t = find_template();
	struct tls_layout layout = tls_layout(t.size, t.align);

	return layout.below + layout.above + pointer_align(&t) + STACK_ALIGN;
}

struct pthread *tls_init(char *top, char **sp)
{
	struct template t = find_template();
	struct tls_layout layout = tls_layout(t.size, t.align);
	uintptr_t align = pointer_align(&t);
	char *tp = (char *)(((uintptr_t)top - layout.above) & -align);

	if (t.size) {
		memcpy(tp + layout.data, t.image, t.filled);
		memset(tp + layout.data + t.filled, 0, t.size - t.filled);
	}
	*sp = (char *)((uintptr_t)(tp - layout.below) & -(uintptr_t)STACK_ALIGN);
	return (struct pthread *)(tp + layout.self);
}

uintptr_t tls_pointer(const struct pthread *thread)
{
	return (uintptr_t)thread - tls_layout(0, 1).self;
}

void tls_start(char *space)
{
	size_t size = tls_space();
	struct pthread *self;
	char *sp;

	self = tls_init(space + size, &sp);
	*self = (struct pthread){.self = self, .reent = _impure_ptr};
	raw_syscall3(SYS_thread_set_tls, tls_pointer(self), 0, 0);
}
