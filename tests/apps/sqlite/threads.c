/* SPDX-License-Identifier: MIT */
/* Several threads, each with a connection of its own, fill one file; some share one in memory. */
#include "database.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define THREADS 4
#define ROWS    20

static const char *file;
static sqlite3 *shared;

static void insert(sqlite3 *db, int thread)
{
	char sql[64];

	for (int i = 0; i < ROWS; i++) {
		snprintf(sql, sizeof(sql), "INSERT INTO t VALUES (%d, %d)", thread, i);
		run(db, sql);
	}
}

static void *fill(void *arg)
{
	sqlite3 *db = database_open(file);

	insert(db, (intptr_t)arg);
	database_close(db);
	insert(shared, (intptr_t)arg);
	return NULL;
}

void threads_fill(const char *path)
{
	const char *schema = "CREATE TABLE t (thread INTEGER, i INTEGER, UNIQUE (thread, i))";
	sqlite3 *db = database_open(path);
	pthread_t threads[THREADS];

	file = path;
	shared = database_open(":memory:");
	run(db, schema);
	run(shared, schema);
	for (int i = 0; i < THREADS; i++)
		check(!pthread_create(&threads[i], NULL, fill, (void *)(intptr_t)i), "a thread",
		      NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++) {
		expect(i ? db : shared, "SELECT count(*) FROM t", THREADS * ROWS);
		expect(i ? db : shared, "SELECT sum(i) FROM t", THREADS * ROWS * (ROWS - 1) / 2);
	}
	database_close(shared);
	database_close(db);
}
