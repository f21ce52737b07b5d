#include "base/env_line.h"

/* What is between quotes; \n, \" and \\ count in double ones. */
static bool quoted(struct str s, struct buf *out)
{
	char quote = s.p[0];

	for (size_t i = 1; i < s.n; i++) {
		if (s.p[i] == quote)
			return true;
		if (quote == '"' && s.p[i] == '\\' && i + 1 < s.n) {
			i++;
			buf_addc(out, s.p[i] == 'n' ? '\n' : s.p[i]);
			continue;
		}
		buf_addc(out, s.p[i]);
	}
	return false;
}

bool env_line(struct str line, struct str *ret_name, struct buf *ret_value)
{
	struct str rest = str_trim(line), name;
	ptrdiff_t comment;

	if (str_starts(rest, STR("export ")))
		rest = str_trim(str_sub(rest, 7, rest.n));
	if (!rest.n || rest.p[0] == '#' || str_chr(rest, '=', 0) < 1)
		return false;
	(void)str_split(&rest, '=', &name);
	*ret_name = str_trim(name);
	rest = rest.p ? str_trim(rest) : STR("");
	if (rest.n && (rest.p[0] == '"' || rest.p[0] == '\''))
		return quoted(rest, ret_value);
	comment = str_find(rest, STR(" #"), 0);
	buf_adds(ret_value, comment < 0 ? rest : str_trim(str_sub(rest, 0, (size_t)comment)));
	return true;
}
