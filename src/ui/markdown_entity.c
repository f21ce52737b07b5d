/* The entities that people and models write; the other two thousand are shown as they are. */
#include "ui/markdown_entity.h"

#include "base/utf8.h"
#include "ui/clean.h"

static const struct {
	const char *name, *text;
} entities[] = {
	{ "Delta", "Δ" },   { "Omega", "Ω" },  { "Sigma", "Σ" },  { "aacute", "á" },
	{ "alpha", "α" },   { "amp", "&" },    { "apos", "'" },   { "asymp", "≈" },
	{ "auml", "ä" },    { "beta", "β" },   { "bull", "•" },   { "ccedil", "ç" },
	{ "cent", "¢" },    { "check", "✓" },  { "copy", "©" },   { "cross", "✗" },
	{ "darr", "↓" },    { "deg", "°" },    { "delta", "δ" },  { "divide", "÷" },
	{ "eacute", "é" },  { "egrave", "è" }, { "emsp", " " },   { "ensp", " " },
	{ "epsilon", "ε" }, { "equiv", "≡" },  { "euro", "€" },   { "frac12", "½" },
	{ "gamma", "γ" },   { "ge", "≥" },     { "gt", ">" },     { "harr", "↔" },
	{ "hellip", "…" },  { "infin", "∞" },  { "isin", "∈" },   { "lambda", "λ" },
	{ "laquo", "«" },   { "larr", "←" },   { "ldquo", "“" },  { "le", "≤" },
	{ "lsquo", "‘" },   { "lt", "<" },     { "mdash", "—" },  { "micro", "µ" },
	{ "middot", "·" },  { "minus", "−" },  { "mu", "μ" },     { "nbsp", " " },
	{ "ndash", "–" },   { "ne", "≠" },     { "ntilde", "ñ" }, { "ouml", "ö" },
	{ "para", "¶" },    { "pi", "π" },     { "plusmn", "±" }, { "pound", "£" },
	{ "quot", "\"" },   { "rArr", "⇒" },   { "radic", "√" },  { "raquo", "»" },
	{ "rarr", "→" },    { "rdquo", "”" },  { "reg", "®" },    { "rsquo", "’" },
	{ "sect", "§" },    { "sigma", "σ" },  { "sum", "∑" },    { "szlig", "ß" },
	{ "thinsp", " " },  { "times", "×" },  { "trade", "™" },  { "uarr", "↑" },
	{ "uuml", "ü" },    { "yen", "¥" },    { "zwj", "" },     { "zwnj", "" },
};

void entity_add(struct buf *out, struct str entity)
{
	struct str name = str_sub(entity, 1, entity.n - 1);
	char utf8[4];
	size_t n;

	if (name.n && name.p[0] == '#') {
		struct str digits = str_sub(name, 1, name.n);
		bool hex = digits.n && (digits.p[0] == 'x' || digits.p[0] == 'X');
		uint32_t cp = 0;

		for (size_t i = hex; i < digits.n && cp <= 0x10ffff; i++) {
			uint32_t c = (unsigned char)digits.p[i] | 0x20u;
			uint32_t v =
				c >= 'a' ? c - 'a' + 10 : (unsigned char)digits.p[i] - 0u - '0';

			cp = cp * (hex ? 16 : 10) + v;
		}
		n = utf8_encode(cp && cp <= 0x10ffff && !(cp >= 0xd800 && cp <= 0xdfff) ? cp
											: 0xfffd,
				utf8);
		clean_add_line(out, (struct str){ utf8, n });
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(entities); i++) {
		if (str_eqz(name, entities[i].name)) {
			buf_addz(out, entities[i].text);
			return;
		}
	}
	buf_adds(out, entity);
}
