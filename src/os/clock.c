#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/str.h"

static int64_t now_us(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts) != 0)
		BUG();
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t clock_us(void)
{
	return now_us(CLOCK_MONOTONIC);
}

int64_t clock_cpu_us(void)
{
	return now_us(CLOCK_THREAD_CPUTIME_ID);
}

int64_t clock_wall_ms(void)
{
	return now_us(CLOCK_REALTIME) / 1000;
}

/* The last n digits of a number; printf() takes longer than all else of a question to a hook. */
static char *put_digits(char *to, int n, int number, char after)
{
	for (int i = n; i-- > 0; number /= 10)
		to[i] = (char)('0' + number % 10);
	to[n] = after;
	return to + n + 1;
}

void clock_iso_at(int64_t ms, char out[CLOCK_ISO_SIZE])
{
	int64_t rest = ms % 1000 < 0 ? ms % 1000 + 1000 : ms % 1000;
	time_t s = (time_t)(ms / 1000 - (ms % 1000 < 0));
	struct tm tm;

	if (!gmtime_r(&s, &tm)) { /* the year does not fit an int */
		(void)snprintf(out, CLOCK_ISO_SIZE, "1970-01-01T00:00:00.000Z");
		return;
	}
	int year = tm.tm_year + 1900;
	bool plain = year >= 0 && year <= 9999; /* other years: a sign and six digits */
	int width = plain ? 4 : snprintf(NULL, 0, "%06d", abs(year));

	if (!plain)
		*out++ = year < 0 ? '-' : '+';
	out = put_digits(out, width, abs(year), '-');
	out = put_digits(out, 2, tm.tm_mon + 1, '-');
	out = put_digits(out, 2, tm.tm_mday, 'T');
	out = put_digits(out, 2, tm.tm_hour, ':');
	out = put_digits(out, 2, tm.tm_min, ':');
	out = put_digits(out, 2, tm.tm_sec, '.');
	out = put_digits(out, 3, (int)rest, 'Z');
	*out = '\0';
}

/* Of the thread's last second only the milliseconds are written anew. */
void clock_iso(char out[CLOCK_ISO_SIZE])
{
	enum { MS_Z = 4 };
	static _Thread_local char text[CLOCK_ISO_SIZE];
	static _Thread_local int64_t second = INT64_MIN;
	int64_t ms = clock_wall_ms();

	if (ms < 0 || ms / 1000 != second) {
		clock_iso_at(ms, text);
		second = ms / 1000;
	}
	memcpy(out, text, CLOCK_ISO_SIZE);
	(void)put_digits(out + strlen(out) - MS_Z, 3, (int)(ms % 1000), 'Z');
}

int clock_ms_until(int64_t us)
{
	int64_t left = us - clock_us();

	if (us == INT64_MAX)
		return -1;
	return left <= 0 ? 0 : left / 1000 >= INT32_MAX ? INT32_MAX : (int)((left + 999) / 1000);
}

/* The variable's number, where it is one of min to max. */
static int from_environment(const char *name, int64_t min, int64_t max, int fallback)
{
	const char *text = getenv(name);
	int64_t ms;

	if (!text || !str_to_int(str_from(text), &ms) || ms < min || ms > max)
		return fallback;
	return (int)ms;
}

int clock_patience(void)
{
	return from_environment("TROTLINE_RETRY_UNIT_MS", 0, 1000, 1000);
}

int clock_end_wait(void)
{
	enum { END_WAIT_MS = 1500, END_WAIT_MAX_MS = 600000 };

	return from_environment("TROTLINE_END_WAIT_MS", END_WAIT_MS, END_WAIT_MAX_MS, END_WAIT_MS);
}
