/* What code sends and fetches. */
#include "effects/code_act.h"

#include "base/words.h"
#include "effects/address.h"

/* What a request says who it is from with belongs to the service that it goes to. */
static const char credentials[] = "Authorization authorization PRIVATE-TOKEN X-Api-Key x-api-key "
				  "X-Auth-Token Api-Key auth cert";

static unsigned host_places(struct str host)
{
	return address_is_local(host) ? PLACE_LOCAL_HOST : 0;
}

/* Client(base_url="https://api.example.com"): its text is that address. */
static bool is_client_of_base(const struct code_value *self)
{
	return self && self->kind == VALUE_TEXT && self->type.n && !str_eqz(self->type, "url") &&
	       str_find(self->text, STR("://"), 0) > 0;
}

struct str act_url_host(const struct act *x, const struct code_value *url)
{
	if (url && url->kind == VALUE_LIST && url->n) {
		const struct code_value *m = value_member(url, STR("url"));

		m = m ? m : value_member(url, STR("hostname"));
		m = m ? m : value_member(url, STR("host"));
		url = m ? m : &url->items[0];
	}
	if (is_client_of_base(x->self) &&
	    !(url && url->kind == VALUE_TEXT && str_find(url->text, STR("://"), 0) > 0))
		url = x->self; /* "/users/1", of a client's base */
	return value_host(url);
}

/*
 * The path of a file with secrets, among what is sent: [file => [$path]]; of one in the folder
 * where it runs only what sends files is sure.
 */
static unsigned named_taints(const struct code *c, const struct code_value *v, bool files,
			     unsigned depth)
{
	unsigned taints = 0;

	for (unsigned i = 0; v->kind == VALUE_LIST && depth && i < v->n; i++)
		taints |= named_taints(c, &v->items[i], files, depth - 1);
	if (v->kind != VALUE_TEXT || !v->text.n)
		return taints;
	taints |= act_written(c, v->text);
	if (v->text.p[0] != '/' && !files)
		return taints;
	if (effect_places(c->e->world, v->text) & PLACE_SECRET)
		taints |= VALUE_SECRET;
	return taints | (act_is_of_home(c, v) ? VALUE_PRIVATE : 0);
}

void act_attack(const struct act *x, struct str host)
{
	if (!host_places(host))
		act_add(x, (struct effect){ .kind = EFFECT_ATTACK, .target = host });
}

enum { REQUESTS_MANY = 1000, CONNECTIONS_MANY = 50 };

/* Again and again, without a pause: a flood, unless it is this machine's own server. */
static void hammer(const struct act *x, struct str host)
{
	unsigned many = x->f->act == ACT_CONNECT ? CONNECTIONS_MANY : REQUESTS_MANY;

	if (x->c->hammers || x->c->times >= many)
		act_attack(x, host);
}

enum { PASSWORDS_FEW = 2 }; /* the old one and the new one, a right and a wrong one */

/* connect(host, password=word), {"password": word}: one after another. */
static bool tries(const struct code_value *v, struct str key, unsigned depth)
{
	static const char names[] = "password passwd passw passwort passphrase pass pwd pw pin otp "
				    "auth credentials login_password pword";

	if (key.n && word_in_text(key, names) &&
	    ((v->flags & VALUE_TRIED) || ((v->flags & VALUE_ITEM) && v->n > PASSWORDS_FEW)))
		return true;
	for (unsigned i = 0; v->kind == VALUE_LIST && depth && i < v->n; i++)
		if (tries(&v->items[i], v->items[i].key, depth - 1))
			return true;
	return false;
}

/* One after another that a list or a file has, to where one logs in. */
static bool logs_in(const struct act *x, const struct code_value *v, unsigned depth)
{
	for (unsigned i = 0; v->kind == VALUE_LIST && depth && i < v->n; i++) {
		const struct code_value *one = &v->items[i];
		bool varies = (one->kind == VALUE_UNKNOWN && !(one->flags & VALUE_KEY)) ||
			      (one->flags & VALUE_ITEM);

		if ((varies && word_in_text(one->key, "password passwd pass pwd pin")) ||
		    logs_in(x, one, depth - 1))
			return true;
	}
	return false;
}

/* client.post("/login"), of a client that a test made of the application: it reaches no machine. */
static bool asks_own_app(const struct act *x)
{
	static const char clients[] =
		"TestClient test_client ASGITransport WSGITransport APIClient "
		"supertest MockMvc createTestClient";
	const struct code_value *url = act_argument(x, x->f->arg);
	struct code *c = x->c;

	if (!url || url->kind != VALUE_TEXT || !str_starts(url->text, STR("/")))
		return false;
	if (c->clients_sought == c->t)
		return c->clients_made;
	c->clients_sought = c->t;
	c->clients_made = code_has_name(c, clients);
	return c->clients_made;
}

static bool tries_logins(const struct act *x)
{
	const struct code_value *url = act_argument(x, x->f->arg);
	bool there = false;

	if (!x->c->loop_level || !url || url->kind != VALUE_TEXT ||
	    (str_find(url->text, STR("log"), 0) < 0 && str_find(url->text, STR("sign"), 0) < 0 &&
	     str_find(url->text, STR("auth"), 0) < 0 && str_find(url->text, STR("sess"), 0) < 0))
		return false;
	for (unsigned i = 0; i < x->args->n; i++)
		there |= logs_in(x, &x->args->p[i].value, 3);
	return there;
}

bool act_tries_passwords(const struct code_args *args)
{
	for (unsigned i = 0; i < args->n; i++)
		if (tries(&args->p[i].value, args->p[i].key, 3))
			return true;
	return false;
}

/* localhost:1025: what tests send to; on its usual port, a server hands mail on. */
static bool is_mail_catcher(struct str host, const struct code_value *self)
{
	return address_is_local(host) && self && self->kind == VALUE_TEXT &&
	       str_find(self->text, STR("25"), 0) > 0 &&
	       (str_find(self->text, STR("1025"), 0) > 0 ||
		str_find(self->text, STR("2525"), 0) > 0 ||
		str_find(self->text, STR("8025"), 0) > 0);
}

/* requests.get(url, verify=False), { rejectUnauthorized: false }, or a setting of before */
static bool is_unverified(const struct act *x)
{
	static const char *const keys[] = { "verify", "verify_ssl", "ssl", "rejectUnauthorized",
					    "tls_verify" };
	bool off = x->c->unverified;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const struct code_value *v = act_keyed(x->args, keys[i]);

		off |= v && v->kind == VALUE_NAME &&
		       (str_eqz(v->type, "False") || str_eqz(v->type, "false"));
	}
	return off;
}

/* A password or token, to whoever answers. */
static void see_unverified(const struct act *x, struct str host)
{
	if ((act_taints(x) & (VALUE_KEY | VALUE_SECRET)) && !host_places(host) && is_unverified(x))
		act_add(x, (struct effect){
				   .kind = EFFECT_SEND, .target = host, .places = PLACE_SECRET });
}

void act_send(const struct act *x, struct str host)
{
	const struct code_value *last = x->args->n > 1 ? &x->args->p[x->args->n - 1].value : NULL;
	bool pair = last && last->kind == VALUE_LIST && last->n == 2 && !last->items[0].key.n;

	if (!host.n) /* sendto(data, (host, port)) */
		host = value_host(pair ? &last->items[0] : NULL);

	struct effect effect = { .kind = EFFECT_SEND, .target = host, .places = host_places(host) };
	unsigned taints = act_taints_but(x, credentials) | x->c->archived;

	for (unsigned i = 0; i < x->args->n; i++)
		taints |= named_taints(x->c, &x->args->p[i].value, x->f->flags & FN_KEYED, 4);
	if ((taints & VALUE_SECRET) || ((taints & VALUE_PRIVATE) && !effect.places))
		effect.places |= PLACE_SECRET;
	act_add(x, effect);
	see_unverified(x, host);
	hammer(x, host);
	if ((act_tries_passwords(x->args) || tries_logins(x)) && !asks_own_app(x))
		act_attack(x, host);
	if (x->f->act == ACT_MAIL && (act_taints(x) & VALUE_TYPED))
		act_attack(x, host);
	if (x->f->act == ACT_MAIL && x->c->loop_level && !is_mail_catcher(host, x->self))
		act_attack(x, (struct str){ 0 });
	/*
	 * What a service's API deletes is gone there; its address, or which things it is about one
	 * after another, may be from what it said.
	 */
	if ((x->f->flags & FN_OTHER) && !host_places(host) && !mocks_hold_host(x->c, host) &&
	    (((!host.n || x->c->loop_level || is_client_of_base(x->self)) &&
	      (act_taints(x) & VALUE_FETCHED)) ||
	     str_starts(host, STR("api.")) || str_starts(host, STR("gitlab."))))
		act_add(x, (struct effect){ .kind = EFFECT_CLOUD, .target = host });
}

struct code_value act_fetch(const struct act *x)
{
	struct str host = act_url_host(x, act_argument(x, x->f->arg));
	const struct code_value *url = act_argument(x, x->f->arg);
	unsigned service = x->self ? x->self->flags & VALUE_CLIENT : 0;
	struct code_value v = value_unknown(VALUE_FETCHED | service);

	if (act_taints_but(x, credentials) &
	    (VALUE_SECRET | (x->f->flags & FN_OTHER ? VALUE_PRIVATE : 0))) {
		act_send(x, host);
		return v;
	}
	if (url && url->kind == VALUE_TEXT && str_starts(url->text, STR("file:")))
		return act_read(x, url);
	act_add(x, (struct effect){
			   .kind = EFFECT_FETCH, .target = host, .places = host_places(host) });
	see_unverified(x, host);
	if (host_places(host))
		v.flags = service;
	hammer(x, host);
	if (act_tries_passwords(x->args))
		act_attack(x, host);
	return v;
}

static bool is_sending(const struct act *x)
{
	static const char *const methods[] = { "POST", "PUT", "PATCH", "DELETE", "post", "put" };
	static const char *const keys[] = { "body", "data", "json", "files" };
	const struct code_value *m = act_keyed(x->args, "method");

	for (unsigned i = 0; i <= x->args->n; i++) {
		const struct code_value *v = i < x->args->n ? &x->args->p[i].value : m;

		if (v && v->kind == VALUE_LIST && v->n) /* HTTP::Request->new("POST", $url) */
			v = &v->items[0];
		for (size_t k = 0; v && v->kind == VALUE_TEXT && k < ARRAY_LEN(methods); k++)
			if (str_eqz(v->text, methods[k]))
				return true;
	}
	for (size_t k = 0; k < ARRAY_LEN(keys); k++)
		if (act_is_true(act_keyed(x->args, keys[k])))
			return true;
	return false;
}

struct code_value act_request(const struct act *x)
{
	struct act y = *x;
	struct code_function f = *x->f;
	struct code_value v;
	const struct code_value *first = act_argument(x, f.arg),
				*method =
					act_keyed(x->args, "method") ?: act_positional(x->args, 0);

	/* request("POST", url) */
	if (first && first->kind == VALUE_TEXT && first->text.n < 8 &&
	    str_find(first->text, STR("://"), 0) < 0 &&
	    act_positional(x->args, (unsigned)f.arg + 1))
		f.arg++;
	y.f = &f;
	if (!is_sending(x))
		return act_fetch(&y);
	if (method && method->kind == VALUE_TEXT &&
	    (str_eqz(method->text, "DELETE") || str_eqz(method->text, "delete")))
		f.flags |= FN_OTHER;
	act_send(&y, act_url_host(x, act_argument(&y, f.arg)));
	v = act_typed(x, value_unknown(VALUE_FETCHED));
	v.text = act_url_host(x, act_argument(&y, f.arg));
	return v;
}

struct code_value act_connect(const struct act *x)
{
	static const char *const hosts[] = { "host", "hostname", "PeerAddr", "PeerHost" };
	const struct code_value *v = act_argument(x, x->f->arg);
	struct code_value s = value_unknown(VALUE_FETCHED); /* what it reads */
	struct str host;

	if (v && v->kind == VALUE_TEXT && (v->flags & VALUE_NUMBER)) /* (port, host) */
		v = act_positional(x->args, (unsigned)x->f->arg + 1);
	if (v && v->kind == VALUE_LIST && v->n) {
		const struct code_value *m = value_member(v, STR("host"));

		v = m ? m : &v->items[0];
	}
	for (size_t i = 0; !v && i < ARRAY_LEN(hosts); i++)
		v = act_keyed(x->args, hosts[i]);
	if (!v && (x->f->flags & FN_OTHER))
		return act_typed(x, value_unknown(0));
	host = value_host(v);
	hammer(x, host);
	if (act_taints(x) & VALUE_TRIED) /* a network is searched */
		act_attack(x, host);
	x->c->connected = true;
	x->c->peer = host;
	act_remote_shell(x);
	if (host_places(host))
		s.flags = VALUE_HERE;
	else if (x->self)
		code_hold(x->c, x->args->of, VALUE_FETCHED);
	s.type = x->f->type ? str_from(x->f->type) : STR("socket");
	s.text = host;
	return s;
}
