/* Patches: which files they write, told by their text where that can be had. */
#include "effects/run.h"

/* "a/src/x.c<tab>date", as it is and without its first directory, as -p1 and git take it. */
static void patch_path(struct run *r, const struct call *c, enum effect_kind kind, struct str path,
		       bool strips)
{
	ptrdiff_t tab = str_chr(path, '\t', 0), slash;

	path = str_trim(tab < 0 ? path : str_sub(path, 0, (size_t)tab));
	if (path.n > 1 && path.p[0] == '"' && path.p[path.n - 1] == '"')
		path = str_sub(path, 1, path.n - 1);
	if (!path.n || str_eqz(path, "/dev/null"))
		return;
	call_path(r, c, (struct effect){ .kind = kind }, path);
	slash = str_chr(path, '/', 1);
	if (strips && slash > 0 && path.p[0] != '/')
		call_path(r, c, (struct effect){ .kind = kind },
			  str_sub(path, (size_t)slash + 1, path.n));
}

static void patch_text(struct run *r, const struct call *c, struct str text)
{
	static const struct {
		const char *head;
		enum effect_kind kind;
		bool strips;
	} heads[] = {
		{ "+++ ", EFFECT_WRITE, true },        { "*** Add File:", EFFECT_WRITE },
		{ "*** Update File:", EFFECT_WRITE },  { "*** Move to:", EFFECT_WRITE },
		{ "*** Delete File:", EFFECT_DELETE }, { "rename to ", EFFECT_WRITE },
		{ "rename from ", EFFECT_DELETE },     { "copy to ", EFFECT_WRITE },
	};
	struct str line, old = STR("");

	for (struct str rest = text; str_split(&rest, '\n', &line) && run_spend(r, 1);) {
		line = str_trim(line);
		if (str_starts(line, STR("--- ")))
			old = str_sub(line, 4, line.n);
		if (str_eqz(line, "+++ /dev/null"))
			patch_path(r, c, EFFECT_DELETE, old, true);
		for (size_t i = 0; i < ARRAY_LEN(heads); i++)
			if (str_starts(line, str_from(heads[i].head)))
				patch_path(r, c, heads[i].kind,
					   str_sub(line, strlen(heads[i].head), line.n),
					   heads[i].strips);
	}
}

static void patch_file(struct run *r, const struct call *c, struct str path)
{
	struct str text;

	call_path(r, c, (struct effect){ .kind = EFFECT_READ }, path);
	if (file_read(r, path, &text))
		patch_text(r, c, text);
}

static bool run_apply_patch(struct run *r, const struct call *c)
{
	for (size_t i = 1; i < c->n; i++)
		patch_text(r, c, c->words[i]);
	if (r->has_in)
		patch_text(r, c, r->in);
	return true;
}

static bool run_patch(struct run *r, const struct call *c)
{
	struct args a;
	const struct option *in, *dir;
	struct run inner = *r;

	args_read(r, &a, c,
		  "-p -i -d -o -r -B -D -F -Y -z --strip --input --directory --output "
		  "--reject-file --prefix --suffix --fuzz");
	if (args_option(&a, "--dry-run"))
		return true;
	in = args_option(&a, "-i|--input");
	dir = args_option(&a, "-d|--directory");
	if (dir)
		inner.cwd = joined(r, dir->value);
	if (a.noperands)
		call_path(&inner, c, (struct effect){ .kind = EFFECT_OVERWRITE }, a.operands[0]);
	if (in || a.noperands > 1)
		patch_file(&inner, c, in ? in->value : a.operands[1]);
	if (r->has_in)
		patch_text(&inner, c, r->in);
	return true;
}

void git_patch(struct run *r, const struct call *c, const struct args *a)
{
	const struct option *dir = args_option(a, "--directory");
	struct run inner = *r;

	if (args_option(a, "--check|--stat|--numstat|--summary") && !args_option(a, "--apply"))
		return;
	if (dir) {
		inner.cwd = joined(r, dir->value);
		call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE },
			  arena_printf(r->a, "%.*s/\1", STR_ARG(dir->value)));
	}
	for (size_t i = 1; i < a->noperands; i++)
		patch_file(&inner, c, joined(r, a->operands[i]));
	if (r->has_in)
		patch_text(&inner, c, r->in);
}

const struct special special_patch[] = {
	{ "apply_patch applypatch", run_apply_patch },
	{ "patch gpatch", run_patch },
	{ NULL, NULL },
};
