/*
 * Which commands there are: reading the directories, and giving names so that none takes the name
 * of somebody else's command.  A project is less trusted than the user, an extension or a server
 * less than a project that the user works in; but a project's command is the one that its
 * developers mean, and it has been trusted.
 */
#include "agent/catalog/prompt_commands.h"

#include "agent/catalog/skills.h"
#include "base/path.h"
#include "base/toml.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/fs.h"

enum { DESCRIPTION_MAX = 200, SUFFIX_MAX = 1000, FOUND_MAX = 5000 };

struct reader {
	struct catalog c;
	const struct prompt_commands_options *o;
	size_t files; /* of the directory that is being read */
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

/* ---- names ---- */

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
		buf_addc(&flat, char_is_space(s.p[i]) ? ' ' : s.p[i]);
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
	while (n < rest.n && !char_is_space(rest.p[n]))
		n++;
	name = str_sub(rest, 0, n);
	if (!name.n || str_chr(name, '/', 0) >= 0 || str_chr(name, '\0', 0) >= 0)
		return false;
	*ret_name = name;
	*ret_args = str_trim(str_sub(rest, n, rest.n));
	return true;
}

/* ---- files ---- */

/* True when the text is a command. */
static bool parse(struct reader *r, const char *file, struct str text, struct prompt_command *c)
{
	static const char *const keys[] = { "prompt", "description" };
	const struct json *doc, *v[2];
	struct json_where where = { 0 };
	struct err err;

	if (toml_parse(r->c.a, text, &doc, &where, &err) < 0) {
		catalog_refuse(&r->c, "%s:%u:%u: %s", file, where.line, where.column, err.text);
		return false;
	}
	for (size_t i = 0; i < 2; i++) {
		v[i] = json_getz(doc, keys[i]);
		if (!v[i] ? i > 0 : json_is(v[i], J_STR))
			continue;
		where = json_locate(text, v[i] ? v[i]->pos : 0);
		catalog_refuse(&r->c, "%s:%u:%u: %s", file, where.line, where.column,
			       !v[i]    ? "a command needs a prompt: prompt = \"...\""
			       : i == 0 ? "prompt must be a string"
					: "description must be a string");
		return false;
	}
	c->prompt = json_str(v[0], STR(""));
	c->description = one_line(r->c.a, json_str(v[1], STR("")));
	return true;
}

/* The same for Claude Code's Markdown: all of it may be the prompt. */
static bool parse_markdown(struct reader *r, const struct catalog_dir *top, struct str text,
			   struct prompt_command *c)
{
	struct arena *a = r->c.a;
	struct front_matter front;
	struct str line = STR("");
	struct err err;

	if (front_read_claude(a, catalog_owners_text(a, top, text), &front, NULL, 0, &err) < 0) {
		catalog_refuse_file(&r->c, c->file, err.text);
		return false;
	}
	for (struct str rest = front.body; !str_trim(line).n && str_split(&rest, '\n', &line);)
		;
	c->markdown = true;
	c->prompt = front.body;
	c->description = one_line(a, front.description.n ? front.description : line);
	return true;
}

/* Of a plugin that is an extension of Gemini CLI as well the author's TOML counts. */
static bool is_command(const struct catalog_dir *top, const char *dir, struct str name)
{
	if (str_ends(name, STR(".toml")))
		return top->plugin || !top->claude;
	if (!top->claude)
		return false;
	AUTO(free) char *toml = xasprintf("%s/%.*s.toml", dir, (int)(name.n - 3), name.p);
	return str_ends(name, STR(".md")) && !fs_exists(toml);
}

static void read_dir(struct reader *r, const struct catalog_dir *top, const char *dir,
		     struct str prefix, int depth);

/*
 * A link to a file is followed within the top directory only, one to a directory never: it may lead
 * in a circle.
 */
static void read_entry(struct reader *r, const struct catalog_dir *top, const char *dir,
		       const char *entry, struct str prefix, int depth)
{
	AUTO(free) char *path = fs_join(dir, entry), *target = fs_real(path);
	bool is_dir = fs_is_dir(path), links_to_dir = is_dir && target && strcmp(target, path) != 0;
	struct prompt_command c = { .origin = top->origin, .owner = top->extension };
	struct str name = str_from(entry), text;
	bool is_markdown = str_ends(name, STR(".md"));
	struct arena *a = r->c.a;

	if (!is_dir && (name.n < 4 || !is_command(top, dir, name)))
		return;
	if (!target || links_to_dir) {
		catalog_refuse(&r->c, "%s: it is a link %s", path,
			       target ? "to a directory" : "to nothing");
		return;
	}
	c.file = catalog_real(&r->c, top->plugin ? top->fence : top->dir, path);
	if (!c.file)
		return;
	if (!is_dir)
		name = str_sub(name, 0, (size_t)(strrchr(entry, '.') - entry));
	name = clean_name(a, name);
	if (!name.n || prefix.n + name.n > COMMAND_NAME_MAX) {
		catalog_refuse(&r->c, "%s: its name cannot be a command's", path);
		return;
	}
	name = arena_printf(a, "%.*s%.*s", STR_ARG(prefix), STR_ARG(name));
	c.name = name.p;
	if (is_dir)
		read_dir(r, top, path, arena_printf(a, "%.*s:", STR_ARG(name)), depth + 1);
	else if (r->files++ < COMMAND_FILES_MAX && r->found.n < FOUND_MAX &&
		 catalog_text(&r->c, c.file, TOML_BYTES_MAX, &text) &&
		 (is_markdown ? parse_markdown(r, top, text, &c) : parse(r, c.file, text, &c)))
		*VEC_ADD(&r->found) = c;
}

static void read_dir(struct reader *r, const struct catalog_dir *top, const char *dir,
		     struct str prefix, int depth)
{
	const char *const *names;
	size_t n;

	if (depth > COMMAND_DEPTH_MAX) {
		catalog_refuse(&r->c, "directory %s: more than %d levels deep", dir,
			       COMMAND_DEPTH_MAX);
		return;
	}
	n = catalog_list(&r->c, dir, SIZE_MAX, &names);
	for (size_t i = 0; i < n && r->files <= COMMAND_FILES_MAX; i++)
		read_entry(r, top, dir, names[i], prefix, depth);
}

/* ---- prompts of servers, and skills ---- */

static void add(struct reader *r, const char *name, struct str description, struct prompt_command c)
{
	c.name = clean_name(r->c.a, utf8_trim(str_from(name))).p;
	c.description = one_line(r->c.a, description);
	if (*c.name && r->found.n < FOUND_MAX)
		*VEC_ADD(&r->found) = c;
}

static void add_mcp(struct reader *r)
{
	struct arena *a = r->c.a;
	const struct mcp_prompt *all;
	size_t n = r->o->mcp ? mcp_servers_prompts(r->o->mcp, &all) : 0;

	for (size_t i = 0; i < n; i++) {
		const struct mcp_prompt *p = &all[i];

		add(r, p->name,
		    *p->description ? str_from(p->description)
		    : *p->title     ? str_from(p->title)
				    : arena_printf(a, "prompt %s", p->name),
		    (struct prompt_command){
			    .origin = CATALOG_MCP,
			    .owner = one_line(a, str_from(p->server)),
			    .server = arena_z(a, str_from(p->server)),
			    .prompt_name = arena_z(a, str_from(p->name)),
			    .arguments = p->arguments ? json_dup(a, p->arguments) : NULL,
		    });
	}
}

/* ---- who gets which name ---- */

struct names {
	struct arena *a;
	const struct prompt_commands_options *o;
	struct prompt_command *p; /* given so far, not sorted */
	size_t n;
};

static bool give(struct names *given, const struct prompt_command *c, const char *name)
{
	if (given->o->is_taken && given->o->is_taken(given->o->files.notes.data, str_from(name)))
		return false;
	for (size_t i = 0; i < given->n; i++)
		if (strcmp(name, given->p[i].name) == 0)
			return false;
	given->p[given->n] = *c;
	given->p[given->n++].name = name;
	return true;
}

/* The name with the origin; a number follows where somebody else has that, too. */
static void give_long(struct names *given, const struct prompt_command *c)
{
	struct arena *a = given->a;
	const char *before = c->origin == CATALOG_PROJECT ? "workspace"
			     : c->origin == CATALOG_USER  ? "user"
			     : !c->owner                  ? "skill"
							  : clean_name(a, str_from(c->owner)).p;
	char mark = c->origin == CATALOG_EXTENSION || c->origin == CATALOG_SKILL ? ':' : '.';
	const char *name = arena_printf(a, "%s%c%s", before, mark, c->name).p;

	for (int i = 1; !give(given, c, name) && i < SUFFIX_MAX; i++)
		name = arena_printf(a, "%s%c%s%d", before, mark, c->name, i).p;
}

static bool is_ours(const struct prompt_command *c)
{
	return c->origin == CATALOG_PROJECT || c->origin == CATALOG_USER;
}

/* What comes first among equal names: the project, the user, extensions, servers, skills; of the
 * first two what is written for Gemini CLI. */
static int rank(const struct prompt_command *c)
{
	static const int ranks[] = { [CATALOG_PROJECT] = 0,
				     [CATALOG_USER] = 2,
				     [CATALOG_EXTENSION] = 4,
				     [CATALOG_MCP] = 5,
				     [CATALOG_SKILL] = 6 };

	return ranks[c->origin] + (is_ours(c) && c->markdown);
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
	return c->origin == CATALOG_SKILL && c->owner;
}

/* Does it share its name with another command, or with one of ours? */
static bool in_conflict(const struct reader *r, size_t i)
{
	const struct prompt_command *c = &r->found.p[i];

	return is_extensions_skill(c) || same_name(r, i, i + 1) ||
	       (i > 0 && same_name(r, i, i - 1)) ||
	       (r->o->is_taken && r->o->is_taken(r->o->files.notes.data, str_from(c->name)));
}

/*
 * Long names of the user and the project come before all else, so that no file called
 * "user.deploy.toml" is taken for the user's deploy.
 */
static struct prompt_commands *give_names(struct reader *r)
{
	struct prompt_commands *all = ARENA_NEW(r->c.a, struct prompt_commands);
	size_t n = r->found.n;
	struct names given = { .a = r->c.a, .o = r->o };

	given.p = ARENA_ARRAY(r->c.a, struct prompt_command, 2 * n + 1);
	if (n)
		qsort(r->found.p, n, sizeof *r->found.p, by_name);
	for (size_t i = 0; i < n; i++)
		if (is_ours(&r->found.p[i]) && in_conflict(r, i))
			give_long(&given, &r->found.p[i]);
	for (size_t i = 0; i < n; i++)
		if (!is_extensions_skill(&r->found.p[i]) && !(i > 0 && same_name(r, i, i - 1)) &&
		    !(same_name(r, i, i + 1) && rank(&r->found.p[i]) == rank(&r->found.p[i + 1])) &&
		    !give(&given, &r->found.p[i], r->found.p[i].name) && !in_conflict(r, i) &&
		    (is_ours(&r->found.p[i]) || !r->found.p[i].markdown))
			give_long(&given, &r->found.p[i]);
	for (size_t i = 0; i < n; i++)
		/* A plugin's always has its long name, by which its other parts call it. */
		if (!is_ours(&r->found.p[i]) && (in_conflict(r, i) || r->found.p[i].markdown))
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
	AUTO(reader_done) struct reader r = { .c = { a, &o->files.notes, "command" }, .o = o };
	const struct catalog_dir *dirs;
	size_t n = catalog_dirs(&r.c, &o->files, PLACE_COMMANDS, &dirs);

	for (size_t i = 0; i < n; i++) {
		AUTO(free) char *parent = path_parent(dirs[i].dir);

		r.files = 0;
		if (dirs[i].is_file)
			read_entry(&r, &dirs[i], parent, path_name(dirs[i].dir), STR(""), 0);
		else
			read_dir(&r, &dirs[i], dirs[i].dir, STR(""), 0);
		if (r.files > COMMAND_FILES_MAX)
			catalog_refuse(&r.c, "files in %s after the first %d", dirs[i].dir,
				       COMMAND_FILES_MAX);
	}
	catalog_say_refused(&r.c);
	add_mcp(&r);
	for (size_t i = 0; o->skills && i < o->skills->n; i++) {
		const struct skill *s = &o->skills->p[i];

		if (!s->disabled)
			add(&r, catalog_bare_name(s->name).p, str_from(s->description),
			    (struct prompt_command){
				    .origin = CATALOG_SKILL,
				    .owner = s->extension ? one_line(a, str_from(s->extension))
							  : NULL,
				    .file = arena_z(a, str_from(s->file)),
				    .skill = arena_z(a, str_from(s->name)),
			    });
	}
	return give_names(&r);
}

const struct prompt_command *prompt_command_find(const struct prompt_commands *all, struct str name)
{
	for (size_t i = 0; all && i < all->n; i++)
		if (str_eqz(name, all->p[i].name))
			return &all->p[i];
	return NULL;
}
