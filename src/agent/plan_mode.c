/*
 * enter_plan_mode and exit_plan_mode: the approval mode plan, in which nothing but plans is
 * written, at the model's own wish (host.md F6).  They only ask for the other mode: it holds when
 * no hook has taken the result back.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "agent/rows.h"
#include "base/path.h"
#include "os/fs.h"
#include "tools/files.h"

enum { PLAN_MAX_BYTES = 1 << 20 };

/* ---- in ---- */

static struct str reason_of(const struct tool_call *call)
{
	return str_trim(tool_clean(call->arena, arg_str(call, "reason")));
}

static void enter(struct tool_call *call, struct tool_result *r)
{
	struct str reason = reason_of(call);

	tool_ok(call, r, STR("Switching to Plan mode."),
		reason.n
			? arena_printf(call->arena, "Switching to Plan mode: %.*s", STR_ARG(reason))
			: STR("Switching to Plan mode."));
	r->mode = "plan";
}

static const struct json *confirm_enter(struct tool_call *call)
{
	struct arena *a = call->arena;
	struct str reason = reason_of(call);
	const struct json *d = json_set(a, NULL, STR("type"), json_new_str(a, STR("info")));
	struct str text = arena_printf(
		a,
		"The agent wants to plan before it acts: it may read, and write only plans.%s%.*s",
		reason.n ? "\nReason: " : "", STR_ARG(reason));

	d = json_set(a, d, STR("title"), json_new_str(a, STR("Enter Plan Mode")));
	return json_set(a, d, STR("prompt"), json_new_str(a, text));
}

static struct str describe_enter(struct tool_call *call)
{
	struct str reason = reason_of(call);

	return reason.n ? reason : STR("Begins to plan");
}

const struct tool tool_enter_plan_mode = {
	.name = "enter_plan_mode",
	.display_name = "Enter Plan Mode",
	.description = "Changes to plan mode: from then on you can read and search, but change "
		       "nothing except for plans. Use it before a large or risky change, to find "
		       "out and write down what is to be done.",
	.parameters = "{\"type\":\"object\",\"properties\":{\"reason\":{\"type\":\"string\","
		      "\"description\":\"In a few words, what is to be planned.\"}}}",
	.need = NEED_NO_PLAN,
	.kind = TOOL_THINK,
	.run = enter,
	.confirm = confirm_enter,
	.describe = describe_enter,
};

/* ---- and out ---- */

/*
 * The real path of the plan, which must lie in the plans directory itself; NULL after tool_fail().
 * What it holds is appended to `out`.
 */
static char *read_plan(struct tool_call *call, struct tool_result *r, struct buf *out)
{
	const char *dir = call->env->plans_dir;
	const char *name = arena_z(call->arena, str_trim(arg_str(call, "plan_filename")));
	AUTO(free) char *wanted = dir ? fs_absolute(dir, name) : NULL;
	AUTO(free) char *real_dir = dir ? fs_real(dir) : NULL;
	AUTO(free) char *real = wanted ? fs_real(wanted) : NULL;
	const char *in_dir = path_below(real_dir, real);
	struct err err;

	if (!dir || !*name) {
		tool_fail(call, r, "invalid_tool_params", "There is no plan with an empty name.");
	} else if (!real) {
		tool_fail(call, r, "invalid_tool_params",
			  "There is no plan %s. Write it into %s first, as a Markdown file.", name,
			  dir);
	} else if (!in_dir || strchr(in_dir, '/')) {
		tool_fail(call, r, "invalid_tool_params",
			  "%s is no plan: plans lie in the directory %s.", name, dir);
	} else if (fs_read(real, PLAN_MAX_BYTES, out, &err) < 0) {
		tool_fail(call, r, "invalid_tool_params", "The plan cannot be read: %s", err.text);
	} else if (!str_trim(buf_str(out)).n) {
		tool_fail(call, r, "invalid_tool_params", "The plan %s is empty.", name);
	} else {
		return MOVE(real);
	}
	return NULL;
}

static bool check_exit(struct tool_call *call, struct tool_result *r)
{
	AUTO(buf_done) struct buf plan = { 0 };
	AUTO(free) char *path = read_plan(call, r, &plan);

	return path != NULL;
}

/*
 * Who answers "for this session" lets edits through from now on.  Where nobody can be asked, the
 * mode is again the one that the model left by itself: never one that allows more.
 */
static const char *mode_after(const struct tool_call *call)
{
	if (!call->env->interactive)
		return call->env->plan_from;
	return call->always ? "auto_edit" : "default";
}

static void leave(struct tool_call *call, struct tool_result *r)
{
	AUTO(buf_done) struct buf plan = { 0 };
	AUTO(free) char *path = read_plan(call, r, &plan);
	const char *mode = mode_after(call);

	if (!path)
		return;
	if (!mode) {
		tool_fail(call, r, "execution_failed",
			  "Nobody can approve the plan here. Answer with it, and end.");
		return;
	}
	tool_ok(call, r,
		arena_printf(
			call->arena,
			"Plan approved. The approval mode is %s now.\n\nThe plan: %s\nRead it, "
			"and do what it says, nothing else.",
			mode, path),
		arena_printf(call->arena, "Plan approved: %s", path));
	r->mode = mode;
}

static const struct json *confirm_exit(struct tool_call *call)
{
	AUTO(buf_done) struct buf plan = { 0 };
	struct arena *a = call->arena;
	const struct json *d =
		json_set(a, NULL, STR("type"), json_new_str(a, STR("exit_plan_mode")));
	struct tool_result unused = { 0 };
	AUTO(free) char *path = read_plan(call, &unused, &plan);

	d = json_set(a, d, STR("title"), json_new_str(a, STR("Plan Approval")));
	if (!path)
		return d;
	d = json_set(a, d, STR("planPath"), json_new_str(a, tool_clean(a, str_from(path))));
	return json_set(a, d, STR("plan"), json_new_str(a, tool_clean(a, buf_str(&plan))));
}

static struct str describe_exit(struct tool_call *call)
{
	return tool_clean(call->arena, arg_str(call, "plan_filename"));
}

const struct tool tool_exit_plan_mode = {
	.name = "exit_plan_mode",
	.display_name = "Exit Plan Mode",
	.description = "Shows the finished plan to the user, who approves it or not. When it is "
		       "approved, plan mode is over and you do what the plan says. Write the plan "
		       "as a Markdown file into the plans directory before.",
	.parameters = "{\"type\":\"object\",\"properties\":{\"plan_filename\":{\"type\":\"string\","
		      "\"description\":\"Name of the plan's file in the plans directory.\"}},"
		      "\"required\":[\"plan_filename\"]}",
	.need = NEED_PLAN,
	.kind = TOOL_THINK,
	.check = check_exit,
	.run = leave,
	.confirm = confirm_exit,
	.describe = describe_exit,
};
