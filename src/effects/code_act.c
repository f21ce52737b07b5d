/* What a row of a table does: arguments, code, databases, processes. */
#include "base/words.h"
#include "effects/code_cloud.h"
#include "effects/code_reader.h"
#include "shell/shell.h"

enum { WORDS_MAX = 160 };

struct str act_words(const struct act *x)
{
	struct str s = str_trim(str_sub(x->c->text, x->args->at, x->args->end));

	if (s.n == 0)
		return x->c->words;
	return s.n > WORDS_MAX ? arena_printf(x->c->e->arena, "%.*s...", WORDS_MAX, s.p) : s;
}

/* What was added after n goes again if it is there already. */
void act_drop_repeated(struct effects *e, size_t n)
{
	size_t kept = n;

	for (size_t i = n; i < e->n; i++) {
		const struct effect *b = &e->p[i];
		bool known = false;

		for (size_t k = kept > ACT_RECENT ? kept - ACT_RECENT : 0; k < kept; k++) {
			const struct effect *a = &e->p[k];

			known |= a->kind == b->kind && a->recursive == b->recursive &&
				 a->maybe == b->maybe && a->places == b->places &&
				 (a->forced || !b->forced) && str_eq(a->target, b->target) &&
				 (a->target.n || str_eq(a->words, b->words));
		}
		if (!known)
			e->p[kept++] = e->p[i];
	}
	e->n = kept;
}

void act_add(const struct act *x, struct effect effect)
{
	size_t n = x->c->e->n;

	effect.words = act_words(x);
	if (effect.kind == EFFECT_OPAQUE && x->c->uncalled)
		return;
	effects_add(x->c->e, &effect);
	act_drop_repeated(x->c->e, n);
}

/* ---- code, databases, processes ---- */

static void eval_value(const struct act *x, const struct code_value *v)
{
	struct str text;

	if (!v || v->kind == VALUE_FUNCTION)
		return;
	if (v->kind == VALUE_LIST && (v->flags & VALUE_ANY)) {
		for (unsigned i = 0; i < v->n; i++)
			eval_value(x, &v->items[i]);
		return;
	}
	if (value_is_known(v))
		code_run_text(x->c, v->text);
	else if (v->flags & VALUE_FETCHED)
		act_add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	else if (v->flags & VALUE_HIDDEN)
		act_add(x, (struct effect){ .kind = EFFECT_RUN_UNSEEN, .forced = true });
	else if (x->f->flags & FN_TEXT_ONLY)
		return;
	else if (str_eqz(v->type, "content") && x->c->e->world->read && v->text.n &&
		 x->c->e->world->read(x->c->e->world->data, v->text, x->c->e->arena, &text))
		code_run_text(x->c, str_sub(text, 0, CODE_TEXT_MAX));
	else if (v->kind == VALUE_TEXT && !str_eqz(str_trim(v->text), "\1"))
		code_run_text(x->c, v->text);
	else
		act_add(x, (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
}

static void eval(const struct act *x)
{
	eval_value(x, act_argument(x, x->f->arg));
	for (unsigned i = (unsigned)x->f->arg + 1; (x->f->flags & FN_ALL) && i < x->args->n; i++)
		eval_value(x, act_positional(x->args, i));
}

static void other_code(const struct act *x, enum code_language lang)
{
	const struct code_value *v = act_argument(x, x->f->arg);
	struct effects *e = x->c->e;

	if (v && v->kind == VALUE_UNKNOWN && x->f->arg >= 0) /* Exec(ctx, "DROP TABLE x") */
		v = act_positional(x->args, (unsigned)x->f->arg + 1) ?: v;
	if (v && v->kind == VALUE_LIST && v->n)
		v = &v->items[0];
	if (!v || v->kind != VALUE_TEXT)
		return;
	e->depth++;
	effects_of_code(e, lang, v->text, act_words(x));
	e->depth--;
}

bool act_is_any_process(const struct code *c, const struct code_value *v)
{
	return v && v->kind == VALUE_TEXT && (v->flags & VALUE_WALKED) &&
	       !(v->flags & VALUE_CHOSEN) && !c->chosen_level;
}

/* p.name() in ("auditd", "falco"): those that the code names are the ones that it chooses. */
static void ends_watches(const struct act *x)
{
	bool names = false;

	if (x->c->watches_sought)
		return;
	x->c->watches_sought = true;
	for (const struct code_token *t = x->c->t; t->kind != TOKEN_END && !names; t++)
		names = t->kind == TOKEN_TEXT && effects_is_watch(t->text);
	if (names)
		act_add(x, (struct effect){ .kind = EFFECT_GUARD_OFF });
}

static void kill_effect(const struct act *x)
{
	if (x->self && str_eqz(x->self->type, TYPE_PROCESSES))
		ends_watches(x);
	if (x->f->arg < 0 && act_is_any_process(x->c, x->self))
		act_add(x, (struct effect){
				   .kind = EFFECT_KILL, .target = STR("-1"), .recursive = true });
	/* The two that matter: all processes, and the first. Perl has the signal in front. */
	for (unsigned i = 0; i < x->args->n; i++) {
		const struct code_value *v = &x->args->p[i].value;
		bool any = act_is_any_process(x->c, v);

		if (str_eqz(v->type, TYPE_PROCESSES) && str_starts(v->text, STR("$("))) {
			act_run_shell(x->c,
				      arena_printf(x->c->e->arena, "kill %.*s", STR_ARG(v->text)));
			return;
		}

		if (v->kind == VALUE_TEXT &&
		    (any || str_eqz(v->text, "-1") ||
		     (str_eqz(v->text, "1") && i == (unsigned)x->f->arg))) {
			act_add(x, (struct effect){ .kind = EFFECT_KILL,
						    .target = any ? STR("-1") : v->text,
						    .recursive = true });
			return;
		}
	}
}

static void chdir_effect(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg);

	struct code_value expanded;

	if (v && v->kind == VALUE_TEXT && v->text.n && v->text.p[0] == '~') { /* of shelljs */
		expanded = code_home_expanded(x->c, *v);
		v = &expanded;
	}
	if (!v || v->kind != VALUE_TEXT || v->text.n == 0)
		return;
	x->c->e->cwd = v->text.p[0] == '/'
			       ? v->text
			       : arena_printf(x->c->e->arena, "%.*s/%.*s",
					      STR_ARG(effects_cwd(x->c->e)), STR_ARG(v->text));
}

/* {}, { where: {} }: a condition that chooses nothing. */
static bool is_everything(const struct code_value *v)
{
	const struct code_value *where = value_member(v, STR("where"));

	if (v->kind == VALUE_NAME)
		return str_ends(v->type, STR(".Empty")); /* FilterDefinition<T>.Empty */
	return v->kind == VALUE_LIST &&
	       (!v->n || (where && where->kind == VALUE_LIST && !where->n));
}

bool act_is_environment(struct code *c, const struct code_value *v)
{
	const struct code_function *f =
		v && v->kind == VALUE_NAME ? code_function_find(c, v->type, false) : NULL;

	if (f) /* os.getenv is a function */
		return f->act == GIVES_ENV && str_find_icase(v->type, STR("get"), 0) < 0;
	return v && str_eqz(v->type, TYPE_ENVIRONMENT);
}

/* os.environ["JWT_SECRET"], or a text with it in it; it may be another one, too. */
static bool is_key(const struct code_value *v)
{
	bool key = (v->flags & VALUE_ITSELF) && !v->type.n; /* no client that was given it */

	for (unsigned i = 0; v->kind == VALUE_LIST && (v->flags & VALUE_ANY) && i < v->n; i++)
		key |= (v->items[i].flags & VALUE_ITSELF) != 0;
	return key;
}

/* print(os.environ): what the model sees then. */
static void show(const struct act *x)
{
	const struct code_value *file =
		x->c->g->language == CODE_R ? act_keyed(x->args, "file") : NULL;

	if (file) { /* cat("x", file = path) */
		act_write(x, file, act_positional(x->args, 0), act_is_flag(x, "append"));
		return;
	}
	for (unsigned i = 0; i < x->args->n; i++) {
		const struct code_value *v = &x->args->p[i].value;
		/* What files say that a walk through all of somebody's home directory comes by. */
		bool whole_home = str_eqz(v->type, "content") && str_starts(v->text, STR("/")) &&
				  str_ends(v->text, STR("*")) &&
				  (effect_places(x->c->e->world, v->text) & PLACE_HOME_WHOLE);

		if (act_is_environment(x->c, v) || whole_home || is_key(v) ||
		    (v->kind != VALUE_NAME && (v->flags & VALUE_SECRET))) {
			act_add(x, (struct effect){ .kind = EFFECT_READ, .places = PLACE_SECRET });
			return;
		}
	}
}

/* The network, code, databases, processes. */
static const struct code_function itself = { .act = ACT_SHELL_OR_ARGV, .arg = ARG_SELF };

/* include 'https://...' */
static bool is_url(const struct code_value *v, unsigned depth)
{
	for (unsigned i = 0; v->kind == VALUE_LIST && depth && i < v->n; i++)
		if (is_url(&v->items[i], depth - 1))
			return true;
	return v->kind == VALUE_TEXT &&
	       (str_starts(v->text, STR("http://")) || str_starts(v->text, STR("https://")) ||
		str_starts(v->text, STR("ftp://")));
}

/* load(text), runpy.run_path(file) */
static void unseen(const struct act *x)
{
	const struct code_value *loader = act_keyed(x->args, "Loader");
	bool fetched = act_taints(x) & VALUE_FETCHED;

	loader = loader ? loader : act_positional(x->args, 1);
	if ((x->f->flags & FN_KEYED) && loader &&
	    (str_find(loader->type, STR("Safe"), 0) >= 0 ||
	     str_find(loader->type, STR("Base"), 0) >= 0))
		return;
	if ((x->f->flags & FN_KEYED) && act_is_flag(x, "weights_only"))
		return;
	if (x->f->flags & FN_OTHER) {
		const struct code_value *v = act_argument(x, x->f->arg);
		ptrdiff_t slash = v && v->kind == VALUE_TEXT ? str_chr(v->text, '/', 0) : -1;

		/* "somebody/model" of a registry of models; not "./model", "/models/x" */
		if (act_is_flag(x, "trust_remote_code") && slash > 0 &&
		    !strchr("./~", v->text.p[0]) && str_chr(v->text, '/', (size_t)slash + 1) < 0)
			act_add(x, (struct effect){ .kind = EFFECT_RUN_UNSEEN, .target = v->text });
		return;
	}
	for (unsigned i = 0; i < x->args->n; i++)
		fetched |= act_was_fetched(x->c, &x->args->p[i].value) ||
			   is_url(&x->args->p[i].value, 3);
	if (act_taints(x) & VALUE_HIDDEN)
		act_add(x, (struct effect){ .kind = EFFECT_RUN_UNSEEN, .forced = true });
	if (fetched)
		act_add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED });
}

/* partial(SimpleHTTPRequestHandler, directory=x), super().__init__(directory=x): the folder. */
static struct code_value served_folder(struct code *c)
{
	struct code_value v = value_text(STR("."));
	unsigned at = c->i, end = c->end, i = 0;

	while (c->t[i].kind != TOKEN_END &&
	       !(token_is(&c->t[i], "directory") && token_is(&c->t[i + 1], "=")))
		i++;
	if (c->t[i].kind == TOKEN_END)
		return v;
	c->i = i + 2;
	while (c->t[c->end].kind != TOKEN_END)
		c->end++;
	v = code_expression(c);
	c->i = at;
	c->end = end;
	return v.kind == VALUE_TEXT ? v : value_text(STR("."));
}

static void serve_path(const struct act *x, struct str path, struct str host)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);

	buf_addz(&out, "http-server ");
	sh_quote(&out, path);
	buf_addz(&out, " -a ");
	sh_quote(&out, host);
	act_run_shell(x->c, arena_str(x->c->e->arena, buf_str(&out)));
}

static void serve_folder(const struct act *x, struct str host)
{
	serve_path(x, served_folder(x->c).text, host);
}

/* ngrok.connect(22, "tcp"), connect(addr="tcp://localhost:5432") */
static void tunnel(const struct act *x, const struct code_value *to)
{
	const struct code_value *how = act_positional(x->args, 1) ?: act_keyed(x->args, "proto");
	bool tcp = how && how->kind == VALUE_TEXT && str_eqz(how->text, "tcp");
	struct str s;

	for (unsigned i = 0; i < max_size(to->kind == VALUE_LIST ? to->n : 1, 1); i++) {
		s = value_flat(x->c->e->arena, to->kind == VALUE_LIST ? &to->items[i] : to);
		if (str_starts(s, STR("tcp://")))
			s = str_sub(s, 6, s.n);
		else if (!tcp)
			continue;
		act_run_shell(x->c, arena_printf(x->c->e->arena, "ngrok tcp %.*s", STR_ARG(s)));
	}
}

/* TCPServer(("", 8000), SimpleHTTPRequestHandler) */
static void serve(const struct act *x, const struct code_value *address)
{
	const struct code_value *handler = act_positional(x->args, 1);
	struct str host = STR("0.0.0.0");

	if (act_keyed(x->args, "DocumentRoot")) { /* of WEBrick */
		address = act_keyed(x->args, "BindAddress");
		if (address && address->kind == VALUE_TEXT)
			host = address->text;
		serve_path(x, value_flat(x->c->e->arena, act_keyed(x->args, "DocumentRoot")), host);
		return;
	}
	/* http.FileServer(http.Dir("/")): a folder, to whoever asks; not if only this machine can. */
	if (x->f->flags & FN_KEYED) {
		if (str_find(x->c->text, STR("127.0.0.1"), 0) < 0 &&
		    str_find(x->c->text, STR("localhost"), 0) < 0 && address &&
		    address->kind == VALUE_TEXT &&
		    (effect_places(x->c->e->world, address->text) &
		     (PLACE_HOME_WHOLE | PLACE_ROOT | PLACE_SECRET)))
			act_listen(x);
		return;
	}
	if (x->f->flags & FN_OTHER) { /* a tunnel to what this script serves, or to others */
		if (address)
			tunnel(x, address);
		if (str_find(x->c->text, STR("SimpleHTTP"), 0) >= 0)
			serve_folder(x, host);
		return;
	}
	if (!x->c->serves && !(handler && str_ends(handler->type, STR("SimpleHTTPRequestHandler"))))
		return;
	if (address && address->kind == VALUE_LIST && address->n && address->items[0].text.n)
		host = value_flat(NULL, &address->items[0]);
	serve_folder(x, host);
}

/* ":memory:", "sqlite::memory:", "dbi:SQLite:dbname=:memory:", a file in a temporary folder */
static bool is_passing(const struct code *c, struct str database)
{
	if (str_find(database, STR(":memory:"), 0) >= 0 ||
	    (str_starts(database, STR("jdbc:")) && str_find(database, STR(":mem:"), 0) > 0) ||
	    str_find(database, STR("Mode=Memory"), 0) >= 0)
		return true;
	if (str_ends(database, STR(".db")) && str_starts(database, STR("tmp/")))
		return effect_database_places(c->e->world, database) & PLACE_TEMP;
	if (str_starts(database, STR("sqlite:///")))
		database = str_sub(database, 10, database.n);
	return database.n && database.p[0] == '/' &&
	       (effect_places(c->e->world, database) & PLACE_TEMP);
}

/* drop_all(engine) */
static unsigned database_places(const struct act *x)
{
	unsigned places = x->c->emulated && !x->c->elsewhere ? PLACE_TEMP : 0;

	for (unsigned i = 0; i < x->args->n; i++) {
		const struct code_value *v = &x->args->p[i].value;

		if (v->kind == VALUE_TEXT)
			places |= is_passing(x->c, v->text)
					  ? PLACE_TEMP
					  : effect_database_places(x->c->e->world, v->text);
	}
	return places;
}

/* SELECT email, password FROM users */
static bool asks_for_people(const struct code_value *v)
{
	static const char *const words[] = {
		"users", "customers", "patients",  "employees", "accounts", "members",
		"passw", "card",      "email",     "ssn",       "iban",     "phone",
		"token", "secret",    "customer_", "payments",
	};

	if (!v || v->kind != VALUE_TEXT || str_find_icase(v->text, STR("select"), 0) < 0 ||
	    str_find_icase(v->text, STR("count("), 0) >= 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_find_icase(v->text, str_from(words[i]), 0) >= 0)
			return true;
	return false;
}

/*
 * command("dropDatabase"), command("drop", "orders"), command({"drop": "orders"}) of MongoDB; a
 * command line of a script may have a command "drop", too.
 */
static bool is_drop_of_mongo(const struct act *x, const struct code_value *v)
{
	static const char drops[] = "drop dropDatabase dropAllUsersFromDatabase "
				    "dropAllRolesFromDatabase";

	if (x->args->n && x->args->p[0].key.n) /* command(dropDatabase: 1) */
		return word_in_text(x->args->p[0].key, drops);
	if (v && v->kind == VALUE_LIST && v->n)
		return !(v->flags & VALUE_ANY) && v->items[0].key.n &&
		       word_in_text(v->items[0].key, drops);
	if (!v || !value_is_known(v) || !word_in_text(v->text, drops))
		return false;
	return !str_eqz(v->text, "drop") ||
	       (x->c->g->language == CODE_PYTHON && act_positional(x->args, 1));
}

/* What somebody has typed as a password is kept as it is: a page that gathers them. */
static void stores_password(const struct act *x, struct str statement)
{
	if ((act_taints(x) & VALUE_TYPED) && str_starts_icase(str_trim(statement), STR("insert")))
		act_attack(x, (struct str){ 0 });
}

static void attack(const struct act *x, const struct code_value *v)
{
	struct str host = x->f->flags & FN_OTHER ? act_url_host(x, v) : STR("");

	if (x->f->flags & FN_KEYED) /* $insert->bindValue(":p", $_POST["password"]) */
		stores_password(x, x->self ? x->self->text : STR(""));
	else if (host.n)
		act_attack(x, host);
	else if (!(x->f->flags & FN_OTHER))
		act_attack(x, (struct str){ 0 });
}

static struct code_value sql(const struct act *x, const struct code_value *v)
{
	unsigned rows = asks_for_people(v) ? VALUE_PRIVATE : 0;
	struct code_value gives = act_typed(x, value_unknown(act_taints(x)));

	if (v && v->kind == VALUE_TEXT) {
		stores_password(x, v->text);
		gives.text = v->text; /* what is bound to it comes later */
	}
	bool passing = x->self && x->self->kind == VALUE_TEXT && is_passing(x->c, x->self->text);

	for (unsigned i = 0; i < x->args->n; i++) /* execute(connection, "...") */
		passing |= &x->args->p[i].value != v && x->args->p[i].value.kind == VALUE_TEXT &&
			   is_passing(x->c, x->args->p[i].value.text);
	if (passing || (x->c->emulated && !x->c->elsewhere))
		return gives;
	if (is_drop_of_mongo(x, v))
		act_add(x,
			(struct effect){ .kind = EFFECT_DATABASE, .places = database_places(x) });
	/* "git push".execute() of Groovy */
	else if (!x->args->n && x->self && x->c->g->language == CODE_COMPILED)
		(void)act_program(&(struct act){ x->c, &itself, x->self, x->args }, x->self);
	else
		other_code(x, CODE_SQL);
	code_hold(x->c, x->args->of, rows);
	gives.flags |= rows;
	return gives;
}

static void database(const struct act *x, const struct code_value *v)
{
	/* db("users").del().toString(): it is written down, not run. */
	if (token_is(code_at(x->c, 0), ".") && code_at(x->c, 1)->kind == TOKEN_NAME &&
	    word_in_text(code_at(x->c, 1)->text, "toString toSQL toQuery toSql getSQL to_sql"))
		return;
	if ((x->f->flags & FN_KEYED) && v && !is_everything(v))
		return;
	if ((x->f->flags & FN_ALL) && x->args->n) /* frame.drop(columns=...) */
		return;
	if ((x->f->flags & FN_RECURSIVE) && !act_is_flag(x, "force") && !act_is_flag(x, "truncate"))
		return;
	act_add(x, (struct effect){ .kind = EFFECT_DATABASE,
				    .places = database_places(x),
				    .target = x->self && x->self->kind == VALUE_NAME
						      ? x->self->type
						      : (struct str){ 0 } });
}

enum { PROCESSES_MANY = 1000 };

static void fork_effect(const struct act *x, const struct code_value *v)
{
	bool bomb = x->c->forever || x->c->times >= PROCESSES_MANY;

	for (unsigned i = 0; i < x->args->n; i++) /* its like, and so on */
		bomb |= x->args->p[i].value.kind == VALUE_FUNCTION &&
			x->c->fns[x->args->p[i].value.n].running;
	if (bomb)
		act_add(x, (struct effect){ .kind = EFFECT_EXHAUST });
	if ((x->f->flags & FN_DEFAULT) && v && v->kind == VALUE_TEXT)
		act_fork(x, v->text);
	if (x->c->g->language == CODE_COMPILED)
		act_start_program(x->c);
}

void act_listen(const struct act *x)
{
	act_add(x, (struct effect){ .kind = EFFECT_READ, .places = PLACE_SECRET });
}

/* sniff(offline="x.pcap"), sniff(iface="lo") */
static bool is_own_traffic(const struct act *x)
{
	const struct code_value *v = act_keyed(x->args, "iface") ?: act_positional(x->args, 0);

	return act_keyed(x->args, "offline") ||
	       (v && v->kind == VALUE_TEXT && (str_eqz(v->text, "lo") || str_eqz(v->text, "lo0")));
}

/* 0, "/dev/video0": not a film */
static bool is_device(const struct code_value *v)
{
	return v && v->kind == VALUE_TEXT &&
	       ((v->flags & VALUE_NUMBER) || str_starts(v->text, STR("/dev/")));
}

/* store(id, "+FLAGS", "\\Deleted"), add_flags(ids, [DELETED]) */
static bool flags_deleted(const struct act *x)
{
	for (unsigned i = 0; i < x->args->n; i++) {
		const struct code_value *v = &x->args->p[i].value;

		if (v->kind == VALUE_LIST && v->n)
			v = &v->items[0];
		if (str_find(v->text, STR("Deleted"), 0) >= 0 || str_ends(v->type, STR("DELETED")))
			return true;
	}
	return false;
}

/* key.SetValue("name", "value"): as PowerShell would do it */
static void registry(const struct act *x, const struct code_value *key)
{
	struct effects *e = x->c->e;

	if (!key || key->kind != VALUE_TEXT)
		return;
	e->depth++;
	effects_of_code(e, CODE_POWERSHELL,
			arena_printf(e->arena, "Set-ItemProperty -Path '%s%.*s' -Name n -Value v",
				     str_starts(key->text, STR("HKEY_")) ? "" : "HKCU:\\",
				     STR_ARG(key->text)),
			act_words(x));
	e->depth--;
}

static struct code_value other_act(const struct act *x, const struct code_value *v)
{
	switch ((unsigned)x->f->act) {
	case ACT_SEND:
	case ACT_MAIL:
		act_send(x, act_url_host(x, v));
		return act_typed(x, value_unknown(VALUE_FETCHED));
	case ACT_ATTACK:
		attack(x, v);
		break;
	case ACT_LOOKUP:
		if (act_taints(x) & (VALUE_SECRET | VALUE_KEY))
			act_add(x, (struct effect){ .kind = EFFECT_SEND,
						    .target = act_url_host(x, v),
						    .places = PLACE_SECRET });
		return value_unknown(VALUE_FETCHED);
	case ACT_FETCH:
		return act_fetch(x);
	case ACT_FETCH_FILE:
		(void)act_fetch(x);
		v = act_positional(x->args, (unsigned)x->f->arg + 1);
		if (v)
			act_path(x, (struct effect){ .kind = EFFECT_OVERWRITE }, v);
		act_remember(x->c, v, VALUE_FETCHED);
		return v ? *v : value_unknown(0);
	case ACT_REQUEST:
		return act_request(x);
	case ACT_CONNECT:
		return act_connect(x);
	case ACT_KILL:
		kill_effect(x);
		break;
	case ACT_FORK:
		fork_effect(x, v);
		break;
	case ACT_EVAL:
		eval(x);
		break;
	case ACT_JAVASCRIPT:
		other_code(x, CODE_JAVASCRIPT);
		break;
	case ACT_SQL:
		return sql(x, v);
	case ACT_DATABASE:
		database(x, v);
		break;
	case ACT_CLOUD:
		if (!x->c->simulated && !(x->self && (x->self->flags & VALUE_HERE)) &&
		    !act_is_flag(x, "DryRun") && !act_is_flag(x, "dry_run") &&
		    (!(x->f->flags & FN_KEYED) || flags_deleted(x)))
			act_add(x, (struct effect){ .kind = EFFECT_CLOUD });
		break;
	case ACT_LISTEN:
		if (((x->f->flags & FN_OTHER) && is_own_traffic(x)) ||
		    ((x->f->flags & FN_KEYED) && !is_device(v)) ||
		    (x->f->type && !code_has_name(x->c, x->f->type)))
			break;
		act_listen(x);
		return value_unknown(VALUE_SECRET);
	case ACT_SERVE:
		serve(x, v);
		break;
	case ACT_CONTAINER:
		cloud_run_container(x);
		if (x->f->type)
			return act_typed(x, value_text(STR(CONTAINER_MADE)));
		break;
	case ACT_OPAQUE:
		act_add(x, (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
		break;
	case ACT_UNSEEN:
		unseen(x);
		break;
	case ACT_SHUTDOWN:
		act_add(x, (struct effect){ .kind = EFFECT_SHUTDOWN });
		break;
	case ACT_PERSIST:
		if (x->f->flags & FN_OTHER) {
			registry(x, v);
			break;
		}
		act_path(x, (struct effect){ .kind = EFFECT_PERSIST }, v);
		break;
	case ACT_PRIVILEGES:
		if (v && v->kind == VALUE_TEXT && str_eqz(v->text, "0"))
			act_add(x, (struct effect){ .kind = EFFECT_PRIVILEGES });
		break;
	case ACT_CHDIR:
		chdir_effect(x);
		break;
	case ACT_TELL:
		act_tell(x, v);
		break;
	case ACT_SHOW:
		show(x);
		break;
	default:
		break;
	}
	return act_typed(x, value_unknown(act_taints(x)));
}

/* chmod(path, 0o4755), chmod 04755, $path, chmod(path, S_ISUID | mode): it runs as its owner. */
static bool sets_owner(const struct act *x)
{
	for (unsigned i = 0; i < x->args->n; i++) {
		const struct code_value *v = &x->args->p[i].value;
		struct str s = v->text;

		if (v->kind != VALUE_TEXT || !(v->flags & VALUE_NUMBER))
			continue;
		while (s.n > 4 && (s.p[0] == '0' || s.p[0] == 'o'))
			s = str_sub(s, 1, s.n);
		if (s.n == 4 && str_is_of(s, "01234567") && (s.p[0] & 4))
			return true;
	}
	return str_find(act_words(x), STR("S_ISUID"), 0) >= 0;
}

/* extractall(folder), unpack_archive(file, folder): what is in it came from where it did. */
static void extract(const struct act *x)
{
	const struct code_value *from = x->f->flags & FN_OTHER ? act_positional(x->args, 0)
							       : x->self,
				*to = act_positional(x->args, x->f->flags & FN_OTHER ? 1 : 0);
	unsigned taints = from ? from->flags & VALUE_TAINTS : 0;

	to = to ? to : act_keyed(x->args, "path") ?: act_keyed(x->args, "extract_dir");
	if (from && from->kind == VALUE_TEXT)
		taints |= act_written(x->c, from->text);
	if (to)
		act_path(x, (struct effect){ .kind = EFFECT_WRITE }, to);
	act_remember(x->c, to, taints);
}

/* String(contentsOfFile: path), text.write(to: url): no other argument says where a file is. */
static const struct code_value *named_file(const struct act *x)
{
	static const char *const keys[] = { "contentsOfFile",   "contentsOf",
					    "toFile",           "to",
					    "forReadingAtPath", "forReadingFrom",
					    "forWritingAtPath", "forUpdatingAtPath" };
	const struct code_value *v = NULL;

	for (size_t i = 0; i < ARRAY_LEN(keys) && !v; i++)
		v = act_keyed(x->args, keys[i]);
	return v;
}

static struct code_value effect_act(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg);

	if ((x->f->flags & FN_KEYED) && (x->f->act == ACT_READ || x->f->act == ACT_OVERWRITE)) {
		v = named_file(x);
		if (!v && x->self && x->args->n && x->args->p[0].value.kind == VALUE_FUNCTION)
			return *x->self; /* queue.write { db in ... } */
		if (!v && x->f->act != ACT_READ)
			code_hold(x->c, x->args->of, act_taints(x));
		if (!v)
			return x->f->act == ACT_READ && x->args->n ? x->args->p[0].value
								   : value_unknown(act_taints(x));
		if (x->f->act == ACT_OVERWRITE || act_keyed(x->args, "forWritingAtPath") ||
		    act_keyed(x->args, "forUpdatingAtPath")) {
			act_write(x, v, x->self, false);
			return value_unknown(0);
		}
		if (is_url(v, 1))
			return act_fetch(&(struct act){
				x->c, &(const struct code_function){ .act = ACT_FETCH }, NULL,
				&(struct code_args){ .p = { { .value = *v } },
						     .n = 1,
						     .at = x->args->at,
						     .end = x->args->end } });
	}
	switch ((unsigned)x->f->act) {
	case ACT_SHELL:
	case ACT_ARGV:
	case ACT_SHELL_OR_ARGV:
	case ACT_COMMAND:
		return act_program(x, v);
	case ACT_DELETE:
		act_delete(x);
		break;
	case ACT_READ:
		return act_read(x, v);
	case ACT_WRITE:
	case ACT_OVERWRITE:
		if (v && str_eqz(v->type, "socket")) { /* fwrite($connection, $x) */
			act_send(x, v->text);
			break;
		}
		act_write(x, v,
			  act_positional(x->args, x->f->arg < 0 ? 0 : (unsigned)x->f->arg + 1),
			  x->f->act == ACT_WRITE || act_is_flag(x, "append"));
		if (x->f->type && v && v->kind == VALUE_TEXT)
			return act_typed(x, *v);
		break;
	case ACT_EXTRACT:
		extract(x);
		break;
	case ACT_OPEN:
		return x->f->flags & FN_OTHER ? act_open_perl(x) : act_open(x);
	case ACT_MOVE:
		act_move(x, false);
		break;
	case ACT_COPY:
		act_move(x, true);
		break;
	case ACT_LINK:
		act_link(x);
		break;
	case ACT_PERMISSIONS:
		if (sets_owner(x))
			act_add(x, (struct effect){ .kind = EFFECT_PRIVILEGES, .forced = true });
		act_path(x,
			 (struct effect){ .kind = EFFECT_PERMISSIONS,
					  .recursive = x->f->flags & FN_RECURSIVE },
			 v);
		break;
	default:
		return other_act(x, v);
	}
	return act_typed(x, value_unknown(act_taints(x)));
}

struct code_value code_act(struct code *c, const struct code_function *f, struct code_value *self,
			   struct code_args *args)
{
	struct act x = { .c = c, .f = f, .self = self, .args = args };
	struct code_value v;

	if (f->act >= GIVES_SELF)
		v = act_gives(&x);
	else {
		c->secret_used |=
			f->act != ACT_READ && f->act != ACT_OPEN && (act_taints(&x) & VALUE_SECRET);
		v = effect_act(&x);
		if (args->more && f->act != ACT_SHOW)
			effects_unjudged(c->e, act_words(&x));
	}
	if (f->act == CALLS_FOREVER) {
		bool was = c->forever, hammers = c->hammers, fills = c->fills;

		for (unsigned i = 0; i < args->n; i++) {
			const struct code_defined *d;
			struct code_pauses p;

			if (args->p[i].value.kind != VALUE_FUNCTION)
				continue;
			d = &c->fns[args->p[i].value.n];
			p = code_waits(d->t + d->body, d->t + d->end);
			c->forever = !p.waits && !p.reads;
			c->hammers = !p.waits;
			c->fills = !p.ends && !p.reads;
			(void)code_call_defined(c, &args->p[i].value, NULL, 0);
		}
		c->forever = was;
		c->hammers = hammers;
		c->fills = fills;
	}
	return v;
}
