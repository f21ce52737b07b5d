/* The tree of commands: finding the one that is meant, its options, its help. */
#include <limits.h>

#include "base/meant.h"
#include "base/words.h"
#include "workbench/show.h"
#include "workbench/wb.h"

enum { SUMMARY_AT = 14 };

const struct command *command_find(const struct command *commands, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* What a command is called in another group or program; the first that there is here is meant. */
static const char *const synonyms[] = {
	"init new create",
	"add install link new create",
	"remove uninstall revoke rm delete del unlink forget",
	"list ls show info get",
	"status list",
	"lint validate check doctor verify",
	"why explain check reason",
	"test check verify try",
	"on enable activate",
	"enable on",
	"off disable deactivate",
	"disable off",
	"auth login signin sign-in authorize logout signout",
	"trust approve allow",
	"--yes yes approve allow add",
	"update upgrade",
	"log logs tail events",
	"history sessions",
	"report stats summary",
	"migrate import convert",
	"run fire trigger simulate",
	"schema spec",
};

const char *command_meant(const struct command *commands, size_t n, const char *word)
{
	const char *names[32];
	size_t known = 0;

	for (size_t i = 0; i < n && known < ARRAY_LEN(names); i++)
		if (!commands[i].hidden)
			names[known++] = commands[i].name;
	for (size_t i = 0; i < ARRAY_LEN(synonyms); i++) {
		struct str rest = str_from(synonyms[i]), name;

		if (!word_in_text(str_from(word), synonyms[i]))
			continue;
		while (str_split(&rest, ' ', &name))
			for (size_t k = 0; k < known; k++)
				if (str_eqz(name, names[k]))
					return names[k];
	}
	return str_nearest(str_from(word), names, known);
}

int command_unknown(struct wb *wb, const char *path, const struct command *commands, size_t n,
		    const char *name)
{
	if (!name)
		(void)wb_fail(wb, EXIT_USAGE, "%s needs a command", path);
	else if (name[0] == '-')
		(void)wb_fail(wb, EXIT_USAGE, "unknown option \"%s\"", name);
	else
		(void)wb_fail(wb, EXIT_USAGE, "unknown command \"%s\"%s", name,
			      meant_as("", command_meant(commands, n, name)).text);
	wb_note(wb, arena_printf(&wb->arena, "%s --help lists them.", path).p);
	return EXIT_USAGE;
}

/* On a terminal the lines of a paragraph are joined: it breaks them where it is wide enough. */
static void show_text(struct sheet *p, const char *text)
{
	AUTO(buf_done) struct buf joined = { 0 };
	bool before = false;

	for (struct str rest = str_from(text), line; str_split(&rest, '\n', &line);) {
		bool prose = line.n && line.p[0] != ' ' && p->columns;

		if (joined.n)
			buf_addc(&joined, before && prose ? ' ' : '\n');
		buf_adds(&joined, line);
		before = prose;
	}
	sheet_f(p, PLAIN, "%s", buf_z(&joined));
}

void command_help_list(struct wb *wb, const char *path, const struct command *commands, size_t n)
{
	sheet_f(&wb->sheet, PLAIN, "Usage: %s COMMAND ...\n\nCommands:\n", path);
	for (size_t i = 0; i < n; i++)
		if (!commands[i].hidden)
			sheet_f(&wb->sheet, PLAIN, "  %-*s %s\n", SUMMARY_AT - 3, commands[i].name,
				commands[i].summary);
	sheet_f(&wb->sheet, PLAIN, "\n%s COMMAND --help explains one.\n", path);
}

static bool has_flag(const struct opt_set *opts, const char *name)
{
	for (size_t i = 0; opts && i < opts->n; i++)
		if (strcmp(opts->opts[i].name, name) == 0)
			return true;
	return false;
}

/* As in front of a command: it says nothing of what commands do. */
static void take_debug(const struct command *c, int *argc, char **argv)
{
	for (int i = 0; i < *argc && strcmp(argv[i], "--") != 0; i++) {
		if (c->words && argv[i][0] != '-')
			break;
		if (strcmp(argv[i], "--debug") != 0)
			continue;
		memmove(argv + i, argv + i + 1, (size_t)(*argc - i - 1) * sizeof *argv);
		(*argc)--;
		i--;
	}
}

void command_help(struct wb *wb, const char *path, const struct command *c)
{
	/* Every command has --json; where it has no value of its own, its text becomes one. */
	static const struct opt wrapped = { "json", 0, NULL, OPT_FLAG, 0, "print JSON" };
	static const struct opt raw = { "json", 0, NULL, OPT_FLAG, 0, "print errors as JSON" };
	size_t columns = wb->columns ? wb->columns : HELP_COLUMNS;
	AUTO(buf_done) struct buf opts = { 0 };

	if (c->sub) {
		AUTO(free) char *inner = xasprintf("%s %s", path, c->name);

		if (c->text) {
			show_text(&wb->sheet, c->text);
			sheet_f(&wb->sheet, PLAIN, "\n");
		}
		command_help_list(wb, inner, c->sub, c->nsub);
		return;
	}
	sheet_f(&wb->sheet, PLAIN, "Usage: %s %s [OPTIONS]%s%s\n\n%c%s.\n", path, c->name,
		c->args ? " " : "", c->args ? c->args : "", c->summary[0] - 'a' + 'A',
		c->summary + 1);
	if (c->text) {
		sheet_f(&wb->sheet, PLAIN, "\n");
		show_text(&wb->sheet, c->text);
	}
	if (c->facts) {
		sheet_f(&wb->sheet, PLAIN, "\n");
		show_text(&wb->sheet, c->facts(&wb->arena));
	}
	if (c->opts)
		opt_help(&opts, c->opts->opts, c->opts->n, columns);
	if (!has_flag(c->opts, "json"))
		opt_help(&opts, c->raw ? &raw : &wrapped, 1, columns);
	sheet_f(&wb->sheet, PLAIN, "\nOptions:\n%s", buf_z(&opts));
}

bool command_is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int parse(const struct command *c, const struct opt_set *opts, void *args, int argc,
		 char **argv, int *ret_n, struct err *err)
{
	int words = c->words ? c->words : INT_MAX, end = argc, r;

	for (int i = 0; c->keeps_dashes && i < end; i++)
		if (strcmp(argv[i], "--") == 0)
			end = i;
	r = opt_parse_until(opts->opts, opts->n, args, words, end, argv, ret_n, err);
	if (r < 0)
		return r;
	memmove(argv + *ret_n, argv + end, (size_t)(argc - end) * sizeof *argv);
	*ret_n += argc - end;
	return 0;
}

/* Whether --json was given: among options that could not be read, too. */
static bool wants_json(const struct opt_set *opts, const void *args, int argc, char **argv)
{
	for (size_t i = 0; i < opts->n; i++)
		if (strcmp(opts->opts[i].name, "json") == 0) {
			for (int k = 0; !args && k < argc && strcmp(argv[k], "--") != 0; k++)
				if (strcmp(argv[k], "--json") == 0)
					return true;
			return args && *(const bool *)((const char *)args + opts->opts[i].offset);
		}
	return false;
}

/* The options of a command, and --json where it has none of its own, behind what these fill. */
static struct opt_set all_options(struct arena *a, const struct opt_set *own)
{
	struct opt *rows = ARENA_ARRAY(a, struct opt, own->n + 1);

	for (size_t i = 0; i < own->n; i++)
		rows[i] = own->opts[i];
	if (has_flag(own, "json"))
		return *own;
	rows[own->n] = (struct opt){ "json", 0, NULL, OPT_FLAG, own->size, "print JSON" };
	return (struct opt_set){ rows, own->n + 1, own->size + sizeof(bool) };
}

int command_call(struct wb *wb, const char *path, const struct command *c, int argc, char **argv)
{
	static const struct opt_set none;
	const struct opt_set *own = c->opts ? c->opts : &none;
	struct opt_set all = all_options(&wb->arena, own), *opts = &all;
	AUTO(free) void *args = xcalloc(1, opts->size);
	struct err err;
	int n = 0;

	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (c->words && argv[i][0] != '-')
			break; /* it may be meant for the command that follows */
		if (command_is_help(argv[i])) {
			command_help(wb, path, c);
			return EXIT_OK;
		}
	}
	if (!has_flag(opts, "debug"))
		take_debug(c, &argc, argv);
	bool given = wants_json(opts, NULL, argc, argv);
	int r = parse(c, opts, args, argc, argv, &n, &err);

	if (r < 0 ? given : wants_json(opts, args, 0, NULL)) {
		wb->json = true;
		wb->text = false;
	}
	if (wb->json && opts->n > own->n) {
		wb->wrapped = !c->raw;
		wb->sheet.colour = false;
		wb->ask = NULL;
	}
	if (r < 0)
		(void)wb_fail_err(wb, EXIT_USAGE, &err);
	else if (n < c->min_args)
		(void)wb_fail(wb, EXIT_USAGE, "%s %s needs %s", path, c->name, c->args);
	else if (c->max_args >= 0 && n > c->max_args)
		(void)wb_fail(wb, EXIT_USAGE, "%s %s: one argument too many: %s", path, c->name,
			      argv[c->max_args]);
	else
		return c->work ? c->work(wb, args, n, argv) : c->run(args, n, argv);
	wb_note(wb, arena_printf(&wb->arena, "%s %s --help explains it.", path, c->name).p);
	return EXIT_USAGE;
}
