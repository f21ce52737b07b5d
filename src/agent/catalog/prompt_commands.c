/*
 * Which commands there are: reading the directories, and giving names so that nobody takes the name
 * of somebody else's command.  A project is less trusted than the user, an extension or a server
 * less than a project that the user works in; but a project's command is the one that its
 * developers mean, and it has been trusted (H6.3 [R]).
 */
#include "agent/catalog/prompt_commands.h"

#include <stdarg.h>

#include "base/path.h"
#include "base/toml.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/fs.h"

enum { DESCRIPTION_MAX = 200, SUFFIX_MAX = 1000, FOUND_MAX = 5000 };

struct reader {
	struct arena *a;
	const struct prompt_commands_options *o;
	const struct prompt_command_dir *dir;
	const char *real; /* of dir->dir */
	size_t files; /* of dir */
	struct {
		struct prompt_command *p;
		size_t n, cap;
	} found;
};

static void reader_done(struct reader *r)
{
	free(r->found.p);
}

DEFINE_AUTO(struct reader, reader_done)

static void complain(struct reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void complain(struct reader *r, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = { 0 }, shown = { 0 };
	va_list ap;

	if (!r->o->complain)
		return;
	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	(void)utf8_add_visible(&shown, buf_str(&text), false);
	r->o->complain(r->o->data, buf_z(&shown));
}

/* ---- names ---- */

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Invisible characters, and those that change the direction, make two names look the same. */
static bool is_plain(uint32_t cp)
{
	return cp >= 0xa1 && !(cp >= 0x2000 && cp <= 0x206f) && cp != 0xfeff && cp != 0xfffd &&
	       cp != 0xad && cp != 0x61c && cp != 0x180e && cp != 0x3000 && cp < 0xe0000;
}

/* What can be typed as one word and means nothing else: ':' parts directories, '/' is a path. */
static struct str clean_name(struct arena *a, struct str s)
{
	AUTO(buf_done) struct buf out = { 0 };
	size_t len;

	while (s.n && out.n < COMMAND_NAME_MAX) {
		uint32_t cp = utf8_decode(s.p, s.n, false, &len);
		bool good =
			cp < 0x80 ? char_is_word((char)cp) || cp == '-' || cp == '.' : is_plain(cp);

		if (good)
			buf_add(&out, s.p, len);
		else
			buf_addc(&out, cp == ' ' && out.n ? '-' : '_');
		s = str_sub(s, len, s.n);
	}
	return arena_str(a, buf_str(&out));
}

static const char *one_line(struct arena *a, struct str s)
{
	AUTO(buf_done) struct buf flat = { 0 }, out = { 0 };

	s = utf8_trim(s);
	for (size_t i = 0; i < s.n; i++)
		buf_addc(&flat, is_space(s.p[i]) ? ' ' : s.p[i]);
	(void)utf8_add_visible(&out, utf8_prefix(buf_str(&flat), DESCRIPTION_MAX), false);
	return arena_z(a, buf_str(&out));
}

bool prompt_command_split(struct str line, struct str *ret_name, struct str *ret_args)
{
	struct str rest = str_trim(line), name;
	size_t n = 0;

	if (!str_starts(rest, STR("/")))
		return false;
	rest = str_sub(rest, 1, rest.n);
	while (n < rest.n && !is_space(rest.p[n]))
		n++;
	name = str_sub(rest, 0, n);
	if (!name.n || str_chr(name, '/', 0) >= 0 || str_chr(name, '\0', 0) >= 0)
		return false;
	*ret_name = name;
	*ret_args = str_trim(str_sub(rest, n, rest.n));
	return true;
}

/* ---- files ---- */

static bool fail_at(struct reader *r, const char *file, struct str text, const struct json *v,
		    const char *why)
{
	struct json_where at = json_locate(text, v ? v->pos : 0);

	complain(r, "%s:%u:%u: %s", file, at.line, at.column, why);
	return false;
}

/* True when the text is a command. */
static bool parse(struct reader *r, const char *file, struct str text, struct prompt_command *c)
{
	const struct json *doc, *prompt, *description;
	struct json_where where = { 0 };
	struct err err;

	if (toml_parse(r->a, text, &doc, &where, &err) < 0) {
		complain(r, "%s:%u:%u: %s", file, where.line, where.column, err.text);
		return false;
	}
	prompt = json_getz(doc, "prompt");
	description = json_getz(doc, "description");
	if (!prompt)
		return fail_at(r, file, text, NULL, "a command needs a prompt: prompt = \"...\"");
	if (!json_is(prompt, J_STR))
		return fail_at(r, file, text, prompt, "prompt must be a string");
	if (description && !json_is(description, J_STR))
		return fail_at(r, file, text, description, "description must be a string");
	c->prompt = json_str(prompt, STR(""));
	c->description = one_line(r->a, json_str(description, STR("")));
	return true;
}

static void read_file(struct reader *r, const char *path, struct str name)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	struct prompt_command c = { .name = arena_z(r->a, name),
				    .origin = r->dir->origin,
				    .owner = r->dir->extension,
				    .file = arena_z(r->a, str_from(path)) };
	struct err err;
	struct str text;

	if (fs_read(path, TOML_BYTES_MAX, &bytes, &err) < 0) {
		complain(r, "%s", err.text);
		return;
	}
	text = arena_str(r->a, buf_str(&bytes));
	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_sub(text, 3, text.n);
	if (r->found.n < FOUND_MAX && parse(r, path, text, &c))
		*VEC_ADD(&r->found) = c;
}

static void read_dir(struct reader *r, const char *dir, struct str prefix, int depth);

/*
 * A link to a file is followed within the directory only, one to a directory never: it may lead
 * in a circle.
 */
static void read_entry(struct reader *r, const char *dir, const char *entry, struct str prefix,
		       int depth)
{
	AUTO(free) char *path = fs_join(dir, entry), *real = fs_real(path);
	struct str name = str_from(entry);
	bool is_link = real && strcmp(real, path) != 0, is_dir = fs_is_dir(path);

	if (!is_dir && !str_ends(name, STR(".toml")))
		return;
	if (!real || (is_link && (is_dir || !path_below(r->real, real)))) {
		complain(r, "%s is a link that leads elsewhere; it is not read", path);
		return;
	}
	if (!is_dir)
		name = str_sub(name, 0, name.n - 5);
	name = clean_name(r->a, name);
	if (!name.n || prefix.n + name.n > COMMAND_NAME_MAX) {
		complain(r, "%s is not read: its name cannot be a command's", path);
		return;
	}
	name = arena_printf(r->a, "%.*s%.*s", STR_ARG(prefix), STR_ARG(name));
	if (is_dir)
		read_dir(r, path, arena_printf(r->a, "%.*s:", STR_ARG(name)), depth + 1);
	else if (r->files++ < COMMAND_FILES_MAX)
		read_file(r, real, name);
}

static void read_dir(struct reader *r, const char *dir, struct str prefix, int depth)
{
	char **names;
	struct err err;
	size_t n;

	if (depth > COMMAND_DEPTH_MAX) {
		complain(r, "%s is not read: commands lie %d directories deep at most", dir,
			 COMMAND_DEPTH_MAX);
		return;
	}
	if (fs_list(dir, &names, &n, &err) < 0) {
		complain(r, "%s", err.text);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (names[i][0] != '.' && r->files <= COMMAND_FILES_MAX)
			read_entry(r, dir, names[i], prefix, depth);
		free(names[i]);
	}
	free(names);
}

static void read_top(struct reader *r, const struct prompt_command_dir *dir)
{
	AUTO(free) char *real = fs_real(dir->dir);
	AUTO(free) char *within = dir->within ? fs_real(dir->within) : NULL;

	if (!real || !fs_is_dir(real))
		return;
	r->dir = dir;
	r->real = real;
	r->files = 0;
	if (dir->within && !path_below(within, real))
		complain(r, "%s is a link that leads elsewhere; it is not read", dir->dir);
	else
		read_dir(r, real, STR(""), 0);
	if (r->files > COMMAND_FILES_MAX)
		complain(r, "%s: only %d commands are read", dir->dir, COMMAND_FILES_MAX);
	r->real = NULL;
}

/* ---- prompts of servers ---- */

static struct str default_description(struct arena *a, const struct mcp_prompt *p)
{
	if (*p->description)
		return str_from(p->description);
	return *p->title ? str_from(p->title) : arena_printf(a, "prompt %s", p->name);
}

static void add_mcp(struct reader *r)
{
	const struct mcp_prompt *all;
	size_t n = r->o->mcp ? mcp_servers_prompts(r->o->mcp, &all) : 0;

	for (size_t i = 0; i < n && r->found.n < FOUND_MAX; i++) {
		const struct mcp_prompt *p = &all[i];
		struct str name = clean_name(r->a, utf8_trim(str_from(p->name)));

		if (!name.n)
			continue;
		*VEC_ADD(&r->found) = (struct prompt_command){
			.name = name.p,
			.description = one_line(r->a, default_description(r->a, p)),
			.origin = COMMAND_MCP,
			.owner = one_line(r->a, str_from(p->server)),
			.server = arena_z(r->a, str_from(p->server)),
			.prompt_name = arena_z(r->a, str_from(p->name)),
			.arguments = p->arguments ? json_dup(r->a, p->arguments) : NULL,
		};
	}
}

static void add_skills(struct reader *r)
{
	for (size_t i = 0; i < r->o->nskills && r->found.n < FOUND_MAX; i++) {
		const struct prompt_command_skill *s = &r->o->skills[i];
		struct str name = clean_name(r->a, utf8_trim(str_from(s->name)));

		if (!name.n)
			continue;
		*VEC_ADD(&r->found) = (struct prompt_command){
			.name = name.p,
			.description = one_line(r->a, str_from(s->description)),
			.origin = COMMAND_SKILL,
			.owner = s->extension ? one_line(r->a, str_from(s->extension)) : NULL,
			.file = arena_z(r->a, str_from(s->file)),
			.skill = arena_z(r->a, str_from(s->name)),
		};
	}
}

/* ---- who gets which name ---- */

struct names {
	struct arena *a;
	const struct prompt_commands_options *o;
	struct prompt_command *p; /* given so far, not sorted */
	size_t n;
};

static bool is_free(const struct names *given, struct str name)
{
	if (given->o->is_taken && given->o->is_taken(given->o->data, name))
		return false;
	for (size_t i = 0; i < given->n; i++)
		if (str_eqz(name, given->p[i].name))
			return false;
	return true;
}

static bool give(struct names *given, const struct prompt_command *c, const char *name)
{
	if (!is_free(given, str_from(name)))
		return false;
	given->p[given->n] = *c;
	given->p[given->n++].name = name;
	return true;
}

/* The name with the origin; a number follows where somebody else has that, too. */
static void give_long(struct names *given, const struct prompt_command *c)
{
	struct arena *a = given->a;
	const char *before = c->origin == COMMAND_PROJECT ? "workspace"
			     : c->origin == COMMAND_USER  ? "user"
			     : !c->owner                  ? "skill"
							  : clean_name(a, str_from(c->owner)).p;
	char mark = c->origin == COMMAND_EXTENSION || c->origin == COMMAND_SKILL ? ':' : '.';
	const char *name = arena_printf(a, "%s%c%s", before, mark, c->name).p;

	for (int i = 1; !give(given, c, name) && i < SUFFIX_MAX; i++)
		name = arena_printf(a, "%s%c%s%d", before, mark, c->name, i).p;
}

/* What comes first among equal names: the project, the user, extensions, servers, skills. */
static int rank(const struct prompt_command *c)
{
	static const int ranks[] = { [COMMAND_PROJECT] = 0,
				     [COMMAND_USER] = 1,
				     [COMMAND_EXTENSION] = 2,
				     [COMMAND_MCP] = 3,
				     [COMMAND_SKILL] = 4 };

	return ranks[c->origin];
}

static int by_name(const void *a, const void *b)
{
	const struct prompt_command *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : rank(x) - rank(y);
}

static int by_name_only(const void *a, const void *b)
{
	const struct prompt_command *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static bool same_name(const struct reader *r, size_t i, size_t k)
{
	return k < r->found.n && strcmp(r->found.p[i].name, r->found.p[k].name) == 0;
}

static bool is_extensions_skill(const struct prompt_command *c)
{
	return c->origin == COMMAND_SKILL && c->owner;
}

/* Does it share its name with another command, or with one of ours? */
static bool in_conflict(const struct reader *r, size_t i)
{
	const struct prompt_command *c = &r->found.p[i];

	return is_extensions_skill(c) || same_name(r, i, i + 1) ||
	       (i > 0 && same_name(r, i, i - 1)) ||
	       (r->o->is_taken && r->o->is_taken(r->o->data, str_from(c->name)));
}

/* The first of its name, and nobody of the same rank has it, too: who would it be? */
static bool owns_name(const struct reader *r, size_t i)
{
	return !is_extensions_skill(&r->found.p[i]) && !(i > 0 && same_name(r, i, i - 1)) &&
	       !(same_name(r, i, i + 1) && rank(&r->found.p[i]) == rank(&r->found.p[i + 1]));
}

static bool is_ours(const struct prompt_command *c)
{
	return c->origin == COMMAND_PROJECT || c->origin == COMMAND_USER;
}

/*
 * Long names of the user and the project come before all else, so that no file called
 * "user.deploy.toml" is taken for the user's deploy.
 */
static struct prompt_commands *give_names(struct reader *r)
{
	struct prompt_commands *all = ARENA_NEW(r->a, struct prompt_commands);
	size_t n = r->found.n;
	struct names given = { .a = r->a, .o = r->o };

	given.p = ARENA_ARRAY(r->a, struct prompt_command, 2 * n + 1);
	if (n)
		qsort(r->found.p, n, sizeof *r->found.p, by_name);
	for (size_t i = 0; i < n; i++)
		if (is_ours(&r->found.p[i]) && in_conflict(r, i))
			give_long(&given, &r->found.p[i]);
	for (size_t i = 0; i < n; i++)
		if (owns_name(r, i) && !give(&given, &r->found.p[i], r->found.p[i].name) &&
		    !in_conflict(r, i))
			give_long(&given, &r->found.p[i]);
	for (size_t i = 0; i < n; i++)
		if (!is_ours(&r->found.p[i]) && in_conflict(r, i))
			give_long(&given, &r->found.p[i]);
	if (given.n)
		qsort(given.p, given.n, sizeof *given.p, by_name_only);
	all->p = given.p;
	all->n = given.n;
	return all;
}

struct prompt_commands *prompt_commands_read(struct arena *a,
					     const struct prompt_commands_options *o)
{
	AUTO(reader_done) struct reader r = { .a = a, .o = o };

	for (size_t i = 0; i < o->ndirs; i++)
		read_top(&r, &o->dirs[i]);
	add_mcp(&r);
	add_skills(&r);
	return give_names(&r);
}

const struct prompt_command *prompt_command_find(const struct prompt_commands *all, struct str name)
{
	for (size_t i = 0; all && i < all->n; i++)
		if (str_eqz(name, all->p[i].name))
			return &all->p[i];
	return NULL;
}
