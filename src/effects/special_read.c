/* Lines that become variables: read, mapfile. */
#include "shell/calls.h"

#include "effects/run.h"

enum { CALLBACKS_MAX = 64 };

/* The next line of *in, which goes on behind it.  What is not known may have more lines. */
static struct str next_line(struct str *in, char end_of_line)
{
	struct str all = *in, line;
	ptrdiff_t end = str_chr(all, end_of_line, 0);

	if (end < 0)
		end = str_chr(all, '\0', 0);
	line = str_sub(all, 0, end < 0 ? all.n : (size_t)end);
	*in = end >= 0 ? str_sub(all, (size_t)end + 1, all.n) : value_known(all) ? STR("") : all;
	return line;
}

static bool run_mapfile(struct run *r, const struct call *c)
{
	struct args a;
	struct str in = r->in, line;
	struct text t = { 0 };
	const struct option *fd, *callback, *end;

	args_read(r, &a, c, "-d -n -O -s -u -C -c");
	fd = args_option(&a, "-u");
	callback = args_option(&a, "-C");
	end = args_option(&a, "-d");
	if (fd ? !file_get(r, arena_printf(r->a, "/dev/fd/%.*s", STR_ARG(fd->value)), &in)
	       : !r->has_in)
		in = ANY;
	if (str_ends(in, STR("\n")))
		in.n--;
	for (bool more = true; more; more = in.n && value_known(in)) {
		line = next_line(&in, end && end->value.n ? end->value.p[0] : '\n');
		if (t.n)
			text_add(r, &t, (struct str){ "\4", 1 });
		text_add(r, &t, line);
	}
	if (!fd && r->has_in)
		run_input(r, in);
	variable_set(r, a.noperands ? a.operands[0] : STR("MAPFILE"), text_str(&t));
	in = callback ? text_str(&t) : (struct str){ 0 };
	/* mapfile -C CALLBACK: gets each line's number and text. */
	for (size_t i = 0; i < CALLBACKS_MAX && str_split(&in, MARK_FIELD, &line); i++) {
		AUTO(buf_done) struct buf quoted = { 0 };

		sh_quote(&quoted, line);
		run_inner(r, arena_printf(r->a, "%.*s %zu %.*s", STR_ARG(callback->value), i,
					  STR_ARG(buf_str(&quoted))));
	}
	if (in.n)
		effects_unjudged(r->e, STR("(too many lines for a callback)"));
	return true;
}

/* Where a word of a line ends. */
static ptrdiff_t word_end(struct run *r, struct str line)
{
	const struct binding *ifs = binding_find(r->vars, STR("IFS"));
	struct str ends = ifs && value_known(ifs->value) ? ifs->value : STR(" \t");

	for (size_t i = 0; i < line.n; i++)
		if (ends.n && memchr(ends.p, line.p[i], ends.n))
			return (ptrdiff_t)i;
	return -1;
}

static bool run_read(struct run *r, const struct call *c)
{
	struct args a;
	struct str line = ANY, in;
	const struct option *fd, *end, *array;

	args_read(r, &a, c, "-d -i -n -N -p -t -u -a");
	fd = args_option(&a, "-u");
	end = args_option(&a, "-d");
	array = args_option(&a, "-a");
	if (fd) {
		struct str path = arena_printf(r->a, "/dev/fd/%.*s", STR_ARG(fd->value));

		if (file_get(r, path, &in)) {
			line = next_line(&in, '\n');
			file_set(r, path, in);
		}
	} else if (r->has_in) {
		in = r->in;
		line = next_line(&in, end && end->value.n ? end->value.p[0] : '\n');
		run_input(r, in);
	}
	if (array) {
		struct fields words = { 0 };

		split_value(r, line, &words);
		variable_set(r, array->value, text_join(r, words.p, words.n, MARK_FIELD));
		return true;
	}
	if (!a.noperands)
		variable_set(r, STR("REPLY"), line);
	for (size_t i = 0; i < a.noperands; i++) {
		struct str word = line;
		ptrdiff_t blank = word_end(r, line);

		if (i + 1 < a.noperands && blank >= 0) {
			word = str_sub(line, 0, (size_t)blank);
			line = str_sub(line, (size_t)blank + 1, line.n);
		} else if (i + 1 < a.noperands && value_known(line)) {
			line = STR("");
		}
		variable_set(r, a.operands[i], word);
	}
	return true;
}

const struct special special_read[] = {
	{ "read", run_read },
	{ "mapfile readarray", run_mapfile },
	{ NULL, NULL },
};
