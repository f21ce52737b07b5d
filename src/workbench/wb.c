#include "workbench/wb.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "agent/catalog/hook_sources.h"
#include "agent/hook_hosts.h"
#include "base/meant.h"
#include "base/utf8.h"
#include "os/fs.h"
#include "settings/home.h"
#include "workbench/show.h"

enum { INPUT_MAX_BYTES = 64 << 20 };
/* What fits a person's eye; the rest is for --json. */
enum { LINES_MAX = 400, LINE_MAX_CHARS = 4000 };

/* ---- text ---- */

static void styled(struct sheet *p, enum style style, struct str text)
{
	static const char *const codes[] = {
		[PLAIN] = "",   [BOLD] = "1",    [DIM] = "2",  [RED] = "31",
		[GREEN] = "32", [YELLOW] = "33", [CYAN] = "36"
	};
	bool on = style != PLAIN && p->colour;

	if (on)
		buf_addf(&p->out, "\033[%sm", codes[style]);
	/* Tabs stay: they show nothing else than they are. */
	(void)utf8_add_visible(&p->out, text, true);
	if (on)
		buf_addz(&p->out, "\033[0m");
}

void sheet_f(struct sheet *p, enum style style, const char *fmt, ...)
{
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	styled(p, style, str_from(text));
}

void sheet_prose(struct sheet *p, enum style style, const char *text)
{
	AUTO(buf_done) struct buf line = { 0 };
	size_t at = 0;

	for (struct str rest = str_from(text), word; str_split(&rest, ' ', &word);) {
		size_t n = utf8_count(word);

		if (at && p->columns && at + 1 + n >= p->columns) {
			buf_addc(&line, '\n');
			at = 0;
		} else if (line.n) {
			buf_addc(&line, ' ');
			at++;
		}
		buf_adds(&line, word);
		at += n;
	}
	styled(p, style, buf_str(&line));
}

/* Up to the last blank that fits; at least one word. */
static struct str next_row(struct str *rest, size_t columns)
{
	size_t end = 0, row;

	while (end < rest->n) {
		ptrdiff_t blank = str_chr(*rest, ' ', end + 1);

		row = blank < 0 ? rest->n : (size_t)blank;
		if (end && utf8_count(str_sub(*rest, 0, row)) > columns)
			break;
		end = row;
	}
	struct str line = str_sub(*rest, 0, end);
	*rest = str_sub(*rest, min_size(end + 1, rest->n), rest->n);
	return line;
}

void sheet_rows(struct sheet *p, enum style style, const char *text, int indent, int hang)
{
	AUTO(buf_done) struct buf out = { 0 };
	size_t columns = p->columns > (size_t)(indent + hang) + 20 ? p->columns - 1 - (size_t)indent
								   : SIZE_MAX;

	for (struct str rest = str_from(text), line; str_split(&rest, '\n', &line);) {
		struct str left = utf8_prefix(line, LINE_MAX_CHARS), row = next_row(&left, columns);

		buf_addf(&out, "%.*s\n", STR_ARG(row));
		while (left.n) {
			row = next_row(&left, columns - (size_t)hang);
			buf_addf(&out, "%*s%.*s\n", hang, "", STR_ARG(row));
		}
	}
	if (out.n)
		out.n--;
	sheet_text(p, style, buf_z(&out), indent);
}

void sheet_text(struct sheet *p, enum style style, const char *text, int indent)
{
	size_t lines = 0;

	for (struct str rest = str_from(text), line; str_split(&rest, '\n', &line); lines++) {
		buf_addf(&p->out, "%*s", indent, "");
		if (lines == LINES_MAX) {
			buf_addz(&p->out, "... and more; --json has all of it\n");
			return;
		}
		styled(p, style, utf8_prefix(line, LINE_MAX_CHARS));
		buf_addc(&p->out, '\n');
	}
}

/* ---- a run ---- */

void wb_done(struct wb *wb)
{
	hook_hosts_free(wb->hosts);
	buf_done(&wb->sheet.out);
	buf_done(&wb->said);
	arena_done(&wb->arena);
}

void wb_note(struct wb *wb, const char *text)
{
	if (wb->flush)
		wb->flush(wb); /* what this is about comes before it */
	(void)utf8_add_visible(&wb->said, str_from(text), true);
	buf_addc(&wb->said, '\n');
}

PRINTF_LIKE(2, 0) static void complain_v(struct wb *wb, const char *fmt, va_list ap)
{
	AUTO(free) char *text = xvasprintf(fmt, ap);
	/* A sentence about a command begins with its name already. */
	bool named = wb->for_model || strncmp(text, "trotline ", strlen("trotline ")) == 0;
	AUTO(free) char *line = xasprintf("%s%s", named ? "" : "trotline: ", text);

	if (!wb->failure.p)
		wb->failure = arena_str(&wb->arena, str_from(text));
	wb_note(wb, line);
}

void wb_complain(struct wb *wb, const char *fmt, ...)
{
	struct str failure = wb->failure;
	va_list ap;

	va_start(ap, fmt);
	complain_v(wb, fmt, ap);
	va_end(ap);
	wb->failure = failure;
}

int wb_fail(struct wb *wb, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain_v(wb, fmt, ap);
	va_end(ap);
	return status;
}

int wb_fail_at(struct wb *wb, int status, const struct wb_place *at, const char *fmt, ...)
{
	va_list ap;
	struct arena *a = &wb->arena;

	/* The first failure is the one that is told. */
	if (!wb->at.code)
		wb->at = (struct wb_place){
			.code = arena_z(a, str_from(at->code)),
			.file = at->file ? arena_z(a, str_from(at->file)) : NULL,
			.line = at->line,
			.column = at->column,
			.hook = at->hook ? arena_z(a, str_from(at->hook)) : NULL,
		};
	va_start(ap, fmt);
	complain_v(wb, fmt, ap);
	va_end(ap);
	return status;
}

static const char *const code_names[] = {
	[E_OK] = "failed",           [E_INVAL] = "invalid",    [E_IO] = "io",
	[E_PARSE] = "syntax",        [E_LIMIT] = "limit",      [E_CONFIG] = "configuration",
	[E_NOTFOUND] = "not-found",  [E_CANCEL] = "cancelled", [E_SPAWN] = "not-started",
	[E_UNTRUSTED] = "untrusted", [E_BUSY] = "busy",        [E_AGAIN] = "not-ready",
};

/* People see the place in front of the sentence, programs next to it. */
static int fail_with(struct wb *wb, int status, int code, const char *text, const char *sentence,
		     struct wb_place at)
{
	bool first = !wb->failure.p;

	at.code = code_names[code > 0 && (size_t)code < ARRAY_LEN(code_names) ? code : E_OK];
	(void)wb_fail_at(wb, status, &at, "%s", text);
	if (first && at.file && *at.file)
		wb->failure = arena_str(&wb->arena, str_from(sentence));
	return status;
}

int wb_fail_err(struct wb *wb, int status, const struct err *err)
{
	return fail_with(
		wb, status, err->code, err->text, err->text + err->sentence,
		(struct wb_place){ .file = err->file, .line = err->line, .column = err->column });
}

int wb_fail_tl(struct wb *wb, int status, const struct tl_err *err)
{
	return fail_with(
		wb, status, err->code, err->text, err->text + err->sentence,
		(struct wb_place){ .file = err->file, .line = err->line, .column = err->column });
}

int wb_fail_home(struct wb *wb)
{
	struct err err;

	(void)home_missing(&err);
	return wb_fail_err(wb, EXIT_USAGE, &err);
}

int wb_fail_word(struct wb *wb, const char *option, const char *names, const char *word)
{
	return wb_fail(wb, EXIT_USAGE, "%s is %s, not \"%s\"%s", option, names, word,
		       meant_among(str_from(word), names).text);
}

int wb_scope(struct wb *wb, const char *word, bool *ret_user)
{
	if (!word)
		return EXIT_OK;
	if (!str_eqz_icase(str_from(word), "user") && !str_eqz_icase(str_from(word), "project") &&
	    !str_eqz_icase(str_from(word), "workspace"))
		return wb_fail_word(wb, "--scope", "project or user", word);
	*ret_user = str_eqz_icase(str_from(word), "user");
	return EXIT_OK;
}

const struct json *wb_error_value(struct wb *wb, int status)
{
	const char *code = wb->at.code                ? wb->at.code
			   : status == EXIT_CONFIG    ? "configuration"
			   : status == EXIT_UNTRUSTED ? "untrusted"
						      : "usage";
	const struct json *e = json_pack(&wb->arena, "status:i code:z message:s ?file:z ?hook:z",
					 status, code, wb->failure, wb->at.file, wb->at.hook);

	if (wb->at.line)
		e = json_pack_more(&wb->arena, e, "line:u column:u", wb->at.line, wb->at.column);
	return json_pack(&wb->arena, "error:j", e);
}

struct tl_cancel *wb_cancel(struct wb *wb)
{
	if (!wb->cancel && wb->listen)
		wb->cancel = wb->listen();
	return wb->cancel;
}

void wb_flush(struct wb *wb)
{
	if (wb->flush)
		wb->flush(wb);
}

const char *wb_path(struct wb *wb, const char *name)
{
	AUTO(free) char *full = NULL;

	if (!wb->cwd)
		return name;
	full = fs_absolute(wb->cwd, name);
	return arena_z(&wb->arena, str_from(full));
}

/* ---- loading ---- */

void wb_diagnostic(struct wb *wb, const struct tl_hooks *hooks, const struct tl_diagnostic *d)
{
	AUTO(buf_done) struct buf line = { 0 };

	add_diagnostic(&line, hooks, d);
	wb_complain(wb, "%s", buf_z(&line));
}

static bool is_no_note(const struct tl_diagnostic *d)
{
	return d->severity != TL_SEVERITY_NOTE;
}

static void complain_line(void *data, const char *line)
{
	wb_complain(data, "%s", line);
}

/* "a,b" as a list. */
static const char *const *extension_names(const char *given, struct arena *a)
{
	struct str rest = str_from(given), word;
	const char **names = ARENA_ARRAY(a, const char *, rest.n + 2);
	size_t n = 0;

	if (!given)
		return NULL;
	while (str_split(&rest, ',', &word))
		if (str_trim(word).n)
			names[n++] = arena_z(a, str_trim(word));
	return names;
}

int wb_load(struct wb *wb, const struct load_args *args, unsigned flags,
	    struct tl_hooks **ret_hooks)
{
	const char *dir = args->dir ? wb_path(wb, args->dir) : wb->cwd;
	struct tl_settings set = TL_SETTINGS_INIT();
	struct tl_err err;
	struct tl_options o =
		TL_OPTIONS_INIT(.cwd = dir,
				.extensions = extension_names(args->extensions, &wb->arena),
				.watchdog = wb->watchdog,
				.flags = (args->trust || wb->trust ? TL_LOAD_TRUST : 0) |
					 (args->no_project || wb->no_project ? TL_LOAD_NO_PROJECT
									     : 0));

	if (args->dir && !fs_is_dir(dir))
		return wb_fail(wb, EXIT_USAGE, "%s: no such directory", args->dir);
	if (wb->hooks && !(flags & WB_FILES) && !args->dir && !args->extensions && !args->trust &&
	    !args->no_project) {
		*ret_hooks = tl_hooks_ref(wb->hooks);
		return EXIT_OK;
	}
	wb_give_handlers(wb, &o);
	wb->load_flags = o.flags;
	if (hooks_load_with_catalog(&o, ret_hooks, &err) < 0) {
		int status =
			wb_fail_tl(wb,
				   err.code == TL_E_PARSE || err.code == TL_E_CONFIG ? EXIT_CONFIG
				   : err.code == TL_E_UNTRUSTED ? EXIT_UNTRUSTED
								: EXIT_USAGE,
				   &err);

		if (status == EXIT_CONFIG && err.file[0])
			wb_note(wb, "Please fix the configuration file and try again.");
		return status;
	}
	wb->dirs = (struct dirs){
		.home = arena_z(&wb->arena, str_from(tl_hooks_home(*ret_hooks))),
		.project = arena_z(&wb->arena, str_from(tl_hooks_project_dir(*ret_hooks))),
		.cwd = dir ? arena_z(&wb->arena, str_from(dir)) : ".",
		.env = (const char *const *)environ,
	};
	wb->dirs_trusted = tl_hooks_folder_trusted(*ret_hooks);
	tl_hooks_settings(*ret_hooks, &set);
	wb->sources = arena_z(&wb->arena, str_from(set.sources));
	places_sweep(&(struct dirs){ .home = tl_hooks_home(*ret_hooks),
				     .project = tl_hooks_project_dir(*ret_hooks) });
	if (!(flags & WB_QUIET) && !wb->json)
		diagnostics_say(*ret_hooks, is_no_note, complain_line, wb);
	return EXIT_OK;
}

int wb_check_trust(struct wb *wb, const struct tl_hooks *hooks)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct tl_hook *h;
	size_t n = 0;

	for (size_t i = 0; (h = hook_at(hooks, i)); i++) {
		struct wb_place at = place_of_hook("unapproved-hook", h);

		if (h->state != TL_STATE_UNTRUSTED)
			continue;
		if (n++ == 0)
			(void)wb_fail_at(wb, EXIT_UNTRUSTED, &at,
					 "%s has unapproved hooks; nothing was run:",
					 tl_hooks_project_dir(hooks));
		wb_complain(wb, "  %s  %s  %s:%u  %s", event_shown(h, &a), h->name,
			    short_path(hooks, h->file, &a), h->line, h->why);
	}
	if (n == 0)
		return EXIT_OK;
	wb_note(wb, "Look at them and approve them:   trotline hooks trust");
	if (!wb->for_model)
		wb_note(wb, "or, for this run only:           --skip-trust (run them), "
			    "--no-project-hooks (leave them out)");
	return EXIT_UNTRUSTED;
}

int wb_json_arg(struct wb *wb, const char *arg, const char *what, struct arena *a,
		const struct json **ret_v, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(.max = INPUT_MAX_BYTES);
	const char *from = what;
	char chunk[65536];
	int r = 0;

	if (strcmp(arg, "-") == 0) {
		from = "stdin";
		if (wb->input)
			buf_adds(&text, *wb->input);
		for (size_t n; !wb->input && wb->reads_stdin && !text.full &&
			       (n = fread(chunk, 1, sizeof chunk, stdin)) > 0;)
			buf_add(&text, chunk, n);
		if (text.full)
			r = err_set(err, E_LIMIT, "the input is larger than %d MiB",
				    INPUT_MAX_BYTES >> 20);
	} else if (arg[0] == '@') {
		from = arg + 1;
		r = fs_read(wb_path(wb, arg + 1), INPUT_MAX_BYTES, &text, err);
	} else {
		buf_addz(&text, arg);
	}
	if (r < 0)
		return err_wrap(err, "%s", what);
	r = json_parse(a, buf_str(&text), JSON_C, ret_v, err);
	return r < 0 ? err_wrap(err, "%s", from) : 0;
}

struct dirs hooks_dirs(const struct tl_hooks *hooks, const char *cwd)
{
	return (struct dirs){ .cwd = cwd,
			      .project = tl_hooks_project_dir(hooks),
			      .home = tl_hooks_home(hooks),
			      .env = (const char *const *)environ };
}
