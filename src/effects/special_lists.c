/* Lists of files and other items, and what is run for each of them: find, xargs. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

enum { ITEMS_MAX = 1000, FOUND_MAX = 256 };

static bool narrows(struct str option)
{
	static const char *const names[] = {
		"-name",     "-iname", "-path", "-ipath",  "-wholename", "-regex",      "-iregex",
		"-size",     "-empty", "-user", "-group",  "-perm",      "-newer",      "-mtime",
		"-atime",    "-ctime", "-mmin", "-amin",   "-cmin",      "-links",      "-inum",
		"-samefile", "-lname", "-used", "-nouser", "-newermt",   "-executable", "-xtype",
	};

	return sh_is_among(option, (const char *const[]){ "-delete", NULL }) ? false : ({
		bool found = false;

		for (size_t i = 0; i < ARRAY_LEN(names) && !found; i++)
			found = str_eqz(option, names[i]);
		found;
	});
}

struct str glob_value(struct run *r, struct str s)
{
	char *p = arena_z(r->a, s);

	for (size_t i = 0; i < s.n; i++)
		p[i] = p[i] == '*' ? MARK_STAR : p[i] == '?' ? MARK_ONE : p[i];
	return (struct str){ p, s.n };
}

struct found {
	struct fields starts, values; /* what it begins with, what it finds */
	bool narrowed, empty;
	struct str name; /* of -name */
};

static size_t find_read(struct run *r, const struct call *c, struct found *f)
{
	size_t i = 1, from;

	bool follows = false;

	while (i < c->n && (str_eqz(c->words[i], "-L") || str_eqz(c->words[i], "-H") ||
			    str_eqz(c->words[i], "-P") || str_eqz(c->words[i], "-E") ||
			    str_eqz(c->words[i], "-x")))
		follows |= str_chr(STR("LH"), c->words[i++].p[1], 0) >= 0;
	for (; i < c->n && c->words[i].n && !strchr("-(!,", c->words[i].p[0]); i++)
		field_add(r, &f->starts,
			  follows ? arena_printf(r->a, "%.*s/", STR_ARG(c->words[i]))
				  : c->words[i]);
	from = i;
	if (!f->starts.n)
		field_add(r, &f->starts, STR("."));
	for (; i < c->n; i++) {
		bool leaves_out = str_eqz(c->words[i - 1], "!") || str_eqz(c->words[i - 1], "-not");

		f->narrowed |= narrows(c->words[i]) && !leaves_out &&
			       !(i + 1 < c->n && str_eqz(c->words[i + 1], "*"));
		if (i + 1 < c->n &&
		    (str_eqz(c->words[i], "-name") || str_eqz(c->words[i], "-iname")) &&
		    (!i || !(str_eqz(c->words[i - 1], "!") || str_eqz(c->words[i - 1], "-not"))))
			f->name = glob_value(r, c->words[i + 1]);
	}
	for (i = 0; i < f->starts.n; i++) {
		struct text t = { 0 };

		text_add(r, &t, f->starts.p[i]);
		text_add(r, &t, f->narrowed ? STR("/\1") : STR("/\2"));
		if (f->narrowed && f->name.n) {
			text_add(r, &t, STR("/"));
			text_add(r, &t, f->name);
		}
		field_add(r, &f->values, text_str(&t));
	}
	return from;
}

static struct str with_text(struct run *r, struct str word, struct str mark, struct str value)
{
	struct text t = { 0 };
	size_t at = 0;
	ptrdiff_t hit;

	while (mark.n && (hit = str_find(word, mark, at)) >= 0) {
		text_add(r, &t, str_sub(word, at, (size_t)hit));
		text_add(r, &t, value);
		at = (size_t)hit + mark.n;
	}
	if (!at)
		return word;
	text_add(r, &t, str_sub(word, at, word.n));
	return text_str(&t);
}

/* A command with one item in the place of a mark; without a mark it comes last. */
static void run_with(struct run *r, const struct str *words, size_t n, struct str mark,
		     const struct str *items, size_t nitems, bool append)
{
	struct fields all = { 0 };

	for (size_t i = 0; i < n; i++)
		field_add(r, &all, nitems ? with_text(r, words[i], mark, items[0]) : words[i]);
	for (size_t i = 0; append && i < nitems; i++)
		field_add(r, &all, items[i]);
	run_call(r, all.p, all.n);
}

/* *.py, *.ts: what people write, and no build makes again. */
static bool names_sources(struct str extension)
{
	return word_in_text(extension,
			    "py ts tsx jsx java kt go rs c cc cpp cxx h hpp cs rb php swift scala "
			    "ex exs hs ml dart vue svelte sql");
}

static void see_found(struct run *r, const struct call *c, const struct found *f)
{
	size_t choices = 0;
	bool sources, all;

	for (size_t i = 1; i < c->n; i++)
		choices += narrows(c->words[i]) || word_in_text(c->words[i], "-prune -maxdepth");
	/* find . -name '*.py' -delete, and nothing else that chooses. */
	sources = choices == 1 && f->name.n > 2 && f->name.p[0] == MARK_STAR &&
		  f->name.p[1] == '.' && names_sources(str_sub(f->name, 2, f->name.n));
	all = !sources && !f->narrowed && !call_has(c, "-prune -maxdepth");

	/* find . -type f: .git is among it, unless something is said of it. */
	for (size_t i = 1; i < c->n; i++)
		all &= str_find(c->words[i], STR(".git"), 0) < 0;
	for (size_t k = 0; (sources || all) && k < f->values.n; k++) {
		if (sources && k == FOUND_MAX) {
			effects_unjudged(r->e, STR("(a search in too many places)"));
			break;
		}
		if (sources || (effects_places(r->e, f->starts.p[k], r->cwd) & PLACE_PROJECT_WHOLE))
			binding_set(r, &r->e->state->found, f->values.p[k],
				    sources ? STR(FOUND_SOURCES) : STR(FOUND_ALL));
	}
}

static size_t find_action(struct run *r, const struct call *c, size_t i, const struct found *f)
{
	static const char *const execs[] = { "-exec", "-execdir", "-ok", "-okdir", NULL };
	static const char *const files[] = { "-fprint", "-fprintf", "-fls", "-fprint0", NULL };
	size_t end = i + 1;

	if (str_eqz(c->words[i], "-delete"))
		for (size_t k = 0; k < f->starts.n && run_spend(r, 1); k++)
			call_path(r, c,
				  (struct effect){ .kind = EFFECT_DELETE, .recursive = !f->empty },
				  f->narrowed ? f->values.p[k] : f->starts.p[k]);
	if (sh_is_among(c->words[i], files) && i + 1 < c->n)
		call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE }, c->words[i + 1]);
	if (!sh_is_among(c->words[i], execs))
		return i;
	while (end < c->n && !str_eqz(c->words[end], ";") && !str_eqz(c->words[end], "+"))
		end++;
	for (size_t k = 0; k < f->values.n && run_spend(r, 1); k++)
		run_with(r, c->words + i + 1, end - i - 1, STR("{}"), &f->values.p[k], 1, false);
	return end;
}

static bool run_find(struct run *r, const struct call *c)
{
	struct found f = { 0 };
	size_t i = find_read(r, c, &f);

	/* Only what is empty: nothing is lost with it. */
	f.empty = call_has(c, "-empty") && !call_has(c, "-o -or ! -not ,");
	see_found(r, c, &f);
	for (; i < c->n; i++)
		i = find_action(r, c, i, &f);
	for (i = 0; r->out && i < f.values.n; i++) {
		run_emit(r, f.values.p[i]);
		run_emit(r, STR("\n"));
	}
	return true;
}

static bool run_fd(struct run *r, const struct call *c)
{
	static const char *const execs[] = { "-x", "-X", "--exec", "--exec-batch", NULL };
	struct str found = STR("./\2");
	const struct option *ending;
	struct args a;

	args_read(r, &a, c,
		  "-e -E -t -d -x -X -S -o --extension --exclude --type --max-depth --exec");
	if ((a.noperands && !str_eqz(a.operands[0], ".")) || args_option(&a, "-e|--extension|-S"))
		found = STR("./\1");
	ending = args_option(&a, "-e|--extension");
	ending = ending && names_sources(ending->value) ? ending : NULL;
	for (size_t i = 1; i < c->n; i++)
		if (sh_is_among(c->words[i], execs)) {
			bool marked = false;

			for (size_t k = i + 1; k < c->n; k++)
				marked |= str_find(c->words[k], STR("{"), 0) >= 0;
			if (ending && (!a.noperands || a.at[0] > i))
				binding_set(r, &r->e->state->found, found, STR(FOUND_SOURCES));
			run_with(r, c->words + i + 1, c->n - i - 1, STR("{}"), &found, 1, !marked);
			return true;
		}
	if (ending && !a.noperands)
		binding_set(r, &r->e->state->found, found, STR(FOUND_SOURCES));
	run_emit(r, found);
	return true;
}

/* The items of an input for xargs.  `lines`: quotes are text, and blanks part of items. */
static void items_of(struct run *r, struct str in, bool lines, struct fields *to)
{
	struct text one = { 0 };
	bool begun = false;
	char quote = '\0';

	for (size_t i = 0; i <= in.n && to->n < ITEMS_MAX; i++) {
		char c = i < in.n ? in.p[i] : '\n';
		bool ends = c == '\n' || c == '\0' || (!lines && (c == ' ' || c == '\t'));

		if (quote && c != '\n') {
			if (c == quote)
				quote = '\0';
			else
				text_add(r, &one, (struct str){ &c, 1 });
		} else if (!lines && (c == '"' || c == '\'')) {
			quote = c;
			begun = true;
		} else if (!lines && c == '\\' && i + 1 < in.n) {
			text_add(r, &one, str_sub(in, i + 1, i + 2));
			begun = true;
			i++;
		} else if (ends) {
			if (begun)
				field_add(r, to, text_str(&one));
			one = (struct text){ 0 };
			begun = false;
			quote = '\0';
		} else {
			text_add(r, &one, (struct str){ &c, 1 });
			begun = true;
		}
	}
	if (to->n >= ITEMS_MAX)
		field_add(r, to, ANY);
}

struct xargs {
	struct str mark, file;
	bool lines; /* items are whole lines, or end with NUL */
	bool none; /* without items nothing runs */
};

/* The options of xargs; where its command begins. */
static size_t xargs_read(const struct call *c, struct xargs *x)
{
	static const char *const valued[] = { "--delimiter", "--max-args",  "--max-lines",
					      "--max-procs", "--max-chars", "--eof",
					      "--arg-file",  NULL };
	size_t i = 1;

	for (; i < c->n && c->words[i].n > 1 && c->words[i].p[0] == '-'; i++) {
		struct str w = c->words[i], next = i + 1 < c->n ? c->words[i + 1] : STR("");
		ptrdiff_t eq = str_chr(w, '=', 0);

		if (str_eqz(w, "--"))
			return i + 1;
		if (w.p[1] == '-') {
			bool taken = eq < 0 && sh_is_among(w, valued);
			struct str value = eq < 0 ? next : str_sub(w, (size_t)eq + 1, w.n);

			x->lines |= str_starts(w, STR("--null")) || str_starts(w, STR("--delim"));
			x->none |= str_starts(w, STR("--no-run"));
			if (str_starts(w, STR("--replace")))
				x->mark = eq < 0 ? STR("{}") : value;
			if (str_starts(w, STR("--arg-file")))
				x->file = value;
			i += taken;
			continue;
		}
		for (size_t k = 1; k < w.n; k++) {
			struct str rest = str_sub(w, k + 1, w.n);

			x->lines |= w.p[k] == '0' || w.p[k] == 'd';
			x->none |= w.p[k] == 'r';
			if (w.p[k] == 'i')
				x->mark = rest.n ? rest : STR("{}");
			if (strchr("il", w.p[k]))
				break;
			if (!strchr("IJadELnPsRS", w.p[k]))
				continue;
			if (w.p[k] == 'I' || w.p[k] == 'J')
				x->mark = rest.n ? rest : next;
			if (w.p[k] == 'a')
				x->file = rest.n ? rest : next;
			i += !rest.n;
			break;
		}
	}
	return min_size(i, c->n);
}

static bool run_xargs(struct run *r, const struct call *c)
{
	struct fields items = { 0 };
	struct xargs x = { 0 };
	struct run inner = *r;
	size_t i = xargs_read(c, &x);
	struct str in = r->has_in ? r->in : ANY;

	if (str_eqz(x.file, "/dev/null"))
		in = STR("");
	else if (x.file.n && !is_input_path(x.file) && !file_read(r, x.file, &in))
		in = ANY;
	if (x.file.n && (effects_places(r->e, x.file, r->cwd) & PLACE_SECRET)) {
		call_path(r, c, (struct effect){ .kind = EFFECT_READ }, x.file);
		in = SECRET;
	}
	items_of(r, in, x.lines || x.mark.n > 0, &items);
	inner.has_in = false;
	if (i >= c->n) {
		run_emit(r, r->in);
		return true;
	}
	if (!x.mark.n) {
		if (items.n || !x.none)
			run_with(&inner, c->words + i, c->n - i, x.mark, items.p, items.n, true);
		return true;
	}
	for (size_t k = 0; k < items.n; k++)
		run_with(&inner, c->words + i, c->n - i, x.mark, &items.p[k], 1, false);
	return true;
}

static bool run_parallel(struct run *r, const struct call *c)
{
	struct fields items = { 0 };
	size_t i = 1, end;
	struct run inner = *r;

	while (i < c->n && c->words[i].n > 1 && c->words[i].p[0] == '-')
		i += str_eqz(c->words[i], "-j") || str_eqz(c->words[i], "-N") ||
				     str_eqz(c->words[i], "-a") || str_eqz(c->words[i], "-P") ||
				     str_eqz(c->words[i], "--jobs")
			     ? 2
			     : 1;
	for (end = i; end < c->n && !str_starts(c->words[end], STR(":::"));)
		end++;
	fields_add(r, &items, c, end + 1);
	if (end >= c->n)
		items_of(r, r->has_in ? r->in : ANY, true, &items);
	inner.has_in = false;
	for (size_t k = 0; k < items.n; k++) {
		struct str text =
			text_join(r, c->words + min_size(i, c->n), end - min_size(i, end), ' ');
		struct str with = with_text(r, text, STR("{}"), items.p[k]);

		if (str_eq(with, text) && text.n) {
			struct str both[2] = { text, items.p[k] };

			with = text_join(r, both, 2, ' ');
		}
		call_shell(&inner, c, text.n ? with : items.p[k]);
	}
	return true;
}

const struct special special_lists[] = {
	{ "find gfind", run_find },   { "fd fdfind", run_fd }, { "xargs gxargs", run_xargs },
	{ "parallel", run_parallel }, { NULL, NULL },
};
