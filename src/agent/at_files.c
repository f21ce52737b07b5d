/*
 * "@path" and "@server:uri" in a prompt.  The prompt stays as it was typed;
 * the files follow, each as a heading and a part of its own, in the order of their paths, then the
 * resources of MCP servers.  What is no readable file of the workspace, and nothing that a server
 * lists, stays plain text: addresses, names of people, annotations.
 *
 * A path ends at white space that no backslash precedes, or at its closing quote (@"two
 * words.txt"). When nothing has that name, it is cut at punctuation from the right: "(see @a.txt)",
 * "@a.txt,@b".
 */
#include "agent/context/context_impl.h"
#include "agent/mcp_resources.h"
#include "base/meant.h"

#include <errno.h>

#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/fs.h"
#include "tools/files.h"
#include "tools/read.h"
#include "tools/walk.h"

enum {
	TOKENS_MAX = 1000,
	CUTS_MAX = 10,
	FILES_MAX = 2000,
	RESOURCES_MAX = 100,
	PATH_BYTES_MAX = 4096
};
#define TEXT_MAX ((size_t)4 << 20)
#define RESOURCE_TEXT_MAX ((size_t)256 << 10)

static const char *const skipped_dirs[] = {
	".git", ".hg", ".svn", "__pycache__", "build", "coverage", "dist", "node_modules", NULL,
};

struct found {
	char *path; /* real */
	bool by_name; /* not because of its directory */
};

struct at_files {
	const struct context_options *o;
	struct tool_env env;
	struct tool_call call;
	struct {
		struct found *p;
		size_t n, cap;
	} files;
	struct {
		struct mcp_resource *p; /* in the order of the prompt */
		size_t n, cap;
	} resources;
	struct {
		const struct json **p;
		size_t n, cap;
	} parts;
	const struct json *added; /* what hooks are told of them (C2.8) */
	struct buf memory; /* context files of the directories */
	struct str said; /* by guards of what came last */
	size_t bytes, shown;
};

static void at_files_done(struct at_files *af)
{
	for (size_t i = 0; i < af->files.n; i++)
		free(af->files.p[i].path);
	free(af->files.p);
	free(af->resources.p);
	free(af->parts.p);
	buf_done(&af->memory);
}

DEFINE_AUTO(struct at_files, at_files_done)

/* ---- tokens ---- */

static size_t token_end(struct str s, size_t i)
{
	size_t max = min_size(s.n, i + PATH_BYTES_MAX);

	while (i < max && !char_is_space(s.p[i]))
		i += s.p[i] == '\\' && i + 1 < s.n && s.p[i + 1] != '\n' ? 2 : 1;
	return min_size(i, max);
}

static char *unescape(struct str token)
{
	char *path = xmalloc(token.n + 1), *p = path;

	for (size_t i = 0; i < token.n; i++) {
		if (token.p[i] == '\\' && i + 1 < token.n)
			i++;
		*p++ = token.p[i];
	}
	*p = '\0';
	return path;
}

/* ---- finding ---- */

static void add_file(struct at_files *af, const char *real, bool by_name)
{
	*VEC_ADD(&af->files) = (struct found){ xstrdup(real), by_name };
}

static void add_dir(struct at_files *af, const char *real)
{
	struct walk_entry e;
	AUTO(walk_free) struct walk *w = walk_new(
		&(struct walk_options){
			.root = real,
			.top = ignore_top(&af->call, real),
			.flags = arg_ignore_flags(&af->call, NULL),
			.skip = skipped_dirs,
		},
		NULL);

	while (w && af->files.n < FILES_MAX && walk_next(w, &e) > 0) {
		if (e.type != WALK_FILE || memory_is_name(af->o, e.name))
			continue;
		AUTO(free) char *path = fs_join(real, e.path);
		add_file(af, path, false);
	}
	if (!w || walk_cut(w) || af->files.n == FILES_MAX)
		note_say(&af->o->notes, NOTE_WARNING, "Not all files of @%s were read.",
			 file_shown(&af->call, real).p);
}

/* Takes what is there; false when there is nothing of that name. */
static bool take_path(struct at_files *af, struct str token)
{
	AUTO(free) char *path = unescape(token);
	AUTO(free) char *absolute = fs_absolute(af->o->cwd, path);
	AUTO(free) char *real = path[0] ? fs_real(absolute) : NULL;

	if (!real)
		return false;
	if (!workspace_has(&af->env, real))
		note_say(&af->o->notes, NOTE_WARNING,
			 "@%s is outside of the workspace; it stays plain text.", path);
	else if (walk_ignores(ignore_top(&af->call, real), real, arg_ignore_flags(&af->call, NULL)))
		note_say(&af->o->notes, NOTE_WARNING,
			 "@%s is ignored by an ignore file and not read.", path);
	else if (fs_is_dir(real))
		add_dir(af, real);
	else
		add_file(af, real, true);
	return true;
}

/* The server whose name a token begins with; false when there is none. */
static bool server_of(struct at_files *af, struct str token, struct mcp_server_info *ret)
{
	size_t n = af->o->mcp ? mcp_servers_count(af->o->mcp) : 0;

	for (size_t i = 0; i < n; i++) {
		mcp_server_info(af->o->mcp, i, ret);
		size_t len = strlen(ret->name);
		if (str_starts(token, str_from(ret->name)) && token.n > len + 1 &&
		    token.p[len] == ':')
			return true;
	}
	return false;
}

/* server:uri of what a server lists. */
static bool take_resource(struct at_files *af, struct str token)
{
	AUTO(free) char *name = unescape(token);
	struct mcp_server_info server;
	struct mcp_resource found;

	if (!server_of(af, str_from(name), &server))
		return false;
	struct resource_ref ref = { str_from(server.name),
				    str_from(name + strlen(server.name) + 1) };
	if (resource_find(af->o->mcp, &ref, af->call.arena, &found, NULL) < 0)
		return false;
	if (af->o->may_read && !af->o->may_read(af->o->notes.data, server.name)) {
		note_say(&af->o->notes, NOTE_WARNING,
			 "@%s was not read: the policy denies the server.", name);
		return true;
	}
	for (size_t i = 0; i < af->resources.n; i++)
		if (strcmp(af->resources.p[i].server, found.server) == 0 &&
		    strcmp(af->resources.p[i].uri, found.uri) == 0)
			return true;
	if (af->resources.n < RESOURCES_MAX)
		*VEC_ADD(&af->resources) = found;
	else
		note_say(&af->o->notes, NOTE_WARNING,
			 "@%s:%s was not read: %d resources are the most.", found.server, found.uri,
			 RESOURCES_MAX);
	return true;
}

static bool take_name(struct at_files *af, struct str token)
{
	return take_resource(af, token) || take_path(af, token);
}

/* "file:" of "file:///x"; 0 for what is no URI. */
static size_t scheme_length(struct str uri)
{
	size_t n = 0;

	while (n < uri.n && (char_is_alnum(uri.p[n]) || (n && strchr("+-.", uri.p[n]))))
		n++;
	return n > 1 && char_is_letter(uri.p[0]) && n + 1 < uri.n && uri.p[n] == ':' ? n + 1 : 0;
}

/*
 * "name:scheme://..." is meant for a server; other URIs only when a server is nearly called that,
 * since people are quoted as "@name:word:", too.
 */
static void explain_server(struct at_files *af, struct str name)
{
	size_t n;
	const char **names;
	struct mcp_server_info info;

	while (name.n && strchr(".,;!?()[]{}<>\"'`", name.p[name.n - 1]))
		name.n--;
	ptrdiff_t colon = str_chr(name, ':', 0);
	struct str word = str_sub(name, 0, colon < 0 ? 0 : (size_t)colon);
	struct str uri = str_sub(name, word.n + 1, name.n);
	size_t scheme = scheme_length(uri);
	const char *near;

	if (!word.n || word.n > MCP_NAME_MAX || !scheme)
		return;
	n = af->o->mcp ? mcp_servers_count(af->o->mcp) : 0;
	names = ARENA_ARRAY(af->call.arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		mcp_server_info(af->o->mcp, i, &info);
		names[i] = info.name;
	}
	near = str_nearest(word, names, n);
	if (!near && !str_starts(str_sub(uri, scheme, uri.n), STR("//")))
		return;
	note_say(&af->o->notes, NOTE_WARNING,
		 "@%.*s stays plain text: no MCP server is named %.*s%s", STR_ARG(name),
		 STR_ARG(word), near ? meant_as("", near).text : ".");
}

/* What was meant for a server and is nothing that can be read: it stays plain text. */
static void explain(struct at_files *af, struct str token)
{
	AUTO(free) char *name = unescape(token);
	struct mcp_server_info server;

	if (!server_of(af, str_from(name), &server)) {
		explain_server(af, str_from(name));
		return;
	}
	if (server.state == MCP_READY)
		note_say(&af->o->notes, NOTE_WARNING,
			 "@%s stays plain text: MCP server %s lists no such "
			 "resource.",
			 name, server.name);
	else
		note_say(&af->o->notes, NOTE_WARNING,
			 "@%s stays plain text: MCP server %s is not ready%s%s.", name, server.name,
			 *server.reason ? ": " : "", server.reason);
}

/* Where the text goes on after the token at i. */
static size_t take_token(struct at_files *af, struct str s, size_t i)
{
	size_t from = i + 1, end = token_end(s, from);

	if (s.p[from] == '"' || s.p[from] == '\'') {
		ptrdiff_t close = str_chr(s, s.p[from], from + 1);

		if (close > 0 && (size_t)close - from < PATH_BYTES_MAX &&
		    take_name(af, str_sub(s, from + 1, (size_t)close)))
			return (size_t)close + 1;
		if (close > 0)
			explain(af, str_sub(s, from + 1, (size_t)close));
		return from;
	}
	for (int cuts = 0; end > from && cuts < CUTS_MAX; cuts++) {
		if (take_name(af, str_sub(s, from, end)))
			return end;
		do
			end--;
		while (end > from && !strchr(".,;:!?()[]{}<>\"'`*@", s.p[end]));
	}
	explain(af, str_sub(s, from, token_end(s, from)));
	return from;
}

static int by_path(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : y->by_name - x->by_name;
}

static void find_files(struct at_files *af, struct str prompt)
{
	size_t tokens = 0, kept = 0;

	for (size_t i = 0; i < prompt.n && tokens < TOKENS_MAX;) {
		char before = i ? prompt.p[i - 1] : ' ';

		/* Not in the middle of a word (mail addresses), and not escaped. */
		if (!(prompt.p[i] == '@' && i + 1 < prompt.n && !char_is_space(prompt.p[i + 1]) &&
		      !char_is_alnum(before) && !strchr("_.+-\\@", before) && !(before & 0x80))) {
			i++;
			continue;
		}
		tokens++;
		i = take_token(af, prompt, i);
	}
	if (af->files.n)
		qsort(af->files.p, af->files.n, sizeof *af->files.p, by_path);
	for (size_t i = 0; i < af->files.n; i++) {
		if (kept && strcmp(af->files.p[kept - 1].path, af->files.p[i].path) == 0)
			free(af->files.p[i].path);
		else
			af->files.p[kept++] = af->files.p[i];
	}
	af->files.n = kept;
}

/* ---- reading ---- */

static void add_part(struct at_files *af, struct str text)
{
	struct arena *a = af->call.arena;

	*VEC_ADD(&af->parts) = json_set(a, NULL, STR("text"), json_new_copy(a, text));
}

static void tell(struct at_files *af, const char *type, struct str source, struct str text)
{
	af->added = json_append(
		af->call.arena, af->added,
		json_pack(af->call.arena, "type:z source:s text:s", type, source, text));
}

static void add_content(struct at_files *af, const char *type, struct str name, struct str text,
			const char *empty)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct str trimmed = utf8_trim(text);
	size_t from = trimmed.n ? (size_t)(trimmed.p - text.p) : text.n;
	size_t end = from + trimmed.n;

	/* Without the lines at both ends that are empty; indentation stays. */
	while (from > 0 && (text.p[from - 1] == ' ' || text.p[from - 1] == '\t'))
		from--;
	frame_add(&out, str_sub(text, from, end), FRAME_PROMPT);
	add_part(af, out.n ? buf_str(&out) : str_from(empty));
	tell(af, type, name, buf_str(&out));
	af->bytes += out.n;
}

static void skip(struct at_files *af, struct str shown, const char *why)
{
	note_say(&af->o->notes, NOTE_WARNING, "@%.*s was not read: %s", STR_ARG(shown), why);
}

/* (waits) What guards leave of it: a text, or parts. */
static void add_brought(struct at_files *af, const char *type, struct str name, struct str shown,
			struct brought *b)
{
	const char *why = context_withheld(af->o, af->call.arena, b);
	AUTO(free) char *empty = xasprintf("[The %s is empty.]", type);
	AUTO(buf_done) struct buf heading = { 0 };

	if (why) {
		skip(af, shown, why);
		return;
	}
	if (af->shown++ == 0)
		add_part(af, STR("\n--- Content from referenced files ---"));
	buf_addz(&heading, "\nContent from @");
	frame_add_name(&heading, shown);
	buf_addz(&heading, ":\n");
	add_part(af, buf_str(&heading));
	if (!json_is(b->content, J_ARR))
		add_content(af, type, name, json_str(b->content, STR("")), empty);
	for (size_t i = 0; json_is(b->content, J_ARR) && i < b->content->n; i++) {
		const struct json *part = json_at(b->content, i), *text = json_getz(part, "text");
		const struct json *data = json_getz(part, "inlineData");

		if (text) {
			add_content(af, type, name, json_str(text, STR("")), empty);
			continue;
		}
		*VEC_ADD(&af->parts) = part;
		tell(af, "media", name,
		     arena_printf(af->call.arena, "[%.*s, %zu bytes in base64]",
				  STR_ARG(json_get_str(data, "mimeType")),
				  json_get_str(data, "data").n));
	}
	/* Once, when guards say the same of each. */
	if (b->said.n && !str_eq(b->said, af->said))
		add_part(af, b->said);
	af->said = b->said;
}

/* (waits) */
static void read_one(struct at_files *af, const struct found *f)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	/* Guards are asked as if the model asked for it (C2.11). */
	struct str name = file_shown(&af->call, f->path);
	struct brought b = { .tool = "read_file",
			     .args = json_pack(af->call.arena, "file_path:z", f->path) };
	const char *why = context_withheld(af->o, af->call.arena, &b);

	if (why) {
		skip(af, name, why);
		return;
	}

	int errnum = workspace_read(f->path, NULL, &bytes);
	const char *mime = media_type(f->path, buf_str(&bytes));
	enum text_encoding encoding = text_encoding(buf_str(&bytes));
	size_t shown = af->shown;

	if (errnum) {
		skip(af, name, strerror(errnum));
	} else if (af->bytes + bytes.n > TEXT_MAX && af->bytes > 0) {
		skip(af, name, "the files are too large together");
	} else if (mime && f->by_name) {
		b.content = json_append(af->call.arena, NULL,
					media_part(af->call.arena, mime, buf_str(&bytes)));
		add_brought(af, "file", str_from(f->path), name, &b);
		af->bytes += bytes.n;
	} else if (!mime && encoding != TEXT_BINARY) {
		AUTO(arena_done) struct arena tmp = { 0 };
		struct str text = text_decode(&tmp, buf_str(&bytes), encoding);
		bool cut;

		b.content = json_new_str(&tmp, read_text(&tmp, text, &cut));
		add_brought(af, "file", str_from(f->path), name, &b);
	} else if (f->by_name) {
		skip(af, name, "it is not a text");
	}
	if (af->shown > shown)
		memory_add_below(&af->memory, af->o, af->o->seen, f->path);
}

/* (waits) */
static void read_resource(struct at_files *af, const struct mcp_resource *r)
{
	struct str name = arena_printf(af->call.arena, "%s:%s", r->server, r->uri), text;
	size_t n = RESOURCE_TEXT_MAX;
	struct resource_content content;
	struct err err;
	struct brought b = { .tool = "read_mcp_resource",
			     .args = json_pack(af->call.arena, "uri:z", r->uri),
			     .server = r->server };
	const char *why = context_withheld(af->o, af->call.arena, &b);
	int e = why ? err_set(&err, E_INVAL, "%s", why)
		    : resource_read(af->o->mcp, r, af->o->cancel, af->call.arena, &content, &err);

	if (e >= 0 && af->bytes > 0 &&
	    af->bytes + min_size(content.text.n, RESOURCE_TEXT_MAX) > TEXT_MAX)
		e = err_set(&err, E_LIMIT, "the files are too large together");
	if (e < 0) {
		note_say(&af->o->notes, NOTE_WARNING, "@%.*s was not read: %s", STR_ARG(name),
			 err.text);
		return;
	}
	text = content.text;
	if (text.n > n) {
		/* At the end of a line. */
		while (n > 0 && text.p[n - 1] != '\n')
			n--;
		n = n ? n : RESOURCE_TEXT_MAX;
		text = arena_printf(af->call.arena, "%.*s[The rest, %zu bytes, is left out.]",
				    (int)n, text.p, text.n - n);
	}
	b.content = json_new_str(af->call.arena, text);
	if (content.media->n && text.n)
		b.content = json_append(af->call.arena, NULL,
					json_pack(af->call.arena, "text:s", text));
	for (size_t i = 0; i < content.media->n; i++)
		b.content = json_append(af->call.arena, i || text.n ? b.content : NULL,
					json_at(content.media, i));
	add_brought(af, "resource", name, name, &b);
}

const struct json *context_prompt_parts(struct arena *a, const struct context_options *o,
					struct str before, struct str prompt,
					const struct json **added)
{
	AUTO(arena_done) struct arena tmp = { 0 };
	AUTO(at_files_done) struct at_files af = {
		.o = o,
		.added = added ? *added : NULL,
		.env = {
			.cwd = o->cwd,
			.roots = context_roots(&tmp, o),
			.temp_dir = o->temp_dir,
			.home = o->home,
			.settings = o->settings,
		},
		.call = { .arena = a },
	};
	AUTO(buf_done) struct buf text = { 0 };

	af.call.env = &af.env;
	prompt = tool_clean(a, prompt);
	add_part(&af, arena_printf(a, "%.*s%.*s", STR_ARG(before), STR_ARG(prompt)));
	find_files(&af, prompt);
	for (size_t i = 0; i < af.files.n; i++)
		read_one(&af, &af.files.p[i]);
	for (size_t i = 0; i < af.resources.n && !cancel_fired(o->cancel); i++)
		read_resource(&af, &af.resources.p[i]);
	if (af.shown != 0) {
		if (af.memory.n) {
			buf_addz(&text, "\n\n--- Newly Discovered Project Context ---\n");
			buf_adds(&text, buf_str(&af.memory));
			buf_addz(&text, "\n--- End Project Context ---");
			add_part(&af, buf_str(&text));
			tell(&af, "context", STR("context files"), buf_str(&af.memory));
		}
		add_part(&af, STR("\n--- End of content ---"));
	}
	if (added && af.added)
		*added = af.added;
	return json_new_arr(a, af.parts.p, af.parts.n);
}
