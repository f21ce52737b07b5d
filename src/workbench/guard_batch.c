/*
 * trotline guard test --batch: a line of JSON for each line of stdin, with what the packs say of
 * it, for programs that measure how good they are.
 */
#include <stdio.h>

#include "base/words.h"
#include "os/clock.h"
#include "workbench/guard.h"

enum { LINE_MAX_BYTES = 4 << 20 };

static const char *text_or(const struct json *line, const char *key, const char *other,
			   struct arena *a)
{
	struct str s = json_get_str(line, key);

	return s.n && !memchr(s.p, '\0', s.n) ? arena_z(a, s) : other;
}

const struct json *guard_effects_value(struct arena *a, const struct effects *all)
{
	struct json_list list = { 0 }, places = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		const struct effect *e = &all->p[i];

		for (unsigned k = 0; effect_place_name(k); k++)
			if (e->places & 1u << k)
				json_list_add(&places,
					      json_new_str(a, str_from(effect_place_name(k))));
		json_list_add(
			&list,
			json_pack(a,
				  "kind:z places:j words:s target:s recursive:b forced:b remote:b "
				  "maybe:b ?presumed:s",
				  effect_name(e->kind), json_list_take(a, &places), e->words,
				  e->target, e->recursive, e->forced, e->remote, e->maybe,
				  e->presumed));
	}
	return json_list_take(a, &list);
}

void guard_call_init(struct policy_call *call, const struct json *line, const char *cwd,
		     const char *home, struct arena *a)
{
	struct str *root = ARENA_NEW(a, struct str);
	const char *tool = text_or(line, "tool", "run_shell_command", a);
	const struct json *input = json_getz(line, "input");

	*root = str_from(text_or(line, "project", text_or(line, "cwd", cwd, a), a));
	*call = (struct policy_call){ .event = "BeforeTool",
				      .subject = policy_subject_of(tool, NULL, NULL),
				      .powershell = word_is_one_icase(json_get_str(line, "shell"),
								      "powershell|pwsh|cmd"),
				      .input = input ? input : line,
				      .paths = json_getz(line, "paths"),
				      .world = { .cwd = str_from(text_or(line, "cwd", cwd, a)),
						 .home = str_from(text_or(line, "home", home, a)),
						 .roots = root,
						 .nroots = 1,
						 .read = call_read_file,
						 .link = call_read_link },
				      .arena = a };
}

void guard_judge(const struct guard_packs *g, struct policy_call *call,
		 const struct policy_exception *exceptions, struct policy_verdict *ret_verdict,
		 const char **ret_pack)
{
	*ret_pack = "";
	*ret_verdict = (struct policy_verdict){ .reason = STR(""), .rule = STR("") };
	for (size_t i = 0; i < g->n; i++) {
		struct policy_verdict v;

		policy_judge(g->p[i].policy, call, exceptions, &v);
		if (v.decided && (!ret_verdict->decided || v.decision > ret_verdict->decision)) {
			*ret_verdict = v;
			*ret_pack = g->p[i].name;
		}
	}
}

static int answer_line(struct wb *wb, const struct guard_packs *g, struct str text, unsigned at)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *v = NULL;
	struct policy_verdict verdict;
	struct policy_call call;
	int status = EXIT_OK;
	const char *pack;
	int64_t us;

	if (text.n > LINE_MAX_BYTES || json_parse(&a, text, 0, &v, NULL) < 0 ||
	    !json_is(v, J_OBJ)) {
		v = json_pack(&a, "verdict:z reason:s", "deny",
			      arena_printf(&a, "line %u is no JSON object", at));
		status = EXIT_USAGE;
	} else {
		guard_call_init(&call, v, wb->dirs.cwd, wb->dirs.home, &a);
		us = clock_us();
		guard_judge(g, &call, NULL, &verdict, &pack);
		us = clock_us() - us;
		v = json_pack(&a, "verdict:z reason:s pack:z rule:s effects:j opaque:b us:l",
			      verdict.decided ? policy_decision_name(verdict.decision) : "allow",
			      verdict.reason, pack, verdict.rule,
			      guard_effects_value(&a, call_effects(&call)),
			      call_effects(&call)->opaque, us);
	}
	buf_adds(&wb->sheet.out, json_text(&a, v, JSON_COMPACT));
	buf_addc(&wb->sheet.out, '\n');
	wb_flush(wb);
	return status;
}

int guard_batch(struct wb *wb, const struct guard_packs *g)
{
	struct str rest = wb->input ? *wb->input : (struct str){ 0 }, text;
	AUTO(free) char *line = NULL;
	size_t cap = 0;
	unsigned at = 0;
	int status = EXIT_OK;

	for (;;) {
		ssize_t n = !wb->input && wb->reads_stdin ? getline(&line, &cap, stdin) : -1;

		if (n >= 0)
			text = (struct str){ line, (size_t)n };
		else if (!str_split(&rest, '\n', &text))
			return status;
		text = str_trim(text);
		at++;
		if (text.n && answer_line(wb, g, text, at) != EXIT_OK)
			status = EXIT_USAGE;
	}
}
