/* What code does to files. */
#include "effects/code_act.h"

#include "effects/links.h"

void act_path(const struct act *x, struct effect effect, const struct code_value *v)
{
	struct code *c = x->c;
	struct str path;
	size_t n = c->e->n;

	if (v && v->kind == VALUE_LIST && !v->key.n) {
		for (unsigned i = 0; i < v->n; i++) {
			struct effect one = effect;

			if (v->items[i].key.n)
				continue; /* options */
			one.maybe |= (v->flags & VALUE_ANY) && effect.kind != EFFECT_DELETE;
			act_path(x, one, &v->items[i]);
		}
		return;
	}
	effect.words = act_words(x);
	if (v && (v->flags & VALUE_NUMBER))
		return; /* a descriptor */
	if (!v || v->kind != VALUE_TEXT) {
		effect.places |= PLACE_UNKNOWN;
		effect.maybe = true;
		effects_add(c->e, &effect);
		act_drop_repeated(c->e, n);
		return;
	}
	path = v->text;
	if (c->g->language == CODE_R && str_starts(path, STR("~"))) /* its functions do that */
		path = code_home_expanded(c, *v).text;
	if (str_starts(path, STR("file://")))
		path = str_sub(path, 7, path.n);
	effect.recursive |= (v->flags & VALUE_RECURSIVE) != 0;
	/* A condition chooses: some of it, and of a home directory that may be all. */
	if ((v->flags & VALUE_WALKED) && ((v->flags & VALUE_CHOSEN) || c->chosen_level) && path.n &&
	    path.p[path.n - 1] == '*') {
		unsigned places = effect_places(c->e->world, path);

		if (c->chosen_suffix.n)
			path = arena_printf(c->e->arena, "%.*s%.*s", STR_ARG(path),
					    STR_ARG(c->chosen_suffix));
		else if (!(places & (PLACE_HOME_WHOLE | PLACE_ROOT)))
			path = arena_printf(c->e->arena, "%.*s[...]", STR_ARG(path));
	}
	if (path.n == 0)
		return;
	effects_add_path(c->e, &effect, path, effects_cwd(c->e));
	act_drop_repeated(c->e, n);
}

void act_delete(const struct act *x)
{
	struct effect effect = { .kind = EFFECT_DELETE, .recursive = x->f->flags & FN_RECURSIVE };

	if (x->f->flags & FN_KEYED)
		effect.recursive = act_is_flag(x, "recursive") || act_is_flag(x, "recurse");
	if (act_is_flag(x, "noop") || act_is_flag(x, "dryRun") || act_is_flag(x, "dry_run"))
		return;
	effect.forced = act_is_flag(x, "force");
	for (int i = x->f->arg;; i++) {
		const struct code_value *v = act_argument(x, i);

		if (i > x->f->arg && !act_positional(x->args, (unsigned)i))
			break;
		if (v && (v->kind == VALUE_FUNCTION || v->key.n))
			break;
		act_path(x, effect, v);
		if (!(x->f->flags & FN_ALL) || i < 0)
			break;
	}
}

/* rockyou.txt: what is in it is tried, word after word. */
static bool is_wordlist(struct str path)
{
	static const char *const names[] = { "rockyou",  "wordlist", "passwords.txt",
					     "passlist", "pass.txt", "common-pass" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_find_icase(path, str_from(names[i]), 0) >= 0)
			return true;
	return false;
}

/* Whatever files of the home directory are found, and what people keep there. */
bool act_is_of_home(const struct code *c, const struct code_value *path)
{
	unsigned places = effect_places(c->e->world, path->text);

	return ((path->flags & VALUE_WALKED) || str_chr(path->text, CODE_GAP, 0) >= 0 ||
		str_find(path->text, STR("/Documents/"), 0) > 0 ||
		str_find(path->text, STR("/Pictures/"), 0) > 0) &&
	       (places & (PLACE_HOME | PLACE_HOME_WHOLE)) &&
	       !(places & (PLACE_PROJECT | PLACE_TEMP));
}

/* What comes out of a file is a secret when the file is one. */
struct code_value act_read(const struct act *x, const struct code_value *path)
{
	size_t n = x->c->e->n;
	struct code_value v = value_unknown(path ? path->flags : 0);

	if (path && str_eqz(path->type, TYPE_PIPE)) { /* read(`x`, String) of Julia */
		act_shell(x, path);
		return x->c->output;
	}
	if (path && path->kind == VALUE_TEXT && str_eqz(path->text, "php://input"))
		return value_unknown(VALUE_FETCHED); /* what a request brings */
	if (path && path->kind == VALUE_TEXT &&
	    (code_is_input(path->text) ||
	     ((path->flags & VALUE_NUMBER) && str_eqz(path->text, "0"))))
		return code_input(x->c, false);
	if (path && path->kind == VALUE_TEXT && str_find(path->text, STR("://"), 0) > 0 &&
	    !str_starts(path->text, STR("file:")) && !str_starts(path->text, STR("php:")))
		return act_fetch(x);
	if (path && path->kind == VALUE_TEXT && str_starts(path->text, STR("|")) &&
	    x->c->g->language == CODE_RUBY) {
		struct code_value command = value_text(str_sub(path->text, 1, path->text.n));

		act_shell(x, &command);
		return v;
	}
	if (path && path->kind != VALUE_UNKNOWN && path->kind != VALUE_NAME)
		act_path(x, (struct effect){ .kind = EFFECT_READ }, path);
	if (path && path->kind == VALUE_TEXT && (path->flags & VALUE_FETCHED) &&
	    (effect_places(x->c->e->world, code_parent(path->text)) &
	     (PLACE_HOME_WHOLE | PLACE_ROOT))) /* whatever a request asks for */
		act_add(x, (struct effect){ .kind = EFFECT_READ, .places = PLACE_SECRET });
	for (size_t i = 0; i < x->c->e->n; i++)
		if ((i >= n || (path && path->kind == VALUE_TEXT)) &&
		    x->c->e->p[i].kind == EFFECT_READ && (x->c->e->p[i].places & PLACE_SECRET) &&
		    i + ACT_RECENT >= n)
			v.flags |= VALUE_SECRET;
	if (path && path->kind == VALUE_TEXT)
		v.flags |= act_written(x->c, path->text) |
			   (act_is_of_home(x->c, path) ? VALUE_PRIVATE : 0);
	if (x->f->type && str_eqz(str_from(x->f->type), "archive"))
		x->c->archived |= (v.flags | act_taints(x)) & (VALUE_SECRET | VALUE_PRIVATE);
	if (path && path->kind == VALUE_TEXT && is_wordlist(path->text))
		v.flags |= VALUE_TRIED;
	v.type = STR("content");
	if (path && path->kind == VALUE_TEXT)
		v.text = path->text;
	return v;
}

void act_remember(struct code *c, const struct code_value *path, unsigned taints)
{
	taints &= ~(unsigned)VALUE_CLIENT;
	if (taints && path && path->kind == VALUE_TEXT && path->text.n > 2 &&
	    c->nwritten < ARRAY_LEN(c->written))
		c->written[c->nwritten++] = (struct code_written){ path->text, taints };
}

unsigned act_written(const struct code *c, struct str text)
{
	unsigned taints = 0;

	for (unsigned i = 0; i < c->nwritten; i++)
		if (str_find(text, c->written[i].path, 0) >= 0)
			taints |= c->written[i].taints;
	return taints;
}

bool act_was_fetched(const struct code *c, const struct code_value *path)
{
	return path->kind == VALUE_TEXT && (act_written(c, path->text) & VALUE_FETCHED);
}

/* Where what is written came from. */
static unsigned taints_written(const struct act *x, const struct code_value *path)
{
	unsigned taints = x->self && x->f->arg >= 0 ? x->self->flags : 0;

	for (unsigned i = 0; i < x->args->n; i++)
		if (&x->args->p[i].value != path)
			taints |= x->args->p[i].value.flags;
	return taints & VALUE_TAINTS;
}

/* A page that somebody types a password into: what a request brings is kept, as it is. */
static bool asks_for_password(struct str text)
{
	static const char *const forms[] = { "type=password", "type=\"password", "type='password",
					     "type=\\\"password" };

	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (str_find(text, str_from(forms[i]), 0) >= 0)
			return true;
	return false;
}

void act_write(const struct act *x, const struct code_value *path, const struct code_value *data,
	       bool append)
{
	if (x->f->act != ACT_WRITE || !(x->f->flags & FN_OTHER)) /* opening it was the effect */
		act_path(x, (struct effect){ .kind = append ? EFFECT_WRITE : EFFECT_OVERWRITE },
			 path);
	if (x->f->flags & FN_OTHER && x->f->act == ACT_WRITE)
		append = false; /* an open file: nothing is written into one to append nothing */
	if (x->c->forever && data) /* all of the disk */
		act_add(x, (struct effect){ .kind = EFFECT_EXHAUST });
	if (data && data->kind == VALUE_TEXT && !data->text.n && !append && path &&
	    path->kind == VALUE_TEXT &&
	    ((path->flags & VALUE_WALKED) || str_chr(path->text, '*', 0) >= 0))
		act_path(x, (struct effect){ .kind = EFFECT_DELETE, .places = PLACE_SOURCES },
			 path);
	if (data)
		act_remember(x->c, path, taints_written(x, path));
	if (data && ((taints_written(x, path) & VALUE_TYPED) ||
		     ((taints_written(x, path) & VALUE_FETCHED) && asks_for_password(x->c->text))))
		act_attack(x, (struct str){ 0 });
}

/* What the handle holds from then on: its name is the first argument. */
static struct code_value opened(const struct act *x, struct code_value v)
{
	struct str s = str_sub(x->c->text, x->args->at, x->args->end);
	size_t i = str_starts(s, STR("open")) ? 4 : 0, from;

	while (i < s.n && (strchr(" \t(", s.p[i]) || (i > 3 && s.p[i] == 'm' && i + 2 < s.n &&
						      s.p[i + 1] == 'y' && s.p[i + 2] == ' ')))
		i += s.p[i] == 'm' ? 2 : 1;
	for (from = i; i < s.n && (char_is_word(s.p[i]) || (i == from && s.p[i] == '$'));)
		i++;
	if (i > from + 1)
		code_set(x->c, str_sub(s, from, i), v);
	return v;
}

/* open(FH, "> x"), open(my $f, '<', x), open(FH, "cmd |"), open($f, '-|', cmd, ...) */
struct code_value act_open_perl(const struct act *x)
{
	const struct code_value *mode = act_positional(x->args, 1),
				*path = act_positional(x->args, 2);
	struct code_value v = value_unknown(0), rest;
	struct str m;

	v.type = STR("file");
	if (!mode || mode->kind != VALUE_TEXT)
		return v;
	m = str_trim(mode->text);
	if (!path && m.n && (m.p[0] == '|' || m.p[m.n - 1] == '|')) {
		rest = value_text(m.p[0] == '|' ? str_sub(m, 1, m.n) : str_sub(m, 0, m.n - 1));
		act_shell(x, &rest);
		return opened(x, x->c->output);
	}
	if (path && str_chr(m, '|', 0) >= 0) {
		struct code_function f = { .act = ACT_SHELL_OR_ARGV, .arg = 2 };
		struct act y = *x;

		y.f = &f;
		act_shell_or_argv(&y);
		return opened(x, x->c->output);
	}
	if (!path) {
		size_t n = 0;

		if (str_find(m, STR("&"), 0) >= 0)
			return v; /* an open one again */
		while (n < m.n && strchr("<>+ ", m.p[n]))
			n++;
		rest = value_text(str_sub(m, n, m.n));
		path = &rest;
		m = str_sub(m, 0, n);
	}
	if (str_chr(m, '>', 0) >= 0)
		act_write(x, path, NULL, str_find(m, STR(">>"), 0) >= 0);
	else
		v.flags |= act_read(x, path).flags & VALUE_TAINTS;
	return opened(x, v);
}

struct code_value act_open(const struct act *x)
{
	const struct code_value *path = act_argument(x, x->f->arg);
	const struct code_value *mode = x->f->arg < 0
						? act_positional(x->args, 0)
						: act_positional(x->args, (unsigned)x->f->arg + 1);
	struct code_value v = path && path->kind == VALUE_TEXT ? *path : value_unknown(0);
	struct str m = STR("r");

	if (!mode || mode->kind != VALUE_TEXT)
		mode = act_keyed(x->args, "mode") ?: mode;
	if (mode && mode->kind == VALUE_TEXT)
		m = mode->text;
	else if (mode && (str_find(act_words(x), STR("O_WRONLY"), 0) >= 0 ||
			  str_find(act_words(x), STR("O_RDWR"), 0) >= 0))
		m = str_find(act_words(x), STR("O_TRUNC"), 0) >= 0 ? STR("w") : STR("r+");
	else if (x->f->flags & FN_KEYED)
		m = STR("w");
	v.flags &= VALUE_WALKED | VALUE_RECURSIVE | VALUE_NUMBER;
	if (str_chr(m, 'w', 0) >= 0 || str_chr(m, 'a', 0) >= 0 || str_chr(m, 'x', 0) >= 0 ||
	    str_chr(m, '+', 0) >= 0 || str_chr(m, '>', 0) >= 0) {
		if (x->c->forever) /* one more file each time: all inodes */
			act_add(x, (struct effect){ .kind = EFFECT_EXHAUST });
		act_write(x, path, NULL,
			  str_chr(m, 'a', 0) >= 0 || str_chr(m, 'x', 0) >= 0 ||
				  str_chr(m, 'r', 0) >= 0);
	} else
		v.flags |= act_read(x, path).flags & VALUE_TAINTS;
	v.type = STR("file");
	return v;
}

void act_move(const struct act *x, bool copy)
{
	bool method = x->f->arg < 0;
	const struct code_value *from = act_argument(x, x->f->arg);
	const struct code_value *to = act_positional(x->args, method ? 0 : (unsigned)x->f->arg + 1);

	if (!to)
		to = act_keyed(x->args, "dst");
	if (from && copy && from->kind == VALUE_TEXT && str_find(from->text, STR("://"), 0) > 0 &&
	    !str_starts(from->text, STR("file:"))) { /* copy("https://...", path) */
		act_path(x, (struct effect){ .kind = EFFECT_OVERWRITE }, to);
		act_remember(x->c, to, act_fetch(x).flags);
		return;
	}
	act_path(x, (struct effect){ .kind = copy ? EFFECT_READ : EFFECT_MOVE }, from);
	act_path(x, (struct effect){ .kind = EFFECT_OVERWRITE }, to);
	if (from) /* what was fetched, or is secret, is so under another name */
		act_remember(
			x->c, to,
			(from->flags & VALUE_TAINTS) |
				(from->kind == VALUE_TEXT ? act_written(x->c, from->text) : 0));
}

void act_link(const struct act *x)
{
	const struct code_value *target = act_argument(x, x->f->arg),
				*link = x->f->flags & FN_OTHER ? x->self
							       : act_argument(x, x->f->arg + 1);

	act_path(x, (struct effect){ .kind = EFFECT_WRITE, .link = LINK_ITSELF }, link);
	if (target && link && target->kind == VALUE_TEXT && link->kind == VALUE_TEXT)
		links_made(x->c->e, link->text, effects_cwd(x->c->e), target->text);
}
