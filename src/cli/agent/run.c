/* What every step of a run uses: its environment, how it ends, the names of the modes. */
#include <stdarg.h>

#include "base/env.h"
#include "cli/agent/agent_run.h"

const char *run_env(const struct run *r, const char *name)
{
	const char *value = env_get(r->env, name);

	for (size_t i = 0; !value && i < r->dotenv.n; i++)
		value = env_get((const char *const[]){ r->dotenv.p[i], NULL }, name);
	return value && *value ? value : NULL;
}

bool run_env_is_true(const struct run *r, const char *name)
{
	const char *value = run_env(r, name);

	return value && strcmp(value, "true") == 0;
}

int run_finish(struct run *r, int status, const struct run_end *end)
{
	output_end(&r->out, end, r->session ? session_stats(r->session) : NULL);
	return status;
}

int run_fail(struct run *r, int status, const char *type, const char *fmt, ...)
{
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	return run_finish(r, status,
			  &(struct run_end){ .type = type, .message = text, .code = status });
}
