/* SPDX-License-Identifier: MIT */
/* kernel/proc: queues of signals, who takes what, what is thrown away. */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/process.h>

#include "../../kernel/proc/signals.h"

#define BIT_OF(signal) UAPI_SIGBIT(signal)

struct process *init_process;
static struct process init, process;
static struct task leader, thread, init_task;
static int ended_by; /* process_end()'s status; -1: it was not called */
static unsigned notified;

/* --- The rest of kernel/proc --- */

void process_end(struct process *p, int status)
{
	assert_ptr_equal(p, &process);
	ended_by = status;
}

void task_notify(struct task *task, u8 work)
{
	task_set_work(task, work);
	notified++;
}

void wait_prepare(struct wait_queue *q, struct waiter *w)
{
	fail_msg("nobody sleeps here");
}

void wait_finish(struct wait_queue *q, struct waiter *w)
{
}

static void add_thread(struct process *p, struct task *task)
{
	memset(task, 0, sizeof(*task));
	task->process = p;
	task_signals_init(task, 0);
	list_add_tail(&task->thread_node, &p->threads);
	list_add_tail(&task->all_node, &task_list);
}

static void set_up_process(struct process *p, struct task *first, pid_t pid)
{
	memset(p, 0, sizeof(*p));
	list_init(&p->threads);
	list_init(&p->children);
	list_init(&p->child_exit.waiters);
	assert_int_equal(signals_init(&p->signals, NULL), 0);
	p->pid = p->pgid = pid;
	p->leader = first;
	add_thread(p, first);
}

static int setup(void **state)
{
	list_init(&task_list);
	set_up_process(&init, &init_task, 1);
	set_up_process(&process, &leader, 10);
	add_thread(&process, &thread);
	process.parent = &init;
	init_process = &init;
	host_run_as(cpus, &leader);
	ended_by = -1;
	notified = 0;
	return 0;
}

/* Nothing is left of what was queued. */
static int teardown(void **state)
{
	task_signals_free(&leader);
	task_signals_free(&thread);
	signals_free(&process);
	task_signals_free(&init_task);
	signals_free(&init);
	return host_allocations != 0 || process.signals.nr_queued != 0;
}

static void handle(int signal)
{
	signal_action(&process, signal)->handler = 0x1234;
}

static int send(int signal)
{
	const struct uapi_siginfo info = {.signo = signal, .code = UAPI_SI_QUEUE};

	return signal_send_process(&process, &info);
}

static int send_value(int signal, u64 value)
{
	const struct uapi_siginfo info = {.signo = signal, .value = value};

	return signal_send_process(&process, &info);
}

static int send_thread(struct task *task, int signal)
{
	const struct uapi_siginfo info = {.signo = signal};

	return signal_send_task(task, &info);
}

static int take(uapi_sigset_t set)
{
	struct uapi_siginfo info;

	return signal_take(set, &info);
}

static void first_of_a_set(void **state)
{
	assert_int_equal(signal_first(0), 0);
	for (int s = 1; s < UAPI_NSIG; s++) {
		assert_int_equal(signal_first(BIT_OF(s)), s);
		assert_int_equal(signal_first(BIT_OF(s) | BIT_OF(UAPI_SIGKILL)), UAPI_SIGKILL);
		assert_int_equal(signal_first(BIT_OF(s) | BIT_OF(UAPI_SIGRTMAX)), s);
	}
}

static void ordinary_signals_are_pending_or_not(void **state)
{
	handle(UAPI_SIGUSR1);
	assert_int_equal(send(UAPI_SIGUSR1), 0);
	assert_int_equal(send(UAPI_SIGUSR1), 0);
	assert_int_equal(process.signals.nr_queued, 1);
	assert_int_equal(take(~0ULL), UAPI_SIGUSR1);
	assert_int_equal(take(~0ULL), 0);
}

static void real_time_signals_queue_in_order(void **state)
{
	struct uapi_siginfo info;

	handle(UAPI_SIGRTMIN);
	handle(UAPI_SIGRTMIN + 1);
	for (u64 i = 0; i < 5; i++) {
		assert_int_equal(send_value(UAPI_SIGRTMIN + 1, 100 + i), 0);
		assert_int_equal(send_value(UAPI_SIGRTMIN, i), 0);
	}
	for (u64 i = 0; i < 5; i++) {
		assert_int_equal(signal_take(~0ULL, &info), UAPI_SIGRTMIN);
		assert_int_equal(info.value, i);
	}
	for (u64 i = 0; i < 5; i++) {
		assert_int_equal(signal_take(~0ULL, &info), UAPI_SIGRTMIN + 1);
		assert_int_equal(info.value, 100 + i);
	}
	assert_int_equal(take(~0ULL), 0);
	assert_int_equal(process.signals.queue.set, 0);
}

static void what_is_not_asked_for_stays(void **state)
{
	handle(UAPI_SIGUSR1);
	handle(UAPI_SIGUSR2);
	send(UAPI_SIGUSR1);
	send(UAPI_SIGUSR2);
	assert_int_equal(take(BIT_OF(UAPI_SIGUSR2)), UAPI_SIGUSR2);
	assert_int_equal(take(BIT_OF(UAPI_SIGUSR2)), 0);
	assert_int_equal(take(BIT_OF(UAPI_SIGUSR1)), UAPI_SIGUSR1);
}

static void the_queue_has_an_end(void **state)
{
	unsigned n = 0;

	handle(UAPI_SIGRTMIN);
	handle(UAPI_SIGUSR1);
	while (n < 100000 && send(UAPI_SIGRTMIN) == 0)
		n++;
	assert_int_equal(send(UAPI_SIGRTMIN), -EAGAIN);
	assert_int_equal(process.signals.nr_queued, n);
	/* An ordinary one comes without saying why. */
	assert_int_equal(send(UAPI_SIGUSR1), 0);
	assert_int_equal(process.signals.nr_queued, n);
	assert_int_equal(take(BIT_OF(UAPI_SIGUSR1)), UAPI_SIGUSR1);
	while (n--)
		assert_int_equal(take(~0ULL), UAPI_SIGRTMIN);
	assert_int_equal(process.signals.nr_queued, 0);
}

static void without_memory_only_real_time_signals_are_refused(void **state)
{
	struct uapi_siginfo info;

	handle(UAPI_SIGRTMIN);
	handle(UAPI_SIGUSR1);
	host_fail_alloc = 1;
	assert_int_equal(send(UAPI_SIGRTMIN), -EAGAIN);
	host_fail_alloc = 1;
	assert_int_equal(send(UAPI_SIGUSR1), 0);
	assert_int_equal(signal_take(~0ULL, &info), UAPI_SIGUSR1);
	assert_int_equal(info.code, UAPI_SI_USER);
}

static void the_thread_that_does_not_block_is_told(void **state)
{
	handle(UAPI_SIGUSR1);
	leader.signals.blocked = BIT_OF(UAPI_SIGUSR1);
	send(UAPI_SIGUSR1);
	assert_int_equal(leader.work, 0);
	assert_int_equal(thread.work, TASK_WORK_SIGNAL);
	assert_int_equal(notified, 1);
}

static void what_all_block_is_told_when_one_does_not_any_more(void **state)
{
	handle(UAPI_SIGUSR1);
	leader.signals.blocked = thread.signals.blocked = BIT_OF(UAPI_SIGUSR1);
	send(UAPI_SIGUSR1);
	assert_int_equal(leader.work | thread.work, 0);
	signal_set_blocked(0);
	assert_int_equal(leader.work, TASK_WORK_SIGNAL);
}

static void who_blocks_leaves_it_to_others(void **state)
{
	handle(UAPI_SIGUSR1);
	send(UAPI_SIGUSR1);
	assert_int_equal(leader.work, TASK_WORK_SIGNAL);
	assert_int_equal(thread.work, 0);
	signal_set_blocked(BIT_OF(UAPI_SIGUSR1));
	assert_int_equal(thread.work, TASK_WORK_SIGNAL);
}

static void who_ends_leaves_it_to_others(void **state)
{
	handle(UAPI_SIGUSR1);
	send(UAPI_SIGUSR1);
	assert_int_equal(thread.work, 0);
	signals_leave();
	assert_int_equal(thread.work, TASK_WORK_SIGNAL);
	/* And is asked for nothing any more. */
	leader.work = 0;
	handle(UAPI_SIGUSR2);
	thread.signals.blocked = BIT_OF(UAPI_SIGUSR2);
	send(UAPI_SIGUSR2);
	assert_int_equal(leader.work, 0);
}

static void kill_and_stop_are_never_blocked(void **state)
{
	signal_set_blocked(~0ULL);
	assert_int_equal(leader.signals.blocked, ~UNBLOCKABLE);
}

static void a_threads_signal_is_its_own(void **state)
{
	handle(UAPI_SIGUSR1);
	send_thread(&thread, UAPI_SIGUSR1);
	assert_int_equal(take(~0ULL), 0);
	host_run_as(cpus, &thread);
	assert_int_equal(take(~0ULL), UAPI_SIGUSR1);
}

static void ignored_signals_are_gone(void **state)
{
	signal_action(&process, UAPI_SIGUSR1)->handler = UAPI_SIG_IGN;
	send(UAPI_SIGUSR1);
	send(UAPI_SIGCHLD); /* by default */
	assert_int_equal(take(~0ULL), 0);
	/* But not while they are blocked: the action may change. */
	leader.signals.blocked = thread.signals.blocked = BIT_OF(UAPI_SIGUSR1);
	send(UAPI_SIGUSR1);
	assert_int_equal(take(~0ULL), UAPI_SIGUSR1);
	/* And what somebody waits for is none to be ignored. */
	thread.signals.waits_for = BIT_OF(UAPI_SIGUSR1);
	send(UAPI_SIGUSR1);
	assert_int_equal(thread.work, TASK_WORK_SIGNAL);
}

static void fatal_signals_end_the_process_at_once(void **state)
{
	send(UAPI_SIGTERM);
	assert_int_equal(ended_by, UAPI_SIGTERM);
	ended_by = -1;
	/* Not one that is handled, blocked, or reported. */
	handle(UAPI_SIGUSR1);
	send(UAPI_SIGUSR1);
	leader.signals.blocked = thread.signals.blocked = BIT_OF(UAPI_SIGUSR2);
	send(UAPI_SIGUSR2);
	send(UAPI_SIGSEGV);
	assert_int_equal(ended_by, -1);
	leader.signals.blocked = thread.signals.blocked = ~0ULL;
	send_thread(&thread, UAPI_SIGKILL);
	assert_int_equal(ended_by, UAPI_SIGKILL);
}

static void init_is_spared(void **state)
{
	for (int s = 1; s < UAPI_NSIG; s++) {
		const struct uapi_siginfo info = {.signo = s};

		assert_int_equal(signal_send_process(&init, &info), 0);
		assert_int_equal(init.signals.queue.set, 0);
	}
	assert_int_equal(init_task.work, 0);
	/* From what it handles, it is not. */
	signal_action(&init, UAPI_SIGTERM)->handler = 0x1234;
	assert_int_equal(signal_send_process(&init, &(struct uapi_siginfo){.signo = UAPI_SIGTERM}),
			 0);
	assert_int_equal(init.signals.queue.set, BIT_OF(UAPI_SIGTERM));
}

static void stop_and_continue_take_each_other_back(void **state)
{
	handle(UAPI_SIGTSTP);
	handle(UAPI_SIGCONT);
	send(UAPI_SIGTSTP);
	send_thread(&thread, UAPI_SIGTTIN);
	send(UAPI_SIGCONT);
	assert_int_equal(process.signals.queue.set, BIT_OF(UAPI_SIGCONT));
	assert_int_equal(thread.signals.queue.set, 0);
	send(UAPI_SIGTSTP);
	assert_int_equal(process.signals.queue.set, BIT_OF(UAPI_SIGTSTP));
}

static void a_stopped_process_goes_on(void **state)
{
	process.signals.stopped = process.signals.stop_report = UAPI_SIGSTOP;
	send(UAPI_SIGCONT);
	assert_int_equal(process.signals.stopped, 0);
	assert_int_equal(process.signals.stop_report, 0);
	assert_true(process.signals.continue_report);
	/* One that was taken a moment ago does not stop it any more. */
	process.signals.stopping = true;
	send(UAPI_SIGCONT);
	assert_false(process.signals.stopping);
}

static void kept_entries_count(void **state)
{
	struct signal_entry entry = {.kept = true, .info = {.signo = UAPI_SIGALRM}};
	struct uapi_siginfo info;

	list_init(&entry.node);
	handle(UAPI_SIGALRM);
	signal_send_kept(&process, NULL, &entry, 1);
	signal_send_kept(&process, NULL, &entry, 3);
	signal_send_kept(&process, NULL, &entry, 1);
	assert_int_equal(process.signals.nr_queued, 0);
	assert_int_equal(signal_take(~0ULL, &info), UAPI_SIGALRM);
	assert_int_equal(info.overrun, 4);
	assert_int_equal(entry.missed, 4);
	assert_int_equal(take(~0ULL), 0);
	signal_send_kept(&process, NULL, &entry, 1);
	assert_int_equal(signal_take(~0ULL, &info), UAPI_SIGALRM);
	assert_int_equal(info.overrun, 0);
	/* It does not go round. */
	signal_send_kept(&process, NULL, &entry, 1);
	for (int i = 0; i < 3; i++)
		signal_send_kept(&process, NULL, &entry, UINT64_MAX / 2);
	assert_int_equal(signal_take(~0ULL, &info), UAPI_SIGALRM);
	assert_int_equal(info.overrun, INT32_MAX);
	/* Called back, it is on no queue. */
	signal_send_kept(&process, &thread, &entry, 1);
	signal_recall(&process, &entry);
	assert_int_equal(thread.signals.queue.set, 0);
	signal_recall(&process, &entry);
	assert_true(list_empty(&entry.node));
}

static void exec_keeps_what_is_ignored(void **state)
{
	handle(UAPI_SIGUSR1);
	signal_action(&process, UAPI_SIGUSR2)->handler = UAPI_SIG_IGN;
	signal_action(&process, UAPI_SIGUSR2)->flags = UAPI_SA_RESTART;
	leader.signals.stack_base = 4096;
	leader.signals.stack_size = 4096;
	leader.signals.blocked = BIT_OF(UAPI_SIGHUP);
	signals_exec();
	assert_int_equal(signal_action(&process, UAPI_SIGUSR1)->handler, UAPI_SIG_DFL);
	assert_int_equal(signal_action(&process, UAPI_SIGUSR2)->handler, UAPI_SIG_IGN);
	assert_int_equal(signal_action(&process, UAPI_SIGUSR2)->flags, 0);
	assert_int_equal(leader.signals.stack_size, 0);
	assert_int_equal(leader.signals.blocked, BIT_OF(UAPI_SIGHUP));
}

static void parents_are_told_of_stops_if_they_like(void **state)
{
	signal_action(&init, UAPI_SIGCHLD)->handler = 0x1234;
	signal_tell_parent(&process, UAPI_CLD_STOPPED, UAPI_SIGSTOP);
	assert_int_equal(init.signals.queue.set, BIT_OF(UAPI_SIGCHLD));
	host_run_as(cpus, &init_task);
	assert_int_equal(take(~0ULL), UAPI_SIGCHLD);
	signal_action(&init, UAPI_SIGCHLD)->flags = UAPI_SA_NOCLDSTOP;
	signal_tell_parent(&process, UAPI_CLD_STOPPED, UAPI_SIGSTOP);
	assert_int_equal(take(~0ULL), 0);
	signal_tell_parent(&process, UAPI_CLD_EXITED, 0);
	assert_int_equal(take(~0ULL), UAPI_SIGCHLD);
}

int main(void)
{
#define WITH_PROCESS(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(first_of_a_set),
	    WITH_PROCESS(ordinary_signals_are_pending_or_not),
	    WITH_PROCESS(real_time_signals_queue_in_order),
	    WITH_PROCESS(what_is_not_asked_for_stays),
	    WITH_PROCESS(the_queue_has_an_end),
	    WITH_PROCESS(without_memory_only_real_time_signals_are_refused),
	    WITH_PROCESS(the_thread_that_does_not_block_is_told),
	    WITH_PROCESS(what_all_block_is_told_when_one_does_not_any_more),
	    WITH_PROCESS(who_blocks_leaves_it_to_others),
	    WITH_PROCESS(who_ends_leaves_it_to_others),
	    WITH_PROCESS(kill_and_stop_are_never_blocked),
	    WITH_PROCESS(a_threads_signal_is_its_own),
	    WITH_PROCESS(ignored_signals_are_gone),
	    WITH_PROCESS(fatal_signals_end_the_process_at_once),
	    WITH_PROCESS(init_is_spared),
	    WITH_PROCESS(stop_and_continue_take_each_other_back),
	    WITH_PROCESS(a_stopped_process_goes_on),
	    WITH_PROCESS(kept_entries_count),
	    WITH_PROCESS(exec_keeps_what_is_ignored),
	    WITH_PROCESS(parents_are_told_of_stops_if_they_like),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
