#include "base/path.h"

/* Takes the next part off *rest; false at the end.  "." and empty parts are passed over. */
static bool next_part(struct str *rest, struct str *ret_part)
{
	while (str_split(rest, '/', ret_part))
		if (ret_part->n && !str_eq(*ret_part, STR(".")))
			return true;
	return false;
}

/* Every part counts: "a/../../b" leads out of where it begins. */
static bool goes_up(struct str path)
{
	for (struct str part; next_part(&path, &part);)
		if (str_eq(part, STR("..")))
			return true;
	return false;
}

struct str path_below_str(struct str dir, struct str path)
{
	const struct str nowhere = { 0 }, slash = STR("/");
	struct str rest = path, end = str_sub(path, path.n, path.n), above, part;

	if (!str_starts(dir, slash) || !str_starts(path, slash) || goes_up(dir) || goes_up(path))
		return nowhere;
	while (next_part(&dir, &above))
		if (!next_part(&rest, &part) || !str_eq(above, part))
			return nowhere;
	return next_part(&rest, &part) ? str_sub(path, (size_t)(part.p - path.p), path.n) : end;
}

const char *path_below(const char *dir, const char *path)
{
	return dir && path ? path_below_str(str_from(dir), str_from(path)).p : NULL;
}

const char *path_shown(const char *dir, const char *path)
{
	const char *below = path_below(dir, path);

	return below && *below ? below : path;
}

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool path_next_name(struct str *rest, struct str *ret_name)
{
	struct str name;

	while (str_split(rest, '|', &name)) {
		name = str_trim(name);
		if (name.n && !str_eqz(name, "*") && str_chr(name, '/', 0) < 0) {
			*ret_name = name;
			return true;
		}
	}
	return false;
}

char *path_parent(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
}

void path_climb(char **path)
{
	char *up = path_parent(*path);

	free(*path);
	*path = up;
}
