/*
 * The second filters of the claude dialect: "if" rules and the matchers of sub-agent events.
 *
 * An "if" rule saves starting a process, and guards have them, too: whatever is unclear matches.
 */
#include "base/path.h"
#include "base/wild.h"
#include "hooks/claude.h"
#include "os/fs.h"
#include "shell/calls.h"

/* More work than that is not done for a rule (bytes of the pattern times bytes of the text). */
enum { FIT_STEPS_MAX = 16 << 20, FIT_PATH_MAX = 4096 };

static bool text_fits(struct str pattern, struct str text)
{
	return text.n > FIT_STEPS_MAX / (pattern.n + 1) || wild_fits(pattern, text);
}

/* ---- commands ---- */

/* The command without its program's directory: /bin/rm is an rm. */
static struct str without_directory(struct str command)
{
	ptrdiff_t blank = str_chr(command, ' ', 0);
	struct str program = str_sub(command, 0, blank < 0 ? command.n : (size_t)blank);

	return str_sub(command, program.n - sh_file_name(program).n, command.n);
}

/* "git *" covers "git", too. */
static bool command_fits(struct str pattern, struct str command)
{
	return text_fits(pattern, command) || (str_ends(pattern, STR(" *")) &&
					       str_eq(str_sub(pattern, 0, pattern.n - 2), command));
}

/* May the pattern cover a command that begins so, and goes on in a way that the text hides? */
static bool beginning_fits(struct str pattern, struct str beginning)
{
	ptrdiff_t star = str_chr(pattern, '*', 0);
	struct str fixed = star < 0 ? pattern : str_sub(pattern, 0, (size_t)star);

	return str_starts(fixed, beginning) || (star >= 0 && str_starts(beginning, fixed));
}

/* A program whose script says what runs, so that the command does not. */
static bool runs_script(const struct sh_call *c)
{
	const struct sh_program *p = sh_program_find(c->words[0].text);
	bool code;

	if (!p)
		return false;
	bool script = sh_call_script(c, p, &code) > 0;
	return p->starts == SH_STARTS_CODE
		       ? code
		       : script && (p->starts == SH_STARTS_SHELL || p->starts == SH_STARTS_SOURCE);
}

static bool call_fits(struct arena *a, struct str pattern, const struct sh_call *c, bool is_rule)
{
	struct str text = sh_call_text(a, c);
	struct str bare = without_directory(pattern);
	struct str begin =
		str_ends(pattern, STR(" *")) ? str_sub(pattern, 0, pattern.n - 2) : pattern;
	bool hidden = c->more;

	if (c->unknown || (c->n && (c->words[0].opaque || runs_script(c))))
		return true;
	if (command_fits(pattern, text) || command_fits(pattern, c->source) ||
	    command_fits(pattern, c->plain) || command_fits(bare, without_directory(text)))
		return true;
	for (size_t i = 1; i < c->n && !hidden; i++) {
		if (!c->words[i].opaque)
			continue;
		/*
		 * It may be what a filter about arguments ("git push *") asks for: the hook had
		 * better run once more.  A rule decides, by the words in front of it.
		 */
		if (!is_rule && str_chr(begin, ' ', 0) >= 0)
			return true;
		hidden = true;
		text = sh_call_text(a, &(struct sh_call){ .words = c->words, .n = i });
	}
	if (!hidden)
		return false;
	text = arena_printf(a, "%.*s ", STR_ARG(text));
	return beginning_fits(pattern, text) || beginning_fits(bare, without_directory(text));
}

/* `is_rule`: of permissions, and no filter of a hook. */
static bool command_matches(struct str pattern, struct str command, bool is_rule)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(sh_calls_done) struct sh_calls s = {
		.arena = &a, .strict = true, .elsewhere = true, .unwrap = sh_calls_unwrap_runner
	};
	bool fits;

	/* "git:*" is the old way to write "git *". */
	if (str_ends(pattern, STR(":*")))
		pattern = arena_printf(&a, "%.*s *", STR_ARG(str_sub(pattern, 0, pattern.n - 2)));
	fits = command_fits(pattern, command);
	sh_calls_read(&s, command);
	for (size_t i = 0; i < s.n && !fits; i++)
		fits = call_fits(&a, pattern, &s.p[i], is_rule);
	return fits;
}

/* ---- files ---- */

/* The pattern, or a directory that it names. */
static bool path_fits(struct arena *a, struct str pattern, struct str path)
{
	const struct wild *w, *below;
	bool literal = false;

	while (str_ends(pattern, STR("/")))
		pattern = str_sub(pattern, 0, pattern.n - 1);
	while (str_starts(path, STR("/")))
		path = str_sub(path, 1, path.n);
	/* Names may have brackets; and some take ** in the middle of a name for any depth, too. */
	for (size_t i = 0; i < pattern.n; i++)
		literal |= strchr("[]{}\\", pattern.p[i]) ||
			   (str_starts(str_sub(pattern, i, pattern.n), STR("**")) &&
			    ((i > 0 && pattern.p[i - 1] != '/') ||
			     (i + 2 < pattern.n && pattern.p[i + 2] != '/')));
	if (path.n > FIT_PATH_MAX || (literal && wild_fits(pattern, path)))
		return true;
	if (wild_compile(a, pattern, 0, &w, NULL) < 0 ||
	    wild_compile(a, arena_printf(a, "%.*s/**", STR_ARG(pattern)), 0, &below, NULL) < 0)
		return true;
	return wild_match(w, path) || wild_match(below, path);
}

static bool fits_below(struct arena *a, const char *dir, struct str pattern, struct str path)
{
	AUTO(free) char *real = dir ? fs_real(dir) : NULL;
	struct str rest = dir ? path_below_str(str_from(dir), path) : STR("");

	if (!rest.n && real)
		rest = path_below_str(str_from(real), path);
	return rest.n && path_fits(a, pattern, rest);
}

static bool file_fits(struct str pattern, struct str path, const struct firing *f)
{
	struct arena *a = f->arena;

	if (str_starts(pattern, STR("~/")))
		return fits_below(a, f->h->dirs.home, str_sub(pattern, 2, pattern.n), path);
	/* "/x" is meant from the project's directory, and often taken for an absolute name. */
	if (str_starts(pattern, STR("/")))
		return path_fits(a, pattern, path) ||
		       (!str_starts(pattern, STR("//")) &&
			fits_below(a, f->h->dirs.project, pattern, path));
	if (str_starts(pattern, STR("./")))
		pattern = str_sub(pattern, 2, pattern.n);
	else if (str_chr(pattern, '/', 0) < 0)
		return path_fits(a, arena_printf(a, "**/%.*s", STR_ARG(pattern)), path);
	else if (str_starts(pattern, STR("**/")))
		return path_fits(a, pattern, path);
	return fits_below(a, f->cwd, pattern, path);
}

/* Under any of its names: as given, without "..", and with links followed. */
static bool file_matches(struct str pattern, struct str path, const struct firing *f)
{
	AUTO(free) char *plain = fs_absolute(f->cwd, arena_z(f->arena, path));
	AUTO(free) char *real = fs_resolve(plain);
	AUTO(free) char *linked = fs_resolve(arena_z(f->arena, path));

	return !real || file_fits(pattern, str_from(plain), f) ||
	       file_fits(pattern, str_from(real), f) ||
	       (linked && file_fits(pattern, str_from(linked), f));
}

/* A directory is read with what is in it: may the pattern cover that? */
static bool dir_matches(struct str pattern, struct str path, const struct firing *f)
{
	struct arena *a = f->arena;
	size_t fixed = 0;

	if (file_matches(pattern, path, f) ||
	    file_matches(pattern, arena_printf(a, "%.*s/x", STR_ARG(path)), f))
		return true;
	while (fixed < pattern.n && !strchr("*?[{", pattern.p[fixed]))
		fixed++;
	pattern = str_sub(pattern, 0, fixed);
	if (str_chr(pattern, '/', 0) < 0 || str_starts(pattern, STR("~")))
		return true;
	AUTO(free) char *dir = fs_absolute(f->cwd, arena_z(a, path));
	AUTO(free) char *real = fs_resolve(dir);
	AUTO(free) char *first = fs_absolute(f->cwd, arena_z(a, pattern));
	return !real || path_below_str(str_from(dir), str_from(first)).n ||
	       path_below_str(str_from(real), str_from(first)).n;
}

/* ---- rules ---- */

static const struct json *claude_input(struct firing *f)
{
	const struct json *args = NULL;
	struct claude_call c;

	claude_call_init(&c, f);
	if (f->event->chained)
		args = firing_current(f);
	else if (firing_field(f, "tool_input").p)
		(void)json_parse(f->arena, firing_field(f, "tool_input"), 0, &args, NULL);
	return claude_args_from_host(&c, args);
}

/* "domain:example.com" is the host and those below it; of several addresses only the first is
 * shown. */
static bool domain_matches(struct str pattern, struct str url, struct str prompt)
{
	ptrdiff_t at = str_find(url, STR("://"), 0), more = str_find(prompt, STR("://"), 0);
	struct str host = at < 0 ? url : str_sub(url, (size_t)at + 3, url.n);
	size_t n = 0;

	if (!str_starts(pattern, STR("domain:")) || !host.n || memchr(host.p, '@', host.n) ||
	    (more >= 0 && str_find(prompt, STR("://"), (size_t)more + 1) >= 0))
		return true;
	pattern = str_trim(str_sub(pattern, 7, pattern.n));
	while (n < host.n && !strchr("/:?#", host.p[n]))
		n++;
	while (n > 0 && host.p[n - 1] == '.')
		n--;
	if (str_starts(pattern, STR("*.")))
		pattern = str_sub(pattern, 2, pattern.n);
	return str_ends_icase(str_sub(host, 0, n), pattern) &&
	       (n == pattern.n || host.p[n - pattern.n - 1] == '.');
}

static bool argument_matches(const struct hook *hook, const struct claude_tool *t,
			     struct str pattern, struct firing *f)
{
	const struct json *v = json_get(claude_input(f), str_from(t->argument));
	struct str value = json_str(v, STR(""));

	/* A payload names one file, and this tool reads what its patterns cover. */
	if (!value.n || strcmp(f->in.subject, "read_many_files") == 0)
		return true;
	switch (t->kind) {
	case CLAUDE_COMMAND:
		return command_matches(pattern, value, hook->is_rule);
	case CLAUDE_FILE:
		return file_matches(pattern, value, f);
	case CLAUDE_DIR:
		return dir_matches(pattern, value, f);
	case CLAUDE_WORD:
		return text_fits(pattern, value);
	case CLAUDE_DOMAIN:
		return domain_matches(pattern, value, json_get_str(claude_input(f), "prompt"));
	}
	return true;
}

/* In permissions Edit means every tool that edits. */
static bool edits(struct str rule, struct str tool)
{
	return str_eqz(rule, "Edit") && str_eqz(tool, "Write");
}

/*
 * Read(...) of permissions is about searches, too: before one about its directory, where that is
 * given, afterwards about the files whose lines it shows.
 */
static bool search_shows(struct str pattern, struct firing *f)
{
	const struct json *paths = firing_value(f, "tool_paths"), *path;
	struct str dir = json_get_str(claude_input(f), "path");

	for (size_t i = 0; (path = json_at(paths, i)); i++)
		if (file_matches(pattern, json_str(path, STR("")), f))
			return true;
	return dir.n && (file_matches(pattern, dir, f) ||
			 file_matches(pattern, arena_printf(f->arena, "%.*s/x", STR_ARG(dir)), f));
}

/*
 * A rule that allows: the tool by its own name, a server's tools, or one plain command without
 * anything that a shell would read as more, by its beginning.
 */
static bool surely_fits(const struct claude_rule *r, struct str tool, struct firing *f)
{
	struct str name = r->name;
	struct str server = str_ends(name, STR("__*")) ? str_sub(name, 0, name.n - 3) : name;

	/* Not as a plugin's: a server of the settings may have taken its place. */
	if (str_starts(name, STR("mcp__"))) {
		if (f->in.mcp_server && f->in.mcp_tool)
			tool = mcp_name(f->arena, f->in.mcp_server, f->in.mcp_tool, false);
		return !r->pattern.p && (str_eq(name, tool) ||
					 (f->in.mcp_server &&
					  str_eqz(str_sub(server, 5, server.n), f->in.mcp_server)));
	}
	if (!str_eq(name, tool) && !edits(name, tool))
		return false;
	if (!r->pattern.p || str_eqz(r->pattern, "*"))
		return true;
	return str_eqz(tool, "Bash") &&
	       claude_rule_allows(r, json_get_str(claude_input(f), "command"));
}

/* The name may have a star, and that of an MCP server covers all its tools. */
static bool name_matches_one(struct str rule, struct str tool, const struct firing *f)
{
	if (text_fits(rule, tool) || str_eq_icase(rule, tool) || str_eqz(rule, f->in.subject))
		return true;
	/* Our names, and those of before. */
	const char *theirs = tool_alias(rule) ? tool_name_in(TOOLS_CLAUDE, rule) : NULL;

	if (theirs)
		return str_eqz(tool, theirs);
	return str_starts(rule, STR("mcp__")) && str_starts(tool, rule) &&
	       str_starts(str_sub(tool, rule.n, tool.n), STR("__"));
}

bool claude_if_matches(const struct hook *hook, struct firing *f)
{
	struct claude_rule r = claude_rule_read(str_from(hook->if_rule));
	struct str tool;
	AUTO(arena_done) struct arena a = { 0 };

	if (f->event->subject_kind != SUBJECT_TOOL)
		return false;
	tool = claude_tool_of(f);
	if (hook->surely)
		return claude_rule_may_allow(&r) && surely_fits(&r, tool, f);
	if (r.odd)
		return true;
	/* Long names of MCP tools are cut, which rules know nothing of. */
	bool search =
		hook->is_rule && r.pattern.p && str_eqz(r.name, "Read") && str_eqz(tool, "Grep");
	if (!(name_matches_one(r.name, tool, f) || (hook->is_rule && edits(r.name, tool)) ||
	      search ||
	      (f->in.mcp_server && f->in.mcp_tool &&
	       name_matches_one(r.name, mcp_whole_name(&a, f->in.mcp_server, f->in.mcp_tool, false),
				f))))
		return false;
	if (!r.pattern.n || r.rest.n || str_eqz(r.pattern, "*") || str_eqz(r.pattern, "**"))
		return true;
	if (search)
		return search_shows(r.pattern, f);
	const struct claude_tool *known = claude_tool_find(tool);

	return !known || argument_matches(hook, known, r.pattern, f);
}
