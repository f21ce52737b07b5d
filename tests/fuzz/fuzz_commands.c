/*
 * A command file and what is typed behind its name, parted by the first NUL: reading, and putting
 * together.  What is typed reaches a shell only as quoted words (taking these away leaves the same
 * command as for other arguments), and never the parts that are taken apart.  The typed text is
 * read as arguments of a server's prompt, too, and the file as what such a prompt answers.
 */
#include "agent/catalog/prompt_commands.h"
#include "base/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct str mark = STR("\001ARGUMENT\001");

/* With the argument, quoted as it must be, as the mark. */
static struct str without(struct arena *a, struct str command, struct str args)
{
	AUTO(buf_done) struct buf quoted = { 0 }, out = { 0 };
	size_t from = 0;
	ptrdiff_t at;

	buf_addc(&quoted, '\'');
	for (size_t i = 0; i < args.n; i++)
		buf_adds(&quoted, args.p[i] == '\'' ? STR("'\\''") : str_sub(args, i, i + 1));
	buf_addc(&quoted, '\'');
	while ((at = str_find(command, buf_str(&quoted), from)) >= 0) {
		buf_adds(&out, str_sub(command, from, (size_t)at));
		buf_adds(&out, mark);
		from = (size_t)at + quoted.n;
	}
	buf_adds(&out, str_sub(command, from, command.n));
	return arena_str(a, buf_str(&out));
}

struct heard {
	struct arena *a;
	struct str args;
	struct buf commands; /* without the arguments */
};

static int shell(void *data, struct str command, struct arena *a, struct str *ret_output,
		 struct err *err)
{
	struct heard *h = data;

	(void)a, (void)err;
	buf_adds(&h->commands, without(h->a, command, h->args));
	buf_addc(&h->commands, '\n');
	*ret_output = STR("!{again} @{again} {{args}}");
	return 0;
}

static int file(void *data, struct str path, struct arena *a, struct str *ret_text, struct err *err)
{
	(void)data, (void)a;
	if (path.n % 2)
		return err_set(err, E_NOTFOUND, "none");
	*ret_text = STR("!{again} @{again} {{args}}");
	return 0;
}

static int expand(struct heard *h, const struct prompt_command *c, struct str *ret_out)
{
	const struct prompt_expand e = { .shell = shell, .file = file, .data = h };
	struct err err = { 0 };
	int r = prompt_command_expand(h->a, c, h->args, STR("/t x"), &e, ret_out, &err);

	if (r < 0 && !err.text[0])
		abort();
	if (str_find(buf_str(&h->commands), STR("again"), 0) >= 0 &&
	    str_find(c->prompt, STR("again"), 0) < 0)
		abort();
	return r;
}

/* The same commands whatever the arguments are; they may be part of what the author wrote. */
static void compare(struct arena *a, const struct prompt_command *c, struct str args)
{
	struct heard one = { .a = a, .args = args }, other = { .a = a, .args = STR("\002") };
	struct str out;
	int r = expand(&one, c, &out), r2 = expand(&other, c, &out);
	bool odd = !args.n || str_chr(args, '\0', 0) >= 0 || str_chr(c->prompt, '\'', 0) >= 0;

	if (!odd && (r < 0) != (r2 < 0))
		abort();
	if (!odd && r == 0 && !str_eq(buf_str(&one.commands), buf_str(&other.commands)))
		abort();
	buf_done(&one.commands);
	buf_done(&other.commands);
}

static void ask_server(struct arena *a, const struct json *doc, struct str args)
{
	const struct json *v = NULL, *known = json_getz(doc, "arguments");
	struct err err = { 0 };
	int r = prompt_mcp_arguments(a, known, args, &v, &err);

	if ((r < 0 && !err.text[0]) || (r == 0 && v && !json_is(v, J_OBJ)))
		abort();
	(void)prompt_mcp_text(a, json_getz(doc, "messages"));
	(void)prompt_mcp_help(a, &(struct prompt_command){ .name = "t", .arguments = known });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str all = { (const char *)data, n }, text = all, args = STR(""), name;
	ptrdiff_t nul = str_chr(all, '\0', 0);
	struct prompt_command c = { .name = "t", .origin = CATALOG_USER };
	const struct json *doc;

	if (nul >= 0) {
		text = str_sub(all, 0, (size_t)nul);
		args = str_trim(str_sub(all, (size_t)nul + 1, n));
	}
	(void)prompt_command_split(args, &name, &name);
	if (toml_parse(&a, text, &doc, NULL, NULL) < 0) {
		c.prompt = text;
		compare(&a, &c, args);
		return 0;
	}
	c.prompt = json_str(json_getz(doc, "prompt"), text);
	compare(&a, &c, args);
	ask_server(&a, doc, args);
	return 0;
}
