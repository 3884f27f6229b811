/* SPDX-License-Identifier: MIT */
/* What the parts of this program share: a database, statements on it, and checked answers. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

/* Says @what and ends the program, unless @ok. */
void check(bool ok, const char *what, sqlite3 *db);

/* How many answers were right so far. */
int checks_passed(void);

sqlite3 *database_open(const char *path);
void database_close(sqlite3 *db);

/* Statements without an answer; they must succeed. */
void run(sqlite3 *db, const char *sql);

/* Prepares @sql, which must be right. */
sqlite3_stmt *prepare(sqlite3 *db, const char *sql);

/* Goes on with @st until it has no more rows; it must not fail. */
bool next_row(sqlite3_stmt *st);

/* The number, or the text, that @sql answers must be this. */
void expect(sqlite3 *db, const char *sql, long long answer);
void expect_text(sqlite3 *db, const char *sql, const char *answer);

/* shop.c: a database of @orders orders, filled and queried; what it must answer is computed beside
 * it. */
void shop_create(sqlite3 *db, int orders);
void shop_query(sqlite3 *db);
void shop_change(sqlite3 *db);

/* file.c: what a database in a file has to stand: reopening, other processes, their sudden ends. */
void file_reopened(const char *path);
void file_shared(const char *path);
void file_recovered(const char *path);
void file_logged(const char *path);

/* threads.c: several threads, each with a connection of its own, fill one file. */
void threads_fill(const char *path);
