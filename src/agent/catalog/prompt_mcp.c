/* Prompts of MCP servers as commands: their arguments, and what comes back. */
#include "agent/catalog/prompt_commands.h"

#include "base/vec.h"

enum { ARGUMENTS_MAX = 200 };

struct arguments {
	struct arena *a;
	const struct json *known; /* an array, or NULL */
	struct str values[ARGUMENTS_MAX];
	bool given[ARGUMENTS_MAX];
	size_t n;
	struct {
		struct str *p;
		size_t n, cap;
	} words; /* without a name */
};

static void arguments_done(struct arguments *g)
{
	free(g->words.p);
}

DEFINE_AUTO(struct arguments, arguments_done)

static struct str name_of(const struct json *argument)
{
	return json_get_str(argument, "name");
}

static bool is_required(const struct json *argument)
{
	return json_is_true(json_getz(argument, "required"));
}

/* ---- reading what was typed ---- */

/* Up to white space, or a quoted text with \" and \\ in it. */
static struct str take_value(struct arena *a, struct str *rest)
{
	AUTO(buf_done) struct buf out = { 0 };
	bool quoted = str_starts(*rest, STR("\""));
	size_t i;

	if (quoted && str_chr(*rest, '"', 1) < 0)
		quoted = false;
	i = quoted;
	for (; i < rest->n && (quoted ? rest->p[i] != '"' : !char_is_space(rest->p[i])); i++) {
		if (quoted && rest->p[i] == '\\' && i + 1 < rest->n)
			i++;
		buf_addc(&out, rest->p[i]);
	}
	*rest = str_sub(*rest, i + quoted, rest->n);
	return arena_str(a, buf_str(&out));
}

static int take_words(struct arguments *g, struct str rest, struct err *err)
{
	while ((rest = str_trim(rest)).n) {
		AUTO(buf_done) struct buf names = { 0 };
		size_t end = 2, i = 0;
		struct str name;

		/* --name="value" */
		while (end < rest.n && rest.p[end] != '=' && !char_is_space(rest.p[end]))
			end++;
		if (!str_starts(rest, STR("--")) || end == 2 || end >= rest.n ||
		    rest.p[end] != '=') {
			*VEC_ADD(&g->words) = take_value(g->a, &rest);
			continue;
		}
		name = str_sub(rest, 2, end);
		while (i < g->n && !str_eq(name, name_of(json_at(g->known, i))))
			i++;
		if (i == g->n) {
			for (size_t k = 0; k < g->n; k++)
				buf_addf(&names, "%s--%.*s", k ? ", " : "",
					 STR_ARG(name_of(json_at(g->known, k))));
			return err_set(err, E_INVAL, "unknown argument --%.*s; it takes %s.",
				       STR_ARG(name), g->n ? buf_z(&names) : "none");
		}
		rest = str_sub(rest, end + 1, rest.n);
		g->values[i] = take_value(g->a, &rest);
		g->given[i] = true;
	}
	return 0;
}

/* ---- giving them to arguments ---- */

/*
 * Words go to the required arguments that have no value, in their order, and only where there are
 * none to the others; the last one gets what is left, so that a text needs no quotes.
 */
static void give_words(struct arguments *g)
{
	AUTO(buf_done) struct buf rest = { 0 };
	size_t open[ARGUMENTS_MAX], n = 0, at = 0;

	for (int required = 1; required >= 0 && n == 0; required--)
		for (size_t i = 0; i < g->n; i++)
			if (!g->given[i] && is_required(json_at(g->known, i)) == (required == 1))
				open[n++] = i;
	for (size_t i = 0; i < n && at < g->words.n; i++) {
		g->given[open[i]] = true;
		if (i + 1 < n) {
			g->values[open[i]] = g->words.p[at++];
			continue;
		}
		for (size_t k = at; k < g->words.n; k++) {
			buf_addz(&rest, k > at ? " " : "");
			buf_adds(&rest, g->words.p[k]);
		}
		g->values[open[i]] = arena_str(g->a, buf_str(&rest));
	}
}

int prompt_mcp_arguments(struct arena *a, const struct json *arguments, struct str args,
			 const struct json **ret_args, struct err *err)
{
	AUTO(arguments_done) struct arguments g = { .a = a };
	AUTO(buf_done) struct buf missing = { 0 };
	const struct json *v = NULL;
	int r;

	g.known = json_is(arguments, J_ARR) ? arguments : NULL;
	g.n = g.known ? min_size(g.known->n, ARGUMENTS_MAX) : 0;
	r = take_words(&g, args, err);
	if (r < 0)
		return r;
	if (g.words.n && !g.n)
		return err_set(err, E_INVAL, "It takes no arguments.");
	give_words(&g);
	for (size_t i = 0; i < g.n; i++)
		if (is_required(json_at(g.known, i)) && !g.given[i])
			buf_addf(&missing, "%s--%.*s", missing.n ? ", " : "",
				 STR_ARG(name_of(json_at(g.known, i))));
	if (missing.n)
		return err_set(err, E_INVAL, "Missing required argument(s): %s", buf_z(&missing));
	for (size_t i = 0; i < g.n; i++)
		if (g.given[i])
			v = json_set(a, v, name_of(json_at(g.known, i)),
				     json_new_str(a, g.values[i]));
	*ret_args = v;
	return 0;
}

struct str prompt_mcp_help(struct arena *a, const struct prompt_command *c)
{
	AUTO(buf_done) struct buf out = { 0 };
	size_t n = json_is(c->arguments, J_ARR) ? c->arguments->n : 0;

	if (!n)
		return arena_printf(a, "/%s takes no arguments.", c->name);
	buf_addf(&out, "Arguments of /%s:\n", c->name);
	for (size_t i = 0; i < n; i++) {
		const struct json *one = json_at(c->arguments, i);
		struct str about = json_get_str(one, "description");

		buf_addf(&out, "  --%.*s%s%s%.*s\n", STR_ARG(name_of(one)),
			 is_required(one) ? " (required)" : "", about.n ? "  " : "",
			 STR_ARG(about));
	}
	buf_addf(&out, "/%s --%.*s=\"...\", or the values in this order", c->name,
		 STR_ARG(name_of(json_at(c->arguments, 0))));
	return arena_str(a, buf_str(&out));
}

/* ---- what comes back ---- */

/* Where a text may stand, and something about what is none. */
static void add_content(struct buf *out, const struct json *content)
{
	struct str type = json_get_str(content, "type");
	const struct json *resource = json_getz(content, "resource");
	const struct json *text = json_getz(content, "text");
	struct str uri, mime;

	if (json_is(content, J_STR) || json_is(text, J_STR)) {
		buf_adds(out, json_str(text ? text : content, STR("")));
		return;
	}
	if (!resource)
		resource = content;
	uri = json_get_str(resource, "uri");
	mime = json_get_str(resource, "mimeType");
	buf_addf(out, "[%.*s%s%.*s%s%.*s", STR_ARG(type.n ? type : STR("content")),
		 uri.n ? " " : "", STR_ARG(uri), mime.n ? " " : "", STR_ARG(mime));
	if (json_is(json_getz(resource, "text"), J_STR))
		buf_addf(out, "]\n%.*s", STR_ARG(json_get_str(resource, "text")));
	else
		buf_addz(out, " that is not text]");
}

static bool is_of_assistant(const struct json *message)
{
	return str_eqz(json_get_str(message, "role"), "assistant");
}

struct str prompt_mcp_text(struct arena *a, const struct json *messages)
{
	AUTO(buf_done) struct buf out = { .max = COMMAND_PROMPT_MAX };
	size_t n = json_is(messages, J_ARR) ? messages->n : 0;
	bool talk = false;

	for (size_t i = 0; i < n; i++)
		talk |= is_of_assistant(json_at(messages, i));
	for (size_t i = 0; i < n; i++) {
		const struct json *m = json_at(messages, i);

		if (i)
			buf_addz(&out, "\n\n");
		/* A talk that the server made up is shown as what it is: all of it is a prompt. */
		if (talk)
			buf_addz(&out, is_of_assistant(m) ? "Assistant: " : "User: ");
		const struct json *content = json_getz(m, "content");
		bool many = json_is(content, J_ARR);

		for (size_t k = 0; k < (many ? content->n : 1); k++) {
			if (k)
				buf_addc(&out, '\n');
			add_content(&out, many ? json_at(content, k) : content);
		}
	}
	return arena_str(a, buf_str(&out));
}
