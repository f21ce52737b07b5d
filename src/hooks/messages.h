/*
 * Messages of a request as hooks see and edit them (C4.6): {role, content, parts}.  `parts` has an
 * entry for each thing that is sent:
 *
 *	{type: text, text, thought?}
 *	{type: call, name, args, id?}
 *	{type: result, name, output, id?}
 *	{type: media, mimeType, size}
 *	{type: other, name, value}
 *
 * `content` is the same as one text, in blocks.  All but a text begin with a line that marks them:
 * "[call 1: f {}]", "[result 2: f]", "[media 3: image/png, 4 bytes]", "[other 4: video]".
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"

/* {role, content, parts} of entries. */
const struct json *message_shown(struct arena *a, struct str role, const struct json *entries);
/*
 * The message as a hook wants it that was shown one and said another: its `parts` where they
 * differ, else its `content`, whose blocks are told apart by their lines.  A result whose line is
 * gone becomes "[removed by hook BY]".  Texts that have no place of their own are entries at the
 * end.  The same pointer as `shown` when nothing changes; what has no `parts` (a host's own form)
 * is taken as said.  *ret_why (NULL allowed): what of it cannot be done, or NULL.
 */
const struct json *message_edited(struct arena *a, const struct json *shown,
				  const struct json *said, const char *by, const char **ret_why);
/* The text of a hook's message: a string, or an array of strings and {text}. */
bool message_text(struct arena *a, const struct json *message, struct str *ret_text);
/* "[call 1: f {}]" */
struct str message_call_line(struct arena *a, size_t number, struct str name,
			     const struct json *args);
/* Is it such a line of one of the calls, which are {name, args}? */
bool message_is_call_of(struct arena *a, const struct json *calls, struct str line);
/* Is `given` the line of the same call with something else in it? */
bool message_is_other_call(struct str line, struct str given);
/*
 * Is `given`, which a hook has sent, what `shown` looks like after a trip through JSON? There, two
 * halves of a surrogate pair that met become one character, and malformed bytes U+FFFD.
 */
bool message_same_text(struct arena *a, struct str shown, struct str given);

/*
 * Which of the messages that were shown each of those that a hook said is: by what they are, else,
 * between two that are found, by position.  SIZE_MAX for one that is new.  One index for each of
 * said; both may be NULL or no arrays.
 */
const size_t *messages_places(struct arena *a, const struct json *shown, const struct json *said);
