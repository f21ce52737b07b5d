/*
 * Programs that are given statements of a database, or code of a framework, by an option, an
 * operand, a file or their input: a line each.  Interpreters of languages:
 * special_interpreters.c.
 */
#include <pthread.h>
#include <stdlib.h>

#include "shell/calls.h"

#include "effects/run.h"

/*
 * As a program_row: text and files are targets, several by |, with "@" for operands that begin with
 * one.  The program itself may be one of several.
 */
struct code_row {
	const char *pattern;
	enum code_language lang;
	const char *text; /* statements */
	const char *files; /* what is read from them */
	const char *database; /* the name or file of what they are for */
	bool input; /* without any of these standard input is read */
};

static const struct code_row rows[] = {
	/* servers */
	{ "psql|pgcli|usql|ysqlsh|vsql|nzsql|gsql|enhanced-psql", CODE_SQL, "-c|--command",
	  "-f|--file", "-d|--dbname|1", true },
	{ "mysql|mariadb|mycli|mysqlsh", CODE_SQL, "-e|--execute", "-f|--file", "-D|--database|1",
	  true },
	{ "sqlcmd|bsqldb|tsql|isql|isql-fb|osql|sqsh|fisql", CODE_SQL, "-Q|-q|--query",
	  "-i|--input-file", "-d|-D|--database-name", true },
	{ "sqlcmd query", CODE_SQL, "1", NULL, NULL, false },
	{ "sqlplus|sqlcl", CODE_SQL, NULL, "@", NULL, true },
	{ "db2|hdbsql", CODE_SQL, "1..", "-I|-f|-tvf", NULL, true },
	{ "mclient|taos", CODE_SQL, "-s|--statement", NULL, "-d|--database", true },
	{ "cbq", CODE_SQL, "-s|--script", "-f|--file", NULL, true },
	{ "aql|ksql", CODE_SQL, "-c|-e|--execute", "-f|--file", NULL, true },
	{ "cockroach sql|demo", CODE_SQL, "-e|--execute", "-f|--file", "-d|--database", true },
	{ "dolt sql", CODE_SQL, "-q|--query", "-f|--file", NULL, true },
	{ "rqlite|crash", CODE_SQL, "-c|--command", NULL, NULL, true },
	/* files, and memory */
	{ "sqlite3|sqlite|litecli", CODE_SQL, "2..|-cmd", "-init", "1", true },
	{ "sqlite-utils query", CODE_SQL, "2", NULL, "1", false },
	{ "duckdb", CODE_SQL, "-c|-s|-cmd|2..", "-f|-init", "1", true },
	/* warehouses */
	{ "clickhouse-client|clickhouse-local|clickhouse", CODE_SQL, "-q|--query", "--queries-file",
	  "-d|--database", true },
	{ "snowsql", CODE_SQL, "-q|--query", "-f|--filename", "-d|--dbname", true },
	{ "snow sql", CODE_SQL, "-q|--query", "-f|--filename", "--database", true },
	{ "bq query !--dry_run", CODE_SQL, "1..", NULL, NULL, true },
	{ "trino|presto|presto-cli|trino-cli", CODE_SQL, "--execute", "-f|--file", NULL, true },
	{ "hive|beeline|spark-sql|impala-shell", CODE_SQL, "-e|-q|--query", "-f|--query_file",
	  "--database", true },
	{ "databricks|dbsqlcli", CODE_SQL, "-e|--statement", NULL, NULL, false },
	{ "aws athena start-query-execution", CODE_SQL, "--query-string", NULL, NULL, false },
	{ "aws rds-data|redshift-data execute-statement|batch-execute-statement", CODE_SQL,
	  "--sql|--sqls", NULL, "--database", false },
	{ "aws timestream-query query", CODE_SQL, "--query-string", NULL, NULL, false },
	{ "aws dynamodb execute-statement", CODE_SQL, "--statement", NULL, NULL, false },
	{ "az postgres|mysql|mariadb flexible-server execute", CODE_SQL, "-q|--querytext",
	  "-f|--file-path", "-d|--database-name", false },
	{ "az postgres|mysql|mariadb flexible-server connect", CODE_SQL, "-q|--querytext", NULL,
	  "-d|--database-name", true },
	{ "gcloud spanner databases ddl update", CODE_SQL, "--ddl", "--ddl-file", "1", false },
	{ "gcloud spanner databases execute-sql", CODE_SQL, "--sql", NULL, "1", false },
	{ "gcloud sql connect", CODE_SQL, NULL, NULL, "-d|--database", true },
	/* platforms */
	{ "turso db shell", CODE_SQL, "2..", NULL, "1", true },
	{ "wrangler d1 execute !--local", CODE_SQL, "--command", "--file", "1", false },
	{ "heroku pg:psql|psql", CODE_SQL, "-c|--command", "-f|--file", NULL, true },
	{ "fly|flyctl postgres|pg|mpg connect", CODE_SQL, NULL, NULL, "-d|--database", true },
	{ "railway connect", CODE_SQL, NULL, NULL, NULL, true },
	{ "supabase db query|execute", CODE_SQL, "1|--sql", "-f|--file", NULL, true },
	{ "pscale shell", CODE_SQL, NULL, NULL, "1", true },
	{ "pscale sql", CODE_SQL, "-q|--query", NULL, "1", true },
	{ "xata shell", CODE_SQL, NULL, NULL, NULL, true },
	/* frameworks */
	{ "prisma db execute", CODE_SQL, NULL, "--file", NULL, true },
	{ "typeorm query", CODE_SQL, "1", NULL, NULL, false },
	{ "wp db query", CODE_SQL, "1", NULL, NULL, true },
	{ "drush sql:query|sql-query|sqlq", CODE_SQL, "1", "--file", NULL, false },
	{ "drush sql:cli|sql-cli|sqlc", CODE_SQL, NULL, NULL, NULL, true },
	{ "drush php:eval|php-eval|eval|ev", CODE_PHP, "1", NULL, NULL, false },
	{ "wp eval", CODE_PHP, "1", NULL, NULL, false },
	{ "n98-magerun|n98-magerun2 db:query", CODE_SQL, "1", NULL, NULL, false },
	{ "console doctrine:query:sql|dbal:run-sql|doctrine:query:dql", CODE_SQL, "1", NULL, NULL,
	  false },
	{ "doctrine dbal:run-sql|orm:run-dql", CODE_SQL, "1", NULL, NULL, false },
	{ "artisan db", CODE_SQL, NULL, NULL, NULL, true },
	{ "artisan tinker", CODE_PHP, "--execute", "1", NULL, true },
	{ "manage.py|django-admin dbshell", CODE_SQL, "--", NULL, NULL, true },
	{ "manage.py|django-admin shell|shell_plus", CODE_PYTHON, "-c|--command", NULL, NULL,
	  true },
	{ "flask shell", CODE_PYTHON, NULL, NULL, NULL, true },
	{ "rails db|dbconsole", CODE_SQL, NULL, NULL, NULL, true },
	{ "rails runner|r", CODE_RUBY, "1", "1", NULL, true },
	{ "rails console|c", CODE_RUBY, NULL, NULL, NULL, true },
	/* other languages of statements */
	{ "cqlsh|ycqlsh|cqlsh-expansion", CODE_SQL, "-e|--execute", "-f|--file", "-k|--keyspace",
	  true },
	{ "influx", CODE_SQL, "-execute", NULL, "-database", true },
	{ "influxdb3 query", CODE_SQL, "1..", "-f|--file", "-d|--database", true },
	{ "cypher-shell", CODE_SQL, "1..", "-f|--file", "-d|--database", true },
	{ "surreal sql", CODE_SQL, NULL, NULL, "--db|--database", true },
	{ "edgedb|gel query", CODE_SQL, "1..", "-f|--file", "-b|-d|--database", false },
	{ "edgedb|gel", CODE_SQL, "-c", NULL, "-b|-d|--database", true },
	{ "mongosh|mongo", CODE_MONGO, "--eval", "-f|--file|1..", "1", true },
	{ "redis-cli|valkey-cli|keydb-cli|iredis", CODE_REDIS, "1..", "--eval", NULL, true },
};

enum { NAMES_MAX = 256 };

/* The rows by the names of their programs: "psql|pgcli" has two. */
static struct {
	struct name {
		struct str text;
		const struct code_row *row;
	} p[NAMES_MAX];
	size_t n;
} names;

static struct str programs_of(const struct code_row *row)
{
	return (struct str){ row->pattern, strcspn(row->pattern, " ") };
}

static int names_compare(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int c = str_cmp(x->text, y->text);

	return c ? c : (x->row > y->row) - (x->row < y->row);
}

static void names_make(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct str rest = programs_of(&rows[i]), one;

		while (str_split(&rest, '|', &one)) {
			if (names.n == NAMES_MAX)
				BUG();
			names.p[names.n++] = (struct name){ one, &rows[i] };
		}
	}
	qsort(names.p, names.n, sizeof *names.p, names_compare);
}

/* The first of a name, in the order of the rows; the others are behind it.  NULL: none. */
static const struct name *names_find(struct str name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t lo = 0, hi;

	(void)pthread_once(&once, names_make);
	for (hi = names.n; lo < hi;) {
		size_t mid = (lo + hi) / 2;

		if (str_cmp(names.p[mid].text, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < names.n && str_eq(names.p[lo].text, name) ? &names.p[lo] : NULL;
}

static bool is_name(const struct name *at, struct str name)
{
	return at && at < names.p + names.n && str_eq(at->text, name);
}

bool code_knows(struct str name)
{
	return names_find(name) != NULL;
}

struct str code_find(struct str value)
{
	struct str one;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		for (struct str rest = programs_of(&rows[i]); str_split(&rest, '|', &one);)
			if (value_fits(value, one))
				return one;
	}
	return STR("");
}

/* The options of a target take a value. */
static void add_valued(struct run *r, struct text *t, const char *target)
{
	struct str one;

	for (struct str rest = target ? str_from(target) : STR(""); str_split(&rest, '|', &one);)
		if (one.n > 1 && one.p[0] == '-' && !char_is_digit(one.p[1])) {
			text_add(r, t, STR(" "));
			text_add(r, t, one);
		}
}

/* A word as redis-cli would quote it. */
static struct str redis_word(struct run *r, struct str word)
{
	struct text t = { 0 };

	for (size_t i = 0; i < word.n; i++) {
		text_add(r, &t, word.p[i] == '"' || word.p[i] == '\\' ? STR("\\") : STR(""));
		text_add(r, &t, word.p[i] == '\n' ? STR(" ") : str_sub(word, i, i + 1));
	}
	return arena_printf(r->a, "\"%.*s\"", STR_ARG(text_str(&t)));
}

/* What several options or operands say, as one text. */
static struct str joined_code(struct run *r, enum code_language lang, const struct fields *parts)
{
	struct text t = { 0 };

	for (size_t i = 0; i < parts->n; i++) {
		bool quoted = lang == CODE_REDIS && parts->n > 1 &&
			      strpbrk(arena_z(r->a, parts->p[i]), " \n\"'");

		if (i)
			text_add(r, &t,
				 lang == CODE_REDIS ? STR(" ")
				 : lang == CODE_SQL ? STR("\n;\n")
						    : STR("\n"));
		text_add(r, &t, quoted ? redis_word(r, parts->p[i]) : parts->p[i]);
	}
	return text_str(&t);
}

static void run_file(struct run *r, const struct call *c, enum code_language lang, struct str path)
{
	struct str text;

	if (str_starts(path, STR("@")))
		path = str_sub(path, 1, path.n);
	if (is_input_path(path)) {
		if (r->has_in)
			call_code(r, c, lang, r->in);
	} else if (file_read(r, path, &text)) {
		call_code(r, c, lang, text);
	}
}

/*
 * Statements make statements: select 'drop table ' || name.  What is quoted in them is a part of
 * what they print.
 */
static void emit_texts(struct run *r, struct str code)
{
	run_pass_on(r);
	if (!r->out)
		return;
	for (size_t i = 0; i < code.n; i++) {
		ptrdiff_t end = code.p[i] == '\'' ? str_chr(code, '\'', i + 1) : -1;

		if (end < 0)
			continue;
		run_emit(r, STR("\n;\n"));
		run_emit(r, str_sub(code, i + 1, (size_t)end));
		i = (size_t)end;
	}
}

/* Where all that a client works on lies, if none of it is elsewhere or named by the text itself. */
static unsigned shared_places(struct run *r, const struct args *a, struct str program,
			      const struct fields *database, struct str code)
{
	static const char *const leading[] = { "\\c ",         "\\connect",  "attach ",
					       "getsiblingdb", "connect to", ".open " };
	const struct option *host = args_option(a, "-h|--host|--hostname");
	unsigned places = database->n ? ~0u : made_places(r, a, program, STR(""));
	struct str rest = code, statement;

	for (size_t i = 0; i < database->n; i++)
		places &= made_places(r, a, program, database->p[i]) |
			  effect_database_places(
				  r->e->world, str_chr(database->p[i], ':', 0) < 0 &&
							       str_chr(database->p[i], '.', 0) >= 0
						       ? joined(r, database->p[i])
						       : database->p[i]);
	if (host && host->value.n && !address_is_local(host->value))
		return places & ~(unsigned)PLACE_TEMP;
	for (size_t i = 0; i < ARRAY_LEN(leading); i++)
		if (str_find_icase(code, str_from(leading[i]), 0) >= 0)
			return places & ~(unsigned)PLACE_TEMP;
	while (rest.n && str_split(&rest, ';', &statement))
		if (str_starts_icase(str_trim(statement), STR("use ")))
			return places & ~(unsigned)PLACE_TEMP;
	return places;
}

static void apply_row(struct run *r, const struct call *c, const struct args *a,
		      const struct code_row *row, size_t next)
{
	struct fields text = { 0 }, files = { 0 }, database = { 0 };
	struct run inner = *r;
	unsigned places = r->e->places;
	struct str code;

	args_targets(r, a, next, row->text, &text);
	args_targets(r, a, next, row->files, &files);
	args_targets(r, a, next, row->database, &database);
	for (size_t i = 0; i < database.n; i++) /* a file: of cookies, perhaps */
		if (str_chr(database.p[i], '/', 0) >= 0 && str_chr(database.p[i], ':', 0) < 0)
			call_path(r, c, (struct effect){ .kind = EFFECT_READ }, database.p[i]);
	code = joined_code(r, row->lang, &text);
	r->e->places |= shared_places(r, a, sh_file_name(c->words[0]), &database, code);
	inner.out = NULL;
	if (code.n)
		call_code(&inner, c, row->lang, code);
	for (size_t i = 0; i < files.n; i++)
		run_file(&inner, c, row->lang, files.p[i]);
	if (!code.n && row->input && r->has_in && !str_eq(str_trim(r->in), ANY)) {
		code = r->in;
		call_code(&inner, c, row->lang, code);
	}
	r->e->places = places;
	if (row->lang == CODE_SQL)
		emit_texts(r, code);
	else if (row->lang == CODE_REDIS) {
		/* KEYS * and --scan: what names every key. */
		const struct option *pattern = args_option(a, "--pattern");

		if (a->noperands > 1 &&
		    (str_eqz(a->operands[0], "KEYS") || str_eqz(a->operands[0], "keys")))
			run_emit(r, arena_printf(r->a, "\n%.*s\n", STR_ARG(a->operands[1])));
		else if (args_option(a, "--scan"))
			run_emit(r,
				 pattern ? arena_printf(r->a, "\n%.*s\n", STR_ARG(pattern->value))
					 : STR("\n*\n"));
	}
}

bool code_apply(struct run *r, const struct call *c, struct str name)
{
	const struct name *first = names_find(name);
	struct args a;
	size_t next;

	if (first) {
		const char *known = program_valued(name);
		struct text t = { 0 };

		text_add(r, &t, str_from(known ? known : ""));
		for (const struct name *at = names_find(name); is_name(at, name); at++) {
			add_valued(r, &t, at->row->text);
			add_valued(r, &t, at->row->files);
			add_valued(r, &t, at->row->database);
		}
		args_read(r, &a, c, arena_z(r->a, text_str(&t)));
	}
	for (const struct name *at = first; is_name(at, name); at++) {
		struct str pattern = str_from(at->row->pattern);

		if (args_fit(&a, str_sub(pattern, programs_of(at->row).n + 1, pattern.n), &next))
			apply_row(r, c, &a, at->row, next);
	}
	return first != NULL;
}
