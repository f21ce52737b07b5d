/*
 * What the text of a command or a script says of its answers: members that have no effect, and a
 * transcript that is read in the wrong form.  Only literal text is looked at, line by line.
 */
#include "base/words.h"
#include "hooks/answers.h"
#include "workbench/lint.h"

enum { MEMBER_MIN = 7, MEMBER_MAX = 40, NAMES_MAX = 64, MISSPELT_MAX = 2 };

/* The text that is being looked at. */
struct script {
	struct lint *l;
	const struct hook *hook;
	const struct place *at;
	const char *path; /* as people write it; NULL = the command itself */
	struct str text;
	bool many_events; /* it tells events apart: a member may be for another one */
	struct str said[NAMES_MAX]; /* what was reported */
	size_t nsaid;
};

/* "x.py:3" or "the hook", for the beginning of a sentence. */
static const char *where(const struct script *s, unsigned line)
{
	return s->path ? arena_printf(&s->l->arena, "%s:%u", s->path, line).p : "the hook";
}

/* ---- members ---- */

/* Does a key of an object end here: "name":, name:, ["name"] = ? */
static bool is_key(struct str line, size_t from, size_t to)
{
	char before = from ? line.p[from - 1] : ' ';
	bool quoted = before == '"' || before == '\'', index = false;

	if (!quoted && !strchr("{, \t", before))
		return false;
	while (to < line.n && strchr("\\\"'] \t", line.p[to]) && line.p[to])
		index |= line.p[to++] == ']';
	if (to >= line.n)
		return false;
	if (index)
		return line.p[to] == '=' && (to + 1 == line.n || line.p[to + 1] != '=');
	return line.p[to] == ':' && (to + 1 == line.n || line.p[to + 1] != ':');
}

/* The word that the text begins with, which is taken off it; empty when it begins with none. */
static struct str take_word(struct str *text)
{
	struct str word;
	size_t n = 0;

	*text = str_trim(*text);
	while (n < text->n && (char_is_word(text->p[n]) || (n && text->p[n] == '.')))
		n++;
	word = str_sub(*text, 0, n && !char_is_digit(text->p[0]) ? n : 0);
	*text = str_sub(*text, word.n, text->n);
	return word;
}

/* Do several words follow, without an operator between them: "use make test"? */
static bool is_sentence(struct str text)
{
	static const char *const before[] = { "await", "new", "not", "typeof" };
	static const char *const between[] = { "and", "else", "if", "in", "instanceof", "or" };
	struct str first = take_word(&text);
	bool apart = text.n && char_is_space(text.p[0]);
	struct str second = take_word(&text);

	return first.n && apart && second.n && !WORD_IN(first, before) && !WORD_IN(second, between);
}

/*
 * An unquoted key begins an object or a line, or follows a comma ("Key Context:" is prose), begins
 * in lower case ("CONTEXT:" is a heading), and has a value, not a sentence.
 */
static bool is_prose(struct str line, size_t from, size_t to)
{
	size_t i = from;

	if (i && strchr("\"'", line.p[i - 1]))
		return false;
	while (i && strchr(" \t", line.p[i - 1]))
		i--;
	if (i < from && i && !strchr("{,", line.p[i - 1]))
		return true;
	while (to < line.n && line.p[to] != ':')
		to++;
	return char_is_upper(line.p[from]) ||
	       (to < line.n && is_sentence(str_sub(line, to + 1, line.n)));
}

/* A value that asks for nothing: "continue": true, "suppressOutput": false. */
static bool is_default(struct str line, size_t from, size_t to)
{
	bool yes = str_eqz(str_sub(line, from, to), "continue");

	if (!yes && !str_eqz(str_sub(line, from, to), "suppressOutput"))
		return false;
	while (to < line.n && strchr("\\\"':= \t]", line.p[to]) && line.p[to])
		to++;
	return str_starts_icase(str_sub(line, to, line.n), yes ? STR("true") : STR("false"));
}

/* A value that somebody else's object has under the same name: "tool_output: input.tool_output". */
static bool is_copied(struct str line, size_t from, size_t to)
{
	struct str word = str_sub(line, from, to);

	for (ptrdiff_t at = (ptrdiff_t)to; (at = str_find(line, word, (size_t)at)) >= 0; at++)
		if (strchr(".$\"'{", line.p[at - 1]) &&
		    !is_key(line, (size_t)at, (size_t)at + word.n))
			return true;
	return false;
}

/* Does the text have this key somewhere? */
static bool has_key(struct str text, const char *name)
{
	struct str word = str_from(name);

	for (ptrdiff_t at = 0; (at = str_find(text, word, (size_t)at)) >= 0; at++)
		if (is_key(text, (size_t)at, (size_t)at + word.n))
			return true;
	return false;
}

/* Something that hooks are sent, on any event. */
static bool is_input(struct str word)
{
	for (size_t i = 0; i < ARRAY_LEN(base_fields); i++)
		if (str_eqz(word, base_fields[i].name))
			return true;
	for (size_t i = 0; i < EV_COUNT; i++) {
		struct str rest = str_from(events[i].input), name;

		while (str_split(&rest, ' ', &name))
			if (str_eq(word,
				   str_ends(name, STR("?")) ? str_sub(name, 0, name.n - 1) : name))
				return true;
	}
	return false;
}

static bool is_member(enum words words, struct str word)
{
	return answer_member_find(words, false, word) || answer_member_find(words, true, word);
}

/* May the event's answers have it, at either place? */
static bool is_honoured(const struct script *s, struct str word)
{
	enum words words = s->hook->dialect->words;
	unsigned honours = answer_honours(s->hook);

	for (int inner = 0; inner < 2; inner++) {
		const struct answer_member *m = answer_member_find(words, inner, word);

		if (m && (!m->parts || m->parts & honours || m->parts & PART_ALWAYS))
			return true;
	}
	return false;
}

/* The member of any dialect that is written nearly so; or NULL. */
static const char *misspelt(struct str word)
{
	const struct answer_member *m;
	const char *names[NAMES_MAX], *near;
	size_t n = 0;

	for (size_t i = 0; (m = answer_member_at(i)) && n < ARRAY_LEN(names); i++)
		names[n++] = m->f.name;
	near = word.n >= MEMBER_MIN ? str_nearest(word, names, n) : NULL;
	/* "decisions", "Reason", "sessionState": another word. */
	return near && str_distance(word, str_from(near)) > 0 &&
			       str_distance(word, str_from(near)) <= MISSPELT_MAX &&
			       !str_starts(word, str_from(near)) && strlen(near) >= MEMBER_MIN
		       ? near
		       : NULL;
}

static void say_member(struct script *s, struct str word, unsigned line, const char *meant)
{
	for (size_t i = 0; i < s->nsaid; i++)
		if (str_eq(s->said[i], word))
			return;
	if (s->nsaid < ARRAY_LEN(s->said))
		s->said[s->nsaid++] = word;
	lint_add(s->l, TL_SEVERITY_WARNING, "no-effect", s->at,
		 "%s answers with \"%.*s\", which has no effect on %s%s", where(s, line),
		 STR_ARG(word), s->hook->as->name, meant_as("", meant).text);
}

static void see_word(struct script *s, struct str word, unsigned line)
{
	enum words own = s->hook->dialect->words;
	enum words other = own == WORDS_GEMINI ? WORDS_CLAUDE : WORDS_GEMINI;
	const char *meant, *dot;

	if (is_input(word) || is_honoured(s, word))
		return;
	if (is_member(own, word)) {
		/* Short words may well be about something else. */
		if (word.n > MEMBER_MIN && !s->many_events)
			say_member(s, word, line, answer_meant(&s->l->arena, s->hook, true, word));
		return;
	}
	if (is_member(other, word)) {
		meant = answer_meant(&s->l->arena, s->hook, true, word);
		/* One that speaks both: "decision" of "hookSpecificOutput.decision". */
		dot = meant ? strrchr(meant, '.') : NULL;
		if (meant && has_key(s->text, dot ? dot + 1 : meant))
			return;
		say_member(s, word, line, meant);
		return;
	}
	meant = misspelt(word);
	if (meant)
		say_member(s, word, line,
			   is_member(own, str_from(meant))
				   ? meant
				   : answer_meant(&s->l->arena, s->hook, true, str_from(meant)));
}

/* The end of the next key of an object from *i on; 0 = there is none. */
static size_t next_key(struct str line, size_t *i)
{
	for (size_t end; *i < line.n; *i = end + 1) {
		for (end = *i; end < line.n && char_is_word(line.p[end]);)
			end++;
		if (end > *i && end - *i <= MEMBER_MAX && is_key(line, *i, end) &&
		    !is_prose(line, *i, end))
			return end;
	}
	return 0;
}

/* Has an object what hooks are sent, and nothing that they answer?  Then it is a record of that. */
static bool is_record(const struct script *s, struct str line)
{
	bool input = false;

	for (size_t i = 0, end; (end = next_key(line, &i)); i = end + 1) {
		struct str word = str_sub(line, i, end);

		if (is_member(s->hook->dialect->words, word))
			return false;
		input |= is_input(word);
	}
	return input;
}

/* ---- transcripts ---- */

/* What only readers of one form write. */
static const struct {
	enum words words; /* whose hooks get the other form */
	const char *mark, *form;
} marks[] = {
	{ WORDS_GEMINI, "\"assistant\"", "Claude Code's transcripts" },
	{ WORDS_GEMINI, "'assistant'", "Claude Code's transcripts" },
	{ WORDS_GEMINI, ".message.content", "Claude Code's transcripts" },
	{ WORDS_GEMINI, "\"tool_use\"", "Claude Code's transcripts" },
	{ WORDS_GEMINI, "'tool_use'", "Claude Code's transcripts" },
	{ WORDS_GEMINI, ".messages[", "one JSON document" },
	{ WORDS_GEMINI, "[\"messages\"]", "one JSON document" },
	{ WORDS_GEMINI, "['messages']", "one JSON document" },
	{ WORDS_CLAUDE, "toolCalls", "Gemini CLI's recordings" },
	{ WORDS_CLAUDE, "\"gemini\"", "Gemini CLI's recordings" },
	{ WORDS_CLAUDE, "'gemini'", "Gemini CLI's recordings" },
	{ WORDS_CLAUDE, "functionResponse", "Gemini CLI's recordings" },
};

static bool see_transcript(const struct script *s, struct str line, unsigned number)
{
	const char *here = s->hook->dialect->words == WORDS_CLAUDE
				   ? "a transcript of Claude Code"
				   : "a recording, one JSON object a line";

	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		if (marks[i].words != s->hook->dialect->words ||
		    str_find(line, str_from(marks[i].mark), 0) < 0)
			continue;
		lint_add(s->l, TL_SEVERITY_WARNING, "transcript-form", s->at,
			 "%s reads the transcript in the form of %s; this hook gets %s",
			 where(s, number), marks[i].form, here);
		return true;
	}
	return false;
}

/* ---- all of it ---- */

void lint_script(struct lint *l, const struct hook *hook, const struct place *at, const char *path,
		 struct str text)
{
	struct script s = { .l = l, .hook = hook, .at = at, .path = path, .text = text };
	/* Requests have messages, too. */
	bool transcript = str_find(text, STR("transcript_path"), 0) >= 0 &&
			  str_find(text, STR("llm_request"), 0) < 0;
	unsigned number = 0;
	struct str line;

	s.many_events = str_find(text, STR("hook_event_name"), 0) >= 0;
	for (struct str rest = text; str_split(&rest, '\n', &line);) {
		struct str code = str_trim(line);

		number++;
		if (str_starts(code, STR("#")) || str_starts(code, STR("//")))
			continue;
		for (size_t i = 0, end; !is_record(&s, line) && (end = next_key(line, &i));
		     i = end + 1)
			if (!is_copied(line, i, end) && !is_default(line, i, end))
				see_word(&s, str_sub(line, i, end), number);
		if (transcript && see_transcript(&s, line, number))
			transcript = false;
	}
}
