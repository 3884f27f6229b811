/* SPDX-License-Identifier: MIT */
/* perf record: runs the command and moves records from the rings to a stream. */
#define _GNU_SOURCE
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define WAKE_MS     500
#define READER_NICE (-10)

static struct record record;

/* --- Being told to end: what has been sampled is written all the same --- */

static volatile sig_atomic_t told_to_end;
static volatile pid_t command;

static void end(int signo)
{
	told_to_end = 1;
	if (command)
		kill(command, signo);
}

/* The command, if there is one, gets an interrupt from the terminal itself, and its end is ours. */
static void catch_signals(const struct recording *rec)
{
	struct sigaction action = {.sa_handler = end};

	command = rec->opt.command ? rec->workload.pid : 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGTERM, &action, NULL);
	if (!rec->opt.command)
		sigaction(SIGINT, &action, NULL);
}

/* --- Records --- */

/*
 * Empties all rings. The round promises readers that nothing is to come which is older than the
 * newest record of the round before: all that had been stamped by then has settled and been read.
 * With --overwrite the oldest samples come last of all, so that there are no rounds.
 */
static int drain_all(struct recording *rec)
{
	bool any = false;

	if (rec->cpus.nr > 1 && record_settle(rec) < 0)
		return -1;
	for (unsigned cpu = 0; cpu < rec->cpus.nr; cpu++) {
		struct ring *ring = &rec->ring[cpu];
		int ret = ring->fd < 0 ? 0 : ring_drain(ring, &rec->stream, &rec->counts);

		if (ret < 0)
			return -1;
		any |= ret > 0;
	}
	if (!any || rec->opt.overwrite)
		return 0;
	record_begin(&record, STREAM_FINISHED_ROUND, 0);
	return record_write(&record, &rec->stream);
}

/* What is left when nothing is counted any more. */
static int drain_rest(struct recording *rec)
{
	if (drain_all(rec) < 0)
		return -1;
	for (unsigned cpu = 0; rec->opt.overwrite && cpu < rec->cpus.nr; cpu++)
		if (rec->last[cpu].fd >= 0 &&
		    ring_write_last(&rec->last[cpu], &rec->stream, &rec->counts) < 0)
			return -1;
	return 0;
}

/*
 * Until the command has ended, or, without one, until those watched have or a signal says so. A
 * ring wakes us when it is half full; the clock does now and then, so that a machine that dies
 * takes little with it, and a signal just before the wait is seen soon.
 */
static int move_records(struct recording *rec)
{
	struct pollfd fds[1 + MAX_CPUS];
	unsigned n = 0, open_rings;

	fds[n++] =
	    (struct pollfd){.fd = rec->opt.command ? rec->workload.report : -1, .events = POLLIN};
	for (unsigned cpu = 0; cpu < rec->cpus.nr; cpu++)
		fds[n++] = (struct pollfd){.fd = rec->ring[cpu].fd, .events = POLLIN};
	do {
		if (poll(fds, n, WAKE_MS) < 0 && errno != EINTR)
			return error("poll: %s", strerror(errno));
		if (drain_all(rec) < 0)
			return -1;
		open_rings = 0;
		for (unsigned i = 1; i < n; i++) {
			if (fds[i].revents & (POLLHUP | POLLERR))
				fds[i].fd = -1; /* its tasks are gone */
			open_rings += fds[i].fd >= 0;
		}
	} while (!fds[0].revents && (rec->opt.command || (open_rings && !told_to_end)));
	return 0;
}

static void print_summary(const struct recording *rec)
{
	fprintf(stderr,
		"[ perf record: %" PRIu64 " samples, %" PRIu64 " lost, %" PRIu64 " bytes to %s ]\n",
		rec->counts.samples, rec->counts.lost, rec->stream.bytes,
		strcmp(rec->stream.path, "-") ? rec->stream.path : "standard output");
}

/* Lets the command run for a while in which only what becomes of tasks and maps is recorded. */
static int let_pass(struct recording *rec, uint64_t ms)
{
	for (uint64_t step; ms; ms -= step) {
		step = ms < WAKE_MS ? ms : WAKE_MS;
		if (!workload_runs_for(&rec->workload, step)) {
			error("the command ended within the time of -D");
			break;
		}
		if (drain_all(rec) < 0)
			return -1;
	}
	return record_enable(rec, true);
}

static int start(struct recording *rec, int argc, char **argv)
{
	struct options *opt = &rec->opt;
	bool to_stdout = opt->output && !strcmp(opt->output, "-");

	if (opt->command && workload_start(&rec->workload, opt->command, to_stdout) < 0)
		return -1;
	if (record_targets(rec) < 0 || record_open(rec) < 0 ||
	    stream_open(&rec->stream, opt->output) < 0 || write_head(rec, argc, argv) < 0)
		return -1;
	catch_signals(rec);
	/* A reader that runs late loses records. Where it may not be more urgent, so be it. */
	setpriority(PRIO_PROCESS, 0, READER_NICE);
	if (opt->all_tasks && opt->delay_ms && record_enable_tracker(rec) < 0)
		return -1;
	if ((opt->all_tasks || is_there(opt)) && !opt->delay_ms && record_enable(rec, true) < 0)
		return -1;
	if (opt->command && workload_go(&rec->workload) < 0)
		return -1;
	return opt->delay_ms ? let_pass(rec, opt->delay_ms) : 0;
}

int cmd_record(int argc, char **argv)
{
	static struct recording rec;
	int status = record_options(&rec.opt, argv);

	if (status)
		return status;
	if (start(&rec, argc, argv) < 0 || move_records(&rec) < 0 ||
	    record_enable(&rec, false) < 0 || drain_rest(&rec) < 0)
		return EXIT_FAILURE;
	if (rec.opt.command)
		status = workload_wait(&rec.workload);
	if (!rec.opt.quiet)
		print_summary(&rec);
	return status;
}
