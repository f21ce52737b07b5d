/*
 * Clouds that code reaches through an SDK.  A call of AWS's is what its command line does
 * (programs_cloud.c has the table); of all others the name says what is destroyed.
 */
#include "effects/code_cloud.h"

#include "base/buf.h"
#include "base/words.h"
#include "effects/address.h"
#include "shell/shell.h"

/* ---- names ---- */

/* DeleteBucketCommand, delete_bucket: "delete-bucket-command". */
static struct str kebab(struct arena *a, struct str name)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = 128);

	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool upper = char_is_upper(c);
		bool starts = upper && i && name.p[i - 1] != '_' &&
			      (!char_is_upper(name.p[i - 1]) || char_is_lower(str_at(name, i + 1)));

		if (starts)
			buf_addc(&out, '-');
		buf_addc(&out, c == '_' ? '-' : char_lower(c));
	}
	return arena_str(a, buf_str(&out));
}

static const char verbs[] = "delete terminate destroy purge deregister decommission deprovision";
/* Words of names of what runs or is kept elsewhere. */
static const char resources[] =
	"instance instances bucket buckets stack cluster clusters deployment deployments namespace "
	"namespaces volume volumes snapshot snapshots droplet droplets queue topic zone vault "
	"nodegroup vpc subnet distribution statefulset daemonset tenant subscription "
	"environment machine vm disk disks repository nodepool node blob blobs hosted "
	"objects recovery backup backups";
/* What somebody wants to keep, besides what runs. */
static const char holds[] =
	"repo repos repository repositories project projects group groups org "
	"orgs organization organizations container containers registry registries "
	"database databases table tables function functions app apps service "
	"services site sites domain domains server servers stacks workspace "
	"workspaces team teams account accounts tenants secrets vaults zones "
	"environments machines subscriptions";
/* Of Kubernetes: what comes back by itself, or is over. */
static const char passing[] = "pod job event lease endpoints";

bool cloud_destroys(struct arena *a, struct str method)
{
	/* Most methods are told by their first letter. */
	bool verb = method.n > 4 && strchr("dDtTpPbBcC", method.p[0]), namespaced = false;
	struct str rest = verb ? kebab(a, method) : STR(""), word;

	if (!str_split(&rest, '-', &word))
		return false;
	verb = word_in_text(word, verbs);
	if (!verb && str_eqz(word, "begin"))
		verb = str_split(&rest, '-', &word) && word_in_text(word, verbs);
	if (!verb)
		return str_eqz(word, "create") &&
		       (str_starts(rest, STR("cluster-role-binding")) ||
			str_starts(rest, STR("namespaced-role-binding")));
	while (str_split(&rest, '-', &word)) {
		if (namespaced && !word_in_text(word, passing))
			return true;
		namespaced = str_eqz(word, "namespaced");
		if (word_in_text(word, resources))
			return true;
	}
	return false;
}

/* Whatever is lost that way was kept for somebody. */
static const char final[] = "purge obliterate wipe nuke terminate drop truncate";
static const char removing[] =
	"delete destroy remove clear empty flush reset erase delete! destroy! del";
/* In a loop over what a service has; of what runs in this process, they are given nothing. */
static const char ending[] = "cancel deactivate unsubscribe";
static const char many[] = "all batch bulk";
/* Of clients alone: several of what they keep for somebody. */
static const char holdings[] =
	"users topics accounts customers members groups roles collections databases tables "
	"indices indexes queues streams records keyspaces projects repositories repos teams sites "
	"functions apps services secrets keys messages documents tenants organizations schemas";
/* Of this process, made again, or done with. */
static const char own[] = "cookie cookies cache caches listener listeners handler handlers marker "
			  "markers element elements header headers watch watches timer timers "
			  "expired callback callbacks message";

bool cloud_destroys_there(const struct code *c, struct str method, const struct code_args *args)
{
	struct str rest = kebab(c->e->arena, method), word;
	bool verb = false, last = false, ends = false, all = false, in_loop = c->loop_level != 0;
	const struct act x = { .args = (struct code_args *)args };
	unsigned n = 0;

	while (str_split(&rest, '-', &word)) {
		if (word_in_text(word, own))
			return false;
		ends |= !n && word_in_text(word, final);
		last = word_in_text(word, removing) ||
		       (in_loop && args->n && word_in_text(word, ending));
		verb |= last && !n;
		all |= word_in_text(word, many) || word_in_text(word, holdings) ||
		       word_in_text(word, resources) || word_in_text(word, holds);
		n++;
	}
	all |= act_is_flag(&x, "recurse") || act_is_flag(&x, "recursive");
	if (ends || ((verb || last) && all))
		return true;
	return in_loop && (verb || last) && str_find(method, STR("emove"), 0) < 0 &&
	       !word_in_text(method, "clear empty flush reset");
}

/* Of names of methods: they are about the same thing. */
static const char unchanged[] =
	"get find first last one list fetch show read load all value values "
	"by id name with in full path of for to async await and wait single item items "
	"data result iterate as stream iterator each content elements default";
unsigned cloud_kept(struct arena *a, struct str name, unsigned flags)
{
	struct str rest, word;
	bool same = true;

	if ((flags & VALUE_CLIENT) != VALUE_REMOTE)
		return 0;
	rest = kebab(a, name);
	while (str_split(&rest, '-', &word)) {
		if (word_in_text(word, holds) || word_in_text(word, resources))
			return VALUE_KEPT;
		same &= word_in_text(word, unchanged);
	}
	return same ? flags & VALUE_KEPT : 0;
}

bool cloud_removes(struct arena *a, struct str method)
{
	struct str rest = kebab(a, method), word;
	bool verb = false;

	while (str_split(&rest, '-', &word)) {
		bool removes = word_in_text(word, "delete destroy remove purge terminate");

		verb |= removes;
		if (!removes && !word_in_text(word, unchanged) && !str_eqz(word, "begin"))
			return false;
	}
	return verb;
}

/*
 * SDKs of services: they find their credentials by themselves, or get them from a file.  What a
 * name begins with, up to its end or to what separates its parts.
 */
static const char *const sdks[] = {
	"@google-cloud/",
	"@azure/",
	"google.cloud.",
	"azure.",
	"Aws",
	"\\Aws",
	"Fog",
	"oci",
	"firebase_admin",
	"firebase-admin",
	"googleapiclient",
	"googleapis",
	"stripe",
	"Stripe",
	"\\Stripe",
	"braintree",
	"paypalrestsdk",
	"@paypal/",
	"plaid",
	"square",
	"twilio",
	"Twilio",
	"@sendgrid/",
	"sendgrid",
	"@slack/",
	"slack_sdk",
	"@octokit/",
	"octokit",
	"Octokit",
	"github",
	"gitlab",
	"Gitlab",
	"@gitbeaker/",
	"CloudFlare",
	"cloudflare",
	"digitalocean",
	"pydo",
	"linode_api4",
	"hcloud",
	"heroku3",
	"heroku-client",
	"openstack",
	"consul",
	"hvac",
	"node-vault",
	"openai",
	"anthropic",
	"@anthropic-ai/",
	"pinecone",
	"@pinecone-database/",
	"pyairtable",
	"airtable",
	"notion_client",
	"@notionhq/",
	"contentful-management",
	"algoliasearch",
	"auth0",
	"okta",
	"@okta/",
	"jira",
	"atlassian",
	"zenpy",
	"@hubspot/",
	"hubspot",
	"simple_salesforce",
	"jsforce",
	"@mailchimp/",
	"mailchimp_marketing",
	"shopify",
	"shopify-api-node",
	"@shopify/",
	"dropbox",
	"boxsdk",
	"box-node-sdk",
	"cloudinary",
	"datadog",
	"datadog_api_client",
	"pdpyras",
	"msgraph",
	"@microsoft/microsoft-graph-client",
	"exchangelib",
	"O365",
	"imapclient",
	"imapflow",
	"pyVim",
	"sentry_sdk",
	"@sentry/",
	"tweepy",
	"proxmoxer",
	/* of Java and its kin */
	"com.azure.",
	"com.microsoft.azure.",
	"com.google.cloud.",
	"com.google.api.services.",
	"com.google.firebase.",
	"com.amazonaws.",
	"software.amazon.awssdk.",
	"com.stripe.",
	"com.twilio.",
	"org.kohsuke.github.",
	"org.gitlab4j.",
	"org.jclouds.",
	"io.kubernetes.client.",
	"io.fabric8.kubernetes.",
	"jenkins.model.",
	"hudson.model.",
	/* of C# */
	"Azure.",
	"Microsoft.Azure.",
	"Microsoft.Graph",
	"Google.Cloud.",
	"Google.Apis.",
	"Amazon.",
	/* of Rust */
	"octocrab",
	"aws_sdk_",
	"azure_",
	"google_cloud_",
	"kube",
	/* of Go */
	"github.com/Azure/",
	"github.com/aws/",
	"cloud.google.com/",
	"google.golang.org/api/",
	"k8s.io/client-go/",
	"sigs.k8s.io/controller-runtime/",
	"github.com/google/go-github/",
	"github.com/xanzy/go-gitlab",
	"gitlab.com/gitlab-org/",
	"code.gitea.io/sdk/",
	"github.com/digitalocean/",
	"github.com/hetznercloud/",
	"github.com/linode/",
	"github.com/vultr/",
	"github.com/cloudflare/",
	"github.com/stripe/",
	"github.com/heroku/",
	"github.com/slack-go/",
	"github.com/hashicorp/vault/",
	"github.com/hashicorp/consul/",
	"github.com/hashicorp/nomad/",
	"github.com/gophercloud/",
	"github.com/DataDog/",
	"github.com/auth0/",
	"github.com/okta/",
};

bool cloud_is_sdk(struct str name)
{
	bool path = str_starts(name, STR("github.com/")) || str_starts(name, STR("gitlab.com/"));

	for (size_t i = 0; i < ARRAY_LEN(sdks); i++) {
		struct str sdk = str_from(sdks[i]);

		if (str_starts(name, sdk) && (!path || str_chr(sdk, '/', 0) > 0) &&
		    (name.n == sdk.n || strchr("/.:\\_", sdk.p[sdk.n - 1]) ||
		     strchr("/.:\\", name.p[sdk.n])))
			return true;
	}
	return false;
}

/* ArmClient, StorageClient.Create, StorageOptions.getService: no other class is called so. */
static bool is_service_class(struct str name)
{
	static const char *const ends[] = { "Service", "Db", "Options", "Kubernetes", "Jenkins" };
	static const char *const others[] = { "Http", "Tcp", "Udp", "Web", "Smtp", "Ftp" };
	ptrdiff_t dot = str_chr(name, '.', 0);
	bool service;

	name = str_sub(name, 0, dot < 0 ? name.n : (size_t)dot);
	service = str_find(name, STR("Client"), 0) >= 0; /* or its builder */
	service |= TEXT_ENDS(name, ends);
	return service && !TEXT_BEGINS(name, others);
}

static const char addresses[] =
	"host hostname server servers broker broker_url connection endpoint "
	"base_url baseUrl baseURL url uri address bootstrap_servers brokers "
	"cluster account nodes hosts";
static const char key_names[] =
	"api_key apiKey apikey token access_token accessToken auth_token auth "
	"private_token secret api_token password";

/* "amqp://mq.internal", "db.internal": not of this machine */
static bool is_elsewhere(const struct code_value *v, bool url, unsigned depth)
{
	static const char *const near[] = { "file:",   "sqlite", "memory:", "mem:",
					    "inproc:", "unix:",  "test:",   "mock:" };

	if (v->kind == VALUE_LIST && depth) {
		for (unsigned i = 0; i < v->n; i++)
			if (is_elsewhere(&v->items[i],
					 url && !word_in_text(v->items[i].key, addresses),
					 depth - 1))
				return true;
		return false;
	}
	if (v->kind != VALUE_TEXT || (v->flags & VALUE_NUMBER))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(near); i++)
		if (str_starts(v->text, str_from(near[i])))
			return false;
	if (str_find(v->text, STR("://"), 0) <= 0 && (url || str_chr(v->text, '.', 0) <= 0))
		return false;
	return !address_is_local(address_host(v->text));
}

/* "localhost", { host: "127.0.0.1" }, "http://localhost:8500" */
static bool is_here(const struct code_value *v, struct str key, unsigned depth)
{
	for (unsigned i = 0; v->kind == VALUE_LIST && depth && i < v->n; i++)
		if (is_here(&v->items[i], v->items[i].key, depth - 1))
			return true;
	return v->kind == VALUE_TEXT && v->text.n && !(v->flags & VALUE_NUMBER) &&
	       (!key.n || word_in_text(key, addresses)) &&
	       (address_is_local(address_host(v->text)) ||
		str_starts(v->text, STR("UseDevelopmentStorage=true"))); /* of Azure */
}

unsigned cloud_client(const struct code *c, struct str name, const struct code_args *args)
{
	bool remote = cloud_is_sdk(name) || (c->sdk && is_service_class(name)) ||
		      (c->keyed.n && str_starts(name, c->keyed) && name.n > c->keyed.n);

	for (unsigned i = 0; i < args->n; i++) {
		const struct code_arg *arg = &args->p[i];
		bool port; /* ("mq.example.com", 1883) */

		if (is_here(&arg->value, arg->key, 2))
			return VALUE_HERE;
		remote |= (arg->value.flags & VALUE_KEY) &&
			  (!arg->key.n || word_in_text(arg->key, key_names));
		port = i + 1 < args->n &&
		       (str_eqz(arg[1].key, "port") || (arg[1].value.flags & VALUE_NUMBER));
		remote |= is_elsewhere(&arg->value, !word_in_text(arg->key, addresses) && !port, 3);
	}
	return remote ? VALUE_REMOTE : 0;
}

/* Of names of methods: they hand on what they are given. */
static const char sending[] =
	"send post create publish upload write put push insert message notify capture comment edit "
	"update produce emit reply document file append ask complete";

void cloud_sends(struct code *c, struct str method, const struct code_args *args)
{
	const struct act x = { .c = c, .args = (struct code_args *)args };
	struct str rest = kebab(c->e->arena, method), word;
	bool sends = false;

	while (str_split(&rest, '-', &word))
		sends |= word_in_text(word, sending);
	if (sends && (act_taints_but(&x, key_names) & VALUE_SECRET))
		act_add(&x, (struct effect){ .kind = EFFECT_SEND, .places = PLACE_SECRET });
}

/* ---- AWS ---- */

/* Of the SDK's name of a service, the command line's. */
static struct str service_of(struct str name)
{
	static const struct {
		const char *sdk, *cli;
	} services[] = {
		{ "s3", "s3api" },
		{ "secrets-manager", "secretsmanager" },
		{ "cognito-identity-provider", "cognito-idp" },
		{ "elastic-beanstalk", "elasticbeanstalk" },
		{ "auto-scaling", "autoscaling" },
	};

	for (size_t i = 0; i < ARRAY_LEN(services); i++)
		if (str_eqz(name, services[i].sdk))
			return str_from(services[i].cli);
	return name;
}

static void add_value(struct buf *out, const struct code_value *v, unsigned depth)
{
	if (v->kind != VALUE_LIST || !depth) {
		buf_adds(out, value_flat(NULL, v));
		return;
	}
	for (unsigned i = 0; i < v->n; i++) {
		if (i)
			buf_addc(out, ',');
		if (v->items[i].key.n) {
			buf_adds(out, v->items[i].key);
			buf_addc(out, '=');
		}
		add_value(out, &v->items[i], depth - 1);
	}
}

static void add_option(struct arena *a, struct buf *out, struct str key, const struct code_value *v)
{
	AUTO(buf_done) struct buf value = BUF_INIT(.max = 4096);

	if (v->kind == VALUE_NAME && (str_eqz(v->type, "False") || str_eqz(v->type, "false")))
		return;
	buf_addz(out, " --");
	buf_adds(out, kebab(a, key));
	if (v->kind == VALUE_NAME && (str_eqz(v->type, "True") || str_eqz(v->type, "true")))
		return;
	add_value(&value, v, 4);
	buf_addc(out, ' ');
	sh_quote(out, buf_str(&value));
}

/* Runs it as a command; what is read, code has: nothing shows it yet. */
static struct code_value run_cli(struct code *c, struct str service, struct str method,
				 const struct code_args *args)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = 16384);
	struct arena *a = c->e->arena;
	size_t n = c->e->n, kept = n;

	buf_addz(&out, "aws ");
	sh_quote(&out, service_of(service));
	buf_addc(&out, ' ');
	sh_quote(&out, kebab(a, method));
	for (unsigned i = 0; i < args->n; i++) {
		const struct code_value *v = &args->p[i].value;

		if (args->p[i].key.n)
			add_option(a, &out, args->p[i].key, v);
		for (unsigned k = 0; !args->p[i].key.n && v->kind == VALUE_LIST && k < v->n; k++)
			if (v->items[k].key.n)
				add_option(a, &out, v->items[k].key, &v->items[k]);
	}
	if (c->endpoint.n) {
		buf_addz(&out, " --endpoint-url ");
		buf_adds(&out, c->endpoint);
	}
	act_run_shell(c, arena_str(a, buf_str(&out)));
	for (size_t i = n; i < c->e->n; i++)
		if (c->e->p[i].kind != EFFECT_READ)
			c->e->p[kept++] = c->e->p[i];
	c->e->n = kept;
	return value_unknown(c->output.flags & VALUE_SECRET);
}

/* "@aws-sdk/client-s3.DeleteBucketCommand": the service and the method. */
static bool is_command_of_aws(struct str name, struct str *ret_service, struct str *ret_method)
{
	const struct str package = STR("@aws-sdk/client-"), tail = STR("Command");
	ptrdiff_t dot = str_chr(name, '.', 0);

	if (!str_starts(name, package) || !str_ends(name, tail) || dot < 0)
		return false;
	*ret_service = str_sub(name, package.n, (size_t)dot);
	*ret_method = str_sub(name, (size_t)dot + 1, name.n - tail.n);
	return true;
}

static const struct code_function sends = { .act = ACT_SEND, .arg = ARG_SELF };

/* Aws::S3::Client.new(stub_responses: true); createTransport({ streamTransport: true }) */
static bool is_stubbed(const struct code_args *args)
{
	static const char *const keys[] = { "stub_responses", "streamTransport", "jsonTransport" };
	bool stubbed = false;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		stubbed |= act_is_true(act_keyed(args, keys[i]));
	return stubbed;
}

/*
 * new DynamoDBClient({ endpoint: "http://localhost:8000" }), or of a container that a test starts:
 * the commands that follow are for it.
 */
static void see_endpoint(struct code *c, struct str name, const struct code_args *args)
{
	const struct code_value *v = act_keyed(args, "endpoint");
	struct str host = value_flat(NULL, v ?: &(struct code_value){ 0 });

	if (!str_starts(name, STR("@aws-sdk/")) || !str_ends(name, STR("Client")))
		return;
	host = address_host(host);
	c->endpoint =
		(v && c->containers && host.n && host.p[0] == CODE_GAP) || address_is_local(host)
			? STR("http://localhost")
			: STR("");
}

/*
 * load_kube_config(config_file=path, context="kind-test"), kc.setCurrentContext("kind-test"): what is
 * made then changes a cluster of this machine; false: it is none of these.
 */
static bool call_of_cluster(struct code *c, struct str name, const struct code_args *args,
			    struct code_value *ret)
{
	bool loads = str_starts(name, STR("kubernetes.config.")) ||
		     str_ends(name, STR(".setCurrentContext")) ||
		     str_ends(name, STR(".loadFromFile"));
	const struct code_value *context = act_keyed(args, "context"),
				*file = act_keyed(args, "config_file");

	if (!loads) {
		if (!c->cluster_here || !(str_starts(name, STR("kubernetes.client.")) ||
					  str_ends(name, STR(".makeApiClient"))))
			return false;
		*ret = value_unknown(VALUE_HERE);
		return true;
	}
	if (!context && !file)
		context = file = act_positional(args, 0);
	c->cluster_here = (context && effect_cluster_is_here(value_flat(NULL, context))) ||
			  (file && effects_made_cluster(c->e, value_flat(NULL, file)));
	*ret = value_unknown(c->cluster_here ? VALUE_HERE : 0);
	return true;
}

bool cloud_call(struct code *c, struct str name, const struct code_value *self,
		const struct code_args *args, struct code_value *ret)
{
	struct str service, method;

	if (self && str_eqz(self->type, TYPE_EMULATOR)) {
		for (unsigned i = 0; i < args->n; i++) /* Verify(x => x.DeleteBucket(...)) */
			if (args->p[i].value.kind == VALUE_FUNCTION)
				c->fns[args->p[i].value.n].called = true;
		*ret = value_unknown(0);
		ret->type = self->type;
		return true;
	}
	see_endpoint(c, name, args);
	c->containers |= str_starts(name, STR("testcontainers."));
	if (str_starts(name, STR("testcontainers.")) || is_stubbed(args) ||
	    (c->nmocks && mocks_hold_module(c, name))) {
		*ret = value_unknown(0);
		ret->type = STR(TYPE_EMULATOR);
		return true;
	}
	if (call_of_cluster(c, name, args, ret))
		return true;
	if (is_command_of_aws(name, &service, &method)) {
		*ret = run_cli(c, service, method, args);
		return true;
	}
	if (self && str_eqz(self->type, TYPE_CLOUD_CLIENT) && !c->simulated &&
	    (str_starts(name, STR(TYPE_CLOUD_CLIENT ".delete")) ||
	     str_starts(name, STR(TYPE_CLOUD_CLIENT ".begin_delete")))) {
		act_add(&(struct act){ c, NULL, NULL, (struct code_args *)args },
			(struct effect){ .kind = EFFECT_CLOUD });
		*ret = value_unknown(0);
		return true;
	}
	if (!self || self->kind != VALUE_TEXT || !str_eqz(self->type, TYPE_AWS_CLIENT))
		return false;
	method = str_sub(name, (size_t)(str_chr(name, '.', 0) + 1), name.n);
	if (str_starts(method, STR("get_paginator"))) {
		*ret = *self;
		return true;
	}
	if (word_in_text(method, "upload_file upload_fileobj put_object"))
		act_send(&(struct act){ c, &sends, NULL, (struct code_args *)args }, STR(""));
	*ret = run_cli(c, self->text, method, args);
	return true;
}

bool cloud_is_emulated(const struct act *x)
{
	static const char *const keys[] = { "endpoint_url", "endpoint", "endpointUrl" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const struct code_value *v = act_keyed(x->args, keys[i]);

		if (v && (str_eqz(v->type, TYPE_EMULATOR) ||
			  (v->kind == VALUE_TEXT && address_is_local(address_host(v->text)))))
			return true;
	}
	for (unsigned i = 0; i < x->args->n; i++) /* client_strategy=MOCK_SYNC */
		if (x->args->p[i].value.kind == VALUE_NAME &&
		    str_find(x->args->p[i].value.type, STR("MOCK"), 0) >= 0)
			return true;
	return x->c->simulated;
}

/* ---- containers ---- */

static void add_words(struct arena *a, struct buf *out, const struct code_value *v, bool quoted)
{
	for (unsigned k = 0; v && v->kind == VALUE_LIST && k < v->n; k++) {
		buf_addc(out, ' ');
		sh_quote(out, value_flat(a, &v->items[k]));
	}
	if (!v || v->kind == VALUE_LIST)
		return;
	buf_addc(out, ' ');
	if (quoted)
		sh_quote(out, value_flat(a, v));
	else
		buf_adds(out, value_flat(a, v));
}

/* Volumes as a list of "/:/host", or by their paths: {"/": {"bind": "/host"}}. */
static void add_volumes(struct arena *a, struct buf *out, const struct code_value *volumes)
{
	for (unsigned i = 0; volumes && volumes->kind == VALUE_LIST && i < volumes->n; i++) {
		const struct code_value *one = &volumes->items[i], *bind = NULL;

		if (one->key.n)
			bind = value_member(one, STR("bind"));
		buf_addz(out, " -v ");
		sh_quote(out, one->key.n ? arena_printf(a, "%.*s:%.*s", STR_ARG(one->key),
							STR_ARG(value_flat(a, bind ? bind : one)))
					 : value_flat(a, one));
	}
}

/* Of the API: { Type: "bind", Source: "/", Target: "/host" } */
static void add_mounts(struct arena *a, struct buf *out, const struct code_value *mounts)
{
	for (unsigned i = 0; mounts && mounts->kind == VALUE_LIST && i < mounts->n; i++) {
		const struct code_value *from = value_member(&mounts->items[i], STR("Source")),
					*to = value_member(&mounts->items[i], STR("Target"));

		if (!from || !to)
			continue;
		buf_addz(out, " -v ");
		sh_quote(out, arena_printf(a, "%.*s:%.*s", STR_ARG(value_flat(a, from)),
					   STR_ARG(value_flat(a, to))));
	}
}

/* Of Python's API, of the one of Docker itself in an object of its own, and of Go's. */
static const struct code_value *host_option(const struct act *x, const char *python,
					    const char *key)
{
	const struct code_value *v = act_keyed(x->args, python), *host;

	host = act_keyed(x->args, "HostConfig");
	if (!v && host && host->kind == VALUE_LIST)
		v = value_member(host, str_from(key));
	return v ?: act_keyed(x->args, key);
}

/*
 * run(image, command, privileged=True, volumes={"/": {"bind": "/host"}}); of the API itself
 * { Image, Cmd, HostConfig: { Privileged: true, Binds: ["/:/host"] } }; of Go
 * Create(ctx, &Config{Image, Cmd}, &HostConfig{Privileged: true, Binds: ...})
 */
void cloud_run_container(const struct act *x)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = 16384);
	const struct code_value *v, *image;
	struct arena *a = x->c->e->arena;

	buf_addz(&out, "docker run");
	if (act_is_true(host_option(x, "privileged", "Privileged")))
		buf_addz(&out, " --privileged");
	v = host_option(x, "pid_mode", "PidMode");
	if (v && v->kind == VALUE_TEXT && str_eqz(v->text, "host"))
		buf_addz(&out, " --pid=host");
	add_volumes(a, &out, act_keyed(x->args, "volumes"));
	add_volumes(a, &out, host_option(x, "binds", "Binds"));
	add_mounts(a, &out, host_option(x, "mounts", "Mounts"));
	image = act_keyed(x->args, "Image");
	if (image) {
		add_words(a, &out, image, true);
		add_words(a, &out, act_keyed(x->args, "Entrypoint"), false);
		add_words(a, &out, act_keyed(x->args, "Cmd"), false);
	} else {
		add_words(a, &out, act_positional(x->args, 0), true);
		add_words(a, &out, act_positional(x->args, 1), false);
	}
	act_run_shell(x->c, arena_str(a, buf_str(&out)));
}
