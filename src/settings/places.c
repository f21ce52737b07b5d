#include "settings/places.h"

#include <sys/stat.h>

#include "base/path.h"
#include "os/fs.h"
#include "settings/home.h"

enum { ALL = PLACE_HOOKS | PLACE_SETTINGS | PLACE_SERVERS };

#define SYSTEM(name, holds_, ...)                                                                  \
	{                                                                                          \
		.tier = TL_TIER_SYSTEM, .root = ROOT_SYSTEM, .path = name, .holds = holds_,        \
		__VA_ARGS__                                                                        \
	}
#define USER(name, holds_, ...)                                                                    \
	{                                                                                          \
		.tier = TL_TIER_USER, .root = ROOT_HOME, .path = name, .holds = holds_,            \
		__VA_ARGS__                                                                        \
	}
#define PROJECT(name, holds_, ...)                                                                 \
	{                                                                                          \
		.tier = TL_TIER_PROJECT, .root = ROOT_PROJECT, .path = name, .holds = holds_,      \
		__VA_ARGS__                                                                        \
	}

#define CLAUDE .dialect = "claude", .claude = true

/* clang-format off: a table */
static const struct settings_place places[] = {
	SYSTEM("/etc/gemini-cli/system-defaults.json", ALL, .dialect = "gemini", .defaults = true,
	       .override = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"),
	USER(".gemini/settings.json", ALL, .dialect = "gemini"),
	USER(OWN_SETTINGS, ALL, .dialect = "gemini", .own = true),
	USER(".tabnine/agent/settings.json", PLACE_HOOKS | PLACE_SERVERS, .dialect = "tabnine",
	     .use = PLACE_WANTED),
	USER(".terminai/settings.json", PLACE_HOOKS | PLACE_SERVERS, .dialect = "terminai",
	     .use = PLACE_WANTED),
	USER(".claude/settings.json", PLACE_HOOKS, CLAUDE, .use = PLACE_WANTED),
	USER(".codex/hooks.json", PLACE_HOOKS, .dialect = "codex", .use = PLACE_WANTED),
	USER(".codex/config.toml", PLACE_HOOKS, .dialect = "codex", .use = PLACE_WANTED),
	USER(".claude.json", PLACE_SERVERS, CLAUDE, .use = PLACE_FOREIGN),
	PROJECT(".gemini/settings.json", ALL, .dialect = "gemini"),
	PROJECT(OWN_SETTINGS, ALL, .dialect = "gemini", .own = true),
	PROJECT(".tabnine/agent/settings.json", PLACE_HOOKS | PLACE_SERVERS, .dialect = "tabnine",
		.use = PLACE_WANTED),
	PROJECT(".terminai/settings.json", PLACE_HOOKS | PLACE_SERVERS, .dialect = "terminai",
		.use = PLACE_WANTED),
	PROJECT(".claude/settings.json", PLACE_HOOKS, CLAUDE, .use = PLACE_WANTED),
	PROJECT(".claude/settings.local.json", PLACE_HOOKS, CLAUDE, .use = PLACE_WANTED,
		.personal = true),
	PROJECT(".codex/hooks.json", PLACE_HOOKS, .dialect = "codex", .use = PLACE_WANTED),
	PROJECT(".codex/config.toml", PLACE_HOOKS, .dialect = "codex", .use = PLACE_WANTED),
	PROJECT(".mcp.json", PLACE_SERVERS, CLAUDE, .use = PLACE_FOREIGN),
	SYSTEM("/etc/gemini-cli/settings.json", ALL, .dialect = "gemini",
	       .override = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"),
	SYSTEM("/etc/trotline/settings.json", ALL, .dialect = "gemini", .own = true,
	       .override = "TROTLINE_SYSTEM_SETTINGS_PATH"),
	SYSTEM("/etc/tabnine-cli/settings.json", PLACE_HOOKS, .dialect = "tabnine",
	       .use = PLACE_WANTED, .override = "TABNINE_CLI_SYSTEM_SETTINGS_PATH"),
	SYSTEM("/etc/claude-code/managed-settings.json", PLACE_HOOKS, CLAUDE, .use = PLACE_WANTED),
	SYSTEM("/etc/codex/config.toml", PLACE_HOOKS, .dialect = "codex", .use = PLACE_WANTED),
	SYSTEM("/etc/codex/requirements.toml", PLACE_HOOKS, .dialect = "codex",
	       .use = PLACE_WANTED),

	SYSTEM("/etc/gemini-cli/policies", PLACE_POLICIES, .dialect = "gemini"),
	USER(".gemini/policies", PLACE_POLICIES, .dialect = "gemini"),
	PROJECT(".gemini/policies", PLACE_POLICIES, .dialect = "gemini"),
	SYSTEM("/etc/trotline/policies", PLACE_POLICIES, .dialect = "gemini", .own = true),
	USER(".trotline/policies", PLACE_POLICIES, .dialect = "gemini", .own = true),
	PROJECT(".trotline/policies", PLACE_POLICIES, .dialect = "gemini", .own = true),
	USER(".claude/skills", PLACE_SKILLS, CLAUDE),
	USER(".gemini/skills", PLACE_SKILLS, .dialect = "gemini"),
	USER(".agents/skills", PLACE_SKILLS, .dialect = "gemini"),
	PROJECT(".claude/skills", PLACE_SKILLS, CLAUDE),
	PROJECT(".gemini/skills", PLACE_SKILLS, .dialect = "gemini"),
	PROJECT(".agents/skills", PLACE_SKILLS, .dialect = "gemini"),
	USER(".claude/agents", PLACE_AGENTS, CLAUDE),
	USER(".gemini/agents", PLACE_AGENTS, .dialect = "gemini"),
	PROJECT(".claude/agents", PLACE_AGENTS, CLAUDE),
	PROJECT(".gemini/agents", PLACE_AGENTS, .dialect = "gemini"),
	USER(".claude/commands", PLACE_COMMANDS, CLAUDE),
	USER(".gemini/commands", PLACE_COMMANDS, .dialect = "gemini"),
	PROJECT(".claude/commands", PLACE_COMMANDS, CLAUDE),
	PROJECT(".gemini/commands", PLACE_COMMANDS, .dialect = "gemini"),
	USER(".gemini/extensions", PLACE_EXTENSIONS, .dialect = "gemini"),
};
/* clang-format on */

const struct settings_place *place_next(const struct settings_place *after, const char *dialect,
					unsigned holds)
{
	const struct settings_place *p = after ? after + 1 : places;

	for (; p < places + ARRAY_LEN(places); p++)
		if (p->holds & holds && (!dialect || strcmp(p->dialect, dialect) == 0))
			return p;
	return NULL;
}

const struct settings_place *place_next_in(const struct settings_place *after, enum tl_tier tier,
					   const char *dialect, unsigned holds)
{
	const struct settings_place *p = after;

	while ((p = place_next(p, dialect, holds)) && p->tier != tier)
		;
	return p;
}

const struct settings_place *place_find(enum tl_tier tier, const char *dialect, unsigned holds)
{
	return place_next_in(NULL, tier, dialect, holds);
}

static bool has_settings(const char *dir)
{
	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_HOOKS));)
		if (p->root == ROOT_PROJECT && fs_has(dir, p->path))
			return true;
	return false;
}

/* Cuts the last component off; false at the root. */
static bool to_parent(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !path[1])
		return false;
	*(slash == path ? slash + 1 : slash) = '\0';
	return true;
}

char *project_find(const char *cwd, const char *home)
{
	AUTO(free) char *dir = xstrdup(cwd);
	AUTO(free) char *nearest = NULL;

	do {
		if (*home && strcmp(dir, home) == 0)
			break;
		if (!nearest && has_settings(dir))
			nearest = xstrdup(dir);
		if (fs_has(dir, ".git"))
			return nearest ? MOVE(nearest) : MOVE(dir);
	} while (to_parent(dir));
	return xstrdup(cwd);
}

char *project_outer(const char *project, const char *home)
{
	AUTO(free) char *dir = xstrdup(project);
	AUTO(free) char *outer = NULL;

	while (!fs_has(dir, ".git")) {
		if (!to_parent(dir) || (*home && strcmp(dir, home) == 0))
			return NULL;
		if (has_settings(dir)) {
			free(outer);
			outer = xstrdup(dir);
		}
	}
	return MOVE(outer);
}

bool dirs_at_home(const struct dirs *dirs)
{
	struct stat home, project;

	return *dirs->home && (strcmp(dirs->home, dirs->project) == 0 ||
			       (stat(dirs->home, &home) == 0 &&
				stat(dirs->project, &project) == 0 && fs_is_same(&home, &project)));
}

const char *place_path(const struct settings_place *p, const struct dirs *dirs, struct arena *a)
{
	const char *other = p->override ? env_get(dirs->env, p->override) : NULL;
	AUTO(free) char *path = NULL;

	if (p->root == ROOT_SYSTEM)
		path = xstrdup(other && *other ? other : p->path);
	else if (p->root == ROOT_HOME && *dirs->home)
		path = home_file(dirs->home, dirs->env, p->path);
	else if (p->root == ROOT_PROJECT && *dirs->project && !dirs_at_home(dirs))
		path = fs_join(dirs->project, p->path);
	return path ? arena_z(a, str_from(path)) : NULL;
}

void places_sweep(const struct dirs *dirs)
{
	AUTO(arena_done) struct arena a = { 0 };

	for (const struct settings_place *p = NULL;
	     (p = place_next(p, NULL, ALL | PLACE_EXTENSIONS));) {
		const char *path = place_path(p, dirs, &a);
		/* Of files their directory; that of foreign ones may be large, and is not ours. */
		AUTO(free) char *dir = path && p->holds & ALL ? path_parent(path) : NULL;

		if (path && p->root != ROOT_SYSTEM && p->use != PLACE_FOREIGN)
			fs_sweep(dir ? dir : path);
	}
	if (*dirs->home)
		fs_sweep(arena_printf(&a, "%s/.trotline/approved", dirs->home).p);
}

/* Where `part` is in the path, between slashes or at its end; -1 = nowhere. */
static ptrdiff_t find_part(struct str path, struct str part)
{
	ptrdiff_t at = -1;

	while ((at = str_find(path, part, (size_t)(at + 1))) >= 0) {
		size_t end = (size_t)at + part.n;

		if (at > 0 && path.p[at - 1] == '/' && (end == path.n || path.p[end] == '/'))
			return at;
	}
	return -1;
}

static bool is_moved_to(const char *path, const char *const *env, const struct settings_place *p)
{
	AUTO(free) char *there = home_file("/", env, p->path);

	return strcmp(path, there) == 0 && path[1] != '.';
}

const struct settings_place *place_by_path(const char *path, const char *const *env,
					   size_t *ret_root_n)
{
	struct str whole = str_from(path);

	*ret_root_n = 0;
	/* First by the whole name, then by the directory that dialects keep their files in. */
	for (int by_dir = 0; by_dir < 2; by_dir++)
		for (const struct settings_place *p = NULL; (p = place_next(p, NULL, ALL));) {
			struct str part = str_from(p->path);
			const char *other = p->override ? env_get(env, p->override) : NULL;
			ptrdiff_t at;

			if (p->root == ROOT_SYSTEM) {
				if (!by_dir && (strcmp(path, p->path) == 0 ||
						(other && strcmp(path, other) == 0)))
					return p;
				continue;
			}
			if (by_dir)
				part = str_sub(part, 0, (size_t)str_chr(part, '/', 0));
			at = find_part(whole, part);
			if (!by_dir && p->root == ROOT_HOME && is_moved_to(path, env, p))
				return p;
			if (at < 0 || (!by_dir && (size_t)at + part.n < whole.n))
				continue;
			*ret_root_n = at > 1 ? (size_t)at - 1 : 1;
			return p;
		}
	return NULL;
}
