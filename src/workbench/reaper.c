#include "workbench/reaper.h"

#include "base/json_pack.h"
#include "workbench/show.h"

#include <sha2.h>

#include "os/clock.h"
#include "os/proc.h"

enum { HANDOVER_MAX_BYTES = 64 << 20 };

enum { ARGS_MAX = 24 };

/* The reaper is `trotline hooks reap EVENT`, with the options of `run` and the payload on stdin. */
static void reaper_args(struct wb *wb, const char *argv[ARGS_MAX], const struct load_args *load,
			const struct event_made *m, bool record)
{
	size_t n = 0;

	argv[n++] = "trotline";
	argv[n++] = "hooks";
	argv[n++] = "reap";
	argv[n++] = "--payload=-";
	argv[n++] = "--session";
	argv[n++] = m->event.session_id;
	if (m->event.subject) {
		argv[n++] = "--subject";
		argv[n++] = m->event.subject;
	}
	if (load->dir || wb->cwd) {
		argv[n++] = "--dir";
		argv[n++] = load->dir ? wb_path(wb, load->dir) : wb->cwd;
	}
	if (load->extensions) {
		argv[n++] = "--extensions";
		argv[n++] = load->extensions;
	}
	if (wb->model_name) {
		argv[n++] = "--model";
		argv[n++] = wb->model_name;
	}
	if (wb->recorded_model) {
		argv[n++] = "--fake-responses";
		argv[n++] = wb->recorded_model;
	}
	if (load->trust || wb->trust)
		argv[n++] = "--skip-trust";
	if (load->no_project || wb->no_project)
		argv[n++] = "--no-project-hooks";
	if (wb->json)
		argv[n++] = "--json";
	if (!record)
		argv[n++] = "--no-record";
	argv[n++] = m->event.name;
	argv[n] = NULL;
}

int reaper_fire(struct wb *wb, const struct load_args *load, const struct event_made *m,
		bool record)
{
	AUTO(arena_done) struct arena a = { 0 };
	/* The mode is the host's to say, and is in no payload but Claude's. */
	const struct json *told =
		json_pack_more(&a, m->payload, "?permission_mode:z", m->event.permission_mode);
	struct str payload = json_text(&a, told, JSON_COMPACT);
	struct iovec input = { (void *)payload.p, payload.n };
	const char *argv[ARGS_MAX];
	struct proc_spec spec = { .file = OWN_PROGRAM, .argv = argv, .input = &input, .ninput = 1 };
	struct proc p;
	struct err err;
	int status = EXIT_OK;

	reaper_args(wb, argv, load, m, record);
	if (proc_start(&p, &spec, &err) < 0) {
		proc_done(&p);
		return wb_fail_err(wb, EXIT_USAGE, &err);
	}
	if (proc_wait(&p, NULL, clock_us() + clock_end_wait() * 1000LL)) {
		struct str out = buf_str(&p.result.out);

		if (!wb->json ||
		    json_parse(&wb->arena, arena_str(&wb->arena, out), 0, &wb->value, NULL) < 0)
			buf_adds(&wb->sheet.out, out);
		buf_adds(&wb->said, buf_str(&p.result.err));
		status = p.result.end == PROC_EXITED ? p.result.code : EXIT_USAGE;
		proc_done(&p);
		return status;
	}
	wb_note(wb, arena_printf(&wb->arena,
				 "The %s hooks go on by themselves; their record will be in "
				 "~/.trotline/records.jsonl",
				 m->event.name)
			    .p);
	proc_release(&p);
	return status;
}

/* ---- the same hooks ---- */

static void hash_list(SHA2_CTX *ctx, const char *const *list)
{
	for (; *list; list++)
		SHA256Update(ctx, (const uint8_t *)*list, strlen(*list) + 1);
	SHA256Update(ctx, (const uint8_t *)"", 1);
}

const char *reaper_digest(const struct tl_hooks *hooks, struct arena *a)
{
	struct tl_settings set = TL_SETTINGS_INIT();
	char hex[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	tl_hooks_settings(hooks, &set);
	hash_list(&ctx, set.env);
	hash_list(&ctx, set.project_env);
	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		const struct tl_hook *h = hook_at(hooks, i);
		struct tl_event_info event = TL_EVENT_INFO_INIT();
		AUTO(free) char *all = NULL;

		/* Those that are announced. */
		if (!event_info_find(str_from(h->moment), &event) || !event.advisory)
			continue;
		all = xasprintf("%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%lld", h->moment, h->dialect,
				tl_tier_name(h->tier), tl_state_name(h->state), h->file, h->name,
				h->command, h->matcher, h->fingerprint, (long long)h->timeout_ms);
		SHA256Update(&ctx, (const uint8_t *)all, strlen(all) + 1);
	}
	SHA256End(&ctx, hex);
	return arena_z(a, str_from(hex));
}
