#include "cli/agent/env_file.h"

#include "base/env_line.h"
#include "base/path.h"
#include "os/fs.h"

enum { ENV_FILE_MAX_BYTES = 64 << 10 };

static const struct {
	const char *name;
	bool from_project;
} taken[] = {
	{ "GEMINI_API_KEY", true },
	{ "GOOGLE_API_KEY", true },
	{ "GEMINI_MODEL", true },
	{ "OPENAI_API_KEY", true },
	{ "OPENAI_MODEL", true },
	{ "GOOGLE_GEMINI_BASE_URL", false },
	{ "OPENAI_BASE_URL", false },
	{ "GOOGLE_GENAI_USE_VERTEXAI", true },
	{ "GOOGLE_CLOUD_LOCATION", true },
	{ "GOOGLE_VERTEX_BASE_URL", false },
	{ "GOOGLE_GENAI_API_VERSION", false },
};

/* False without such a file. */
static bool read_file(struct run *r, const char *path, bool from_project)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct err err;
	int e = fs_read(path, ENV_FILE_MAX_BYTES, &text, &err);

	if (e == -E_NOTFOUND)
		return false;
	if (e < 0)
		output_warn(&r->out, "%s", err.text);
	for (struct str rest = buf_str(&text), line; str_split(&rest, '\n', &line);) {
		AUTO(buf_done) struct buf value = { 0 };
		AUTO(free) char *name = NULL;
		struct str key;
		size_t k = 0;

		if (!env_line(line, &key, &value))
			continue;
		while (k < ARRAY_LEN(taken) && !str_eqz(key, taken[k].name))
			k++;
		if (k == ARRAY_LEN(taken) || (from_project && !taken[k].from_project))
			continue;
		name = xstrndup(key.p, key.n);
		if (!run_env(r, name))
			words_add(&r->dotenv,
				  arena_printf(&r->arena, "%s=%s", name, buf_z(&value)).p);
	}
	return true;
}

static bool read_in(struct run *r, const char *dir, bool from_project)
{
	AUTO(free) char *ours = xasprintf("%s/.gemini/.env", dir);
	AUTO(free) char *plain = xasprintf("%s/.env", dir);

	return read_file(r, ours, from_project) || read_file(r, plain, from_project);
}

void env_files_read(struct run *r)
{
	AUTO(free) char *dir = xstrdup(r->cwd);
	bool seek = r->trusted && strcmp(r->project, r->home) != 0;

	/* The nearest one, from here up to the project's directory. */
	while (seek && path_below(r->project, dir)) {
		char *slash = strrchr(dir, '/');

		seek = !read_in(r, dir, true) && slash && slash != dir;
		if (seek)
			*slash = '\0';
	}
	if (*r->home)
		(void)read_in(r, r->home, false);
}
