/* SPDX-License-Identifier: MIT */
/* The period of a counter that samples at a frequency, on a model of one: it converges. */
#include <math.h>
#include <stdlib.h>

#include "../../kernel/perf/frequency.h"
#include "host.h"

#define S       1000000000ULL
#define TICK    10000000.0 /* ns */
#define LATENCY 500.0      /* ns until a sample has been taken; meanwhile it counts on */

/* A unit with one counter. */
static struct {
	struct perf_frequency frequency;
	double now;      /* ns */
	double rate;     /* events a second */
	double counted;  /* since the last sample */
	double reported; /* of which have been told */
	double tick;     /* when the next one is due */
	u64 period;
	u64 samples;
	bool noisy; /* the rate is another one every millisecond, this on average */
	double noise, noise_until;
} unit;

static double rate(void)
{
	if (!unit.noisy)
		return unit.rate;
	if (unit.now >= unit.noise_until) {
		unit.noise = unit.rate * (rand() % 2001) / 1000;
		unit.noise_until = unit.now + S / 1000;
	}
	return unit.noise + 1;
}

static void adapt(bool sample)
{
	u64 more = floor(unit.counted) - unit.reported;

	unit.reported += more;
	unit.period =
	    perf_frequency_adapt(&unit.frequency, unit.period, more, sample, (u64)unit.now);
	assert_true(unit.period >= 1);
}

static void begin(double events_per_second, u64 freq)
{
	unit.now = 1000;
	unit.tick = TICK;
	unit.rate = events_per_second;
	unit.counted = unit.reported = 0;
	unit.period = 1;
	unit.samples = 0;
	unit.noisy = false;
	unit.noise_until = 0;
	perf_frequency_begin(&unit.frequency, S / freq, (u64)unit.now);
}

static void pass(double ns)
{
	unit.counted += ns * rate() / S;
	unit.now += ns;
}

/* Lets @ns pass; returns the samples. */
static u64 run(double ns)
{
	double end = unit.now + ns;
	u64 before = unit.samples;

	while (unit.now < end) {
		double left = unit.period - unit.counted;
		double until = left > 0 ? unit.now + left * S / rate() : unit.now;
		double next = fmin(unit.tick, end);

		if (unit.noisy)
			next = fmin(next, fmax(unit.noise_until, unit.now + 1));
		if (until > next) {
			pass(fmax(next - unit.now, 0)); /* a sample may have taken longer */
			if (unit.now >= unit.tick) {
				unit.tick += TICK;
				adapt(false);
			}
			continue;
		}
		pass(until - unit.now + LATENCY);
		unit.samples++;
		adapt(true);
		unit.counted -= floor(unit.counted);
		unit.reported = 0;
	}
	return unit.samples - before;
}

static const double rates[] = {1e3, 12345, 1e6, 33e6, 1e9, 6e9};
static const u64 frequencies[] = {1, 10, 99, 997, 4000, 20000};

/* What is counted more slowly than that is sampled each time. */
static double expected(u64 freq)
{
	return fmin(freq, unit.rate);
}

static void expect_rate(u64 freq, double most_off)
{
	double seconds = 400.0 / expected(freq);
	double off = run(seconds * S) / seconds / expected(freq) - 1;

	if (fabs(off) > most_off + 0.5 / unit.period) /* which is whole */
		fail_msg("%g events a second, %llu Hz: off by %g %%", unit.rate,
			 (unsigned long long)freq, off * 100);
}

/* Whatever the rate, after a few intervals it is sampled as often as was asked for. */
static void converges(void **state)
{
	for (size_t r = 0; r < ARRAY_SIZE(rates); r++)
		for (size_t f = 0; f < ARRAY_SIZE(frequencies); f++) {
			u64 freq = frequencies[f];
			double interval;

			begin(rates[r], freq);
			interval = S / expected(freq);
			/* On the way, at most so many samples too many. */
			assert_in_range(run(50 * interval), 20, 50 + 8 * 6);
			expect_rate(freq, 0.02);
		}
}

/* It follows a rate that becomes another one, and is never flooded nor silent for long. */
static void follows(void **state)
{
	static const double factors[] = {2, 10, 1000, 0.5, 0.1, 0.001};

	for (size_t r = 2; r < ARRAY_SIZE(rates); r++)
		for (size_t f = 0; f < ARRAY_SIZE(factors); f++) {
			u64 freq = 997, n;

			begin(rates[r], freq);
			run(100.0 * S / freq);
			unit.rate *= factors[f];
			n = run(50.0 * S / freq);
			assert_in_range(n, 15, 50 + 8 * 3);
			expect_rate(freq, 0.02);
		}
}

static void noise_is_averaged(void **state)
{
	srand(3);
	for (size_t r = 2; r < ARRAY_SIZE(rates); r++)
		for (u64 freq = 10; freq < 20000; freq *= 7) {
			begin(rates[r], freq);
			unit.noisy = true;
			run(100.0 * S / freq);
			expect_rate(freq, freq > 1000 ? 0.5 : 0.15);
		}
}

/* A counter that stands still keeps on being looked at; from the first event on it is sampled. */
static void begins_after_silence(void **state)
{
	begin(1e9, 1000);
	run(S);
	unit.rate = 1e-3;
	run(10.0 * S);
	assert_int_equal(unit.period, 1);
	unit.rate = 1e6;
	assert_in_range(run(S), 900, 1100);
}

/* No number is too large for it. */
static void extremes(void **state)
{
	static const u64 numbers[] = {0, 1, 2, 1000, UINT32_MAX, 1ULL << 62, UINT64_MAX};

	for (size_t a = 0; a < ARRAY_SIZE(numbers); a++)
		for (size_t b = 0; b < ARRAY_SIZE(numbers); b++)
			for (size_t c = 1; c < ARRAY_SIZE(numbers); c++) {
				u64 period = MIN(numbers[c], 1ULL << 62);
				struct perf_frequency f;

				perf_frequency_begin(&f, a % 2 ? S : 10000, 0);
				for (int i = 0; i < 20; i++) {
					period = perf_frequency_adapt(&f, period, numbers[a], i % 2,
								      numbers[b]);
					assert_in_range(period, 1, 1ULL << 62);
				}
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(converges),         cmocka_unit_test(follows),
	    cmocka_unit_test(noise_is_averaged), cmocka_unit_test(begins_after_silence),
	    cmocka_unit_test(extremes),
	};

	return cmocka_run_group_tests_name("perf frequency", tests, NULL, NULL);
}
