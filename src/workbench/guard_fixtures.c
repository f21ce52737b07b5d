/*
 * Fixtures of packs: NAME.test.jsonl, a line a call: {"command"...} or {"tool", "input"...}, with
 * {"expect": "deny"} and, where it matters, {"rule": "home"}.
 */
#include "os/fs.h"
#include "workbench/guard.h"

enum { FIXTURES_MAX_BYTES = 16 << 20 };

struct fixtures_run {
	struct wb *wb;
	const struct guard_packs *packs;
	struct json_list rows;
	unsigned n, failed;
};

static void check_line(struct fixtures_run *run, const char *path, unsigned at, struct str text)
{
	struct wb *wb = run->wb;
	struct arena *a = &wb->arena;
	const struct json *line;
	struct str expect, rule;
	struct policy_call call;
	struct policy_verdict v;
	const char *pack, *got, *name;
	bool fits;

	run->n++;
	if (json_parse(a, text, 0, &line, NULL) < 0 || !json_is(line, J_OBJ)) {
		run->failed++;
		sheet_f(&wb->sheet, RED, "%s:%u: no JSON object\n", path, at);
		return;
	}
	expect = json_get_str(line, "expect");
	rule = json_get_str(line, "rule");
	guard_call_init(&call, line, "/home/user/project", "/home/user", a);
	guard_judge(run->packs, &call, NULL, &v, &pack);
	got = v.decided ? policy_decision_name(v.decision) : "allow";
	/* "fetched" or "supply/fetched": whichever file the pack was read from. */
	fits = str_eqz(expect, got) && (!rule.n || str_eq(v.rule, rule) ||
					str_ends(v.rule, arena_printf(a, "/%.*s", STR_ARG(rule))));
	name = json_text(a, line, JSON_COMPACT).p;
	json_list_add(&run->rows, json_pack(a, "file:z line:u ok:b expect:s got:z rule:s reason:s",
					    path, at, fits, expect, got, v.rule, v.reason));
	if (fits)
		return;
	run->failed++;
	sheet_f(&wb->sheet, RED, "%s:%u: expected %.*s%s%.*s, got %s %.*s\n", path, at,
		STR_ARG(expect), rule.n ? " by " : "", STR_ARG(rule), got, STR_ARG(v.rule));
	sheet_text(&wb->sheet, DIM, name, 2);
}

static int check_file(struct fixtures_run *run, const char *path)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct str rest, line;
	unsigned at = 0;
	struct err err;

	if (fs_read(wb_path(run->wb, path), FIXTURES_MAX_BYTES, &text, &err) < 0)
		return wb_fail_err(run->wb, EXIT_USAGE, &err);
	rest = arena_str(&run->wb->arena, buf_str(&text));
	while (str_split(&rest, '\n', &line)) {
		at++;
		if (str_trim(line).n)
			check_line(run, path, at, str_trim(line));
	}
	return EXIT_OK;
}

int guard_fixtures(struct wb *wb, const struct guard_packs *g, const char *fixtures)
{
	struct fixtures_run run = { .wb = wb, .packs = g };
	int status = EXIT_OK;

	if (fixtures)
		status = check_file(&run, fixtures);
	for (size_t i = 0; !fixtures && status == EXIT_OK && i < g->n; i++) {
		struct guard_packs one = { &g->p[i], 1, 1 };
		const struct pack *pack = pack_find(str_from(g->p[i].name));
		struct str base = str_from(pack ? pack->path : g->p[i].name);
		const char *path;

		/* "dir/git.toml" has "dir/git.test.jsonl"; a pack that of the packs' directory. */
		if (str_ends(base, STR(".toml")))
			base = str_sub(base, 0, base.n - 5);
		path = arena_printf(&wb->arena, "%.*s.test.jsonl", STR_ARG(base)).p;
		if (pack && !fs_exists(wb_path(wb, path)))
			return wb_fail(wb, EXIT_USAGE,
				       "%s is not here: the fixtures of packs are in trotline's "
				       "sources; name a policy file of yours, or --fixtures FILE",
				       path);
		run.packs = &one;
		status = check_file(&run, path);
	}
	if (status != EXIT_OK)
		return status;
	sheet_f(&wb->sheet, run.failed ? RED : GREEN, "%u calls judged, %u not as expected\n",
		run.n, run.failed);
	wb->value = json_pack(&wb->arena, "calls:u failed:u results:j", run.n, run.failed,
			      json_list_take(&wb->arena, &run.rows));
	return run.failed ? EXIT_USAGE : EXIT_OK;
}
