/* SPDX-License-Identifier: MIT */
/*
 * From text to lists of pipelines, by recursive descent over tokens. Words stay as they are
 * written: what quotes and dollars in them mean is seen to when they are used.
 */
#include "sh.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum token {
	END,
	NEWLINE,
	WORD,
	PIPE,       /* | */
	AMPERSAND,  /* & */
	SEMICOLON,  /* ; */
	AND_IF,     /* && */
	OR_IF,      /* || */
	OPEN,       /* ( */
	CLOSE,      /* ) */
	LESS,       /* < */
	GREATER,    /* > */
	APPEND,     /* >> */
	LESS_AND,   /* <& */
	GREATER_AND /* >& */
};

static struct parser {
	const char *at;    /* behind the token */
	const char *start; /* where the token begins */
	enum token token;
	const char *word; /* of a WORD */
	int number;       /* of a redirection: the descriptor before it; -1: none */
	enum parse_result result;
} p;

static const struct {
	const char *text;
	enum token token;
} operators[] = {
    {"&&", AND_IF},  {"||", OR_IF}, {">>", APPEND},   {"<&", LESS_AND}, {">&", GREATER_AND},
    {"\n", NEWLINE}, {"|", PIPE},   {"&", AMPERSAND}, {";", SEMICOLON}, {"(", OPEN},
    {")", CLOSE},    {"<", LESS},   {">", GREATER},
};

static void fail(enum parse_result result)
{
	if (p.result == PARSE_OK)
		p.result = result;
	p.token = END;
}

/* The token that cannot be here. */
static void unexpected(void)
{
	if (p.token == END) {
		fail(PARSE_INCOMPLETE);
		return;
	}
	complain("syntax error near \"%.*s\"", p.token == NEWLINE ? 7 : (int)(p.at - p.start),
		 p.token == NEWLINE ? "newline" : p.start);
	fail(PARSE_ERROR);
}

/* Behind the quoted part that begins at @s; NULL: it does not end. */
static const char *skip_quotes(const char *s)
{
	char quote = *s++;

	for (; *s != quote; s++) {
		if (*s == '\\' && quote == '"' && s[1])
			s++;
		if (!*s)
			return NULL;
	}
	return s + 1;
}

/* Behind the word that begins at p.at; NULL: it is not complete. */
static const char *skip_word(void)
{
	const char *s = p.at;

	while (*s && !strchr(" \t\n|&;()<>", *s)) {
		if (*s == '\'' || *s == '"')
			s = skip_quotes(s);
		else if (*s == '\\' && (!s[1] || (s[1] == '\n' && !s[2])))
			return NULL; /* the line goes on */
		else
			s += *s == '\\' ? 2 : 1;
		if (!s)
			return NULL;
	}
	return s;
}

static void skip_blanks(void)
{
	while (*p.at == ' ' || *p.at == '\t' || (p.at[0] == '\\' && p.at[1] == '\n')) {
		p.at += *p.at == '\\' ? 2 : 1;
		if (!*p.at && p.at[-1] == '\n')
			fail(PARSE_INCOMPLETE); /* the line goes on */
	}
	if (*p.at == '#')
		p.at += strcspn(p.at, "\n");
}

static bool next_operator(void)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		size_t n = strlen(operators[i].text);

		if (strncmp(p.at, operators[i].text, n))
			continue;
		p.at += n;
		p.token = operators[i].token;
		return true;
	}
	return false;
}

/* Reads the next token into @p. */
static void next(void)
{
	const char *end;

	if (p.result != PARSE_OK)
		return;
	skip_blanks();
	p.start = p.at;
	p.number = -1;
	if (!*p.at) {
		p.token = END;
		return;
	}
	for (end = p.at; isdigit((unsigned char)*end); end++)
		;
	if (end > p.at && (*end == '<' || *end == '>')) {
		p.number = atoi(p.at);
		p.at = end;
	}
	if (next_operator())
		return;
	end = skip_word();
	if (!end) {
		fail(PARSE_INCOMPLETE);
		return;
	}
	p.token = WORD;
	p.word = arena_strndup(p.at, end - p.at);
	p.at = end;
}

static bool is_redirect(enum token token)
{
	return token >= LESS && token <= GREATER_AND;
}

static struct redirect *parse_redirect(void)
{
	static const enum redirect_kind kinds[] = {
	    [LESS] = REDIRECT_IN,      [GREATER] = REDIRECT_OUT,     [APPEND] = REDIRECT_APPEND,
	    [LESS_AND] = REDIRECT_DUP, [GREATER_AND] = REDIRECT_DUP,
	};
	struct redirect *r = arena_alloc(sizeof(*r));
	bool input = p.token == LESS || p.token == LESS_AND;

	r->kind = kinds[p.token];
	r->fd = p.number >= 0 ? p.number : input ? 0 : 1;
	next();
	if (p.token == WORD)
		r->target = p.word;
	else if (p.token == LESS && p.result == PARSE_OK) {
		complain("syntax error: << is not known here");
		fail(PARSE_ERROR);
	} else
		unexpected();
	next();
	return r;
}

static struct list *parse_list(enum token end);

static struct command *parse_command(void)
{
	struct command *c = arena_alloc(sizeof(*c));
	struct redirect **last = &c->redirects;

	if (p.token == OPEN) {
		next();
		c->subshell = parse_list(CLOSE);
		if (p.token != CLOSE || !c->subshell)
			unexpected();
		next();
	}
	for (;;) {
		if (p.token == WORD && !c->subshell) {
			strings_add(&c->words, (char *)p.word);
			next();
		} else if (is_redirect(p.token)) {
			*last = parse_redirect();
			last = &(*last)->next;
		} else {
			break;
		}
	}
	if (!c->words.n && !c->redirects && !c->subshell)
		unexpected();
	return c;
}

static void skip_newlines(void)
{
	while (p.token == NEWLINE)
		next();
}

static struct pipeline parse_pipeline(void)
{
	struct pipeline pipeline = {.negated = false};
	struct command **last = &pipeline.commands;

	while (p.token == WORD && !strcmp(p.word, "!")) {
		pipeline.negated = !pipeline.negated;
		next();
	}
	for (;;) {
		*last = parse_command();
		last = &(*last)->next;
		if (p.token != PIPE)
			return pipeline;
		next();
		skip_newlines();
	}
}

/* Pipelines joined by && and ||, added at @last; where the next one goes. */
static struct list **parse_and_or(struct list **last)
{
	enum connector connector = CONNECT_ALWAYS;
	const char *start = p.start;
	struct list *first = NULL;

	for (;;) {
		struct list *l = *last = arena_alloc(sizeof(*l));

		first = first ? first : l;
		l->connector = connector;
		l->pipeline = parse_pipeline();
		last = &l->next;
		if (p.token != AND_IF && p.token != OR_IF) {
			size_t n = p.start - start;

			while (n && isspace((unsigned char)start[n - 1]))
				n--;
			l->background = p.token == AMPERSAND;
			for (; first; first = first->next)
				first->text = arena_strndup(start, n);
			return last;
		}
		connector = p.token == AND_IF ? CONNECT_AND : CONNECT_OR;
		next();
		skip_newlines();
	}
}

static struct list *parse_list(enum token end)
{
	struct list *list = NULL, **last = &list;

	skip_newlines();
	while (p.token != END && p.token != end) {
		last = parse_and_or(last);
		if (p.token != SEMICOLON && p.token != AMPERSAND && p.token != NEWLINE)
			break;
		next();
		skip_newlines();
	}
	return list;
}

enum parse_result parse(const char *text, struct list **list)
{
	p = (struct parser){.at = text, .result = PARSE_OK};
	next();
	*list = parse_list(END);
	if (p.token != END)
		unexpected();
	return p.result;
}
