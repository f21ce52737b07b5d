/* trotline hooks test: runs the real hooks on fixtures; TAP, JUnit or JSON comes out. */
#include "base/utf8.h"
#include "base/vec.h"
#include "os/clock.h"
#include "os/fs.h"
#include "workbench/commands.h"
#include "workbench/fixture.h"
#include "workbench/show.h"

struct test_args {
	struct load_args load;
	const char *junit, *filter;
};

static const struct opt opts[] = {
	{ "filter", 'f', "REGEX", OPT_STR, offsetof(struct test_args, filter),
	  "only the fixtures whose name this JavaScript regular expression finds" },
	{ "junit", 0, "FILE", OPT_STR, offsetof(struct test_args, junit),
	  "also write a JUnit report (XML) to this file" },
	LOAD_OPTS(struct test_args),
};
const struct opt_set test_opts = OPT_SET(opts, struct test_args);

/* What came of one fixture; the texts are the arena's. */
struct result {
	const struct fixture *fixture;
	double ms;
	const char *verdict; /* "" when the firing itself failed */
	struct problems problems;
	struct hook_line {
		const char *text;
		bool failed; /* the hook did not do its work: worth a line although all is well */
	} * hooks;
	size_t nhooks;
};

struct run {
	struct arena arena;
	struct fixtures fixtures;
	struct {
		struct result *p;
		size_t n, cap;
	} results;
	size_t failed;
	double ms;
};

static void run_done(struct run *run)
{
	for (size_t i = 0; i < run->results.n; i++)
		free(run->results.p[i].problems.p);
	free(run->results.p);
	fixtures_done(&run->fixtures);
	arena_done(&run->arena);
}
DEFINE_AUTO(struct run, run_done)

/* ---- firing ---- */

static struct hook_line describe(struct arena *a, const struct tl_hooks *hooks,
				 const struct tl_report *r)
{
	bool ran = r->state == TL_STATE_RAN;
	AUTO(buf_done) struct buf line = { 0 };

	buf_addf(&line, "%s (%s", r->hook->name, tl_tier_name(r->hook->tier));
	if (r->hook->line)
		buf_addf(&line, ", %s:%u", short_path(hooks, r->hook->file, a), r->hook->line);
	buf_addf(&line, "): %s", tl_state_name(r->state));
	if (ran)
		buf_addf(&line, ", %s, %s%s, %.1f ms", tl_class_name(r->how),
			 tl_verdict_name(r->verdict), r->stopped ? ", stop" : "",
			 (double)r->elapsed_us / 1000);
	if (ran && (*r->reason || *r->message))
		buf_addf(&line, ": %s", *r->reason ? r->reason : r->message);
	return (struct hook_line){ arena_z(a, buf_str(&line)),
				   ran && r->how != TL_CLASS_OK && r->how != TL_CLASS_BLOCKED };
}

static void run_one(struct wb *wb, struct run *run, struct tl_hooks *hooks, const struct fixture *f)
{
	struct result *r = VEC_ADD(&run->results);
	struct tl_outcome *o;
	int64_t start = clock_us();
	struct tl_err err;
	int failure;

	*r = (struct result){ .fixture = f, .verdict = "" };
	failure = tl_fire(hooks, &f->made.event, wb_cancel(wb), &o, &err);
	r->ms = (double)(clock_us() - start) / 1000;
	run->ms += r->ms;
	if (failure < 0) {
		*VEC_ADD(&r->problems) =
			(struct problem){ "firing", "an outcome",
					  arena_z(&run->arena, str_from(err.text)) };
	} else {
		size_t n = tl_outcome_report_count(o);

		r->verdict = tl_verdict_name(tl_outcome_verdict(o));
		r->hooks = ARENA_ARRAY(&run->arena, struct hook_line, n + 1);
		for (size_t i = 0; i < n; i++) {
			struct tl_report report = TL_REPORT_INIT();

			(void)tl_outcome_report_get(o, i, &report);
			if (report.state != TL_STATE_NO_MATCH && report.state != TL_STATE_NOT_HERE)
				r->hooks[r->nhooks++] = describe(&run->arena, hooks, &report);
		}
		fixture_check(r->fixture, o, r->ms, &run->arena, &r->problems);
		tl_outcome_free(o);
	}
	run->failed += r->problems.n > 0;
}

/* ---- TAP ---- */

/* One line of foreign text, quoted as JSON and so as YAML too. */
static void tap_quoted(struct sheet *p, const char *indent, const char *key, const char *text)
{
	AUTO(buf_done) struct buf quoted = { 0 }, clean = { 0 };

	(void)json_write_str(&quoted, str_from(text));
	(void)utf8_add_visible(&clean, buf_str(&quoted), false);
	sheet_f(p, PLAIN, "%s%s%s\n", indent, key, buf_z(&clean));
}

/* Free text in TAP: on one line, and without a # that would begin a directive. */
static void tap_text(struct sheet *p, const char *text)
{
	AUTO(buf_done) struct buf clean = { 0 }, escaped = { 0 };

	(void)utf8_add_visible(&clean, str_from(text), false);
	for (size_t i = 0; i < clean.n; i++) {
		if (clean.p[i] == '#')
			buf_addc(&escaped, '\\');
		buf_addc(&escaped, clean.p[i]);
	}
	sheet_f(p, PLAIN, "%s\n", buf_z(&escaped));
}

static void tap_result(struct sheet *p, const struct result *r, size_t number)
{
	bool ok = r->problems.n == 0;

	sheet_f(p, ok ? GREEN : RED, "%s", ok ? "ok" : "not ok");
	sheet_f(p, PLAIN, " %zu - ", number);
	tap_text(p, r->fixture->name);
	if (!ok) {
		AUTO(free) char *at = xasprintf("%s:%u:%u", r->fixture->file, r->fixture->line,
						r->fixture->column);

		sheet_f(p, PLAIN, "  ---\n");
		tap_quoted(p, "  ", "at: ", at);
		sheet_f(p, PLAIN, "  problems:\n");
		for (size_t i = 0; i < r->problems.n; i++) {
			const struct problem *what = &r->problems.p[i];

			tap_quoted(p, "    ", "- what: ", what->what);
			tap_quoted(p, "      ", "expected: ", what->expected);
			tap_quoted(p, "      ", "got: ", what->got);
		}
		sheet_f(p, PLAIN, r->nhooks ? "  hooks:\n" : "  hooks: []\n");
		for (size_t i = 0; i < r->nhooks; i++)
			tap_quoted(p, "    ", "- ", r->hooks[i].text);
		sheet_f(p, PLAIN, "  ...\n");
	}
	for (size_t i = 0; ok && i < r->nhooks; i++)
		if (r->hooks[i].failed) {
			sheet_f(p, PLAIN, "# a hook failed: ");
			tap_text(p, r->hooks[i].text);
		}
}

/* ---- JSON ---- */

static const struct json *result_value(struct arena *a, const struct result *r)
{
	struct json_list problems = { 0 }, hooks = { 0 };

	for (size_t i = 0; i < r->problems.n; i++)
		json_list_add(&problems,
			      json_pack(a, "what:z expected:z got:z", r->problems.p[i].what,
					r->problems.p[i].expected, r->problems.p[i].got));
	for (size_t i = 0; i < r->nhooks; i++)
		json_list_add(&hooks, json_pack_str(a, r->hooks[i].text));
	return json_pack(a,
			 "name:z file:z line:u column:u ok:b elapsedMs:f verdict:z problems:j "
			 "hooks:j",
			 r->fixture->name, r->fixture->file, r->fixture->line, r->fixture->column,
			 r->problems.n == 0, r->ms, r->verdict, json_list_take(a, &problems),
			 json_list_take(a, &hooks));
}

/* ---- JUnit ---- */

/* XML knows five entities and no control characters. */
static void xml_text(struct buf *out, const char *text)
{
	static const struct {
		uint32_t cp;
		const char *entity;
	} entities[] = { { '&', "&amp;" },   { '<', "&lt;" },  { '>', "&gt;" },  { '"', "&quot;" },
			 { '\'', "&apos;" }, { '\t', "&#9;" }, { '\n', "&#10;" } };

	for (struct str s = str_from(text); s.n > 0;) {
		size_t n, k = 0;
		uint32_t cp = utf8_decode(s.p, s.n, false, &n);
		char bytes[4];

		s = str_sub(s, n, s.n);
		while (k < ARRAY_LEN(entities) && entities[k].cp != cp)
			k++;
		if (k < ARRAY_LEN(entities))
			buf_addz(out, entities[k].entity);
		else if (cp >= 0x20 && cp != 0x7f && !(cp >= 0x80 && cp < 0xa0) &&
			 (cp & 0xfffe) != 0xfffe)
			buf_add(out, bytes, utf8_encode(cp, bytes));
	}
}

static void xml_attr(struct buf *out, const char *name, const char *text)
{
	buf_addf(out, " %s=\"", name);
	xml_text(out, text);
	buf_addc(out, '"');
}

static void junit_failure(struct buf *out, const struct result *r)
{
	const struct problem *first = &r->problems.p[0];
	AUTO(free) char *message =
		xasprintf("%s: expected %s, got %s", first->what, first->expected, first->got);

	buf_addz(out, "      <failure");
	xml_attr(out, "message", message);
	buf_addz(out, ">");
	for (size_t i = 0; i < r->problems.n; i++) {
		AUTO(free) char *line =
			xasprintf("%s: expected %s, got %s\n", r->problems.p[i].what,
				  r->problems.p[i].expected, r->problems.p[i].got);

		xml_text(out, line);
	}
	for (size_t i = 0; i < r->nhooks; i++) {
		AUTO(free) char *line = xasprintf("hook %s\n", r->hooks[i].text);

		xml_text(out, line);
	}
	buf_addz(out, "</failure>\n");
}

static int write_junit(const struct run *run, const char *path, struct err *err)
{
	AUTO(buf_done) struct buf out = { 0 };

	buf_addf(&out,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		 "  <testsuite name=\"trotline hooks test\" tests=\"%zu\" failures=\"%zu\""
		 " errors=\"0\" skipped=\"0\" time=\"%.3f\">\n",
		 run->results.n, run->failed, run->ms / 1000);
	for (size_t i = 0; i < run->results.n; i++) {
		const struct result *r = &run->results.p[i];

		buf_addz(&out, "    <testcase");
		xml_attr(&out, "classname", r->fixture->file);
		xml_attr(&out, "name", r->fixture->name);
		buf_addf(&out, " time=\"%.3f\"", r->ms / 1000);
		if (r->problems.n == 0) {
			buf_addz(&out, "/>\n");
			continue;
		}
		buf_addz(&out, ">\n");
		junit_failure(&out, r);
		buf_addz(&out, "    </testcase>\n");
	}
	buf_addz(&out, "  </testsuite>\n</testsuites>\n");
	return fs_replace(path, buf_str(&out), 0644, err);
}

/* ---- the command ---- */

/* Keeps the fixtures that --filter names. */
static int choose(struct wb *wb, const struct test_args *args, const struct run *run,
		  const struct fixture **ret_chosen, size_t *ret_n)
{
	AUTO(regex_free) struct regex *re = NULL;
	struct err err;

	*ret_n = 0;
	if (args->filter && regex_compile(str_from(args->filter), 0, &re, &err) < 0)
		return wb_fail(wb, EXIT_USAGE, "--filter: %s", err.text);
	for (size_t i = 0; i < run->fixtures.n; i++) {
		const struct fixture *f = &run->fixtures.p[i];

		if (!re || regex_test(re, str_from(f->name), NULL) == REGEX_YES)
			ret_chosen[(*ret_n)++] = f;
	}
	if (*ret_n)
		return EXIT_OK;
	return wb_fail(wb, EXIT_USAGE, "%s",
		       run->fixtures.n ? "--filter: no fixture has such a name"
				       : "the files hold no fixture");
}

static int run_all(struct wb *wb, const struct test_args *args, struct run *run,
		   struct tl_hooks *hooks, const struct fixture *const *chosen, size_t n)
{
	struct json_list results = { 0 };
	struct err err;

	sheet_f(&wb->sheet, PLAIN, "TAP version 13\n1..%zu\n", n);
	for (size_t i = 0; i < n; i++) {
		run_one(wb, run, hooks, chosen[i]);
		tap_result(&wb->sheet, &run->results.p[i], i + 1);
		wb_flush(wb); /* whoever waits for a slow hook sees how far it is */
		json_list_add(&results, result_value(&wb->arena, &run->results.p[i]));
	}
	sheet_f(&wb->sheet, PLAIN, "# %zu passed, %zu failed\n", n - run->failed, run->failed);
	wb->value = json_pack(&wb->arena, "tests:n passed:n failed:n elapsedMs:f results:j",
			      run->results.n, run->results.n - run->failed, run->failed, run->ms,
			      json_list_take(&wb->arena, &results));
	if (args->junit && write_junit(run, wb_path(wb, args->junit), &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	return run->failed ? EXIT_USAGE : EXIT_OK;
}

int wb_test(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct test_args *args = args_;
	AUTO(run_done) struct run run = { 0 };
	struct tl_hooks *hooks;
	size_t nchosen;
	int status = EXIT_OK;
	struct err err;

	/* All files are read: each broken one is named. */
	for (int i = 0; i < n; i++)
		if (fixtures_read(&run.fixtures, wb_path(wb, rest[i]), &err) < 0)
			status = wb_fail_err(wb, EXIT_USAGE, &err);
	AUTO(free) const struct fixture **chosen = xcalloc(run.fixtures.n + 1, sizeof *chosen);
	if (status == EXIT_OK)
		status = choose(wb, args, &run, chosen, &nchosen);
	if (status == EXIT_OK)
		status = wb_load(wb, &args->load, 0, &hooks);
	if (status != EXIT_OK)
		return status;
	if (!args->load.no_project)
		status = wb_check_trust(wb, hooks);
	if (status == EXIT_OK)
		status = run_all(wb, args, &run, hooks, chosen, nchosen);
	tl_hooks_unref(hooks);
	return status;
}
