/* Items are copied one by one, so that a list of garbage costs what is good in it. */
#include "mcp/catalog.h"

#include "base/utf8.h"
#include "base/vec.h"

const struct catalog_list catalog_lists[CATALOG_KINDS] = {
	[CATALOG_TOOLS] = { "tools/list", { "tools", 5 }, "tools" },
	[CATALOG_PROMPTS] = { "prompts/list", { "prompts", 7 }, "prompts" },
	[CATALOG_RESOURCES] = { "resources/list", { "resources", 9 }, "resources" },
	[CATALOG_TEMPLATES] = { "resources/templates/list",
				{ "resourceTemplates", 17 },
				"resources" },
};

struct mcp_catalog *catalog_new(void)
{
	struct mcp_catalog *c = xcalloc(1, sizeof *c);

	c->refs = 1;
	return c;
}

struct mcp_catalog *catalog_ref(struct mcp_catalog *c)
{
	(void)__atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
	return c;
}

void catalog_unref(struct mcp_catalog *c)
{
	if (!c || __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	arena_done(&c->arena);
	free(c->tools.p);
	free(c->prompts.p);
	free(c->resources.p);
	free(c);
}

/* A copy of at most CATALOG_TEXT_MAX bytes, up to its first NUL; "" for what is no string. */
static const char *text_of(struct mcp_catalog *c, const struct json *item, struct str key)
{
	struct str s = json_str(json_get(item, key), STR(""));

	if (s.n > CATALOG_TEXT_MAX) {
		s.n = CATALOG_TEXT_MAX;
		s.n = utf8_valid(s) ? utf8_valid(s) : s.n;
	}
	return arena_z(&c->arena, s);
}

static bool is_name(const struct json *v, size_t max)
{
	struct str s = json_str(v, STR(""));

	return s.n > 0 && s.n <= max && !memchr(s.p, '\0', s.n);
}

static const struct json *copy_of(struct mcp_catalog *c, const struct json *v, enum json_type type)
{
	return json_is(v, type) ? json_dup(&c->arena, v) : NULL;
}

static bool is_small(const struct json *v)
{
	AUTO(buf_done) struct buf text = BUF_INIT(.max = CATALOG_SCHEMA_MAX);

	return !v || json_write(&text, v, JSON_COMPACT) >= 0;
}

static const char *add_tool(struct mcp_catalog *c, const struct mcp_config *config,
			    const struct json *item, struct str key)
{
	const struct json *name = json_get(item, key);
	const struct json *schema = json_getz(item, "inputSchema");
	AUTO(buf_done) struct buf text = { 0 };
	struct mcp_tool *t;
	const struct json *support;

	if (!is_name(name, CATALOG_NAME_MAX))
		return "a tool has no name, or one that is too long";
	if (!mcp_config_offers(config, json_str(name, STR(""))))
		return "";
	for (size_t i = 0; i < c->tools.n; i++)
		if (str_eqz(json_str(name, STR("")), c->tools.p[i].tool))
			return "a tool's name is in the list twice";
	/* 2025-11-25: such a tool refuses every call of a client without tasks. */
	support = json_getz(json_getz(item, "execution"), "taskSupport");
	if (str_eqz(json_str(support, STR("")), "required"))
		return "a tool is left out: it runs as a task only, which is not supported";
	if (c->tools.n == CATALOG_ITEMS_MAX)
		return "there are more than 1,000 tools";
	if (!is_small(schema) || !is_small(json_getz(item, "annotations")))
		return "a tool's schema is longer than 512 KiB";
	t = VEC_ADD(&c->tools);
	*t = (struct mcp_tool){
		.server = config->name,
		.tool = text_of(c, item, key),
		.title = text_of(c, item, STR("title")),
		.description = text_of(c, item, STR("description")),
		.schema = copy_of(c, schema, J_OBJ),
		.annotations = copy_of(c, json_getz(item, "annotations"), J_OBJ),
		.trust = config->trust,
	};
	t->name = mcp_tool_name(&c->arena, config->single, t->server, t->tool);
	if (!t->schema)
		t->schema = json_set(&c->arena, NULL, STR("type"),
				     json_new_str(&c->arena, STR("object")));
	t->read_only = json_is_true(json_getz(t->annotations, "readOnlyHint"));
	(void)json_write(&text, item, JSON_COMPACT);
	t->hash = str_hash(STR_HASH, buf_str(&text));
	if (!t->title[0] && t->annotations)
		t->title = text_of(c, t->annotations, STR("title"));
	return NULL;
}

static const char *add_prompt(struct mcp_catalog *c, const struct mcp_config *config,
			      const struct json *item, struct str key)
{
	const struct json *arguments = json_getz(item, "arguments");

	if (!is_name(json_get(item, key), CATALOG_NAME_MAX))
		return "a prompt has no name, or one that is too long";
	if (c->prompts.n == CATALOG_ITEMS_MAX)
		return "there are more than 1,000 prompts";
	if (!is_small(arguments))
		return "a prompt's arguments are longer than 512 KiB";
	*VEC_ADD(&c->prompts) = (struct mcp_prompt){
		.server = config->name,
		.name = text_of(c, item, key),
		.title = text_of(c, item, STR("title")),
		.description = text_of(c, item, STR("description")),
		.arguments = copy_of(c, arguments, J_ARR),
	};
	return NULL;
}

static const char *add_source(struct mcp_catalog *c, const struct mcp_config *config,
			      const struct json *item, struct str key)
{
	if (!is_name(json_get(item, key), CATALOG_NAME_MAX * 8))
		return "a resource has no URI, or one that is too long";
	if (c->resources.n == CATALOG_ITEMS_MAX)
		return "there are more than 1,000 resources";
	*VEC_ADD(&c->resources) = (struct mcp_resource){
		.server = config->name,
		.uri = text_of(c, item, key),
		.name = text_of(c, item, STR("name")),
		.title = text_of(c, item, STR("title")),
		.description = text_of(c, item, STR("description")),
		.mime_type = text_of(c, item, STR("mimeType")),
		.is_template = !str_eqz(key, "uri"),
	};
	return NULL;
}

const char *catalog_add(struct mcp_catalog *c, enum catalog_kind kind,
			const struct mcp_config *config, const struct json *item)
{
	static const struct {
		const char *(*add)(struct mcp_catalog *c, const struct mcp_config *config,
				   const struct json *item, struct str key);
		struct str key; /* what names an item */
	} kinds[CATALOG_KINDS] = {
		[CATALOG_TOOLS] = { add_tool, { "name", 4 } },
		[CATALOG_PROMPTS] = { add_prompt, { "name", 4 } },
		[CATALOG_RESOURCES] = { add_source, { "uri", 3 } },
		[CATALOG_TEMPLATES] = { add_source, { "uriTemplate", 11 } },
	};

	if (c->arena.used > CATALOG_BYTES_MAX)
		return "the server's lists are longer than 32 MiB";
	return kinds[kind].add(c, config, item, kinds[kind].key);
}
