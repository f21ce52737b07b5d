/*
 * An object of JSON, read by a table of its members.
 *
 * What is odd about it is found here and said by the caller: a member that is in no row (with the
 * one that was meant), a wrong type, a word or a number that cannot be, a member that is missing.
 *
 *	static const struct object_key keys[] = {
 *		[K_NAME] = { .name = "name", .type = J_STR, .required = true },
 *		[K_MODE] = { .name = "mode", .type = J_STR, .values = "fast safe" },
 *	};
 *	struct object_value got[ARRAY_LEN(keys)];
 *	struct object_reader r = { .keys = keys, .n = ARRAY_LEN(keys), .odd = say, .data = &x };
 *
 *	object_read(&r, v, got);
 *	x.name = json_str(got[K_NAME].v, STR(""));
 */
#pragma once

#include "base/json.h"

struct object_key {
	const char *name;
	enum json_type type;
	unsigned also; /* further types: 1u << J_STR */
	enum json_type items; /* of an array: what each item must be; J_NULL = anything */
	const char *values; /* the words that it can be, separated by blanks; NULL = any */
	/* A check of its text (of an array: of each item's), and what is right in words. */
	bool (*fits)(struct str text);
	const char *what;
	double min, max; /* of a number; both 0 = any */
	bool required;
	unsigned only; /* counts only where the reader has one of these bits; 0 = everywhere */
	/*
	 * Of a member that makes something stricter: the words (or false) that do not.  Such a
	 * member counts, with an error, however it is misspelt and whatever its value is.
	 */
	const char *lax;
	const char *aliases; /* what other programs call it, separated by blanks */
	const char *text; /* what it is for, in schemas */
	const char *rule, *rule_json; /* one more keyword of its schema, and its value */
};

struct object_odd {
	const char *code; /* "unknown-key", "wrong-type", "bad-value", "nul", "missing-key" */
	bool error; /* else a warning: an unknown member that means nothing */
	const char *path; /* "name", "list[2]" */
	const char *text; /* a sentence */
	const struct object_key *key; /* the row, or the one that was meant; NULL = none */
	const struct json *value; /* NULL when it is missing */
	size_t pos; /* of the value, of an unknown member's name, or of the object */
};

struct object_value {
	const struct json *v; /* NULL when it is absent or of no use */
	bool wrong; /* something is odd about it, or a member that was meant to be it */
};

struct object_reader {
	const struct object_key *keys;
	size_t n;
	unsigned have; /* for struct object_key's `only` */
	bool nulls; /* null is the same as absent */
	bool open; /* members that are in no row are somebody else's */
	/* Called in the order of the text.  Everything in *odd is gone when it returns. */
	void (*odd)(void *data, const struct object_odd *odd);
	void *data;
};

/* Fills a value for every row.  What is no object has no members. */
void object_read(const struct object_reader *r, const struct json *v, struct object_value *got);
/* Was the member meant to be one of the table's that make something stricter, and does it? */
bool object_is_strict(const struct object_reader *r, const struct json_member *m);
