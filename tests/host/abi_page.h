/* SPDX-License-Identifier: MIT */
/* Reading the tables of docs/abi.md. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "host.h"

struct row {
	char key[96], name[64], result[64];
};

/* Reads the rows of the table under "## @section"; returns their number. */
static inline size_t read_table(const char *section, struct row *rows, size_t max)
{
	FILE *f = fopen("docs/abi.md", "r");
	char line[1024];
	bool inside = false;
	size_t n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct row *r = &rows[n];

		if (!strncmp(line, "## ", 3))
			inside = !strncmp(line + 3, section, strlen(section)) &&
				 line[3 + strlen(section)] == '\n';
		else if (inside && !strncmp(line, "| ", 2) &&
			 sscanf(line, "| %95[^|]| %63[^|]| %63[^|]|", r->key, r->name, r->result) >=
			     2) {
			assert_true(++n < max);
		}
	}
	fclose(f);
	/* The first is the heading. */
	assert_true(n > 1);
	memmove(rows, rows + 1, (n - 1) * sizeof(*rows));
	return n - 1;
}
