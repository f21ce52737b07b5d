/*
 * An owner of a screen for tests: prints what it is told to by lines that begin with a slash, and
 *writes what the screen tells it to the file DRIVER_LOG, an event a line.
 *
 *	/stream N MS	N lines, one every MS milliseconds, and a status line
 *	/spin MS	a status line that changes every 10 ms
 *	/ask		a dialog; /asktext one with a text
 *	/hostile	bytes that were not cleaned
 *	/block		the terminal is someone else's for a moment
 *	/quit /abort /segv /exit
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "base/err.h"
#include "os/clock.h"
#include "ui/clean.h"
#include "ui/dialog.h"
#include "ui/screen.h"
#include "ui/status.h"

static struct driver {
	struct screen *screen;
	FILE *log;
	bool over;
	long left, printed; /* lines to stream */
	int64_t every_us, next_us, spin_until_us, since_us;
	struct dialog dialog;
	bool asking;
	long turns; /* of the loop */
} driver;

static void print_line(struct driver *d, const char *text)
{
	screen_print(d->screen, str_from(text));
}

static void log_event(struct driver *d, const char *what, struct str text)
{
	fprintf(d->log, "%s ", what);
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n' || text.p[i] == '\\')
			fprintf(d->log, "\\%c", text.p[i] == '\n' ? 'n' : '\\');
		else
			fputc(text.p[i], d->log);
	}
	fputc('\n', d->log);
	fflush(d->log);
}

static void draw_dialog(struct driver *d)
{
	AUTO(buf_done) struct buf out = { 0 };

	dialog_render(&d->dialog, screen_columns(d->screen), screen_rows(d->screen) - 1,
		      screen_color(d->screen), &out);
	screen_live(d->screen, buf_str(&out), false);
}

static void on_dialog_key(void *data, const char *key)
{
	struct driver *d = data;

	log_event(d, "dialog", str_from(key));
	dialog_key(&d->dialog, key);
	if (d->dialog.result == DIALOG_OPEN) {
		draw_dialog(d);
		return;
	}
	AUTO(free) char *said =
		xasprintf("answer %d %.*s", d->dialog.result, STR_ARG(buf_str(&d->dialog.text)));

	log_event(d, "answer", str_from(said));
	print_line(d, said);
	d->asking = false;
	screen_grab(d->screen, NULL, NULL);
	screen_live(d->screen, STR(""), false);
}

static void ask(struct driver *d, bool has_text)
{
	static const char *const options[] = { "Allow once", "Allow for this session",
					       "No, suggest changes (esc)", NULL };

	dialog_open(&d->dialog, options);
	d->dialog.title = STR("Apply this change?");
	d->dialog.body = STR("+ a new line\n- an old line\n");
	d->dialog.has_text = has_text;
	d->asking = true;
	screen_grab(d->screen, on_dialog_key, d);
	draw_dialog(d);
}

static void run_command(struct driver *d, const char *text)
{
	long n = 0, ms = 0;

	if (sscanf(text, "/stream %ld %ld", &n, &ms) == 2) {
		d->left = n;
		d->every_us = ms * 1000;
		d->next_us = d->since_us = clock_us();
	} else if (sscanf(text, "/spin %ld", &ms) == 1) {
		d->since_us = clock_us();
		d->spin_until_us = d->since_us + ms * 1000;
	} else if (strcmp(text, "/ask") == 0 || strcmp(text, "/asktext") == 0) {
		ask(d, text[4] != '\0');
	} else if (strcmp(text, "/hostile") == 0) {
		print_line(d, "bad \033]0;title\a \033[2J \302\233 \377 \033[31mred\033[0m\tend\n");
	} else if (strcmp(text, "/block") == 0) {
		screen_suspend(d->screen);
		(void)!write(1, "somebody else\n", 14);
		screen_resume(d->screen);
	} else if (strcmp(text, "/quit") == 0) {
		d->over = true;
	} else if (strcmp(text, "/abort") == 0) {
		abort();
	} else if (strcmp(text, "/segv") == 0) {
		(void)raise(SIGSEGV);
	} else if (strcmp(text, "/exit") == 0) {
		exit(3);
	}
}

static void on_line(void *data, struct str text)
{
	AUTO(free) char *z = xstrndup(text.p, text.n);

	log_event(data, "line", text);
	run_command(data, z);
}

static void on_escape(void *data)
{
	log_event(data, "escape", STR(""));
}

static void on_interrupt(void *data, bool had_text)
{
	log_event(data, "interrupt", had_text ? STR("text") : STR("empty"));
	print_line(data, "Press Ctrl+C again to exit");
}

static void on_eof(void *data)
{
	struct driver *d = data;

	log_event(d, "eof", STR(""));
	d->over = true;
}

static void on_key(void *data, const char *name)
{
	log_event(data, "key", str_from(name));
}

static void on_complete(void *data, struct str line, size_t cursor, struct buf *out)
{
	static const char *const words[] = { "/abort\tEnd with a signal",
					     "/ask\tAsk something",
					     "/block\tHand the terminal over",
					     "/quit\tLeave the program",
					     "@src/\tfolder",
					     "@src/main.c\tfile",
					     "@README.md\tfile",
					     "@日本語.txt\tfile" };
	size_t from = cursor;

	(void)data;
	while (from > 0 && line.p[from - 1] != ' ')
		from--;
	struct str word = str_sub(line, from, cursor);

	for (size_t i = 0; i < ARRAY_LEN(words) && word.n > 0; i++)
		if (str_starts(str_from(words[i]), word))
			buf_addf(out, "%s\n", words[i]);
}

/* What goes on by itself; when the next of it is due, in milliseconds. */
static int go_on(struct driver *d)
{
	int64_t now = clock_us();
	bool busy = d->left > 0 || now < d->spin_until_us;
	AUTO(buf_done) struct buf status = { 0 };
	char text[100];

	if (!busy && d->since_us && !d->asking) {
		d->since_us = 0;
		screen_live(d->screen, STR(""), false);
		log_event(d, "done", STR(""));
	}
	if (!busy)
		return -1;
	while (d->left > 0 && now >= d->next_us) {
		snprintf(text, sizeof text, "streamed line %ld 日本語 %ld\n", d->printed, d->left);
		print_line(d, text);
		d->printed++;
		d->left--;
		d->next_us += d->every_us;
	}
	snprintf(text, sizeof text, "waiting for the model %ld", d->turns);
	struct status st = { .what = d->left > 0 ? "waiting for the model" : text,
			     .since_us = d->since_us,
			     .tokens = 1234 + d->printed,
			     .model = "tiny",
			     .mode = "yolo" };

	status_render(&st, now, screen_columns(d->screen), screen_color(d->screen), &status);
	if (!d->asking)
		screen_live(d->screen, buf_str(&status), false);
	return 10;
}

static int shorter(int a, int b)
{
	return a < 0 ? b : b < 0 || a < b ? a : b;
}

int main(void)
{
	struct driver *d = &driver;
	struct err err;
	const char *log = getenv("DRIVER_LOG");

	d->log = fopen(log ? log : "/dev/null", "a");
	if (getenv("DRIVER_NOHUP"))
		(void)sigaction(SIGHUP, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	AUTO(free) char *history =
		getenv("DRIVER_HISTORY") ? xstrdup(getenv("DRIVER_HISTORY")) : NULL;

	d->screen = screen_new(
		&(struct screen_options){
			.prompt = "> ",
			.placeholder = " Type your message or @path/to/file",
			.history_path = history,
			.handler = { d, on_line, on_escape, on_interrupt, on_eof, on_key,
				     on_complete },
		},
		&err);
	if (history)
		memset(history, 'x', strlen(history)); /* it was copied */
	if (!d->screen || !d->log) {
		fprintf(stderr, "%s\n", d->screen ? "log" : err.text);
		return 2;
	}
	while (!d->over) {
		int timeout = go_on(d);
		struct pollfd fds[] = { { .fd = screen_fd(d->screen), .events = POLLIN },
					{ .fd = screen_signal_fd(d->screen), .events = POLLIN } };

		(void)poll(fds, 2, shorter(timeout, screen_timeout_ms(d->screen)));
		d->turns++;
		if (screen_input(d->screen) < 0) {
			log_event(d, "gone", STR(""));
			break;
		}
	}
	screen_free(d->screen);
	dialog_done(&d->dialog);
	fprintf(d->log, "turns %ld\n", d->turns);
	fclose(d->log);
	return 0;
}
