/* Lists of words. */
#pragma once

#include "base/str.h"

/* Is the word one of the list?  It has n words, or ends with a NULL before. */
bool word_in(struct str word, const char *const *list, size_t n);
/* The same for an array. */
#define WORD_IN(word, list) word_in(word, list, ARRAY_LEN(list))
/* For a list whose end is a NULL. */
#define WORDS_ALL SIZE_MAX
/* Does the text hold one of the words of an array anywhere? */
bool text_has(struct str text, const char *const *list, size_t n);
#define TEXT_HAS(text, list) text_has(text, list, ARRAY_LEN(list))
/* Does it begin, or end, with one of them? */
bool text_begins(struct str text, const char *const *list, size_t n);
bool text_ends(struct str text, const char *const *list, size_t n);
#define TEXT_BEGINS(text, list) text_begins(text, list, ARRAY_LEN(list))
#define TEXT_ENDS(text, list) text_ends(text, list, ARRAY_LEN(list))
/* Is it one of the words of a text, which single blanks separate? */
bool word_in_text(struct str word, const char *text);
/* Is it one of "a|b|c*", whatever the case is?  A star at an end: what begins so. */
bool word_is_one_icase(struct str word, const char *words);
/* Does the text hold one of "a|b" anywhere, whatever the case is? */
bool text_has_one_icase(struct str text, const char *words);
/* "notebookPath", "notebook_path" and "Notebook-Path" are one name. */
bool word_like(struct str a, struct str b);
bool word_like_in_text(struct str word, const char *text);
