/* SPDX-License-Identifier: MIT */
/*
 * A shop's customers and orders, with a fixed seed. The same numbers are kept in plain arrays, from
 * which every answer is computed a second time.
 */
#include "database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUSTOMERS 200
#define DAYS      365
#define CITIES    7

static const char *const cities[CITIES] = {"Athens", "Bergen", "Cadiz", "Delft",
					   "Exeter", "Faro",   "Gent"};

struct order {
	int customer, day, amount; /* amount in cents; 0: deleted */
};

static struct order *orders;
static int nr_orders;

static unsigned next_random(void)
{
	static unsigned state = 12345;

	state = state * 1103515245 + 12345;
	return state >> 16 & 0x7fff;
}

static int city_of(int customer)
{
	return customer * customer % CITIES;
}

static void insert_customers(sqlite3 *db)
{
	sqlite3_stmt *st = prepare(db, "INSERT INTO customer VALUES (?, ?, ?)");
	char name[32];

	for (int i = 0; i < CUSTOMERS; i++) {
		snprintf(name, sizeof(name), "customer %03d", i);
		sqlite3_bind_int(st, 1, i);
		sqlite3_bind_text(st, 2, name, -1, SQLITE_TRANSIENT);
		sqlite3_bind_text(st, 3, cities[city_of(i)], -1, SQLITE_STATIC);
		check(!next_row(st), "insert", db);
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
}

static void insert_orders(sqlite3 *db)
{
	sqlite3_stmt *st = prepare(db, "INSERT INTO orders VALUES (?, ?, ?, ?, ?)");
	char note[64];

	for (int i = 0; i < nr_orders; i++) {
		struct order *o = &orders[i];

		*o = (struct order){next_random() % CUSTOMERS, next_random() % DAYS,
				    1 + next_random()};
		snprintf(note, sizeof(note), "order %d of day %d, for %d cents", i, o->day,
			 o->amount);
		sqlite3_bind_int(st, 1, i);
		sqlite3_bind_int(st, 2, o->customer);
		sqlite3_bind_int(st, 3, o->day);
		sqlite3_bind_double(st, 4, o->amount / 100.0);
		sqlite3_bind_text(st, 5, note, -1, SQLITE_TRANSIENT);
		check(!next_row(st), "insert", db);
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
}

void shop_create(sqlite3 *db, int n)
{
	free(orders);
	orders = calloc(n, sizeof(*orders));
	check(orders, "memory for the orders", NULL);
	nr_orders = n;
	run(db,
	    "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT UNIQUE, city TEXT);"
	    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer REFERENCES customer, day INTEGER,"
	    " amount REAL, note TEXT);"
	    "BEGIN");
	insert_customers(db);
	insert_orders(db);
	run(db, "COMMIT; CREATE INDEX by_day ON orders (day, amount)");
}

static long long sum_where(int day_from, int day_to, int city, int *count)
{
	long long sum = 0;

	*count = 0;
	for (int i = 0; i < nr_orders; i++) {
		const struct order *o = &orders[i];

		if (o->amount && o->day >= day_from && o->day < day_to &&
		    (city < 0 || city_of(o->customer) == city)) {
			sum += o->amount;
			(*count)++;
		}
	}
	return sum;
}

/* A join, groups of it, and their order. */
static void query_cities(sqlite3 *db)
{
	sqlite3_stmt *st = prepare(
	    db, "SELECT city, count(*), CAST(round(sum(amount) * 100) AS INTEGER) FROM orders"
		" JOIN customer ON customer.id = orders.customer GROUP BY city ORDER BY city");
	int count, seen = 0;
	long long sum;

	for (int city = 0; city < CITIES; city++) {
		sum = sum_where(0, DAYS, city, &count);
		if (!count)
			continue;
		check(next_row(st), "a city", db);
		check(!strcmp((const char *)sqlite3_column_text(st, 0), cities[city]), "its name",
		      db);
		check(sqlite3_column_int(st, 1) == count, "its number of orders", db);
		check(sqlite3_column_int64(st, 2) == sum, "its sum", db);
		seen++;
	}
	check(seen > 3 && !next_row(st), "no other city", db);
	sqlite3_finalize(st);
}

static int by_amount(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	return (y->amount > x->amount) - (y->amount < x->amount);
}

/* A sort of all rows. */
static void query_sorted(sqlite3 *db)
{
	sqlite3_stmt *st = prepare(db, "SELECT amount, note FROM orders ORDER BY amount DESC");
	struct order *sorted = malloc(nr_orders * sizeof(*sorted));
	char cents[32];
	int n = 0;

	check(sorted, "memory to sort in", NULL);
	memcpy(sorted, orders, nr_orders * sizeof(*sorted));
	qsort(sorted, nr_orders, sizeof(*sorted), by_amount);
	while (next_row(st)) {
		int amount = (int)(sqlite3_column_double(st, 0) * 100 + 0.5);

		check(amount == sorted[n].amount, "the order of the rows", db);
		snprintf(cents, sizeof(cents), "for %d cents", amount);
		check(strstr((const char *)sqlite3_column_text(st, 1), cents), "a row's text", db);
		n++;
	}
	check(n == nr_orders || !sorted[n].amount, "the number of rows", db);
	free(sorted);
	sqlite3_finalize(st);
}

void shop_query(sqlite3 *db)
{
	char sql[160], text[32];
	long long sum;
	int count;

	for (int from = 0; from + 30 < DAYS; from += 50) {
		sum = sum_where(from, from + 30, -1, &count);
		snprintf(sql, sizeof(sql),
			 "SELECT count(*) FROM orders WHERE day >= %d AND day < %d", from,
			 from + 30);
		expect(db, sql, count);
		snprintf(
		    sql, sizeof(sql),
		    "SELECT printf('%%.2f', sum(amount)) FROM orders WHERE day BETWEEN %d AND %d",
		    from, from + 29);
		snprintf(text, sizeof(text), "%.2f", sum / 100.0);
		expect_text(db, sql, text);
	}
	query_cities(db);
	query_sorted(db);
	expect(db,
	       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
	       " SELECT sum(i * i) FROM n",
	       333833500);
	expect(db, "SELECT count(*) FROM customer WHERE name LIKE '%7_'", CUSTOMERS / 10);
	expect_text(db, "SELECT json_extract('{\"a\": [1, {\"b\": \"found\"}]}', '$.a[1].b')",
		    "found");
	expect_text(db, "PRAGMA integrity_check", "ok");
}

void shop_change(sqlite3 *db)
{
	int deleted = 0;

	run(db,
	    "BEGIN; UPDATE orders SET amount = amount + 1, note = replace(note, 'order', 'Order')"
	    " WHERE day < 100; ROLLBACK");
	for (int i = 0; i < nr_orders; i++) {
		if (orders[i].day % 5 == 2) {
			orders[i].amount = 0;
			deleted++;
		}
	}
	run(db, "DELETE FROM orders WHERE day % 5 = 2");
	check(sqlite3_changes(db) == deleted, "rows deleted", db);
}
