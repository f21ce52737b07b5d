#include "base/util.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void auto_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

void *xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		abort();
	return p;
}

/* Small pieces from malloc(), which finds them in the thread's cache; glibc's calloc() does not. */
void *xcalloc(size_t n, size_t size)
{
	enum { CACHED_MAX = 1024 };
	size_t all;
	void *p;

	if (!__builtin_mul_overflow(n, size, &all) && all <= CACHED_MAX)
		return memset(xmalloc(all), 0, all);
	p = calloc(n, size);
	if (!p)
		abort();
	return p;
}

void *xrealloc(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (!p)
		abort();
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t n)
{
	char *p = xmalloc(n + 1);

	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *p = NULL;

	if (vasprintf(&p, fmt, ap) < 0)
		abort();
	return p;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = xvasprintf(fmt, ap);
	va_end(ap);
	return p;
}
