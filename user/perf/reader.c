/* SPDX-License-Identifier: MIT */
/*
 * Reading a pipe-mode stream from anybody: sizes are checked, an end in mid-record is an end.
 * Records of several rings arrive ring by ring; a FINISHED_ROUND promises that nothing older than
 * the round before it will follow, so everything up to there can be sorted by time and handed out.
 */
#include "perf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct queued {
	uint64_t time, sequence;
	struct perf_event_header *record;
};

struct reader {
	FILE *file;
	const char *path;
	uint64_t (*time)(const struct perf_event_header *h);
	enum { READING, ENDED, MALFORMED } state;
	struct perf_event_header *current; /* handed out last, to be freed */
	struct queued *queue;              /* the first nr_ready are sorted and due */
	size_t nr, capacity, next, nr_ready;
	uint64_t sequence, newest, previous_newest;
	uint8_t buf[UINT16_MAX + 1] __attribute__((aligned(8)));
};

/* Reads all of @n bytes; false at the end, which a partial read makes an early one. */
static bool read_all(struct reader *r, void *to, size_t n)
{
	size_t got = fread(to, 1, n, r->file);

	if (got == n)
		return true;
	r->state = ENDED;
	if (got || to != r->buf)
		error("%s: the stream is cut short", r->path);
	return false;
}

struct reader *reader_open(const char *path)
{
	struct reader *r = calloc(1, sizeof(*r));
	uint64_t header[2];

	if (!r) {
		error("out of memory");
		return NULL;
	}
	if ((!path || !strcmp(path, "-")) && isatty(STDIN_FILENO)) {
		error("standard input is a terminal: name a stream with -i, or pipe one in");
		free(r);
		return NULL;
	}
	r->path = path && strcmp(path, "-") ? path : "standard input";
	r->file = path && strcmp(path, "-") ? fopen(path, "r") : stdin;
	if (!r->file) {
		error("%s: %s", path, strerror(errno));
		free(r);
		return NULL;
	}
	if (fread(header, sizeof(header), 1, r->file) == 1 && header[0] == STREAM_MAGIC &&
	    header[1] == sizeof(header))
		return r;
	error("%s: %s", r->path,
	      ferror(r->file)             ? strerror(errno)
	      : feof(r->file)             ? "empty, or too short to be a stream"
	      : header[0] == STREAM_MAGIC ? "a seekable perf.data file; only streams are read here"
					  : "not a stream that perf record wrote");
	r->state = MALFORMED;
	reader_close(r);
	return NULL;
}

void reader_set_time(struct reader *r, uint64_t (*time)(const struct perf_event_header *h))
{
	r->time = time;
}

/* Tracing data follow their record; its size does not include them. */
static bool skip_tracing_data(struct reader *r, const struct perf_event_header *h)
{
	uint32_t size;

	if (h->size < sizeof(*h) + sizeof(size)) {
		r->state = MALFORMED;
		return false;
	}
	memcpy(&size, h + 1, sizeof(size));
	for (; size; size--) {
		if (fgetc(r->file) == EOF) {
			r->state = ENDED;
			return false;
		}
	}
	return true;
}

/* The next record as it comes; NULL at the end. */
static struct perf_event_header *read_record(struct reader *r)
{
	struct perf_event_header *h = (void *)r->buf;

	if (r->state != READING || !read_all(r, r->buf, sizeof(*h)))
		return NULL;
	if (h->size < sizeof(*h) || h->type == 0 || h->type >= STREAM_TYPE_MAX) {
		error("%s: malformed record (type %" PRIu32 ", %u bytes)", r->path, h->type,
		      h->size);
		r->state = MALFORMED;
		return NULL;
	}
	if (!read_all(r, h + 1, h->size - sizeof(*h)))
		return NULL;
	if (h->type == STREAM_TRACING_DATA && !skip_tracing_data(r, h))
		return NULL;
	return h;
}

static int compare(const void *a, const void *b)
{
	const struct queued *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* Makes everything up to @limit due. */
static void sort_queue(struct reader *r, uint64_t limit)
{
	if (!r->nr)
		return;
	memmove(r->queue, r->queue + r->next, (r->nr - r->next) * sizeof(*r->queue));
	r->nr -= r->next;
	r->next = 0;
	qsort(r->queue, r->nr, sizeof(*r->queue), compare);
	for (r->nr_ready = 0; r->nr_ready < r->nr; r->nr_ready++)
		if (r->queue[r->nr_ready].time > limit)
			break;
}

static bool enqueue(struct reader *r, const struct perf_event_header *h, uint64_t time)
{
	struct perf_event_header *copy = malloc(h->size);

	if (r->nr == r->capacity) {
		size_t capacity = r->capacity ? 2 * r->capacity : 256;
		struct queued *queue = realloc(r->queue, capacity * sizeof(*queue));

		if (queue) {
			r->queue = queue;
			r->capacity = capacity;
		}
	}
	if (!copy || r->nr == r->capacity) {
		error("%s: out of memory: more records between two rounds than fit", r->path);
		free(copy);
		r->state = MALFORMED;
		return false;
	}
	memcpy(copy, h, h->size);
	r->queue[r->nr++] = (struct queued){time, r->sequence++, copy};
	if (time > r->newest)
		r->newest = time;
	return true;
}

const struct perf_event_header *reader_next(struct reader *r)
{
	free(r->current);
	r->current = NULL;
	while (r->next == r->nr_ready) {
		const struct perf_event_header *h = read_record(r);
		uint64_t time;

		if (!h) {
			sort_queue(r, UINT64_MAX);
			if (!r->nr)
				return NULL;
			break;
		}
		if (h->type == STREAM_FINISHED_ROUND) {
			sort_queue(r, r->previous_newest);
			r->previous_newest = r->newest;
			continue;
		}
		time = h->type < STREAM_ATTR && r->time ? r->time(h) : 0;
		if (!time)
			return h;
		if (!enqueue(r, h, time))
			return NULL;
	}
	r->current = r->queue[r->next].record;
	r->queue[r->next++].record = NULL;
	return r->current;
}

int reader_close(struct reader *r)
{
	int ret = r->state == MALFORMED ? -1 : 0;

	for (size_t i = r->next; i < r->nr; i++)
		free(r->queue[i].record);
	free(r->queue);
	free(r->current);
	if (r->file != stdin)
		fclose(r->file);
	free(r);
	return ret;
}
