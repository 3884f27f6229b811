/* SPDX-License-Identifier: MIT */
/*
 * Timers of processes, which send signals: setitimer()'s one, and those of timer_create(). Each is
 * a kernel timer that its function arms again for the next expiration of a period.
 */
#include <hotregs/printk.h>
#include <hotregs/string.h>
#include <hotregs/time.h>
#include <uapi/types.h>

#include "timer.h"

#define TIMERS_MAX 16 /* of timer_create(), a process */

/*
 * What repeats is looked at this often, all the timers of the privileged user together, and all
 * those of the others, so that no number of them is all that a processor does, and that others do
 * not make the privileged user's less exact; expirations in between are told as overruns. Each of
 * the machine's may also have to be passed on the way to another's place in the queue.
 */
#define MIN_STEP_NS 100000ULL
#define PASS_NS     100ULL

static u32 nr_repeating[2]; /* of the others' processes, and the privileged user's; atomic */

struct process_timers {
	struct mutex lock; /* one call at a time */
	struct process_timer itimer;
	struct process_timer *timer[TIMERS_MAX];
};

static u64 add(u64 a, u64 b)
{
	return a + MIN(b, UINT64_MAX - a);
}

/* What @t's clock says. A relative time is not changed by setting a clock. */
static u64 now_of(const struct process_timer *t)
{
	return t->setting.absolute && t->clock == UAPI_CLOCK_REALTIME ? clock_realtime_ns()
								      : clock_ns();
}

/* Does @t interrupt again and again? Lock of the process held. */
static bool repeats(const struct process_timer *t)
{
	return t->armed && t->setting.interval && t->notify != UAPI_SIGEV_NONE;
}

/* From one interrupt of @t, which repeats, to its next one, at least. */
static u64 min_step(const struct process_timer *t)
{
	u64 all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(nr_repeating); i++)
		all += __atomic_load_n(&nr_repeating[i], __ATOMIC_RELAXED);
	return __atomic_load_n(&nr_repeating[t->privileged], __ATOMIC_RELAXED) *
	       (MIN_STEP_NS + all * PASS_NS);
}

/* Arms the kernel timer for @t->expires, or for looking again. Lock of the process held. */
static void arm(struct process_timer *t, u64 not_before)
{
	u64 now = now_of(t), ns = t->expires > now ? t->expires - now : 0;

	if (t->setting.absolute && t->clock == UAPI_CLOCK_REALTIME)
		ns = MIN(ns, CLOCK_SET_NOTICED_NS);
	timer_arm(&t->timer, add(clock_ns(), MAX(ns, not_before)));
}

/* How often @t has expired until now since the last look; it is armed for the next time. Lock of
 * the process held. */
static u64 expirations(struct process_timer *t)
{
	u64 now = now_of(t), times;

	if (!t->armed)
		return 0;
	if (now < t->expires) {
		arm(t, 0);
		return 0;
	}
	if (!t->setting.interval) {
		t->armed = false;
		return 1;
	}
	times = (now - t->expires) / t->setting.interval + 1;
	t->expires = add(t->expires, times * t->setting.interval);
	arm(t, min_step(t));
	return times;
}

/* Whom @t tells: one thread, or NULL for the process; false: it is not there any more. List lock
 * held. */
static bool find_target(const struct process_timer *t, struct task **target)
{
	struct task *task;

	*target = NULL;
	if (t->notify != UAPI_SIGEV_THREAD_ID)
		return true;
	list_for_each (task, &t->process->threads, thread_node) {
		if (task->tid == t->tid && !task->ended) {
			*target = task;
			return true;
		}
	}
	return false;
}

static void expired(struct timer *timer, struct pt_regs *regs)
{
	struct process_timer *t = container_of(timer, struct process_timer, timer);
	struct task *target;
	u64 times;

	spin_lock(&task_list_lock);
	spin_lock(&t->process->signals.lock);
	times = expirations(t);
	spin_unlock(&t->process->signals.lock);
	if (times && find_target(t, &target))
		signal_send_kept(t->process, target, &t->entry, times);
	spin_unlock(&task_list_lock);
}

static void init_timer(struct process_timer *t)
{
	memset(t, 0, sizeof(*t));
	t->process = current->process;
	timer_init(&t->timer, expired);
	list_init(&t->entry.node);
	t->entry.kept = true;
}

/* Disarms @t; nothing of it is on its way any more. The lock of timers is held, or nobody else
 * knows it. */
static void stop(struct process_timer *t)
{
	struct process_signals *s = &t->process->signals;
	unsigned long flags = spin_lock_irqsave(&s->lock);

	if (repeats(t))
		__atomic_fetch_sub(&nr_repeating[t->privileged], 1, __ATOMIC_RELAXED);
	t->armed = false;
	spin_unlock_irqrestore(&s->lock, flags);
	/* Its function, should it run just now, finds that and does not arm it again. */
	timer_cancel(&t->timer);
	signal_recall(t->process, &t->entry);
}

static struct timer_setting remaining(const struct process_timer *t)
{
	struct process_signals *s = &t->process->signals;
	unsigned long flags = spin_lock_irqsave(&s->lock);
	struct timer_setting left = {.interval = t->setting.interval};
	u64 now = now_of(t);

	if (t->armed && t->expires > now)
		left.value = t->expires - now;
	else if (t->armed && left.interval)
		left.value = left.interval - (now - t->expires) % left.interval;
	else if (t->armed && t->notify != UAPI_SIGEV_NONE)
		left.value = 1; /* it will have expired any moment */
	spin_unlock_irqrestore(&s->lock, flags);
	return left;
}

static void start(struct process_timer *t, const struct timer_setting *setting)
{
	struct process_signals *s = &t->process->signals;
	unsigned long flags;

	stop(t);
	flags = spin_lock_irqsave(&s->lock);
	t->setting = *setting;
	t->privileged = process_privileged();
	if (setting->value) {
		t->armed = true;
		t->expires = setting->absolute ? setting->value : add(now_of(t), setting->value);
		if (repeats(t))
			__atomic_fetch_add(&nr_repeating[t->privileged], 1, __ATOMIC_RELAXED);
		if (t->notify != UAPI_SIGEV_NONE)
			arm(t, 0);
	}
	spin_unlock_irqrestore(&s->lock, flags);
}

/* current's timers, locked. ERR_PTR(-ENOMEM). */
static struct process_timers *lock_timers(void)
{
	struct process_signals *s = &current->process->signals;
	struct process_timers *timers = READ_ONCE(s->timers), *other;
	unsigned long flags;

	if (!timers) {
		timers = kzalloc(sizeof(*timers));
		if (!timers)
			return ERR_PTR(-ENOMEM);
		mutex_init(&timers->lock);
		init_timer(&timers->itimer);
		timers->itimer.notify = UAPI_SIGEV_SIGNAL;
		timers->itimer.entry.info.signo = UAPI_SIGALRM;
		timers->itimer.entry.info.code = UAPI_SI_KERNEL;
		flags = spin_lock_irqsave(&s->lock);
		other = s->timers;
		if (!other)
			s->timers = timers;
		spin_unlock_irqrestore(&s->lock, flags);
		/* Another thread was faster. */
		if (other) {
			kfree(timers);
			timers = other;
		}
	}
	mutex_lock(&timers->lock);
	return timers;
}

int process_itimer(const struct timer_setting *setting, struct timer_setting *old)
{
	struct process_timers *timers = lock_timers();

	if (IS_ERR(timers))
		return PTR_ERR(timers);
	*old = remaining(&timers->itimer);
	if (setting)
		start(&timers->itimer, setting);
	mutex_unlock(&timers->lock);
	return 0;
}

/* A timer beside @timers, in @id's place. */
static int create(struct process_timers *timers, int id, int clock,
		  const struct uapi_sigevent *event)
{
	struct process_timer *t = kmalloc(sizeof(*t));

	if (!t)
		return -EAGAIN;
	init_timer(t);
	t->clock = clock;
	t->notify = event->notify;
	t->tid = event->tid;
	t->entry.info.signo = event->signo;
	t->entry.info.code = UAPI_SI_TIMER;
	t->entry.info.timer = id;
	t->entry.info.value = event->value;
	timers->timer[id] = t;
	return id;
}

int process_timer_create(int clock, const struct uapi_sigevent *event)
{
	struct process_timers *timers = lock_timers();
	int id = -EAGAIN;

	if (IS_ERR(timers))
		return -EAGAIN;
	for (int i = 0; i < TIMERS_MAX && id < 0; i++)
		if (!timers->timer[i])
			id = i;
	if (id >= 0) {
		struct uapi_sigevent by_default = {
		    .notify = UAPI_SIGEV_SIGNAL, .signo = UAPI_SIGALRM, .value = id};

		id = create(timers, id, clock, event ? event : &by_default);
	}
	mutex_unlock(&timers->lock);
	return id;
}

/* Timer @id with its process's timers locked; NULL: there is none. */
static struct process_timer *find_and_lock(int id, struct process_timers **timers)
{
	struct process_timer *t;

	*timers = READ_ONCE(current->process->signals.timers);
	if (!*timers || id < 0 || id >= TIMERS_MAX)
		return NULL;
	mutex_lock(&(*timers)->lock);
	t = (*timers)->timer[id];
	if (!t)
		mutex_unlock(&(*timers)->lock);
	return t;
}

int process_timer_set(int id, const struct timer_setting *setting, struct timer_setting *old)
{
	struct process_timers *timers;
	struct process_timer *t = find_and_lock(id, &timers);

	if (!t)
		return -EINVAL;
	*old = remaining(t);
	if (setting)
		start(t, setting);
	mutex_unlock(&timers->lock);
	return 0;
}

int process_timer_overrun(int id)
{
	struct process_timers *timers;
	struct process_timer *t = find_and_lock(id, &timers);
	int overrun;

	if (!t)
		return -EINVAL;
	overrun = READ_ONCE(t->entry.missed);
	mutex_unlock(&timers->lock);
	return overrun;
}

static void delete (struct process_timers *timers, int id)
{
	stop(timers->timer[id]);
	kfree(timers->timer[id]);
	timers->timer[id] = NULL;
}

int process_timer_delete(int id)
{
	struct process_timers *timers;

	if (!find_and_lock(id, &timers))
		return -EINVAL;
	delete (timers, id);
	mutex_unlock(&timers->lock);
	return 0;
}

void process_timers_exec(void)
{
	struct process_timers *timers = current->process->signals.timers;

	for (int id = 0; timers && id < TIMERS_MAX; id++)
		if (timers->timer[id])
			delete (timers, id);
}

void process_timers_free(struct process *process)
{
	struct process_timers *timers = process->signals.timers;

	if (!timers)
		return;
	process_timers_exec();
	stop(&timers->itimer);
	process->signals.timers = NULL;
	kfree(timers);
}
