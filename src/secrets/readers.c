/* Formats that are more than a shape: keys in PEM, web tokens, addresses, headers. */
#include "base/base64.h"
#include "base/json.h"
#include "secrets/formats.h"

enum {
	PEM_MAX = 64 << 10,
	PEM_RUN = 40, /* a line of a key has no fewer digits */
	JWT_DOUBT = 27,
	JWT_HEADER_MAX = 2048,
	JWT_PAYLOAD_MAX = 16 << 10,
	JWT_SIGNATURE_MAX = 2048,
	JWK_MAX = 2048,
	ADDRESS_MAX = 512, /* of user and password */
	BLANKS_MAX = 16,
	COMMAND_MAX = 200, /* from a program to its option */
};

static size_t blanks(struct look *l, size_t i, bool lines)
{
	size_t n = 0;

	while (n < BLANKS_MAX &&
	       (look_at(l, i + n) == ' ' || look_at(l, i + n) == '\t' ||
		(lines && (look_at(l, i + n) == '\n' || look_at(l, i + n) == '\r'))))
		n++;
	return i + n;
}

/*
 * The text of a key from i on: lines of base64 and headers, with whatever a file, a string or a
 * diff puts between them.  Returns its end; *ret_run is its longest run of digits.
 */
static size_t pem_body(struct look *l, size_t i, struct str *ret_run)
{
	size_t start = i, last = i, run = i;

	*ret_run = STR("");
	for (int c; i - start < PEM_MAX && (c = look_at(l, i)) >= 0; i++) {
		/* The letter of "\n" is none of it. */
		if (strchr("nrt", c) && look_at(l, i - 1) == '\\') {
			run = i + 1;
			continue;
		}
		if (shape_has('s', c)) {
			if (i - run >= ret_run->n)
				*ret_run = str_sub(l->text, run, i + 1);
			last = i + 1;
			continue;
		}
		run = i + 1;
		if (look_has(l, i, "-----", false))
			break;
		if (!strchr(" \t\r\n\\\"',:=>#|*-;.()@<_", c))
			break;
	}
	return last;
}

/* Behind the line that ends a key and begins from i to `to`; else `to`, or where the text ends. */
static size_t pem_end(struct look *l, size_t i, size_t to)
{
	size_t k;

	while (i < to && look_at(l, i) >= 0 && !look_has(l, i, "-----END ", false))
		i++;
	if (i >= to || look_at(l, i) < 0)
		return i;
	for (k = i + 9; k - i < 80 && (look_at(l, k) == ' ' || shape_has('u', look_at(l, k)));)
		k++;
	return look_has(l, k, "-----", false) ? k + 5 : k;
}

/* A key in PEM; i is before "BEGIN" and the last two of the dashes. */
bool read_private_key(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	bool doubt = l->flags & SECRETS_DOUBT, private = false;
	size_t at = i, k = i + 8, end, dashes;
	struct str run;

	while (i - at < 3 && at > l->floor && l->text.p[at - 1] == '-')
		at--;
	if (i - at < 3)
		return false;
	for (int c; k - i < 64 && (c = look_at(l, k)) >= 0 && (c == ' ' || shape_has('u', c)); k++)
	private |= look_has(l, k, "PRIVATE KEY", false);
	if (!look_has(l, k, "-----", false) || (!private && !doubt))
		return false;
	k += 5;
	end = pem_body(l, k, &run);
	*ret = (struct secret){ f, at, end };
	if (doubt) {
		ret->end = pem_end(l, k, l->text.n);
		return true;
	}
	dashes = end;
	while (dashes - end < 16 && look_at(l, dashes) >= 0 && look_at(l, dashes) != '-')
		dashes++;
	if (look_has(l, dashes, "-----END ", false))
		ret->end = pem_end(l, dashes, dashes + 1);
	return run.n >= PEM_RUN && !secret_made_up(run) && secret_varies(f, run);
}

/* PuTTY's form: a number of lines, and these. */
bool read_putty_key(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	size_t at = i + strlen("Private-Lines: "), end;
	struct str run;

	while (at - i < 20 && shape_has('d', look_at(l, at)))
		at++;
	end = pem_body(l, at, &run);
	*ret = (struct secret){ f, at, end };
	return at >= l->floor && run.n >= PEM_RUN && !secret_made_up(run) && secret_varies(f, run);
}

/* The same, in base64 as kubeconfig files have it. */
bool read_base64_key(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	char start[64];
	size_t end = i, n;

	if (i < l->floor || (i > 0 && shape_has('s', (unsigned char)l->text.p[i - 1])))
		return false;
	while (end - i < PEM_MAX && shape_has('s', look_at(l, end)))
		end++;
	n = base64_decode(str_sub(l->text, i, end), start, sizeof start);
	while (end - i < PEM_MAX && look_at(l, end) == '=')
		end++;
	*ret = (struct secret){ f, i, end };
	return end - i > 100 && str_find((struct str){ start, n }, STR("PRIVATE KEY"), 0) > 0;
}

static size_t base64url_end(struct look *l, size_t i, size_t max)
{
	size_t n = 0;

	while (n < max && shape_has('b', look_at(l, i + n)))
		n++;
	return i + n;
}

static bool is_jwt_header(struct str s)
{
	AUTO(arena_done) struct arena a = { 0 };
	char text[JWT_HEADER_MAX];
	const struct json *v;

	return json_parse(&a, (struct str){ text, base64_decode(s, text, sizeof text) }, 0, &v,
			  NULL) == 0 &&
	       json_is(json_getz(v, "alg"), J_STR);
}

bool read_jwt(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	size_t header, payload, end, n = 0;
	bool encrypted;

	if (i < l->floor || !look_begins_word(l, i))
		return false;
	header = base64url_end(l, i, JWT_HEADER_MAX);
	if (l->flags & SECRETS_DOUBT) {
		for (end = header; shape_has('t', look_at(l, end));)
			end++;
		*ret = (struct secret){ f, i, end };
		return end - i >= JWT_DOUBT;
	}
	if (header - i < 16 || look_at(l, header) != '.')
		return false;
	payload = base64url_end(l, header + 1, JWT_PAYLOAD_MAX);
	/* Of an encrypted one the key may be missing: "header..iv.text.tag". */
	encrypted = payload == header + 1;
	if (look_at(l, payload) != '.' || (!encrypted && payload - header < 8))
		return false;
	end = base64url_end(l, payload + 1, JWT_SIGNATURE_MAX);
	for (; n < 2 && look_at(l, end) == '.' && shape_has('b', look_at(l, end + 1)); n++)
		end = base64url_end(l, end + 1, JWT_PAYLOAD_MAX);
	*ret = (struct secret){ f, i, end };
	if (end - payload < 16 || !is_jwt_header(str_sub(l->text, i, header)))
		return false;
	/* A signature in words is a test's. */
	if (!encrypted && n == 0 && secret_made_up(str_sub(l->text, payload + 1, end)))
		return false;
	/* The one that jwt.io shows. */
	return str_find(str_sub(l->text, i, end), STR("SflKxwRJSMeKKF2QT4fw"), 0) < 0;
}

/* The private part of a JSON Web Key: "d", of symmetric ones "k". */
bool read_jwk(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	for (size_t k = i + 5; k - i < JWK_MAX && look_at(l, k) != '}'; k++) {
		size_t at, end;

		if (look_at(l, k) < 0)
			return false;
		if (!look_has(l, k, "\"d\"", false) && !look_has(l, k, "\"k\"", false))
			continue;
		at = blanks(l, k + 3, true);
		if (look_at(l, at) != ':')
			continue;
		at = blanks(l, at + 1, true);
		if (look_at(l, at) != '"')
			continue;
		end = base64url_end(l, at + 1, JWT_SIGNATURE_MAX);
		*ret = (struct secret){ f, at + 1, end };
		return at + 1 >= l->floor && look_at(l, end) == '"' && end - at > 40 &&
		       !secret_made_up(str_sub(l->text, at + 1, end));
	}
	return false;
}

/* Hosts of examples and of the own machine: there a password must look like one. */
static bool is_example_host(struct look *l, size_t i)
{
	static const char *const hosts[] = { "localhost", "127.0.0.1", "example.", "host",
					     "hostname",  "0.0.0.0",   "[::1]",    "server" };
	size_t n = 0;

	while (n < 64 && (shape_has('t', look_at(l, i + n)) || look_at(l, i + n) == '[' ||
			  look_at(l, i + n) == ':'))
		n++;
	struct str host = str_sub(l->text, i, i + n);

	for (size_t k = 0; k < ARRAY_LEN(hosts); k++) {
		struct str h = str_from(hosts[k]);

		if (str_starts(host, h) && (host.n == h.n || host.p[h.n] == ':' || k == 2))
			return true;
	}
	return str_find(host, STR(".example"), 0) > 0 || str_find(host, STR("example.com"), 0) >= 0;
}

/* "://user:password@host" */
bool read_address(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	size_t at = i + 3, end = at, colon = 0;
	struct str user, password;
	bool weak;

	for (int c;
	     end - at < ADDRESS_MAX && (c = look_at(l, end)) > ' ' && !strchr("/?#\"'`<>@\\|[]", c);
	     end++)
		if (c == ':' && !colon)
			colon = end;
	if (look_at(l, end) != '@' || at < l->floor || end == at)
		return false;
	if (colon && (l->flags & SECRETS_DOUBT)) {
		*ret = (struct secret){ f, at, end };
		return true;
	}
	user = str_sub(l->text, at, colon ? colon : end);
	password = colon ? str_sub(l->text, colon + 1, end) : STR("");
	/* "https://TOKEN@host" and "https://TOKEN:x-oauth-basic@host" */
	if (!colon || !password.n || str_eqz(password, "x-oauth-basic") || str_eqz(password, "x")) {
		*ret = (struct secret){ f, at, at + user.n };
		return !secret_known(user) && user.n >= 20 && !secret_stand_in(STR(""), user) &&
		       check_random(user);
	}
	*ret = (struct secret){ f, colon + 1, end };
	if (secret_known(password) || secret_stand_in(user, password))
		return false;
	weak = secret_surprise(password) < 30 || !check_random(password);
	return !weak || (password.n >= 6 && !is_example_host(l, end + 1));
}

static size_t word_end(struct look *l, size_t i, size_t max)
{
	size_t n = 0;

	while (n < max && look_at(l, i + n) > ' ' && !strchr("\"'`\\", look_at(l, i + n)))
		n++;
	return i + n;
}

/* "Authorization: Bearer ...", wherever the scheme is. */
bool read_bearer(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	size_t at = blanks(l, i + 7, false), end = at;
	struct str s;

	if (!look_begins_word(l, i) || at < l->floor)
		return false;
	while (end - at < ADDRESS_MAX && (shape_has('c', look_at(l, end)) ||
					  look_at(l, end) == '.' || look_at(l, end) == '~'))
		end++;
	while (end > at && l->text.p[end - 1] == '.')
		end--;
	s = str_sub(l->text, at, end);
	*ret = (struct secret){ f, at, end };
	return s.n >= 16 && !secret_known(s) && !str_starts(s, STR("eyJ")) && !secret_made_up(s) &&
	       check_random(s) && secret_surprise(s) >= 70;
}

/* "machine host login me password word", over lines, too. */
bool read_netrc(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	struct str host, login = STR("");
	size_t k = blanks(l, i + 8, true), end = word_end(l, k, 256);

	if (!look_begins_word(l, i))
		return false;
	host = str_sub(l->text, k, end);
	k = blanks(l, end, true);
	for (int n = 0; n < 2; n++) {
		bool is_login = look_has(l, k, "login ", false);

		if (!is_login && !look_has(l, k, "account ", false))
			break;
		k = blanks(l, k + (is_login ? 6 : 8), true);
		end = word_end(l, k, 256);
		if (is_login)
			login = str_sub(l->text, k, end);
		k = blanks(l, end, true);
	}
	if (!host.n || !look_has(l, k, "password ", false))
		return false;
	k = blanks(l, k + 9, true);
	end = word_end(l, k, 256);
	*ret = (struct secret){ f, k, end };
	return k >= l->floor && end - k >= 6 && !secret_known(str_sub(l->text, k, end)) &&
	       !secret_stand_in(login, str_sub(l->text, k, end));
}

/* "curl -u user:password" */
bool read_user(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	size_t at = blanks(l, i + strlen(look_has(l, i, "-u ", false) ? "-u " : "--user "), false);
	size_t line = i, end, colon;
	struct str s, password;
	int quote = look_at(l, at);

	while (i - line < 120 && line > 0 && l->text.p[line - 1] != '\n')
		line--;
	s = str_sub(l->text, line, i);
	if (str_find(s, STR("curl"), 0) < 0 && str_find(s, STR("wget"), 0) < 0)
		return false;
	at += quote == '"' || quote == '\'';
	for (end = at;
	     end - at < 256 && look_at(l, end) > ' ' && !strchr("\"'`\\", look_at(l, end));)
		end++;
	s = str_sub(l->text, at, end);
	if (str_chr(s, ':', 0) < 1)
		return false;
	colon = (size_t)str_chr(s, ':', 0);
	password = str_sub(s, colon + 1, s.n);
	*ret = (struct secret){ f, at + colon + 1, end };
	/* "sk_live_...:" has its key first. */
	return at >= l->floor && password.n >= 6 && !secret_known(password) &&
	       !secret_stand_in(str_sub(s, 0, colon), password) && secret_surprise(password) >= 30;
}

/* A password without a name: after an option, or in a column. */
static bool is_bare_password(struct str s)
{
	return s.n >= 6 && !secret_known(s) && !secret_stand_in(STR(""), s) &&
	       secret_surprise(s) >= 30;
}

/* "mysql -pPASSWORD", "sshpass -p PASSWORD" */
bool read_argument(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	static const struct {
		const char *program, *option;
		bool apart; /* the password may be the next word */
	} rows[] = {
		{ "mysql", " -p", false },
		{ "mariadb", " -p", false },
		{ "sshpass", " -p", true },
		{ "redis-cli", " -a ", true },
		{ "ldapsearch", " -w", true },
		{ "docker login", " -p", true },
		{ "podman login", " -p", true },
		{ "az login", " -p", true },
		{ "oc login", " -p", true },
		{ "mongosh", " -p", true },
		{ "ConvertTo-SecureString", " ", true },
	};
	size_t row = 0, at = i, end;

	while (row + 1 < ARRAY_LEN(rows) && !look_has(l, i, rows[row].program, false))
		row++;
	if (!look_begins_word(l, i))
		return false;
	for (int c; (c = look_at(l, at)) >= ' ' && !look_has(l, at, rows[row].option, false); at++)
		if (at - i >= COMMAND_MAX || strchr(";|&", c))
			return false;
	if (look_at(l, at) != ' ')
		return false;
	at += strlen(rows[row].option);
	at = rows[row].apart ? blanks(l, at, false) : at;
	at += look_at(l, at) == '\'' || look_at(l, at) == '"';
	end = word_end(l, at, 128);
	*ret = (struct secret){ f, at, end };
	return at >= l->floor && !strchr("-$(", look_at(l, at)) &&
	       is_bare_password(str_sub(l->text, at, end));
}

/* "host:5432:database:user:password"; i is before the port. */
bool read_pgpass(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	size_t at = i + strlen(":5432:"), end;

	for (int n = 0; n < 2; n++, at++)
		for (size_t from = at; look_at(l, at) != ':'; at++)
			if (at - from >= 64 ||
			    !(shape_has('z', look_at(l, at)) || look_at(l, at) == '*'))
				return false;
	end = word_end(l, at, 128);
	*ret = (struct secret){ f, at, end };
	return at >= l->floor && is_bare_password(str_sub(l->text, at, end));
}
