/*
 * Tools that an agent's row does not name: agents come with new ones, and call the same ones by a
 * dozen names.  A guard of files or commands has to see them all the same.
 */
#include "hosts/tools.h"

#include <stdio.h>
#include <unistd.h>

#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/words.h"
#include "hooks/claude.h"
#include "hosts/rows.h"
#include "os/fs.h"
#include "policy/shape.h"
#include "settings/home.h"

enum { NAME_MAX_CHARS = 64, DEPTH_MAX = 64 };

/* ---- tools ---- */

#define FILE_NAMES                                                                                 \
	{ "file_path", "file_path" }, { "filePath", "file_path" }, { "path", "file_path" },        \
		{ "filename", "file_path" }, { "file_name", "file_path" },                         \
		{ "fileName", "file_path" }, { "file", "file_path" },                              \
		{ "target_file", "file_path" }, { "targetFile", "file_path" },                     \
		{ "TargetFile", "file_path" }, { "AbsolutePath", "file_path" },                    \
		{ "absolute_path", "file_path" }, { "notebook_path", "file_path" },                \
		{ "notebookPath", "file_path" }, { "target_notebook", "file_path" },               \
		{ "relative_workspace_path", "file_path" }, { "uri", "file_path" },                \
		{ "source", "file_path" }, { "destination", "file_path" },                         \
		{ "source_path", "file_path" }, { "destination_path", "file_path" },               \
		{ "old_path", "file_path" }, { "new_path", "file_path" },                          \
		{ "oldPath", "file_path" }, { "newPath", "file_path" }, { "from", "file_path" },   \
		{ "to", "file_path" }, { "paths", "file_path", ARG_EACH },                         \
		{ "file_paths", "file_path", ARG_EACH }, { "filePaths", "file_path", ARG_EACH },   \
	{                                                                                          \
		"files/path", "file_path", ARG_NESTED                                              \
	}
#define DIR_NAMES                                                                                  \
	{ "path", "dir_path" }, { "dir_path", "dir_path" }, { "dirPath", "dir_path" },             \
		{ "directory", "dir_path" }, { "directory_path", "dir_path" },                     \
		{ "folder", "dir_path" }, { "paths", "dir_path", ARG_EACH },                       \
		{ "DirectoryPath", "dir_path" }, { "target_directory", "dir_path" },               \
		{ "SearchPath", "dir_path" }, { "SearchDirectory", "dir_path" },                   \
	{                                                                                          \
		"relative_workspace_path", "dir_path"                                              \
	}

static const struct host_arg shell_args[] = { { "command", "command" },
					      { "cmd", "command" },
					      { "command_line", "command" },
					      { "commandLine", "command" },
					      { "CommandLine", "command" },
					      { "script", "command" },
					      { "commands", "command", ARG_EACH },
					      { "cwd", "dir_path" },
					      { "workdir", "dir_path" },
					      { "working_directory", "dir_path" },
					      { "directory", "dir_path" },
					      { "working_dir", "dir_path" },
					      { "workingDirectory", "dir_path" },
					      { "Cwd", "dir_path" },
					      { 0 } };

/* What is typed into a program that runs. */
static const struct host_arg typing_args[] = {
	{ "input", "command" }, { "Input", "command" },      { "chars", "command" },
	{ "data", "command" },  { "text", "command" },       { "literal", "command" },
	{ "stdin", "command" }, { "input_text", "command" }, { 0 }
};

static const struct host_arg patch_args[] = {
	{ "input", NULL, ARG_PATCH },     { "patch", NULL, ARG_PATCH },
	{ "patchText", NULL, ARG_PATCH }, { "patch_text", NULL, ARG_PATCH },
	{ "command", NULL, ARG_PATCH },   { 0 }
};

static const struct host_arg write_args[] = { FILE_NAMES,
					      { "content", "content" },
					      { "contents", "content" },
					      { "file_text", "content" },
					      { "file_content", "content" },
					      { "CodeContent", "content" },
					      { 0 } };

static const struct host_arg edit_args[] = {
	FILE_NAMES,
	{ "old_string", "old_string" },
	{ "new_string", "new_string" },
	{ "oldString", "old_string" },
	{ "newString", "new_string" },
	{ "old_str", "old_string" },
	{ "new_str", "new_string" },
	{ "oldText", "old_string" },
	{ "newText", "new_string" },
	{ "old_text", "old_string" },
	{ "new_text", "new_string" },
	{ "TargetContent", "old_string" },
	{ "ReplacementContent", "new_string" },
	{ "new_source", "new_string" },
	{ "newCode", "new_string" },
	{ "code_edit", "new_string" },
	{ "code", "new_string" },
	{ "diff", "new_string" },
	{ "insert_text", "new_string" },
	{ "file_text", "content" },
	{ "content", "content" },
	{ "edits/old_string", "old_string", ARG_NESTED },
	{ "edits/new_string", "new_string", ARG_NESTED },
	{ "edits/oldText", "old_string", ARG_NESTED },
	{ "edits/newText", "new_string", ARG_NESTED },
	{ "edits/old_text", "old_string", ARG_NESTED },
	{ "edits/new_text", "new_string", ARG_NESTED },
	{ "edits/file_path", "file_path", ARG_NESTED },
	{ "str_replace_entries/old_str", "old_string", ARG_NESTED },
	{ "str_replace_entries/new_str", "new_string", ARG_NESTED },
	{ "insert_line_entries/new_str", "new_string", ARG_NESTED },
	{ "replacements/filePath", "file_path", ARG_NESTED },
	{ "replacements/oldString", "old_string", ARG_NESTED },
	{ "replacements/newString", "new_string", ARG_NESTED },
	{ "ReplacementChunks/TargetContent", "old_string", ARG_NESTED },
	{ "ReplacementChunks/ReplacementContent", "new_string", ARG_NESTED },
	{ 0 }
};

static const struct {
	const char *names;
	/* A name that has one of these in it is one, too. */
	const char *parts;
	struct host_tool tool;
} common[] = {
	{ "applypatch patch", "apply_patch applypatch", { "", "replace", patch_args } },
	{ "bash shell powershell sh exec execute terminal runcommand runcommands runshellcommand "
	  "runterminalcmd runterminalcommand runinterminal executecommand executebash "
	  "executecmd executepwsh execcommand shellcommand localshell containerexec "
	  "launchprocess monitor",
	  "shell bash terminal command exec process",
	  { "", "run_shell_command", shell_args } },
	{ "process sendcommandinput writestdin sendinput bashinput controlbashprocess "
	  "sendtoterminal writeprocess writebash writepowershell writeshell writeterminal",
	  NULL,
	  { "", "run_shell_command", typing_args } },
	{ "write writefile create createfile newfile save savefile writetofile filewrite fswrite "
	  "fsappend appendfile createnewjupyternotebook",
	  NULL,
	  { "", "write_file", write_args } },
	{ "edit editfile multiedit strreplace strreplaceeditor strreplacebasededittool replace "
	  "replaceinfile replacefilecontent multireplacefilecontent replacestringinfile "
	  "multireplacestringinfile searchreplace inserteditintofile insertcontent "
	  "notebookedit editnotebook editnotebookfile texteditor fileeditor editor "
	  "developertexteditor delete deletefile deletefiles remove removefile removefiles move movefile "
	  "rename renamefile copy copyfile",
	  NULL,
	  { "", "replace", edit_args } },
	{ "read readfile readfiles readmultiplefiles readmanyfiles view viewfile viewcode viewimage "
	  "readimage readmediafile viewfileoutline opennotebook readnotebook getnotebooksummary "
	  "fsread cat",
	  NULL,
	  { "", "read_file",
	    (const struct host_arg[]){
		    FILE_NAMES, { "operations/path", "file_path", ARG_NESTED }, { 0 } } } },
	{ "ls list listdir listdirectory listfiles directorytree createdirectory",
	  NULL,
	  { "", "list_directory", (const struct host_arg[]){ DIR_NAMES, { 0 } } } },
	{ "grep grepsearch search searchfiles searchcode searchfilecontent codebasesearch ripgrep",
	  NULL,
	  { "", "grep_search",
	    (const struct host_arg[]){ DIR_NAMES,
				       { "pattern", "pattern" },
				       { "regex", "pattern" },
				       { "query", "pattern" },
				       { "Query", "pattern" },
				       { 0 } } } },
	{ "glob find findfiles filesearch findbyname",
	  NULL,
	  { "", "glob",
	    (const struct host_arg[]){ DIR_NAMES,
				       { "pattern", "pattern" },
				       { "query", "pattern" },
				       { "Pattern", "pattern" },
				       { 0 } } } },
	{ "fetch webfetch fetchurl fetchwebpage fetchwebcontent readurl readurlcontent readwebpage",
	  NULL,
	  { "", "web_fetch",
	    (const struct host_arg[]){ { "url", "url" },
				       { "Url", "url" },
				       { "uri", "url" },
				       { "urls", "url", ARG_EACH },
				       { 0 } } } },
	{ "websearch searchweb", NULL, { "", "google_web_search", ARGS({ "query", "query" }) } },
	{ "todowrite writetodos", NULL, { "", "write_todos", ARGS({ "todos", "todos" }) } },
	{ "task agent runsubagent spawnagent subagent",
	  NULL,
	  { "", "invoke_agent",
	    ARGS({ "prompt", "prompt" }, { "subagent_type", "agent_name" },
		 { "agent_type", "agent_name" }, { "agentName", "agent_name" }) } },
};

static bool has_part(struct str name, const char *parts)
{
	struct str rest = str_from(parts ? parts : ""), part;
	char lower[NAME_MAX_CHARS];
	size_t n = min_size(name.n, sizeof lower);

	for (size_t i = 0; i < n; i++)
		lower[i] = char_lower(name.p[i]);
	while (str_split(&rest, ' ', &part))
		if (part.n && str_find((struct str){ lower, n }, part, 0) >= 0)
			return true;
	return false;
}

/* One that has none of the arguments is another tool of that name. */
static bool has_argument(const struct host_tool *t, const struct json *args)
{
	for (const struct host_arg *r = t->args; r->theirs; r++) {
		const struct json *v = json_get(args, host_arg_member(r));

		if (v && (r->way != ARG_PATCH || json_is(v, J_STR)))
			return true;
	}
	return false;
}

const struct host_tool *host_tool_common(struct str name, const struct json *args)
{
	for (size_t i = 0; i < ARRAY_LEN(common); i++)
		if (word_like_in_text(name, common[i].names) && has_argument(&common[i].tool, args))
			return &common[i].tool;
	for (size_t i = 0; i < ARRAY_LEN(common); i++)
		if (has_part(name, common[i].parts) && has_argument(&common[i].tool, args))
			return &common[i].tool;
	return NULL;
}

static bool names_member(const struct host_arg *rows, struct str member)
{
	for (const struct host_arg *r = rows; r && r->theirs; r++)
		if (str_eq(host_arg_member(r), member))
			return true;
	return false;
}

const struct host_tool *host_tool_with_common(struct arena *a, const struct host_tool *row,
					      const struct json *args)
{
	const struct host_tool *also = NULL;
	struct host_tool *both;
	struct host_arg *rows;
	size_t n = 0, had, more = 0;

	for (size_t i = 0; !also && i < ARRAY_LEN(common); i++)
		if (strcmp(common[i].tool.ours, row->ours) == 0 &&
		    common[i].tool.args->way != ARG_PATCH)
			also = &common[i].tool;
	while (row->args && row->args[n].theirs)
		n++;
	had = n;
	for (const struct host_arg *r = also ? also->args : NULL; r && r->theirs; r++)
		more += json_get(args, host_arg_member(r)) != NULL;
	if (!more || (n && row->args->way == ARG_PATCH))
		return row;
	rows = ARENA_ARRAY(a, struct host_arg, n + more + 1);
	for (size_t i = 0; i < n; i++)
		rows[i] = row->args[i];
	for (const struct host_arg *r = also->args; r->theirs; r++)
		if (json_get(args, host_arg_member(r)) && strcmp(r->theirs, r->ours) != 0 &&
		    !names_member(row->args, host_arg_member(r)))
			rows[n++] = *r;
	rows[n] = (struct host_arg){ 0 };
	both = ARENA_NEW(a, struct host_tool);
	*both = (struct host_tool){ row->theirs, row->ours, rows };
	return n > had ? both : row;
}

/* ---- files and addresses (C2.11) ---- */

static const char url_names[] = "url urls uri uris href link links";

struct looking {
	struct arena *a;
	const char *base, *home;
	bool urls;
	struct json_list *found;
};

static bool is_file_uri(struct str s)
{
	return str_starts_icase(s, STR("file://"));
}

static bool is_url(struct str s)
{
	return str_find(s, STR("://"), 0) > 0 && !is_file_uri(s);
}

char *host_uri_path(struct str uri)
{
	AUTO(buf_done) struct buf out = { 0 };
	ptrdiff_t slash;

	if (!is_file_uri(uri))
		return NULL;
	slash = str_chr(uri, '/', 7);
	for (size_t i = slash < 0 ? uri.n : (size_t)slash; i < uri.n; i++) {
		char hex[3] = { 0 };
		unsigned byte;

		if (uri.p[i] == '%' && i + 2 < uri.n) {
			memcpy(hex, uri.p + i + 1, 2);
			if (strspn(hex, "0123456789abcdefABCDEF") == 2 &&
			    sscanf(hex, "%x", &byte) == 1 && byte) {
				buf_addc(&out, (char)byte);
				i += 2;
				continue;
			}
		}
		buf_addc(&out, uri.p[i]);
	}
	return buf_take(&out);
}

static void add_found(struct looking *l, const char *path)
{
	if (utf8_valid(str_from(path)) == strlen(path))
		json_list_add(l->found, json_pack_str(l->a, path));
}

/* Programs take ".." away before they follow links, or leave both to the kernel. */
static void add_name(struct looking *l, const char *base, const char *name)
{
	AUTO(free) char *full = fs_absolute(base, name);
	AUTO(free) char *real = fs_resolve(full);
	AUTO(free) char *joined = *name == '/' ? xstrdup(name) : fs_join(base, name);
	AUTO(free) char *other = fs_resolve(joined);
	const char *first = real ? real : full;

	add_found(l, first);
	if (other && strcmp(other, first) != 0)
		add_found(l, other);
}

static void add_path(struct looking *l, struct str s)
{
	AUTO(free) char *uri = host_uri_path(s);
	struct str rest = is_file_uri(s) ? str_sub(s, 7, s.n) : s;
	bool at_home = rest.n && rest.p[0] == '~' && (rest.n == 1 || rest.p[1] == '/');

	if (uri && *uri == '/')
		add_name(l, "/", uri);
	rest = at_home ? str_sub(rest, 2, rest.n) : rest;
	/* A program of C sees what is before a NUL. */
	AUTO(free) char *name = xstrndup(rest.n ? rest.p : ".", rest.n ? rest.n : 1);
	if (!uri || strcmp(uri, name) != 0)
		add_name(l, at_home ? l->home : l->base, *name ? name : ".");
}

static void look(struct looking *l, const struct json *v, bool counts, unsigned depth)
{
	struct str s = json_str(v, STR(""));

	if (depth > DEPTH_MAX || !v)
		return;
	/* "x://../../f" may be the name of a file, too. */
	if (counts && s.n && l->urls && is_url(s))
		json_list_add(l->found, v);
	else if (counts && s.n && !l->urls && (!is_url(s) || str_find(s, STR("/.."), 0) >= 0))
		add_path(l, s);
	for (size_t i = 0; v->type == J_ARR && i < v->n; i++)
		look(l, json_at(v, i), counts, depth + 1);
	for (size_t i = 0; v->type == J_OBJ && i < v->n; i++)
		look(l, &v->members[i].v,
		     l->urls ? word_like_in_text(v->members[i].key, url_names)
			     : shape_is_path(v->members[i].key),
		     depth + 1);
}

const struct json *host_paths(struct arena *a, const char *const *env, const char *cwd,
			      struct str tool, const struct json *args)
{
	AUTO(free) char *here = cwd ? xstrdup(cwd) : getcwd(NULL, 0);
	AUTO(free) char *home = NULL;
	struct json_list found = { 0 };
	struct looking l = { .a = a, .found = &found };

	(void)home_find(env, &home, NULL);
	l.base = here ? here : "/";
	l.home = home ? home : "/";
	/* Where a command begins is no file that it touches. */
	if (!str_eqz(tool, "run_shell_command"))
		look(&l, args, false, 0);
	return json_list_take(a, &found);
}

const struct json *host_urls(struct arena *a, struct str tool, const struct json *args)
{
	struct json_list found = { 0 };
	struct looking l = { .a = a, .urls = true, .found = &found };
	struct str prompt = json_get_str(args, "prompt"), url;

	look(&l, args, false, 0);
	/* Gemini CLI's tool is told the addresses in its prompt. */
	while (str_eqz(tool, "web_fetch") && (url = claude_url_in(prompt)).n) {
		json_list_add(&found, json_new_str(a, url));
		prompt = str_sub(prompt, (size_t)(url.p + url.n - prompt.p), prompt.n);
	}
	return json_list_take(a, &found);
}
