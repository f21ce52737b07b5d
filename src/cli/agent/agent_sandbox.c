/*
 * The sandbox of the commands that the model runs: --sandbox, else GEMINI_SANDBOX, else
 * tools.sandbox (docs/sandbox.md).  Whoever asks for one in a way that is not known gets one.
 */
#include "agent/transcript/transcript.h"
#include "base/env.h"
#include "base/path.h"
#include "base/words.h"
#include "cli/agent/agent_run.h"
#include "os/fs.h"
#include "settings/sandbox_rules.h"
#include "settings/settings.h"

static const struct profile {
	const char *name;
	bool writes; /* the workspace and temporary files */
	bool everything; /* files are left alone */
} profiles[] = {
	{ "project", .writes = true },
	{ "read-only" },
	{ "no-network", .writes = true, .everything = true },
};
enum { PROFILE_PROJECT };

/* What compilers and interpreters need of a home directory; none of it holds a secret. */
static const char *const home_tools[] = {
	".asdf",
	".bun",
	".cargo/bin",
	".cargo/git",
	".cargo/registry",
	".config/git",
	".deno",
	".gitconfig",
	".local/bin",
	".local/lib",
	".local/pipx",
	".local/share/pnpm",
	".local/share/uv",
	".m2/repository",
	".nvm",
	".pyenv",
	".rbenv",
	".rustup",
	".sdkman/candidates",
	".volta",
	"go",
};

/* ---- which ---- */

/* What was said, and where; text NULL = by an object. */
struct wish {
	const char *where, *text;
	const struct json *rules;
};

static bool is_no(const char *text)
{
	return strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
}

static bool find_wish(struct run *r, struct wish *ret)
{
	const struct json *set = json_pointer(r->settings, STR("/tools/sandbox"));
	const char *env = run_env(r, "GEMINI_SANDBOX");
	const char *said = r->args->sandbox ? r->args->sandbox : env;
	bool gemini = json_getz(set, "enabled") != NULL; /* its form of the object */

	*ret = (struct wish){ r->args->sandbox ? "--sandbox"
			      : env            ? "GEMINI_SANDBOX"
					       : "tools.sandbox",
			      said, NULL };
	if (said)
		return !is_no(said);
	if (!set || json_is(set, J_NULL) || json_is_false(set) ||
	    json_is_false(json_getz(set, "enabled")))
		return false;
	if (json_is(set, J_STR) && is_no(arena_z(&r->arena, json_str(set, STR("")))))
		return false;
	if (json_is(set, J_STR))
		ret->text = arena_z(&r->arena, json_str(set, STR("")));
	else if (json_is(set, J_OBJ) && !gemini)
		ret->rules = set;
	else
		ret->text = "true";
	return true;
}

static const struct profile *find_profile(struct run *r, const struct wish *w)
{
	static const char *const yes[] = { "true", "1", "" };

	for (size_t i = 0; i < ARRAY_LEN(profiles); i++)
		if (strcmp(w->text, profiles[i].name) == 0)
			return &profiles[i];
	if (!word_in(str_from(w->text), yes, ARRAY_LEN(yes)))
		output_warn(&r->out,
			    "%s names a sandbox that trotline does not have; commands run "
			    "in its own, \"project\"",
			    w->where);
	return &profiles[PROFILE_PROJECT];
}

/* ---- what it opens ---- */

/* Gemini CLI's own keys besides tools.sandbox. */
static void add_allowed(struct run *r, struct words *out)
{
	const struct json *more[] = {
		json_pointer(r->settings, STR("/tools/sandboxAllowedPaths")),
		json_pointer(r->settings, STR("/tools/sandbox/allowedPaths")),
	};

	for (size_t k = 0; k < ARRAY_LEN(more); k++)
		for (size_t i = 0; json_is(more[k], J_ARR) && i < more[k]->n; i++) {
			const char *path =
				arena_z(&r->arena, json_str(json_at(more[k], i), STR("")));
			bool home = path[0] == '~' && (path[1] == '/' || !path[1]);
			AUTO(free) char *whole =
				home ? xasprintf("%s%s", r->home, path + 1) : xstrdup(path);
			AUTO(free) char *absolute = fs_absolute(r->project, whole);

			if (*path)
				words_add(out, arena_z(&r->arena, str_from(absolute)));
		}
}

static const char *const *take_list(struct run *r, struct words *w)
{
	const char **list = ARENA_ARRAY(&r->arena, const char *, w->n + 1);

	for (size_t i = 0; i < w->n; i++)
		list[i] = w->p[i];
	free(w->p);
	return list;
}

static void open_profile(struct run *r, const struct profile *p, struct sandbox_rules *rules)
{
	AUTO(free) char *saved = project_temp_dir(r->home, r->project, NULL);
	const char *temp = env_get(r->env, "TMPDIR");
	struct words read = { 0 }, write = { 0 }, *own = p->writes ? &write : &read;
	bool network = settings_bool(r->settings, "/tools/sandboxNetworkAccess", false) ||
		       settings_bool(r->settings, "/tools/sandbox/networkAccess", false);

	if (p->everything)
		words_add(&write, "/");
	words_add(own, r->project);
	for (size_t i = 0; i < r->roots.n; i++)
		words_add(own, r->roots.p[i]);
	if (p->writes) {
		words_add(&write, temp && temp[0] == '/' ? temp : "/tmp");
		add_allowed(r, &write);
	}
	if (saved)
		words_add(&read, arena_z(&r->arena, str_from(saved)));
	for (size_t i = 0; *r->home && i < ARRAY_LEN(home_tools); i++) {
		AUTO(free) char *path = fs_join(r->home, home_tools[i]);

		words_add(&read, arena_z(&r->arena, str_from(path)));
	}
	*rules = (struct sandbox_rules){
		.may = { .inside = r->project, .network = network && p->writes && !p->everything },
		.text = p->name,
	};
	rules->may.read = take_list(r, &read);
	rules->may.write = take_list(r, &write);
}

/* ---- one's own ---- */

struct reading {
	struct run *r;
	const char *odd; /* what was wrong first */
};

static const char *variable(const void *data, struct str name)
{
	const struct reading *reading = data;
	AUTO(free) char *text = xstrndup(name.p, name.n);

	return env_get(reading->r->env, text);
}

static void say_odd(void *data, const struct object_odd *odd)
{
	struct reading *reading = data;

	if (!reading->odd)
		reading->odd = arena_z(&reading->r->arena, str_from(odd->text));
}

int setup_sandbox(struct run *r)
{
	struct reading reading = { .r = r };
	const struct sandbox_source from = {
		.arena = &r->arena,
		.project = r->project,
		.home = r->home,
		.variable = variable,
		.odd = say_odd,
		.data = &reading,
	};
	struct sandbox_rules *rules = ARENA_NEW(&r->arena, struct sandbox_rules);
	struct wish wish;
	struct err err;

	if (!find_wish(r, &wish))
		return EXIT_OK;
	if (!wish.rules)
		open_profile(r, find_profile(r, &wish), rules);
	else if (!sandbox_rules_read(&from, wish.rules, rules))
		return run_fail(r, EXIT_CONFIG, "FatalConfigError", "tools.%s", reading.odd);
	if (!wish.rules && *r->home && path_below(r->project, r->home))
		output_warn(&r->out,
			    "the sandbox opens all of your home directory, because it is "
			    "in the project %s",
			    r->project);
	rules->may.roams = true; /* commands make groups; all of a session's end with it */
	r->sandbox = rules;
	if (sandbox_check(sandbox_abi(), &err) < 0)
		output_warn(&r->out, "%s asks for a sandbox, and %s; commands do not run",
			    wish.where, err.text);
	return EXIT_OK;
}
