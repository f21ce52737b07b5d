/*
 * A command in a session: what its prompt brings in by @{path} and !{command}.
 *
 * !{command} is a call of run_shell_command like one of the model's, on the way that those go:
 * BeforeTool (whose guards see the whole command), policy, Notification and the user, the tool,
 * AfterTool.  Whatever refuses it refuses the prompt: half of what was meant is not sent.
 */
#include "agent/catalog/prompt_commands.h"

#include "agent/call.h"
#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/fs.h"
#include "shell/shell.h"

enum { CALL_IDS_MAX = 1000 };

struct commander {
	struct turn *t;
	const struct prompt_command *c;
	unsigned calls;
	enum end end; /* when the expansion fails */
};

/* ---- !{command} ---- */

static struct str reason_of(const struct call *c)
{
	struct str why = c->shown_error.n ? c->shown_error : c->result.error;

	return str_trim(why.n ? why : STR("it was not run"));
}

/* err holds one sentence of limited length; the session keeps the whole of it. */
static int refuse(struct commander *m, struct str command, bool ran, struct str why,
		  struct err *err)
{
	struct session *s = m->t->s;

	buf_clear(&s->error);
	buf_addf(&s->error, "/%s was not sent, because %s!{%.*s}%s: %.*s", m->c->name,
		 ran ? "of what came out of " : "", STR_ARG(command), ran ? "" : " may not run",
		 STR_ARG(why));
	return err_set(err, E_UNTRUSTED, "%s", buf_z(&s->error));
}

static enum end end_of(struct commander *m, const struct call *c)
{
	if (c->state == CALL_STOPPED)
		session_note(m->t->s, NOTE_STOPPED, "Agent execution stopped: %.*s",
			     STR_ARG(c->stopped_by.n ? c->stopped_by : reason_of(c)));
	return c->state == CALL_STOPPED                                 ? END_STOPPED
	       : c->state == CALL_CANCELLED || c->state == CALL_REFUSED ? END_CANCELLED
									: END_FAILED;
}

static const struct json *part_of(struct commander *m, struct str tool, struct str key,
				  struct str value)
{
	struct arena *a = &m->t->arena;
	const struct json *args, *call;

	args = json_set(a, NULL, key, json_new_str(a, value));
	call = json_set(
		a, NULL, STR("id"),
		json_new_str(a, arena_printf(a, "%u_command_%u", m->t->s->prompts, ++m->calls)));
	call = json_set(a, call, STR("name"), json_new_str(a, tool));
	call = json_set(a, call, STR("args"), args);
	return json_set(a, NULL, STR("functionCall"), call);
}

/* Output and how it ended, as Gemini CLI puts it into a prompt; hooks are asked about this. */
static void plain_result(struct call *c)
{
	struct arena *a = &c->arena;
	struct str command = json_get_str(c->args, "command");
	const struct json *code = json_getz(c->result.metadata, "exitCode");
	struct str out = json_str(c->result.display, STR(""));
	/* The tool tells of a signal in its words to the model only, at their end. */
	struct str sig =
		code ? STR("")
		     : str_behind_last(json_str(c->result.llm_content, STR("")), STR("\nSignal: "));
	struct str how = STR("");

	/* Then the display is the sentence about the end, which follows in other words. */
	if ((code || sig.n) &&
	    (str_starts(out, STR("Command exited with code: ")) ||
	     str_starts(out, STR("Command terminated by signal: "))) &&
	    str_chr(out, '\n', 0) < 0)
		out = STR("");
	if (code)
		how = arena_printf(a, "\n[Shell command '%.*s' exited with code %.0f]",
				   STR_ARG(command), json_num(code, 0));
	else if (sig.n)
		how = arena_printf(a, "\n[Shell command '%.*s' terminated by signal %.*s]",
				   STR_ARG(command), STR_ARG(sig));
	while (out.n && (out.p[out.n - 1] == '\n' || out.p[out.n - 1] == '\r'))
		out.n--;
	c->result.llm_content =
		json_new_str(a, arena_printf(a, "%.*s%.*s", STR_ARG(out), STR_ARG(how)));
	c->gave = c->result;
}

/* The tool does not run these either, but says so in a result that would become the prompt. */
static bool is_entangled(struct call *c)
{
	struct str command = json_get_str(c->args, "command");

	if (c->typed || strcmp(c->tool->name, "run_shell_command") != 0 || !sh_substitutes(command))
		return false;
	c->shown_error = STR("a command within a command, $(), ``, <() or >(), is not run; use a "
			     "pipe, or a script of your own");
	return true;
}

/* True when there is a result without objections. */
static bool run_call(struct commander *m, struct call *c)
{
	static const struct selection all;
	struct session *s = m->t->s;
	bool again = true;

	while (again) {
		call_prepare(m->t, c, &all);
		if (c->state != CALL_READY || is_entangled(c))
			return false;
		s->tools.guarded = call_is_guarded(m->t, c);
		session_waiting(s, c->tool->display_name);
		call_run(c);
		session_waiting(s, NULL);
		if (!c->original && !c->result.error_type && !(m->c && m->c->skill))
			plain_result(c);
		again = call_after(m->t, c);
	}
	return c->state == CALL_OVER && !c->result.error_type && !halt_fired(s->halt);
}

/* A turn that never began is not reported. */
static void end_call(struct commander *m, struct call *c, bool ok)
{
	struct tool_report report;

	if (c->state != CALL_READY)
		call_report(m->t, c);
	report = (struct tool_report){
		.name = c->name,
		.id = c->id,
		.args = c->args,
		.ok = ok,
		.output = json_str(c->result.display, STR("")),
		.error_type = c->result.error_type,
		.error = c->shown_error,
		.ended = c->result.ended,
		.ms = c->ms,
	};
	if (m->t->s->o.interactive) {
		call_show(m->t, c);
		m->t->s->o.sink.tool_result(m->t->s->o.sink.data, &report);
	}
	call_done(c);
}

static int run_shell(void *data, struct str command, struct arena *a, struct str *ret_output,
		     struct err *err)
{
	struct commander *m = data;
	struct session *s = m->t->s;
	const struct tool *tool = session_tool(s, STR("run_shell_command"));
	struct call c;
	int r = 0;
	bool ok;

	command = tool_clean(a, command);
	if (m->calls >= CALL_IDS_MAX)
		return refuse(m, command, false, STR("its prompt runs too many commands"), err);
	if (!tool || !tool_offered(s, tool))
		return refuse(
			m, command, false,
			arena_printf(a,
				     "%s; --approval-mode yolo or a rule for it "
				     "(tools.allowed: [\"run_shell_command(...)\"]) allows it",
				     s->o.sink.confirm ? "a policy forbids shell commands"
						       : "no user can be asked without a "
							 "terminal"),
			err);
	call_init(m->t, &c, part_of(m, STR("run_shell_command"), STR("command"), command));
	c.shown = !s->o.interactive;
	ok = run_call(m, &c);
	if (ok) {
		*ret_output = arena_str(a, call_content_text(a, c.result.llm_content));
	} else {
		m->end = end_of(m, &c);
		r = refuse(m, command, c.gave.llm_content != NULL, reason_of(&c), err);
	}
	end_call(m, &c, ok);
	return r;
}

/* ---- what the user runs ---- */

enum end session_shell(struct session *s, struct str command, bool for_model, struct err *err)
{
	struct turn t;
	enum { SAID_MAX = 10000 };
	struct commander m = { .t = &t, .end = END_FAILED };
	enum end end = END_DONE;
	struct str output, cut;
	struct call c;
	bool ok;

	turn_begin(&t, s);
	command = tool_clean(&t.arena, command);
	if (!session_tool(s, STR("run_shell_command"))) {
		turn_end(&t);
		(void)err_set(err, E_NOTFOUND, "This session has no shell.");
		return END_FAILED;
	}
	call_init(&t, &c, part_of(&m, STR("run_shell_command"), STR("command"), command));
	c.typed = true;
	ok = run_call(&m, &c);
	if (!ok) {
		end = end_of(&m, &c);
	} else if (for_model) {
		output = call_content_text(&t.arena, c.result.llm_content);
		cut = utf8_prefix(output, SAID_MAX);
		/* How Gemini CLI tells the model of it. */
		*VEC_ADD(&s->shells) =
			arena_printf(&s->arena,
				     "I ran the following shell command:\n```sh\n%.*s\n```\n\n"
				     "This produced the following result:\n```\n%.*s%s\n```",
				     STR_ARG(json_get_str(c.args, "command")),
				     STR_ARG(cut.n ? cut : STR("(empty)")),
				     cut.n < output.n ? "\n... (truncated)" : "");
	}
	if (end == END_FAILED) /* the line about the call has said why */
		end = END_DONE;
	end_call(&m, &c, ok);
	turn_end(&t);
	return end;
}

/* ---- skills ---- */

/* Hooks and policy are asked as when the model activates it. */
static int activate(struct commander *m, struct str *ret_text, struct err *err)
{
	struct session *s = m->t->s;
	struct call c;
	int r = 0;
	bool ok;

	call_init(m->t, &c, part_of(m, STR("activate_skill"), STR("name"), str_from(m->c->skill)));
	c.typed = true;
	c.shown = !s->o.interactive;
	ok = run_call(m, &c);
	if (ok) {
		*ret_text = arena_str(&m->t->arena,
				      call_content_text(&m->t->arena, c.result.llm_content));
	} else {
		m->end = end_of(m, &c);
		buf_clear(&s->error);
		buf_addf(&s->error, "The skill %s is not activated: %.*s", m->c->skill,
			 STR_ARG(reason_of(&c)));
		r = err_set(err, E_UNTRUSTED, "%s", buf_z(&s->error));
	}
	end_call(m, &c, ok);
	return r;
}

/* ---- @{path} ---- */

static int read_path(void *data, struct str path, struct arena *a, struct str *ret_text,
		     struct err *err)
{
	struct commander *m = data;
	struct context_options o = m->t->s->context;
	AUTO(free) char *z = xstrndup(path.p, path.n);
	AUTO(free) char *absolute = fs_absolute(o.cwd, z);
	char quote = str_chr(path, '"', 0) < 0 ? '"' : '\'';
	bool both = str_chr(path, '"', 0) >= 0 && str_chr(path, '\'', 0) >= 0;
	bool is_dir = fs_is_dir(absolute);
	AUTO(buf_done) struct buf text = { 0 }, written = { 0 };
	const struct json *parts;

	/* The files that a directory has for the model come with @path of a prompt, not here. */
	o.seen = NULL;
	/* As it is written in a prompt: @"...", with backslashes where they are needed. */
	buf_addf(&written, "@%c", quote);
	for (size_t i = 0; i < path.n; i++) {
		if (path.p[i] == '\\')
			buf_addc(&written, '\\');
		buf_addc(&written, path.p[i]);
	}
	buf_addc(&written, quote);
	parts = both ? NULL : context_prompt_parts(a, &o, STR(""), buf_str(&written), NULL);
	if (parts && parts->n > 1) {
		/* Of one file its text alone; of a directory the files with their headings. */
		for (size_t i = is_dir ? 1 : 3; i < parts->n && (is_dir || i < 4); i++)
			buf_adds(&text, json_get_str(json_at(parts, i), "text"));
		*ret_text = arena_str(a, buf_str(&text));
		return 0;
	}
	/* In Markdown an @ may be anything. */
	if (m->c->markdown)
		return err_set(err, E_NOTFOUND, "@%s cannot be read", z);
	session_note(m->t->s, NOTE_WARNING,
		     "/%s: @{%s} is not a readable file or directory of the workspace; it stays "
		     "as it is.",
		     m->c->name, z);
	return err_set(err, E_NOTFOUND, "@{%s} cannot be read", z);
}

/* ---- the prompt ---- */

static int own_text(void *data, struct str text, struct arena *a, struct str *ret_text,
		    struct err *err)
{
	struct commander *m = data;
	const char *why = context_left(&m->t->s->context, a, m->c->file, &text);

	if (why)
		return err_set(err, E_UNTRUSTED, "%s", why);
	*ret_text = text;
	return 0;
}

static enum end failed(struct commander *m, int r, struct err *err)
{
	struct session *s = m->t->s;

	if (r == -E_CANCEL || halt_fired(s->halt))
		return END_CANCELLED;
	if (!s->error.n) {
		buf_addf(&s->error, "/%s was not sent: %s%s%s", m->c->name,
			 m->c->file ? m->c->file : "", m->c->file ? ": " : "", err->text);
		if (r == -E_INVAL && m->c->origin == CATALOG_MCP)
			buf_addf(&s->error, "\n/%s help explains its arguments.", m->c->name);
		(void)err_set(err, -r, "%s", buf_z(&s->error));
	}
	return m->end;
}

/* A skill follows what is to be done with it. */
static enum end send(struct commander *m, struct str prompt, struct str skill, struct err *err)
{
	struct turn *t = m->t;
	struct str before = turn_typed(t, prompt);
	const struct json *parts[2];

	parts[0] = text_part(
		&t->arena, arena_printf(&t->arena, "%.*s%.*s", STR_ARG(before), STR_ARG(t->typed)));
	if (skill.n) {
		parts[1] =
			text_part(&t->arena, arena_printf(&t->arena, "\n\n%.*s", STR_ARG(skill)));
		t->added = json_append(&t->arena, t->added,
				       json_pack(&t->arena, "type:z source:z text:s", "skill",
						 m->c->skill, skill));
	}
	return turn_prompt(t, json_new_arr(&t->arena, parts, skill.n ? 2 : 1), err);
}

/*
 * (waits) UserPromptExpansion, before anything of the command is read or run; it goes on after
 * END_DONE only.
 */
static enum end fire_expansion(struct commander *m, struct str args)
{
	static const char *const sources[] = {
		[CATALOG_BUILT_IN] = "builtin", [CATALOG_EXTENSION] = "extension",
		[CATALOG_USER] = "user",        [CATALOG_PROJECT] = "project",
		[CATALOG_MCP] = "mcp",          [CATALOG_SKILL] = "skill",
	};
	struct turn *t = m->t;
	struct arena *a = &t->arena;
	struct fire_args fire = { .event = "UserPromptExpansion",
				  .subject = m->c->name,
				  .turn_id = t->id };
	struct tl_field fields[4];
	struct tl_outcome *o;
	enum end end;

	if (!session_wants_this(t->s, &fire))
		return END_DONE;
	fields[0] =
		field_str(a, "expansion_type",
			  m->c->origin == CATALOG_MCP ? STR("mcp_prompt") : STR("slash_command"));
	fields[1] = field_str(a, "command_args", tool_clean(a, args));
	fields[2] = field_str(a, "command_source", str_from(sources[m->c->origin]));
	fields[3] = field_str(a, "prompt", t->invocation);
	fire.fields = fields;
	fire.nfields = ARRAY_LEN(fields);
	o = session_fire(t->s, &fire);
	end = hooks_said(t->s, o);
	if (end == END_DONE)
		t->expanded = arena_str(a, str_from(tl_outcome_wrapped_context(o)));
	tl_outcome_free(o);
	return end;
}

enum end session_prompt_command(struct session *s, const struct prompt_command *c,
				struct str before, struct str invocation, struct err *err)
{
	struct turn t;
	struct commander m = { .t = &t, .c = c, .end = END_FAILED };
	struct prompt_expand e = { .shell = run_shell,
				   .file = read_path,
				   .text = own_text,
				   .data = &m,
				   .mcp = s->o.mcp,
				   .cancel = s->halt->work };
	struct str name, args, prompt = { 0 }, skill = { 0 };
	enum end end;
	int r;

	turn_begin(&t, s);
	t.invocation = tool_clean(&t.arena, invocation);
	if (!prompt_command_split(invocation, &name, &args))
		args = STR("");
	end = fire_expansion(&m, args);
	if (end != END_DONE) {
		turn_end(&t);
		return end;
	}
	if (c->skill) {
		prompt = str_trim(args);
		if (!prompt.n)
			prompt = arena_printf(&t.arena, "Use the skill %s", c->skill);
		r = activate(&m, &skill, err);
	} else {
		r = prompt_command_expand(&t.arena, c, args, str_trim(invocation), &e, &prompt,
					  err);
	}
	if (r >= 0 && before.n)
		prompt = arena_printf(&t.arena, "%.*s\n\n%.*s", STR_ARG(before), STR_ARG(prompt));
	end = r < 0 ? failed(&m, r, err) : send(&m, prompt, skill, err);
	turn_end(&t);
	return end;
}
