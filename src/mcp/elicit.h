/*
 * What a server asks the user in the middle of a call (elicitation): a form of flat fields, or an
 * address.  Read from what the server sends, answered by what the user, a hook or a default says,
 * and checked before it goes out.
 */
#pragma once

#include "base/json.h"

enum { ELICIT_FIELDS_MAX = 50, ELICIT_OPTIONS_MAX = 200, ELICIT_TEXT_MAX = 4096 };

enum elicit_type {
	ELICIT_TEXT,
	ELICIT_NUMBER,
	ELICIT_INTEGER,
	ELICIT_BOOL,
	ELICIT_ONE, /* of the options */
	ELICIT_SOME,
};

struct elicit_option {
	struct str value;
	const char *title; /* what people see */
};

/* Texts are the server's, never NULL. */
struct elicit_field {
	struct str name;
	const char *title, *about; /* the title is the name where there is none */
	enum elicit_type type;
	bool required;
	const struct json *preset; /* its default, which fits; or NULL */
	double min, max; /* of a number, of a text's characters, of how many are chosen */
	const char *format; /* "email", "uri", "date", "date-time", or "" */
	const struct elicit_option *options;
	size_t n;
};

struct elicit {
	bool is_url;
	const char *message;
	const char *url, *id; /* of an address; "" in a form */
	const struct elicit_field *fields;
	size_t n;
	const struct json *schema; /* requestedSchema, as it came, or NULL */
};

enum elicit_action { ELICIT_CANCEL, ELICIT_DECLINE, ELICIT_ACCEPT };
extern const char *const elicit_actions[3];

/* The params of elicitation/create; -E_INVAL and why it cannot be asked.  All in the arena. */
int elicit_read(struct arena *a, const struct json *params, struct elicit *ret, struct err *err);
/* What somebody has typed as a value of the field; -E_INVAL and what is wanted. */
int elicit_typed(struct arena *a, const struct elicit_field *f, struct str text,
		 const struct json **ret_v, struct err *err);
/* "a whole number from 1 to 10", for people. */
const char *elicit_wants(struct arena *a, const struct elicit_field *f);
/*
 * Is this the content of an accepted form?  Fields that are left out get their defaults, members
 * that are no fields are dropped; -E_INVAL names what does not fit.
 */
int elicit_content(struct arena *a, const struct elicit *e, const struct json *content,
		   const struct json **ret_content, struct err *err);
