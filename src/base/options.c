#include "base/options.h"
#include "base/meant.h"
#include "base/words.h"

#include <limits.h>

enum { HELP_INDENT = 2, HELP_TEXT_AT = 26, OPTS_MAX = 64 };
enum { NARROW = 60, NARROW_TEXT_AT = 6 }; /* columns */

/* What an option is called in one command, in another, or in another program. */
static const char *const synonyms[] = {
	"yes consent force assume-yes confirm no-input",
	"dry-run check simulate what-if preview",
	"dir cwd directory chdir project-dir working-dir",
	"json output-format format output",
	"into agent target client",
	"all everything include-all",
	"failed errors failures",
	"lines limit last tail count",
	"follow watch live",
};

static int unknown(const struct opt *opts, size_t n, struct str name, struct err *err)
{
	const char *names[OPTS_MAX], *near = NULL;
	size_t meant = 0;

	n = min_size(n, OPTS_MAX);
	for (size_t i = 0; i < n; i++) {
		names[i] = opts[i].name;
		/* --agent claude, where it is --into AGENT: named after the value. */
		if (opts[i].arg && str_eqz_icase(name, opts[i].arg)) {
			near = opts[i].name;
			meant++;
		}
	}
	if (meant != 1)
		near = str_nearest(name, names, n);
	/* An option that means the same. */
	for (size_t i = 0; i < ARRAY_LEN(synonyms); i++)
		for (size_t k = 0; !near && k < n && word_in_text(name, synonyms[i]); k++)
			if (word_in_text(str_from(names[k]), synonyms[i]))
				near = names[k];
	return err_set(err, E_INVAL, "unknown option --%.*s%s", STR_ARG(name),
		       meant_as("--", near).text);
}

static int store(const struct opt *o, void *into, const char *value, struct err *err)
{
	char *at = (char *)into + o->offset;
	struct opt_list *list;
	int64_t number;

	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)at = true;
		return 0;
	case OPT_STR:
		*(const char **)at = value;
		return 0;
	case OPT_LIST:
		list = (struct opt_list *)at;
		if (list->n == OPT_LIST_MAX)
			return err_set(err, E_LIMIT, "--%s may be given at most %d times", o->name,
				       OPT_LIST_MAX);
		list->p[list->n++] = value;
		return 0;
	case OPT_INT:
		if (!str_to_int(str_from(value), &number))
			return err_set(err, E_INVAL, "--%s takes a whole number, not \"%s\"",
				       o->name, value);
		*(int64_t *)at = number;
		return 0;
	}
	return 0;
}

/* The option in argv[*i]; moves *i to the last argument that it took. */
static int take(const struct opt *opts, size_t n, void *into, int argc, char **argv, int *i,
		struct err *err)
{
	const char *word = argv[*i], *value = NULL;
	const struct opt *o = opts;

	if (word[1] == '-') {
		const char *eq = strchr(word, '=');
		struct str name = { word + 2, eq ? (size_t)(eq - word) - 2 : strlen(word) - 2 };

		while (o < opts + n && !str_eqz(name, o->name))
			o++;
		if (o == opts + n)
			return unknown(opts, n, name, err);
		value = eq ? eq + 1 : NULL;
	} else {
		while (o < opts + n && o->letter != word[1])
			o++;
		if (o == opts + n)
			return err_set(err, E_INVAL, "unknown option -%c", word[1]);
		value = word[2] ? word + 2 : NULL;
	}
	if (o->kind == OPT_FLAG && value)
		return err_set(err, E_INVAL, "--%s takes no value", o->name);
	if (o->kind != OPT_FLAG && !value) {
		if (*i + 1 == argc)
			return err_set(err, E_INVAL, "--%s needs a value: %s", o->name, o->arg);
		value = argv[++*i];
	}
	return store(o, into, value, err);
}

int opt_parse_until(const struct opt *opts, size_t n, void *into, int words, int argc, char **argv,
		    int *ret_n, struct err *err)
{
	int kept = 0;
	bool ended = false;

	for (int i = 0; i < argc; i++) {
		bool is_option = !ended && kept < words && argv[i][0] == '-' && argv[i][1];

		if (is_option && strcmp(argv[i], "--") == 0) {
			ended = true;
		} else if (is_option) {
			int r = take(opts, n, into, argc, argv, &i, err);
			if (r < 0)
				return r;
		} else {
			argv[kept++] = argv[i];
		}
	}
	*ret_n = kept;
	return 0;
}

int opt_parse(const struct opt *opts, size_t n, void *into, int argc, char **argv, int *ret_n,
	      struct err *err)
{
	return opt_parse_until(opts, n, into, INT_MAX, argc, argv, ret_n, err);
}

void opt_help(struct buf *out, const struct opt *opts, size_t n, size_t columns)
{
	size_t text_at = columns < NARROW ? NARROW_TEXT_AT : HELP_TEXT_AT;

	for (size_t i = 0; i < n; i++) {
		const struct opt *o = &opts[i];
		size_t from = out->n;
		size_t column = text_at;

		buf_addf(out, "%*s", HELP_INDENT, "");
		if (o->letter)
			buf_addf(out, "-%c, ", o->letter);
		buf_addf(out, "--%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
		size_t used = out->n - from;
		if (used + 2 > text_at)
			buf_addf(out, "\n%*s", (int)text_at, "");
		else
			buf_addf(out, "%*s", (int)(text_at - used), "");
		for (struct str rest = str_from(o->text), word; str_split(&rest, ' ', &word);) {
			if (column + word.n + 1 > columns && column > text_at) {
				buf_addf(out, "\n%*s", (int)text_at, "");
				column = text_at;
			}
			buf_addf(out, "%s%.*s", column > text_at ? " " : "", STR_ARG(word));
			column += word.n + 1;
		}
		buf_addc(out, '\n');
	}
}
