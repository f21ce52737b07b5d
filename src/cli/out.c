/* What people see: colours, escapes, places. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/interrupt.h"
#include "cli/read_line.h"
#include "os/proc.h"
#include "os/term.h"
#include "ui/width.h"

static bool has_colour(void)
{
	static int known = -1;
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	if (known < 0)
		known = isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
	return known;
}

/*
 * Commands that are not of the workbench say what they say with out_f() and complain(): it goes
 * where this thread's run of one collects it.
 */
static _Thread_local struct wb *running;
/* The run that goes on, of the workbench as well. */
static _Thread_local const struct wb *called;

static void print(struct sheet *p)
{
	if (out_is_json())
		(void)fwrite(buf_z(&p->out), 1, p->out.n, stdout);
	else
		text_write(stdout, buf_str(&p->out));
	buf_clear(&p->out);
}

static void out_end(struct sheet *own)
{
	if (running)
		wb_flush(running);
	else
		print(own);
	buf_done(&own->out);
}

void out_f(enum style style, const char *fmt, ...)
{
	struct sheet p = { .colour = has_colour() };
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	sheet_f(running ? &running->sheet : &p, style, "%s", text);
	out_end(&p);
}

void out_text(enum style style, const char *text, int indent)
{
	struct sheet p = { .colour = has_colour() };

	sheet_text(running ? &running->sheet : &p, style, text, indent);
	out_end(&p);
}

size_t out_columns(void)
{
	return term_columns(STDOUT_FILENO);
}

void out_json(struct buf *json)
{
	struct sheet p = { 0 };

	struct sheet *to = running ? &running->sheet : &p;

	json_visible(&to->out, buf_str(json));
	buf_addc(&to->out, '\n');
	if (running)
		running->printed = true;
	out_end(&p);
}

static void flush(struct wb *wb)
{
	if (wb->text || (wb == running && !wb->wrapped))
		print(&wb->sheet);
	(void)fflush(stdout);
	text_write(stderr, buf_str(&wb->said));
	buf_clear(&wb->said);
}

void complain(const char *fmt, ...)
{
	AUTO(wb_done) struct wb own = cli_wb(false);
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	(void)wb_fail(running ? running : &own, EXIT_USAGE, "%s", text);
	wb_flush(running ? running : &own);
}

void out_note(const char *text)
{
	AUTO(wb_done) struct wb own = cli_wb(false);

	wb_note(running ? running : &own, text);
	wb_flush(running ? running : &own);
}

/* ---- runs of the workbench ---- */

static bool ask(struct wb *wb, const char *question, struct buf *answer)
{
	struct err err;
	int r;

	sheet_prose(&wb->sheet, PLAIN, question);
	flush(wb);
	r = read_line(out_is_json() ? stderr : stdout, false, answer, &err);
	wb->cancelled = interrupt_signal();
	return r > 0;
}

int cli_call(struct wb *wb, const char *path, const struct command *c, int argc, char **argv)
{
	const struct wb *outer_called = called;
	struct wb *outer = running;
	int status;

	running = c->run ? wb : NULL;
	called = wb;
	status = command_call(wb, path, c, argc, argv);
	running = outer;
	called = outer_called;
	return status;
}

bool out_is_json(void)
{
	return called && called->json;
}

const char *const cli_watchdog[] = { OWN_PROGRAM, "--watch-hooks", NULL };

struct wb cli_wb(bool json)
{
	return (struct wb){ .reads_stdin = true,
			    .watchdog = cli_watchdog,
			    .json = json,
			    .text = !json,
			    .sheet = { .colour = has_colour(),
				       .columns = isatty(STDOUT_FILENO) ? out_columns() : 0 },
			    .columns = out_columns(),
			    .listen = interrupt_cancel,
			    .flush = flush,
			    .ask = isatty(STDIN_FILENO) ? ask : NULL };
}

int cli_show(struct wb *wb, int status)
{
	if (wb->json && !wb->printed && wb->failure.p && status != EXIT_OK) {
		const struct json *error = wb_error_value(wb, status);

		/* What was done before it failed is in the value, too. */
		if (json_is(wb->value, J_ARR) && wb->value->n)
			wb->value = json_pack_more(&wb->arena, error, "done:j", wb->value);
		else if (!json_is(wb->value, J_OBJ))
			wb->value = error;
		else if (!json_getz(wb->value, "error"))
			wb->value = json_overlay(&wb->arena, wb->value, error);
	}
	if (wb->wrapped && !wb->value && !wb->printed) {
		struct str text = str_trim(buf_str(&wb->sheet.out));

		wb->value = json_pack(&wb->arena, "status:i message:s", status,
				      arena_str(&wb->arena, text));
	}
	if (wb->json && wb->value) {
		AUTO(buf_done) struct buf out = { 0 };

		(void)json_write(&out, wb->value, JSON_PRETTY);
		out_json(&out);
	} else if (wb->json && !wb->printed) {
		wb->text = true; /* a command whose text is JSON: schema */
	}
	flush(wb);
	return wb->cancelled ? interrupt_status() : status;
}

int load_hooks(const struct load_args *args, bool quiet, struct tl_hooks **ret_hooks)
{
	AUTO(wb_done) struct wb wb = cli_wb(args->json);

	if (running)
		return wb_load(running, args, quiet ? WB_QUIET : 0, ret_hooks);
	return cli_show(&wb, wb_load(&wb, args, quiet ? WB_QUIET : 0, ret_hooks));
}

void json_error(const char *message, int status)
{
	AUTO(wb_done) struct wb wb = { .failure = str_from(message) };
	AUTO(buf_done) struct buf out = { 0 };

	(void)json_write(&out, wb_error_value(&wb, status), JSON_PRETTY);
	out_json(&out);
}
