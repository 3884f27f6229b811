/* SPDX-License-Identifier: MIT */
/*
 * Writing a pipe-mode stream: a 16-byte header, then records that explain themselves. Only whole
 * records are written, so that what is there can be read whenever the writer dies.
 */
#include "perf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define EXPORT_DEVICE "/dev/export"

int stream_open(struct stream *s, const char *path)
{
	const uint64_t header[2] = {STREAM_MAGIC, sizeof(header)};

	if (!path)
		path = access(EXPORT_DEVICE, W_OK) == 0 ? EXPORT_DEVICE : "perf.pipe";
	s->path = path;
	s->bytes = 0;
	s->fd = strcmp(path, "-") == 0 ? STDOUT_FILENO
				       : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (s->fd < 0 && errno == EBUSY)
		return error(
		    "%s: one stream leaves the machine each boot, and this boot's has begun; use -o "
		    "FILE, or -o - | perf script",
		    path);
	if (s->fd < 0)
		return error("%s: %s", path, strerror(errno));
	if (s->fd == STDOUT_FILENO && isatty(s->fd))
		return error("a stream is not written to a terminal");
	return stream_write(s, header, sizeof(header));
}

int stream_write(struct stream *s, const void *data, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t written = write(s->fd, (const char *)data + done, n - done);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return error("%s: %s", s->path, written ? strerror(errno) : "full");
		done += written;
	}
	s->bytes += n;
	return 0;
}

void record_begin(struct record *r, uint32_t type, uint16_t misc)
{
	r->header = (struct perf_event_header){.type = type, .misc = misc};
	r->size = sizeof(r->header);
	r->overflow = false;
}

void record_bytes(struct record *r, const void *data, size_t n)
{
	if (n > sizeof(r->bytes) - r->size) {
		r->overflow = true;
		return;
	}
	memcpy(r->bytes + r->size, data, n);
	r->size += n;
}

void record_u32(struct record *r, uint32_t v)
{
	record_bytes(r, &v, sizeof(v));
}

void record_u64(struct record *r, uint64_t v)
{
	record_bytes(r, &v, sizeof(v));
}

void record_string(struct record *r, const char *text)
{
	const uint64_t zero = 0;
	size_t n = strlen(text) + 1;

	record_bytes(r, text, n);
	record_bytes(r, &zero, -n & 7);
}

/* {pid, tid}, time 0, {cpu, 0}, identifier 0: the order is that of sample_type; zeroes do for all.
 */
void record_trailer(struct record *r)
{
	for (int i = 0; i < 4; i++)
		record_u64(r, 0);
}

int record_write(struct record *r, struct stream *s)
{
	const uint64_t zero = 0;

	record_bytes(r, &zero, -r->size & 7);
	if (r->overflow)
		return error("a record of type %" PRIu32 " is too long", r->header.type);
	r->header.size = r->size;
	return stream_write(s, r->bytes, r->size);
}
