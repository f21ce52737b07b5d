/* trotline mcp add, list, remove: the MCP servers of settings files (docs/mcp-settings.md). */
#include <limits.h>

#include "base/json_pack.h"
#include "base/words.h"
#include "cli/commands.h"
#include "mcp/transport.h"
#include "os/fs.h"
#include "secrets/secrets.h"
#include "workbench/registration.h"
#include "workbench/settings_args.h"

struct mcp_args {
	struct settings_args in;
	const char *transport, *cwd, *description, *include, *exclude;
	struct opt_list env, headers;
	int64_t timeout;
	bool trust;
};

static const struct opt add_rows[] = {
	{ "transport", 't', "KIND", OPT_STR, offsetof(struct mcp_args, transport),
	  "stdio, http, sse or ws (default: http or ws for a URL, else stdio)" },
	{ "env", 'e', "NAME=VALUE", OPT_LIST, offsetof(struct mcp_args, env),
	  "a variable of the server; '$NAME' in the value is read when it starts" },
	{ "header", 'H', "NAME: VALUE", OPT_LIST, offsetof(struct mcp_args, headers),
	  "an HTTP header, for example 'Authorization: Bearer $TOKEN'" },
	{ "timeout", 0, "MS", OPT_INT, offsetof(struct mcp_args, timeout),
	  "milliseconds that a request may take" },
	{ "cwd", 0, "DIR", OPT_STR, offsetof(struct mcp_args, cwd),
	  "the directory in which the server runs" },
	{ "trust", 0, NULL, OPT_FLAG, offsetof(struct mcp_args, trust),
	  "its tools run without confirmation" },
	{ "description", 0, "TEXT", OPT_STR, offsetof(struct mcp_args, description),
	  "what it is for, for people" },
	{ "include-tools", 0, "NAMES", OPT_STR, offsetof(struct mcp_args, include),
	  "offer only these tools, separated by commas" },
	{ "exclude-tools", 0, "NAMES", OPT_STR, offsetof(struct mcp_args, exclude),
	  "do not offer these tools" },
	SETTINGS_OPTS(struct mcp_args, ""),
};
static const struct opt_set add_opts = OPT_SET(add_rows, struct mcp_args);

static const struct opt remove_rows[] = { SETTINGS_OPTS(struct mcp_args, "") };
static const struct opt_set remove_opts = OPT_SET(remove_rows, struct mcp_args);

static bool is_url(const char *word)
{
	return strstr(word, "://") != NULL;
}

/* ---- the entry ---- */

/* "a, b" -> ["a", "b"] */
static const struct json *with_names(struct arena *a, const struct json *obj, const char *key,
				     const char *names)
{
	const struct json *list = json_new_arr(a, NULL, 0);

	if (!names)
		return obj;
	for (struct str rest = str_from(names), name; str_split(&rest, ',', &name);)
		if (str_trim(name).n)
			list = list_add(a, list, json_new_str(a, str_trim(name)));
	return json_set(a, obj, str_from(key), list);
}

/* "NAME=VALUE" or "Name: value" of a list of options; NULL after having said what is wrong. */
static const struct json *with_pairs(struct wb *wb, struct arena *a, const struct json *obj,
				     const char *key, const struct opt_list *list, char sep,
				     const char *option)
{
	const struct json *pairs = json_new_obj(a);

	for (size_t i = 0; i < list->n; i++) {
		struct str word = str_from(list->p[i]);
		ptrdiff_t at = str_chr(word, sep, 0);
		struct str name = str_trim(str_sub(word, 0, at < 0 ? 0 : (size_t)at));

		if (name.n == 0) {
			(void)wb_fail(wb, EXIT_USAGE,
				      "--%s takes a name and a value with \"%c\" between them, not "
				      "\"%s\"",
				      option, sep, list->p[i]);
			return NULL;
		}
		struct str value = str_sub(word, (size_t)at + 1, word.n);
		pairs = json_set(a, pairs, name,
				 json_new_str(a, sep == ':' ? str_trim(value) : value));
	}
	return list->n ? json_set(a, obj, str_from(key), pairs) : obj;
}

/* What --transport calls so; -1 = nothing. */
static int transport_named(const char *name)
{
	for (int t = 0; t < MCP_TRANSPORTS; t++)
		if (mcp_transports[t].chosen && strcmp(name, mcp_transports[t].name) == 0)
			return t;
	return -1;
}

/*
 * How the server is reached: by --transport, else by what the target looks like.  NULL after having
 * said what is wrong.
 */
static const struct json *reach(struct wb *wb, struct arena *a, const struct mcp_args *args, int n,
				char **rest)
{
	int t = args->transport    ? transport_named(args->transport)
		: !is_url(rest[0]) ? MCP_STDIO
		: mcp_transport_of_url(str_from(rest[0])) == MCP_TCP ? MCP_TCP
								     : MCP_HTTP;
	bool program = t >= 0 && mcp_is_program((enum mcp_transport)t);
	const struct json *v, *list = json_new_arr(a, NULL, 0);
	const char *wrong = NULL;

	if (t < 0)
		wrong = arena_printf(
				a, "--transport is %s, not \"%s\"%s", mcp_choices(a, true),
				args->transport,
				meant_among(str_from(args->transport), mcp_choices(a, true)).text)
				.p;
	else if (!program && n > 1)
		wrong = arena_printf(a, "unexpected argument after the URL: %s", rest[1]).p;
	else if (!program && !is_url(rest[0]))
		wrong = arena_printf(a, "--transport %s needs a URL, not \"%s\"", args->transport,
				     rest[0])
				.p;
	else if (!program && !mcp_scheme_fits(MCP_HTTP_OR_SSE, str_from(rest[0])))
		wrong = arena_printf(a, "\"%s\" is not a server address (those begin with %s)",
				     rest[0], mcp_schemes(a, MCP_HTTP_OR_SSE))
				.p;
	else if (program && args->headers.n)
		wrong = "--header is for servers that have a URL; for a program: --env";
	else if (!program && (args->env.n || args->cwd))
		wrong = "--env and --cwd are for programs; for a URL: --header";
	if (wrong) {
		(void)wb_fail(wb, EXIT_USAGE, "%s", wrong);
		return NULL;
	}
	const struct mcp_transport_row *row = &mcp_transports[t];
	v = json_set(a, NULL, str_from(row->key), json_pack_str(a, rest[0]));
	if (strcmp(row->key, "url") == 0)
		return json_pack_more(a, v, "type:z", row->name);
	for (int i = 1; i < n; i++)
		list = list_add(a, list, json_new_str(a, str_from(rest[i])));
	return list->n ? json_set(a, v, STR("args"), list) : v;
}

static const struct json *make_entry(struct wb *wb, struct arena *a, const struct mcp_args *args,
				     int n, char **rest)
{
	const struct json *v = reach(wb, a, args, n, rest);

	v = v ? with_pairs(wb, a, v, "env", &args->env, '=', "env") : NULL;
	v = v ? with_pairs(wb, a, v, "headers", &args->headers, ':', "header") : NULL;
	if (!v)
		return NULL;
	v = json_pack_more(a, v, "?cwd:z ?description:z ?timeout:l ?trust:b", args->cwd,
			   args->description, args->timeout, args->trust);
	v = with_names(a, v, "includeTools", args->include);
	return with_names(a, v, "excludeTools", args->exclude);
}

/* ---- add, remove ---- */

struct edit {
	struct wb *wb;
	const struct mcp_args *args;
	struct settings_target t;
	struct arena arena;
	const char *name;
	const char *path;
	const struct json *entry; /* NULL = it is removed */
	struct str was; /* how the server of this name was reached before; "" = there was none */
	enum reg_status status;
	struct buf diff;
};

static void edit_done(struct edit *ed)
{
	settings_target_done(&ed->t);
	arena_done(&ed->arena);
	buf_done(&ed->diff);
}
DEFINE_AUTO(struct edit, edit_done)

static int edit_servers(struct settings_change *c, void *data, struct err *err)
{
	struct edit *ed = data;

	if (!ed->entry)
		return server_uninstall(c, ed->name, &ed->status, err);
	return server_install(c, &(struct server_reg){ .name = ed->name, .value = ed->entry },
			      &ed->status, err);
}

/* True when the file has the server; one that cannot be read has none. */
static bool has_server(struct arena *a, const char *path, const char *name)
{
	const struct json *doc;

	return settings_read(a, path, NULL, &doc, NULL) > 0 &&
	       json_getz(json_getz(doc, "mcpServers"), name);
}

static int edit_run(struct edit *ed, struct err *err)
{
	AUTO(settings_unlock) int lock = settings_lock(ed->t.roots.home, err);
	AUTO(buf_done) struct buf was = { 0 };
	const char *other = ed->t.mcp_other;
	const struct json *doc, *v = NULL;
	int r;

	if (lock < 0)
		return lock;
	/* An existing server is edited where it is: trotline has two files. */
	ed->path = ed->t.mcp_path;
	if (other && !has_server(&ed->arena, ed->path, ed->name) &&
	    has_server(&ed->arena, other, ed->name))
		ed->path = other;
	/* "npx -y server", "https://example.com/mcp"; "" when there is none yet. */
	if (settings_read(&ed->arena, ed->path, NULL, &doc, NULL) > 0)
		v = json_getz(json_getz(doc, "mcpServers"), ed->name);
	if (json_is(v, J_OBJ))
		(void)secrets_redact(&was, str_from(mcp_target(&ed->arena, v)), SECRETS_DOUBT);
	ed->was = arena_str(&ed->arena, buf_str(&was));
	AUTO(settings_change_done) struct settings_change c =
		settings_target_change(&ed->t, ed->path);
	r = settings_apply(&c, edit_servers, ed, err);
	buf_adds(&ed->diff, buf_str(&c.diff));
	return r;
}

static const struct json *value(const struct edit *ed)
{
	struct arena *a = &ed->wb->arena;
	const struct json *v =
		json_pack(a, "name:z status:z into:z scope:z file:z dryRun:b", ed->name,
			  reg_status_name(ed->status), ed->t.agent->name,
			  ed->t.user ? "user" : "project", ed->path, ed->args->in.dry_run);

	return ed->args->in.dry_run ? json_pack_more(a, v, "diff:s", buf_str(&ed->diff)) : v;
}

/* What is written down can be read by everybody who gets the file. */
static void warn_of_secrets(const struct edit *ed)
{
	const struct json *env = json_getz(ed->entry, "env");
	const struct json *headers = json_getz(ed->entry, "headers");
	const struct json *const both[] = { env, headers };

	for (size_t i = 0; i < ARRAY_LEN(both); i++)
		for (size_t k = 0; both[i] && k < both[i]->n; k++) {
			const struct json_member *m = &both[i]->members[k];

			if (secret_in(json_str(&m->v, STR("")), SECRETS_DOUBT))
				wb_complain(
					ed->wb,
					"the value of %.*s looks like a secret and is now in "
					"%s; '$NAME' in its place reads it from the environment",
					STR_ARG(m->key), ed->path);
		}
}

static void say_added(const struct edit *ed)
{
	const char *where = ed->t.user ? "user" : "project";

	if (ed->status == REG_UNCHANGED)
		sheet_f(&ed->wb->sheet, PLAIN,
			"MCP server \"%s\" is already configured so in the %s settings.\n",
			ed->name, where);
	else
		sheet_f(&ed->wb->sheet, PLAIN, "MCP server \"%s\" %s the %s settings:\n", ed->name,
			ed->status == REG_UPDATED ? "updated in" : "added to", where);
	sheet_text(&ed->wb->sheet, DIM, ed->path, 2);
	if (ed->status == REG_UPDATED && ed->was.n)
		sheet_f(&ed->wb->sheet, PLAIN, "It was: %.*s\n", STR_ARG(ed->was));
	warn_of_secrets(ed);
	if (strchr(ed->name, '_'))
		wb_complain(ed->wb,
			    "Gemini CLI takes the text before the first _ for the server's name: "
			    "better use none");
	if (!agent_is_read(ed->t.agent))
		sheet_f(&ed->wb->sheet, PLAIN, "All servers: trotline mcp list --into %s\n",
			ed->t.agent->name);
	else if (strpbrk(ed->name, " \"'$`\\"))
		sheet_f(&ed->wb->sheet, PLAIN, "Next: trotline mcp test\n");
	else
		sheet_f(&ed->wb->sheet, PLAIN, "Next: trotline mcp test %s\n", ed->name);
}

/* A name that is missing is mistyped, or in another file. */
static int fail_absent(struct edit *ed)
{
	const struct settings_roots *roots = &ed->t.roots;
	const struct settings_place *p =
		place_find(tier_of_scope(!ed->t.user), ed->t.agent->files, PLACE_SERVERS);
	AUTO(free) char *other = fs_join(ed->t.user ? roots->project : roots->home, p->path);
	bool ours = agent_is_read(ed->t.agent);
	/* The same name, or one like it, in either of the two files of a scope. */
	const char *const files[] = { ed->t.mcp_path, ed->t.mcp_other };
	const char *meant = "";

	for (size_t i = 0; i < ARRAY_LEN(files) && !*meant; i++) {
		const struct json *doc = NULL;

		if (files[i] && settings_read(&ed->arena, files[i], NULL, &doc, NULL) > 0)
			meant = did_you_mean_key(&ed->arena, ed->name,
						 json_getz(doc, "mcpServers"));
	}

	bool elsewhere = !roots->at_home && has_server(&ed->arena, other, ed->name);
	const char *todo =
		elsewhere ? arena_printf(&ed->arena,
					 "; there is one in the other settings: trotline mcp "
					 "remove %s --scope %s",
					 ed->name, ed->t.user ? "project" : "user")
				    .p
		: *meant ? meant
			 : arena_printf(&ed->arena, "; all servers: trotline mcp list%s%s",
					ours ? "" : " --into ", ours ? "" : ed->t.agent->name)
				   .p;

	return wb_fail_at(ed->wb, EXIT_USAGE, &(struct wb_place){ .code = "unknown-server" },
			  "no MCP server is named \"%s\" in the %s settings%s", ed->name,
			  ed->t.user ? "user" : "project", todo);
}

static int edit_finish(struct edit *ed)
{
	struct err err;

	if (edit_run(ed, &err) < 0)
		return settings_failed(ed->wb, &err);
	if (!ed->entry && ed->status == REG_ABSENT)
		return fail_absent(ed);
	ed->wb->value = value(ed);
	if (!ed->wb->text)
		return EXIT_OK;
	if (ed->args->in.dry_run && ed->diff.n) {
		sheet_text(&ed->wb->sheet, PLAIN, buf_z(&ed->diff), 0);
	} else if (ed->args->in.dry_run) {
		sheet_f(&ed->wb->sheet, PLAIN, "Nothing would change.\n");
	} else if (ed->entry) {
		say_added(ed);
	} else {
		sheet_f(&ed->wb->sheet, PLAIN, "MCP server \"%s\" removed from the %s settings:\n",
			ed->name, ed->t.user ? "user" : "project");
		sheet_text(&ed->wb->sheet, DIM, ed->path, 2);
	}
	return EXIT_OK;
}

/* Our option behind the server's command, which could be meant for either; NULL = there is none. */
static const char *option_behind(int n, char **words)
{
	static const char *const scopes[] = { "project", "user", "local" };

	for (int i = 1; i < n && strcmp(words[i], "--") != 0; i++) {
		const char *next = i + 1 < n ? words[i + 1] : NULL;
		struct str word = str_from(words[i]);
		ptrdiff_t equals = str_chr(word, '=', 0);
		struct str name = str_sub(word, 0, equals < 0 ? word.n : (size_t)equals);

		/* "-s user", "-t http": two words that mean nothing else. */
		if (next && ((str_eqz(word, "-s") && WORD_IN(str_from(next), scopes)) ||
			     (str_eqz(word, "-t") && transport_named(next) >= 0)))
			return words[i];
		for (size_t k = 0; str_starts(name, STR("--")) && k < add_opts.n; k++)
			if (str_eqz(str_sub(name, 2, name.n), add_opts.opts[k].name))
				return words[i];
	}
	return NULL;
}

/* Takes "--" away where it precedes NAME or COMMAND: what follows is the server's. */
static bool take_dashes(int *n, char **rest)
{
	for (int i = 0; i < 2 && i < *n; i++)
		if (strcmp(rest[i], "--") == 0) {
			memmove(rest + i, rest + i + 1, (size_t)(*n - i - 1) * sizeof *rest);
			(*n)--;
			return true;
		}
	return false;
}

static int wb_mcp_add(struct wb *wb, const void *given, int n, char **rest)
{
	struct mcp_args args = *(const struct mcp_args *)given;
	bool told = take_dashes(&n, rest);
	AUTO(edit_done) struct edit ed = { .wb = wb, .args = &args, .name = rest[0] };
	const char *odd;
	struct err err;
	int status;

	if (n < 2)
		return wb_fail(wb, EXIT_USAGE, "trotline mcp add needs NAME COMMAND|URL [ARG...]");
	if (strchr(ed.name, '='))
		return wb_fail(wb, EXIT_USAGE,
			       "expected a name, not \"%s\"; each variable has an "
			       "--env of its own",
			       ed.name);
	n--;
	rest++;
	/* After a URL no program follows whose options these could be. */
	if (is_url(rest[0]) && n > 1) {
		int more = 0;

		if (opt_parse(add_opts.opts, add_opts.n, &args, n - 1, rest + 1, &more, &err) < 0)
			return wb_fail_err(wb, EXIT_USAGE, &err);
		n = 1 + more;
	}
	odd = told || is_url(rest[0]) ? NULL : option_behind(n, rest);
	for (int i = 1; odd && i < n; i++)
		wb->json |= strcmp(rest[i], "--json") == 0;
	if (odd)
		return wb_fail(wb, EXIT_USAGE,
			       "%s comes after the command; if it is meant for trotline, put it "
			       "before %s; if it is the server's: trotline mcp add %s -- %s ...",
			       odd, ed.name, ed.name, rest[0]);
	if (!*ed.name || !*rest[0] || args.timeout < 0 || args.timeout > INT_MAX)
		return wb_fail(wb, EXIT_USAGE, "%s",
			       !*ed.name   ? "NAME is empty"
			       : !*rest[0] ? "COMMAND is empty"
					   : "--timeout takes milliseconds, for example 30000");
	ed.entry = make_entry(wb, &ed.arena, &args, n, rest);
	if (!ed.entry)
		return EXIT_USAGE;
	status = settings_target_find(wb, &args.in, &ed.t);
	return status == EXIT_OK ? edit_finish(&ed) : status;
}

static int wb_mcp_remove(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct mcp_args *args = args_;
	AUTO(edit_done) struct edit ed = { .wb = wb, .args = args, .name = rest[0] };
	int status = settings_target_find(wb, &args->in, &ed.t);

	(void)n;
	return status == EXIT_OK ? edit_finish(&ed) : status;
}

/* ---- the table ---- */

static const char add_text[] =
	"Adds a server to the settings, or brings the one of this name up to date; comments and\n"
	"layout of the file are kept.  What follows COMMAND belongs to it; options that trotline has,\n"
	"too, need -- in front of COMMAND.\n"
	"\n"
	"  trotline mcp add files npx -y @modelcontextprotocol/server-filesystem .\n"
	"  trotline mcp add -e 'TOKEN=$TOKEN' --scope user tickets ./tickets-server\n"
	"  trotline mcp add search -- npx -y mcp-remote https://example.com/mcp --header 'A: b'\n"
	"  trotline mcp add docs https://example.com/mcp -H 'Authorization: Bearer $TOKEN'\n";

static const char auth_text[] =
	"Signs you in to a server that wants an authorization (OAuth): your browser opens, and what\n"
	"you allow there is kept in ~/.trotline/mcp-oauth.json.  $BROWSER names the browser.\n"
	"\n"
	"  trotline mcp auth docs\n"
	"  trotline mcp auth https://example.com/mcp\n"
	"  trotline mcp auth docs --forget\n";

static const char list_text[] =
	"Lists the servers of all settings files, with how they are reached and where they are\n"
	"configured.  A server of the project overrides the user's of the same name, one of the\n"
	"system overrides both.\n";

static const char disable_text[] =
	"Sessions no longer start the server, whichever settings or extension define it.\n"
	"It is kept in ~/.gemini/mcp-server-enablement.json; the settings stay as they are.\n"
	"\n"
	"  trotline mcp disable files\n";

static const char enable_text[] = "Takes back what \"trotline mcp disable\" did.\n"
				  "\n"
				  "  trotline mcp enable files\n";

static const char guard_text[] =
	"Puts the hooks of trotline's settings between any program and an MCP server.  Write it\n"
	"where the program's own settings have the server's command:\n"
	"\n"
	"  \"command\": \"trotline\",\n"
	"  \"args\": [\"mcp\", \"guard\", \"--name\", \"files\", \"--\", \"npx\", \"-y\", \"...\"]\n"
	"\n"
	"BeforeTool and AfterTool hooks see each call of a tool as mcp__NAME__TOOL, each read of a\n"
	"resource as read_mcp_resource, and each prompt as mcp__NAME__prompts_get.  What they deny\n"
	"never reaches the server; what no hook concerns passes byte for byte.\n"
	"\n"
	"  trotline mcp guard --name files -- npx -y @modelcontextprotocol/server-filesystem .\n"
	"  trotline mcp guard --name docs --url https://example.com/mcp\n"
	"\n"
	"Hooks are those of `trotline hook`: ~/.trotline/settings.json, the system's, and those of\n"
	"a trusted project.  What changes there counts at the next call.  trotline hooks log shows what\n"
	"they decided.  docs/mcp-guard.md has the rest.\n";

static const char remove_text[] =
	"Takes a server out of the settings; the rest of the file keeps its bytes.\n"
	"\n"
	"  trotline mcp remove files\n";

static const char serve_text[] =
	"Offers list, why, run, lint and report of `trotline hooks` as tools to any agent, by MCP\n"
	"on stdin and stdout: agents start it themselves.\n"
	"\n"
	"  trotline mcp add trotline trotline mcp serve\n"
	"  trotline hooks install guard BeforeTool ./guard.sh --with-mcp\n";

static const char test_text[] =
	"Connects to servers as a session would and shows what they offer, how long it took and,\n"
	"where it fails, why.  Without NAME all that are configured; a server that is not\n"
	"configured is given by its URL, or by its command behind --.\n"
	"\n"
	"  trotline mcp test\n"
	"  trotline mcp test files --call read_file --args '{\"path\":\"README.md\"}'\n"
	"  trotline mcp test https://example.com/mcp -H 'Authorization: Bearer $TOKEN'\n"
	"  trotline mcp test -- npx -y @modelcontextprotocol/server-everything\n"
	"\n"
	"Exit status 0 when all are ready (with --call: when the tool did not fail), else 1.\n";

const struct command mcp_commands[] = {
	{ .name = "add",
	  .args = "NAME COMMAND|URL [ARG...]",
	  .summary = "add a server to the settings",
	  .text = add_text,
	  .opts = &add_opts,
	  .min_args = 2,
	  .max_args = -1,
	  .words = 2,
	  .keeps_dashes = true,
	  .work = wb_mcp_add },
	{ .name = "auth",
	  .args = "NAME|URL",
	  .summary = "sign in to a server",
	  .text = auth_text,
	  .opts = &mcp_auth_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .run = cmd_mcp_auth },
	{ .name = "disable",
	  .args = "NAME",
	  .summary = "do not use a server, wherever it is configured",
	  .text = disable_text,
	  .opts = &mcp_enable_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .run = cmd_mcp_disable },
	{ .name = "enable",
	  .args = "NAME",
	  .summary = "use a disabled server again",
	  .text = enable_text,
	  .opts = &mcp_enable_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .run = cmd_mcp_enable },
	{ .name = "guard",
	  .args = "-- COMMAND [ARG...] | --url URL",
	  .summary = "put hooks between a program and a server",
	  .text = guard_text,
	  .opts = &mcp_guard_opts,
	  .max_args = -1,
	  .keeps_dashes = true,
	  .raw = true,
	  .run = cmd_mcp_guard },
	{ .name = "list",
	  .summary = "list the servers",
	  .text = list_text,
	  .opts = &mcp_list_opts,
	  .work = wb_mcp_list },
	{ .name = "remove",
	  .args = "NAME",
	  .summary = "take a server out of the settings",
	  .text = remove_text,
	  .opts = &remove_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .work = wb_mcp_remove },
	{ .name = "serve",
	  .summary = "offer the commands of hooks as an MCP server",
	  .text = serve_text,
	  .opts = &mcp_serve_opts,
	  .raw = true,
	  .run = cmd_mcp_serve },
	{ .name = "test",
	  .args = "[NAME...] | URL | -- COMMAND [ARG...]",
	  .summary = "connect to servers and show what they offer",
	  .text = test_text,
	  .opts = &mcp_test_opts,
	  .max_args = -1,
	  .keeps_dashes = true,
	  .run = cmd_mcp_test },
};
const size_t mcp_commands_n = ARRAY_LEN(mcp_commands);
