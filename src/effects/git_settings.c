#include "effects/git_settings.h"

#include "base/words.h"

bool git_setting_runs(struct str key)
{
	static const char whole[] =
		"core.pager core.editor core.sshcommand core.fsmonitor core.askpass diff.external "
		"sequence.editor gpg.program core.gitproxy interactive.difffilter core.hookspath "
		"core.alternaterefscommand uploadpack.packobjectshook sendemail.smtpserver "
		"sendemail.tocmd sendemail.cccmd instaweb.browser help.browser web.browser";
	static const struct {
		const char *start, *end;
	} parts[] = {
		{ "", ".cmd" },
		{ "", ".command" },
		{ "", ".textconv" },
		{ "", ".driver" },
		{ "filter.", ".clean" },
		{ "filter.", ".smudge" },
		{ "", ".process" },
		{ "", ".path" },
		{ "credential.", ".helper" },
		{ "", ".program" },
		{ "pager.", "" },
		{ "remote.", ".uploadpack" },
		{ "credential", ".helper" },
		{ "remote.", ".receivepack" },
	};

	if (str_eqz(key, "include.path"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (str_starts(key, str_from(parts[i].start)) &&
		    str_ends(key, str_from(parts[i].end)))
			return !str_starts(key, STR("includeif."));
	return word_in_text(key, whole);
}

bool git_setting_leads(struct str key)
{
	return str_ends(key, STR(".insteadof")) || str_ends(key, STR(".pushinsteadof")) ||
	       word_in_text(key, "init.templatedir include.path http.sslverify http.proxy "
				 "protocol.ext.allow safe.directory") ||
	       (str_starts(key, STR("http.")) &&
		(str_ends(key, STR(".sslverify")) || str_ends(key, STR(".proxy")))) ||
	       (str_starts(key, STR("remote.")) &&
		(str_ends(key, STR(".pushurl")) || str_ends(key, STR(".proxy")))) ||
	       (str_starts(key, STR("includeif.")) && str_ends(key, STR(".path")));
}

struct str git_setting_key(struct run *r, struct str key)
{
	char *p = arena_z(r->a, key);

	for (size_t i = 0; i < key.n; i++)
		p[i] = char_lower(p[i]);
	return (struct str){ p, key.n };
}

void git_setting_add(struct run *r, struct git_settings *s, struct str key, struct str value)
{
	field_add(r, &s->key, git_setting_key(r, key));
	field_add(r, &s->value, value);
}

void git_setting_take(struct run *r, struct git_settings *s, struct str setting)
{
	ptrdiff_t eq = str_chr(setting, '=', 0);

	if (eq < 0)
		git_setting_add(r, s, setting, STR("true"));
	else
		git_setting_add(r, s, str_sub(setting, 0, (size_t)eq),
				str_sub(setting, (size_t)eq + 1, setting.n));
}

const struct str *git_setting(const struct git_settings *s, struct str key)
{
	for (size_t i = s->key.n; i > 0; i--)
		if (str_eq(s->key.p[i - 1], key))
			return &s->value.p[i - 1];
	return NULL;
}

/* ---- files ---- */

/* The value of a line: quotes and backslashes taken away, up to a comment. */
static struct str value_of(struct run *r, struct str s)
{
	AUTO(buf_done) struct buf out = { 0 };
	bool quoted = false;

	s = str_trim(s);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			quoted = !quoted;
		else if (!quoted && (s.p[i] == '#' || s.p[i] == ';'))
			break;
		else if (s.p[i] == '\\' && i + 1 < s.n)
			buf_addc(&out, s.p[++i] == 'n' ? '\n' : s.p[i] == 't' ? '\t' : s.p[i]);
		else
			buf_addc(&out, s.p[i]);
	}
	return str_trim(arena_str(r->a, buf_str(&out)));
}

/* [section], [section "sub"] */
static struct str section_of(struct run *r, struct str line)
{
	ptrdiff_t end = str_chr(line, ']', 0), quote = str_chr(line, '"', 0);
	struct str name = str_sub(line, 1, end < 0 ? line.n : (size_t)end);

	if (quote < 0 || (end >= 0 && quote > end))
		return str_trim(name);
	end = str_chr(line, '"', (size_t)quote + 1);
	return arena_printf(
		r->a, "%.*s.%.*s", STR_ARG(str_trim(str_sub(line, 1, (size_t)quote))),
		STR_ARG(str_sub(line, (size_t)quote + 1, end < 0 ? line.n : (size_t)end)));
}

/* The text of a configuration file. */
static void git_settings_of_text(struct run *r, struct git_settings *s, struct str text)
{
	struct str line, section = STR(""), rest = text;

	while (str_split(&rest, '\n', &line) && run_spend(r, 2)) {
		ptrdiff_t eq;

		while (str_ends(line, STR("\\")) && rest.p) { /* goes on in the next one */
			struct str more;

			(void)str_split(&rest, '\n', &more);
			line = arena_printf(r->a, "%.*s %.*s", (int)line.n - 1, line.p,
					    STR_ARG(more));
		}
		line = str_trim(line);
		if (!line.n || line.p[0] == '#' || line.p[0] == ';')
			continue;
		if (line.p[0] == '[') {
			ptrdiff_t end = str_chr(line, ']', 0);

			section = section_of(r, line);
			line = end < 0 ? STR("") : str_trim(str_sub(line, (size_t)end + 1, line.n));
			if (!line.n)
				continue;
		}
		eq = str_chr(line, '=', 0);
		git_setting_add(
			r, s,
			arena_printf(
				r->a, "%.*s.%.*s", STR_ARG(section),
				STR_ARG(str_trim(str_sub(line, 0, eq < 0 ? line.n : (size_t)eq)))),
			eq < 0 ? STR("true") : value_of(r, str_sub(line, (size_t)eq + 1, line.n)));
	}
}

static bool take_file(struct run *r, struct git_settings *s, struct str dir, const char *name)
{
	struct str text;

	if (!dir.n || !file_read(r, arena_printf(r->a, "%.*s/%s", STR_ARG(dir), name), &text))
		return false;
	git_settings_of_text(r, s, text);
	return true;
}

/* ---- variables ---- */

/* 'key=value' 'key'='value', as git hands its -c to programs that it starts. */
static void take_quoted(struct run *r, struct git_settings *s, struct str text)
{
	struct str part, key = { 0 };
	bool inside = false, more;

	for (struct str rest = text; str_split(&rest, '\'', &part); inside = !inside) {
		if (!inside) {
			if (!str_eqz(part, "=") && key.p) {
				git_setting_take(r, s, key);
				key.p = NULL;
			}
			continue;
		}
		more = str_starts(rest, STR("='"));
		if (key.p) {
			git_setting_add(r, s, key, part);
			key.p = NULL;
		} else if (more) {
			key = part;
		} else {
			git_setting_take(r, s, part);
		}
	}
}

void git_settings_of_variables(struct run *r, struct git_settings *s)
{
	static const struct {
		const char *variable, *key;
	} same[] = {
		{ "GIT_SSH_COMMAND", "core.sshcommand" },
		{ "GIT_SSH", "core.sshcommand" },
		{ "GIT_ASKPASS", "core.askpass" },
		{ "GIT_PAGER", "core.pager" },
		{ "GIT_EDITOR", "core.editor" },
		{ "GIT_SEQUENCE_EDITOR", "sequence.editor" },
		{ "GIT_EXTERNAL_DIFF", "diff.external" },
		{ "GIT_PROXY_COMMAND", "core.gitproxy" },
	};
	static const char *const files[] = { "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
					     "GIT_CONFIG" };
	const struct binding *b;
	struct str text;

	for (b = r->vars; b; b = b->next) {
		const struct binding *value;

		if (!str_starts(b->name, STR("GIT_")))
			continue;
		for (size_t i = 0; i < ARRAY_LEN(same); i++)
			if (str_eqz(b->name, same[i].variable))
				git_setting_add(r, s, str_from(same[i].key), b->value);
		for (size_t i = 0; i < ARRAY_LEN(files); i++)
			if (str_eqz(b->name, files[i]) && file_read(r, b->value, &text))
				git_settings_of_text(r, s, text);
		if (str_eqz(b->name, "GIT_DIR"))
			(void)take_file(r, s, b->value, "config");
		if (str_eqz(b->name, "GIT_CONFIG_PARAMETERS"))
			take_quoted(r, s, b->value);
		if (!str_starts(b->name, STR("GIT_CONFIG_KEY_")))
			continue;
		value = binding_find(r->vars,
				     arena_printf(r->a, "GIT_CONFIG_VALUE_%.*s",
						  STR_ARG(str_sub(b->name, 15, b->name.n))));
		git_setting_add(r, s, b->value, value ? value->value : STR(""));
	}
}

/* A worktree's .git is a file that says where the directory is. */
static bool take_worktree(struct run *r, struct git_settings *s, struct str dir)
{
	struct str text;

	if (!dir.n || !file_read(r, arena_printf(r->a, "%.*s/.git", STR_ARG(dir)), &text) ||
	    !str_starts(text, STR("gitdir:")))
		return false;
	return take_file(r, s, str_trim(str_sub(text, 7, text.n)), "../../config");
}

void git_settings_of_files(struct run *r, struct git_settings *s)
{
	const struct effects_world *w = r->e->world;
	const struct binding *dir = binding_find(r->vars, STR("GIT_DIR"));

	(void)take_file(r, s, w->home, ".gitconfig");
	(void)take_file(r, s, w->home, ".config/git/config");
	if (dir && take_file(r, s, dir->value, "config"))
		return;
	if (take_file(r, s, r->cwd, ".git/config") || take_worktree(r, s, r->cwd))
		return;
	for (size_t i = 0; i < w->nroots; i++)
		if (take_file(r, s, w->roots[i], ".git/config") || take_worktree(r, s, w->roots[i]))
			return;
}
