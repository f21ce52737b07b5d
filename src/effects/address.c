#include "effects/address.h"

#include <string.h>

static size_t length_up_to(struct str s, const char *ends)
{
	size_t n = 0;

	while (n < s.n && !strchr(ends, s.p[n]))
		n++;
	return n;
}

static struct str behind_user(struct str s)
{
	size_t i = s.n;

	while (i > 0 && s.p[i - 1] != '@')
		i--;
	return str_sub(s, i, s.n);
}

static struct str without_port(struct str s)
{
	size_t n = length_up_to(s, str_starts(s, STR("[")) ? "]" : ":");

	if (!str_starts(s, STR("[")))
		return str_sub(s, 0, n);
	return n + 1 == s.n || (n + 1 < s.n && s.p[n + 1] == ':') ? str_sub(s, 0, n + 1) : s;
}

struct str address_host(struct str s)
{
	size_t scheme = length_up_to(s, "/?#@:");
	struct str host;

	/* One that a path or a query holds is not the address's own. */
	scheme = str_starts(str_sub(s, scheme, s.n), STR("://")) ? scheme + 3 : 0;
	s = str_sub(s, scheme, s.n);
	s = str_sub(s, 0, length_up_to(s, "/?#"));
	if (str_chr(s, '\\', 0) >= 0)
		return s; /* a slash to browsers, a part of the user to others */
	host = without_port(behind_user(s));
	if (scheme || !address_is_local(host))
		return host;
	/* "host:file@x" of scp, "user:password@host" of curl */
	return behind_user(str_sub(s, 0, length_up_to(s, ":")));
}

bool address_is_local(struct str host)
{
	size_t n = 0;

	while (n < host.n && (host.p[n] == '.' || char_is_digit(host.p[n])))
		n++;
	/* 127.example.com is somebody else's. */
	return (n == host.n && str_starts(host, STR("127."))) || str_eqz(host, "localhost") ||
	       str_eqz(host, "0.0.0.0") || str_eqz(host, "[::1]") || str_eqz(host, "::1") ||
	       str_ends(host, STR(".localhost")) || str_eqz(host, "host.docker.internal");
}
