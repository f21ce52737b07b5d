/* Shapes of secrets, and what surrounds them. */
#include "secrets/formats.h"

static bool among(int c, const char *list)
{
	return c > 0 && strchr(list, c);
}

static bool is_alnum(int c)
{
	return c > 0 && c != '_' && char_is_word((char)c);
}

bool shape_has(char alphabet, int c)
{
	bool digit = c >= '0' && c <= '9';

	switch (alphabet) {
	case 'd':
		return digit;
	case 'x':
		return digit || (c >= 'a' && c <= 'f');
	case 'X':
		return digit || among(c | 0x20, "abcdef");
	case 'l':
		return digit || char_is_lower(c);
	case 'u':
		return digit || (c >= 'A' && c <= 'Z');
	case 'a':
		return is_alnum(c);
	case 'b':
		return is_alnum(c) || among(c, "-_");
	case 't':
		return is_alnum(c) || among(c, "-_.");
	case 'z':
		return is_alnum(c) || among(c, "-_.~");
	case 's':
		return is_alnum(c) || among(c, "+/");
	case 'c':
		return is_alnum(c) || among(c, "-_+/=");
	case 'q':
		return is_alnum(c) || among(c, "-_+/=%");
	case 'h':
		return is_alnum(c) || among(c, "./");
	case 'j':
		return digit || among(c | 0x20, "abcdef") || among(c, "-@");
	case 'e':
		return c == '=';
	case 'M':
		return among(c, "MNO");
	case 'T':
		return among(c, "DTjz");
	case 'k':
		return among(c, "AEIMQUYcgk");
	}
	BUG();
}

void shape_counts(const char **p, size_t *ret_min, size_t *ret_max)
{
	char *end;

	*ret_min = *ret_max = strtoul(*p + 1, &end, 10);
	if (*end == ',')
		*ret_max = strtoul(end + 1, &end, 10);
	*p = end + 1;
}

size_t shape_end(struct look *l, const char *shape, size_t i)
{
	size_t dots = 0;
	char last = 'a';

	while (*shape) {
		size_t n = 0, min, max;

		if (*shape != '%') {
			if (look_at(l, i++) != (unsigned char)*shape++)
				return 0;
			last = 'a';
			continue;
		}
		last = shape[1];
		shape += 2;
		shape_counts(&shape, &min, &max);
		while (n < max && shape_has(last, look_at(l, i + n)))
			n++;
		if (n < min)
			return 0;
		i += n;
		/* What ends a sentence is none of it. */
		if (!*shape)
			while (n-- > min && l->text.p[i - 1] == '.')
				dots++, i--;
	}
	/* What is longer is something else. */
	return shape_has(last, look_at(l, i + dots)) || !look_ends_word(l, i + dots) ? 0 : i;
}

bool look_has(struct look *l, size_t i, const char *z, bool fold)
{
	for (; *z; z++, i++) {
		int c = look_at(l, i);

		if (fold && c >= 'A' && c <= 'Z')
			c |= 0x20;
		if (c != (unsigned char)*z)
			return false;
	}
	return true;
}

bool look_begins_word(const struct look *l, size_t i)
{
	struct str s = l->text;
	size_t k = i - 1;

	if (i == 0 || !char_is_word(s.p[i]) || !char_is_word(s.p[k]))
		return true;
	/* Does an escape end before i: \n, %3D, a terminal's ESC[31m ? */
	if (i > 1 && s.p[i - 2] == '\\')
		return true;
	if (i > 2 && s.p[i - 3] == '%' && shape_has('X', s.p[k]) && shape_has('X', s.p[i - 2]))
		return true;
	if (s.p[k] != 'm')
		return false;
	while (k > 0 && i - k < 12 && (char_is_digit(s.p[k - 1]) || s.p[k - 1] == ';'))
		k--;
	return k > 1 && s.p[k - 1] == '[' && (s.p[k - 2] == '\x1b' || s.p[k - 2] == 'b');
}

bool look_ends_word(struct look *l, size_t i)
{
	int c = look_at(l, i);

	return c < 0 || !char_is_word((char)c);
}
