/* What the files behind policy_shell.h share; nobody else includes it. */
#pragma once

#include "tools/policy_shell.h"

/* Adds the parts of a text; .unknown for the rest where it is not understood. */
void shell_parse(struct shell_split *s, struct str text, unsigned depth);
void shell_add(struct shell_split *s, const struct shell_part *part);
void shell_add_unknown(struct shell_split *s, unsigned depth);
/* Adds what the part at i makes its program start. */
void shell_unwrap(struct shell_split *s, size_t i);

bool shell_word_is(const struct shell_part *p, size_t i, const char *text);
/* Is one of the words from there on opaque? */
bool shell_any_opaque(const struct shell_part *p, size_t from);
/* In a NULL-terminated list. */
bool shell_is_among(struct str s, const char *const *list);
/* "-x" alone, in a bundle or with a value; "--long" shortened or with one. */
bool shell_option_fits(struct str word, const char *option);
