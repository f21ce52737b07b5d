/* trotline extensions new: small extensions that work and validate. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/extensions/extension_tree.h"
#include "cli/extensions/extensions.h"
#include "os/fs.h"
#include "workbench/init_files.h"

/* NAME in a text becomes the extension's name. */
struct file {
	const char *path, *text; /* text: NULL = the guard of `hooks init`, in sh */
	unsigned mode;
};

static const char manifest_plain[] = "{\n"
				     "  \"name\": \"NAME\",\n"
				     "  \"version\": \"1.0.0\",\n"
				     "  \"description\": \"\"\n"
				     "}\n";

static const struct file plain_files[] = {
	{ EXTENSION_MANIFEST, manifest_plain, 0644 },
	{ 0 },
};

static const struct file hooks_files[] = {
	{ EXTENSION_MANIFEST, manifest_plain, 0644 },
	{ "hooks/hooks.json",
	  "{\n"
	  "  \"hooks\": {\n"
	  "    \"BeforeTool\": [\n"
	  "      {\n"
	  "        \"matcher\": \"run_shell_command\",\n"
	  "        \"hooks\": [\n"
	  "          {\n"
	  "            \"name\": \"NAME-guard\",\n"
	  "            \"type\": \"command\",\n"
	  "            \"command\": \"\\\"${extensionPath}\\\"/hooks/guard.sh\",\n"
	  "            \"description\": \"Refuses commands that destroy a disk or a home "
	  "directory\"\n"
	  "          }\n"
	  "        ]\n"
	  "      }\n"
	  "    ]\n"
	  "  }\n"
	  "}\n",
	  0644 },
	{ "hooks/guard.sh", NULL, 0755 },
	{ 0 },
};

static const struct file mcp_files[] = {
	{ EXTENSION_MANIFEST,
	  "{\n"
	  "  \"name\": \"NAME\",\n"
	  "  \"version\": \"1.0.0\",\n"
	  "  \"description\": \"\",\n"
	  "  \"mcpServers\": {\n"
	  "    \"NAME\": {\n"
	  "      \"command\": \"python3\",\n"
	  "      \"args\": [\"${extensionPath}/server.py\"]\n"
	  "    }\n"
	  "  }\n"
	  "}\n",
	  0644 },
	{ "server.py",
	  "#!/usr/bin/env python3\n"
	  "\"\"\"An MCP server with one tool, on stdin and stdout: one JSON object a line.\"\"\"\n"
	  "\n"
	  "import json\n"
	  "import sys\n"
	  "\n"
	  "TOOL = {'name': 'count_words', 'description': 'Counts the words of a text.',\n"
	  "        'inputSchema': {'type': 'object', 'required': ['text'],\n"
	  "                        'properties': {'text': {'type': 'string'}}}}\n"
	  "\n"
	  "\n"
	  "def answer(method, params):\n"
	  "    if method == 'initialize':\n"
	  "        return {'protocolVersion': params.get('protocolVersion', '2025-06-18'),\n"
	  "                'capabilities': {'tools': {}},\n"
	  "                'serverInfo': {'name': 'NAME', 'version': '1.0.0'}}\n"
	  "    if method == 'tools/list':\n"
	  "        return {'tools': [TOOL]}\n"
	  "    if method == 'tools/call':\n"
	  "        words = len(str(params.get('arguments', {}).get('text', '')).split())\n"
	  "        return {'content': [{'type': 'text', 'text': '%d words' % words}]}\n"
	  "    return {}\n"
	  "\n"
	  "\n"
	  "for line in sys.stdin:\n"
	  "    message = json.loads(line)\n"
	  "    if 'id' in message and 'method' in message:\n"
	  "        print(json.dumps({'jsonrpc': '2.0', 'id': message['id'],\n"
	  "                          'result': answer(message['method'], message.get('params') or "
	  "{})}),\n"
	  "              flush=True)\n",
	  0755 },
	{ 0 },
};

static const struct file skills_files[] = {
	{ EXTENSION_MANIFEST, manifest_plain, 0644 },
	{ "skills/release-notes/SKILL.md",
	  "---\n"
	  "name: release-notes\n"
	  "description: How this team writes release notes. Use it when asked for a changelog.\n"
	  "---\n"
	  "\n"
	  "# Release notes\n"
	  "\n"
	  "1. List the commits since the last tag: `git log --oneline TAG..HEAD`.\n"
	  "2. Keep what a user notices; leave out what only developers see.\n"
	  "3. One line each, the most important first.\n",
	  0644 },
	{ 0 },
};

static const struct file commands_files[] = {
	{ EXTENSION_MANIFEST, manifest_plain, 0644 },
	{ "commands/review.toml",
	  "description = \"Looks over the changes that are not committed yet\"\n"
	  "prompt = \"\"\"\n"
	  "Look over these changes and name what is wrong, the worst first. {{args}}\n"
	  "\n"
	  "!{git diff HEAD}\n"
	  "\"\"\"\n",
	  0644 },
	{ 0 },
};

static const struct file exclude_files[] = {
	{ EXTENSION_MANIFEST,
	  "{\n"
	  "  \"name\": \"NAME\",\n"
	  "  \"version\": \"1.0.0\",\n"
	  "  \"description\": \"\",\n"
	  "  \"excludeTools\": [\"run_shell_command(rm -rf)\"]\n"
	  "}\n",
	  0644 },
	{ 0 },
};

static const struct template
{
	const char *name;
	const struct file *files;
}
templates[] = {
	{ "custom-commands", commands_files },
	{ "exclude-tools", exclude_files },
	{ "hooks", hooks_files },
	{ "mcp-server", mcp_files },
	{ "skills", skills_files },
};

static const struct file *files_of(struct wb *wb, const char *name)
{
	const char *names[ARRAY_LEN(templates)];

	if (!name)
		return plain_files;
	for (size_t i = 0; i < ARRAY_LEN(templates); i++) {
		names[i] = templates[i].name;
		if (strcmp(templates[i].name, name) == 0)
			return templates[i].files;
	}
	(void)wb_fail(wb, EXIT_USAGE,
		      "no template \"%s\"%s; the templates are custom-commands, exclude-tools, "
		      "hooks, mcp-server and skills",
		      name, did_you_mean(&wb->arena, name, names, ARRAY_LEN(templates)));
	return NULL;
}

/* ---- writing ---- */

static int write_one(const char *dir, const struct file *f, const char *name, struct err *err)
{
	AUTO(free) char *path = fs_join(dir, f->path);
	AUTO(free) char *above = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	AUTO(buf_done) struct buf text = { 0 };
	const char *rest = f->text ? f->text : init_languages[0].text, *at;
	int r = fs_mkdirs(above, 0755, err);

	for (; f->text && (at = strstr(rest, "NAME")) != NULL; rest = at + strlen("NAME")) {
		buf_add(&text, rest, (size_t)(at - rest));
		buf_addz(&text, name);
	}
	buf_addz(&text, rest);
	return r < 0 ? r : fs_replace(path, buf_str(&text), f->mode, err);
}

int cmd_extension_new(struct wb *wb, const void *args, int n, char **rest)
{
	const struct file *files = files_of(wb, n > 1 ? rest[1] : NULL);
	AUTO(free) char *here = getcwd(NULL, 0);
	AUTO(free) char *dir = fs_absolute(here ? here : "/", rest[0]);
	const char *name = strrchr(dir, '/') + 1;
	struct err err;
	int r = 0;

	(void)args;
	if (!files)
		return EXIT_USAGE;
	if (!extension_name_is_valid(str_from(name)))
		return wb_fail(wb, EXIT_USAGE,
			       "invalid extension name \"%s\": use letters, digits, - _ and .",
			       name);
	if (mkdir(dir, 0755) < 0)
		return wb_fail(wb, EXIT_USAGE,
			       errno == EEXIST ? "%s already exists" : "%s cannot be made",
			       rest[0]);
	for (; files->path && r == 0; files++)
		r = write_one(dir, files, name, &err);
	if (r < 0) {
		(void)tree_remove(dir, NULL);
		return wb_fail_err(wb, EXIT_USAGE, &err);
	}
	AUTO(free) char *line =
		xasprintf("Made %s. To try it: trotline extensions link %s", rest[0], rest[0]);
	sheet_text(&wb->sheet, PLAIN, line, 0);
	return EXIT_OK;
}
