/* trotline guard test: packs and policy files against the fixtures next to them. */
#include "workbench/commands.h"

#include "base/meant.h"
#include "base/toml.h"
#include "base/vec.h"
#include "os/fs.h"
#include "settings/home.h"
#include "workbench/guard.h"

struct guard_test_args {
	bool batch;
	const char *fixtures;
	struct load_args load;
};

static const struct opt opts[] = {
	{ "batch", 0, NULL, OPT_FLAG, offsetof(struct guard_test_args, batch),
	  "judge the calls on stdin, a line of JSON each" },
	{ "fixtures", 0, "FILE", OPT_STR, offsetof(struct guard_test_args, fixtures),
	  "the expectations; default: NAME.test.jsonl next to a file" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct guard_test_args, load.json), "print JSON" },
};
const struct opt_set guard_test_opts = OPT_SET(opts, struct guard_test_args);

void guard_packs_done(struct guard_packs *g)
{
	for (size_t i = 0; i < g->n; i++)
		policy_free(g->p[i].policy);
	free(g->p);
}

struct policy *guard_pack_open(const struct pack *pack, void (*complain)(void *data, const char *),
			       void *data)
{
	return policy_open(&(struct policy_source){ .path = pack->path,
						    .text = pack->text,
						    .image = pack->image,
						    .tier = TL_TIER_USER,
						    .complain = complain,
						    .data = data });
}

static void complain(void *wb, const char *text)
{
	wb_complain(wb, "%s", text);
}

static int open_file(struct wb *wb, struct guard_packs *g, const char *name)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct policy_source s = {
		.path = name, .tier = TL_TIER_USER, .complain = complain, .data = wb
	};
	struct err err;

	if (fs_read(wb_path(wb, name), TOML_BYTES_MAX, &text, &err) < 0) {
		const char *near = pack_nearest(str_from(name));

		return wb_fail_at(
			wb, EXIT_USAGE, &(struct wb_place){ .code = "unknown-pack" },
			"no pack and no file is called \"%s\"%s", name,
			near ? meant_as("", near).text
			     : "; \"trotline guard list\" names the packs, \"trotline guard why "
			       "COMMAND\" judges a command");
	}
	s.text = buf_str(&text);
	*VEC_ADD(g) = (struct guard_pack){ name, policy_open(&s) };
	return EXIT_OK;
}

int wb_guard_test(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct guard_test_args *args = args_;
	AUTO(guard_packs_done) struct guard_packs g = { 0 };
	extern char **environ;
	AUTO(free) char *home = NULL;
	AUTO(free) char *here = wb->cwd ? xstrdup(wb->cwd) : fs_real(".");
	int status = EXIT_OK;

	/* Where calls are made that do not say so themselves. */
	(void)home_find((const char *const *)environ, &home, NULL);
	wb->dirs.cwd = arena_z(&wb->arena, str_from(here ? here : "/"));
	wb->dirs.home = arena_z(&wb->arena, str_from(home));
	for (size_t i = 0; n == 0 && i < packs_n; i++)
		*VEC_ADD(&g) = (struct guard_pack){ packs[i].name,
						    guard_pack_open(&packs[i], complain, wb) };
	for (int i = 0; i < n && status == EXIT_OK; i++) {
		const struct pack *pack = pack_find(str_from(rest[i]));

		if (pack)
			*VEC_ADD(&g) = (struct guard_pack){ pack->name,
							    guard_pack_open(pack, complain, wb) };
		else
			status = open_file(wb, &g, rest[i]);
	}
	if (status != EXIT_OK)
		return status;
	return args->batch ? guard_batch(wb, &g) : guard_fixtures(wb, &g, args->fixtures);
}
