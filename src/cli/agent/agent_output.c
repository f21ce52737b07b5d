#include "cli/agent/agent_output.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "os/fs.h"
#include "ui/width.h"

void output_init(struct output *o, const struct output_options *options)
{
	struct stat one, other;

	*o = (struct output){
		.form = options->form,
		.options = *options,
		.session_id = "",
		.hold = options->form->holds_stderr,
		/* One terminal, one pipe, one file. */
		.together = fstat(fileno(options->out), &one) == 0 &&
			    fstat(fileno(options->err), &other) == 0 && fs_is_same(&one, &other),
	};
	if (pthread_mutex_init(&o->lock, NULL) != 0)
		BUG();
}

/* ---- stderr ---- */

static void to_err(struct output *o, struct str text)
{
	progress_hide(o->options.progress);
	text_write(o->options.err, text);
	(void)fflush(o->options.err);
	progress_show(o->options.progress, !o->mid_line || !o->together);
}

void output_say_str(struct output *o, const char *prefix, struct str text)
{
	AUTO(buf_done) struct buf line = { 0 };

	buf_addz(&line, prefix);
	(void)utf8_add_visible(&line, text, true);
	if (!str_ends(buf_str(&line), STR("\n")))
		buf_addc(&line, '\n');
	(void)pthread_mutex_lock(&o->lock);
	if (o->hold)
		buf_adds(&o->held, buf_str(&line));
	else
		to_err(o, buf_str(&line));
	(void)pthread_mutex_unlock(&o->lock);
}

void output_say(struct output *o, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	output_say_str(o, "", buf_str(&text));
}

void output_warn(struct output *o, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	output_say_str(o, note_prefix(NOTE_WARNING), buf_str(&text));
}

void output_complain(void *data, const char *text)
{
	output_warn(data, "%s", text);
}

void output_note(void *data, enum note_kind kind, const char *text)
{
	output_say_str(data, note_prefix(kind), str_from(text));
}

void output_done(struct output *o)
{
	if (o->form) {
		/* Programs find the error object by its braces: other text has none. */
		for (size_t i = 0; o->failed && i < o->held.n; i++)
			o->held.p[i] = o->held.p[i] == '{'   ? '('
				       : o->held.p[i] == '}' ? ')'
							     : o->held.p[i];
		if (o->held.n)
			to_err(o, buf_str(&o->held));
		buf_clear(&o->held);
		(void)pthread_mutex_destroy(&o->lock);
	}
	for (size_t i = 0; i < o->warnings.n; i++)
		free(o->warnings.p[i]);
	free(o->warnings.p);
	buf_done(&o->clean);
	buf_done(&o->line);
	buf_done(&o->answer);
	buf_done(&o->held);
	buf_done(&o->waiting);
	buf_done(&o->shown);
	*o = (struct output){ 0 };
}

/* ---- stdout ---- */

void output_write(struct output *o, struct str bytes)
{
	FILE *out = o->options.out;

	if (o->closed || o->write_error)
		return;
	progress_hide(o->options.progress);
	if (fwrite(bytes.p, 1, bytes.n, out) != bytes.n || fflush(out) != 0) {
		o->closed = errno == EPIPE;
		o->write_error = o->closed ? 0 : errno;
		/* The rest of the answer would cost money for nothing. */
		if (o->options.halt)
			halt_fire(o->options.halt);
	}
	progress_show(o->options.progress, !o->mid_line || !o->together);
}

void output_write_json(struct output *o)
{
	buf_clear(&o->clean);
	json_visible(&o->clean, buf_str(&o->line));
	output_write(o, buf_str(&o->clean));
}

void output_warning(struct output *o, struct str text)
{
	*VEC_ADD(&o->warnings) = xstrndup(text.p ? text.p : "", text.n);
}

/* ---- the sink ---- */

static void on_text(void *data, struct str piece)
{
	struct output *o = data;

	buf_clear(&o->clean);
	if (o->options.raw)
		(void)utf8_add_clean(&o->clean, piece);
	else
		plain_add(&o->plain, piece, &o->clean);
	if (o->clean.n && o->form->text)
		o->form->text(o, buf_str(&o->clean));
}

static void on_user(void *data, struct str prompt)
{
	struct output *o = data;

	if (o->form->user)
		o->form->user(o, prompt);
}

static void on_turn(void *data)
{
	struct output *o = data;

	/* A sequence that the last answer left open ends with it. */
	o->plain = (struct plain){ 0 };
	if (o->form->turn)
		o->form->turn(o);
}

static void on_verdict(void *data, enum verdict_on_answer verdict)
{
	struct output *o = data;

	if (verdict == ANSWER_BROKE_OFF)
		o->plain = (struct plain){ 0 };
	if (o->form->verdict)
		o->form->verdict(o, verdict);
}

static void on_tool_use(void *data, const char *name, const char *id, const struct json *args)
{
	struct output *o = data;

	if (o->form->tool_use)
		o->form->tool_use(o, name, id, args);
}

/* In every form. */
static void on_tool_result(void *data, const struct tool_report *r)
{
	AUTO(buf_done) struct buf line = { 0 };
	struct output *o = data;

	if (o->form->tool_result)
		o->form->tool_result(o, r);
	if (r->ok)
		return;
	buf_addf(&line, "Error executing tool %s: %.*s", r->name, STR_ARG(r->error));
	output_say_str(o, "", buf_str(&line));
}

/* Of a sub-agent only failures are reported. */
static void on_agent_tool(void *data, const char *agent, const struct tool_report *r,
			  struct str about)
{
	AUTO(buf_done) struct buf line = { 0 };

	(void)about;
	if (r->ok)
		return;
	buf_addf(&line, "Error executing tool %s (agent %s): %.*s", r->name, agent,
		 STR_ARG(r->error));
	output_say_str(data, "", buf_str(&line));
}

static void on_note(void *data, enum note_kind kind, struct str text)
{
	struct output *o = data;

	if (!o->form->note || !o->form->note(o, kind, text))
		output_say_str(o, note_prefix(kind), text);
}

/* On any thread. */
static void on_late(void *data, enum note_kind kind, struct str text)
{
	AUTO(buf_done) struct buf prefix = { 0 };
	struct output *o = data;

	/* The answer's line goes on behind it. */
	buf_addf(&prefix, "%s%s", o->together && o->mid_line ? "\n" : "", note_prefix(kind));
	output_say_str(o, buf_z(&prefix), text);
}

static void on_waiting(void *data, const char *what)
{
	struct output *o = data;

	progress_set(o->options.progress, what);
}

static void on_progress(void *data, const char *what)
{
	const struct output *o = data;

	progress_say(o->options.progress, what);
}

struct agent_sink output_sink(struct output *o)
{
	return (struct agent_sink){
		.data = o,
		.text = on_text,
		.user = on_user,
		.turn = on_turn,
		.verdict = on_verdict,
		.tool_use = on_tool_use,
		.tool_result = on_tool_result,
		.agent_tool = on_agent_tool,
		.note = on_note,
		.late = on_late,
		.waiting = on_waiting,
		.progress = on_progress,
	};
}

void output_session(struct output *o, const char *session_id)
{
	o->session_id = session_id;
}

void output_begin(struct output *o, const char *model)
{
	if (o->form->begin)
		o->form->begin(o, model);
}

void output_end(struct output *o, const struct run_end *end, const struct stats *stats)
{
	progress_set(o->options.progress, NULL);
	o->failed = end->type != NULL;
	o->form->end(o, end, stats);
}
