/*
 * Makefiles and justfiles: the lines that a target runs, behind those of its prerequisites.
 * Variables have the last value that the file gives them; branches of conditions all count.
 */
#include "effects/code.h"
#include "shell/shell.h"

enum { NAMES_MAX = 512, RULES_MAX = 1024, RUNNING_MAX = 20, EXPANSION_MAX = 8 << 10 };

struct named {
	struct str name, value;
	bool given; /* on the command line */
};

struct rule {
	struct str target, needs;
	size_t at; /* of the line behind its head, in the text */
	struct str line; /* a recipe behind ";" */
	bool done;
};

struct make {
	struct effects *e;
	struct str s;
	struct named *vars;
	size_t nvars;
	struct rule *rules;
	size_t nrules;
	bool just;
	struct str target; /* the one that runs: $@ */
	struct str needs;
	unsigned running, expanding;
	size_t work;
};

static struct str next_line(struct str s, size_t *i)
{
	size_t from = *i;
	ptrdiff_t end = str_chr(s, '\n', from);

	/* A backslash joins the next one. */
	while (end > (ptrdiff_t)from && s.p[end - 1] == '\\')
		end = str_chr(s, '\n', (size_t)end + 1);
	*i = end < 0 ? s.n : (size_t)end + 1;
	return str_sub(s, from, end < 0 ? s.n : (size_t)end);
}

static void set(struct make *m, struct str name, struct str value, bool more, bool given)
{
	for (size_t i = 0; i < m->nvars; i++)
		if (str_eq(m->vars[i].name, name)) {
			if (m->vars[i].given)
				return;
			m->vars[i].value =
				more ? arena_printf(m->e->arena, "%.*s %.*s",
						    STR_ARG(m->vars[i].value), STR_ARG(value))
				     : value;
			return;
		}
	if (m->nvars == NAMES_MAX)
		effects_unjudged(m->e, STR("make (too many variables)"));
	else
		m->vars[m->nvars++] = (struct named){ name, value, given };
}

static void run_shell(struct make *m, struct str line)
{
	if (effects_too_deep(m->e) || m->work < line.n) {
		effects_unjudged(m->e, STR("make"));
		return;
	}
	m->work -= line.n;
	m->e->depth++;
	effects_of_shell(m->e, line);
	m->e->depth--;
}

static void expand(struct make *m, struct buf *out, struct str s);

/* $(NAME), $(shell command), {{name}} */
static void expand_name(struct make *m, struct buf *out, struct str name)
{
	name = str_trim(name);
	if (str_starts(name, STR("shell "))) {
		AUTO(buf_done) struct buf command = BUF_INIT(.max = EXPANSION_MAX);

		expand(m, &command, str_sub(name, 6, name.n));
		run_shell(m, arena_str(m->e->arena, buf_str(&command)));
		buf_addc(out, CODE_GAP);
		return;
	}
	if (str_eqz(name, "MAKE")) {
		buf_addz(out, "make");
		return;
	}
	if (str_eqz(name, "CURDIR")) {
		buf_addz(out, ".");
		return;
	}
	for (size_t i = 0; i < m->nvars; i++)
		if (str_eq(m->vars[i].name, name)) {
			expand(m, out, m->vars[i].value);
			return;
		}
	if (sh_is_name(name) && !m->just) {
		/* The environment's, or nothing: the shell's reader knows. */
		buf_addz(out, "${");
		buf_adds(out, name);
		buf_addc(out, '}');
	} else {
		buf_addc(out, CODE_GAP);
	}
}

static void expand(struct make *m, struct buf *out, struct str s)
{
	if (m->expanding >= 10) {
		buf_addc(out, CODE_GAP);
		return;
	}
	m->expanding++;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i], next = str_at(s, i + 1);
		size_t end = i + 2;
		unsigned depth = 1;

		if (m->just && c == '{' && next == '{') {
			ptrdiff_t close = str_find(s, STR("}}"), i);

			end = close < 0 ? s.n : (size_t)close;
			expand_name(m, out, str_sub(s, i + 2, end));
			i = end + 1;
		} else if (m->just || c != '$' || !next) {
			buf_addc(out, c);
		} else if (next == '(' || next == '{') {
			for (; end < s.n && depth; end++)
				depth += s.p[end] == next                        ? 1
					 : s.p[end] == (next == '(' ? ')' : '}') ? -1
										 : 0;
			expand_name(m, out, str_sub(s, i + 2, end - (depth == 0)));
			i = end - 1;
		} else {
			if (next == '$')
				buf_addc(out, '$');
			else if (next == '@')
				buf_adds(out, m->target);
			else if (next == '^' || next == '<' || next == '+' || next == '?')
				buf_adds(out, m->needs);
			else if (char_is_word(next))
				expand_name(m, out, str_sub(s, i + 1, i + 2));
			else
				buf_addc(out, CODE_GAP);
			i++;
		}
	}
	m->expanding--;
}

static struct str expanded(struct make *m, struct str s)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = EXPANSION_MAX);

	expand(m, &out, s);
	return out.full ? STR("\1") : arena_str(m->e->arena, buf_str(&out));
}

/* NAME = value and its kin. */
static bool read_variable(struct make *m, struct str line)
{
	size_t n = 0;
	struct str name;
	bool more;

	line = str_trim(line);
	if (str_starts(line, STR("export ")) || str_starts(line, STR("override ")))
		line = str_trim(str_sub(line, str_starts(line, STR("export ")) ? 7 : 9, line.n));
	while (n < line.n && (char_is_word(line.p[n]) || line.p[n] == '.' || line.p[n] == '-'))
		n++;
	name = str_sub(line, 0, n);
	while (n < line.n && line.p[n] == ' ')
		n++;
	more = n < line.n && line.p[n] == '+';
	while (n < line.n && strchr(":?+!", line.p[n]))
		n++;
	if (!name.n || n >= line.n || line.p[n] != '=')
		return false;
	line = str_trim(str_sub(line, n + 1, line.n));
	if (m->just && line.n > 1 && strchr("'\"", line.p[0]))
		line = str_sub(line, 1, line.n - 1);
	set(m, name, line, more, false);
	return true;
}

static void read_rule(struct make *m, struct str line, size_t at)
{
	ptrdiff_t colon = str_chr(line, ':', 0), semicolon;
	struct str targets, needs, target;

	if (colon <= 0)
		return;
	targets = expanded(m, str_sub(line, 0, (size_t)colon));
	needs = str_sub(line, (size_t)colon + 1, line.n);
	if (needs.n && needs.p[0] == ':')
		needs = str_sub(needs, 1, needs.n);
	semicolon = str_chr(needs, ';', 0);
	while ((targets = str_trim(targets)).n && m->nrules < RULES_MAX) {
		size_t n = 0;

		while (n < targets.n && targets.p[n] != ' ' && targets.p[n] != '\t')
			n++;
		target = str_sub(targets, 0, n);
		targets = m->just ? (struct str){ 0 } : str_sub(targets, n, targets.n);
		m->rules[m->nrules++] = (struct rule){
			.target = target,
			.needs = expanded(
				m, str_sub(needs, 0, semicolon < 0 ? needs.n : (size_t)semicolon)),
			.at = at,
			.line = semicolon < 0 ? (struct str){ 0 }
					      : str_sub(needs, (size_t)semicolon + 1, needs.n),
		};
	}
}

static bool is_recipe(const struct make *m, struct str line)
{
	return line.n && (line.p[0] == '\t' || (m->just && line.p[0] == ' '));
}

static void read_file(struct make *m)
{
	for (size_t i = 0; i < m->s.n;) {
		struct str line = next_line(m->s, &i);

		if (is_recipe(m, line) || !str_trim(line).n || str_trim(line).p[0] == '#')
			continue;
		if (read_variable(m, line))
			continue;
		if (!m->just && str_find(line, STR("$(shell"), 0) >= 0)
			(void)expanded(m, line);
		read_rule(m, line, i);
	}
	/* $(shell ...) of variables runs when the file is read. */
	for (size_t i = 0; i < m->nvars; i++)
		if (str_find(m->vars[i].value, STR("$(shell"), 0) >= 0)
			(void)expanded(m, m->vars[i].value);
}

static void run_line(struct make *m, struct str line)
{
	line = str_trim(line);
	while (line.n && strchr("@-+", line.p[0]))
		line = str_trim(str_sub(line, 1, line.n));
	if (line.n && line.p[0] != '#')
		run_shell(m, expanded(m, line));
}

static void run_target(struct make *m, struct str target);

static void run_rule(struct make *m, struct rule *r)
{
	struct str rest = r->needs, was = m->target, needs = m->needs;

	if (r->done || m->running >= RUNNING_MAX)
		return;
	r->done = true;
	m->running++;
	while ((rest = str_trim(rest)).n) {
		size_t n = 0;

		while (n < rest.n && !strchr(" \t\n\\()", rest.p[n]))
			n++;
		run_target(m, str_sub(rest, 0, n));
		rest = str_sub(rest, max_size(n, 1), rest.n);
	}
	m->running--;
	m->target = r->target;
	m->needs = r->needs;
	if (r->line.n)
		run_line(m, r->line);
	for (size_t i = r->at; i < m->s.n;) {
		struct str line = next_line(m->s, &i);

		if (str_trim(line).n && !is_recipe(m, line))
			break;
		run_line(m, line);
	}
	m->target = was;
	m->needs = needs;
}

static void run_target(struct make *m, struct str target)
{
	for (size_t i = 0; i < m->nrules; i++)
		if (str_eq(m->rules[i].target, target))
			run_rule(m, &m->rules[i]);
}

/* Values and targets of "make -C x A=b clean all". */
static size_t read_words(struct make *m, struct str words, struct str *targets, size_t max)
{
	size_t n = 0, at = 0;
	bool skip = false;
	struct str word;

	for (struct str rest = words; str_split(&rest, ' ', &word); at++) {
		ptrdiff_t equals = str_chr(word, '=', 0);

		if (!word.n || at == 0)
			continue;
		if (skip) {
			skip = false;
		} else if (word.p[0] == '-') {
			skip = word.n == 2 && strchr("CfIoWl", word.p[1]);
		} else if (equals > 0) {
			set(m, str_sub(word, 0, (size_t)equals),
			    str_sub(word, (size_t)equals + 1, word.n), false, true);
		} else if (n < max) {
			targets[n++] = word;
		}
	}
	return n;
}

void code_read_make(struct effects *e, struct str text, struct str words)
{
	struct make m = { .e = e,
			  .s = str_sub(text, 0, CODE_TEXT_MAX),
			  .just = str_starts(words, STR("just")),
			  .work = CODE_TEXT_MAX };
	struct str targets[16];
	size_t n;

	m.vars = ARENA_ARRAY(e->arena, struct named, NAMES_MAX);
	m.rules = ARENA_ARRAY(e->arena, struct rule, RULES_MAX);
	n = read_words(&m, words, targets, ARRAY_LEN(targets));
	read_file(&m);
	for (size_t i = 0; i < n; i++)
		run_target(&m, targets[i]);
	for (size_t i = 0; n == 0 && i < m.nrules; i++) /* the first one */
		if (m.rules[i].target.n && m.rules[i].target.p[0] != '.' &&
		    str_chr(m.rules[i].target, '%', 0) < 0) {
			run_target(&m, m.rules[i].target);
			break;
		}
	if (text.n > CODE_TEXT_MAX)
		effects_unjudged(e, words);
}
