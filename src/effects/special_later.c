/* What runs later: at, cron. */
#include "shell/calls.h"

#include "effects/run.h"

/* The commands of a crontab: what follows five times, or @daily. */
static void call_cron(struct run *r, const struct call *c, struct str text)
{
	struct str line;

	for (struct str rest = text; str_split(&rest, '\n', &line);) {
		size_t i = 0, skip = 5;

		line = str_trim(line);
		if (!line.n || line.p[0] == '#')
			continue;
		if (line.n == 1 && char_is_mark(line.p[0])) {
			call_shell(r, c, line);
			continue;
		}
		skip = line.p[0] == '@' ? 1 : 5;
		for (; skip && i < line.n; skip--) {
			while (i < line.n && line.p[i] != ' ' && line.p[i] != '\t')
				i++;
			while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
				i++;
		}
		if (i < line.n)
			call_shell(r, c, str_sub(line, i, line.n));
	}
}

static bool run_later(struct run *r, const struct call *c)
{
	struct args a;
	struct str name = sh_file_name(c->words[0]), text;

	args_read(r, &a, c, "-f -q -t -u -l_");
	if (args_option(&a, "-l|-c|-V|--help|--version") || str_eqz(name, "atq")) {
		call_add(r, c, (struct effect){ .kind = EFFECT_READ });
		return true;
	}
	if (str_eqz(name, "crontab") && args_option(&a, "-r")) {
		call_add(r, c, (struct effect){ .kind = EFFECT_PERSIST });
		call_add(r, c, (struct effect){ .kind = EFFECT_DELETE, .places = PLACE_STARTUP });
		return true;
	}
	if (args_option(&a, "-e|-d|-r"))
		return true;
	/* No job is typed where nothing is read from. */
	if (!str_eqz(name, "crontab") && !r->has_in && !args_option(&a, "-f"))
		return true;
	call_add(r, c, (struct effect){ .kind = EFFECT_PERSIST });
	if (args_option(&a, "-f") && file_read(r, args_option(&a, "-f")->value, &text))
		call_shell(r, c, text);
	else if (str_eqz(name, "crontab") && a.noperands && !is_input_path(a.operands[0]) &&
		 file_read(r, a.operands[0], &text))
		call_cron(r, c, text);
	else if (r->has_in && str_eqz(name, "crontab"))
		call_cron(r, c, r->in);
	else if (r->has_in)
		call_shell(r, c, r->in);
	return true;
}

const struct special special_later[] = {
	{ "at batch crontab atq", run_later },
	{ NULL, NULL },
};
