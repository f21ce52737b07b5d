#include "base/wild.h"
#include "base/words.h"
#include "effects/address.h"
#include "effects/code_powershell.h"
#include "shell/shell.h"

static void add(struct ps *p, struct str source, struct effect effect)
{
	effect.words = source.n > 160 ? str_sub(source, 0, 160) : source;
	effects_add(p->e, &effect);
}

/* ---- paths ---- */

/* C:\Users\x, ~\x, %USERPROFILE%\x, \x as an absolute path with slashes. */
static struct str unix_path(struct ps *p, struct str s)
{
	static const struct {
		const char *name;
		const char *below;
	} names[] = {
		{ "%USERPROFILE%", "" },
		{ "%HOMEDRIVE%%HOMEPATH%", "" },
		{ "%HOMEPATH%", "" },
		{ "%APPDATA%", "/AppData/Roaming" },
		{ "%LOCALAPPDATA%", "/AppData/Local" },
	};
	struct arena *a = p->e->arena;
	struct str home = effects_home(p->e);
	char *q;

	if (word_is_one_icase(str_sub(s, 0, 12), "filesystem::*"))
		s = str_sub(s, 12, s.n);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_starts_icase(s, str_from(names[i].name)))
			s = arena_printf(a, "%.*s%s%.*s", STR_ARG(home), names[i].below,
					 STR_ARG(str_sub(s, strlen(names[i].name), s.n)));
	if (s.n && s.p[0] == '~' && (s.n == 1 || strchr("/\\", s.p[1])))
		s = arena_printf(a, "%.*s%.*s", STR_ARG(home), STR_ARG(str_sub(s, 1, s.n)));
	if (word_is_one_icase(s, "%windir%*|%systemroot%*"))
		s = STR("/Windows");
	if (word_is_one_icase(s, "%temp%*|%tmp%*"))
		s = STR("/tmp/x");
	if (s.n > 1 && s.p[1] == ':' && (s.p[0] | 32) >= 'a' && (s.p[0] | 32) <= 'z')
		s = (s.p[0] | 32) == 'c' ? arena_printf(a, "/%.*s", STR_ARG(str_sub(s, 2, s.n)))
					 : arena_printf(a, "/%.*s", STR_ARG(s));
	q = arena_z(a, s);
	for (size_t i = 0; i < s.n; i++)
		if (q[i] == '\\')
			q[i] = '/';
	return (struct str){ q, s.n };
}

static bool is_registry(struct str s)
{
	return word_is_one_icase(
		s, "HKCU:*|HKLM:*|HKU:*|HKCR:*|HKEY_*|Registry::*|HKLM\\*|HKCU\\*|HKCR\\*|HKU\\*");
}

static void registry(struct ps *p, struct str source, enum effect_kind kind, struct str key)
{
	bool runs = text_has_one_icase(key, "\\Run|Winlogon|\\Services|Image File Execution");

	if (kind == EFFECT_DELETE)
		add(p, source,
		    (struct effect){ .kind = EFFECT_DELETE,
				     .target = key,
				     .places = PLACE_SYSTEM | PLACE_OUTSIDE,
				     .recursive = true });
	else
		add(p, source,
		    (struct effect){ .kind = runs ? EFFECT_PERSIST : EFFECT_WRITE,
				     .target = key,
				     .places =
					     runs ? PLACE_STARTUP | PLACE_SYSTEM : PLACE_SYSTEM });
	if (text_has_one_icase(key, "Defender|EnableLUA|Firewall"))
		add(p, source, (struct effect){ .kind = EFFECT_GUARD_OFF, .target = key });
}

void ps_path(struct ps *p, const struct ps_command *c, struct effect effect,
	     const struct code_value *v)
{
	struct str path;

	if (v && v->kind == VALUE_LIST) {
		for (unsigned i = 0; i < v->n; i++)
			ps_path(p, c, effect, &v->items[i]);
		return;
	}
	effect.words = str_sub(c->source, 0, 160);
	if (!v || v->kind != VALUE_TEXT) {
		effect.places |= PLACE_UNKNOWN;
		effect.maybe = true;
		effects_add(p->e, &effect);
		return;
	}
	if (v->text.n == 0 ||
	    word_is_one_icase(v->text, "env:*|variable:*|alias:*|function:*|nul|$null"))
		return;
	if (is_registry(v->text)) {
		registry(p, c->source, effect.kind, v->text);
		return;
	}
	path = unix_path(p, v->text);
	effect.recursive |= (v->flags & VALUE_RECURSIVE) != 0;
	if ((v->flags & VALUE_CHOSEN) && path.n && path.p[path.n - 1] == '*' &&
	    !(effect_places(p->e->world, path) & (PLACE_HOME_WHOLE | PLACE_ROOT)))
		path = arena_printf(p->e->arena, "%.*s[...]", STR_ARG(path));
	effects_add_path(p->e, &effect, path, effects_cwd(p->e));
	if ((effect.kind == EFFECT_WRITE || effect.kind == EFFECT_OVERWRITE) &&
	    text_has_one_icase(path, "profile.ps1|Start Menu/Programs/Startup"))
		add(p, c->source,
		    (struct effect){
			    .kind = EFFECT_PERSIST, .places = PLACE_STARTUP, .target = path });
}

/* ---- the words of a command ---- */

static bool is_switch(struct str s)
{
	return word_is_one_icase(
		s,
		"-recurse|-r|-rec|-recur*|-s|-force|-f|-fo|-for*|-confirm|-whatif|-wi|-verbose|"
		"-file|-directory|-all|-wait|-passthru|-asjob|-append|-noclobber|-nonewline|"
		"-raw|-hidden|-usebasicparsing|-useb|-nologo|-noprofile|-nop|-noni*|-nonew*|-sta|"
		"-allowclobber|-asplaintext|-simplematch|-quiet|-debug|-delete*|-system|"
		"-enable|-disable|-skip*");
}

/* The value behind a parameter whose name may be shortened. */
static const struct code_value *parameter(const struct ps_command *c, const char *names)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!c->word[i].parameter.n || !word_is_one_icase(c->word[i].parameter, names))
			continue;
		if (c->word[i].has_value)
			return &c->word[i].value;
		if (i + 1 < c->n && !c->word[i + 1].parameter.n)
			return &c->word[i + 1].value;
	}
	return NULL;
}

static bool has(const struct ps_command *c, const char *names)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->word[i].parameter.n && word_is_one_icase(c->word[i].parameter, names))
			return !(c->word[i].has_value && c->word[i].value.kind == VALUE_UNKNOWN &&
				 word_is_one_icase(c->word[i].parameter, "-whatif"));
	return false;
}

/* A word of cmd.exe: /s */
static bool is_slash_option(const struct code_value *v)
{
	return v->kind == VALUE_TEXT && v->text.n >= 2 && v->text.n <= 3 && v->text.p[0] == '/' &&
	       char_is_word(v->text.p[1]);
}

static bool has_slash(const struct ps_command *c, const char *option)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->word[i].parameter.n && c->word[i].value.kind == VALUE_TEXT &&
		    word_is_one_icase(c->word[i].value.text, option))
			return true;
	return false;
}

/* The n-th word that is no parameter and no value of one. */
static const struct code_value *positional(const struct ps_command *c, size_t n)
{
	for (size_t i = 0; i < c->n; i++) {
		bool taken = i && c->word[i - 1].parameter.n && !c->word[i - 1].has_value &&
			     !is_switch(c->word[i - 1].parameter);

		if (!c->word[i].parameter.n && !taken && !is_slash_option(&c->word[i].value) &&
		    n-- == 0)
			return &c->word[i].value;
	}
	return NULL;
}

static const struct code_value *path_of(const struct ps_command *c, struct code_value *in)
{
	const struct code_value *v =
		parameter(c, "-path|-literalpath|-lp|-filepath|-pa*|-inputobject");

	if (!v)
		v = positional(c, 0);
	return v ? v : in && in->kind != VALUE_UNKNOWN ? in : NULL;
}

/* ---- what commands do ---- */

struct act {
	struct ps *p;
	struct ps_command *c;
	struct code_value *in;
	int kind; /* of the row */
};

typedef struct code_value act_fn(struct act *x);

static struct code_value nothing(unsigned flags)
{
	return value_unknown(flags);
}

static struct code_value act_delete(struct act *x)
{
	struct effect effect = { .kind = EFFECT_DELETE };

	if (has(x->c, "-whatif|-wi|-wh*") ||
	    (word_is_one_icase(x->c->name.text, "del|erase|rd|rmdir") && has_slash(x->c, "/?")))
		return nothing(0);
	effect.recursive = has(x->c, "-r|-re*|-rf|-fr|-s") || has_slash(x->c, "/s");
	effect.forced = has(x->c, "-f|-fo*|-rf|-fr") || has_slash(x->c, "/q|/f");
	ps_path(x->p, x->c, effect, path_of(x->c, x->in));
	for (size_t i = 1; positional(x->c, i); i++)
		ps_path(x->p, x->c, effect, positional(x->c, i));
	return nothing(0);
}

static struct code_value act_path(struct act *x)
{
	if (!has(x->c, "-whatif|-wi"))
		ps_path(x->p, x->c, (struct effect){ .kind = (enum effect_kind)x->kind },
			path_of(x->c, NULL));
	return nothing(x->in ? x->in->flags : 0);
}

static struct code_value act_read(struct act *x)
{
	size_t n = x->p->e->n;
	struct code_value v = nothing(0);

	ps_path(x->p, x->c, (struct effect){ .kind = EFFECT_READ }, path_of(x->c, x->in));
	for (; n < x->p->e->n; n++)
		if (x->p->e->p[n].places & PLACE_SECRET)
			v.flags |= VALUE_SECRET;
	return v;
}

static struct code_value act_move(struct act *x)
{
	const struct code_value *to = parameter(x->c, "-destination|-dest*|-newname");

	ps_path(x->p, x->c, (struct effect){ .kind = (enum effect_kind)x->kind },
		path_of(x->c, x->in));
	if (!to)
		to = positional(x->c, parameter(x->c, "-path|-literalpath") ? 0 : 1);
	if (to)
		ps_path(x->p, x->c, (struct effect){ .kind = EFFECT_OVERWRITE }, to);
	return nothing(0);
}

/* Get-ChildItem: what is in a folder. */
static struct code_value act_list(struct act *x)
{
	const struct code_value *path = path_of(x->c, x->in);
	const struct code_value *filter = parameter(x->c, "-filter|-include|-name");
	struct code_value v = path ? *path : value_text(STR("."));
	struct arena *a = x->p->e->arena;

	if (v.kind == VALUE_LIST)
		v = value_element(a, &v);
	if (v.kind == VALUE_TEXT && (v.text.n == 0 || v.text.p[v.text.n - 1] != '*') &&
	    str_chr(v.text, '*', 0) < 0 && !word_is_one_icase(v.text, "env:*"))
		v = value_path(a, v,
			       !filter                      ? value_text(STR("*"))
			       : filter->kind == VALUE_LIST ? value_element(a, filter)
							    : *filter);
	v.flags |= VALUE_WALKED;
	if (has(x->c, "-r|-re*|-s"))
		v.flags |= VALUE_RECURSIVE;
	if (parameter(x->c, "-exclude"))
		v.flags |= VALUE_CHOSEN;
	if (v.kind == VALUE_TEXT && word_is_one_icase(v.text, "env:*"))
		v = nothing(VALUE_SECRET); /* the whole environment */
	return v;
}

static struct code_value act_item(struct act *x)
{
	const struct code_value *path = path_of(x->c, x->in);

	return path ? *path : nothing(0);
}

static struct code_value act_where(struct act *x)
{
	struct code_value v = x->in ? *x->in : nothing(0);

	v.flags |= VALUE_CHOSEN;
	return v;
}

static struct code_value act_pass(struct act *x)
{
	return x->in ? *x->in : nothing(0);
}

static struct code_value act_echo(struct act *x)
{
	const struct code_value *v = positional(x->c, 0);

	return v ? *v : act_pass(x);
}

static struct code_value act_each(struct act *x)
{
	struct code_value item = x->in ? value_element(x->p->e->arena, x->in) : nothing(0);

	if (x->in && x->in->kind == VALUE_TEXT)
		item = *x->in;
	if (x->in && x->in->kind == VALUE_LIST && x->c->n == 1 &&
	    str_eqz(x->c->word[0].value.type, "block")) {
		ps_each(x->p, STR(""), x->in, x->c->word[0].value.text);
		return nothing(x->in->flags);
	}
	for (size_t i = 0; positional(x->c, i); i++) {
		const struct code_value *v = positional(x->c, i);

		if (str_eqz(v->type, "block"))
			item = ps_run_block(x->p, v->text, &item);
		else if (v->kind == VALUE_TEXT && str_eqz_icase(v->text, "Delete") && x->in)
			ps_path(x->p, x->c, (struct effect){ .kind = EFFECT_DELETE }, x->in);
	}
	return item;
}

static struct str host_of(struct str url)
{
	struct str host = address_host(url);

	return str_chr(host, CODE_GAP, 0) >= 0 ? (struct str){ 0 } : host;
}

static void remember(struct ps *p, const struct code_value *path)
{
	struct str s;

	if (!path || path->kind != VALUE_TEXT || p->seen->nfetched >= ARRAY_LEN(p->seen->fetched))
		return;
	s = path->text;
	if (str_starts(s, STR(".\\")))
		s = str_sub(s, 2, s.n);
	p->seen->fetched[p->seen->nfetched++] = s;
}

static struct code_value network(struct ps *p, struct str source, const struct code_value *url,
				 const struct code_value *to, bool sends, unsigned taints)
{
	struct str host = url && url->kind == VALUE_TEXT ? host_of(url->text) : (struct str){ 0 };
	unsigned places = address_is_local(host) ? PLACE_LOCAL_HOST : 0;
	struct ps_command c = { .source = source };

	if (url)
		taints |= url->flags;
	sends |= (taints & VALUE_SECRET) != 0;
	if (taints & VALUE_SECRET)
		places |= PLACE_SECRET;
	add(p, source,
	    (struct effect){
		    .kind = sends ? EFFECT_SEND : EFFECT_FETCH, .target = host, .places = places });
	if (to && to->kind == VALUE_TEXT) {
		ps_path(p, &c, (struct effect){ .kind = EFFECT_OVERWRITE }, to);
		if (!(places & PLACE_LOCAL_HOST))
			remember(p, to);
	}
	return value_unknown(places & PLACE_LOCAL_HOST ? 0 : VALUE_FETCHED);
}

static struct code_value act_fetch(struct act *x)
{
	const struct code_value *url = parameter(x->c, "-uri|-ur*|-source"), *to, *file, *method;
	unsigned taints = 0;
	bool sends;

	if (!url)
		url = positional(x->c, 0);
	to = parameter(x->c, "-outfile|-o|-out*|-destination");
	if (!to && x->kind)
		to = positional(x->c, 1);
	file = parameter(x->c, "-infile|-in*");
	method = parameter(x->c, "-method|-m|-me*");
	sends = parameter(x->c, "-body|-b|-form|-infile") != NULL ||
		(method && method->kind == VALUE_TEXT &&
		 word_is_one_icase(method->text, "post|put|patch|delete"));
	for (size_t i = 0; i < x->c->n; i++)
		taints |= x->c->word[i].value.flags;
	if (file) {
		size_t n = x->p->e->n;

		ps_path(x->p, x->c, (struct effect){ .kind = EFFECT_READ }, file);
		for (; n < x->p->e->n; n++)
			taints |= x->p->e->p[n].places & PLACE_SECRET ? VALUE_SECRET : 0;
	}
	if (x->in)
		taints |= x->in->flags & VALUE_SECRET;
	return network(x->p, x->c->source, url, to, sends, taints & VALUE_SECRET);
}

static void eval(struct ps *p, struct str source, const struct code_value *v)
{
	if (v && (v->flags & VALUE_FETCHED))
		add(p, source, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	else if (v && v->kind == VALUE_TEXT && !str_eqz(str_trim(v->text), "\1"))
		(void)ps_run_block(p, v->text, NULL);
	else if (p->seen->connected)
		add(p, source, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	else
		add(p, source, (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
}

static struct code_value act_eval(struct act *x)
{
	const struct code_value *v = parameter(x->c, "-command|-c|-scriptblock|-sc*");

	v = v ? v : positional(x->c, 0);
	eval(x->p, x->c->source, v ? v : x->in);
	return nothing(0);
}

/* Blocks among the words are run: Invoke-Command, Start-Job, Measure-Command. */
static struct code_value act_blocks(struct act *x)
{
	bool remote = x->p->e->remote;

	x->p->e->remote |= parameter(x->c, "-computername|-cn|-hostname|-session") != NULL;
	for (size_t i = 0; i < x->c->n; i++)
		if (str_eqz(x->c->word[i].value.type, "block"))
			(void)ps_run_block(x->p, x->c->word[i].value.text, NULL);
	x->p->e->remote = remote;
	return nothing(0);
}

/* Start-Process program -ArgumentList ... */
static struct code_value act_start(struct act *x)
{
	const struct code_value *program = parameter(x->c, "-filepath|-file*");
	const struct code_value *args = parameter(x->c, "-argumentlist|-args|-a*");
	const struct code_value *verb = parameter(x->c, "-verb");
	struct code_value text;

	program = program ? program : positional(x->c, 0);
	args = args ? args : positional(x->c, 1);
	if (verb && verb->kind == VALUE_TEXT && str_eqz_icase(verb->text, "runas"))
		add(x->p, x->c->source, (struct effect){ .kind = EFFECT_PRIVILEGES });
	if (!program)
		return nothing(0);
	text = value_join(x->p->e->arena, *program, STR(" "),
			  !args ? value_text(STR(""))
			  : args->kind == VALUE_LIST
				  ? value_join_all(x->p->e->arena, *args, STR(" "))
				  : *args);
	for (unsigned i = 0; i < x->p->seen->nfetched && program->kind == VALUE_TEXT; i++)
		if (str_find(program->text, x->p->seen->fetched[i], 0) >= 0)
			add(x->p, x->c->source, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	if (text.kind == VALUE_TEXT)
		(void)ps_run_block(x->p, text.text, NULL);
	return nothing(0);
}

/* cmd /c TEXT, pwsh -c TEXT, -EncodedCommand TEXT */
static struct code_value act_inner(struct act *x)
{
	struct code_value v = value_text(STR(""));
	const struct code_value *file;
	bool code = false, encoded = false;

	for (size_t i = 0; i < x->c->n; i++) {
		struct ps_word *w = &x->c->word[i];

		if (!code) {
			encoded = word_is_one_icase(w->parameter, "-e|-ec|-en*");
			code = encoded || word_is_one_icase(w->parameter, "-c|-co*") ||
			       (w->value.kind == VALUE_TEXT &&
				word_is_one_icase(w->value.text, "/c|/k"));
			continue;
		}
		if (w->parameter.n)
			v = value_join(x->p->e->arena, v, STR(" "), value_text(w->parameter));
		if (w->has_value)
			v = value_join(x->p->e->arena, v, STR(" "), w->value);
	}
	file = parameter(x->c, "-file|-f");
	file = file || code ? file : positional(x->c, 0);
	for (unsigned i = 0; file && file->kind == VALUE_TEXT && i < x->p->seen->nfetched; i++)
		if (str_ends(file->text, x->p->seen->fetched[i]))
			add(x->p, x->c->source, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	if (encoded && v.kind == VALUE_TEXT) {
		x->p->e->depth++;
		if (!effects_too_deep(x->p->e))
			effects_of_code(x->p->e, CODE_POWERSHELL, str_trim(v.text), x->p->words);
		x->p->e->depth--;
	} else if (code) {
		eval(x->p, x->c->source, &v);
	}
	return nothing(0);
}

static struct code_value act_cd(struct act *x)
{
	const struct code_value *v = path_of(x->c, NULL);
	struct str path;

	if (!v || v->kind != VALUE_TEXT)
		return nothing(0);
	path = unix_path(x->p, v->text);
	x->p->e->cwd = path.n && path.p[0] == '/'
			       ? path
			       : arena_printf(x->p->e->arena, "%.*s/%.*s",
					      STR_ARG(effects_cwd(x->p->e)), STR_ARG(path));
	return nothing(0);
}

static struct code_value act_join(struct act *x)
{
	const struct code_value *a = parameter(x->c, "-path"), *b = parameter(x->c, "-childpath");

	a = a ? a : positional(x->c, 0);
	b = b ? b : positional(x->c, parameter(x->c, "-path") ? 0 : 1);
	return a && b ? value_path(x->p->e->arena, *a, *b) : nothing(0);
}

static struct code_value act_object(struct act *x)
{
	const struct code_value *type = parameter(x->c, "-typename|-com*");
	struct code_value v = nothing(0);

	type = type ? type : positional(x->c, 0);
	if (type && type->kind == VALUE_TEXT) {
		v.type = type->text;
		if (text_has_one_icase(type->text, "TcpClient"))
			x->p->seen->connected = true;
	}
	return v;
}

static struct code_value act_effect(struct act *x)
{
	const struct code_value *v = positional(x->c, 0);

	if (!has(x->c, "-whatif|-wi"))
		add(x->p, x->c->source,
		    (struct effect){ .kind = (enum effect_kind)x->kind,
				     .forced = x->kind == EFFECT_PRIVILEGES,
				     .target = v && v->kind == VALUE_TEXT ? v->text
									  : (struct str){ 0 } });
	return nothing(0);
}

static struct code_value act_kill(struct act *x)
{
	const struct code_value *name = parameter(x->c, "-name|-n|-processname");

	if (parameter(x->c, "-id|-i"))
		return nothing(0);
	name = name ? name : positional(x->c, 0);
	if (name && value_is_known(name) && (name->text.n == 0 || char_is_digit(name->text.p[0])))
		return nothing(0);
	if (!name && x->in && !(x->in->flags & VALUE_WALKED))
		return nothing(0);
	add(x->p, x->c->source,
	    (struct effect){ .kind = EFFECT_KILL,
			     .recursive = !name || str_eqz(value_flat(x->p->e->arena, name), "*"),
			     .target = name && name->kind == VALUE_TEXT && !str_eqz(name->text, "*")
					       ? name->text
					       : STR("-1") });
	return nothing(0);
}

/* Get-Process: all of them, unless they are named. */
static struct code_value act_processes(struct act *x)
{
	struct code_value v = nothing(0);

	v.flags = x->c->n ? 0 : VALUE_WALKED;
	return v;
}

static struct code_value act_service(struct act *x)
{
	const struct code_value *name = parameter(x->c, "-name|-n|-displayname|-inputobject");

	name = name ? name : positional(x->c, 0);
	if (x->kind && !has(x->c, "-whatif|-wi"))
		add(x->p, x->c->source,
		    (struct effect){ .kind = (enum effect_kind)x->kind,
				     .target = name && name->kind == VALUE_TEXT ? name->text
										: STR("") });
	if (text_has_one_icase(x->c->source,
			       "WinDefend|MpsSvc|Sense|EventLog|wuauserv|SecurityHealth"))
		add(x->p, x->c->source, (struct effect){ .kind = EFFECT_GUARD_OFF });
	return nothing(0);
}

static struct code_value act_policy(struct act *x)
{
	if (text_has_one_icase(x->c->source, "Bypass|Unrestricted") &&
	    !text_has_one_icase(x->c->source, "Process"))
		add(x->p, x->c->source, (struct effect){ .kind = EFFECT_GUARD_OFF });
	return nothing(0);
}

static struct code_value act_alias(struct act *x)
{
	const struct code_value *name = parameter(x->c, "-name"), *to = parameter(x->c, "-value");

	name = name ? name : positional(x->c, 0);
	to = to ? to : positional(x->c, 1);
	if (name && to && name->kind == VALUE_TEXT)
		ps_set(x->p, arena_printf(x->p->e->arena, "alias %.*s", STR_ARG(name->text)), *to);
	return nothing(0);
}

static struct code_value act_sql(struct act *x)
{
	const struct code_value *v = parameter(x->c, "-query|-q");

	v = v ? v : positional(x->c, 0);
	if (v && v->kind == VALUE_TEXT && !effects_too_deep(x->p->e)) {
		x->p->e->depth++;
		effects_of_code(x->p->e, CODE_SQL, v->text, x->p->words);
		x->p->e->depth--;
	}
	return nothing(0);
}

static struct code_value act_quiet(struct act *x)
{
	(void)x;
	return nothing(0);
}

static struct code_value act_command(struct act *x);

/* Commands with their aliases; the first that fits counts. */
static const struct {
	const char *names;
	act_fn *run;
	int kind;
} commands[] = {
	{ "Remove-Item|ri|rm|del|erase|rd|rmdir|Remove-ItemProperty|rp|Clear-Item", act_delete, 0 },
	{ "Get-ChildItem|gci|ls|dir", act_list, 0 },
	{ "Get-Item|gi|Resolve-Path|rvpa|Convert-Path", act_item, 0 },
	{ "Where-Object|where|?", act_where, 0 },
	{ "Select-Object|select|Sort-Object|sort|Out-String|Tee-Object|Out-Null|Format-Table|Format-List|"
	  "Format-Wide|Format-Custom|ConvertTo-Json|ConvertTo-Csv|ConvertTo-Xml|ConvertFrom-Json|Out-GridView",
	  act_pass, 0 },
	{ "Write-Output|echo|Write-Host|write", act_echo, 0 },
	{ "ForEach-Object|foreach|%", act_each, 0 },
	{ "Set-Content|sc|Out-File|Clear-Content|clc|Export-*|Set-Item", act_path,
	  EFFECT_OVERWRITE },
	{ "Add-Content|ac|New-Item|ni|mkdir|md|Start-Transcript", act_path, EFFECT_WRITE },
	{ "Set-ItemProperty|sp|New-ItemProperty", act_path, EFFECT_WRITE },
	{ "Move-Item|mi|mv|move|Rename-Item|rni|ren", act_move, EFFECT_MOVE },
	{ "Copy-Item|cpi|cp|copy|Expand-Archive|Compress-Archive", act_move, EFFECT_READ },
	{ "Get-Content|gc|cat|type|Import-Csv|Import-Clixml", act_read, 0 },
	{ "Set-Acl", act_path, EFFECT_PERMISSIONS },
	{ "Invoke-WebRequest|iwr|Invoke-RestMethod|irm|curl|wget", act_fetch, 0 },
	{ "Start-BitsTransfer", act_fetch, 1 },
	{ "Invoke-Expression|iex", act_eval, 0 },
	{ "Invoke-Command|icm|Start-Job|sajb|Measure-Command|Start-ThreadJob", act_blocks, 0 },
	{ "Start-Process|saps|start|Invoke-Item|ii", act_start, 0 },
	{ "cmd|cmd.exe|powershell|powershell.exe|pwsh|pwsh.exe", act_inner, 0 },
	{ "Set-Location|cd|sl|chdir|Push-Location|pushd", act_cd, 0 },
	{ "Join-Path", act_join, 0 },
	{ "New-Object", act_object, 0 },
	{ "Get-Command|gcm", act_command, 0 },
	{ "Set-Alias|sal|New-Alias|nal", act_alias, 0 },
	{ "Get-Process|gps|ps", act_processes, 0 },
	{ "Stop-Process|spps|kill", act_kill, 0 },
	{ "Stop-Service|spsv", act_service, EFFECT_KILL },
	{ "Remove-Service", act_service, EFFECT_PERSIST },
	{ "Set-Service|Suspend-Service", act_service, 0 },
	{ "Set-ExecutionPolicy", act_policy, 0 },
	{ "Invoke-Sqlcmd", act_sql, 0 },
	{ "Stop-Computer|Restart-Computer", act_effect, EFFECT_SHUTDOWN },
	{ "Format-Volume|Clear-Disk|Initialize-Disk|Remove-Partition|Reset-PhysicalDisk",
	  act_effect, EFFECT_DEVICE },
	{ "Register-ScheduledTask|Unregister-ScheduledTask|Set-ScheduledTask|New-Service|Register-WmiEvent|"
	  "Register-ScheduledJob|Set-WmiInstance",
	  act_effect, EFFECT_PERSIST },
	{ "Set-MpPreference|Add-MpPreference|Set-NetFirewallProfile|Disable-NetFirewallRule|Clear-EventLog|"
	  "Remove-EventLog|Clear-History|Disable-ComputerRestore|Remove-MpThreat|Disable-WindowsDefender|"
	  "Remove-NetFirewallRule",
	  act_effect, EFFECT_GUARD_OFF },
	{ "New-LocalUser|Add-LocalGroupMember|Set-LocalUser|Enable-LocalUser|Disable-LocalUser|"
	  "Remove-LocalUser|Remove-LocalGroup|Remove-LocalGroupMember|New-ADUser|Add-ADGroupMember|"
	  "Set-ADAccountPassword|Disable-ADAccount|Add-RoleGroupMember|New-AzRoleAssignment",
	  act_effect, EFFECT_PRIVILEGES },
	{ "Enable-PSRemoting|Disable-BitLocker|Suspend-BitLocker|Disable-NetAdapter|Remove-NetIPAddress|"
	  "Remove-NetRoute|Disable-TlsCipherSuite|Uninstall-WindowsFeature|Disable-WindowsOptionalFeature|"
	  "Disable-ScheduledTask|Limit-EventLog|Stop-Transcript|Set-SmbServerConfiguration",
	  act_effect, EFFECT_GUARD_OFF },
	{ "Clear-RecycleBin", act_effect, EFFECT_DELETE },
	{ "Publish-Module|Publish-Script|Publish-PSResource", act_effect, EFFECT_PUBLISH },
	{ "Install-Module|Install-Package|Install-Script|Install-PSResource", act_effect,
	  EFFECT_INSTALL },
	{ "Send-MailMessage", act_effect, EFFECT_SEND },
	{ "Remove-Az*|Remove-S3*|Remove-EC2*|Stop-EC2*|Remove-RDS*|Remove-GC*|Remove-VM|Remove-AD*|"
	  "Remove-CF*|Remove-IAM*|Remove-DDB*|Remove-LM*|Remove-EKS*|Remove-KV*|Remove-Mg*",
	  act_effect, EFFECT_CLOUD },
	{ "Remove-Variable|rv|Remove-Module|rmo|Remove-Job|rjb|Remove-PSSession|rsn|Remove-PSDrive|rdr|"
	  "Remove-Event|Remove-TypeData|Remove-PSBreakpoint|rbp|Remove-Alias|Remove-PSReadLineKeyHandler|"
	  "Remove-CimSession|Remove-PSSnapin",
	  act_quiet, 0 },
	/* What has no row of its own is kept by a service. */
	{ "Remove-*", act_effect, EFFECT_CLOUD },
	{ "Get-*|Test-*|Measure-*|Select-*|Compare-*|Write-*|Read-*|Out-*|Import-Module|ipmo|Set-StrictMode|"
	  "Set-Variable|ConvertTo-*|ConvertFrom-*|Wait-*|Start-Sleep|sleep|Pop-Location|popd|pwd|gl|gm|"
	  "Invoke-Pester|Invoke-Build|Find-*|Show-*|Update-*|Set-PSDebug|cls|clear|Split-Path|exit|ft|fl|"
	  "break|continue|Receive-*|Add-Type|rem|set|setlocal|endlocal|@echo|ver|sls|group|measure|using",
	  act_quiet, 0 },
};

/* Programs of Windows: each of the words follows the name somewhere. */
static const struct {
	const char *program, *words;
	enum effect_kind kind;
} programs[] = {
	{ "format|format.com", ":", EFFECT_DEVICE },
	{ "diskpart", NULL, EFFECT_DEVICE },
	{ "cipher", "/w", EFFECT_DEVICE },
	{ "fsutil", "usn deletejournal", EFFECT_GUARD_OFF },
	{ "vssadmin", "delete", EFFECT_DEVICE },
	{ "wbadmin", "delete", EFFECT_DEVICE },
	{ "bcdedit", "/set", EFFECT_GUARD_OFF },
	{ "bcdedit", "/delete", EFFECT_DEVICE },
	{ "wmic", "shadowcopy delete", EFFECT_DEVICE },
	{ "wmic", "process delete", EFFECT_KILL },
	{ "wevtutil", "cl", EFFECT_GUARD_OFF },
	{ "schtasks", "/create", EFFECT_PERSIST },
	{ "schtasks", "/delete", EFFECT_PERSIST },
	{ "sc|sc.exe", "create", EFFECT_PERSIST },
	{ "sc|sc.exe", "delete", EFFECT_PERSIST },
	{ "sc|sc.exe", "stop windefend", EFFECT_GUARD_OFF },
	{ "net|net1", "stop windefend", EFFECT_GUARD_OFF },
	{ "net|net1", "user /add", EFFECT_PRIVILEGES },
	{ "net|net1", "user /delete", EFFECT_PRIVILEGES },
	{ "net|net1", "localgroup /add", EFFECT_PRIVILEGES },
	{ "netsh", "firewall off", EFFECT_GUARD_OFF },
	{ "netsh", "advfirewall off", EFFECT_GUARD_OFF },
	{ "netsh", "advfirewall reset", EFFECT_GUARD_OFF },
	{ "netsh", "interface disable", EFFECT_GUARD_OFF },
	{ "netsh", "wlan key=clear", EFFECT_READ },
	{ "manage-bde", "-off", EFFECT_GUARD_OFF },
	{ "auditpol", "/clear", EFFECT_GUARD_OFF },
	{ "auditpol", "disable", EFFECT_GUARD_OFF },
	{ "dism|dism.exe", "/disable-feature", EFFECT_GUARD_OFF },
	{ "wmic", "call uninstall", EFFECT_DELETE },
	{ "taskkill|taskkill.exe", "*", EFFECT_KILL },
	{ "taskkill|taskkill.exe", "/fi", EFFECT_KILL },
	{ "taskkill", "explorer.exe", EFFECT_KILL },
	{ "shutdown|shutdown.exe", "/s", EFFECT_SHUTDOWN },
	{ "shutdown|shutdown.exe", "/r", EFFECT_SHUTDOWN },
	{ "logoff", NULL, EFFECT_SHUTDOWN },
	{ "runas", NULL, EFFECT_PRIVILEGES },
	{ "regsvr32|regsvr32.exe", "http", EFFECT_RUN_FETCHED },
	{ "mshta|mshta.exe", "http", EFFECT_RUN_FETCHED },
	{ "rundll32|rundll32.exe", "http", EFFECT_RUN_FETCHED },
	{ "msiexec|msiexec.exe", "http", EFFECT_RUN_FETCHED },
	{ "wsl", "--unregister", EFFECT_CONTAINERS },
	{ "setx", "path", EFFECT_PERSIST },
};

/* Programs whose n-th word is a path, or the name of a service, that something happens to. */
static const struct {
	const char *program, *words;
	enum effect_kind kind;
	unsigned word;
} on_paths[] = {
	{ "takeown|takeown.exe", "/f", EFFECT_PERMISSIONS, 0 },
	{ "icacls|icacls.exe", "/grant", EFFECT_PERMISSIONS, 0 },
	{ "icacls|icacls.exe", "/deny", EFFECT_PERMISSIONS, 0 },
	{ "icacls|icacls.exe", "/reset", EFFECT_PERMISSIONS, 0 },
	{ "robocopy|robocopy.exe", "/mir", EFFECT_DELETE, 1 },
	{ "robocopy|robocopy.exe", "/purge", EFFECT_DELETE, 1 },
	{ "reg|reg.exe", "delete", EFFECT_DELETE, 1 },
	{ "reg|reg.exe", "add", EFFECT_WRITE, 1 },
	{ "net|net1|sc|sc.exe", "stop", EFFECT_KILL, 1 },
};

static bool has_words(struct str source, const char *words)
{
	struct str rest = str_from(words ? words : ""), one;

	while (str_split(&rest, ' ', &one))
		if (str_find_icase(source, one, 0) < 0)
			return false;
	return true;
}

/* taskkill /im *, and /fi "USERNAME eq ..." */
static bool ends_all(struct str name, struct str source)
{
	return word_is_one_icase(name, "taskkill|taskkill.exe") &&
	       (str_ends(source, STR(" *")) || text_has_one_icase(source, " * |username eq"));
}

static bool windows_program(struct act *x, struct str name)
{
	struct str source = x->c->source;
	bool known = false, help = has_slash(x->c, "/?");

	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		if (word_is_one_icase(name, programs[i].program)) {
			known = true;
			if (!help && has_words(source, programs[i].words))
				add(x->p, source,
				    (struct effect){
					    .kind = programs[i].kind,
					    .target = ends_all(name, source) ? STR("-1")
									     : (struct str){ 0 },
					    .recursive = programs[i].kind == EFFECT_KILL,
					    .forced = programs[i].kind == EFFECT_PRIVILEGES,
					    .places =
						    programs[i].kind == EFFECT_DELETE ? PLACE_SYSTEM
						    : programs[i].kind == EFFECT_READ ? PLACE_SECRET
										      : 0 });
		}
	for (size_t i = 0; i < ARRAY_LEN(on_paths); i++)
		if (word_is_one_icase(name, on_paths[i].program)) {
			const struct code_value *v = positional(x->c, on_paths[i].word);

			known = true;
			if (help || !has_words(source, on_paths[i].words))
				continue;
			if (on_paths[i].kind == EFFECT_KILL) {
				if (str_eqz_icase(value_flat(NULL, positional(x->c, 0)), "stop") &&
				    v)
					add(x->p, source,
					    (struct effect){ .kind = EFFECT_KILL,
							     .target = value_flat(NULL, v) });
			} else {
				ps_path(x->p, x->c,
					(struct effect){ .kind = on_paths[i].kind,
							 .recursive = true },
					v);
			}
		}
	if (word_is_one_icase(name, "certutil*|bitsadmin*") && text_has_one_icase(source, "http")) {
		struct code_value *file = x->c->n ? &x->c->word[x->c->n - 1].value : NULL;

		(void)network(x->p, source, NULL, file, false, 0);
		known = true;
	}
	return known;
}

/* Does a pattern of several stars fit a name, whatever the case is? */
static bool fits(struct str name, struct str pattern)
{
	static const struct wild_notation as = {
		.sign = { ['*'] = WILD_ANY_NUMBER, ['?'] = WILD_ONE }, .icase = true
	};

	return wild_fits_as(pattern, name, &as);
}

/* Get-Command rem*-item: the first command of the table whose name fits. */
static struct code_value act_command(struct act *x)
{
	const struct code_value *v = parameter(x->c, "-name");
	struct str one;

	v = v ? v : positional(x->c, 0);
	if (!v || v->kind != VALUE_TEXT || v->text.n > 64 || str_chr(v->text, '*', 0) < 0)
		return v ? *v : nothing(0);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		for (struct str rest = str_from(commands[i].names); str_split(&rest, '|', &one);)
			if (one.n && one.p[one.n - 1] != '*' && fits(one, v->text))
				return value_text(one);
	return nothing(0);
}

/* Another program, as the shell would start it. */
static void run_words(struct act *x, const struct code_value *program)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);
	struct effects *e = x->p->e;

	sh_quote(&out, unix_path(x->p, value_flat(e->arena, program)));
	for (size_t i = 0; i < x->c->n; i++) {
		const struct ps_word *w = &x->c->word[i];

		if (w->parameter.n) {
			buf_addc(&out, ' ');
			sh_quote(&out, w->parameter);
		}
		for (unsigned k = 0; w->value.kind == VALUE_LIST && k < w->value.n; k++) {
			buf_addc(&out, ' ');
			sh_quote(&out, value_flat(e->arena, &w->value.items[k]));
		}
		if (w->has_value && w->value.kind != VALUE_LIST) {
			buf_addc(&out, ' ');
			sh_quote(&out, value_flat(e->arena, &w->value));
		}
	}
	if (effects_too_deep(e) || out.full) {
		effects_unjudged(e, x->c->source);
		return;
	}
	e->depth++;
	effects_of_shell(e, arena_str(e->arena, buf_str(&out)));
	e->depth--;
}

/* The names of param(...) at the head of a block get the words of the call. */
static void bind_parameters(struct act *x, struct str block)
{
	ptrdiff_t at = str_find(block, STR("param"), 0);
	size_t i = at < 0 ? block.n : (size_t)at + 5, word = 0, depth = 0;
	bool name = true;

	for (size_t k = 0; k < x->c->n; k++) {
		struct str own = x->c->word[k].parameter;
		const struct code_value *v =
			own.n > 1 ? parameter(x->c, arena_z(x->p->e->arena, own)) : NULL;

		if (v)
			ps_set(x->p, str_sub(own, 1, own.n), *v);
	}
	for (; i < block.n; i++) {
		size_t from = i + 1;

		depth += strchr("([{", block.p[i]) != NULL;
		if (strchr(")]}", block.p[i]) && --depth == 0)
			return;
		name |= depth == 1 && block.p[i] == ',';
		if (!name || depth != 1 || block.p[i] != '$')
			continue;
		while (from < block.n && char_is_word(block.p[from]))
			from++;
		if (positional(x->c, (unsigned)word))
			ps_set(x->p, str_sub(block, i + 1, from),
			       *positional(x->c, (unsigned)word++));
		name = false;
	}
}

struct code_value ps_run_command(struct ps *p, struct ps_command *c, struct code_value *in)
{
	struct act x = { .p = p, .c = c, .in = in };
	struct code_value *known;
	struct str name;

	if (str_eqz(c->name.type, "block") || (c->name.flags & VALUE_FETCHED)) {
		eval(p, c->source, &c->name);
		return nothing(0);
	}
	if (c->name.kind != VALUE_TEXT || c->name.text.n == 0) {
		if (c->name.kind != VALUE_TEXT)
			add(p, c->source, (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
		return nothing(0);
	}
	name = c->name.text;
	known = ps_variable(p, arena_printf(p->e->arena, "alias %.*s", STR_ARG(name)));
	if (known && known->kind == VALUE_TEXT)
		name = known->text;
	known = ps_variable(p, name);
	if (known && str_eqz(known->type, "block")) {
		for (unsigned i = 0; i < c->n; i++)
			if (c->word[i].has_value)
				ps_set(p, STR("args"), c->word[i].value);
		bind_parameters(&x, known->text);
		return ps_run_block(p, known->text, in);
	}
	for (unsigned i = 0; i < p->seen->nfetched; i++)
		if (str_find(name, p->seen->fetched[i], 0) >= 0)
			add(p, c->source, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	if (word_is_one_icase(name, "wsl|wsl.exe") && c->n &&
	    !c->word[0].parameter.n) { /* wsl rm -rf / */
		struct code_value program = c->word[0].value;

		memmove(c->word, c->word + 1, --c->n * sizeof *c->word);
		run_words(&x, &program);
		return nothing(0);
	}
	if (windows_program(&x, name) && !str_eqz_icase(name, "sc"))
		return nothing(str_find_icase(c->source, STR("key=clear"), 0) >= 0 ? VALUE_SECRET
										   : 0);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (word_is_one_icase(name, commands[i].names)) {
			x.kind = commands[i].kind;
			return commands[i].run(&x);
		}
	run_words(&x, &c->name);
	return nothing(in ? in->flags : 0);
}

/* ---- .NET ---- */

struct code_value ps_replaced(struct ps *p, struct code_value x, struct code_value from,
			      struct code_value to)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);

	if (!value_is_known(&x) || !value_is_known(&from) || !value_is_known(&to) || !from.text.n)
		return value_unknown(x.flags);
	for (size_t i = 0; i < x.text.n;)
		if (str_starts(str_sub(x.text, i, x.text.n), from.text)) {
			buf_adds(&out, to.text);
			i += from.text.n;
		} else {
			buf_addc(&out, x.text.p[i++]);
		}
	return value_text(arena_str(p->e->arena, buf_str(&out)));
}

struct code_value ps_static(struct ps *p, struct str type, struct str member,
			    const struct code_value *args, size_t n)
{
	struct ps_command c = { .source = str_trim(str_sub(p->s, p->start, p->i)) };
	const struct code_value *first = n ? &args[0] : NULL;
	struct code_value v = value_unknown(first ? first->flags : 0);

	if (word_is_one_icase(type, "IO.File|IO.Directory|IO.FileInfo|IO.DirectoryInfo")) {
		if (str_eqz_icase(member, "Delete"))
			ps_path(p, &c, (struct effect){ .kind = EFFECT_DELETE, .recursive = n > 1 },
				first);
		else if (word_is_one_icase(member, "Write*|Create"))
			ps_path(p, &c, (struct effect){ .kind = EFFECT_OVERWRITE }, first);
		else if (word_is_one_icase(member, "Append*"))
			ps_path(p, &c, (struct effect){ .kind = EFFECT_WRITE }, first);
		else if (word_is_one_icase(member, "Move|Replace"))
			ps_path(p, &c, (struct effect){ .kind = EFFECT_MOVE }, first);
		else if (word_is_one_icase(member, "Read*|Open*"))
			ps_path(p, &c, (struct effect){ .kind = EFFECT_READ }, first);
		else if (word_is_one_icase(member, "GetFiles|EnumerateFiles|GetDirectories") &&
			 first) {
			v = value_path(p->e->arena, *first, value_text(STR("*")));
			v.flags |= VALUE_WALKED;
		}
		return v;
	}
	if (str_eqz_icase(type, "Convert") && str_eqz_icase(member, "FromBase64String") && first &&
	    value_is_known(first)) {
		struct code_value text = value_text(STR(""));

		return code_unbase64(p->e->arena, first->text, &text.text) ? text : v;
	}
	if (text_has_one_icase(type, "Encoding") && first)
		return *first;
	if (str_eqz_icase(type, "Environment") && str_eqz_icase(member, "GetFolderPath") && first &&
	    first->kind == VALUE_TEXT)
		return value_text(str_eqz_icase(first->text, "UserProfile")
					  ? effects_home(p->e)
					  : arena_printf(p->e->arena, "%.*s/%.*s",
							 STR_ARG(effects_home(p->e)),
							 STR_ARG(first->text)));
	if (str_eqz_icase(type, "scriptblock") && first) {
		v = *first;
		v.type = STR("block");
		return v;
	}
	if (str_eqz_icase(type, "IO.Path") && str_eqz_icase(member, "Combine") && n > 1)
		return value_path(p->e->arena, args[0], args[1]);
	if (str_eqz_icase(type, "string") && str_eqz_icase(member, "Join") && n > 1 &&
	    first->kind == VALUE_TEXT)
		return value_join_all(p->e->arena, args[1], first->text);
	if (str_eqz_icase(type, "Diagnostics.Process") && str_eqz_icase(member, "Start") && first &&
	    first->kind == VALUE_TEXT)
		(void)ps_run_block(p,
				   n > 1 && args[1].kind == VALUE_TEXT
					   ? arena_printf(p->e->arena, "%.*s %.*s",
							  STR_ARG(first->text),
							  STR_ARG(args[1].text))
					   : first->text,
				   NULL);
	if (str_eqz_icase(member, "new")) {
		v.type = type;
		p->seen->connected |= text_has_one_icase(type, "TcpClient");
	}
	return v;
}

struct code_value ps_method(struct ps *p, struct code_value self, struct str name, bool called,
			    const struct code_value *args, size_t n, struct str source)
{
	struct ps_command c = { .source = str_trim(str_sub(p->s, p->start, p->i)) };

	(void)source;
	for (unsigned i = 0; !called && self.kind == VALUE_LIST && i < self.n; i++)
		if (self.items[i].key.n && str_eq_icase(self.items[i].key, name)) {
			struct code_value member = self.items[i];

			member.key = (struct str){ 0 };
			return member;
		}
	if (!called) /* .FullName, .Content: as good as the object */
		return word_is_one_icase(name, "Length|Count") ? value_unknown(0) : self;
	if (word_is_one_icase(name, "Delete|Kill") && self.kind == VALUE_TEXT &&
	    str_eqz_icase(name, "Delete")) {
		ps_path(p, &c, (struct effect){ .kind = EFFECT_DELETE, .recursive = n > 0 }, &self);
	} else if (word_is_one_icase(name, "DownloadString|DownloadData|OpenRead|GetStringAsync")) {
		return network(p, c.source, n ? &args[0] : NULL, NULL, false, 0);
	} else if (str_eqz_icase(name, "DownloadFile")) {
		return network(p, c.source, n ? &args[0] : NULL, n > 1 ? &args[1] : NULL, false, 0);
	} else if (word_is_one_icase(name, "UploadString|UploadFile|UploadData|UploadValues")) {
		return network(p, c.source, n ? &args[0] : NULL, NULL, true,
			       n > 1 ? args[1].flags & VALUE_SECRET : 0);
	} else if (word_is_one_icase(name, "Invoke|InvokeReturnAsIs") &&
		   str_eqz(self.type, "block")) {
		eval(p, c.source, &self);
		return value_unknown(0);
	} else if (str_eqz_icase(name, "InvokeScript") && n) {
		eval(p, c.source, &args[0]);
	} else if (word_is_one_icase(name, "GetString|GetBytes") && n) {
		return args[0];
	} else if (str_eqz_icase(name, "Replace") && n == 2) {
		return ps_replaced(p, self, args[0], args[1]);
	} else if (str_eqz_icase(name, "Run") && n &&
		   text_has_one_icase(self.type, "WScript.Shell") && args[0].kind == VALUE_TEXT) {
		(void)ps_run_block(p, args[0].text, NULL);
	}
	return word_is_one_icase(name,
				 "ToString|Trim|ToLower|ToCharArray|Trim*|ReadToEnd|GetResponse*")
		       ? self
		       : value_unknown(self.flags);
}
