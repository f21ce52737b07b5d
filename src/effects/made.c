/*
 * What the text itself has made: a database, a server on a port, a worktree, the remote of a new
 * repository.  It holds nothing that anybody misses.  A command that makes something fails when
 * that is there already, so it counts only while a failure would have ended what runs: up to the
 * end of `a && b`, and for all that follows under `set -e`.  What a branch has made counts in it.
 */
#include "base/words.h"

#include "effects/run.h"

struct made {
	const struct made *next;
	enum made_kind kind;
	struct str name, value;
	unsigned chain; /* 0: from there on */
};

void made_add(struct run *r, enum made_kind kind, struct str name, struct str value)
{
	bool lasts = r->stops && !r->caught;
	struct made *m;

	if (!name.n || !value_known(name) || r->e->remote || (!lasts && !r->chain))
		return;
	m = ARENA_NEW(r->a, struct made);
	*m = (struct made){ r->made, kind, name, value, lasts ? 0 : r->chain };
	r->made = m;
}

struct str made_find(struct run *r, enum made_kind kind, struct str name)
{
	for (const struct made *m = r->made; m && !r->e->remote && run_spend(r, 1); m = m->next)
		if (m->kind == kind && (!m->chain || m->chain == r->chain) && str_eq(m->name, name))
			return m->value;
	return (struct str){ 0 };
}

/* A database by its name is another one on another server. */
static struct str database_key(struct run *r, const struct args *a, struct str name)
{
	const struct option *host = args_option(a, "-h|--host"),
			    *port = args_option(a, "-p|--port");
	struct str h = host ? host->value : variable(r, STR("PGHOST")),
		   p = port ? port->value : variable(r, STR("PGPORT")), service;

	service = variable(r, STR("PGSERVICE"));
	h = value_known(h) ? h : STR("");
	p = value_known(p) ? p : STR("");
	if (str_chr(name, '=', 0) >= 0 || str_chr(name, ':', 0) >= 0 ||
	    (service.n && value_known(service)))
		return STR("");
	return arena_printf(r->a, "%.*s\n%.*s\n%.*s", STR_ARG(name), STR_ARG(h), STR_ARG(p));
}

/* "55432:5432", "127.0.0.1:55432:5432/tcp" of a container that runs here. */
static void see_published(struct run *r, const struct args *a)
{
	struct str elsewhere = variable(r, STR("DOCKER_HOST"));

	if (args_option(a, "-H|--context") || (elsewhere.n && value_known(elsewhere)))
		return;
	for (size_t i = 0; i < a->noptions; i++) {
		struct str value = a->options[i].value, port = value, part;

		if (a->options[i].at > a->at[1] ||
		    !word_in_text(a->options[i].name, "-p --publish") || str_chr(value, ':', 0) < 0)
			continue;
		for (struct str rest = value; str_split(&rest, ':', &part) && rest.p;)
			port = part;
		made_add(r, MADE_PORT, port, STR("container"));
	}
}

/* Which settings kubectl and its kin read. */
static struct str cluster_key(struct run *r, const struct args *a)
{
	const struct option *file = args_option(a, "--kubeconfig"),
			    *context = args_option(a, "--context|--kube-context");
	struct str set = variable(r, STR("KUBECONFIG"));

	return arena_printf(r->a, "%.*s\n%.*s",
			    STR_ARG(file               ? file->value
				    : value_known(set) ? set
						       : STR("")),
			    STR_ARG(context ? context->value : STR("")));
}

/* kind create cluster --kubeconfig FILE: a file of tests has nothing else in it. */
static void see_cluster(struct run *r, const struct args *a)
{
	const struct option *file = args_option(a, "--kubeconfig");
	struct str set = variable(r, STR("KUBECONFIG"));

	set = file ? file->value : set;
	if (set.n > 1 && (effects_places(r->e, set, r->cwd) & PLACE_TEMP))
		binding_set(r, &r->e->state->clusters, set, STR(""));
	made_add(r, MADE_CLUSTER, cluster_key(r, a), STR("cluster"));
}

static struct str namespace_key(struct run *r, const struct args *a, struct str name)
{
	return name.n ? arena_printf(r->a, "%.*s\n%.*s", STR_ARG(name), STR_ARG(cluster_key(r, a)))
		      : name;
}

bool effects_made_cluster(const struct effects *e, struct str file)
{
	return e->state && file.n && binding_find(e->state->clusters, file);
}

bool made_cluster(struct run *r, const struct args *a)
{
	const struct option *file = args_option(a, "--kubeconfig"),
			    *space = args_option(a, "-n|--namespace");
	struct str set = variable(r, STR("KUBECONFIG"));
	bool other = args_option(a, "--context|--kube-context|--server|-s|-A|--all-namespaces");

	if (!other && effects_made_cluster(r->e, file ? file->value : set))
		return true;
	if (!r->made || args_option(a, "--server|-s|-A|--all-namespaces|--all"))
		return false;
	if (!other && made_find(r, MADE_CLUSTER, cluster_key(r, a)).p)
		return true;
	if (a->noperands > 1 && word_in_text(a->operands[1], "ns namespace namespaces")) {
		for (size_t i = 2; i < a->noperands; i++)
			if (!made_find(r, MADE_NAMESPACE, namespace_key(r, a, a->operands[i])).p)
				return false;
		return a->noperands > 2;
	}
	return space && made_find(r, MADE_NAMESPACE, namespace_key(r, a, space->value)).p;
}

void made_see(struct run *r, const struct call *c)
{
	struct str name = c->n ? c->words[0] : STR("");
	struct args a;

	if (!word_in_text(name, "createdb docker podman redis-server valkey-server kubectl oc kind "
				"k3d minikube"))
		return;
	args_of(r, &a, c, name);
	if (str_eqz(name, "createdb")) {
		if (a.noperands)
			made_add(r, MADE_DATABASE, database_key(r, &a, a.operands[0]), name);
	} else if (word_in_text(name, "kubectl oc")) {
		if (a.noperands == 3 && str_eqz(a.operands[0], "create") &&
		    word_in_text(a.operands[1], "ns namespace"))
			made_add(r, MADE_NAMESPACE, namespace_key(r, &a, a.operands[2]),
				 STR("namespace"));
	} else if (word_in_text(name, "kind k3d minikube")) {
		if (a.noperands && (str_eqz(a.operands[0], "start") ||
				    (a.noperands > 1 && (str_eqz(a.operands[0], "create") ||
							 str_eqz(a.operands[1], "create")))))
			see_cluster(r, &a);
	} else if (word_in_text(name, "docker podman")) {
		if (a.noperands > 1 && str_eqz(a.operands[0], "run"))
			see_published(r, &a);
	} else if (args_option(&a, "--port") &&
		   !str_eqz(args_option(&a, "--port")->value, "6379")) {
		made_add(r, MADE_PORT, args_option(&a, "--port")->value, name);
	}
}

/* Does an address lead to a server of this machine that was made here? */
static bool is_made_address(struct run *r, struct str url)
{
	ptrdiff_t at = str_find(url, STR("://"), 0), colon;
	struct str host = url, port;

	if (at < 0 || !address_is_local(address_host(url)))
		return false;
	host = str_sub(url, (size_t)at + 3, url.n);
	at = str_chr(host, '@', 0);
	host = str_sub(host, at < 0 ? 0 : (size_t)at + 1, host.n);
	colon = str_chr(host, ':', 0);
	if (colon < 0)
		return false;
	port = str_sub(host, (size_t)colon + 1, host.n);
	for (size_t i = 0; i < port.n; i++)
		if (!char_is_digit(port.p[i]))
			port.n = i;
	return made_find(r, MADE_PORT, port).p != NULL;
}

unsigned made_places(struct run *r, const struct args *a, struct str program, struct str database)
{
	static const char clients[] =
		"redis-cli valkey-cli psql dropdb pg_restore mysql mysqladmin "
		"mariadb mongosh",
			  frameworks[] = "knex prisma dbmate sqlx diesel rails rake drizzle-kit "
					 "sea-orm-cli node-pg-migrate";
	const struct option *host = args_option(a, "-h|--host"),
			    *port = args_option(a, "-p|--port"),
			    *url = args_option(a, "-u|--uri|--url|--database-url|--connection");
	struct str set = variable(r, STR("DATABASE_URL")), key;

	if (!r->made)
		return 0;
	if (word_in_text(program, frameworks))
		return !url && value_known(set) && is_made_address(r, set) ? PLACE_TEMP : 0;
	if (!word_in_text(program, clients))
		return 0;
	if (database.n && str_find(database, STR("://"), 0) > 0)
		return is_made_address(r, database) ? PLACE_TEMP : 0;
	if (url && str_find(url->value, STR("://"), 0) > 0)
		return is_made_address(r, url->value) ? PLACE_TEMP : 0;
	key = database.n ? database_key(r, a, database) : STR("");
	if (key.n && made_find(r, MADE_DATABASE, key).p)
		return PLACE_TEMP;
	if (str_starts(program, STR("mysql")) || str_eqz(program, "mariadb"))
		port = args_option(a, "-P|--port");
	return port && (host ? address_is_local(host->value) : str_ends(program, STR("-cli"))) &&
			       made_find(r, MADE_PORT, port->value).p
		       ? PLACE_TEMP
		       : 0;
}
