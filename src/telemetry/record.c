/* What the records of events and of metrics have in common. */
#include "telemetry/telemetry_impl.h"

char *record_name(const char *name)
{
	struct str s = str_from(name);
	bool whole = str_starts(s, STR("gemini_cli.")) || str_starts(s, STR("gen_ai."));

	return xasprintf("%s%s", whole ? "" : "gemini_cli.", name);
}

void record_put_time(struct jw *w, int64_t ms)
{
	jw_arr(w);
	jw_int(w, ms / 1000);
	jw_int(w, ms % 1000 * 1000000);
	jw_end(w);
}

void record_put_resource(struct jw *w, const char *session_id)
{
	const char *const attributes[][2] = {
		{ "service.name", "gemini-cli" }, /* what readers look for */
		{ "service.version", TL_VERSION },
		{ "telemetry.sdk.name", "trotline" },
		{ "session.id", session_id },
	};

	jw_key(w, "resource");
	jw_obj(w);
	jw_key(w, "_rawAttributes");
	jw_arr(w);
	for (size_t i = 0; i < ARRAY_LEN(attributes); i++) {
		jw_arr(w);
		jw_z(w, attributes[i][0]);
		jw_z(w, attributes[i][1]);
		jw_end(w);
	}
	jw_end(w);
	jw_kv_bool(w, "_asyncAttributesPending", false);
	jw_end(w);
}
