/* The words in which a person is shown what an extension brings. */
#include "base/diff.h"
#include "cli/cli.h"
#include "cli/extensions/extension_brings.h"

/* How each kind is headed, and whether an update that changes it asks again. */
static const struct {
	const char *head;
	bool asks;
} kinds[] = {
	[BRING_HOOK] = { "Hooks, which run commands on this machine with your rights:", true },
	[BRING_SERVER] = { "MCP servers, which are started with your rights or called:", true },
	[BRING_EXCLUDED] = { "Tools that the model may no longer use:", true },
	[BRING_POLICY] = { "Policy files, whose rules refuse tools or have them asked for:", true },
	[BRING_CONTEXT] = { "Files that will be added to the model's instructions:", false },
	[BRING_SKILL] = { "Skills, whose text the model may load:", false },
	[BRING_AGENT] = { "Agents, which the model may start with the tools that it has:", true },
	[BRING_COMMAND] = { "Commands:", false },
	[BRING_SETTING] = { "Settings that it asks for:", false },
};

/* sheet_text() shows so much of a text and of a line. */
static bool is_cut(const char *text)
{
	enum { LINES = 400, LINE_CHARS = 4000 };
	size_t lines = 0;

	for (struct str rest = str_from(text), line; str_split(&rest, '\n', &line); lines++)
		if (line.n > LINE_CHARS)
			return true;
	return lines > LINES;
}

static void show_one(struct sheet *p, const struct bring *b, const char *mark)
{
	/* A name must not look like a mark. */
	const char *quote = strchr("+- ", *b->title) ? "\"" : "";
	AUTO(free) char *title = xasprintf("%s%s%s%s", mark, quote, b->title, quote);

	sheet_text(p, *mark == '-' ? RED : *mark == '+' ? GREEN : BOLD, title, 2);
	if (*b->text)
		sheet_text(p, PLAIN, b->text, 6);
	if (is_cut(b->title) || is_cut(b->text))
		sheet_f(p, RED,
			"      (not all of it is shown: look at the files before you agree)\n");
}

void consent_show(struct sheet *p, const struct brings *b)
{
	for (enum bring_kind kind = 0; kind < BRING_KINDS; kind++) {
		const struct bring *one;
		size_t at = 0;

		if (brings_count(b, kind))
			sheet_f(p, YELLOW, "%s\n", kinds[kind].head);
		while ((one = brings_next(b, kind, &at)) != NULL)
			show_one(p, one, "");
	}
	if (!b->n)
		sheet_f(p, PLAIN, "It brings nothing that trotline uses.\n");
}

/* ---- changes ---- */

static bool same(const struct bring *a, const struct bring *b)
{
	return a->kind == b->kind && strcmp(a->title, b->title) == 0 &&
	       strcmp(a->text, b->text) == 0 && strcmp(a->identity, b->identity) == 0;
}

static bool has(const struct brings *b, const struct bring *one)
{
	for (size_t i = 0; i < b->n; i++)
		if (same(&b->p[i], one))
			return true;
	return false;
}

/* With another order hooks would see each other's changes otherwise. */
static bool same_order(const struct brings *a, const struct brings *b, enum bring_kind kind)
{
	size_t i = 0, k = 0;
	const struct bring *x, *y;

	do {
		x = brings_next(a, kind, &i);
		y = brings_next(b, kind, &k);
		if ((x && !y) || (!x && y) || (x && !same(x, y)))
			return false;
	} while (x);
	return true;
}

bool consent_differs(const struct brings *old, const struct brings *now)
{
	for (enum bring_kind kind = 0; kind < BRING_KINDS; kind++)
		if (kinds[kind].asks && !same_order(old, now, kind))
			return true;
	return false;
}

/* A thing that was and is shown with the same words: what differs is in its details. */
static bool looks_known(const struct brings *b, const struct bring *one)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->p[i].kind == one->kind && strcmp(b->p[i].title, one->title) == 0 &&
		    strcmp(b->p[i].text, one->text) == 0)
			return true;
	return false;
}

/* What it was before: the thing of the same title, unless that one is still there. */
static const struct bring *before(const struct brings *old, const struct brings *now,
				  const struct bring *one)
{
	for (size_t i = 0; i < old->n; i++)
		if (old->p[i].kind == one->kind && strcmp(old->p[i].title, one->title) == 0 &&
		    !has(now, &old->p[i]))
			return &old->p[i];
	return NULL;
}

/* How the texts of its files differ; false when they do not. */
static bool show_body(struct sheet *p, const struct bring *was, const struct bring *is)
{
	enum { CONTEXT_LINES = 3, LINES_MAX = 1000 };
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	struct diff d;
	size_t lines = 0;

	if (strcmp(was->body, is->body) == 0)
		return false;
	diff_lines(&a, str_from(was->body), str_from(is->body), &d);
	if (diff_add_hunks(&text, &d, CONTEXT_LINES) < 0)
		return false;
	for (struct str rest = buf_str(&text), line; str_split(&rest, '\n', &line);) {
		AUTO(free) char *z = xstrndup(line.n ? line.p : "", line.n);

		if (lines++ == LINES_MAX || is_cut(z)) {
			sheet_f(p, RED,
				"      (not all of it is shown: look at the files before you "
				"agree)\n");
			break;
		}
		if (*z)
			sheet_text(p, *z == '-' ? RED : *z == '+' ? GREEN : DIM, z, 6);
	}
	return true;
}

void consent_show_changes(struct sheet *p, const struct brings *old, const struct brings *now)
{
	for (enum bring_kind kind = 0; kind < BRING_KINDS; kind++) {
		const struct bring *one;
		bool shown = false;

		if (same_order(old, now, kind))
			continue;
		sheet_f(p, YELLOW, "%s\n", kinds[kind].head);
		for (size_t at = 0; (one = brings_next(old, kind, &at)) != NULL;)
			if (!has(now, one) && !looks_known(now, one)) {
				show_one(p, one, "- ");
				shown = true;
			}
		for (size_t at = 0; (one = brings_next(now, kind, &at)) != NULL;)
			if (!has(old, one)) {
				const struct bring *was = before(old, now, one);

				show_one(p, one, "+ ");
				if (!(was && show_body(p, was, one)) && looks_known(old, one))
					sheet_f(p, PLAIN,
						"      (a detail that is not shown here has "
						"changed)\n");
				shown = true;
			}
		if (!shown)
			sheet_f(p, PLAIN, "  in another order\n");
	}
}
