/*
 * What a command line means: a command (`trotline hooks list`), also with options before it, or the
 * agent with a prompt.  Words that look like a command are never a prompt.
 */
#include "cli/dispatch.h"

#include <stdio.h>

#include "base/vec.h"
#include "cli/agent/agent_run.h"
#include "cli/chat/chat.h"
#include "cli/commands.h"
#include "cli/extensions/extensions.h"
#include "cli/extensions/skill_commands.h"
#include "hosts/dispatch.h"
#include "hosts/host.h"
#include "ui/width.h"
#include "workbench/commands.h"

static const char hooks_text[] =
	"Hooks are programs that an agent runs at fixed moments and that may observe, change, "
	"deny\n"
	"or stop what happens.  These commands show and check the hooks of this project:\n"
	"\n"
	"  trotline hooks list                     which hooks there are, in run order\n"
	"  trotline hooks run BeforeTool --tool run_shell_command --input '{\"command\":\"ls\"}'\n"
	"  trotline hooks why BeforeTool --tool write_file\n"
	"  trotline hooks lint                     what is wrong with the configuration\n";

static const char mcp_text[] =
	"MCP servers are programs that offer tools, prompts and resources to the agent.  These\n"
	"commands edit the list of them in settings files and try them; trotline is such a server\n"
	"itself (serve):\n"
	"\n"
	"  trotline mcp list\n"
	"  trotline mcp add files npx -y @modelcontextprotocol/server-filesystem .\n"
	"  trotline mcp test files                 what it offers, or why it does not start\n";

static const char policy_text[] =
	"The policy says for each call of a tool whether it runs, the user is asked, or it is\n"
	"denied (docs/policy.md):\n"
	"\n"
	"  trotline policy why run_shell_command '{\"command\":\"git push\"}'\n"
	"  trotline hooks lint                     also checks the policy files\n";

static const char guard_text[] =
	"The guard stops what cannot be undone, in every agent that trotline is the hook of\n"
	"(docs/guard.md):\n"
	"\n"
	"  trotline guard on                       the packs that suit most people\n"
	"  trotline guard why 'rm -rf ~'           what a command does, and which rule stops it\n"
	"  trotline guard list                     packs, and where they are on\n";

static const char skills_text[] =
	"Skills are instructions for certain kinds of tasks, in files SKILL.md.  The agent\n"
	"is told what each is for and reads it when a task needs it.  These commands\n"
	"manage them:\n"
	"\n"
	"  trotline skills list\n"
	"  trotline skills install ./skills/review\n";

static const char extensions_text[] =
	"Extensions are directories that bring hooks, MCP servers, context files, skills and\n"
	"commands.  They live in ~/.gemini/extensions, shared with Gemini CLI:\n"
	"\n"
	"  trotline extensions new my-guards hooks\n"
	"  trotline extensions link my-guards\n"
	"  trotline extensions list\n";

static const char trust_text[] =
	"Shows what this folder would switch on and the hooks that it brings along, and trusts it\n"
	"as it is now.  A hook that changes later must be approved again.\n"
	"\n"
	"  trotline trust             show it and ask\n"
	"  trotline trust --yes       without asking\n"
	"  trotline trust list        what is trusted: this folder's hooks, and all folders\n"
	"  trotline trust revoke      take it back\n";

/* ---- the commands ---- */

struct group {
	struct command c;
	const char *alias; /* NULL = none */
	const size_t *nsub; /* NULL = it has no commands of its own */
};

static const struct group groups[] = {
	{ { .name = "hooks",
	    .summary = "run, explain, check and manage hooks",
	    .text = hooks_text,
	    .sub = hooks_commands },
	  "hook",
	  &hooks_commands_n },
	{ { .name = "mcp",
	    .summary = "add, list, test and remove MCP servers",
	    .text = mcp_text,
	    .sub = mcp_commands },
	  NULL,
	  &mcp_commands_n },
	{ { .name = "policy",
	    .summary = "explain what the policy decides",
	    .text = policy_text,
	    .sub = policy_commands },
	  NULL,
	  &policy_commands_n },
	{ { .name = "guard",
	    .summary = "stop destructive commands, in every agent",
	    .text = guard_text,
	    .sub = guard_commands },
	  NULL,
	  &guard_commands_n },
	{ { .name = "skills",
	    .summary = "list, install and switch skills",
	    .text = skills_text,
	    .sub = skills_commands },
	  "skill",
	  &skills_commands_n },
	{ { .name = "extensions",
	    .summary = "install, update and switch extensions",
	    .text = extensions_text,
	    .sub = extensions_commands },
	  "extension",
	  &extensions_commands_n },
	{ { .name = "trust",
	    .args = "[list|revoke] [DIR]",
	    .summary = "trust a folder and approve its hooks",
	    .text = trust_text,
	    .opts = &trust_opts,
	    .max_args = 2,
	    .work = wb_trust },
	  NULL,
	  NULL },
};

/* The group that has the name, under the name that was typed. */
static bool find_group(const char *word, struct command *ret_group)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		const struct group *g = &groups[i];

		if (strcmp(word, g->c.name) != 0 && !(g->alias && strcmp(word, g->alias) == 0))
			continue;
		*ret_group = g->c;
		ret_group->name = word;
		ret_group->nsub = g->nsub ? *g->nsub : 0;
		return true;
	}
	return false;
}

/* ---- options before the command ---- */

/* The command line, with what precedes the command behind it. */
struct line {
	struct words before; /* options in front of the group, as the agent reads them */
	struct words between; /* in front of the group's command, as that reads them */
	struct command group;
	bool has_group;
	const struct command *leaf; /* NULL = none was named */
	int at; /* the first word that is no option */
	int rest; /* the first word behind the command */
};

/* The option of the first of the commands that has it; NULL = none has. */
static const struct opt *find_opt(const struct command *commands, size_t n, const char *word)
{
	bool is_long = word[1] == '-';
	struct str name = { word + 2, is_long ? strcspn(word + 2, "=") : 0 };

	for (size_t c = 0; c < n; c++)
		for (size_t i = 0; commands[c].opts && i < commands[c].opts->n; i++) {
			const struct opt *opt = &commands[c].opts->opts[i];

			if (is_long ? str_eqz(name, opt->name) : word[1] == opt->letter)
				return opt;
		}
	return NULL;
}

/* Does the next word belong to the option? */
static bool takes_next(const struct opt *opt, const char *word)
{
	return opt && opt->kind != OPT_FLAG && !strchr(word, '=') && (word[1] == '-' || !word[2]);
}

static void read_line(struct line *l, int argc, char **argv)
{
	struct command group;
	int i = 0;

	l->at = argc;
	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		enum option_next next = agent_option_next(argv[i]);
		bool more = next == OPTION_VALUE;

		if (strcmp(argv[i], "--") == 0 || next == OPTION_PROMPT)
			return;
		words_add(&l->before, argv[i]);
		if (next == OPTION_UNKNOWN)
			for (size_t g = 0; g < ARRAY_LEN(groups) && !more; g++)
				more = takes_next(groups[g].nsub
							  ? find_opt(groups[g].c.sub,
								     *groups[g].nsub, argv[i])
							  : find_opt(&groups[g].c, 1, argv[i]),
						  argv[i]);
		/* `--resume latest`; `--resume hooks list` is a command. */
		if (next == OPTION_MAYBE)
			more = i + 1 < argc && argv[i + 1][0] != '-' &&
			       !find_group(argv[i + 1], &group);
		if (more && i + 1 < argc)
			words_add(&l->before, argv[++i]);
	}
	l->at = l->rest = i;
	l->has_group = i < argc && find_group(argv[i], &l->group);
	if (!l->has_group)
		return;
	l->rest = ++i;
	if (!l->group.sub) {
		l->leaf = &l->group;
		return;
	}
	for (; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++) {
		const struct opt *own = find_opt(l->group.sub, l->group.nsub, argv[i]);
		enum option_next next = agent_option_next(argv[i]);
		bool after = own || next == OPTION_UNKNOWN || next == OPTION_PROMPT;
		struct words *to = after ? &l->between : &l->before;

		words_add(to, argv[i]);
		if (i + 1 < argc && (own ? takes_next(own, argv[i]) : next == OPTION_VALUE))
			words_add(to, argv[++i]);
	}
	l->leaf = i < argc ? command_find(l->group.sub, l->group.nsub, argv[i]) : NULL;
	l->rest = l->leaf ? i + 1 : i;
}

static bool has_option(const void *leaf, const char *name)
{
	const struct command *c = leaf;

	for (size_t i = 0; c->opts && i < c->opts->n; i++)
		if (strcmp(c->opts->opts[i].name, name) == 0)
			return true;
	return false;
}

static int print_version(void)
{
	(void)printf("trotline %s\n", tl_version());
	return EXIT_OK;
}

/* The agent's options that the command has as well are the command's; others mean nothing to it. */
static int run_command(struct line *l, int argc, char **argv)
{
	AUTO(agent_options_done) struct agent_options before = { 0 };
	AUTO(words_done) struct words out = { 0 };
	AUTO(buf_done) struct buf ignored = { 0 };
	struct err err;

	words_add(&out, l->group.name);
	if (l->leaf && l->group.sub)
		words_add(&out, l->leaf->name);
	if (agent_options_parse(&before, (int)l->before.n, (char **)l->before.p, &err) < 0) {
		/* The command may know it, and else says what it has. */
		for (size_t i = 0; i < l->before.n; i++)
			words_add(&out, l->before.p[i]);
	} else if (before.version) {
		return print_version();
	} else if (before.help) {
		words_add(&out, "--help");
	} else if (l->leaf) {
		agent_options_words(&before, has_option, l->leaf, &out, &ignored);
	}
	for (size_t i = 0; i < l->between.n; i++)
		words_add(&out, l->between.p[i]);
	for (int i = l->rest; i < argc; i++)
		words_add(&out, argv[i]);
	if (ignored.n)
		complain("%s: no option of \"trotline %s%s%s\"; it is not used", buf_z(&ignored),
			 l->group.name, l->leaf && l->group.sub ? " " : "",
			 l->leaf && l->group.sub ? l->leaf->name : "");
	return command_run("trotline", &l->group, 1, (int)out.n, (char **)out.p);
}

/* ---- words that look like a command ---- */

/* Commands of other agents, and what is here in their place; NULL = nothing is. */
static const struct {
	const char *name, *here;
} foreign[] = {
	{ "gemma", NULL }, /* of Gemini CLI */
	{ "auth", "set GEMINI_API_KEY, or OPENAI_BASE_URL" },
	{ "login", "set GEMINI_API_KEY, or OPENAI_BASE_URL" },
	{ "logout", "unset GEMINI_API_KEY" },
	{ "agents", "/help in a session" },
	{ "chat", "trotline, without a command" },
	{ "completion", NULL },
	{ "config", "trotline hooks init, and docs/configuration.md" },
	{ "doctor", "trotline hooks lint" },
	{ "exec", "trotline -p PROMPT" },
	{ "plugin", "trotline extensions" },
	{ "plugins", "trotline extensions" },
	{ "resume", "trotline --resume" },
	{ "sessions", "trotline --list-sessions" },
	{ "setup-token", "set GEMINI_API_KEY" },
	{ "update", NULL },
	{ "upgrade", NULL },
	{ "version", "trotline --version" },
};

/* The name of one of the group's commands that the word is, or also means; NULL = of none. */
static const char *near_sub(const struct group *g, const char *word, bool exact)
{
	const struct command *c = g->nsub ? command_find(g->c.sub, *g->nsub, word) : NULL;

	if (c && !c->hidden)
		return c->name;
	return g->nsub && !exact ? command_meant(g->c.sub, *g->nsub, word) : NULL;
}

static const struct group *near_group(const char *word)
{
	const char *names[2 * ARRAY_LEN(groups)], *near;
	AUTO(free) char *lower = xstrdup(word);
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		names[n++] = groups[i].c.name;
		if (groups[i].alias)
			names[n++] = groups[i].alias;
	}
	for (char *p = lower; *p; p++)
		*p = char_lower(*p);
	near = str_nearest(str_from(lower), names, n);
	for (size_t i = 0; near && i < ARRAY_LEN(groups); i++)
		if (strcmp(near, groups[i].c.name) == 0 ||
		    (groups[i].alias && strcmp(near, groups[i].alias) == 0))
			return &groups[i];
	return NULL;
}

/* What a command takes and a sentence seldom has in the second place. */
static bool looks_like_argument(const char *word)
{
	return word[0] == '-' || strchr(word, '/') || strchr(word, '@') || strchr(word, '_') ||
	       (char_is_upper(word[0]) && word[1] &&
		strpbrk(word + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
}

/*
 * What the words were meant to be, into *out; false when they are a prompt.  A word of a sentence
 * ("list all files", "test this") is none; words with blanks are quoted, and never a command.
 */
static bool guess(int argc, char **argv, struct buf *out)
{
	const char *word = argv[0], *next = argc > 1 ? argv[1] : NULL, *sub = NULL;
	const struct slash *s;
	const struct group *g;
	bool alone = !next, followed = next && looks_like_argument(next);

	for (int i = 0; i < argc && i < 2; i++)
		if (!argv[i][0] || strpbrk(argv[i], " \t\n"))
			return false;
	g = near_group(word);
	if (g)
		sub = next ? near_sub(g, next, false) : NULL;
	if (g && (alone || sub || followed || argc == 2)) {
		buf_addf(out, "; did you mean \"trotline %s%s%s\"?", g->c.name, sub ? " " : "",
			 sub ? sub : "");
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(foreign); i++) {
		bool meant = alone || followed || near_sub(near_group("extensions"), next, true);

		if (strcmp(word, foreign[i].name) != 0 || !meant)
			continue;
		if (foreign[i].here)
			buf_addf(out, " here; what there is: %s", foreign[i].here);
		else
			buf_addz(out, " here; trotline --help lists what there is");
		return true;
	}
	s = slash_find(str_from(word));
	if (s && (alone || (argc == 2 && slash_verb(s, str_from(next)).n))) {
		buf_addf(out, " here; what there is: /%s in a session", s->name);
		return true;
	}
	if (!alone && !followed)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		sub = near_sub(&groups[i], word, !alone || strlen(word) < 5);
		if (sub)
			buf_addf(out, "%s \"trotline %s %s\"", out->n ? " or" : "; did you mean",
				 groups[i].c.name, sub);
	}
	if (out->n)
		buf_addc(out, '?');
	return out->n > 0;
}

/* The first of the words, but for the first `skip`, is no command. */
static int refuse(int argc, char **argv, int skip, const struct buf *meant, bool json)
{
	AUTO(wb_done) struct wb wb = cli_wb(json);
	AUTO(buf_done) struct buf words = { 0 };

	for (int i = 0; i < argc; i++)
		buf_addf(&words, " %s", argv[i]);
	(void)wb_fail_at(&wb, EXIT_USAGE, &(struct wb_place){ .code = "unknown-command" },
			 "unknown command \"%s\"%.*s", argv[skip], (int)meant->n, meant->p);
	wb_note(&wb, arena_printf(&wb.arena, "To send these words to the model: trotline --%s",
				  buf_z(&words))
			     .p);
	return cli_show(&wb, EXIT_USAGE);
}

/* ---- the agent ---- */

static void print_help(void)
{
	AUTO(buf_done) struct buf text = { 0 };

	agent_options_help(&text, out_columns());
	text_write(stdout, buf_str(&text));
}

static bool asks_json(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--json") == 0)
			return true;
	return false;
}

static int run_agent_or_guess(const struct line *l, int argc, char **argv)
{
	AUTO(agent_options_done) struct agent_options args = { 0 };
	AUTO(buf_done) struct buf meant = { 0 };
	/* --json is no option of the agent, but of every command: such a line had one in mind. */
	bool json = asks_json(argc, argv);
	struct err err;

	if (l->at < argc && guess(argc - l->at, argv + l->at, &meant))
		return refuse(argc - l->at, argv + l->at, 0, &meant, json);
	if (agent_options_parse(&args, argc, argv, &err) < 0) {
		AUTO(free) char *line = xasprintf("%s\n", err.text);

		if (json)
			json_error(err.text, EXIT_USAGE);
		text_write(stderr, str_from(line));
		return EXIT_USAGE;
	}
	if (args.help) {
		print_help();
		return EXIT_OK;
	}
	return args.version ? print_version() : cmd_agent(&args);
}

int dispatch(int argc, char **argv)
{
	struct line l = { 0 };
	int status;

	/*
	 * `trotline hook list` is understood as well as `hooks list`; `trotline hook claude` is for
	 * other agents, and so is an agent that is not known: a hook with exit status 1 would let a
	 * call through.
	 */
	if (argc > 0 && strcmp(argv[0], groups[0].alias) == 0 &&
	    (argc < 2 || host_find(str_from(argv[1])) || !near_sub(&groups[0], argv[1], false)))
		host_dispatch(argc - 1, argv + 1);
	if (argc > 0 && strcmp(argv[0], "help") == 0) {
		bool json = asks_json(argc, argv);
		struct command group;

		if (argc == 1 + json) {
			print_help();
			return EXIT_OK;
		}
		/* `help hooks run` is `hooks help run`, and `help hooks` is `hooks --help`. */
		if (find_group(argv[1], &group)) {
			char word[] = "help", option[] = "--help";

			argv[0] = argv[1];
			argv[1] = group.sub && argc > 2 ? word : option;
			return command_run("trotline", &group, 1, argc, argv);
		}
		/* `help hoks`, but not "help me with this". */
		if (argc == 2 + json) {
			AUTO(buf_done) struct buf meant = { 0 };

			(void)guess(1, argv + 1, &meant);
			return refuse(argc, argv, 1, &meant, json);
		}
	}
	read_line(&l, argc, argv);
	status = l.has_group ? run_command(&l, argc, argv) : run_agent_or_guess(&l, argc, argv);
	words_done(&l.before);
	words_done(&l.between);
	return status;
}
