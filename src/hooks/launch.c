#include "hooks/launch.h"

#include "hooks/command.h"
#include "hooks/confined.h"

const char *launch_process(struct firing *f, const struct hook *hook, bool with_shell,
			   struct proc_spec *ret)
{
	struct arena *a = f->arena;
	struct vars *vars = ARENA_NEW(a, struct vars);
	const char *extra[ENV_OF_RUN_MAX];
	struct launch_request rq = {
		.hook = hook, .vars = vars, .cwd = f->cwd, .shell = f->h->shell
	};
	const char *why = confined_refusal(hook, a);
	struct launch l;

	if (why) /* C6.13 */
		return why;
	vars_fill(vars, a, f->h, hook->dialect, f->cwd, f->session_id);
	rq.env = env_for_hook(a, f->h, vars, hook, extra, env_of_run(f, hook, extra));
	if (with_shell)
		launch_with_shell(&l, a, &rq);
	else
		launch_prepare(&l, a, &rq);
	if (!l.file)
		return arena_printf(a, "%s: not found on PATH", l.argv[0]).p;
	*ret = (struct proc_spec){
		.file = l.file,
		.argv = l.argv,
		.envp = rq.env,
		.cwd = f->cwd,
		.result_pipe = !hook->persistent,
		.lines = hook->persistent,
		.watch = f->h->watch,
		.host_reaps = f->h->load_flags & TL_LOAD_HOST_REAPS,
		.sandbox = hook->sandbox ? &hook->sandbox->may : NULL,
	};
	return NULL;
}
