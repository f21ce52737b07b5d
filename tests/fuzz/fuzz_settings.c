/*
 * Settings of any dialect, as far as a snapshot and its plans; the first byte selects dialect and
 * tier.  A text that is refused says where; what is loaded can be listed and asked.
 */
#include "hooks/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void ask(struct tl_hooks *h)
{
	static const char *const subjects[] = { "write_file", "startup", "mcp__a__b", "" };

	for (size_t i = 0; i < tl_event_count(); i++) {
		struct tl_event_info info = TL_EVENT_INFO_INIT();

		(void)tl_event_get(i, &info);
		for (size_t k = 0; k < ARRAY_LEN(subjects); k++) {
			struct tl_event e =
				TL_EVENT_INIT(.name = info.name, .subject = subjects[k]);
			struct tl_outcome *o = NULL;

			if (tl_why(h, &e, &o, NULL) < 0)
				abort();
			free(tl_outcome_record(o));
			tl_outcome_free(o);
		}
	}
}

static void list(struct tl_hooks *h)
{
	struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();
	struct tl_hook k = TL_HOOK_INIT();

	for (size_t i = 0; tl_hooks_diagnostic_get(h, i, &d) == 0; i++)
		if (!d.code || !*d.code || !d.text || !*d.text || !d.file || !d.path)
			abort();
	for (size_t i = 0; i < tl_hooks_count(h); i++)
		if (tl_hooks_get(h, i, &k) < 0 || !k.event || !k.name || k.timeout_ms <= 0)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", "HOME=/nowhere", "FOO=bar", NULL };
	struct tl_hooks *h = NULL;
	struct tl_err err = { 0 };

	if (n == 0)
		return 0;
	struct tl_source s =
		TL_SOURCE_INIT(.tier = (enum tl_tier)(TL_TIER_PROJECT + data[0] / 16 % 4),
			       .dialect = dialects[data[0] % DIALECT_COUNT].name,
			       .name = "fuzz.json", .text = (const char *)data + 1,
			       .length = n - 1);
	struct tl_options o = TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES, .cwd = "/nowhere",
					      .project_dir = "/nowhere", .env = env, .sources = &s,
					      .nsources = 1);
	if (tl_hooks_load(&o, &h, &err) < 0) {
		if (!err.text[0] || strncmp(err.text, "fuzz.json:", 10) != 0)
			abort();
		return 0;
	}
	list(h);
	ask(h);
	tl_hooks_unref(h);
	return 0;
}
