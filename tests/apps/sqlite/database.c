/* SPDX-License-Identifier: MIT */
/* A database, statements on it, and checked answers. */
#include "database.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long a connection waits for one that has locked the file. */
#define BUSY_MS 20000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int passed;

void check(bool ok, const char *what, sqlite3 *db)
{
	if (!ok) {
		fprintf(stderr, "sqlite[%d]: FAILED: %s (%s)\n", getpid(), what,
			db ? sqlite3_errmsg(db) : "no database");
		exit(1);
	}
	pthread_mutex_lock(&lock);
	passed++;
	pthread_mutex_unlock(&lock);
}

int checks_passed(void)
{
	return passed;
}

sqlite3 *database_open(const char *path)
{
	sqlite3 *db = NULL;

	check(sqlite3_open(path, &db) == SQLITE_OK, path, db);
	sqlite3_busy_timeout(db, BUSY_MS);
	return db;
}

void database_close(sqlite3 *db)
{
	check(sqlite3_close(db) == SQLITE_OK, "close", db);
}

void run(sqlite3 *db, const char *sql)
{
	check(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, sql, db);
}

sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st = NULL;

	check(sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK, sql, db);
	return st;
}

bool next_row(sqlite3_stmt *st)
{
	int ret = sqlite3_step(st);

	check(ret == SQLITE_ROW || ret == SQLITE_DONE, sqlite3_sql(st), sqlite3_db_handle(st));
	return ret == SQLITE_ROW;
}

void expect(sqlite3 *db, const char *sql, long long answer)
{
	sqlite3_stmt *st = prepare(db, sql);

	check(next_row(st) && sqlite3_column_int64(st, 0) == answer, sql, db);
	sqlite3_finalize(st);
}

void expect_text(sqlite3 *db, const char *sql, const char *answer)
{
	sqlite3_stmt *st = prepare(db, sql);
	const unsigned char *text = next_row(st) ? sqlite3_column_text(st, 0) : NULL;

	check(text && !strcmp((const char *)text, answer), sql, db);
	sqlite3_finalize(st);
}
