/* SQL in the dialects of common servers and what is like it, with the commands of their shells. */
#include "base/words.h"
#include "effects/code.h"

enum token {
	SQL_END,
	SQL_WORD, /* a keyword, or a plain name */
	SQL_NAME, /* in quotes */
	SQL_TEXT,
	SQL_OTHER,
};

struct sql_token {
	enum token kind;
	struct str text; /* without quotes */
	unsigned depth; /* of brackets */
	size_t at, end;
};

enum { STATEMENT_MAX = 2048, TEMPORARY_MAX = 16 };

struct sql {
	struct effects *e;
	struct str s, words;
	size_t i;
	unsigned depth;
	struct sql_token *t; /* of one statement */
	size_t n;
	struct str temporary[TEMPORARY_MAX];
	size_t ntemporary;
	bool line; /* a line begins here */
	bool begun; /* a transaction, which a ROLLBACK would take back */
	size_t before; /* effects before it */
};

static bool is(const struct sql_token *t, const char *word)
{
	return t->kind == SQL_WORD && str_eqz_icase(t->text, word);
}

/* One of "a|b|c". */
static bool is_one(const struct sql_token *t, const char *words)
{
	return t->kind == SQL_WORD && word_is_one_icase(t->text, words);
}

static const struct sql_token *token(const struct sql *q, size_t i)
{
	static const struct sql_token end = { .kind = SQL_END };

	return i < q->n ? &q->t[i] : &end;
}

static void add(const struct sql *q, enum effect_kind kind, const struct sql_token *first,
		struct str target)
{
	size_t end = q->n ? q->t[q->n - 1].end : q->s.n;
	unsigned places = q->e->places;
	struct str words = str_trim(str_sub(q->s, first->at, end));
	ptrdiff_t dot = str_chr(target, '.', 0);
	struct str of = str_sub(target, 0, dot < 0 ? 0 : (size_t)dot);

	if (words.n > 160)
		words = arena_printf(q->e->arena, "%.*s...", 160, words.p);
	/* prod.users, where the client is connected to `test` */
	if (kind == EFFECT_DATABASE && dot > 0 &&
	    !(effect_database_places(q->e->world, of) & PLACE_TEMP) &&
	    !(of.n < 8 && word_in_text(of, "public dbo main temp")))
		q->e->places &= ~(unsigned)PLACE_TEMP;
	effects_add(q->e, &(struct effect){ .kind = kind, .words = words, .target = target });
	q->e->places = places;
}

/* A database as a whole, which may be one of tests. */
static void add_database(const struct sql *q, const struct sql_token *first, struct str target)
{
	unsigned places = q->e->places;

	if (!q->e->own_server)
		q->e->places &= ~(unsigned)PLACE_TEMP;
	q->e->places |= effect_database_places(q->e->world, target);
	add(q, EFFECT_DATABASE, first, target);
	q->e->places = places;
}

static void add_path(const struct sql *q, enum effect_kind kind, const struct sql_token *first,
		     struct str path)
{
	struct str words = str_sub(q->s, first->at, q->t[q->n - 1].end);

	effects_add_path(q->e, &(struct effect){ .kind = kind, .words = str_sub(words, 0, 160) },
			 path, effects_cwd(q->e));
}

static void run_shell(const struct sql *q, struct str text)
{
	if (effects_too_deep(q->e)) {
		effects_unjudged(q->e, q->words);
		return;
	}
	q->e->depth++;
	effects_of_shell(q->e, str_trim(text));
	q->e->depth--;
}

/* ---- statements ---- */

/* A name at i, in several parts perhaps; *ret_next is what follows. */
static struct str name_at(const struct sql *q, size_t i, size_t *ret_next)
{
	size_t from = i;
	struct str name;

	while ((token(q, i)->kind == SQL_WORD || token(q, i)->kind == SQL_NAME) &&
	       token(q, i + 1)->kind == SQL_OTHER && str_eqz(token(q, i + 1)->text, "."))
		i += 2;
	name = token(q, i)->kind == SQL_END ? (struct str){ 0 } : token(q, i)->text;
	if (i > from)
		name = str_sub(q->s, q->t[from].at, token(q, i)->end);
	*ret_next = i + 1;
	return name;
}

static bool is_temporary(const struct sql *q, struct str name)
{
	static const char *const kept[] = { "pg_temp.", "temp.", "#" };

	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (name.n > strlen(kept[i]) && str_starts_icase(name, str_from(kept[i])))
			return true;
	for (size_t i = 0; i < q->ntemporary; i++)
		if (str_eq_icase(q->temporary[i], name))
			return true;
	return false;
}

/* The first of these words at a depth, from i on; q->n without one. */
static size_t find_word(const struct sql *q, size_t i, unsigned depth, const char *words)
{
	for (; i < q->n && q->t[i].depth >= depth; i++)
		if (q->t[i].depth == depth && is_one(&q->t[i], words))
			return i;
	return q->n;
}

/* x IN (SELECT x FROM ...) and EXISTS (SELECT 1) are true for every row; *ret_after is behind. */
static bool is_selected_from_itself(const struct sql *q, size_t i, size_t *ret_after)
{
	const struct sql_token *a = token(q, i);
	bool exists = is(a, "exists");
	size_t open = exists ? i + 1 : i + 2, end = open + 1;

	if (!(exists || is(token(q, i + 1), "in")) || !str_eqz(token(q, open)->text, "(") ||
	    !is(token(q, open + 1), "select"))
		return false;
	while (end < q->n && q->t[end].depth > q->t[open].depth)
		end++;
	*ret_after = end;
	if (exists) /* SELECT 1 */
		return end == open + 3;
	/* SELECT x FROM table */
	return str_eq_icase(token(q, open + 2)->text, a->text) && is(token(q, open + 3), "from") &&
	       find_word(q, open + 4, q->t[open].depth + 1,
			 "where|limit|having|group|join|tablesample|fetch") >= end;
}

/* Numbers that are compared with each other: 2 > 1. */
static bool is_true_comparison(struct str a, struct str op, struct str b)
{
	int64_t x, y;

	if (!str_to_int(a, &x) || !str_to_int(b, &y))
		return false;
	return str_eqz(op, ">")    ? x > y
	       : str_eqz(op, "<")  ? x < y
	       : str_eqz(op, "=")  ? x == y
	       : str_eqz(op, "<>") ? x != y
				   : str_eqz(op, "!=") && x != y;
}

/* A number, a text or what is put in place of ?, :name, $1, @name, %s: where it ends, or 0. */
static size_t constant_end(const struct sql *q, size_t i, bool *ret_given)
{
	const struct sql_token *t = token(q, i), *next = token(q, i + 1);

	if (t->kind == SQL_OTHER && t->text.n && strchr("?:$@%", t->text.p[0])) {
		*ret_given = true;
		return i + 1 + (t->text.n == 1 && t->text.p[0] != '?' && next->at == t->end);
	}
	return t->kind == SQL_TEXT ||
			       (t->kind == SQL_OTHER && t->text.n && char_is_digit(t->text.p[0]))
		       ? i + 1
		       : 0;
}

/* 1 = :one, ? = ?: no column takes part, so that it is about all rows, or none. */
static size_t given_end(const struct sql *q, size_t i)
{
	bool given = false;
	size_t op = constant_end(q, i, &given), end;

	if (!op || !strchr("=<>!", token(q, op)->text.n ? token(q, op)->text.p[0] : ' '))
		return 0;
	end = constant_end(q, op + 1, &given);
	return given ? end : 0;
}

/* Is a condition true for every row: 1=1, true, 'a'='a', x=x, or one of those after "or"? */
static bool is_always_true(const struct sql *q, size_t i, unsigned depth)
{
	for (;;) {
		const struct sql_token *a = token(q, i), *op = token(q, i + 1),
				       *b = token(q, i + 2), *after;
		bool fits = false;
		size_t next;

		while (a->kind == SQL_OTHER && str_eqz(a->text, "(")) {
			a = token(q, ++i), op = token(q, i + 1), b = token(q, i + 2);
		}
		after = op;
		if (is(a, "true") || (a->kind == SQL_OTHER && str_eqz(a->text, "1")))
			fits = true;
		if ((str_eqz(op->text, "=") || str_eqz(op->text, "==") || is(op, "like")) &&
		    a->kind != SQL_END) {
			fits = (a->kind == b->kind && str_eq_icase(a->text, b->text)) ||
			       (is(op, "like") && str_eqz(b->text, "%"));
			after = token(q, i + 3);
		} else if (str_eqz(op->text, "<>") || str_eqz(op->text, "!=")) {
			fits = a->kind == SQL_OTHER && b->kind == SQL_OTHER &&
			       !str_eq(a->text, b->text) && char_is_digit(a->text.p[0]) &&
			       char_is_digit(b->text.p[0]);
			after = token(q, i + 3);
		}
		if (is(op, "is") && is(b, "not") && is(token(q, i + 3), "null")) {
			fits = true;
			after = token(q, i + 4);
		} else if (is(a, "not") && is(op, "false")) {
			fits = true;
			after = b;
		} else if (str_eqz(op->text, ">") && a->kind == SQL_WORD &&
			   (str_eqz(b->text, "0") || str_eqz(b->text, "-"))) {
			fits = true;
			after = token(q, i + 3);
		} else if (is_true_comparison(a->text, op->text, b->text)) {
			fits = true;
			after = token(q, i + 3);
		} else if ((next = given_end(q, i))) {
			fits = true;
			after = token(q, next);
		} else if (is_selected_from_itself(q, i, &next)) {
			fits = true;
			after = token(q, next);
			while (str_eqz(after->text, ")") && next < q->n)
				after = token(q, ++next);
		} else if (a->kind == SQL_WORD && op->kind == SQL_END) {
			fits = !is(a, "false");
		}
		if (fits && (after->kind == SQL_END || str_eqz(after->text, ")") ||
			     is_one(after, "or|returning|limit|order|when")))
			return true;
		next = find_word(q, i, depth, "or");
		if (next >= q->n)
			return false;
		i = next + 1;
	}
}

/* Are there rows that a statement leaves alone? */
static bool has_condition(const struct sql *q, size_t i, unsigned depth)
{
	size_t where = find_word(q, i, depth, "where");

	if (where < q->n)
		return !is_always_true(q, where + 1, depth);
	where = find_word(q, i, depth, "limit|fetch|current|filter");
	/* LIMIT with so many rows is no choice, as long as they are in no order. */
	return where < q->n && !(is(&q->t[where], "limit") && token(q, where + 1)->text.n >= 5 &&
				 find_word(q, i, depth, "order") >= q->n);
}

static void drop(struct sql *q, size_t i)
{
	const struct sql_token *first = &q->t[i++], *what;
	bool temporary = false;
	struct str name;

	while (is_one(token(q, i),
		      "temporary|temp|global|foreign|external|materialized|dynamic|snapshot"))
		temporary |= is_one(token(q, i++), "temporary|temp");
	what = token(q, i++);
	if (!is_one(what,
		    "table|database|schema|tablespace|keyspace|sequence|type|extension|role|user|owned|collection|graph|stage|"
		    "warehouse|dataset|catalog|measurement|series|shard|retention|bucket|"
		    "namespace|columnfamily|share|scope|branch|continuous"))
		return;
	if (is(token(q, i), "if"))
		i += 2;
	if (is(token(q, i), "by"))
		i++;
	do {
		name = name_at(q, i, &i);
		if (is_one(what, "database|schema"))
			add_database(q, first, name);
		else if (!temporary && !(is(what, "table") && is_temporary(q, name)))
			add(q, EFFECT_DATABASE, first, name);
	} while (i < q->n && str_eqz(token(q, i++)->text, ","));
}

static void truncate_table(struct sql *q, size_t i)
{
	const struct sql_token *first = &q->t[i++];
	struct str name;

	if (str_eqz(token(q, i)->text, "(")) /* the function */
		return;
	while (is_one(token(q, i), "table|only|if|exists"))
		i++;
	name = name_at(q, i, &i);
	if (name.n && !is_temporary(q, name))
		add(q, EFFECT_DATABASE, first, name);
}

/* Cypher: MATCH (n) DETACH DELETE n takes all that it finds, when nothing chooses. */
static void delete_nodes(struct sql *q, size_t i)
{
	bool cypher = i == 0 || is_one(&q->t[0], "match|optional|unwind|call|with|profile");

	for (size_t k = 0; k < i; k++)
		if (is_one(&q->t[k], "where|limit") || str_eqz(q->t[k].text, "{"))
			return;
	if (cypher)
		add(q, EFFECT_DATABASE, &q->t[i], (struct str){ 0 });
}

static void delete_rows(struct sql *q, size_t i)
{
	const struct sql_token *first = &q->t[i++];
	unsigned depth = first->depth;
	size_t from = find_word(q, i, depth, "from");
	struct str name;

	while (is_one(token(q, i), "low_priority|quick|ignore|only|top"))
		i++;
	if (from < q->n && from < i + 4)
		i = from + 1;
	if (is(token(q, i), "only"))
		i++;
	if (is_one(&q->t[0], "match|optional|unwind")) {
		delete_nodes(q, (size_t)(first - q->t));
		return;
	}
	name = name_at(q, i, &i);
	if (name.n && !is_temporary(q, name) && !has_condition(q, i, depth))
		add(q, EFFECT_DATABASE, first, name);
}

static void update_rows(struct sql *q, size_t i)
{
	const struct sql_token *first = &q->t[i++];
	unsigned depth = first->depth;
	struct str name;

	while (is_one(token(q, i), "low_priority|ignore|only|or|rollback|abort|replace|fail"))
		i++;
	name = name_at(q, i, &i);
	if (!name.n || is_temporary(q, name) || find_word(q, i, depth, "set") >= q->n)
		return;
	if (!has_condition(q, i, depth))
		add(q, EFFECT_DATABASE, first, name);
}

/* The account that may do everything, by the name that it is given when a server is set up. */
static bool is_master(const struct sql_token *t)
{
	static const char *const names[] = { "postgres", "root",   "admin",    "sa",
					     "sys",      "system", "rdsadmin", "dba" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if ((t->kind == SQL_WORD || t->kind == SQL_TEXT) &&
		    str_eqz_icase(t->text, names[i]))
			return true;
	return false;
}

static void alter(struct sql *q, size_t i)
{
	const struct sql_token *first = &q->t[i++];
	struct str name;

	if (is_one(token(q, i), "user|role|login")) {
		if (find_word(q, i, first->depth, "superuser|sysadmin") < q->n ||
		    (is_master(token(q, i + 1)) &&
		     find_word(q, i, first->depth, "password|identified") < q->n))
			add(q, EFFECT_PRIVILEGES, first, STR("superuser"));
		return;
	}
	if (is(token(q, i), "system")) { /* archive_command and its kin are run by a shell */
		for (; i < q->n; i++)
			if (q->t[i].kind == SQL_WORD && str_ends(q->t[i].text, STR("_command")) &&
			    token(q, i + 2)->kind == SQL_TEXT) {
				add(q, EFFECT_PERSIST, first, q->t[i].text);
				run_shell(q, token(q, i + 2)->text);
			}
		return;
	}
	while (is_one(token(q, i), "foreign|external|ignore"))
		i++;
	if (!is(token(q, i), "table"))
		return;
	for (i++; is_one(token(q, i), "if|exists|only");)
		i++;
	name = name_at(q, i, &i);
	for (; i < q->n; i++) {
		if (is(&q->t[i], "disable") && is(token(q, i + 1), "row"))
			add(q, EFFECT_GUARD_OFF, first, name);
		if (is_one(&q->t[i], "drop|truncate|discard") && q->t[i].depth == first->depth &&
		    !is_one(token(q, i + 1),
			    "constraint|index|key|primary|foreign|check|default|not|identity|"
			    "expression|statistics|tag") &&
		    token(q, i + 1)->kind != SQL_END && !is_temporary(q, name)) {
			add(q, EFFECT_DATABASE, first, name);
			return;
		}
		if (is(&q->t[i], "delete") && is(token(q, i + 1), "where") &&
		    is_always_true(q, i + 2, first->depth))
			add(q, EFFECT_DATABASE, first, name);
	}
}

static void create(struct sql *q, size_t i)
{
	const struct sql_token *first = &q->t[i++];
	bool temporary = false;
	struct str name;

	while (is_one(token(q, i), "or|replace|local|global|temp|temporary|unlogged|volatile"))
		temporary |= is_one(token(q, i++), "temp|temporary|volatile");
	if (is_one(token(q, i), "user|role|login") &&
	    find_word(q, i, first->depth, "superuser") < q->n)
		add(q, EFFECT_PRIVILEGES, first, STR("superuser"));
	if (!temporary || !is(token(q, i), "table"))
		return;
	for (i++; is_one(token(q, i), "if|not|exists");)
		i++;
	name = name_at(q, i, &i);
	if (q->ntemporary < TEMPORARY_MAX)
		q->temporary[q->ntemporary++] = name;
}

/* To everybody, or everything: "public" and "superuser" are what rules know them by. */
static void grant(struct sql *q, size_t i)
{
	const struct sql_token *first = &q->t[i];
	size_t to = find_word(q, i, first->depth, "to");
	bool all = is(token(q, i + 1), "all"), everything = false;

	for (size_t k = i; k + 2 < to; k++) /* ON *.* */
		everything |= is(&q->t[k], "on") && str_eqz(q->t[k + 1].text, "*") &&
			      str_eqz(q->t[k + 2].text, ".");
	if (is_one(token(q, i + 1),
		   "superuser|dba|sysadmin|accountadmin|rds_superuser|cloudsqlsuperuser|"
		   "pg_execute_server_program|pg_write_server_files") ||
	    (all && everything))
		add(q, EFFECT_PRIVILEGES, first, STR("superuser"));
	else if (is_one(token(q, to + 1), "public|guest|anonymous"))
		add(q, EFFECT_PRIVILEGES, first, all ? STR("public") : STR(""));
	else if (all)
		add(q, EFFECT_PRIVILEGES, first, STR(""));
}

static void copy(struct sql *q, size_t i)
{
	const struct sql_token *first = &q->t[i];
	size_t way = find_word(q, i, first->depth, "to|from");
	const struct sql_token *t = token(q, way + 1);

	if (is(t, "program"))
		add(q, EFFECT_PRIVILEGES, first, STR("server program"));
	if (is(t, "program") && token(q, way + 2)->kind == SQL_TEXT)
		run_shell(q, token(q, way + 2)->text);
	else if (t->kind == SQL_TEXT)
		add_path(q, is(token(q, way), "to") ? EFFECT_OVERWRITE : EFFECT_READ, first,
			 t->text);
}

/* exec, execute immediate, prepare x from, do: text in the statement is SQL. */
static void execute(struct sql *q, size_t i)
{
	AUTO(buf_done) struct buf out = { 0 };
	bool shell = false;

	for (size_t k = i; k < q->n; k++) {
		struct str name = q->t[k].text;

		shell |= name.n >= 11 &&
			 str_eq_icase(str_sub(name, name.n - 11, name.n), STR("xp_cmdshell"));
		if (q->t[k].kind == SQL_TEXT)
			buf_adds(&out, name);
	}
	if (out.n == 0)
		return;
	if (shell) /* of Windows, and since a while of Linux, too */
		run_shell(q, arena_str(q->e->arena, buf_str(&out)));
	if (effects_too_deep(q->e)) {
		effects_unjudged(q->e, q->words);
		return;
	}
	q->e->depth++;
	effects_of_code(q->e, shell ? CODE_POWERSHELL : CODE_SQL,
			arena_str(q->e->arena, buf_str(&out)), q->words);
	q->e->depth--;
}

/* MERGE deletes what its condition joins: everything, when that is always true. */
static void merge(struct sql *q, size_t i)
{
	const struct sql_token *first = &q->t[i++];
	size_t on = find_word(q, i, first->depth, "on"), end = q->n, deletes;

	i += is(token(q, i), "into");
	deletes = find_word(q, on, first->depth, "delete");
	if (on < end && deletes < end && is(&q->t[deletes - 1], "then") &&
	    is_always_true(q, on + 1, first->depth))
		add(q, EFFECT_DATABASE, first, name_at(q, i, &i));
}

/* RESTORE DATABASE x FROM ... WITH REPLACE takes the place of what is there. */
static void restore(struct sql *q, size_t i)
{
	const struct sql_token *first = &q->t[i];

	if (is_one(token(q, i + 1), "database") && find_word(q, i, first->depth, "replace") < q->n)
		add_database(q, first, name_at(q, i + 2, &i));
}

static void lose(struct sql *q, size_t i)
{
	add(q, EFFECT_DATABASE, &q->t[i], (struct str){ 0 });
}

static void shut_down(struct sql *q, size_t i)
{
	if (q->n <= i + 2)
		add(q, EFFECT_SHUTDOWN, &q->t[i], (struct str){ 0 });
}

/* What a statement, or a part of one, begins with. */
static const struct {
	const char *verb, *then; /* the next word, or NULL */
	void (*read)(struct sql *q, size_t i);
} verbs[] = {
	{ "drop", NULL, drop },
	{ "truncate", NULL, truncate_table },
	{ "delete", NULL, delete_rows },
	{ "update", NULL, update_rows },
	{ "alter", NULL, alter },
	{ "create", NULL, create },
	{ "grant", NULL, grant },
	{ "copy", NULL, copy },
	{ "exec", NULL, execute },
	{ "execute", NULL, execute },
	{ "prepare", NULL, execute },
	{ "do", NULL, execute },
	{ "shutdown", NULL, shut_down },
	{ "merge", NULL, merge },
	{ "restore", NULL, restore },
	{ "remove", NULL, drop },
	{ "detach", "delete", delete_nodes },
	{ "purge", "binary|master|recyclebin|dba_recyclebin|table", lose },
	{ "reset", "master|binary", lose },
	{ "lo_unlink", NULL, lose },
};

/* Functions and clauses that reach files, wherever they are: the text behind them is a path. */
static const struct {
	const char *name, *then;
	enum effect_kind kind;
} files[] = {
	{ "into", "outfile|dumpfile", EFFECT_WRITE },
	{ "load_file", NULL, EFFECT_READ },
	{ "pg_read_file|pg_read_binary_file|pg_ls_dir", NULL, EFFECT_READ },
	{ "lo_import", NULL, EFFECT_READ },
	{ "lo_export", NULL, EFFECT_OVERWRITE },
	{ "infile", NULL, EFFECT_READ },
	{ "writefile", NULL, EFFECT_OVERWRITE },
	{ "openrowset", NULL, EFFECT_READ },
	{ "attach", NULL, EFFECT_READ },
};

static bool may_begin(const struct sql *q, size_t i)
{
	const struct sql_token *before;

	if (i == 0)
		return true;
	before = &q->t[i - 1];
	if (is_one(before, "begin|then|else|as|loop|analyze|analyse|explain|go"))
		return true;
	return before->kind == SQL_OTHER &&
	       (str_eqz(before->text, "(") || str_eqz(before->text, ")") ||
		str_eqz(before->text, ":"));
}

/* BEGIN; DROP TABLE x; ROLLBACK; does nothing to x. */
static void see_transaction(struct sql *q)
{
	/* Of servers whose transactions take back what changes tables, too. */
	static const char clients[] = "psql pgcli usql sqlite3 sqlite litecli duckdb";
	ptrdiff_t blank = str_chr(q->words, ' ', 0);
	struct str client = str_sub(q->words, 0, blank < 0 ? q->words.n : (size_t)blank);
	size_t n = q->n;

	if (n > 1 && is_one(&q->t[n - 1], "transaction|work|tran"))
		n--;
	if (q->n && (n == 1 || is(&q->t[0], "start")) && is_one(&q->t[0], "begin|start")) {
		q->begun = word_in_text(client, clients) &&
			   str_find(q->s, STR("\xe2\x80\xa6"), 0) < 0; /* all of it is known */
		q->before = q->e->n;
	} else if (q->begun && n == 1 && is_one(&q->t[0], "rollback|abort")) {
		effects_undo(q->e, q->before, 1u << EFFECT_DATABASE);
		q->begun = false;
	} else if (q->n && is_one(&q->t[0], "commit|end|prepare|rollback|abort|begin|start")) {
		q->begun = false;
	}
}

static void statement(struct sql *q)
{
	see_transaction(q);
	if (q->n == 0 || (is(&q->t[0], "explain") && find_word(q, 0, 0, "analyze|analyse") >= q->n))
		return;
	for (size_t i = 0; i < q->n; i++) {
		if (q->t[i].kind != SQL_WORD)
			continue;
		/* What is lost by a function is lost wherever it is called. */
		if (may_begin(q, i) || is(&q->t[i], "lo_unlink"))
			for (size_t k = 0; k < ARRAY_LEN(verbs); k++)
				if (is(&q->t[i], verbs[k].verb) &&
				    (!verbs[k].then || is_one(token(q, i + 1), verbs[k].then)))
					verbs[k].read(q, i);
		for (size_t k = 0; k < ARRAY_LEN(files); k++) {
			size_t at = i + 1 + (files[k].then != NULL);

			if (!is_one(&q->t[i], files[k].name) ||
			    (files[k].then && !is_one(token(q, i + 1), files[k].then)))
				continue;
			while (at < q->n && at < i + 6 && q->t[at].kind != SQL_TEXT)
				at++;
			if (token(q, at)->kind == SQL_TEXT)
				add_path(q, files[k].kind, &q->t[i], token(q, at)->text);
		}
	}
}

/* ---- text ---- */

static char peek(const struct sql *q, size_t ahead)
{
	return str_at(q->s, q->i + ahead);
}

static void put(struct sql *q, enum token kind, size_t at, size_t from, size_t to)
{
	if (q->n == STATEMENT_MAX)
		effects_unjudged(q->e, q->words);
	else
		q->t[q->n++] = (struct sql_token){ .kind = kind,
						   .text = str_sub(q->s, from, to),
						   .depth = q->depth,
						   .at = at,
						   .end = q->i };
}

/*
 * Servers do not agree about \': it ends the text where what follows looks like the end of it.
 */
static void read_text(struct sql *q, char quote, enum token kind)
{
	size_t at = q->i, to;

	for (q->i++; q->i < q->s.n; q->i++) {
		char c = q->s.p[q->i];

		if (c == '\\' && peek(q, 1) == '\\')
			q->i++;
		else if (c == '\\' && peek(q, 1) == quote && peek(q, 2) &&
			 !strchr(";,) \n\t", peek(q, 2)))
			q->i++;
		else if (c == quote && peek(q, 1) == quote)
			q->i++;
		else if (c == quote)
			break;
	}
	to = min_size(q->i, q->s.n);
	q->i = min_size(q->i + 1, q->s.n);
	put(q, kind, at, at + 1, to);
}

/* $tag$ ... $tag$ */
static bool read_dollars(struct sql *q)
{
	size_t n = 1, at = q->i;
	ptrdiff_t end;
	struct str tag;

	while (char_is_word(peek(q, n)))
		n++;
	if (peek(q, n) != '$')
		return false;
	tag = str_sub(q->s, q->i, q->i + n + 1);
	end = str_find(q->s, tag, q->i + tag.n);
	q->i = end < 0 ? q->s.n : (size_t)end + tag.n;
	put(q, SQL_TEXT, at, at + tag.n, end < 0 ? q->s.n : (size_t)end);
	return true;
}

static bool skip_comment(struct sql *q)
{
	char c = peek(q, 0), next = peek(q, 1);
	ptrdiff_t end;

	if (c == '/' && next == '*' && peek(q, 2) == '!') { /* MySQL runs it */
		q->i += 3;
		while (char_is_digit(peek(q, 0)))
			q->i++;
		return true;
	}
	if (c == '*' && next == '/') {
		q->i += 2;
		return true;
	}
	if (c == '/' && next == '*') {
		end = str_find(q->s, STR("*/"), q->i + 2);
		q->i = end < 0 ? q->s.n : (size_t)end + 2;
		return true;
	}
	if ((c == '-' && next == '-') || (c == '#' && (q->n == 0 || !char_is_word(next)))) {
		end = str_chr(q->s, '\n', q->i);
		q->i = end < 0 ? q->s.n : (size_t)end;
		return true;
	}
	return false;
}

/* Commands of psql, mysql, sqlite3 and sqlplus: a line each. */
static bool read_meta(struct sql *q)
{
	static const struct {
		const char *name;
		bool shell;
		enum effect_kind kind;
	} commands[] = {
		{ "\\!", true, 0 },
		{ "\\o |", true, 0 },
		{ "\\g |", true, 0 },
		{ ".shell ", true, 0 },
		{ ".system ", true, 0 },
		{ ".output |", true, 0 },
		{ ".once |", true, 0 },
		{ ".import |", true, 0 },
		{ "system ", true, 0 },
		{ "host ", true, 0 },
		{ "!", true, 0 },
		{ "\\o ", false, EFFECT_OVERWRITE },
		{ ".output ", false, EFFECT_OVERWRITE },
		{ ".once ", false, EFFECT_OVERWRITE },
		{ ".backup ", false, EFFECT_OVERWRITE },
		{ ".save ", false, EFFECT_OVERWRITE },
		{ ".log ", false, EFFECT_OVERWRITE },
		{ ".load ", false, EFFECT_RUN_UNSEEN },
		{ ".read ", false, EFFECT_READ },
		{ "\\i ", false, EFFECT_READ },
	};
	ptrdiff_t end = str_chr(q->s, '\n', q->i);
	struct str line = str_sub(q->s, q->i, end < 0 ? q->s.n : (size_t)end), rest;
	ptrdiff_t program;

	for (size_t k = 0; k < ARRAY_LEN(commands); k++) {
		if (!str_starts_icase(line, str_from(commands[k].name)))
			continue;
		rest = str_trim(str_sub(line, strlen(commands[k].name), line.n));
		put(q, SQL_OTHER, q->i, q->i, q->i + line.n);
		q->t[0].end = q->i + line.n;
		q->n = 1;
		if (commands[k].shell)
			run_shell(q, rest);
		else if (rest.n)
			add_path(q, commands[k].kind, &q->t[0], rest);
		q->n = 0;
		q->i += line.n;
		return true;
	}
	if (line.p[0] != '\\' && line.p[0] != '.')
		return false;
	program = str_find(line, STR("program '"), 0); /* \copy t to program '...' */
	if (program > 0 && line.p[1] == 'c')
		run_shell(q, str_sub(line, (size_t)program + 9,
				     line.n - (line.p[line.n - 1] == '\'')));
	q->i += line.n;
	return true;
}

static void read_one(struct sql *q)
{
	char c = peek(q, 0);
	size_t at = q->i;

	if (c == '\n')
		q->line = true;
	if (c == CODE_GAP) { /* a name, likely */
		q->i++;
		put(q, SQL_WORD, at, at, q->i);
		return;
	}
	if ((unsigned char)c <= ' ') {
		q->i++;
		return;
	}
	if ((q->line || q->n == 0) && q->n == 0 && c && strchr("\\.!sShH", c) && read_meta(q)) {
		q->begun = false; /* \c: another connection */
		return;
	}
	if (c == '\\' && str_starts(str_sub(q->s, q->i, q->s.n), STR("\\gexec"))) {
		execute(q, 0); /* psql runs what the statement gives */
		q->n = 0;
		q->i += strlen("\\gexec");
		return;
	}
	if (skip_comment(q))
		return;
	q->line = false;
	if (c == '\'') {
		read_text(q, c, SQL_TEXT);
	} else if (c == '"' || c == '`') {
		read_text(q, c, SQL_NAME);
	} else if (c == '$' && read_dollars(q)) {
	} else if (c == '[' && char_is_word(peek(q, 1)) && !char_is_digit(peek(q, 1))) {
		ptrdiff_t end = str_chr(q->s, ']', q->i);

		q->i = end < 0 ? q->s.n : (size_t)end + 1;
		put(q, SQL_NAME, at, at + 1, end < 0 ? q->s.n : (size_t)end);
	} else if (char_is_digit(c)) {
		while (char_is_word(peek(q, 0)) || peek(q, 0) == '.')
			q->i++;
		put(q, SQL_OTHER, at, at, q->i);
	} else if (char_is_word(c) || c == '#' || c == '@' || (unsigned char)c >= 0x80) {
		q->i++;
		while (char_is_word(peek(q, 0)) || (unsigned char)peek(q, 0) >= 0x80)
			q->i++;
		if (peek(q, 0) == '\'' && q->i == at + 1 && strchr("NnEeBbXxUu", c))
			return; /* N'...' */
		put(q, SQL_WORD, at, at, q->i);
	} else if (c == ';') {
		statement(q);
		q->n = 0;
		q->depth = 0;
		q->i++;
	} else {
		if (c == ')' && q->depth)
			q->depth--;
		q->i += (c == '<' && peek(q, 1) == '>') || (c == '!' && peek(q, 1) == '=') ||
					(c == '=' && peek(q, 1) == '=') ||
					(c == '|' && peek(q, 1) == '|')
				? 2
				: 1;
		put(q, SQL_OTHER, at, at, q->i);
		if (c == '(')
			q->depth++;
	}
}

void code_read_sql(struct effects *e, struct str text, struct str words)
{
	struct sql q = {
		.e = e, .s = str_sub(text, 0, CODE_TEXT_MAX), .words = words, .line = true
	};

	q.t = arena_raw(e->arena, STATEMENT_MAX * sizeof *q.t);
	while (q.i < q.s.n) {
		read_one(&q);
		/* T-SQL's GO, and statements without ";" in front of the next */
		if (q.n && is(&q.t[q.n - 1], "go") && (peek(&q, 0) == '\n' || q.i >= q.s.n)) {
			q.n--;
			statement(&q);
			q.n = 0;
		}
	}
	statement(&q);
	if (text.n > CODE_TEXT_MAX)
		effects_unjudged(e, words);
}
