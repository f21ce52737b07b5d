/*
 * enter_plan_mode and exit_plan_mode: the model asks for the approval mode plan, in which only
 * plans are written.  The mode changes once no hook has taken the result back.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "agent/rows.h"
#include "base/json_pack.h"
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
		arena_printf(call->arena, "Switching to Plan mode%s%.*s", reason.n ? ": " : ".",
			     STR_ARG(reason)));
	r->mode = "plan";
}

static const struct json *confirm_enter(struct tool_call *call)
{
	struct str reason = reason_of(call);

	return json_pack(call->arena, "type:z title:z prompt:s", "info", "Enter Plan Mode",
			 arena_printf(call->arena,
				      "The agent wants to plan before it acts: it may read, and "
				      "write only plans.%s%.*s",
				      reason.n ? "\nReason: " : "", STR_ARG(reason)));
}

static struct str describe_enter(struct tool_call *call)
{
	struct str reason = reason_of(call);

	return reason.n ? reason : STR("Begins to plan");
}

const struct tool tool_enter_plan_mode = {
	.name = "enter_plan_mode",
	.display_name = "Enter Plan Mode",
	.description = "Switches to plan mode, in which you can read and search but change nothing "
		       "except plans. Use it before a large or risky change, to find out and write "
		       "down what has to be done.",
	.parameters = "{\"type\":\"object\",\"properties\":{\"reason\":{\"type\":\"string\","
		      "\"description\":\"In a few words, what you will plan.\"}}}",
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
		tool_fail(call, r, "invalid_tool_params", "The name of the plan is empty.");
	} else if (!real) {
		tool_fail(call, r, "invalid_tool_params",
			  "Plan %s does not exist. First write it to %s, as a Markdown file.", name,
			  dir);
	} else if (!in_dir || strchr(in_dir, '/')) {
		tool_fail(call, r, "invalid_tool_params",
			  "%s is not a plan: plans are in the directory %s.", name, dir);
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

static void touches_plan(struct tool_call *call, struct json_list *paths, struct json_list *urls)
{
	AUTO(buf_done) struct buf plan = { 0 };
	struct tool_result unused = { 0 };
	AUTO(free) char *path = read_plan(call, &unused, &plan);

	(void)urls;
	if (path)
		json_list_add(paths, json_pack_str(call->arena, path));
}

static void leave(struct tool_call *call, struct tool_result *r)
{
	AUTO(buf_done) struct buf plan = { 0 };
	AUTO(free) char *path = read_plan(call, r, &plan);
	/* Headless, the mode is again the one that the model left: never one that allows more. */
	const char *mode = !call->env->interactive ? call->env->plan_from
			   : call->always          ? "auto_edit"
						   : "default";

	if (!path)
		return;
	if (!mode) {
		tool_fail(call, r, "execution_failed",
			  "The plan cannot be approved in this session. Answer with it, and end.");
		return;
	}
	tool_ok(call, r,
		arena_printf(call->arena,
			     "Plan approved. The approval mode is now %s.\n\nThe plan: %s\nRead it "
			     "and do what it says, nothing else.",
			     mode, path),
		arena_printf(call->arena, "Plan approved: %s", path));
	r->mode = mode;
}

static const struct json *confirm_exit(struct tool_call *call)
{
	AUTO(buf_done) struct buf plan = { 0 };
	struct arena *a = call->arena;
	struct tool_result unused = { 0 };
	AUTO(free) char *path = read_plan(call, &unused, &plan);
	const struct json *d = json_pack(a, "type:z title:z", "exit_plan_mode", "Plan Approval");

	if (!path)
		return d;
	return json_pack_more(a, d, "planPath:s plan:s", tool_clean(a, str_from(path)),
			      tool_clean(a, buf_str(&plan)));
}

static struct str describe_exit(struct tool_call *call)
{
	return tool_clean(call->arena, arg_str(call, "plan_filename"));
}

const struct tool tool_exit_plan_mode = {
	.name = "exit_plan_mode",
	.display_name = "Exit Plan Mode",
	.description = "Shows the finished plan to the user, who approves or rejects it. Once "
		       "approved, plan mode ends and you carry out the plan. First write the plan "
		       "to the plans directory as a Markdown file.",
	.parameters = "{\"type\":\"object\",\"properties\":{\"plan_filename\":{\"type\":\"string\","
		      "\"description\":\"The name of the plan's file in the plans directory.\"}},"
		      "\"required\":[\"plan_filename\"]}",
	.need = NEED_PLAN,
	.kind = TOOL_THINK,
	.check = check_exit,
	.touches = touches_plan,
	.run = leave,
	.confirm = confirm_exit,
	.describe = describe_exit,
};
