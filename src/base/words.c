#include "base/words.h"

bool word_in(struct str word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n && list[i]; i++)
		if (str_eqz(word, list[i]))
			return true;
	return false;
}

bool word_in_text(struct str word, const char *text)
{
	for (struct str rest = str_from(text), part; str_split(&rest, ' ', &part);)
		if (str_eq(part, word))
			return true;
	return false;
}
