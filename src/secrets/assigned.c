/*
 * Assignments, in whatever language: `DB_PASSWORD=...`, `"apiKey": "..."`, `token := '...'`,
 * `<secret>...</secret>`, `--password ...`, and a name and a value in two members of an object.
 */
#include "base/base64.h"
#include "base/words.h"
#include "secrets/formats.h"

enum {
	NAME_BEFORE = 48, /* of a name before the word that it was found by */
	NAME_AFTER = 64,
	GAP_MAX = 40, /* between name and value */
	OBJECT_MAX = 160, /* to the value in an object of its own */
	VALUE_MAX = 300,
	WORDS_MAX = 12,
};

enum kind { NOTHING, PASSWORD, TOKEN, KEY, PAT };

struct assignment {
	struct str value, scheme;
	size_t at; /* of the value */
	bool quoted, argument /* --name */;
	bool markup; /* <name> */
	bool sql; /* PASSWORD '...' */
	bool line; /* the name is its first word: "requirepass ..." */
	enum kind kind;
};

/* What a name ends with, in small letters without signs. */
static const struct {
	const char *end;
	enum kind kind;
} name_ends[] = {
	{ "password", PASSWORD }, { "passwd", PASSWORD },     { "passphrase", PASSWORD },
	{ "passcode", PASSWORD }, { "pwd", PASSWORD },        { "psk", PASSWORD },
	{ "secret", TOKEN },      { "token", TOKEN },         { "credential", TOKEN },
	{ "auth", TOKEN },        { "authorization", TOKEN }, { "creds", TOKEN },
	{ "credentials", TOKEN }, { "passwords", PASSWORD },  { "tokens", TOKEN },
	{ "secrets", TOKEN },
};

/* Words after which a name is still that of a secret: of an environment, a form, a number. */
static const char trailing[] =
	" prod production dev development staging stage live test testing local main backup "
	"old new value string str text raw plain base64 b64 hex env sandbox global shared "
	"data default current primary secondary previous base ";

/* Names with one of these are of something else. */
static const char other[] =
	" public pub publishable csrf xsrf next prev page continuation cursor idempotency max "
	"min num count total input output completion prompt special eos bos pad unk sep cls "
	"mask stop hash hashed digest fingerprint checksum sha sha1 sha256 md5 integrity id "
	"ids type kind primary foreign partition sort cache object map dict index row hot "
	"host translation i18n query search unique group event arrow keyboard shortcut press "
	"column field site captcha recaptcha safety unlock reset sync etag version policy "
	"pubkey publickey recv ";

/* Is the word in a list of such, each between two blanks? */
static bool is_listed(const char *list, struct str word)
{
	char text[24] = " ";

	if (word.n + 2 > sizeof text)
		return false;
	memcpy(text + 1, word.p, word.n);
	text[word.n + 1] = ' ';
	return memmem(list, strlen(list), text, word.n + 2);
}

struct words {
	struct str p[WORDS_MAX];
	char text[NAME_BEFORE + NAME_AFTER + 8]; /* in small letters */
	size_t n, len;
};

/* "userAPIKey_2" to user, api, key; numbers at the end of a word go. */
static void words_of(struct str name, struct words *w)
{
	size_t n = 0, start = 0;

	w->n = 0;
	for (size_t i = 0; i <= name.n && w->n < WORDS_MAX; i++) {
		char c = i < name.n ? name.p[i] : '_';
		char before = i > 0 ? name.p[i - 1] : '_';
		char after = i + 1 < name.n ? name.p[i + 1] : '_';
		bool sign = !char_is_word(c) || c == '_';

		if (sign ||
		    (char_is_upper(c) && (!char_is_upper(before) || char_is_lower(after)))) {
			size_t end = n;

			while (end > start && char_is_digit(w->text[end - 1]))
				end--;
			if (end > start)
				w->p[w->n++] = (struct str){ w->text + start, end - start };
			start = n;
		}
		if (!sign)
			w->text[n++] = char_lower(c);
	}
	w->len = n;
}

/* Words that end with "key" are mostly others: monkey, hotkey. */
static const char keys[] =
	" key keys apikey apikeys accesskey secretkey privatekey accountkey authkey masterkey "
	"signingkey encryptionkey sharedkey sharedaccesskey storagekey licensekey appkey "
	"clientkey consumerkey servicekey subscriptionkey ";

static enum kind kind_of_word(struct str word)
{
	/* "pass" ends too many words. */
	if (str_eqz(word, "pass") || str_eqz(word, "userpass") || str_eqz(word, "dbpass") ||
	    str_eqz(word, "requirepass") || str_eqz(word, "rootpw"))
		return PASSWORD;
	if (str_eqz(word, "oauth"))
		return TOKEN;
	if (str_eqz(word, "pat"))
		return PAT;
	if (is_listed(keys, word))
		return KEY;
	for (size_t i = 0; i < ARRAY_LEN(name_ends); i++)
		if (str_ends(word, str_from(name_ends[i].end)))
			return name_ends[i].kind;
	return NOTHING;
}

static enum kind kind_of_name(const struct words *w)
{
	size_t last = w->n;
	enum kind kind = NOTHING;

	while (last > 0 && (kind = kind_of_word(w->p[last - 1])) == NOTHING &&
	       is_listed(trailing, w->p[last - 1]))
		last--;
	if (kind == NOTHING)
		return NOTHING;
	for (size_t i = 0; i < w->n; i++)
		if (is_listed(other, w->p[i]) && !(i >= last && is_listed(trailing, w->p[i])))
			return NOTHING;
	/* A key is of something: "key" alone is one of a table. */
	if (kind == KEY && w->p[last - 1].n <= 4 && last < 2)
		return NOTHING;
	return kind;
}

static bool is_name(int c)
{
	return c > 0 && (char_is_word((char)c) || c == '-' || c == '.');
}

static size_t skip(struct look *l, size_t i, const char *set)
{
	size_t n = 0;

	for (int c; n < GAP_MAX && (c = look_at(l, i + n)) > 0 && strchr(set, c);)
		n++;
	return i + n;
}

/* A quote, also a masked one (\"); returns what is behind it, or i. */
static size_t after_quote(struct look *l, size_t i)
{
	size_t k = i;
	int c;

	while (k - i < 3 && look_at(l, k) == '\\')
		k++;
	c = look_at(l, k);
	return c == '"' || c == '\'' || c == '`' ? k + 1 : i;
}

/* "name": "DB_PASSWORD", "value": ...; returns what is behind the colon, or 0. */
static size_t after_value_word(struct look *l, size_t i)
{
	size_t k = skip(l, i, ", \t\r\n");

	k = after_quote(l, k);
	if (!look_has(l, k, "value", true))
		return 0;
	k = after_quote(l, k + 5);
	k = skip(l, k, " \t");
	return look_at(l, k) == ':' || look_at(l, k) == '=' ? k + 1 : 0;
}

/* "db_password": { ..., "value": ...}: returns what is behind the inner colon, or i. */
static size_t in_object(struct look *l, size_t i)
{
	size_t k = i;

	if (look_at(l, i) != '{')
		return i;
	for (int c; k - i < OBJECT_MAX && (c = look_at(l, ++k)) > 0 && c != '}' && c != '{';)
		if (look_has(l, k, "\"value\"", false)) {
			k = skip(l, k + strlen("\"value\""), " \t");
			return look_at(l, k) == ':' ? skip(l, k + 1, " \t") : i;
		}
	return i;
}

/* "password: str = ": a type is between; returns what is behind the "=", or i. */
static size_t after_type(struct look *l, size_t i)
{
	size_t n = 0;

	for (int c; n < GAP_MAX && (c = look_at(l, i + n)) > 0 &&
		    (char_is_word((char)c) || strchr("&<>[]|?., :", c));)
		n++;
	return n > 1 && look_at(l, i + n) == '=' && l->text.p[i + n - 1] == ' '
		       ? skip(l, i + n + 1, " \t")
		       : i;
}

/* for x in ("password", "Tr0ub4dor", "12345"): a list of words, of which this is the first. */
static bool begins_list(struct look *l, size_t quote, size_t comma)
{
	size_t i = quote, words = 1;

	while (i && l->text.p[i - 1] == '\\')
		i--;
	if (i == 0 || !strchr("([", l->text.p[i - 1]))
		return false;
	i--;
	if (l->text.p[i] == '(' && i && char_is_word(l->text.p[i - 1]))
		return false; /* a call */
	for (i = comma; look_at(l, i) == ','; words++) {
		size_t from = after_quote(l, skip(l, i + 1, " \t\n"));
		size_t end = from, n = 0;

		if (from == skip(l, i + 1, " \t\n"))
			return false;
		for (int c; n < VALUE_MAX && (c = look_at(l, end)) > 0 && c != l->text.p[from - 1];
		     n++)
			end++;
		i = skip(l, end + 1, " \t\n");
	}
	return words > 2;
}

static bool begins_line(const struct look *l, size_t i)
{
	for (size_t n = 0;
	     n < GAP_MAX && i > 0 && (l->text.p[i - 1] == ' ' || l->text.p[i - 1] == '\t'); n++)
		i--;
	return i == 0 || l->text.p[i - 1] == '\n';
}

/* A word up to the end of the line; returns its end, or 0. */
static size_t last_word(struct look *l, size_t i)
{
	size_t end = i;

	while (end - i < VALUE_MAX && look_at(l, end) > ' ')
		end++;
	return end > i && look_at(l, end) != ' ' && look_at(l, end) != '\t' ? end : 0;
}

/* From the end of a name to where its value begins, or 0 when nothing is assigned. */
static size_t value_from(struct look *l, size_t from, size_t i, struct assignment *a)
{
	size_t closed = after_quote(l, i), k = skip(l, skip(l, closed, "])"), " \t");
	int c = look_at(l, k);

	if (a->markup && look_at(l, i) == '>')
		return i + 1;
	if (c == '=' || (strchr("?:|+", c > 0 ? c : ' ') && look_at(l, k + 1) == '='))
		return skip(l, skip(l, k, "=:?|+>"), " \t");
	if (c == ':')
		return look_at(l, k + 1) == ':'
			       ? 0
			       : after_type(l, in_object(l, skip(l, k + 1, " \t")));
	if (closed > i || k == i) {
		size_t value = after_value_word(l, closed);

		if (value)
			return skip(l, value, " \t");
	}
	/* os.putenv("TOKEN", "...") */
	if (closed > i && c == ',' &&
	    after_quote(l, skip(l, k + 1, " \t")) > skip(l, k + 1, " \t") &&
	    !begins_list(l, from, k))
		return skip(l, k + 1, " \t");
	/* --token ..., and PASSWORD '...' of SQL */
	a->sql = k > i && c == '\'';
	return k > i && (a->argument || a->sql || (a->line && last_word(l, k))) ? k : 0;
}

/* Reads the value that begins at i; false when it is code, or too long. */
static bool value_read(struct look *l, size_t i, struct assignment *a)
{
	static const char *const schemes[] = { "bearer ", "basic ",  "token ",     "apikey ",
					       "ssws ",   "splunk ", "genie-key ", "sso-key " };
	int c = look_at(l, i), quote = 0;
	size_t k = i, end;

	/* b"...", @"...", ["..."] */
	if (c > 0 && strchr("brfuLR@$([", c) && after_quote(l, i + 1) > i + 1)
		i++;
	k = after_quote(l, i);
	if (k > i)
		quote = (unsigned char)l->text.p[k - 1];
	bool masked = k > i + 1;

	a->quoted = quote != 0;
	/* "Bearer ", "Basic "...: what precedes the value of a header. */
	a->scheme = str_sub(l->text, k, k);
	for (size_t n = 0; !a->scheme.n && n < ARRAY_LEN(schemes); n++)
		if (look_has(l, k, schemes[n], true))
			a->scheme = str_sub(l->text, k, k + strlen(schemes[n]));
	a->at = end = k += a->scheme.n;
	for (; end - k <= VALUE_MAX && (c = look_at(l, end)) > ' '; end++) {
		if (quote ? c == quote : strchr("\"'`<>;,&|)]}", c) != NULL)
			break;
		if (c == '\\' && (masked || !quote))
			break;
		end += c == '\\';
	}
	a->value = str_sub(l->text, k, end);
	c = look_at(l, end);
	return end - k <= VALUE_MAX && c != '(' && c != '[' &&
	       (!quote || c == quote || c == '\\') && (!a->markup || c == '<');
}

/* A reference, public, or told from what it begins with to be no secret. */
static bool is_other_value(struct str v)
{
	static const char *const starts[] = {
		"/",     "./",      "../",    "~/",       "$",     "pk_",        "pk.",
		"ssh-",  "AAAAB3",  "AAAAC3", "sha1",     "sha2",  "sha5",       "SHA2",
		"-----", "arn:",    "op://",  "vault:",   "file:", "env:",       "ref:",
		"ENC[",  "secret:", "data:",  "process.", "os.",   "encrypted:",
	};
	struct look l = { .text = v };

	return TEXT_BEGINS(v, starts) || str_find(v, STR("://"), 0) >= 0 ||
	       str_starts(v, STR("eyJ")) ||
	       shape_end(&l, "%X{8}-%X{4}-%X{4}-%X{4}-%X{12}", 0) == v.n; /* a UUID */
}

/* Is it text in base64, "user:password"?  *ret_yes: and the password is none of an example. */
static bool is_login(struct str v, bool *ret_yes)
{
	char text[256];
	struct str s = { text, base64_decode(v, text, sizeof text) };
	ptrdiff_t colon = str_chr(s, ':', 0);

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~')
			return false;
	if (v.n < 8 || colon < 0)
		return false;
	*ret_yes =
		!secret_stand_in(str_sub(s, 0, (size_t)colon), str_sub(s, (size_t)colon + 1, s.n));
	return true;
}

/* "Y2hhbmdlbWU=": in base64, as a Kubernetes Secret has it, what stands in for a password. */
static bool is_encoded_stand_in(struct str v)
{
	char text[64];
	struct str s = { text, 0 };
	size_t digits = v.n;

	while (digits > 0 && v.p[digits - 1] == '=')
		digits--;
	if (v.n % 4 == 0 && v.n < sizeof text)
		s.n = base64_decode(v, text, sizeof text);
	return s.n >= 3 && s.n == digits * 3 / 4 && secret_stand_in(STR(""), s);
}

/* How many kinds of characters: small letters, capitals, digits, signs that no identifier has. */
static int kinds_in(struct str s)
{
	unsigned seen = 0;

	for (size_t i = 0; i < s.n; i++)
		seen |= char_is_digit(s.p[i])               ? 1
			: char_is_lower(s.p[i])             ? 2
			: char_is_upper(s.p[i])             ? 4
			: strchr("_-./:=+", s.p[i]) == NULL ? 8
							    : 0;
	return __builtin_popcount(seen);
}

/* Is the whole value as the row of the table says, and is the name one of the row's? */
static bool is_keyed(const struct secret_format *f, const struct assignment *a,
		     const struct words *w)
{
	struct look l = { .text = a->value };
	bool named = false;

	for (struct str rest = str_from(f->before), part; str_split(&rest, ' ', &part);)
		if (part.n > 3)
			named |= str_find((struct str){ w->text, w->len }, part, 0) >= 0;
		else
			for (size_t i = 0; i < w->n; i++)
				named |= str_eq(w->p[i], part);
	return named && shape_end(&l, f->after, 0) == a->value.n && secret_varies(f, a->value);
}

/* Without quotes a value in code is an expression: a call, an element, a name. */
static bool is_expression(struct str v)
{
	static const char *const parts[] = { "(", "[", "::", "->" };
	bool digit = false;

	if (TEXT_HAS(v, parts))
		return true;
	for (size_t i = 0; i < v.n; i++)
		digit |= char_is_digit(v.p[i]);
	return !digit && secret_surprise(v) * 10 < v.n * 62;
}

/* Would a person choose it as a password, or a machine make it? */
static bool is_password(const struct assignment *a)
{
	struct str v = a->value;
	unsigned surprise = secret_surprise(v);
	int kinds = kinds_in(v);

	if (v.n < 6 || v.n > 128 || secret_stand_in(STR(""), v))
		return false;
	if (!a->quoted && kinds < 3 && surprise * 10 < v.n * 45)
		return false;
	return surprise >= 30 && kinds >= 2 && (kinds >= 3 || surprise * 10 >= v.n * 44);
}

static bool is_token(const struct assignment *a)
{
	struct str v = a->value;
	unsigned surprise = secret_surprise(v);
	struct look l = { .text = v };

	if (v.n < (a->kind == KEY ? 16 : 12) || kinds_in(v) < 2 || secret_stand_in(STR(""), v))
		return false;
	/* A personal access token, or a pattern. */
	if (a->kind == PAT && shape_end(&l, "%b{20,128}", 0) != v.n)
		return false;
	if (shape_end(&l, "%x{20,128}", 0) == v.n || shape_end(&l, "0x%X{64}", 0) == v.n)
		return true;
	return surprise >= 64 && surprise * 10 >= v.n * 48;
}

static bool judge(const struct assignment *a, const struct words *w, struct secret *ret)
{
	bool login = false;
	size_t equals = 0;

	while (equals < a->value.n && a->value.p[a->value.n - 1 - equals] == '=')
		equals++;
	/* a=b=c */
	if (!a->quoted && str_chr(str_sub(a->value, 0, a->value.n - equals), '=', 0) >= 0)
		return false;
	if (a->value.n < 6 || secret_known(a->value))
		return false;
	if (a->kind == TOKEN && is_login(a->value, &login))
		return login;
	if (!a->quoted && is_expression(a->value))
		return false;
	for (size_t i = 0; i < secret_formats_n; i++)
		if (secret_format_is_keyed(&secret_formats[i]) &&
		    is_keyed(&secret_formats[i], a, w) && !secret_made_up(a->value)) {
			ret->format = &secret_formats[i];
			return true;
		}
	if (is_other_value(a->value) || is_encoded_stand_in(a->value))
		return false;
	return a->kind == PASSWORD ? is_password(a) : is_token(a);
}

/* "Secret Key:" has a blank in its name: where its first word begins, or i. */
static size_t word_before(const struct look *l, size_t i)
{
	static const char words[] = " secret private api account signing encryption client ";
	char text[NAME_BEFORE];
	size_t from = i ? i - 1 : 0, n;

	if (i == 0 || l->text.p[from] != ' ')
		return i;
	while (i - from < sizeof text && from > 0 && char_is_word(l->text.p[from - 1]))
		from--;
	for (n = 0; from + n + 1 < i; n++)
		text[n] = char_lower(l->text.p[from + n]);
	return n && is_listed(words, (struct str){ text, n }) ? from : i;
}

/*
 * The value of a line of a configuration may have any sign in it.  Makes it go on to the end of the
 * line, unless what is there is code or a value of another name; false when nothing is added.
 */
static bool line_end(struct look *l, struct str *value, size_t at)
{
	static const char *const parts[] = {
		"(", "=", "[", "{", "\\", "\"", "'", "`", "&", "<", ">"
	};
	struct str all = str_sub(l->text, at, last_word(l, at));

	while (all.n && strchr(",;", all.p[all.n - 1]))
		all.n--;
	if (all.n <= value->n || TEXT_HAS(all, parts))
		return false;
	*value = all;
	return true;
}

bool read_assigned(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	struct assignment a = { 0 };
	struct words w;
	size_t from = i, to = i, value;

	while (i - from < NAME_BEFORE && from > 0 && is_name((unsigned char)l->text.p[from - 1]))
		from--;
	while (to - i < NAME_AFTER && is_name(look_at(l, to)))
		to++;
	if (to - from == 3)
		from = word_before(l, from);
	if (to - i == NAME_AFTER)
		return false;
	if (from > 0 && l->text.p[from - 1] == ':' && look_at(l, to) == ':')
		return false; /* arn:...:secret:NAME */
	a.argument = look_at(l, from) == '-';
	a.markup = from > 0 && l->text.p[from - 1] == '<';
	a.line = begins_line(l, from);
	/* Most that is called so is given no value: that is seen before the name is read. */
	value = value_from(l, from > 0 ? from - 1 : 0, to, &a);
	if (!value)
		return false;
	words_of(str_sub(l->text, from, to), &w);
	a.kind = kind_of_name(&w);
	if (a.kind == NOTHING || (a.sql && !a.argument && a.kind != PASSWORD) ||
	    !value_read(l, value, &a))
		return false;
	*ret = (struct secret){ f, a.at, a.at + a.value.n };
	if (a.at < l->floor)
		return false;
	if (judge(&a, &w, ret))
		return true;
	if (!a.line || a.quoted || !line_end(l, &a.value, a.at))
		return false;
	ret->end = a.at + a.value.n;
	return judge(&a, &w, ret);
}
