/* What people see: colours, escapes, places. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"

/* What fits a person's eye; the rest is for --json. */
enum { LINES_MAX = 400, LINE_MAX_CHARS = 4000 };

static bool has_colour(void)
{
	static int known = -1;
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	if (known < 0)
		known = isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
	return known;
}

static void styled(enum style style, const char *text, size_t n)
{
	static const char *const codes[] = {
		[PLAIN] = "",   [BOLD] = "1",    [DIM] = "2",  [RED] = "31",
		[GREEN] = "32", [YELLOW] = "33", [CYAN] = "36"
	};
	bool on = style != PLAIN && has_colour();

	if (on)
		(void)printf("\033[%sm", codes[style]);
	(void)fwrite(text, 1, n, stdout);
	if (on)
		(void)fputs("\033[0m", stdout);
}

void out_f(enum style style, const char *fmt, ...)
{
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	styled(style, text, strlen(text));
}

void out_text(enum style style, const char *text, int indent)
{
	size_t lines = 0;

	for (struct str rest = str_from(text), line; str_split(&rest, '\n', &line); lines++) {
		AUTO(buf_done) struct buf clean = { 0 };

		if (lines == LINES_MAX) {
			(void)printf("%*s... and more; --json has all of it\n", indent, "");
			return;
		}
		/* Tabs stay: they show nothing else than they are. */
		(void)utf8_add_visible(&clean, utf8_prefix(line, LINE_MAX_CHARS), true);
		(void)printf("%*s", indent, "");
		styled(style, buf_z(&clean), clean.n);
		(void)putchar('\n');
	}
}

size_t out_columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
		return size.ws_col;
	return 80;
}

void out_json(struct buf *json)
{
	(void)fwrite(buf_z(json), 1, json->n, stdout);
	(void)putchar('\n');
}

void complain(const char *fmt, ...)
{
	AUTO(buf_done) struct buf clean = { 0 };
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	(void)utf8_add_visible(&clean, str_from(text), true);
	(void)fprintf(stderr, "trotline: %s\n", buf_z(&clean));
}

const char *did_you_mean(struct arena *a, const char *word, const char *const *names, size_t n)
{
	const char *near = str_nearest(str_from(word), names, n);

	return near ? arena_printf(a, "; did you mean \"%s\"?", near).p : "";
}

const char *did_you_mean_key(struct arena *a, const char *word, const struct json *obj)
{
	size_t n = json_is(obj, J_OBJ) ? obj->n : 0;
	const char **names = ARENA_ARRAY(a, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		names[i] = arena_z(a, obj->members[i].key);
	return did_you_mean(a, word, names, n);
}

const char *short_path(const struct tl_hooks *hooks, const char *path, struct arena *a)
{
	struct str p = str_from(path), project = str_from(tl_hooks_project_dir(hooks));
	struct str home = str_from(tl_hooks_home(hooks));

	if (str_starts(p, project) && p.n > project.n && p.p[project.n] == '/')
		return path + project.n + 1;
	if (home.n > 1 && str_starts(p, home) && p.n > home.n && p.p[home.n] == '/')
		return arena_printf(a, "~%s", path + home.n).p;
	return path;
}

const char *short_name(const struct tl_hook *h, struct arena *a)
{
	enum { SHOWN_CHARS = 60 };
	struct str name = str_from(h->name), rest = name, line, shown;

	(void)str_split(&rest, '\n', &line);
	shown = utf8_prefix(line, SHOWN_CHARS);
	return shown.n == name.n ? h->name : arena_printf(a, "%.*s...", STR_ARG(shown)).p;
}

const char *event_configured(const struct tl_hook *h, struct arena *a)
{
	struct str path = str_from(h->path), before = STR("hooks.");
	ptrdiff_t end = str_chr(path, '[', 0);

	if (!str_starts(path, before) || end <= (ptrdiff_t)before.n)
		return h->event;
	return arena_z(a, str_sub(path, before.n, (size_t)end));
}

const char *event_shown(const struct tl_hook *h, struct arena *a)
{
	const char *event = event_configured(h, a);

	return strcmp(event, h->moment) == 0 ? event
					     : arena_printf(a, "%s (%s)", event, h->moment).p;
}
