/* What a server asks during trotline mcp test --call: answered by --answer, or at the terminal. */
#include <stdio.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/ask_line.h"
#include "cli/mcp/mcp_test.h"
#include "net/url.h"
#include "os/browser.h"

static void say(const char *text)
{
	AUTO(buf_done) struct buf clean = { 0 };

	(void)utf8_add_visible(&clean, str_from(text), true);
	(void)fprintf(stderr, "%s\n", buf_z(&clean));
}

/* An empty line takes the default, or leaves it out. */
static enum elicit_action ask_field(struct arena *a, const struct elicit_field *f,
				    const struct json **content)
{
	AUTO(buf_done) struct buf prompt = { 0 };
	const char *preset =
		f->preset ? arena_printf(a, " [%s]", json_text(a, f->preset, JSON_COMPACT).p).p
			  : "";

	/* "Name (a text, optional) [John]: " */
	(void)utf8_add_visible(&prompt,
			       arena_printf(a, "%s (%s%s)%s: ", f->title, elicit_wants(a, f),
					    f->required ? "" : ", optional", preset),
			       false);
	for (size_t i = 0; i < f->n; i++)
		say(arena_printf(a, "  %zu. %s", i + 1, f->options[i].title).p);
	for (;;) {
		AUTO(buf_done) struct buf line = { 0 };
		const struct json *v;
		struct err err;

		if (ask_line(buf_z(&prompt), false, &line, NULL) <= 0)
			return ELICIT_CANCEL;
		if (!str_trim(buf_str(&line)).n && (f->preset || !f->required))
			return ELICIT_ACCEPT;
		if (elicit_typed(a, f, buf_str(&line), &v, &err) >= 0) {
			*content = json_set(a, *content, f->name, v);
			return ELICIT_ACCEPT;
		}
		say(err.text);
	}
}

static enum elicit_action ask_url(struct arena *a, const struct elicit *e)
{
	struct err err;
	struct url u;

	if (url_read(a, e->url, &u, NULL) < 0 || !url_is_private(&u)) {
		complain("that address is neither https nor on this machine; declined: %.200s",
			 e->url);
		return ELICIT_DECLINE;
	}
	say(e->url);
	if (!ask_yes("Open this address in the browser? [y/N] "))
		return ELICIT_DECLINE;
	if (browser_open(e->url, (const char *const *)environ, &err) < 0)
		say(err.text);
	return ask_yes("Go on when you have answered there. Done? [y/N] ") ? ELICIT_ACCEPT
									   : ELICIT_CANCEL;
}

enum elicit_action test_ask(void *data, const char *server, const struct elicit *e, struct arena *a,
			    const struct json **ret_content)
{
	const struct test *t = data;
	const struct json *content = json_new_obj(a);
	enum elicit_action action = ELICIT_ACCEPT;
	struct err err;

	(void)server;
	if (t->answer && !e->is_url) {
		if (elicit_content(a, e, t->answer, ret_content, &err) >= 0)
			return ELICIT_ACCEPT;
		complain("--answer: %s", err.text);
		return ELICIT_CANCEL;
	}
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
		complain("the server asks the user something (%.200s); no terminal to ask at, so "
			 "that was declined%s",
			 e->message, e->is_url ? "" : "; --answer JSON answers it");
		return ELICIT_DECLINE;
	}
	say(e->message);
	if (e->is_url)
		return ask_url(a, e);
	for (size_t i = 0; action == ELICIT_ACCEPT && i < e->n; i++)
		action = ask_field(a, &e->fields[i], &content);
	*ret_content = content;
	if (action == ELICIT_ACCEPT && !ask_yes("Send this to the server? [y/N] "))
		action = ELICIT_DECLINE;
	return action;
}
