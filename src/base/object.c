#include "base/object.h"
#include "base/meant.h"

#include "base/words.h"

static bool counts(const struct object_reader *r, const struct object_key *k)
{
	return !k->only || (k->only & r->have);
}

static const struct object_key *find(const struct object_reader *r, struct str name)
{
	for (size_t i = 0; i < r->n; i++)
		if (str_eqz(name, r->keys[i].name) && counts(r, &r->keys[i]))
			return &r->keys[i];
	return NULL;
}

/* The row that a misspelt name was meant to be, or NULL. */
static const struct object_key *object_meant(const struct object_reader *r, struct str name)
{
	const struct object_key *best = NULL;
	size_t distance = SIZE_MAX;

	for (size_t i = 0; i < r->n; i++) {
		struct str rest = str_from(r->keys[i].aliases), word = str_from(r->keys[i].name);

		if (!counts(r, &r->keys[i]))
			continue;
		do {
			size_t d = str_distance(name, word);

			/* A third of the word may be wrong. */
			if (d < distance && d <= max_size(1, name.n / 3)) {
				distance = d;
				best = &r->keys[i];
			}
		} while (str_split(&rest, ' ', &word));
	}
	return best;
}

static bool is_lax(const struct object_key *k, const struct json *v)
{
	return !k->lax || json_is_false(v) ||
	       (k->type == J_STR && word_in_text(json_str(v, STR("")), k->lax));
}

bool object_is_strict(const struct object_reader *r, const struct json_member *m)
{
	const struct object_key *k = find(r, m->key);

	k = k ? k : object_meant(r, m->key);
	return k && !is_lax(k, &m->v);
}

static void say(const struct object_reader *r, struct object_odd odd, char *take_text)
{
	AUTO(free) char *text = take_text;

	odd.text = text;
	r->odd(r->data, &odd);
}

/* "warn", "ask" or "deny" */
static void add_words(struct buf *out, const char *words)
{
	struct str rest = str_from(words), word;
	bool first = true;

	while (str_split(&rest, ' ', &word)) {
		buf_addf(out, "%s\"%.*s\"", first ? "" : rest.n ? ", " : " or ", STR_ARG(word));
		first = false;
	}
}

static bool check_type(const struct object_reader *r, const struct object_key *k, const char *path,
		       const struct json *v, unsigned types)
{
	AUTO(buf_done) struct buf right = { 0 };

	if (types & 1u << v->type)
		return true;
	for (enum json_type t = J_NULL; t <= J_OBJ; t++)
		if (types & 1u << t) {
			const char *name = json_type_name(&(struct json){ .type = (uint8_t)t });

			buf_addf(&right, "%s%s %s", right.n ? " or " : "",
				 strchr("ao", name[0]) ? "an" : "a", name);
		}
	say(r, (struct object_odd){ "wrong-type", true, path, NULL, k, v, v->pos },
	    xasprintf("\"%s\" must be %s, this is %s", path, buf_z(&right), json_what(v)));
	return false;
}

/* The words, texts and numbers that it can be. */
static bool check_value(const struct object_reader *r, const struct object_key *k, const char *path,
			const struct json *v)
{
	AUTO(buf_done) struct buf right = { 0 };
	struct str text = json_str(v, STR(""));
	double n = json_num(v, k->min);
	const char *code = "bad-value";
	struct meant meant = { "" };

	if (v->type == J_STR && k->values && !word_in_text(text, k->values))
		add_words(&right, k->values);
	else if (v->type == J_STR && k->fits && !k->fits(text))
		buf_addz(&right, k->what);
	else if (k->max > k->min && !(n >= k->min && n <= k->max))
		buf_addf(&right, "a number from %g to %g", k->min, k->max);
	if (v->type == J_STR && memchr(text.p, '\0', text.n))
		code = "nul";
	else if (!right.n)
		return true;
	else if (v->type == J_STR)
		meant = meant_among(text, buf_z(&right));
	say(r, (struct object_odd){ code, true, path, NULL, k, v, v->pos },
	    *code == 'n' ? xasprintf("\"%s\" holds a NUL character", path)
			 : xasprintf("\"%s\" must be %s%s", path, buf_z(&right), meant.text));
	return false;
}

static void read_value(const struct object_reader *r, const struct object_key *k,
		       const struct json *v, struct object_value *got)
{
	if (v->type == J_NULL && r->nulls && !k->lax)
		return;
	if (!check_type(r, k, k->name, v, k->also | 1u << k->type) ||
	    !check_value(r, k, k->name, v)) {
		got->wrong = true;
		return;
	}
	got->v = v;
	for (size_t i = 0; v->type == J_ARR && i < v->n; i++) {
		AUTO(free) char *path = xasprintf("%s[%zu]", k->name, i);
		const struct json *item = json_at(v, i);

		if (k->items && !(check_type(r, k, path, item, 1u << k->items) &&
				  check_value(r, k, path, item)))
			got->wrong = true;
	}
}

/* A member that is in no row. */
static void read_unknown(const struct object_reader *r, const struct json_member *m,
			 struct object_value *got)
{
	const struct object_key *meant = object_meant(r, m->key);
	bool strict = meant && !is_lax(meant, &m->v);
	AUTO(free) char *path = xstrndup(m->key.p, m->key.n);

	if (strict)
		got[meant - r->keys].wrong = true;
	else if (r->open)
		return;
	say(r, (struct object_odd){ "unknown-key", strict, path, NULL, meant, &m->v, m->pos },
	    xasprintf("unknown key \"%s\"%s", path, meant_as("", meant ? meant->name : NULL).text));
}

void object_read(const struct object_reader *r, const struct json *v, struct object_value *got)
{
	for (size_t i = 0; i < r->n; i++)
		got[i] = (struct object_value){ 0 };
	for (size_t i = 0; json_is(v, J_OBJ) && i < v->n; i++) {
		const struct object_key *k = find(r, v->members[i].key);

		if (k)
			read_value(r, k, &v->members[i].v, &got[k - r->keys]);
		else
			read_unknown(r, &v->members[i], got);
	}
	for (size_t i = 0; json_is(v, J_OBJ) && i < r->n; i++) {
		const struct object_key *k = &r->keys[i];

		if (k->required && counts(r, k) && !json_getz(v, k->name))
			say(r,
			    (struct object_odd){ "missing-key", true, k->name, NULL, k, NULL,
						 v->pos },
			    xasprintf("\"%s\" is missing", k->name));
	}
}
