/*
 * What a server offers, as it has listed it, within limits.  A catalog is made by the server's
 * thread, does not change once it was shown to others, and is counted by references.
 */
#pragma once

#include "mcp/config.h"

enum {
	CATALOG_ITEMS_MAX = 1000, /* of each kind */
	CATALOG_PAGES_MAX = 100,
	CATALOG_NAME_MAX = 256, /* bytes of a name; of a URI 8 times as much */
	CATALOG_TEXT_MAX = 64 << 10, /* bytes of a description that are kept */
	CATALOG_SCHEMA_MAX = 512 << 10, /* bytes of a tool's schema as text */
	CATALOG_BYTES_MAX = 32 << 20, /* of a catalog */
};

enum catalog_kind { CATALOG_TOOLS, CATALOG_PROMPTS, CATALOG_RESOURCES, CATALOG_TEMPLATES };
enum { CATALOG_KINDS = 4 };

/* The method that lists the kind, and the member of its result. */
struct catalog_list {
	const char *method;
	struct str member;
	const char *capability;
};
extern const struct catalog_list catalog_lists[CATALOG_KINDS];

struct mcp_catalog {
	int refs; /* changed by __atomic functions only */
	struct arena arena;
	struct mcp_tools {
		struct mcp_tool *p;
		size_t n, cap;
	} tools;
	struct mcp_prompts {
		struct mcp_prompt *p;
		size_t n, cap;
	} prompts;
	struct mcp_resources {
		struct mcp_resource *p;
		size_t n, cap;
	} resources; /* and templates */
};

struct mcp_catalog *catalog_new(void) MUST_CHECK;
struct mcp_catalog *catalog_ref(struct mcp_catalog *c);
void catalog_unref(struct mcp_catalog *c); /* NULL allowed */
/*
 * Adds an item of a list's result.  Returns NULL, or why it was left out ("" when the settings want
 * it so).
 */
const char *catalog_add(struct mcp_catalog *c, enum catalog_kind kind,
			const struct mcp_config *config, const struct json *item);
