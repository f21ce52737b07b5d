#include "cli/ask_line.h"

#include "cli/cli.h"

int ask_line(const char *question, bool secret, struct buf *answer, struct err *err)
{
	FILE *to = out_is_json() ? stderr : stdout;

	(void)fputs(question, to);
	return read_line(to, secret, answer, err);
}

bool ask_yes(const char *question)
{
	AUTO(buf_done) struct buf answer = { 0 };
	struct str word;

	if (ask_line(question, false, &answer, NULL) <= 0)
		return false;
	word = str_trim(buf_str(&answer));
	return str_eqz(word, "y") || str_eqz(word, "Y") || str_eqz(word, "yes");
}
