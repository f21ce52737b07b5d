#include "ui/keys.h"

#include <stdio.h>

#include "base/utf8.h"

enum { CTRL_C = 3 };
enum { MORE = 0 }; /* a length: unknown until more bytes come */

#define PASTE_BEGIN STR("\033[200~")
#define PASTE_END STR("\033[201~")

static const struct {
	const char *bytes, *name;
} named[] = {
	{ "\r", "enter" },         { "\t", "tab" },           { "\177", "backspace" },
	{ "\b", "backspace" },     { "\033[A", "up" },        { "\033OA", "up" },
	{ "\033[B", "down" },      { "\033OB", "down" },      { "\033[C", "right" },
	{ "\033OC", "right" },     { "\033[D", "left" },      { "\033OD", "left" },
	{ "\033[H", "home" },      { "\033OH", "home" },      { "\033[1~", "home" },
	{ "\033[F", "end" },       { "\033OF", "end" },       { "\033[4~", "end" },
	{ "\033[3~", "delete" },   { "\033[5~", "page-up" },  { "\033[6~", "page-down" },
	{ "\033[Z", "shift-tab" }, { "\033\r", "alt-enter" }, { "\033\n", "alt-enter" },
};

void key_name(const struct key *key, char out[KEYS_NAME_SIZE])
{
	struct str b = key->bytes;

	out[0] = '\0';
	if (key->kind == KEY_ESC)
		snprintf(out, KEYS_NAME_SIZE, "escape");
	for (size_t i = 0; i < ARRAY_LEN(named) && !out[0]; i++)
		if (str_eqz(b, named[i].bytes))
			snprintf(out, KEYS_NAME_SIZE, "%s", named[i].name);
	if (out[0] || key->kind != KEY_TEXT || b.n == 0)
		return;
	if ((unsigned char)b.p[0] >= ' ')
		snprintf(out, KEYS_NAME_SIZE, "%.*s", STR_ARG(b));
	else if (b.p[0] >= 1 && b.p[0] <= 26)
		snprintf(out, KEYS_NAME_SIZE, "ctrl-%c", b.p[0] - 1 + 'a');
}

void keys_done(struct keys *k)
{
	buf_done(&k->in);
	buf_done(&k->paste);
	buf_done(&k->clean);
	*k = (struct keys){ 0 };
}

void keys_add(struct keys *k, struct str bytes, int64_t now_us)
{
	if (k->at > 0) {
		buf_drop(&k->in, k->at);
		k->at = 0;
	}
	buf_adds(&k->in, bytes);
	k->since_us = now_us;
}

size_t keys_waiting(const struct keys *k)
{
	return k->in.n - k->at;
}

static struct str rest(const struct keys *k)
{
	return str_sub(buf_str(&k->in), k->at, k->in.n);
}

/* ---- where a key ends ---- */

static size_t character_length(struct str s)
{
	unsigned char c = (unsigned char)s.p[0];
	size_t want = 1 + (c >= 0xc2) + (c >= 0xe0) + (c >= 0xf0), length;

	if (c >= 0xf5)
		want = 1;
	(void)utf8_decode(s.p, s.n, false, &length);
	if (s.n < want && length == s.n) /* right so far */
		return MORE;
	return length;
}

static size_t escape_length(struct str s)
{
	size_t n;

	if (s.n < 2)
		return MORE;
	switch (s.p[1]) {
	case '[': /* parameters 0x30-0x3f, intermediates 0x20-0x2f, a final byte */
		if (s.n > 2 && s.p[2] == '[') /* the console's F1: \e[[A */
			return s.n > 3 ? 4 : MORE;
		for (n = 2; n < s.n && s.p[n] >= 0x20 && s.p[n] <= 0x3f;)
			n++;
		return n < s.n ? n + 1 : MORE;
	case 'O':
		return s.n > 2 ? 3 : MORE;
	case ']':
	case 'P':
	case '_':
		/* \e] or \eP or \e_ ... up to BEL or \e\ */
		for (size_t i = 2; i < s.n; i++) {
			if (s.p[i] == '\a')
				return i + 1;
			if (s.p[i] == '\033')
				return i + 1 < s.n ? i + 2 : MORE;
		}
		return MORE;
	case '\033':
	case CTRL_C: /* is never a part of something */
		return 1; /* Esc, and then something */
	default:
		n = character_length(str_sub(s, 1, s.n));
		return n == MORE ? MORE : n + 1;
	}
}

static int64_t patience_us(struct str s)
{
	return 1000 * (s.n == 1 && s.p[0] == '\033' ? KEYS_ESC_MS : KEYS_SEQUENCE_MS);
}

int keys_timeout_ms(const struct keys *k, int64_t now_us)
{
	struct str s = rest(k);
	int64_t left = k->since_us - now_us;

	if (k->pasting)
		left += 1000 * KEYS_PASTE_MS;
	else if (s.n > 0)
		left += patience_us(s);
	else
		return -1;
	return left <= 0 ? 0 : (int)((left + 999) / 1000);
}

/* ---- sequences that are other keys ---- */

/* The numbers of \e[1;2;3x, at most three. */
static size_t parameters(struct str s, int out[3])
{
	size_t n = 0;

	for (struct str left = str_sub(s, 2, s.n - 1), part;
	     n < 3 && str_split(&left, ';', &part);) {
		int64_t v = 0;

		(void)str_to_int(part, &v);
		out[n++] = v >= 0 && v <= 0x10ffff ? (int)v : 0;
	}
	return n;
}

static struct str encode_key(struct keys *k, int code, int modifiers)
{
	bool shift = modifiers & 1, alt = modifiers & 2, ctrl = modifiers & 4;
	size_t n = 0;

	if (code == '\t' && shift)
		return STR("\033[Z");
	if (code == '\r' && modifiers)
		return STR("\033\r");
	if (code == '\033')
		return STR("\033");
	if (alt)
		k->made[n++] = '\033';
	if (ctrl && code >= '@' && code < 0x7f)
		k->made[n++] = (char)(code & 0x1f);
	else if (code > 0)
		n += utf8_encode((uint32_t)code, k->made + n);
	return (struct str){ k->made, n };
}

/* The usual sequence of the key; empty when it is not a key. */
static struct str plain_sequence(struct keys *k, struct str s)
{
	int p[3] = { 0 };

	if (s.n < 3 || s.p[1] != '[')
		return s.n > 1 && (s.p[1] == ']' || s.p[1] == 'P' || s.p[1] == '_') ? STR("") : s;
	if (s.p[2] >= '<' && s.p[2] <= '?')
		return STR("");
	switch (s.p[s.n - 1]) {
	case 'R': /* where the cursor is */
	case 'I': /* focus */
	case 'O':
		return STR("");
	case 'u':
		(void)parameters(s, p);
		return encode_key(k, p[0], p[1] > 0 ? p[1] - 1 : 0);
	case '~':
		if (parameters(s, p) == 3 && p[0] == 27)
			return encode_key(k, p[2], p[1] > 0 ? p[1] - 1 : 0);
		return s;
	default:
		return s;
	}
}

/* ---- pastes ---- */

/* Terminals send line ends as CR. */
static void clean_paste(struct keys *k)
{
	struct str s = buf_str(&k->paste);
	size_t from = 0;

	buf_clear(&k->clean);
	for (size_t i = 0; i <= s.n; i++) {
		unsigned char c = i < s.n ? (unsigned char)s.p[i] : 0;

		if (i < s.n && c >= ' ' && c != 0x7f)
			continue;
		if (c == '\t' || (c == '\n' && i < s.n))
			continue;
		(void)utf8_add_clean(&k->clean, str_sub(s, from, i));
		if (c == '\r') {
			buf_addc(&k->clean, '\n');
			i += i + 1 < s.n && s.p[i + 1] == '\n';
		}
		from = i + 1;
	}
	buf_clear(&k->paste);
}

/* Reads what has come of a paste; true when it is complete. */
static bool take_paste(struct keys *k, int64_t now_us)
{
	struct str s = rest(k);
	ptrdiff_t end = str_find(s, PASTE_END, 0);
	/* The beginning of its end must stay until the rest of it has come. */
	size_t n = end >= 0 ? (size_t)end : s.n > PASTE_END.n ? s.n - PASTE_END.n : 0;
	bool lost = end < 0 && now_us - k->since_us >= 1000 * KEYS_PASTE_MS;

	if (lost)
		n = s.n;
	if (k->paste.n + n > KEYS_PASTE_MAX)
		buf_adds(&k->paste, str_sub(s, 0, KEYS_PASTE_MAX - k->paste.n));
	else
		buf_adds(&k->paste, str_sub(s, 0, n));
	k->at += n + (end >= 0 ? PASTE_END.n : 0);
	return end >= 0 || lost;
}

/* ---- one key after the other ---- */

/* Makes a key of the next bytes s; false when they are not one. */
static bool make_key(struct keys *k, struct str s, struct key *ret_key)
{
	if (s.p[0] != '\033') {
		size_t length;
		uint32_t c = utf8_decode(s.p, s.n, false, &length);

		if (c >= 0x80 && c < 0xa0)
			return false;
		*ret_key = (struct key){ KEY_TEXT, c == 0xfffd ? STR("\357\277\275") : s };
		return true;
	}
	if (s.n > 1)
		s = plain_sequence(k, s);
	if (s.n == 0)
		return false;
	enum key_kind kind = s.p[0] != '\033' ? KEY_TEXT : s.n == 1 ? KEY_ESC : KEY_SEQUENCE;

	*ret_key = (struct key){ kind, s };
	return true;
}

bool keys_next(struct keys *k, int64_t now_us, struct key *ret_key)
{
	for (;;) {
		struct str s = rest(k);
		size_t n;

		if (k->pasting) {
			if (!take_paste(k, now_us))
				return false;
			k->pasting = false;
			clean_paste(k);
			*ret_key = (struct key){ KEY_PASTE, buf_str(&k->clean) };
			return true;
		}
		if (s.n == 0)
			return false;
		n = s.p[0] == '\033' ? escape_length(s) : character_length(s);
		if (n == MORE) {
			if (now_us - k->since_us < patience_us(s))
				return false;
			n = s.n;
			if (n > 2 && s.p[0] == '\033') { /* broken off: dropped */
				k->at += n;
				continue;
			}
		}
		k->at += n;
		s = str_sub(s, 0, n);
		if (str_eq(s, PASTE_BEGIN))
			k->pasting = true;
		else if (make_key(k, s, ret_key))
			return true;
	}
}
