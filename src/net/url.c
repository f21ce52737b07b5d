#include "net/url.h"

#include <arpa/inet.h>

#include "net/curl_load.h"

static const char *part(struct arena *a, const struct curl_api *api, CURLU *u, CURLUPart which)
{
	AUTO(free) char *text = curl_url_part(api, u, which);

	return arena_z(a, str_from(text));
}

static const char *lower(struct arena *a, const char *text)
{
	char *copy = arena_z(a, str_from(text));

	for (char *p = copy; *p; p++)
		*p = char_lower(*p);
	return copy;
}

int url_read(struct arena *a, const char *text, struct url *ret_url, struct err *err)
{
	const struct curl_api *api;
	struct url url = { 0 };
	const char *user, *fragment;
	int64_t port = 0;
	CURLU *u;
	int r = curl_load(&api, err);

	if (r < 0)
		return r;
	u = strlen(text) <= URL_MAX && !str_has_blank(str_from(text)) ? api->url() : NULL;
	if (!u || api->url_set(u, CURLUPART_URL, text, 0) != CURLUE_OK) {
		api->url_cleanup(u);
		return err_set(err, E_INVAL, "the address is not a URL");
	}
	url.scheme = lower(a, part(a, api, u, CURLUPART_SCHEME));
	url.host = lower(a, part(a, api, u, CURLUPART_HOST));
	url.path = part(a, api, u, CURLUPART_PATH);
	url.query = part(a, api, u, CURLUPART_QUERY);
	user = part(a, api, u, CURLUPART_USER);
	fragment = part(a, api, u, CURLUPART_FRAGMENT);
	(void)str_to_int(str_from(part(a, api, u, CURLUPART_PORT)), &port);
	api->url_cleanup(u);
	if (strcmp(url.scheme, "http") != 0 && strcmp(url.scheme, "https") != 0)
		return err_set(err, E_INVAL, "only http and https addresses are supported");
	if (*user || *fragment)
		return err_set(err, E_INVAL, "the address has a %s",
			       *user ? "user name" : "fragment");
	url.port = (int)port;
	if (!*url.path)
		url.path = "/";
	bool usual = url.port == (strcmp(url.scheme, "https") == 0 ? 443 : 80);
	url.origin = usual ? arena_printf(a, "%s://%s", url.scheme, url.host).p
			   : arena_printf(a, "%s://%s:%d", url.scheme, url.host, url.port).p;
	*ret_url = url;
	return 0;
}

bool url_is_loopback(const struct url *u)
{
	unsigned char four[4];

	return strcmp(u->host, "localhost") == 0 || strcmp(u->host, "[::1]") == 0 ||
	       (inet_pton(AF_INET, u->host, four) == 1 && four[0] == 127);
}

bool url_is_private(const struct url *u)
{
	return strcmp(u->scheme, "https") == 0 || url_is_loopback(u);
}

const char *url_text(struct arena *a, const struct url *u)
{
	return arena_printf(a, "%s%s%s%s", u->origin,
			    strcmp(u->path, "/") == 0 && !*u->query ? "" : u->path,
			    *u->query ? "?" : "", u->query)
		.p;
}

bool url_is_below(const struct url *inner, const struct url *outer)
{
	size_t n = strlen(outer->path);

	if (strcmp(inner->origin, outer->origin) != 0)
		return false;
	while (n && outer->path[n - 1] == '/')
		n--;
	return strncmp(inner->path, outer->path, n) == 0 &&
	       (!inner->path[n] || inner->path[n] == '/');
}

void url_escape(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (char_is_word(c) || (c && strchr("-.~", c)))
			buf_addc(out, c);
		else
			buf_addf(out, "%%%02X", (unsigned char)c);
	}
}

static struct str unescaped(struct arena *a, struct str text)
{
	char *out = arena_alloc(a, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		int high = text.p[i] == '%' && i + 2 < text.n ? char_hex(text.p[i + 1]) : -1;
		int low = high >= 0 ? char_hex(text.p[i + 2]) : -1;

		out[n++] = low >= 0 ? (char)(high << 4 | low) : text.p[i] == '+' ? ' ' : text.p[i];
		i += low >= 0 ? 2 : 0;
	}
	return (struct str){ out, n };
}

bool url_form_get(struct arena *a, struct str form, const char *name, struct str *ret_value)
{
	struct str pair;

	while (str_split(&form, '&', &pair)) {
		ptrdiff_t at = str_chr(pair, '=', 0);
		size_t end = at < 0 ? pair.n : (size_t)at;

		if (!str_eqz(unescaped(a, str_sub(pair, 0, end)), name))
			continue;
		*ret_value = unescaped(a, str_sub(pair, end + (at >= 0), pair.n));
		return true;
	}
	return false;
}
