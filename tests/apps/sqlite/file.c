/* SPDX-License-Identifier: MIT */
/* What a database in a file has to stand: reopening, other processes, their sudden ends. */
#include "database.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNTERS   4
#define INCREMENTS 25
#define ROWS       400

void file_reopened(const char *path)
{
	sqlite3 *db = database_open(path);
	struct stat st;

	shop_query(db);
	shop_change(db);
	shop_query(db);
	run(db, "VACUUM");
	shop_query(db);
	expect(db, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
	       stat(path, &st) ? -1 : st.st_size);
	database_close(db);
	check(access("/tmp/shop.db-journal", F_OK) != 0, "no journal is left", NULL);
}

/* Adds to the one number in @path, in transactions that no other process may come between. */
static void increment(const char *path)
{
	sqlite3 *db = database_open(path);

	for (int i = 0; i < INCREMENTS; i++)
		run(db, "BEGIN IMMEDIATE; UPDATE counter SET n = n + 1; COMMIT");
	database_close(db);
	exit(0);
}

void file_shared(const char *path)
{
	sqlite3 *db = database_open(path), *other;
	int status, ended = 0;

	run(db, "CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)");
	database_close(db); /* a connection does not go through fork() */
	for (int i = 0; i < COUNTERS; i++)
		if (!fork())
			increment(path);
	while (wait(&status) > 0)
		ended += status == 0;
	check(ended == COUNTERS, "the processes that count", NULL);
	db = database_open(path);
	expect(db, "SELECT n FROM counter", COUNTERS * INCREMENTS);
	other = database_open(path);
	sqlite3_busy_timeout(other, 0);
	run(db, "BEGIN EXCLUSIVE");
	check(sqlite3_exec(other, "SELECT n FROM counter", NULL, NULL, NULL) == SQLITE_BUSY,
	      "a reader is locked out", other);
	run(db, "ROLLBACK");
	expect(other, "SELECT n FROM counter", COUNTERS * INCREMENTS);
	database_close(other);
	database_close(db);
}

/* Changes all rows, with so small a cache that some are written, and dies before it has committed.
 */
static void die_in_a_transaction(const char *path)
{
	sqlite3 *db = database_open(path);

	run(db,
	    "PRAGMA cache_size = 10; BEGIN; UPDATE t SET v = randomblob(500); DELETE FROM t WHERE k > 5");
	kill(getpid(), SIGKILL);
}

/* The next one who opens the file finds the journal, and rolls back. */
void file_recovered(const char *path)
{
	sqlite3 *db = database_open(path);
	char journal[64];
	int status = 0;
	pid_t child;

	run(db, "CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
		" INSERT INTO t SELECT i, zeroblob(500) FROM n");
	database_close(db);
	child = fork();
	if (!child)
		die_in_a_transaction(path);
	check(waitpid(child, &status, 0) == child && WIFSIGNALED(status), "the one that dies",
	      NULL);
	snprintf(journal, sizeof(journal), "%s-journal", path);
	check(access(journal, F_OK) == 0, "the journal of the dead", NULL);
	db = database_open(path);
	expect(db, "SELECT count(*) FROM t WHERE v = zeroblob(500)", ROWS);
	expect_text(db, "PRAGMA integrity_check", "ok");
	database_close(db);
	check(access(journal, F_OK) != 0, "the journal was used up", NULL);
}

/* A write-ahead log; without memory that processes share, one connection has the file to itself. */
void file_logged(const char *path)
{
	sqlite3 *db = database_open(path);

	run(db, "PRAGMA locking_mode = EXCLUSIVE");
	expect_text(db, "PRAGMA journal_mode = WAL", "wal");
	run(db, "CREATE TABLE t (n INTEGER)");
	for (int i = 1; i <= 50; i++)
		run(db, "INSERT INTO t SELECT count(*) FROM t");
	expect(db, "SELECT sum(n) FROM t", 49 * 50 / 2);
	expect(db, "PRAGMA wal_checkpoint(TRUNCATE)", 0);
	database_close(db);
	db = database_open(path);
	run(db, "PRAGMA locking_mode = EXCLUSIVE");
	expect_text(db, "PRAGMA journal_mode", "wal");
	expect(db, "SELECT count(*) FROM t", 50);
	database_close(db);
}
