#include "settings/read.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/toml.h"
#include "os/fs.h"

int settings_parse(struct arena *a, const char *path, struct str text, const struct json **ret_doc,
		   struct err *err)
{
	struct json_where at = { 0 };
	const struct json *doc;
	struct err why;
	int r;

	if (str_ends(str_from(path), STR(".toml")))
		r = toml_parse(a, text, &doc, &at, &why);
	else
		r = json_parse_at(a, str_trim(text).n ? text : STR("{}"), JSON_C, NULL, &doc, &at,
				  &why);
	if (r < 0)
		return err_set_at(err, E_PARSE, path, at.line, at.column, "%s", why.text);
	if (!json_is(doc, J_OBJ))
		return err_set_at(err, E_CONFIG, path, 1, 1, "expected a JSON object, this is %s",
				  json_what(doc));
	*ret_doc = doc;
	return 0;
}

/* A missing file in a missing directory, that is: nothing on the way that leads nowhere. */
static bool is_absent(const char *path)
{
	AUTO(free) char *at = xstrdup(path);
	struct stat st;

	while (lstat(at, &st) < 0) {
		char *slash = strrchr(at, '/');

		if (errno != ENOENT || !slash)
			return errno == ENOENT;
		slash[slash == at] = '\0';
	}
	return strlen(at) < strlen(path) && fs_is_dir(at);
}

int settings_read(struct arena *a, const char *path, struct str *ret_text,
		  const struct json **ret_doc, struct err *err)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	struct str text;
	struct err why;
	int r = fs_read(path, SETTINGS_MAX_BYTES, &bytes, &why);

	if (r == -E_NOTFOUND && is_absent(path))
		return 0;
	if (r < 0)
		return err_set_at(err, E_CONFIG, path, 1, 1,
				  "this settings file cannot be used: %s", err_sentence(&why));
	text = arena_str(a, buf_str(&bytes));
	r = settings_parse(a, path, text, ret_doc, err);
	if (r < 0)
		return r;
	if (ret_text)
		*ret_text = text;
	return 1;
}
