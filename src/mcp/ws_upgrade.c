#include "mcp/ws_upgrade.h"

#include <sha1.h>

#include <sys/random.h>

#include "base/base64.h"
#include "base/words.h"
#include "net/http.h"

/* The subprotocol of MCP. */
#define PROTOCOL "mcp"

/* What proves to the client that the server knows this protocol; the number is the RFC's. */
#define ACCEPT_SALT "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

bool ws_upgrade_make_key(struct ws_upgrade *u)
{
	AUTO(buf_done) struct buf text = { 0 };
	uint8_t random[16];

	if (getrandom(random, sizeof random, 0) != sizeof random)
		return false;
	base64_add(&text, (struct str){ (const char *)random, sizeof random });
	memcpy(u->key, buf_z(&text), WS_KEY_SIZE);
	return true;
}

/* ---- the request ---- */

void ws_upgrade_add_request(const struct ws_upgrade *u, struct buf *out)
{
	/* The connection's own, which settings cannot change without breaking it. */
	static const char ours[] =
		"Connection|Upgrade|Sec-WebSocket-Key|Sec-WebSocket-Version|Sec-WebSocket-Protocol|"
		"Sec-WebSocket-Extensions|Content-Length|Transfer-Encoding";

	buf_addf(out, "GET %s HTTP/1.1\r\n", u->target);
	if (!http_has_header(u->headers, "Host"))
		buf_addf(out, "Host: %s\r\n", u->host);
	if (!http_has_header(u->headers, "User-Agent"))
		buf_addz(out, "User-Agent: trotline/" TL_VERSION "\r\n");
	buf_addf(out,
		 "Connection: Upgrade\r\n"
		 "Upgrade: websocket\r\n"
		 "Sec-WebSocket-Key: %s\r\n"
		 "Sec-WebSocket-Version: 13\r\n"
		 "Sec-WebSocket-Protocol: " PROTOCOL "\r\n",
		 u->key);
	for (const char *const *h = u->headers; *h; h++)
		if (!word_is_one_icase((struct str){ *h, strcspn(*h, ":") }, ours))
			buf_addf(out, "%s\r\n", *h);
	buf_addz(out, "\r\n");
}

/* ---- the answer ---- */

struct answer_head {
	int status;
	struct str upgrade, accept, protocol; /* .p NULL = not there */
	bool connection, extensions, twice;
};

static void note_once(struct answer_head *a, struct str *field, struct str value)
{
	a->twice = a->twice || field->p;
	*field = value;
}

/* "HTTP/1.1 101 whatever" */
static bool take_status(struct answer_head *a, struct str line)
{
	const struct str version = STR("HTTP/1.");
	enum { AT = 9, DIGITS = 3 };

	if (!str_starts(line, version) || line.n < AT + DIGITS ||
	    !char_is_digit(line.p[version.n]) || line.p[AT - 1] != ' ')
		return false;
	for (int i = 0; i < DIGITS; i++) {
		if (!char_is_digit(line.p[AT + i]))
			return false;
		a->status = a->status * 10 + (line.p[AT + i] - '0');
	}
	return line.n == AT + DIGITS || line.p[AT + DIGITS] == ' ';
}

static bool take_head(struct answer_head *a, struct str head)
{
	struct str rest = head, line, part;

	if (!str_split(&rest, '\n', &line) || !take_status(a, str_trim(line)))
		return false;
	while (str_split(&rest, '\n', &line)) {
		ptrdiff_t colon = str_chr(line, ':', 0);

		if (colon > 0) {
			struct str name = str_sub(line, 0, (size_t)colon);
			struct str value = str_trim(str_sub(line, (size_t)colon + 1, line.n));

			if (str_eqz_icase(name, "Connection"))
				while (!a->connection && str_split(&value, ',', &part))
					a->connection = str_eqz_icase(str_trim(part), "upgrade");
			else if (str_eqz_icase(name, "Upgrade"))
				note_once(a, &a->upgrade, value);
			else if (str_eqz_icase(name, "Sec-WebSocket-Accept"))
				note_once(a, &a->accept, value);
			else if (str_eqz_icase(name, "Sec-WebSocket-Protocol"))
				note_once(a, &a->protocol, value);
			else if (str_eqz_icase(name, "Sec-WebSocket-Extensions"))
				a->extensions = true;
		}
	}
	return true;
}

static const char *complaint(const struct answer_head *a, struct str accept)
{
	if (!a->connection || !a->upgrade.p || !str_eqz_icase(a->upgrade, "websocket"))
		return "the server has not changed to WebSocket";
	if (a->twice || !a->accept.p || !str_eq(a->accept, accept))
		return "the server has not understood the WebSocket handshake "
		       "(Sec-WebSocket-Accept is wrong)";
	if (a->extensions)
		return "the server uses an extension of WebSocket that was not offered";
	if (a->protocol.p && !str_eqz(a->protocol, PROTOCOL))
		return "the server speaks another protocol than " PROTOCOL " on its WebSocket";
	return NULL;
}

int ws_upgrade_read(const struct ws_upgrade *u, struct str bytes, int *ret_status, struct err *err)
{
	const struct str seen = str_sub(bytes, 0, WS_ANSWER_MAX);
	ptrdiff_t end = str_find(seen, STR("\r\n\r\n"), 0);
	AUTO(buf_done) struct buf accept = { 0 };
	struct answer_head a = { 0 };
	const char *why;
	uint8_t digest[SHA1_DIGEST_LENGTH];
	SHA1_CTX sha1;

	*ret_status = 0;
	if (!str_starts(seen, str_sub(STR("HTTP/"), 0, seen.n)))
		return err_set(err, E_PARSE, "the server does not answer with HTTP");
	if (end < 0 && seen.n == WS_ANSWER_MAX)
		return err_set(err, E_LIMIT, "the head of the server's answer is over 16 KiB");
	if (end < 0)
		return 0;
	if (!take_head(&a, str_sub(seen, 0, (size_t)end)))
		return err_set(err, E_PARSE, "the server does not answer with HTTP");
	*ret_status = a.status;
	if (a.status != 101)
		return err_set(err, E_IO, "the server answered %d%s", a.status,
			       a.status / 100 == 3 ? " (redirects are not followed)" : "");
	SHA1Init(&sha1);
	SHA1Update(&sha1, (const uint8_t *)u->key, strlen(u->key));
	SHA1Update(&sha1, (const uint8_t *)ACCEPT_SALT, sizeof ACCEPT_SALT - 1);
	SHA1Final(digest, &sha1);
	base64_add(&accept, (struct str){ (const char *)digest, sizeof digest });
	why = complaint(&a, buf_str(&accept));
	return why ? err_set(err, E_PARSE, "%s", why) : (int)end + 4;
}
