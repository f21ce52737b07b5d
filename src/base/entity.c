/* The entities that people and models write; the other two thousand are shown as they are. */
#include "base/entity.h"

/* Sorted by name. */
static const struct {
	const char *name;
	uint16_t c;
} entities[] = {
	{ "AElig", 0xc6 },    { "Aacute", 0xc1 },   { "Agrave", 0xc0 },   { "Aring", 0xc5 },
	{ "Auml", 0xc4 },     { "Ccedil", 0xc7 },   { "Delta", 0x394 },   { "Eacute", 0xc9 },
	{ "Egrave", 0xc8 },   { "Ntilde", 0xd1 },   { "Omega", 0x3a9 },   { "Oslash", 0xd8 },
	{ "Ouml", 0xd6 },     { "Sigma", 0x3a3 },   { "Uuml", 0xdc },     { "aacute", 0xe1 },
	{ "acirc", 0xe2 },    { "aelig", 0xe6 },    { "agrave", 0xe0 },   { "alpha", 0x3b1 },
	{ "amp", '&' },       { "apos", '\'' },     { "aring", 0xe5 },    { "asymp", 0x2248 },
	{ "auml", 0xe4 },     { "beta", 0x3b2 },    { "bull", 0x2022 },   { "ccedil", 0xe7 },
	{ "cent", 0xa2 },     { "check", 0x2713 },  { "copy", 0xa9 },     { "cross", 0x2717 },
	{ "darr", 0x2193 },   { "deg", 0xb0 },      { "delta", 0x3b4 },   { "divide", 0xf7 },
	{ "eacute", 0xe9 },   { "ecirc", 0xea },    { "egrave", 0xe8 },   { "emsp", 0x2003 },
	{ "ensp", 0x2002 },   { "epsilon", 0x3b5 }, { "equiv", 0x2261 },  { "euml", 0xeb },
	{ "euro", 0x20ac },   { "frac12", 0xbd },   { "gamma", 0x3b3 },   { "ge", 0x2265 },
	{ "gt", '>' },        { "harr", 0x2194 },   { "hellip", 0x2026 }, { "iacute", 0xed },
	{ "icirc", 0xee },    { "infin", 0x221e },  { "isin", 0x2208 },   { "lambda", 0x3bb },
	{ "laquo", 0xab },    { "larr", 0x2190 },   { "ldquo", 0x201c },  { "le", 0x2264 },
	{ "lsquo", 0x2018 },  { "lt", '<' },        { "mdash", 0x2014 },  { "micro", 0xb5 },
	{ "middot", 0xb7 },   { "minus", 0x2212 },  { "mu", 0x3bc },      { "nbsp", ' ' },
	{ "ndash", 0x2013 },  { "ne", 0x2260 },     { "ntilde", 0xf1 },   { "oacute", 0xf3 },
	{ "ocirc", 0xf4 },    { "oslash", 0xf8 },   { "ouml", 0xf6 },     { "para", 0xb6 },
	{ "pi", 0x3c0 },      { "plusmn", 0xb1 },   { "pound", 0xa3 },    { "quot", '"' },
	{ "rArr", 0x21d2 },   { "radic", 0x221a },  { "raquo", 0xbb },    { "rarr", 0x2192 },
	{ "rdquo", 0x201d },  { "reg", 0xae },      { "rsquo", 0x2019 },  { "sect", 0xa7 },
	{ "shy", 0xad },      { "sigma", 0x3c3 },   { "sum", 0x2211 },    { "szlig", 0xdf },
	{ "thinsp", 0x2009 }, { "times", 0xd7 },    { "trade", 0x2122 },  { "uacute", 0xfa },
	{ "uarr", 0x2191 },   { "ucirc", 0xfb },    { "uuml", 0xfc },     { "yen", 0xa5 },
	{ "zwj", 0x200d },    { "zwnj", 0x200c },
};

/* What browsers take &#128; to &#159; for. */
static const uint16_t windows[32] = {
	0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
	0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
	0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178,
};

uint32_t entity_char(struct str name)
{
	if (name.n && name.p[0] == '#') {
		struct str digits = str_sub(name, 1, name.n);
		bool hex = digits.n && (digits.p[0] | 0x20) == 'x';
		uint32_t v = 0;
		size_t at = hex;

		for (; at < digits.n; at++) {
			int digit = char_hex(digits.p[at]);

			if (digit < 0 || (digit > 9 && !hex))
				return 0;
			v = v * (hex ? 16 : 10) + (uint32_t)digit;
			if (v > 0x10ffff)
				return 0xfffd;
		}
		if (at == hex)
			return 0;
		if (v >= 0x80 && v < 0xa0)
			return windows[v - 0x80];
		return v == 0 || (v >= 0xd800 && v < 0xe000) ? 0xfffd : v;
	}
	for (size_t i = 0; i < ARRAY_LEN(entities); i++)
		if (str_eqz(name, entities[i].name))
			return entities[i].c;
	return 0;
}
