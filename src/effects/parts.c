/* A path as its parts. */
#include "effects/parts.h"
#include "base/wild.h"
#include "effects/run.h"

bool part_is_glob(char c)
{
	return c == MARK_STAR || c == MARK_ONE || c == '*' || c == '?';
}

/* Nothing but globs and what only leaves out "." and "..": *, .*, .[!.]*, ?* */
static bool is_all(struct str part)
{
	bool star = false;

	for (size_t i = 0; i < part.n; i++) {
		star |= part.p[i] == MARK_STAR || part.p[i] == '*';
		if (!part_is_glob(part.p[i]) && part.p[i] != '.')
			return false;
	}
	return star;
}

bool part_is_unknown(struct str s)
{
	return value_has(s, MARK_ANY) || value_has(s, MARK_UNSET) || value_has(s, MARK_FETCHED) ||
	       value_has(s, MARK_SECRET) || value_has(s, MARK_HIDDEN);
}

static void take_parts(struct path *to, struct str path)
{
	struct str part;

	to->all = false;
	for (struct str rest = path; str_split(&rest, '/', &part);) {
		if (part.n == 0 || str_eqz(part, "."))
			continue;
		to->unknown |= part_is_unknown(part);
		to->all = false;
		if (str_eqz(part, "..")) {
			if (to->deeper)
				to->deeper--;
			else
				to->n -= to->n > 0;
			continue;
		}
		if (is_all(part)) {
			to->all = true;
			if (!rest.p || !str_trim(rest).n || str_eqz(rest, "/"))
				break;
		}
		if (to->n < PARTS_MAX)
			to->part[to->n++] = part;
		else
			to->deeper++;
	}
	/* What may well be empty: "/$X" is "/". */
	while (to->n && to->part[to->n - 1].n == 1 && to->part[to->n - 1].p[0] == MARK_UNSET) {
		to->n--;
		to->all = true;
	}
}

struct path parts_read(struct str path, struct str cwd)
{
	struct path p = { 0 };

	/* "$X/y" is "/y" when nothing sets it. */
	if (path.n > 1 && path.p[0] == MARK_UNSET && path.p[1] == '/') {
		path = str_sub(path, 1, path.n);
		p.unknown = true;
	}
	if (!path.n || path.p[0] != '/') {
		p.relative = !cwd.n || cwd.p[0] != '/' ||
			     (path.n && (path.p[0] == MARK_ANY ||
					 (path.p[0] >= MARK_FETCHED && path.p[0] <= MARK_HIDDEN)));
		if (!p.relative)
			take_parts(&p, cwd);
		if (!p.relative && path.n && path.p[0] == MARK_UNSET && path.n > 1)
			path = str_sub(path, 1, path.n);
		else if (path.n && path.p[0] == MARK_UNSET)
			p.relative = true;
	}
	take_parts(&p, path);
	return p;
}

enum relation parts_relate(const struct path *p, struct str dir, bool unknown_fits)
{
	size_t i = 0;
	struct str part;

	for (struct str rest = dir; str_split(&rest, '/', &part);) {
		if (!part.n)
			continue;
		if (i == p->n)
			return COVERS;
		if (!str_eq(p->part[i], part) && ((!unknown_fits && part_is_unknown(p->part[i])) ||
						  !value_fits(p->part[i], part)))
			return APART;
		i++;
	}
	return i == p->n ? COVERS : INSIDE;
}

bool parts_fit(const struct path *p, size_t i, const char *pattern)
{
	struct str want;

	for (struct str rest = str_from(pattern); str_split(&rest, '/', &want); i++)
		if (i >= p->n || (!str_eq(p->part[i], want) && !wild_fits(want, p->part[i])))
			return false;
	return true;
}

struct str parts_shown(struct arena *a, const struct path *p, struct str written)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (p->relative)
		return value_shown(a, written);
	for (size_t i = 0; i < p->n; i++) {
		buf_addc(&out, '/');
		buf_adds(&out, p->part[i]);
	}
	if (p->all || !p->n)
		buf_addz(&out, p->all ? "/*" : "/");
	return value_shown(a, buf_str(&out));
}
