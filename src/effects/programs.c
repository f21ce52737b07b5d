/* The tables that say what a program does with its words. */
#include <pthread.h>
#include <stdlib.h>

#include "base/wild.h"
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

/* ---- targets ---- */

static bool is_about_paths(enum effect_kind kind)
{
	return kind <= EFFECT_PERMISSIONS || kind == EFFECT_DEVICE || kind == EFFECT_GIT_LOSS ||
	       kind == EFFECT_PERSIST;
}

/* rmdir /s /q build */
static bool is_windows_option(struct str program, struct str word)
{
	return word.n == 2 && word.p[0] == '/' &&
	       (char_is_word(word.p[1]) || word.p[1] == MARK_ONE) &&
	       word_in_text(program, "del erase format rd rmdir");
}

static void add_target(struct run *r, const struct call *c, struct effect effect, struct str target)
{
	if (is_about_paths(effect.kind)) {
		if (str_find(target, STR("://"), 0) > 0 || str_eqz(target, "-") ||
		    is_windows_option(c->words[0], target))
			return;
		/* What these take away is the text of a file, and not its name. */
		if (effect.kind == EFFECT_DELETE &&
		    word_in_text(c->words[0], "truncate shred srm wipe"))
			effect.link = LINK_BEHIND;
		effect.empty = str_ends(c->words[0], STR("mkdir"));
		call_path(r, c, effect, target);
		return;
	}
	effect.target = value_shown(r->a, target);
	if (effect.kind == EFFECT_DATABASE)
		effect.places |= effect_database_places(r->e->world, target);
	if (effect.kind == EFFECT_SEND || effect.kind == EFFECT_FETCH ||
	    effect.kind == EFFECT_ATTACK) {
		effect.places |= address_is_local(address_host(target)) ? PLACE_LOCAL_HOST : 0;
		effect.places |= value_known(address_host(target)) ? 0 : PLACE_UNKNOWN;
	}
	call_add(r, c, effect);
}

static void add_targets(struct run *r, const struct call *c, const struct args *a, size_t next,
			const char *target, struct effect effect)
{
	struct fields to = { 0 };

	if (str_eqz(str_from(target), "."))
		field_add(r, &to, r->cwd.n ? r->cwd : ANY);
	else
		args_targets(r, a, next, target, &to);
	for (size_t i = 0; i < to.n; i++) {
		struct effect one = effect;

		if (effect.kind == EFFECT_DATABASE)
			one.places |= made_places(r, a, c->words[0], to.p[i]);
		add_target(r, c, one, to.p[i]);
	}
}

/* ---- the tables ---- */

static struct str name_at(size_t i)
{
	return row_name(packed_texts + packed_rows[i].pattern);
}

static struct program_row row_at(size_t i)
{
	const struct packed_row *r = &packed_rows[i];
	const char *const texts = packed_texts;

	return (struct program_row){ .pattern = texts + r->pattern,
				     .kind = r->kind,
				     .target = r->target ? texts + r->target : NULL,
				     .recursive = r->recursive ? texts + r->recursive : NULL,
				     .forced = r->forced ? texts + r->forced : NULL,
				     .places = r->places };
}

/* The first row of the program; packed_rows_n where it has none. */
static size_t rows_of(struct str name)
{
	size_t lo = 0, hi = packed_rows_n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (str_cmp(name_at(mid), name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < packed_rows_n && str_eq(name_at(lo), name) ? lo : packed_rows_n;
}

bool programs_know(struct str name)
{
	return rows_of(name) < packed_rows_n;
}

bool programs_are_remote(struct str name)
{
	for (size_t i = rows_of(name); i < packed_rows_n && str_eq(name_at(i), name); i++)
		if (packed_rows[i].remote)
			return true;
	return false;
}

static bool is_about_others(enum effect_kind kind)
{
	return kind == EFFECT_CLOUD || kind == EFFECT_PUBLISH || kind == EFFECT_CONTAINERS ||
	       kind == EFFECT_DATABASE || kind == EFFECT_ATTACK;
}

bool effect_cluster_is_here(struct str context)
{
	return str_starts(context, STR("kind-")) || str_starts(context, STR("k3d-")) ||
	       str_eqz(context, "minikube") || str_eqz(context, "docker-desktop");
}

/* In something that only looks like a cloud, on this machine: all that it is pointed at. */
static bool is_emulated(struct run *r, const struct args *a, struct str program)
{
	static const char *const names[] = { "--endpoint-url", "--endpoint", "--context",
					     "--kube-context", "--server",   "--cluster",
					     "--registry",     NULL };
	static const char *const feeds[] = { "--source", "-s", "-Source", NULL };
	static const char *const folders[] = { "/", "./", "../" };
	bool local = args_option(a, "--local|--emulator|-local") ||
		     (str_eqz(program, "aws") &&
		      address_is_local(address_host(variable(r, STR("AWS_ENDPOINT_URL")))));

	for (size_t i = 0; i < a->noptions; i++) {
		struct str value = a->options[i].value;

		if (sh_is_among(a->options[i].name, feeds) && TEXT_BEGINS(value, folders))
			local = word_in_text(program, "dotnet nuget");
		if (!sh_is_among(a->options[i].name, names))
			continue;
		local = address_is_local(address_host(value)) || effect_cluster_is_here(value);
		if (!local)
			return false;
	}
	return local;
}

/* Is what a framework works on there for tests alone? */
static unsigned environment_places(struct run *r, const struct args *a, struct str program)
{
	static const struct {
		const char *variable, *readers;
	} rows[] = {
		{ "RAILS_ENV", "rails rake bundle" },
		{ "RACK_ENV", "rake bundle hanami" },
		{ "HANAMI_ENV", "hanami bundle" },
		{ "NODE_ENV",
		  "sequelize sequelize-cli knex typeorm prisma drizzle-kit mikro-orm adonis" },
		{ "MIX_ENV", "mix" },
		{ "APP_ENV", "php artisan console symfony doctrine" },
		{ "FLASK_ENV", "flask" },
	};
	static const char *const tests[] = { "test", "testing", NULL };
	const struct option *o = args_option(a, "-e|--env|--environment");
	struct str url = variable(r, STR("DATABASE_URL"));

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (word_in_text(program, rows[i].readers) &&
		    sh_is_among(o ? o->value : variable(r, str_from(rows[i].variable)), tests))
			return PLACE_TEMP;
	if (word_in_text(program, "prisma drizzle-kit dbmate sqlx diesel rails rake sea-orm-cli "
				  "node-pg-migrate") &&
	    value_known(url) && !args_option(a, "--url|--schema|--config"))
		return effect_database_places(r->e->world, url);
	return 0;
}

static void apply_row(struct run *r, const struct call *c, const struct args *a,
		      const struct program_row *row, struct str name)
{
	size_t next;
	struct str pattern = str_from(row->pattern);
	struct effect effect = { .kind = row->kind, .places = row->places };

	if (!args_fit(a, str_sub(pattern, name.n + 1, pattern.n), &next) ||
	    (is_about_others(row->kind) && args_only_show(a)))
		return;
	if (is_about_others(row->kind) &&
	    (is_emulated(r, a, name) ||
	     (word_in_text(name, "kubectl oc helm") && made_cluster(r, a))))
		effect.places |= PLACE_LOCAL_HOST;
	if (row->kind == EFFECT_DATABASE)
		effect.places |= environment_places(r, a, name) |
				 (row->target ? 0 : made_places(r, a, name, STR("")));
	/* docker compose -p shop-test: a project of its own. */
	if (row->kind == EFFECT_CONTAINERS && str_find(pattern, STR("compose"), 0) > 0) {
		const struct option *stack = args_option(a, "-p|--project-name");
		struct str project =
			stack ? stack->value : variable(r, STR("COMPOSE_PROJECT_NAME"));

		effect.places |= effect_database_places(r->e->world, project) & PLACE_TEMP;
	}
	effect.recursive = row->recursive && (str_eqz(str_from(row->recursive), "*") ||
					      args_option(a, row->recursive));
	effect.forced = row->forced && args_option(a, row->forced);
	if (row->target)
		add_targets(r, c, a, next, row->target, effect);
	else if (row->kind == EFFECT_READ && (row->places & PLACE_SECRET) && r->captured)
		run_emit(r, SECRET);
	else
		call_add(r, c, effect);
}

/* del /?, reg /?: help, of programs of Windows; to others that is the name of a file.  shutdown /a
 * calls one off. */
static bool asks_windows(const struct args *a, struct str name)
{
	static const char programs[] = "assoc attrib bcdedit chkdsk cipher copy del diskpart erase "
				       "format fsutil icacls logoff md net netsh rd reg ren "
				       "robocopy runas sc schtasks shutdown takeown taskkill "
				       "vssadmin wbadmin wevtutil wmic xcopy";

	if (!word_in_text(name, programs) ||
	    (str_eqz(name, "shutdown") && a->noperands + a->noptions > 1)) /* a message to all */
		return false;
	for (size_t i = 0; i < a->noperands; i++)
		if (a->operands[i].n == 2 && a->operands[i].p[0] == '/' &&
		    (a->operands[i].p[1] == '?' || a->operands[i].p[1] == MARK_ONE ||
		     (str_eqz(name, "shutdown") && char_lower(a->operands[i].p[1]) == 'a')))
			return true;
	return false;
}

/* What its effects say of its output. */
static void emit_output(struct run *r, size_t before)
{
	bool said = false;

	if (!r->out)
		return;
	for (size_t i = before; i < r->e->n; i++) {
		const struct effect *e = &r->e->p[i];

		if (e->kind == EFFECT_READ && (e->places & PLACE_SECRET))
			run_emit(r, SECRET);
		else if ((e->kind == EFFECT_FETCH || e->kind == EFFECT_SEND) &&
			 !(e->places & PLACE_LOCAL_HOST))
			run_emit(r, FETCHED);
		else
			continue;
		said = true;
	}
	if (!said)
		run_pass_on(r);
}

bool programs_apply(struct run *r, const struct call *c, struct str name)
{
	struct args a;
	bool known = false;
	size_t before = r->e->n;

	for (size_t i = rows_of(name); i < packed_rows_n && str_eq(name_at(i), name); i++) {
		const struct program_row row = row_at(i);

		if (!known) {
			args_of(r, &a, c, name);
			known = true;
			if (args_ask_for_help(&a) || asks_windows(&a, name)) {
				run_emit(r, ANY);
				return true;
			}
		}
		apply_row(r, c, &a, &row, name);
	}
	if (known)
		emit_output(r, before);
	return code_apply(r, c, name) || known;
}

struct str programs_find(struct str value)
{
	static const char *const likely[] = { "rm",   "sh",   "bash", "dd",   "cat",   "curl",
					      "wget", "mkfs", "find", "sudo", "chmod", "chown" };
	struct str found = STR("");
	unsigned table = UINT8_MAX; /* of what is found; earlier ones do more harm */

	for (size_t i = 0; i < ARRAY_LEN(likely); i++)
		if (value_fits(value, str_from(likely[i])))
			return str_from(likely[i]);
	for (size_t i = 0; i < packed_rows_n; i++)
		if (packed_rows[i].table < table && value_fits(value, name_at(i))) {
			table = packed_rows[i].table;
			found = name_at(i);
		}
	return found.n ? found : code_find(value);
}

enum { SPECIALS_MAX = 1024, SPECIAL_SLOTS = 4 * SPECIALS_MAX };

/* All programs that take more than a row, by name; of one that is there twice the first counts. */
static struct {
	struct special_name {
		struct str text;
		special_fn *run;
	} p[SPECIALS_MAX];
	uint16_t slots[SPECIAL_SLOTS]; /* an index in p and one; 0: free */
	size_t n;
} specials;

static uint16_t *special_slot(struct str name)
{
	size_t i = str_hash(0, name) % SPECIAL_SLOTS;

	while (specials.slots[i] && !str_eq(specials.p[specials.slots[i] - 1].text, name))
		i = (i + 1) % SPECIAL_SLOTS;
	return &specials.slots[i];
}

static void specials_add(const char *names, special_fn *run)
{
	struct str one;

	for (struct str rest = str_from(names); str_split(&rest, ' ', &one);) {
		uint16_t *slot = special_slot(one);

		if (specials.n == SPECIALS_MAX)
			BUG();
		if (*slot)
			continue;
		specials.p[specials.n++] = (struct special_name){ one, run };
		*slot = (uint16_t)specials.n;
	}
}

static void specials_make(void)
{
	/* Of two functions with one name the first counts. */
	static const struct special *const all[] = {
		special_launch,  special_print,   special_filters,      special_read,
		special_lists,   special_shell,   special_interpreters, special_containers,
		special_later,   special_options, special_editors,      special_files,
		special_git,     special_network, special_agents,       special_patch,
		special_project, special_mount,   special_json,
	};

	for (size_t k = 0; k < ARRAY_LEN(all); k++)
		for (const struct special *s = all[k]; s->names; s++)
			specials_add(s->names, s->run);
	wrappers_each(specials_add);
	interpreters_each(specials_add);
}

special_fn *special_find(struct str name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, specials_make);
	size_t k = *special_slot(name);
	return k ? specials.p[k - 1].run : NULL;
}
