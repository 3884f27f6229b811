/* SPDX-License-Identifier: MIT */
/*
 * What perf adds to a switch: a context-switches event on the CPU, counting, sampling, and sampling
 * with both chains, each minus the same switches without it. What a longer user chain adds to that,
 * by frame. And what opening an event costs.
 */
#include "bench.h"

#include <linux/perf_event.h>
#include <raw_syscall.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_PAGES  128
#define PAGE        4096
#define USER_FRAMES 16
#define RUNS        4
#define MORE_FRAMES 32
#define OPENS       20

struct frames {
	unsigned kernel, user;
};

static int event_fd;
static struct perf_event_mmap_page *ring; /* NULL: the event only counts */
static double without;                    /* a switch when there is no event */
static int depth;                         /* of our calls of yield_many() */
static uint32_t partner;
static bool chains;                              /* are in the samples */
static struct frames own_frames, partner_frames; /* in the last samples taken */

static int open_event(uint64_t sample_type, pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = PERF_ATTR_SIZE_VER5,
	    .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	    .sample_period = sample_type ? 1 : 0,
	    .sample_type = sample_type,
	    .disabled = 1,
	    .watermark = 1,
	    .wakeup_watermark = RING_PAGES * PAGE, /* nobody waits */
	};

	return syscall(SYS_perf_event_open, &attr, pid, cpu, -1, 0UL);
}

static bool begin(uint64_t sample_type)
{
	chains = sample_type & PERF_SAMPLE_CALLCHAIN;
	event_fd = open_event(sample_type, -1, 0);
	if (event_fd < 0)
		return bench_failed("perf_event_open failed") > 0;
	ring = NULL;
	if (!sample_type)
		return true;
	ring = mmap(NULL, (1 + RING_PAGES) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, event_fd, 0);
	if (ring != MAP_FAILED)
		return true;
	close(event_fd);
	return bench_failed("no memory for a ring of %d pages", RING_PAGES) > 0;
}

static void end(void)
{
	if (ring)
		munmap(ring, (1 + RING_PAGES) * PAGE);
	close(event_fd);
}

static uint64_t word_at(uint64_t pos)
{
	const uint8_t *data = (const uint8_t *)ring + PAGE;

	return *(const uint64_t *)(data + pos % (RING_PAGES * PAGE));
}

/* Frames of the chain at @pos: a count, then addresses with a marker before each part. */
static struct frames count_frames(uint64_t pos)
{
	struct frames f = {0};
	unsigned *part = &f.kernel;
	uint64_t nr = word_at(pos);

	for (uint64_t i = 1; i <= nr; i++) {
		uint64_t ip = word_at(pos + 8 * i);

		if (ip == (uint64_t)PERF_CONTEXT_USER)
			part = &f.user;
		else if (ip < (uint64_t)PERF_CONTEXT_MAX)
			(*part)++;
	}
	return f;
}

/* Takes all samples out of the ring; they hold IP, TID, TIME, CPU and perhaps a chain. */
static uint64_t take_samples(bool chains)
{
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), n = 0;

	for (uint64_t pos = ring->data_tail, size; pos < head; pos += size) {
		uint32_t pid = word_at(pos + 16);

		size = word_at(pos) >> 48;
		if (size < 8)
			break;
		if ((uint32_t)word_at(pos) != PERF_RECORD_SAMPLE)
			continue;
		n++;
		if (chains && pid == partner)
			partner_frames = count_frames(pos + 40);
		else if (chains)
			own_frames = count_frames(pos + 40);
	}
	__atomic_store_n(&ring->data_tail, head, __ATOMIC_RELEASE);
	return n;
}

static double base_batch(void)
{
	uint64_t switches;

	return switch_batch(yield_many, depth, &switches);
}

/* What a watched batch was: a switch's cost, how many there were, and how many the event saw. */
struct watched {
	double cost;
	uint64_t switches, seen;
	uint64_t all; /* with those before and after it, while the event was on */
};

/* False: it was no batch. */
static bool watch(yield_fn *yield, int depth, struct watched *w)
{
	uint64_t before = count_switches();

	ioctl(event_fd, PERF_EVENT_IOC_RESET, 0);
	ioctl(event_fd, PERF_EVENT_IOC_ENABLE, 0);
	w->cost = switch_batch(yield, depth, &w->switches);
	ioctl(event_fd, PERF_EVENT_IOC_DISABLE, 0);
	w->all = count_switches() - before;
	if (w->cost < 0)
		return false;
	if (ring)
		w->seen = take_samples(chains);
	else if (read(event_fd, &w->seen, sizeof(w->seen)) != sizeof(w->seen))
		return bench_failed("the event cannot be read") > 0;
	return true;
}

/*
 * A switch with the event on, which must have seen every one. Another processor's are counted with
 * ours, and it does not see them: then the batch runs again.
 */
static double watched_batch(yield_fn *yield, int depth)
{
	struct watched w;

	for (int run = 0; run < RUNS; run++) {
		if (!watch(yield, depth, &w))
			return -1;
		/* A slice may end while the event is on but the batch has not begun, or is over. */
		if (w.seen >= w.switches && w.seen <= w.all)
			return w.cost;
	}
	return bench_failed("%u switches, but the event saw %u", (unsigned)w.switches,
			    (unsigned)w.seen);
}

static double added_batch(void)
{
	double cost = watched_batch(yield_many, depth);

	if (cost < 0)
		return -1;
	return cost > without ? cost - without : 0;
}

/*
 * Half of the switches are ours, so a frame of ours shows half of what it costs. The last sample of
 * a run tells how many frames there were, unless a slice ended right there: then it runs again.
 */
static double frame_batch(yield_fn *yield)
{
	for (int run = 0; run < RUNS; run++) {
		double few = watched_batch(yield, 1);
		unsigned frames = own_frames.user;
		double many = watched_batch(yield, 1 + MORE_FRAMES);

		if (few < 0 || many < 0)
			return -1;
		if (own_frames.user == frames + MORE_FRAMES)
			return (many - few) * 2 / MORE_FRAMES;
	}
	return bench_failed("never %u frames more", MORE_FRAMES);
}

static double record_frame_batch(void)
{
	return frame_batch(yield_many);
}

#ifdef HAS_TABLE_CODE
static double table_frame_batch(void)
{
	return frame_batch(yield_many_by_table);
}
#endif

#define SAMPLE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define CHAINS (SAMPLE | PERF_SAMPLE_CALLCHAIN)

/* With @name NULL nothing is printed; every other call is the same, and so are the chains. */
static NOINLINE bool row(const char *name, uint64_t sample_type)
{
	double median;
	bool ok;

	if (!begin(sample_type))
		return false;
	ok = name ? bench_row(name, added_batch)
		  : bench_median("switch sample, trial", added_batch, &median);
	end();
	return ok;
}

static bool start_partner(int partner_depth)
{
	int pid = partner_start(partner_depth);

	if (pid < 0)
		return false;
	partner = pid;
	if (bench_median("switch without event", base_batch, &without))
		return true;
	partner_end(pid);
	return false;
}

/* Lengthens both sides' stacks until each has exactly USER_FRAMES user frames. */
static bool chains_row(void)
{
	bool ok = row(NULL, CHAINS);

	partner_end(partner);
	if (!ok)
		return false;
	if (own_frames.user > USER_FRAMES || partner_frames.user > USER_FRAMES ||
	    !own_frames.user || !partner_frames.user)
		return bench_failed("user chains of %u and %u frames", own_frames.user,
				    partner_frames.user) > 0;
	depth = USER_FRAMES - own_frames.user;
	if (!start_partner(USER_FRAMES - partner_frames.user))
		return false;
	ok = row("switch sample, both chains", CHAINS);
	partner_end(partner);
	depth = 0;
	fprintf(stderr, "bench: both chains: %u + %u frames here, %u + %u in the partner\n",
		own_frames.kernel, own_frames.user, partner_frames.kernel, partner_frames.user);
	if (own_frames.user != USER_FRAMES || partner_frames.user != USER_FRAMES)
		return bench_failed("not %d user frames", USER_FRAMES) > 0;
	return ok;
}

static bool frame_rows(void)
{
	bool ok;

	if (!start_partner(0))
		return false;
	ok = begin(CHAINS);
	if (ok) {
		ok = bench_row("user chain, per record frame", record_frame_batch);
#ifdef HAS_TABLE_CODE
		ok = bench_row("user chain, per table frame", table_frame_batch) && ok;
#endif
		end();
	}
	partner_end(partner);
	return ok;
}

/* An event that counts nothing yet. */
static double open_batch(void)
{
	static const struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = PERF_ATTR_SIZE_VER5,
	    .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	    .disabled = 1,
	};
	uint64_t start = clock_instructions();

	for (unsigned i = 0; i < OPENS; i++) {
		int fd = raw_syscall6(SYS_perf_event_open, (long)&attr, 0, -1, -1, 0, 0);

		if (fd < 0 || raw_syscall3(SYS_close, fd, 0, 0) < 0)
			return bench_failed("perf_event_open failed");
	}
	return (clock_instructions() - start) / (double)OPENS;
}

bool bench_samples(void)
{
	bool ok = bench_row("perf_event_open+close", open_batch);

	if (!start_partner(0))
		return false;
	ok &= row("switch sample, counting", 0);
	ok &= row("switch sample", SAMPLE);
	ok &= chains_row();
	return frame_rows() && ok;
}
