#include "cli/agent/progress.h"

#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"
#include "os/clock.h"
#include "os/ticker.h"

/* What is over sooner needs no line. */
enum { TICK_MS = 120, PATIENCE_MS = 300, LINE_SIZE = 256 };

#define ERASE "\r\033[2K"

struct progress {
	FILE *to;
	struct ticker *ticker;
	pthread_mutex_t lock; /* for all below, and for writing */
	char *what; /* NULL = nothing */
	int64_t since_us;
	bool hidden, drawn;
};

void progress_line(char *ret_line, size_t size, const char *what, int64_t elapsed_ms,
		   size_t columns)
{
	static const char frames[] = { '-', '\\', '|', '/' };
	AUTO(buf_done) struct buf clean = { 0 };
	char time[32];
	int64_t s = elapsed_ms / 1000;
	size_t room;

	if (s < 60)
		(void)snprintf(time, sizeof time, "%ds", (int)s);
	else
		(void)snprintf(time, sizeof time, "%lldm %02ds", (long long)(s / 60),
			       (int)(s % 60));
	room = columns > strlen(time) + 5 ? columns - strlen(time) - 5 : 1;
	(void)utf8_add_visible(&clean, str_from(what), false);
	(void)snprintf(ret_line, size, "%c %.*s %s",
		       frames[elapsed_ms / TICK_MS % (int64_t)ARRAY_LEN(frames)],
		       STR_ARG(utf8_prefix(buf_str(&clean), min_size(room, 60))), time);
}

static void erase(struct progress *p)
{
	if (!p->drawn)
		return;
	(void)fputs(ERASE, p->to);
	(void)fflush(p->to);
	p->drawn = false;
}

static void tick(void *data)
{
	struct progress *p = data;
	int64_t ms;
	char line[LINE_SIZE];
	struct winsize size;

	pthread_mutex_lock(&p->lock);
	ms = (clock_us() - p->since_us) / 1000;
	if (p->what && !p->hidden && ms >= PATIENCE_MS) {
		progress_line(line, sizeof line, p->what, ms,
			      ioctl(fileno(p->to), TIOCGWINSZ, &size) == 0 && size.ws_col
				      ? size.ws_col
				      : 80);
		(void)fprintf(p->to, ERASE "%s", line);
		(void)fflush(p->to);
		p->drawn = true;
	}
	pthread_mutex_unlock(&p->lock);
}

struct progress *progress_new(FILE *to)
{
	const char *term = getenv("TERM");
	struct progress *p;

	if (!isatty(fileno(to)) || !term || !*term || strcmp(term, "dumb") == 0)
		return NULL;
	p = xcalloc(1, sizeof *p);
	p->to = to;
	(void)pthread_mutex_init(&p->lock, NULL);
	p->ticker = ticker_new(TICK_MS, tick, p);
	return p;
}

void progress_free(struct progress *p)
{
	if (!p)
		return;
	ticker_free(p->ticker);
	erase(p);
	(void)pthread_mutex_destroy(&p->lock);
	free(p->what);
	free(p);
}

void progress_set(struct progress *p, const char *what)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	erase(p);
	free(p->what);
	p->what = what ? xstrdup(what) : NULL;
	p->since_us = clock_us();
	pthread_mutex_unlock(&p->lock);
}

void progress_say(struct progress *p, const char *what)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	if (p->what) {
		free(p->what);
		p->what = xstrdup(what);
	}
	pthread_mutex_unlock(&p->lock);
}

void progress_hide(struct progress *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	erase(p);
	p->hidden = true;
	pthread_mutex_unlock(&p->lock);
}

void progress_show(struct progress *p, bool at_line_start)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->hidden = !at_line_start;
	pthread_mutex_unlock(&p->lock);
}
