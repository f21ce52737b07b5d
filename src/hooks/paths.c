#include "hooks/paths.h"

#include "os/fs.h"

#define SYSTEM_DIR "/etc/gemini-cli"

const struct settings_place settings_places[] = {
	{ TL_TIER_SYSTEM, DIALECT_GEMINI, true, false, SYSTEM_DIR, "system-defaults.json",
	  "GEMINI_CLI_SYSTEM_DEFAULTS_PATH" },
	{ TL_TIER_USER, DIALECT_GEMINI, false, false, "home", ".gemini/settings.json", NULL },
	{ TL_TIER_USER, DIALECT_GEMINI, false, false, "home", ".trotline/settings.json", NULL },
	{ TL_TIER_USER, DIALECT_TABNINE, false, true, "home", ".tabnine/agent/settings.json",
	  NULL },
	{ TL_TIER_USER, DIALECT_TERMINAI, false, true, "home", ".terminai/settings.json", NULL },
	{ TL_TIER_USER, DIALECT_CLAUDE, false, true, "home", ".claude/settings.json", NULL },
	{ TL_TIER_PROJECT, DIALECT_GEMINI, false, false, "project", ".gemini/settings.json", NULL },
	{ TL_TIER_PROJECT, DIALECT_GEMINI, false, false, "project", ".trotline/settings.json",
	  NULL },
	{ TL_TIER_PROJECT, DIALECT_TABNINE, false, true, "project", ".tabnine/agent/settings.json",
	  NULL },
	{ TL_TIER_PROJECT, DIALECT_TERMINAI, false, true, "project", ".terminai/settings.json",
	  NULL },
	{ TL_TIER_PROJECT, DIALECT_CLAUDE, false, true, "project", ".claude/settings.json", NULL },
	{ TL_TIER_PROJECT, DIALECT_CLAUDE, false, true, "project", ".claude/settings.local.json",
	  NULL },
	{ TL_TIER_SYSTEM, DIALECT_GEMINI, false, false, SYSTEM_DIR, "settings.json",
	  "GEMINI_CLI_SYSTEM_SETTINGS_PATH" },
	{ TL_TIER_SYSTEM, DIALECT_GEMINI, false, false, "/etc/trotline", "settings.json",
	  "TROTLINE_SYSTEM_SETTINGS_PATH" },
	{ TL_TIER_SYSTEM, DIALECT_TABNINE, false, true, "/etc/tabnine-cli", "settings.json",
	  "TABNINE_CLI_SYSTEM_SETTINGS_PATH" },
	{ TL_TIER_SYSTEM, DIALECT_CLAUDE, false, true, "/etc/claude-code", "managed-settings.json",
	  NULL },
};
const size_t settings_places_n = ARRAY_LEN(settings_places);

const char *env_get(const char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; env && *env; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

static bool has(const char *dir, const char *name)
{
	AUTO(free) char *path = fs_join(dir, name);

	return fs_exists(path);
}

static bool has_settings(const char *dir)
{
	for (size_t i = 0; i < settings_places_n; i++)
		if (settings_places[i].tier == TL_TIER_PROJECT && has(dir, settings_places[i].file))
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
		if (has(dir, ".git"))
			return nearest ? MOVE(nearest) : MOVE(dir);
	} while (to_parent(dir));
	return xstrdup(cwd);
}

const char *settings_path(const struct settings_place *p, const struct dirs *dirs, struct arena *a)
{
	const char *override = p->override ? env_get(dirs->env, p->override) : NULL;
	const char *base = p->base;

	if (override && *override)
		return arena_z(a, str_from(override));
	if (strcmp(base, "home") == 0)
		base = dirs->home;
	else if (strcmp(base, "project") == 0)
		/* In the home directory the user's file is not also the project's (A1). */
		base = strcmp(dirs->project, dirs->home) == 0 ? "" : dirs->project;
	if (!*base)
		return NULL;
	return arena_printf(a, "%s/%s", base, p->file).p;
}
