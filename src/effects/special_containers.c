/* Commands that run in containers and other machines, and what these see of the host. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

struct mount {
	struct str from, to;
};

/* A mount that shows the host: "-v /:/host". */
static bool mount_of(struct str value, struct mount *ret)
{
	ptrdiff_t colon = str_chr(value, ':', 0);
	struct str one;

	if (str_find(value, STR("source="), 0) >= 0 || str_find(value, STR("src="), 0) >= 0) {
		*ret = (struct mount){ 0 };
		for (struct str rest = value; str_split(&rest, ',', &one);) {
			ptrdiff_t eq = str_chr(one, '=', 0);
			struct str key = str_sub(one, 0, eq < 0 ? one.n : (size_t)eq);
			struct str v = eq < 0 ? STR("") : str_sub(one, (size_t)eq + 1, one.n);

			if (str_eqz(key, "source") || str_eqz(key, "src"))
				ret->from = v;
			if (str_eqz(key, "target") || str_eqz(key, "dst") ||
			    str_eqz(key, "destination"))
				ret->to = v;
		}
		return ret->from.n && ret->to.n;
	}
	if (colon <= 0)
		return false;
	ret->from = str_sub(value, 0, (size_t)colon);
	ret->to = str_sub(value, (size_t)colon + 1, value.n);
	colon = str_chr(ret->to, ':', 0);
	if (colon >= 0)
		ret->to.n = (size_t)colon;
	return ret->to.n > 0 && (ret->from.p[0] == '/' || ret->from.p[0] == '.' ||
				 ret->from.p[0] == '~' || !value_known(ret->from));
}

/* A whole home directory, its keys among them, for whatever the image holds. */
static bool see_volume(struct run *r, const struct call *c, struct str value, struct mount *ret)
{
	if (!mount_of(value, ret))
		return false;
	if (effects_places(r->e, ret->from, r->cwd) & (PLACE_HOME_WHOLE | PLACE_ROOT))
		call_add(r, c, (struct effect){ .kind = EFFECT_PRIVILEGES });
	return true;
}

/* What is below the mount's place, as the host calls it. */
static struct str on_host(struct run *r, struct str word, const struct mount *m)
{
	struct text t = { 0 };
	size_t at = 0;

	if (m->to.n < 2)
		return word;
	for (ptrdiff_t hit; (hit = str_find(word, m->to, at)) >= 0;) {
		text_add(r, &t, str_sub(word, at, (size_t)hit));
		if (!str_eqz(m->from, "/"))
			text_add(r, &t, m->from);
		else if ((size_t)hit + m->to.n >= word.n || word.p[(size_t)hit + m->to.n] != '/')
			text_add(r, &t, STR("/"));
		at = (size_t)hit + m->to.n;
	}
	if (!at)
		return word;
	text_add(r, &t, str_sub(word, at, word.n));
	return text_str(&t);
}

/*
 * What is below a mount is of the host, and judged as that.  `in`: a folder that is put in its
 * place, and all runs; without it only what names a mount does.
 */
static void run_mounted(struct run *r, const struct fields *inside, const struct mount *mounts,
			size_t n, struct str in)
{
	struct fields words = { 0 };
	bool changed = in.n > 0;

	for (size_t i = 0; i < inside->n; i++) {
		struct str w = inside->p[i];

		for (size_t k = 0; k < n; k++)
			w = on_host(r, w,
				    &(struct mount){ in.n ? in : mounts[k].from, mounts[k].to });
		changed |= w.p != inside->p[i].p;
		field_add(r, &words, w);
	}
	if (changed)
		run_call(r, words.p, words.n);
}

static const char docker_valued[] =
	"-e -p -u -v -w -l -h -m -c -a -n -f --name --network --env --publish --user --volume --workdir "
	"--mount --entrypoint --platform --env-file --hostname --memory --cpus --label --add-host --gpus "
	"--restart --ip --net --cap-add --cap-drop --device --dns --expose --group-add --ipc --link "
	"--log-driver --pid --security-opt --shm-size --stop-signal --tmpfs --ulimit --volumes-from "
	"--namespace --container --context --file --project-name --profile -t_";

enum { MOUNTS_MAX = 32 };

/* docker run --rm alpine rm -rf /: with nothing of the host's in it, its files are its own. */
static bool is_fresh_container(const struct call *c, size_t image)
{
	static const char programs[] = "docker podman nerdctl";
	static const char options[] =
		"--rm -i -t -it -ti -d -e -w -u -p --interactive --tty --detach --env --workdir --user "
		"--publish --name --entrypoint --platform --pull --hostname --init --cpus --memory -m "
		"--label -l --quiet -q --read-only --cap-drop";

	if (c->n < 2 || !word_in_text(sh_file_name(c->words[0]), programs) ||
	    !str_eqz(c->words[1], "run"))
		return false;
	for (size_t i = 2; i < image && i < c->n; i++) {
		struct str w = c->words[i];
		ptrdiff_t eq = str_chr(w, '=', 0);

		if (!value_known(w))
			return false;
		if (w.n && w.p[0] == '-' &&
		    !word_in_text(str_sub(w, 0, eq < 0 ? w.n : (size_t)eq), options))
			return false;
	}
	return true;
}

/* The text has started it, with nothing in it that was there before. */
static bool is_own(struct run *r, struct str container)
{
	const struct binding *b = binding_find(r->e->state->containers, container);

	return b && !b->value.n;
}

/* A database in a container that is one of tests: unless a client is sent to another machine. */
static unsigned database_places(struct run *r, const struct call *c, struct str container)
{
	static const char *const elsewhere[] = { "-h",    "-H",        "--host", "--url",
						 "--uri", "--context", NULL };

	if (!word_in_text(sh_file_name(c->words[0]),
			  "docker podman nerdctl docker-compose podman-compose"))
		return 0;
	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i];
		ptrdiff_t eq = str_chr(w, '=', 0);

		if (sh_is_among(str_sub(w, 0, eq < 0 ? w.n : (size_t)eq), elsewhere) ||
		    str_find(w, STR("://"), 0) > 0 || str_find(w, STR(" -h"), 0) > 0 ||
		    str_find(w, STR(" --host"), 0) > 0 || (str_starts(w, STR("-h")) && w.n > 2))
			return 0;
	}
	return is_own(r, container) ? PLACE_TEMP : effect_database_places(r->e->world, container);
}

/* kubectl get secrets -o name: "secret/..." each, which another one is then given. */
static void emit_names(struct run *r, const struct call *c)
{
	struct args a;
	const struct option *o;
	struct str kind;

	if (!r->out || !word_in_text(sh_file_name(c->words[0]), "kubectl oc"))
		return;
	args_read(
		r, &a, c,
		"-o --output -n --namespace -l --selector --field-selector --context --kubeconfig");
	o = args_option(&a, "-o|--output");
	if (a.noperands != 2 || !str_eqz(a.operands[0], "get") || !o || !str_eqz(o->value, "name"))
		return;
	kind = a.operands[1];
	kind.n -= str_ends(kind, STR("s"));
	run_emit(r, arena_printf(r->a, "%.*s/\1\n", STR_ARG(kind)));
}

/* The number of one that the text makes, and may remove again: docker create, docker run -d. */
static bool prints_number(const struct call *c, size_t image)
{
	bool run = false, detached = false;

	if (!word_in_text(sh_file_name(c->words[0]), "docker podman nerdctl") ||
	    !word_in_text(c->words[1], "run create container network"))
		return false;
	for (size_t i = 1; i < image && i < c->n; i++) {
		struct str w = c->words[i];

		run |= i < 3 && str_eqz(w, "run");
		detached |= str_eqz(w, "--detach") ||
			    (w.n > 1 && w.n < 5 && w.p[0] == '-' && w.p[1] != '-' &&
			     str_chr(w, 'd', 0) > 0 && str_is_of(w, "-dirtP"));
	}
	return !run || detached;
}

static bool run_container(struct run *r, const struct call *c)
{
	struct mount mounts[MOUNTS_MAX];
	size_t nmounts = 0, i = 1, operands = 1, before = r->e->n;
	bool found = false, remote = r->e->remote, own_server = r->e->own_server, keeps = false;
	static const char *const runs[] = { "run", "exec", "create", "rsh", NULL };
	struct str entry = { 0 }, workdir = { 0 }, container = { 0 }, own = { 0 };
	unsigned places = r->e->places;

	for (; i < c->n && !found; i++)
		found = sh_is_among(c->words[i], runs);
	if (!found) {
		emit_names(r, c);
		return false;
	}
	for (; i < c->n; i++) {
		struct str w = c->words[i], value = { 0 };
		ptrdiff_t eq = str_chr(w, '=', 0);
		struct str name = str_sub(w, 0, eq < 0 ? w.n : (size_t)eq);

		if (w.n < 2 || w.p[0] != '-') {
			if (operands-- == 0)
				break;
			container = w;
			continue;
		}
		if (str_eqz(w, "--")) {
			i++;
			break;
		}
		if (eq >= 0)
			value = str_sub(w, (size_t)eq + 1, w.n);
		else if (word_in_text(name, docker_valued) && i + 1 < c->n)
			value = c->words[++i];
		else if (str_starts(w, STR("-v")) && w.n > 2)
			value = str_sub(w, 2, w.n), name = STR("-v");
		if (str_eqz(name, "--entrypoint"))
			entry = value;
		if (str_eqz(name, "--name"))
			own = value;
		if (str_eqz(name, "-w") || str_eqz(name, "--workdir"))
			workdir = value;
		keeps |= word_in_text(name, "-v --volume --mount --volumes-from");
		if ((str_eqz(name, "-v") || str_eqz(name, "--volume") ||
		     str_eqz(name, "--mount")) &&
		    nmounts < ARRAY_LEN(mounts))
			nmounts += see_volume(r, c, value, &mounts[nmounts]);
		else if (nmounts == ARRAY_LEN(mounts))
			effects_unjudged(r->e, STR("(too many mounts)"));
	}
	if (str_eqz(c->words[1], "run")) {
		struct str held = keeps || nmounts ? STR("mounts") : STR("");

		if (own.n)
			binding_set(r, &r->e->state->containers, own, held);
		if (!binding_find(r->e->state->containers, STR(CONTAINER_MADE)) || held.n)
			binding_set(r, &r->e->state->containers, STR(CONTAINER_MADE), held);
	}
	r->e->remote = true;
	if (i < c->n) {
		struct run inner = *r;
		struct fields words = { 0 };

		r->e->places |= database_places(r, c, container);
		r->e->own_server = is_own(r, container) && (r->e->places & PLACE_TEMP);
		inner.has_in = r->has_in;
		inner.cwd = workdir.n ? workdir : ANY;
		for (size_t k = 0; k < nmounts && workdir.n; k++)
			if (str_starts(workdir, mounts[k].to))
				inner.cwd = joined(r, on_host(r, workdir, &mounts[k]));
		if (entry.n)
			field_add(r, &words, entry);
		fields_add(r, &words, c, i);
		run_mounted(&inner, &words, mounts, nmounts, STR("/tmp/mount"));
		if (is_fresh_container(c, i))
			effects_undo(r->e, before,
				     1u << EFFECT_WRITE | 1u << EFFECT_OVERWRITE |
					     1u << EFFECT_DELETE | 1u << EFFECT_MOVE |
					     1u << EFFECT_PERMISSIONS);
		r->e->own_server = own_server;
		r->e->remote = remote;
		for (size_t k = 0; k < nmounts; k++)
			run_mounted(r, &words, &mounts[k], 1, STR(""));
	}
	r->e->remote = remote;
	r->e->places = places;
	run_emit(r, prints_number(c, i) ? STR(CONTAINER_MADE "\n") : ANY);
	return false;
}

static bool run_vagrant(struct run *r, const struct call *c)
{
	bool remote = r->e->remote;

	r->e->remote = true;
	for (size_t i = 2; i + 1 < c->n; i++)
		if (str_eqz(c->words[i], "-c") || str_eqz(c->words[i], "--command"))
			call_shell(r, c, c->words[i + 1]);
	r->e->remote = remote;
	return false;
}

const struct special special_containers[] = {
	{ "docker podman nerdctl crictl kubectl oc docker-compose podman-compose k3s microk8s",
	  run_container },
	{ "vagrant lxc multipass", run_vagrant },
	{ NULL, NULL },
};
