/* A hook on each event of a dialect, as the answers' test and their fuzz target have it. */
#pragma once

#include "hooks/outcome.h"

static inline struct tl_hooks *hooks_on_each_event(const char *dialect, bool guard)
{
	const struct dialect *d = dialect_find(str_from(dialect));
	AUTO(buf_done) struct buf text = { 0 };
	struct tl_hooks *h = NULL;

	buf_addz(&text, "{\"hooks\":{");
	for (size_t i = 0; i < d->nevents; i++)
		if (d->events[i].when != CASE_NEVER)
			buf_addf(
				&text,
				"\"%s\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"%s}]}],",
				d->events[i].name, guard ? ",\"guard\":true" : "");
	buf_addz(&text, "}}");
	struct tl_source s = TL_SOURCE_INIT(.tier = TL_TIER_USER, .dialect = dialect,
					    .text = buf_z(&text), .length = text.n);
	struct tl_options o =
		TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES, .cwd = "/", .project_dir = "/",
				.home = "/nowhere", .sources = &s, .nsources = 1);
	if (tl_hooks_load(&o, &h, NULL) < 0)
		abort();
	return h;
}
