/* Redis: a command each line, and what its scripts call. */
#include "effects/code.h"

static const struct {
	const char *command, *then; /* the second word, or NULL; a key that is "*": behind KEYS * */
	enum effect_kind kind;
} redis[] = {
	{ "flushall", NULL, EFFECT_DATABASE },     { "flushdb", NULL, EFFECT_DATABASE },
	{ "cluster", "reset", EFFECT_DATABASE },   { "function", "flush", EFFECT_DATABASE },
	{ "shutdown", NULL, EFFECT_SHUTDOWN },     { "debug", "segfault", EFFECT_SHUTDOWN },
	{ "module", "load", EFFECT_RUN_UNSEEN },   { "slaveof", NULL, EFFECT_DATABASE },
	{ "replicaof", NULL, EFFECT_DATABASE },    { "swapdb", NULL, EFFECT_DATABASE },
	{ "del", "*", EFFECT_DATABASE },           { "unlink", "*", EFFECT_DATABASE },
	{ "ft.dropindex", NULL, EFFECT_DATABASE }, { "graph.delete", NULL, EFFECT_DATABASE },
	{ "acl", "deluser", EFFECT_DATABASE },
};

enum { REDIS_WORDS = 8 };

static size_t redis_words(struct str line, struct str *w)
{
	size_t n = 0;

	for (size_t i = 0; i < line.n && n < REDIS_WORDS;) {
		char q = line.p[i];
		size_t from = i;

		if (strchr(" \t\r", q)) {
			i++;
			continue;
		}
		if (q == '"' || q == '\'') {
			for (from = ++i; i < line.n && line.p[i] != q;)
				i += line.p[i] == '\\' ? 2 : 1;
			i = min_size(i, line.n);
			w[n++] = str_sub(line, from, i++);
			continue;
		}
		while (i < line.n && !strchr(" \t\r", line.p[i]))
			i++;
		w[n++] = str_sub(line, from, i);
	}
	return n;
}

/*
 * DEL and its kin behind --scan or KEYS: what fits a pattern goes.  *ret_all: that is everything.
 * What is called a cache, or temporary, comes back.
 */
static bool names_keys(struct str key, bool *ret_all)
{
	static const char *const passing[] = { "cache", "tmp", "temp", "test", "dev" };

	if (str_chr(key, '*', 0) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(passing); i++)
		if (str_find_icase(key, str_from(passing[i]), 0) >= 0)
			return false;
	*ret_all = str_eqz(key, "*");
	return true;
}

/* Is a command called in a script: redis.call('flushall')? */
static bool script_calls(struct str script, const char *command)
{
	size_t n = strlen(command);

	for (size_t i = 0; i + n + 1 < script.n; i++)
		if ((script.p[i] == '\'' || script.p[i] == '"') &&
		    (script.p[i + n + 1] == '\'' || script.p[i + n + 1] == '"' ||
		     script.p[i + n + 1] == '\\') &&
		    str_eqz_icase(str_sub(script, i + 1, i + 1 + n), command))
			return true;
	return false;
}

/* Lua that empties a database: at once, or key by key. */
static void redis_script(struct effects *e, struct str script, struct str line)
{
	bool all = script_calls(script, "keys") || script_calls(script, "scan"),
	     deletes = script_calls(script, "del") || script_calls(script, "unlink");

	if (script_calls(script, "flushall") || script_calls(script, "flushdb") ||
	    (all && deletes && script_calls(script, "*")))
		effects_add(e, &(struct effect){ .kind = EFFECT_DATABASE, .words = line });
}

void code_read_redis(struct effects *e, struct str text, struct str words)
{
	struct str dir = { 0 }, line, cwd = effects_cwd(e);

	if (text.n > CODE_TEXT_MAX)
		effects_unjudged(e, words);
	for (struct str rest = str_sub(text, 0, CODE_TEXT_MAX); str_split(&rest, '\n', &line);) {
		struct str w[REDIS_WORDS] = { 0 };
		size_t n = redis_words(line, w);
		struct effect effect = { .words = str_sub(str_trim(line), 0, 160) };

		for (size_t i = 0; n && i < ARRAY_LEN(redis); i++)
			if (str_eqz_icase(w[0], redis[i].command) &&
			    (!redis[i].then || str_eqz_icase(w[1], redis[i].then) ||
			     (redis[i].then[0] == '*' && names_keys(w[2], &effect.recursive))) &&
			    !(str_eqz_icase(w[0], "slaveof") && str_eqz_icase(w[1], "no")) &&
			    !(str_eqz_icase(w[0], "replicaof") && str_eqz_icase(w[1], "no"))) {
				effect.kind = redis[i].kind;
				/* a server that the text has started itself */
				if (effect.kind == EFFECT_SHUTDOWN && (e->places & PLACE_TEMP))
					continue;
				effects_add(e, &effect);
			}
		if ((n > 1 && str_eqz_icase(w[0], "eval")) || str_find(line, STR("redis."), 0) >= 0)
			redis_script(e, line, effect.words);
		if (n > 3 && str_eqz_icase(w[0], "config") && str_eqz_icase(w[1], "set")) {
			if (str_eqz_icase(w[2], "dir"))
				dir = w[3];
			effect.kind = EFFECT_OVERWRITE;
			if (str_eqz_icase(w[2], "dbfilename"))
				effects_add_path(e, &effect, w[3], dir.n ? dir : cwd);
			else if (str_eqz_icase(w[2], "dir"))
				effects_add_path(
					e, &effect,
					arena_printf(e->arena, "%.*s/dump.rdb", STR_ARG(w[3])),
					cwd);
		}
	}
}
