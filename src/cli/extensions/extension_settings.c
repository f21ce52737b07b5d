/*
 * Values of an extension's settings: .env in its directory, which only the user may read, or in the
 * project's, which count there.  Gemini CLI
 * keeps those that are sensitive in a keyring of its own, and reads the others there, too.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "base/env.h"
#include "base/env_line.h"
#include "cli/ask_line.h"
#include "cli/extensions/extensions.h"
#include "os/fs.h"

enum { ENV_FILE_MAX = 64 << 10 };

static struct str variable_of(const struct json *setting)
{
	return json_get_str(setting, "envVar");
}

size_t settings_missing(const struct extension *e)
{
	const struct json *all = json_getz(e->manifest, "settings");
	size_t n = 0;

	for (size_t i = 0; json_is(all, J_ARR) && i < all->n; i++)
		n += env_name_is_valid(variable_of(json_at(all, i))) &&
		     !env_find(e->env, variable_of(json_at(all, i)));
	return n;
}

/* ---- the file ---- */

/* The file with another value of this variable; "" takes it out.  The other lines stay. */
static int put(const struct settings_wanted *wanted, struct str variable, struct str value,
	       struct err *err)
{
	AUTO(free) char *path = fs_join(wanted->dir, ".env");
	AUTO(buf_done) struct buf old = { 0 }, now = { 0 };
	struct stat st;
	int r;

	/* A project could have anything written by that. */
	if (wanted->project && lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return err_set(err, E_INVAL, "%s is not a regular file; it is left alone", path);
	r = fs_read(path, ENV_FILE_MAX, &old, err);
	if (r < 0 && r != -E_NOTFOUND)
		return r;
	for (struct str rest = buf_str(&old), line; rest.n && str_split(&rest, '\n', &line);) {
		AUTO(buf_done) struct buf ignored = { 0 };
		struct str name;

		if (!env_line(line, &name, &ignored) || !str_eq(name, variable))
			buf_addf(&now, "%.*s\n", STR_ARG(line));
	}
	if (value.n) {
		bool plain = value.n > 0;

		/* Plain where that can be, else in double quotes with backslashes. */
		for (size_t i = 0; i < value.n; i++)
			plain &= char_is_word(value.p[i]) ||
				 strchr("-+./:=@%,~", value.p[i]) != NULL;
		buf_addf(&now, "%.*s=%s", STR_ARG(variable), plain ? "" : "\"");
		for (size_t i = 0; i < value.n; i++) {
			if (value.p[i] == '"' || value.p[i] == '\\')
				buf_addc(&now, '\\');
			buf_addc(&now, value.p[i]);
		}
		buf_addz(&now, plain ? "\n" : "\"\n");
	}
	if (!wanted->project)
		(void)chmod(path, 0600); /* others may have made it */
	return fs_replace(path, buf_str(&now), 0600, err);
}

/* ---- asking ---- */

/* 1 = go on, 0 = no answer. */
static int ask_one(struct wb *wb, const struct extension *e, const struct json *setting,
		   const struct settings_wanted *wanted, struct err *err)
{
	AUTO(buf_done) struct buf answer = { 0 }, question = { 0 };
	struct str variable = variable_of(setting);
	struct str about = json_get_str(setting, "description");
	bool secret = json_is_true(json_getz(setting, "sensitive"));
	const char *now = env_find(e->env, variable);
	int r;

	AUTO(free) char *title = xasprintf("%.*s (%.*s)%s%.*s",
					   STR_ARG(json_str(json_getz(setting, "name"), variable)),
					   STR_ARG(variable), about.n ? ": " : "", STR_ARG(about));
	sheet_text(&wb->sheet, BOLD, title, 0);
	if (secret && wanted->project) {
		sheet_f(&wb->sheet, PLAIN,
			"  is secret, and a project's .env may be read by others: --scope user "
			"keeps it.\n");
		return 1;
	}
	buf_addz(&question,
		 now ? "  new value, empty keeps the old one: " : "  value, empty for none: ");
	wb_flush(wb);
	r = ask_line(buf_z(&question), secret, &answer, err);
	if (r <= 0)
		return r;
	if (memchr(buf_z(&answer), '\0', answer.n))
		return err_set(err, E_INVAL, "a value cannot have a NUL byte");
	struct str value = str_trim(buf_str(&answer));
	r = value.n ? put(wanted, variable, value, err) : 0;
	return r < 0 ? r : 1;
}

int settings_ask(struct wb *wb, const struct extension *e, const struct settings_wanted *wanted,
		 struct err *err)
{
	const struct json *all = json_getz(e->manifest, "settings");
	bool found = false;

	for (size_t i = 0; json_is(all, J_ARR) && i < all->n; i++) {
		const struct json *s = json_at(all, i);
		int r;

		if (!env_name_is_valid(variable_of(s)) ||
		    !(!wanted->only || str_eqz(variable_of(s), wanted->only) ||
		      str_eqz(json_get_str(s, "name"), wanted->only)))
			continue;
		found = true;
		if (!wanted->again && env_find(e->env, variable_of(s)))
			continue;
		r = ask_one(wb, e, s, wanted, err);
		if (r <= 0)
			return r;
	}
	if (wanted->only && !found)
		return err_set(err, E_NOTFOUND, "\"%s\" has no setting \"%s\"", e->name,
			       wanted->only);
	return 0;
}
