/* SPDX-License-Identifier: MIT */
/*
 * SQLite at work: creates, fills, changes and queries databases in memory and in files, and checks
 * every answer. The last line says how many were right; a wrong one is told, and the status is 1.
 *
 *   sqlite [ORDERS]     how many rows the largest table gets (2000)
 */
#include "database.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define ORDERS 2000

static void part(const char *name)
{
	static int before;

	printf("sqlite: %s: %d answers\n", name, checks_passed() - before);
	before = checks_passed();
}

static void in_memory(int orders)
{
	sqlite3 *db = database_open(":memory:");

	shop_create(db, orders);
	shop_query(db);
	shop_change(db);
	shop_query(db);
	database_close(db);
	part("in memory");
}

static void in_file(int orders)
{
	sqlite3 *db = database_open("/tmp/shop.db");

	shop_create(db, orders);
	shop_query(db);
	database_close(db);
	file_reopened("/tmp/shop.db");
	part("in a file");
}

/*
 * What SQLite has to say of what is not as usual, beside the codes of errors. A reader who finds
 * that another process writes, and a file that needs recovery, are what is tested here.
 */
static void log_error(void *unused, int code, const char *message)
{
	bool expected = code == SQLITE_BUSY || code == SQLITE_NOTICE_RECOVER_ROLLBACK;

	fprintf(stderr, "sqlite: log%s: %s (%d)\n", expected ? ", expected" : "", message, code);
}

int main(int argc, char **argv)
{
	int orders = argc > 1 ? atoi(argv[1]) : ORDERS;

	setvbuf(stdout, NULL, _IOLBF, 0);
	sqlite3_config(SQLITE_CONFIG_LOG, log_error, NULL);
	mkdir("/tmp", 0777);
	printf("sqlite: version %s\n", sqlite3_libversion());
	in_memory(orders);
	in_file(orders);
	file_shared("/tmp/shared.db");
	part("shared by processes");
	file_recovered("/tmp/crashed.db");
	part("after a sudden end");
	file_logged("/tmp/logged.db");
	part("write-ahead log");
	threads_fill("/tmp/threads.db");
	part("threads");
	printf("sqlite: all %d answers were right\n", checks_passed());
	return 0;
}
