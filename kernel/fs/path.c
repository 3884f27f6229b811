/* SPDX-License-Identifier: MIT */
/* Path arithmetic: from what a program wrote to one absolute name without detours. */
#include <hotregs/fs.h>
#include <hotregs/string.h>

/* A path being built: "" stands for the root until the end. */
struct builder {
	char *out;
	size_t len, size;
};

static void remove_last(struct builder *b)
{
	while (b->len && b->out[--b->len] != '/')
		;
}

static int append(struct builder *b, const char *name, size_t n)
{
	if (n >= b->size - b->len - 1)
		return -ENAMETOOLONG;
	b->out[b->len++] = '/';
	memcpy(b->out + b->len, name, n);
	b->len += n;
	return 0;
}

/* Appends the components of @path; 0, 1 when the last one can only be a directory, -errno. */
static int append_all(struct builder *b, const char *path)
{
	int only_dir = 0, err;

	while (*path) {
		const char *end = strchr(path, '/');
		size_t n = end ? (size_t)(end - path) : strlen(path);

		only_dir = 1;
		if (n == 2 && path[0] == '.' && path[1] == '.') {
			remove_last(b);
		} else if (n && !(n == 1 && path[0] == '.')) {
			err = append(b, path, n);
			if (err)
				return err;
			only_dir = end != NULL;
		}
		path += n + (end != NULL);
	}
	return only_dir;
}

int path_resolve(const char *cwd, const char *path, char *out, size_t size)
{
	struct builder b = {out, 0, size};
	int ret;

	if (!*path)
		return -ENOENT;
	if (*path != '/') {
		ret = append_all(&b, cwd);
		if (ret < 0)
			return ret;
	}
	ret = append_all(&b, path);
	if (ret < 0)
		return ret;
	if (!b.len)
		out[b.len++] = '/';
	out[b.len] = '\0';
	return ret;
}
