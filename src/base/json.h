/*
 * JSON with the semantics of JavaScript's JSON.parse and JSON.stringify, because that is what the
 * hook protocol is written in.  Values are immutable and live in an arena.
 *
 *	struct json *doc;
 *	if (json_parse(&arena, text, 0, &doc, err) < 0)
 *		return err_wrap(err, "reading %s", path);
 *	const struct json *hooks = json_getz(doc, "hooks");
 *
 * Strings are WTF-8 with a length: U+0000 and lone surrogates are kept.  Invalid UTF-8 in the input
 * becomes U+FFFD.  A number keeps its source text, so that passing it through loses nothing.  When
 * a key is repeated the last value wins and is where the key stood first.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum json_type { J_NULL, J_BOOL, J_NUM, J_STR, J_ARR, J_OBJ };

struct json_member;

struct json {
	uint8_t type; /* enum json_type */
	bool yes; /* J_BOOL: its value; J_OBJ of a parsed text: a key stood in it more than once */
	bool plain; /* J_STR: holds nothing that needs an escape */
	/* J_OBJ: what precedes the members: an index for look-ups (see json_index.c), the text. */
	bool wide : 1;
	bool written : 1;
	uint32_t pos; /* byte offset of the value in the text it was parsed from */
	size_t n; /* bytes of a string or of a number's text; items; members */
	union {
		const char *s; /* J_STR, J_NUM */
		const struct json *items; /* J_ARR */
		const struct json_member *members; /* J_OBJ */
	};
};

struct json_member {
	struct str key;
	uint32_t pos; /* byte offset of the key's quote */
	bool plain; /* as in struct json, of the key */
	struct json v;
};

enum json_flags {
	JSON_COMMENTS = 1 << 0, /* // and C comments */
	JSON_TRAILING_COMMAS = 1 << 1,
	JSON_BOM = 1 << 2, /* one U+FEFF at the start is skipped */
	JSON_BORROW = 1 << 3, /* strings may point into the text, which must outlive the arena */
	/* Keys that occur twice stay both members; look-ups find either.  `yes` still says so. */
	JSON_REPEATS = 1 << 4,
	/* What settings files are written in. */
	JSON_C = JSON_COMMENTS | JSON_TRAILING_COMMAS | JSON_BOM,
};

struct json_limits {
	size_t max_bytes; /* 0 = JSON_MAX_BYTES; at most 4 GiB */
	unsigned max_depth; /* 0 = JSON_MAX_DEPTH; every level takes some 300 bytes of stack */
};

enum { JSON_MAX_DEPTH = 512 };
#define JSON_MAX_BYTES ((size_t)1 << 30)

/* Where in a text a syntax error is. */
struct json_where {
	size_t pos; /* byte offset */
	unsigned line, column; /* from 1; the column counts characters (code points) */
};

/*
 * Parses one JSON text.  On failure returns -E_PARSE or -E_LIMIT with the text
 * "line L, column C: what was expected and what is there".
 */
int json_parse(struct arena *a, struct str text, unsigned flags, const struct json **ret_v,
	       struct err *err);
/*
 * The same with limits (NULL = the usual ones).  For callers that report file:line:column,
 * *ret_where (NULL allowed) is the place of the error, and the text does not say it again.
 */
int json_parse_at(struct arena *a, struct str text, unsigned flags,
		  const struct json_limits *limits, const struct json **ret_v,
		  struct json_where *ret_where, struct err *err);
/* Line and column of a byte offset in a text. */
struct json_where json_locate(struct str text, size_t pos);
/* The same for a position at or after one that was located before: costs what lies between them. */
struct json_where json_locate_from(struct str text, size_t pos, struct json_where before);

/* Look-ups borrow.  All accept NULL and values of another type: then NULL or the default. */
const struct json *json_get(const struct json *obj, struct str key);
const struct json *json_getz(const struct json *obj, const char *key);
/* The text of a member; "" when it is absent or no string. */
struct str json_get_str(const struct json *obj, const char *key);
/* Does the name of a member of this object hold a NUL, so that as a string of C it is another? */
bool json_has_nul_name(const struct json *v);
/* Did a key occur twice in an object, at any depth?  Of what was parsed without JSON_REPEATS. */
bool json_has_repeats(const struct json *v);
/* The member with its key's place; NULL when absent. */
const struct json_member *json_member(const struct json *obj, struct str key);
const struct json *json_at(const struct json *arr, size_t i);
/* Is one of the array's items this string?  *ret_i (NULL allowed) is the first. */
bool json_holds(const struct json *arr, struct str s, size_t *ret_i);
/* RFC 6901 ("/a/b/0"; "" is the value itself).  NULL when there is none or it is malformed. */
const struct json *json_pointer(const struct json *v, struct str pointer);
static inline bool json_is(const struct json *v, enum json_type type)
{
	return v && v->type == type;
}
static inline bool json_is_true(const struct json *v)
{
	return v && v->type == J_BOOL && v->yes;
}
static inline bool json_is_false(const struct json *v)
{
	return v && v->type == J_BOOL && !v->yes;
}
/* The string's bytes, or dflt. */
static inline struct str json_str(const struct json *v, struct str dflt)
{
	return v && v->type == J_STR ? (struct str){ v->s, v->n } : dflt;
}
/* The number as JavaScript reads it (correctly rounded, independent of the locale), or dflt. */
double json_num(const struct json *v, double dflt);
/* The number without its fraction, at most 2^53 - 1 either way; or dflt. */
int64_t json_int(const struct json *v, int64_t dflt);
/* The same, or the number that a string holds: a setting that names a variable is a string. */
double json_num_in_text(const struct json *v, double dflt);
/* "null", "boolean", "number", "string", "array", "object" ("nothing" for NULL). */
const char *json_type_name(const struct json *v);
/* The same in a sentence: "an array". */
const char *json_what(const struct json *v);
/*
 * Equal as values: order of members does not matter, order of items does, 5 equals 5.0.  NULL
 * equals NULL alone.
 */
bool json_equal(const struct json *a, const struct json *b);

/* Making values (all in the arena; strings and children are borrowed, not copied). */
const struct json *json_new_str(struct arena *a, struct str s);
/* The same of a copy of the text. */
const struct json *json_new_copy(struct arena *a, struct str s);
const struct json *json_new_num(struct arena *a, double d);
const struct json *json_new_int(struct arena *a, int64_t i);
const struct json *json_new_bool(struct arena *a, bool b);
const struct json *json_new_null(struct arena *a);
const struct json *json_new_arr(struct arena *a, const struct json *const *items, size_t n);
/* A copy of an array (NULL = an empty one) with one item more. */
const struct json *json_append(struct arena *a, const struct json *arr, const struct json *item);
const struct json *json_new_obj(struct arena *a); /* empty */
/* An object of these members (keys and values borrowed); of a repeated key the last value counts.
 */
const struct json *json_new_members(struct arena *a, const struct json_member *members, size_t n);
/* A copy of obj (NULL = an empty one) in which key has the value v, in its old place or last. */
const struct json *json_set(struct arena *a, const struct json *obj, struct str key,
			    const struct json *v);
/* A copy of obj without key; obj itself when it has none. */
const struct json *json_without(struct arena *a, const struct json *obj, struct str key);
/*
 * The members of patch over those of base, one level deep: what "merge member by member" means in
 * the contract (C4.4).  A null in patch is a value like any other.  base may be NULL.
 */
const struct json *json_overlay(struct arena *a, const struct json *base, const struct json *patch);
/* RFC 7396: recursive, null deletes. */
const struct json *json_merge_patch(struct arena *a, const struct json *target,
				    const struct json *patch);
/* A deep copy that owns everything it points to; what knew its text does so in the copy. */
const struct json *json_dup(struct arena *a, const struct json *v);
/*
 * The same value, which knows its text: to write it, alone or inside of others, is a copy.  For
 * what goes out again and again, such as the parts of a conversation; a copy that differs in
 * anything does not know the text.
 */
const struct json *json_with_text(struct arena *a, const struct json *v);

/* Writing. */
enum json_style {
	JSON_COMPACT = 0,
	/* Two spaces, ": ", one item a line, {} and [] when empty: JSON.stringify(v, null, 2). */
	JSON_PRETTY = 1 << 0,
	/*
	 * Byte for byte what JavaScript would print: numbers in the shortest form of
	 * Number::toString, keys that are array indices first and ascending.  Without it numbers
	 * keep their source text and members their order.
	 */
	JSON_JS = 1 << 1,
};

/* Appends v; -E_LIMIT when the buffer is full.  Lone surrogates are written as \udxxx. */
int json_write(struct buf *out, const struct json *v, unsigned style);
/*
 * Appends the same JSON text, in which a terminal finds nothing to obey: DEL, C1 and bidirectional
 * controls become \u escapes, malformed bytes U+FFFD.
 */
void json_visible(struct buf *out, struct str json);
/* Appends s as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD. */
int json_write_str(struct buf *out, struct str s);
void json_write_uint(struct buf *out, uint64_t i);
/* Appends d as Number::toString prints it; NaN and infinities as null. */
void json_write_num(struct buf *out, double d);
/* v as a NUL-terminated text in the arena. */
struct str json_text(struct arena *a, const struct json *v, unsigned style);

/*
 * Streaming writer: commas and colons are its business.
 *
 *	struct jw w = { .out = &buf };
 *	jw_obj(&w);
 *	jw_key(&w, "name"); jw_str(&w, name);
 *	jw_end(&w);
 */
enum { JW_MAX_DEPTH = 64 };

struct jw {
	struct buf *out;
	bool pretty; /* set before the first call */
	unsigned depth;
	bool after_key;
	struct jw_level {
		char close;
		bool some;
	} levels[JW_MAX_DEPTH];
};

void jw_obj(struct jw *w);
void jw_arr(struct jw *w);
void jw_end(struct jw *w);
void jw_key(struct jw *w, const char *key);
void jw_keys(struct jw *w, struct str key);
void jw_str(struct jw *w, struct str s);
void jw_z(struct jw *w, const char *z); /* NULL is written as null */
void jw_int(struct jw *w, int64_t i);
void jw_num(struct jw *w, double d);
void jw_bool(struct jw *w, bool b);
void jw_null(struct jw *w);
void jw_json(struct jw *w, const struct json *v); /* NULL is written as null */
void jw_raw(struct jw *w, struct str json_text); /* one JSON value, already text */
void jw_members(struct jw *w, const struct json *obj); /* into the object that is open */
/* A key with its value, for the usual cases. */
void jw_kv_str(struct jw *w, const char *key, struct str s);
void jw_kv_z(struct jw *w, const char *key, const char *z);
void jw_kv_int(struct jw *w, const char *key, int64_t i);
void jw_kv_bool(struct jw *w, const char *key, bool b);
