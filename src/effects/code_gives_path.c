/* Which files functions and commands name: parents, listings, patterns. */
#include "effects/code_act.h"

#include "base/words.h"
#include "effects/code_reader.h"

struct str code_parent(struct str s)
{
	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	for (size_t i = s.n; i-- > 0;)
		if (s.p[i] == '/')
			return str_sub(s, 0, i ? i : 1);
	return STR("."); /* of the folder it is in */
}

static struct code_value walked(struct code_value v, unsigned flags)
{
	if (v.kind == VALUE_LIST && (v.flags & VALUE_ANY)) {
		for (unsigned i = 0; i < v.n; i++)
			v.items[i].flags |= VALUE_WALKED | flags;
		return v;
	}
	v.flags |= VALUE_WALKED | flags;
	return v;
}

/* a/X/ (two stars) /b: recursively what fits b below a. */
static struct code_value glob(const struct act *x, struct code_value pattern, bool below)
{
	struct arena *a = x->c->e->arena;
	struct code_value v = pattern;
	ptrdiff_t stars;
	bool recursive = (x->f->flags & FN_RECURSIVE) ||
			 (pattern.kind == VALUE_TEXT && str_find(pattern.text, STR("**"), 0) >= 0);
	struct str tail;

	if (pattern.kind == VALUE_LIST) {
		struct code_value *items = ARENA_ARRAY(a, struct code_value, pattern.n + 1);

		for (unsigned i = 0; i < pattern.n; i++)
			items[i] = glob(x, pattern.items[i], below);
		v = value_list(a, items, pattern.n);
		v.flags |= VALUE_ANY;
		return v;
	}
	if (v.kind != VALUE_TEXT)
		v = value_text(STR("\1"));
	if (x->c->g->language == CODE_PERL && str_starts(v.text, STR("~/")))
		v.text = arena_printf(a, "%.*s%.*s", STR_ARG(code_home(x->c)),
				      STR_ARG(str_sub(v.text, 1, v.text.n)));
	stars = str_find(v.text, STR("**"), 0);
	if (stars >= 0) {
		tail = str_sub(v.text, (size_t)stars + 2, v.text.n);
		while (tail.n && (tail.p[0] == '/' || tail.p[0] == '*'))
			tail = str_sub(tail, 1, tail.n);
		v.text = arena_printf(a, "%.*s%s%.*s", (int)stars, v.text.p,
				      tail.n && tail.p[0] == '*' ? ""
				      : tail.n                   ? "*/"
								 : "*",
				      STR_ARG(tail));
		if (tail.n && str_chr(tail, '/', 0) < 0 && tail.p[0] != '*')
			v.text = arena_printf(a, "%.*s*%.*s", (int)stars, v.text.p, STR_ARG(tail));
	}
	if (below && x->self)
		v = value_path(a, *x->self, v);
	v.type = x->f->type ? str_from(x->f->type) : (struct str){ 0 };
	return walked(v, recursive ? VALUE_RECURSIVE : 0);
}

/* glob("a b") of Perl: two patterns. */
static struct code_value patterns(const struct act *x, struct code_value v)
{
	struct code_value items[CODE_ALTERNATIVES_MAX];
	struct str rest = v.text, word;
	size_t n = 0;

	if (x->c->g->language != CODE_PERL || v.kind != VALUE_TEXT || str_chr(rest, ' ', 0) < 0)
		return v;
	while (n < ARRAY_LEN(items) && str_split(&rest, ' ', &word))
		if (str_trim(word).n) {
			items[n] = v;
			items[n++].text = str_trim(word);
		}
	return value_list(x->c->e->arena, items, n);
}

static struct code_value walk(const struct act *x)
{
	const struct code_value *dir = act_argument(x, x->f->arg);
	struct code_value star = walked(value_text(STR("*")), VALUE_RECURSIVE), parts[3], one, all;
	struct arena *a = x->c->e->arena;

	parts[0] =
		dir && dir->kind == VALUE_TEXT ? walked(*dir, VALUE_RECURSIVE) : value_unknown(0);
	one = value_list(a, &star, 1);
	parts[1] = parts[2] = one;
	all = value_list(a, parts, 3);
	return value_list(a, &all, 1);
}

/* What is in a folder, or in any of those that it may be. */
static struct code_value entries(const struct act *x, struct code_value of)
{
	struct arena *a = x->c->e->arena;
	struct code_value *items;

	if (of.kind == VALUE_LIST && (of.flags & VALUE_ANY)) {
		items = ARENA_ARRAY(a, struct code_value, of.n + 1);
		for (unsigned i = 0; i < of.n; i++)
			items[i] = entries(x, of.items[i]);
		of.items = items;
		return of;
	}
	if (of.kind != VALUE_TEXT)
		return value_unknown(of.flags);
	/* list.files(path, pattern = "x", recursive = TRUE) */
	bool recursive = (x->f->flags & FN_RECURSIVE) ||
			 ((x->f->flags & FN_KEYED) && act_is_flag(x, "recursive"));
	bool chosen = (x->f->flags & FN_KEYED) &&
		      (act_keyed(x->args, "pattern") || act_keyed(x->args, "glob"));

	if (act_keyed(x->args, "atPath")) /* names, of Swift */
		of = value_text(STR(""));
	return walked(of.text.n ? value_path(a, of, value_text(STR("*"))) : value_text(STR("*")),
		      (recursive ? VALUE_RECURSIVE : 0) | (chosen ? VALUE_CHOSEN : 0));
}

struct code_value act_gives_path(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg);
	struct code_value of = v ? *v : value_unknown(0);

	switch ((unsigned)x->f->act) {
	case GIVES_PARENT:
		if (of.kind == VALUE_TEXT)
			of.text = code_parent(of.text);
		return of;
	case GIVES_NAME:
		for (size_t i = of.kind == VALUE_TEXT ? of.text.n : 0; i-- > 0;)
			if (of.text.p[i] == '/') {
				of.text = str_sub(of.text, i + 1, of.text.n);
				break;
			}
		of.type = (struct str){ 0 };
		return of;
	case GIVES_LISTING:
		return act_typed(x, walked(value_text(STR("*")), 0));
	case GIVES_ENTRIES:
		return act_typed(x, entries(x, of));
	case GIVES_WALK:
		return walk(x);
	case GIVES_GLOB:
		return glob(x, patterns(x, of), false);
	case GIVES_GLOB_BELOW:
		return glob(x,
			    act_positional(x->args, 0) ? *act_positional(x->args, 0)
						       : value_text(STR("*")),
			    true);
	default:
		return value_unknown(act_taints(x));
	}
}

/* ---- what a command lists ---- */

/* The options of find that take a word and choose. */
static const char choosing[] =
	"-name -iname -path -mtime -mmin -size -newer -atime -ctime -regex -user";

/* npm root -g: where the packages of the machine are. */
static struct str packages_place(struct str command)
{
	static const struct {
		const char *command, *place;
	} places[] = {
		{ "npm root -g", "/usr/lib/node_modules" },
		{ "npm root --global", "/usr/lib/node_modules" },
		{ "npm -g root", "/usr/lib/node_modules" },
		{ "npm prefix -g", "/usr" },
		{ "npm config get prefix", "/usr" },
		{ "pnpm root -g", "/usr/lib/node_modules" },
		{ "yarn global dir", "/usr/lib/node_modules" },
		{ "gem env gemdir", "/var/lib/gems" },
	};

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (str_eqz(command, places[i].command))
			return str_from(places[i].place);
	return (struct str){ 0 };
}

struct code_value code_listed(const struct code *c, struct str command)
{
	struct arena *a = c->e->arena;
	struct str word, dir = { 0 }, name = { 0 }, place = { 0 };
	bool find = false, git = false, chosen = false;
	struct code_value v;
	size_t n = 0;

	for (struct str rest = str_trim(command); str_split(&rest, ' ', &word);) {
		word = str_trim(word);
		while (word.n > 1 && strchr("'\"", word.p[0]) && word.p[word.n - 1] == word.p[0])
			word = str_sub(word, 1, word.n - 1);
		if (!word.n)
			continue;
		if (strchr("|;&>", word.p[0]))
			return value_unknown(0);
		if (n++ == 0)
			name = word;
		else if (n == 2 && str_eqz(name, "git"))
			git = str_eqz(word, "ls-files");
		else if (str_eqz(name, "git") && !git && !place.n) /* rev-parse --git-dir */
			place = effects_git_place(c->e, word, str_trim(rest));
		else if (find && word.p[0] == '-' && word_in_text(word, choosing))
			chosen = true;
		else if (word.p[0] != '-' && !dir.n)
			dir = word;
		find = n >= 1 && str_eqz(name, "find");
	}
	if (str_eqz(name, "ps") || str_eqz(name, "pgrep") || str_eqz(name, "pidof")) {
		v = value_text(str_eqz(name, "ps")
				       ? STR("*")
				       : arena_printf(a, "$(%.*s)", STR_ARG(str_trim(command))));
		v.type = STR(TYPE_PROCESSES);
		v.flags = VALUE_WALKED | (str_eqz(name, "ps") ? 0 : VALUE_CHOSEN);
		return v;
	}
	if (!place.n)
		place = packages_place(str_trim(command));
	if (place.n)
		return value_text(place);
	if (!git && !find && !str_eqz(name, "ls"))
		return value_unknown(0);
	if (str_starts(dir, STR("~")))
		dir = arena_printf(a, "%.*s%.*s", STR_ARG(effects_home(c->e)),
				   STR_ARG(str_sub(dir, 1, dir.n)));
	if (git && str_chr(dir, '*', 0) >= 0)
		v = value_text(dir);
	else if (dir.n && !str_eqz(dir, ".") && !str_eqz(name, "ls"))
		v = value_path(a, value_text(dir), value_text(STR("*")));
	else
		v = value_text(str_chr(dir, '*', 0) >= 0 ? dir : STR("*"));
	v.flags = VALUE_WALKED | (chosen ? VALUE_CHOSEN : 0) | (find || git ? VALUE_RECURSIVE : 0);
	return v;
}
