#include "hooks/messages.h"

#include "base/json_pack.h"
#include "base/vec.h"

enum kind { TEXT, CALL, RESULT, MEDIA, OTHER };

/* A block of the content: a line that marks it, and what can be edited behind that. */
struct slot {
	enum kind kind; /* TEXT: no line, or that of a text behind a result */
	struct str line; /* .p NULL = none, which only the first has */
	size_t at; /* of the line in the content */
	size_t entry; /* that the line reports */
	size_t first, n; /* the entries of a text; of a call or media, that follow */
};

struct layout {
	struct slot *p;
	size_t n, cap;
	struct buf content;
};

static void layout_done(struct layout *l)
{
	free(l->p);
	buf_done(&l->content);
}
DEFINE_AUTO(struct layout, layout_done)

static enum kind kind_of(const struct json *entry)
{
	static const char *const types[] = { "text", "call", "result", "media", "other" };
	struct str type = json_get_str(entry, "type");

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (str_eqz(type, types[i]))
			return (enum kind)i;
	return OTHER;
}

/* A name stays on its line. */
static struct str one_line(struct arena *a, struct str s)
{
	char *z = arena_z(a, s);

	for (size_t i = 0; i < s.n; i++)
		if (z[i] == '\n' || z[i] == '\r')
			z[i] = ' ';
	return (struct str){ z, s.n };
}

struct str message_call_line(struct arena *a, size_t number, struct str name,
			     const struct json *args)
{
	struct str text = args ? json_text(a, args, JSON_COMPACT) : STR("{}");

	return arena_printf(a, "[call %zu: %.*s %.*s]", number, STR_ARG(one_line(a, name)),
			    STR_ARG(text));
}

bool message_is_call_of(struct arena *a, const struct json *calls, struct str line)
{
	const struct json *call;

	for (size_t i = 0; (call = json_at(calls, i)); i++)
		if (str_eq(line, message_call_line(a, i + 1, json_get_str(call, "name"),
						   json_getz(call, "args"))))
			return true;
	return false;
}

bool message_is_other_call(struct str line, struct str given)
{
	ptrdiff_t colon = str_find(line, STR(": "), 0);

	return colon > 0 && !str_eq(line, given) &&
	       str_starts(given, str_sub(line, 0, (size_t)colon + 2));
}

static struct str line_of(struct arena *a, const struct json *entry, enum kind kind, size_t number)
{
	struct str name = one_line(a, json_get_str(entry, kind == MEDIA   ? "mimeType"
							  : kind == OTHER ? "name"
									  : "name"));

	switch (kind) {
	case TEXT:
		return arena_printf(a, "[text %zu]", number);
	case CALL:
		return message_call_line(a, number, name, json_getz(entry, "args"));
	case RESULT:
		return arena_printf(a, "[result %zu: %.*s]", number, STR_ARG(name));
	case MEDIA:
		return arena_printf(a, "[media %zu: %.*s, %lld bytes]", number, STR_ARG(name),
				    (long long)json_int(json_getz(entry, "size"), 0));
	case OTHER:
		break;
	}
	return arena_printf(a, "[other %zu: %.*s]", number, STR_ARG(name));
}

/* What follows the slot's line. */
static struct str slot_text(struct arena *a, const struct slot *slot, const struct json *entries)
{
	AUTO(buf_done) struct buf all = { 0 };

	if (slot->kind == RESULT)
		return json_get_str(json_at(entries, slot->entry), "output");
	if (slot->kind == OTHER)
		return json_get_str(json_at(entries, slot->entry), "value");
	if (slot->n == 1)
		return json_get_str(json_at(entries, slot->first), "text");
	for (size_t i = 0; i < slot->n; i++)
		buf_adds(&all, json_get_str(json_at(entries, slot->first + i), "text"));
	return arena_str(a, buf_str(&all));
}

static void lay_out(struct arena *a, const struct json *entries, struct layout *l)
{
	const struct json *e;
	struct slot *slot;

	slot = VEC_ADD(l);
	*slot = (struct slot){ .kind = TEXT };
	for (size_t i = 0; (e = json_at(entries, i)); i++) {
		enum kind kind = kind_of(e);
		bool closed = slot->kind == RESULT || slot->kind == OTHER;

		if (kind == TEXT && closed && !json_get_str(e, "text").n)
			continue;
		if (kind != TEXT || closed) {
			slot = VEC_ADD(l);
			*slot = (struct slot){ .kind = kind,
					       .entry = i,
					       .line = line_of(a, e, kind, l->n - 1) };
		}
		if (kind == TEXT && slot->n++ == 0)
			slot->first = i;
	}
	for (size_t i = 0; i < l->n; i++) {
		struct str text = slot_text(a, &l->p[i], entries);

		if (l->p[i].line.p && l->content.n)
			buf_addc(&l->content, '\n');
		l->p[i].at = l->content.n;
		buf_adds(&l->content, l->p[i].line);
		if (l->p[i].line.p && (text.n || l->p[i].kind == RESULT || l->p[i].kind == OTHER))
			buf_addc(&l->content, '\n');
		buf_adds(&l->content, text);
	}
}

const struct json *message_shown(struct arena *a, struct str role, const struct json *entries)
{
	AUTO(layout_done) struct layout l = { 0 };

	lay_out(a, entries, &l);
	return json_pack(a, "role:s content:s parts:j", role, buf_str(&l.content), entries);
}

bool message_text(struct arena *a, const struct json *message, struct str *ret_text)
{
	AUTO(buf_done) struct buf all = { 0 };
	const struct json *content = json_getz(message, "content"), *item;
	bool some = false;

	if (json_is(content, J_STR)) {
		*ret_text = json_str(content, STR(""));
		return true;
	}
	if (!content)
		content = json_getz(message, "parts");
	for (size_t i = 0; (item = json_at(content, i)); i++) {
		const struct json *text = json_is(item, J_STR) ? item : json_getz(item, "text");

		if (!json_is(text, J_STR))
			continue;
		buf_adds(&all, json_str(text, STR("")));
		some = true;
	}
	if (some)
		*ret_text = arena_str(a, buf_str(&all));
	return some;
}

bool message_same_text(struct arena *a, struct str shown, struct str given)
{
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *seen = NULL;

	if (str_eq(shown, given))
		return true;
	if (json_write_str(&text, shown) < 0 || json_parse(a, buf_str(&text), 0, &seen, NULL) < 0)
		return false;
	return str_eq(json_str(seen, STR("")), given);
}

/* ---- edits ---- */

struct edit {
	struct arena *a;
	const char *by;
	const char *why; /* what cannot be done; NULL = all of it can */
	const struct json **entries; /* as they become */
	size_t n; /* as many as were shown; behind them stand those that are new */
	struct json_list more;
};

static void refuse(struct edit *e, const struct json *entry)
{
	if (!e->why)
		e->why = kind_of(entry) == CALL ? "changes a call, which stays as it is"
			 : kind_of(entry) == MEDIA
				 ? "changes media, which stay as they are"
				 : "changes a part that has no text, which stays as it is";
}

static const struct json *new_text(struct arena *a, struct str text)
{
	return json_pack(a, "type:z text:s", "text", text);
}

static void set_output(struct edit *e, size_t i, struct str output)
{
	struct str was = json_get_str(e->entries[i], "output");

	if (!message_same_text(e->a, was, output))
		e->entries[i] =
			json_set(e->a, e->entries[i], STR("output"), json_new_str(e->a, output));
}

static void remove_output(struct edit *e, size_t i)
{
	set_output(e, i, arena_printf(e->a, "[removed by hook %s]", e->by));
}

/* A text for n entries: thoughts that it still begins with stay, the next one has the rest. */
static void set_text(struct edit *e, size_t first, size_t n, struct str text)
{
	bool placed = false;

	for (size_t i = first; i < first + n; i++) {
		const struct json *entry = e->entries[i];
		struct str was = json_get_str(entry, "text");

		if (!placed && json_is_true(json_getz(entry, "thought")) && str_starts(text, was)) {
			text = str_sub(text, was.n, text.n);
			continue;
		}
		e->entries[i] = new_text(e->a, placed ? STR("") : text);
		placed = true;
	}
	if (!placed && text.n)
		json_list_add(&e->more, new_text(e->a, text));
}

/* Where the lines of the slots are in a text. */
struct found {
	size_t slot, at, end;
	bool edited; /* it says something else than the slot's: of a call or media, which stay */
};

struct finds {
	struct found *p;
	size_t n, cap;
};

static void find_lines(const struct layout *l, struct str text, bool edits, struct finds *ret)
{
	for (size_t at = 0; at <= text.n;) {
		ptrdiff_t nl = str_find(text, STR("\n"), at);
		size_t end = nl < 0 ? text.n : (size_t)nl;
		struct str line = str_sub(text, at, end);

		for (size_t i = 1; i < l->n && line.n && line.p[0] == '['; i++) {
			bool fixed = l->p[i].kind != TEXT && l->p[i].kind != RESULT;
			bool edited = edits && fixed && message_is_other_call(l->p[i].line, line);

			if (edited || str_eq(line, l->p[i].line))
				*VEC_ADD(ret) = (struct found){ i, at, end, edited };
		}
		at = end + 1;
	}
}

/* Has the content as it was shown other lines that begin as one of its own does? */
static bool has_likes(const struct layout *l)
{
	struct finds all = { 0 };
	bool has = false;

	find_lines(l, buf_str(&l->content), true, &all);
	for (size_t i = 0; i < all.n && !has; i++)
		has = all.p[i].edited;
	free(all.p);
	return has;
}

/*
 * Which of the lines in an edited text are those of the slots.  Texts and outputs may hold such
 * lines, too, written by whoever: where all that were shown are there, each is what it was; else
 * none is believed unless it can be no other.
 */
static void match_lines(const struct layout *l, const struct finds *shown, struct finds *said)
{
	bool same = shown->n == said->n, alone = shown->n == l->n - 1;
	size_t kept = 0, last = 0;

	for (size_t i = 0; same && i < said->n; i++)
		same = said->p[i].slot == shown->p[i].slot;
	for (size_t i = 0; i < said->n; i++) {
		struct found f = said->p[i];

		if (same ? shown->p[i].at != l->p[f.slot].at : !alone || f.slot <= last)
			continue;
		last = f.slot;
		said->p[kept++] = f;
	}
	said->n = kept;
}

static void edit_slot(struct edit *e, const struct slot *slot, const struct json *shown,
		      const struct found *found, struct str text)
{
	bool gone = slot->line.p && !found;

	if (found && found->edited)
		refuse(e, e->entries[slot->entry]);
	if (!gone && message_same_text(e->a, slot_text(e->a, slot, shown), text))
		return;
	if (slot->kind == RESULT) {
		if (gone)
			remove_output(e, slot->entry);
		else
			set_output(e, slot->entry, text);
		return;
	}
	if (slot->kind == OTHER || (gone && slot->kind != TEXT))
		refuse(e, e->entries[slot->entry]);
	if (slot->kind != OTHER)
		set_text(e, slot->first, slot->n, text);
}

static void edit_content(struct edit *e, const struct json *shown, struct str text)
{
	AUTO(layout_done) struct layout l = { 0 };
	struct finds was = { 0 }, is = { 0 };
	size_t home = 0; /* of a text before the first line */

	lay_out(e->a, shown, &l);
	find_lines(&l, buf_str(&l.content), false, &was);
	find_lines(&l, text, !has_likes(&l), &is);
	match_lines(&l, &was, &is);
	/* Without its lines, what is left is the text: where the first one stood. */
	for (size_t i = 0; !is.n && i < l.n; i++)
		home = l.p[i].n && !l.p[home].n ? i : home;
	for (size_t i = 0, k = 0; i < l.n; i++) {
		const struct found *f = i && k < is.n && is.p[k].slot == i ? &is.p[k++] : NULL;
		size_t from = f ? min_size(f->end + 1, text.n) : 0;
		size_t to = k < is.n ? is.p[k].at : text.n;

		/* The line break before the next line. */
		if (k < is.n && to > from)
			to--;
		edit_slot(e, &l.p[i], shown, f, i == home || f ? str_sub(text, from, to) : STR(""));
	}
	free(was.p);
	free(is.p);
}

/* A text in `parts`: an entry, {text}, or a string. */
static bool is_text(const struct json *said, struct str *ret)
{
	const struct json *text = json_is(said, J_STR) ? said : json_getz(said, "text");
	const struct json *type = json_getz(said, "type");

	*ret = json_str(text, STR(""));
	return json_is(text, J_STR) && (!type || str_eqz(json_str(type, STR("")), "text"));
}

/* Is it the entry that was shown, with another text at most? */
static bool is_entry(const struct json *shown, const struct json *said)
{
	enum kind kind = kind_of(shown);
	struct str text;

	if (kind == TEXT)
		return is_text(said, &text);
	if (!json_is(said, J_OBJ) || kind_of(said) != kind)
		return false;
	for (size_t i = 0; i < shown->n; i++) {
		struct str key = shown->members[i].key;

		if (!(kind == RESULT && str_eqz(key, "output")) &&
		    !json_equal(&shown->members[i].v, json_get(said, key)))
			return false;
	}
	return true;
}

static void edit_parts(struct edit *e, const struct json *said)
{
	const struct json *s;
	struct str text;
	size_t k = 0;

	for (size_t i = 0; i < e->n; i++) {
		const struct json *shown = e->entries[i];
		enum kind kind = kind_of(shown);
		bool there = is_entry(shown, json_at(said, k));

		s = there ? json_at(said, k++) : NULL;
		if (kind == TEXT) {
			(void)is_text(s, &text);
			if (!message_same_text(e->a, json_get_str(shown, "text"), text))
				e->entries[i] = new_text(e->a, text);
		}
		if (kind == RESULT && s)
			set_output(e, i, json_get_str(s, "output"));
		else if (kind == RESULT)
			remove_output(e, i);
		else if (kind != TEXT && !s)
			refuse(e, shown);
	}
	for (; (s = json_at(said, k)); k++)
		if (is_text(s, &text))
			json_list_add(&e->more, new_text(e->a, text));
		else if (!e->why)
			e->why = "has parts that cannot be added";
}

const struct json *message_edited(struct arena *a, const struct json *shown,
				  const struct json *said, const char *by, const char **ret_why)
{
	const struct json *was = json_getz(shown, "parts"), *parts = json_getz(said, "parts");
	const struct json *role = json_getz(said, "role"), *now = shown;
	struct edit e = { .a = a, .by = by };
	struct str text;
	bool changed;

	if (ret_why)
		*ret_why = NULL;
	if (!json_is(was, J_ARR) || !json_is(said, J_OBJ))
		return said;
	e.n = was->n;
	e.entries = ARENA_ARRAY(a, const struct json *, was->n + 1);
	for (size_t i = 0; i < was->n; i++)
		e.entries[i] = json_at(was, i);
	if (json_is(parts, J_ARR) && !json_equal(parts, was))
		edit_parts(&e, parts);
	else if (json_getz(said, "content") && message_text(a, said, &text) &&
		 !message_same_text(a, json_get_str(shown, "content"), text))
		edit_content(&e, was, text);
	changed = e.more.n > 0;
	for (size_t i = 0; i < e.n; i++)
		changed |= e.entries[i] != json_at(was, i);
	if (changed) {
		struct json_list all = { 0 };

		for (size_t i = 0; i < e.n; i++)
			json_list_add(&all, e.entries[i]);
		for (size_t i = 0; i < e.more.n; i++)
			json_list_add(&all, e.more.p[i]);
		now = message_shown(a, json_get_str(shown, "role"), json_list_take(a, &all));
	}
	free(e.more.p);
	if (ret_why)
		*ret_why = e.why;
	return json_is(role, J_STR) && !json_equal(role, json_getz(now, "role"))
		       ? json_set(a, now, STR("role"), role)
		       : now;
}

/* ---- which is which ---- */

static bool is_that(struct arena *a, const struct json *shown, const struct json *said)
{
	const struct json *was = json_getz(shown, "content"), *is = json_getz(said, "content");

	return json_equal(shown, said) ||
	       (!json_getz(said, "parts") && json_is(was, J_STR) && json_is(is, J_STR) &&
		str_eq(json_get_str(shown, "role"), json_get_str(said, "role")) &&
		message_same_text(a, json_str(was, STR("")), json_str(is, STR(""))));
}

static bool roles_agree(const struct json *shown, size_t i, const struct json *said, size_t s,
			size_t n)
{
	for (size_t k = 0; k < n; k++) {
		struct str role = json_get_str(json_at(said, s + k), "role");

		if (role.n && !str_eq(role, json_get_str(json_at(shown, i + k), "role")))
			return false;
	}
	return true;
}

const size_t *messages_places(struct arena *a, const struct json *shown, const struct json *said)
{
	size_t n = json_is(shown, J_ARR) ? shown->n : 0, m = json_is(said, J_ARR) ? said->n : 0;
	size_t more = m > n ? m - n : 0, less = n > m ? n - m : 0, next = 0, moved = 0;
	size_t *places = ARENA_ARRAY(a, size_t, m + 1);

	/* No message is further from its place than by those that are new, or left out; of several
	 * that are alike it is the one at its place. */
	for (size_t s = 0; s < m; s++) {
		size_t first = max_size(next, s > more ? s - more : 0),
		       end = min_size(n, s + less + 1);
		size_t here = s + moved, i = first;

		if (here >= first && here < end &&
		    is_that(a, json_at(shown, here), json_at(said, s)))
			i = here;
		while (i < end && !is_that(a, json_at(shown, i), json_at(said, s)))
			i++;
		places[s] = i < end ? i : SIZE_MAX;
		if (i >= end)
			continue;
		next = i + 1;
		moved = i - s; /* may wrap around, and back */
	}
	/* Between two that were found some were edited; the others are new. */
	for (size_t s = 0, i = 0; s < m;) {
		size_t until = s, here, both;

		while (until < m && places[until] == SIZE_MAX)
			until++;
		here = (until < m ? places[until] : n) - i;
		both = min_size(here, until - s);
		if (until - s > both && !roles_agree(shown, i, said, s, both) &&
		    roles_agree(shown, i, said, until - both, both))
			s = until - both;
		for (size_t k = 0; k < both; k++)
			places[s + k] = i + k;
		s = until + 1;
		i = until < m ? places[until] + 1 : n;
	}
	return places;
}
