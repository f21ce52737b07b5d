/* The table of files that hold secrets. */
#include "secrets/paths.h"

#include "base/path.h"
#include "base/wild.h"

enum where {
	AT_HOME, /* below a home, from its first part on; a directory with all that is in it */
	NAMED, /* anywhere, by the last part of the path */
	AT_ROOT, /* as a path from the root on; a directory with all that is in it */
};

enum { PATH_MAX_BYTES = 4096 };

/* "*" matches anything.  The first row that fits counts; `no` marks what holds none. */
static const struct {
	enum where where;
	const char *pattern;
	bool no;
} rows[] = {
	/* clang-format off */
	/* Public, or a form to fill in. */
	{ AT_HOME, ".ssh/*.pub", true },
	{ AT_HOME, ".ssh/known_hosts*", true },
	{ AT_HOME, ".ssh/authorized_keys*", true },
	{ AT_HOME, ".ssh/config", true },
	{ AT_HOME, ".ssh/config.d", true },
	{ AT_HOME, ".aws/config", true },
	{ AT_HOME, ".gnupg/pubring.*", true },
	{ AT_HOME, ".gnupg/trustdb.gpg", true },
	{ AT_HOME, ".gnupg/*.conf", true },
	{ NAMED, ".env.*example", true },
	{ NAMED, ".env.*sample", true },
	{ NAMED, ".env.*template", true },
	{ NAMED, ".env.tpl", true },
	{ NAMED, ".env.tmpl", true },
	{ NAMED, ".env.dist", true },
	{ NAMED, ".env.defaults", true },
	{ NAMED, ".env.schema", true },
	{ NAMED, ".env.d.ts", true },
	{ NAMED, "*.pub", true },
	{ NAMED, "*.pub.pem", true },
	{ NAMED, "*cert.pem", true },
	{ NAMED, "*certs.pem", true },
	{ NAMED, "*chain.pem", true },
	{ NAMED, "*bundle.pem", true },
	{ NAMED, "*public*.pem", true },
	{ NAMED, "*pub.pem", true },
	{ NAMED, "ca.pem", true },
	{ NAMED, "cacert*.pem", true },
	{ NAMED, "*ca-cert*.pem", true },
	{ NAMED, "roots.pem", true },
	{ NAMED, "dhparam*.pem", true },
	{ NAMED, "*example*.json", true },
	{ NAMED, "*.example", true },
	{ NAMED, "*.sample", true },
	{ NAMED, "*.template", true },
	{ AT_ROOT, "/etc/ssl/certs", true },
	{ AT_ROOT, "/usr/share", true },

	/* Keys and passwords, wherever they are */
	{ NAMED, ".env" },
	{ NAMED, ".env.*" },
	{ NAMED, "*.env" },
	{ NAMED, "id_rsa" },
	{ NAMED, "id_dsa" },
	{ NAMED, "id_ecdsa*" },
	{ NAMED, "id_ed25519*" },
	{ NAMED, "*.pem" },
	{ NAMED, "*.key" },
	{ NAMED, "*.p12" },
	{ NAMED, "*.pfx" },
	{ NAMED, "*.jks" },
	{ NAMED, "*.keystore" },
	{ NAMED, "*.kdbx" },
	{ NAMED, "*.ppk" },
	{ NAMED, "*.p8" },
	{ NAMED, "*.agekey" },
	{ NAMED, ".netrc" },
	{ NAMED, "wp-config.php" },
	{ NAMED, "_netrc" },
	{ NAMED, ".npmrc" },
	{ NAMED, ".pypirc" },
	{ NAMED, ".pgpass" },
	{ NAMED, ".my.cnf" },
	{ NAMED, ".htpasswd" },
	{ NAMED, ".git-credentials" },
	{ NAMED, ".dockercfg" },
	{ NAMED, ".vault-token" },
	{ NAMED, ".vault_pass*" },
	{ NAMED, "credentials.json" },
	{ NAMED, "client_secret*.json" },
	{ NAMED, "*service-account*.json" },
	{ NAMED, "*service_account*.json" },
	{ NAMED, "*serviceaccount*.json" },
	{ NAMED, "secrets.json" },
	{ NAMED, "secrets.yml" },
	{ NAMED, "secrets.yaml" },
	{ NAMED, "secrets.toml" },
	{ NAMED, "secrets.env" },
	{ NAMED, "secrets.txt" },
	{ NAMED, "secrets.csv" },
	{ NAMED, "secrets.zip" },
	{ NAMED, "secrets.7z" },
	{ NAMED, "secrets.tar*" },
	{ NAMED, "secrets.tgz" },
	{ NAMED, "credentials.csv" },
	{ NAMED, "*accessKeys.csv" },
	{ NAMED, "application_default_credentials.json" },
	{ NAMED, "kubeconfig" },
	{ NAMED, "ssh_host_*_key" },

	/* Of the user */
	{ AT_HOME, ".ssh" },
	{ AT_HOME, ".aws" },
	{ AT_HOME, ".azure" },
	{ AT_HOME, ".gnupg" },
	{ AT_HOME, ".kube/config*" },
	{ AT_HOME, ".kube" },
	{ AT_HOME, ".docker/config.json" },
	{ AT_HOME, ".config/gcloud" },
	{ AT_HOME, ".config/gh/hosts.yml" },
	{ AT_HOME, ".config/glab-cli/config.yml" },
	{ AT_HOME, ".config/hub" },
	{ AT_HOME, ".config/git/credentials" },
	{ AT_HOME, ".config/doctl" },
	{ AT_HOME, ".config/op" },
	{ AT_HOME, ".config/rclone" },
	{ AT_HOME, ".config/ngrok" },
	{ AT_HOME, ".config/heroku" },
	{ AT_HOME, ".config/stripe" },
	{ AT_HOME, ".config/sops" },
	{ AT_HOME, ".config/age" },
	{ AT_HOME, ".config/containers/auth.json" },
	{ AT_HOME, ".config/pypoetry/auth.toml" },
	{ AT_HOME, ".config/composer/auth.json" },
	{ AT_HOME, ".composer/auth.json" },
	{ AT_HOME, ".cargo/credentials*" },
	{ AT_HOME, ".gem/credentials" },
	{ AT_HOME, ".m2/settings*.xml" },
	{ AT_HOME, ".gradle/gradle.properties" },
	{ AT_HOME, ".terraform.d/credentials.tfrc.json" },
	{ AT_HOME, ".terraformrc" },
	{ AT_HOME, ".yarnrc.yml" },
	{ AT_HOME, ".boto" },
	{ AT_HOME, ".s3cfg" },
	{ AT_HOME, ".oci" },
	{ AT_HOME, ".fly" },
	{ AT_HOME, ".databrickscfg" },
	{ AT_HOME, ".snowflake" },
	{ AT_HOME, ".cache/huggingface/token" },
	{ AT_HOME, ".huggingface/token" },
	{ AT_HOME, ".password-store" },
	{ AT_HOME, ".local/share/keyrings" },
	{ AT_HOME, ".local/share/kwalletd" },
	{ AT_HOME, "Library/Keychains" },
	{ AT_HOME, "Library/Cookies" },
	{ AT_HOME, ".claude/.credentials.json" },
	{ AT_HOME, ".codex/auth.json" },
	{ AT_HOME, ".gemini/oauth_creds.json" },
	{ AT_HOME, ".gemini/mcp-oauth-tokens*.json" },
	{ AT_HOME, ".trotline/mcp-oauth.json" },

	/* Browsers and mail: passwords and cookies */
	{ AT_HOME, ".mozilla" },
	{ AT_HOME, ".thunderbird" },
	{ AT_HOME, ".config/google-chrome*" },
	{ AT_HOME, ".config/chromium" },
	{ AT_HOME, ".config/BraveSoftware" },
	{ AT_HOME, ".config/microsoft-edge*" },
	{ AT_HOME, ".config/vivaldi" },
	{ AT_HOME, ".config/opera" },
	{ AT_HOME, "snap/firefox/common/.mozilla" },
	{ AT_HOME, ".var/app/org.mozilla.firefox" },
	{ AT_HOME, "Library/Application Support/Google/Chrome" },
	{ AT_HOME, "Library/Application Support/Firefox" },
	{ AT_HOME, "Library/Safari" },

	/* Wallets, and what messengers are signed in with */
	{ AT_HOME, ".bitcoin/wallet*" },
	{ AT_HOME, ".litecoin/wallet*" },
	{ AT_HOME, ".electrum/wallets" },
	{ AT_HOME, ".ethereum/keystore" },
	{ AT_HOME, ".config/Exodus" },
	{ AT_HOME, ".config/discord" },
	{ AT_HOME, ".config/Slack" },
	{ AT_HOME, ".config/Signal" },
	{ AT_HOME, ".local/share/TelegramDesktop/tdata" },
	/* What was typed */
	{ AT_HOME, ".bash_history" },
	{ AT_HOME, ".zsh_history" },
	{ AT_HOME, ".histfile" },
	{ AT_HOME, ".history" },
	{ AT_HOME, ".local/share/fish/fish_history" },
	{ AT_HOME, ".python_history" },
	{ AT_HOME, ".node_repl_history" },
	{ AT_HOME, ".psql_history" },
	{ AT_HOME, ".mysql_history" },
	{ AT_HOME, ".sqlite_history" },
	{ AT_HOME, ".rediscli_history" },
	{ AT_HOME, ".mongosh" },

	/* Of the system */
	{ AT_ROOT, "/dev/input" }, /* what is typed */
	{ AT_ROOT, "/dev/mem" },
	{ AT_ROOT, "/dev/kmem" },
	{ AT_ROOT, "/proc/kcore" },
	{ AT_ROOT, "/etc/shadow*" },
	{ AT_ROOT, "/etc/gshadow*" },
	{ AT_ROOT, "/etc/security/opasswd" },
	{ AT_ROOT, "/etc/ssl/private" },
	{ AT_ROOT, "/etc/letsencrypt/archive" },
	{ AT_ROOT, "/etc/kubernetes/*.conf" },
	{ AT_ROOT, "/etc/kubernetes/pki" },
	{ AT_ROOT, "/etc/rancher/k3s/k3s.yaml" },
	{ AT_ROOT, "/etc/NetworkManager/system-connections" },
	{ AT_ROOT, "/etc/wireguard" },
	{ AT_ROOT, "/etc/krb5.keytab" },
	{ AT_ROOT, "/run/secrets" },
	{ AT_ROOT, "/var/run/secrets" },
	{ AT_ROOT, "/proc/*/environ" },
	{ AT_ROOT, "/proc/*/mem" },
	{ AT_ROOT, "/Library/Keychains" },
	/* clang-format on */
};

/* Does the pattern fit the path, or a directory above it?  Parts are separated by one slash. */
static bool fits_below(const char *pattern, struct str path)
{
	struct str p = str_from(pattern);
	size_t plain = 0;

	/* What comes before a star is the same in all of these. */
	for (; plain < p.n && p.p[plain] != '*'; plain++)
		if (plain == path.n || path.p[plain] != p.p[plain])
			return false;
	for (size_t i = plain ?: 1; i <= path.n; i++)
		if ((i == path.n || path.p[i] == '/') && wild_fits(p, str_sub(path, 0, i)))
			return true;
	return false;
}

/* Without ".", doubled slashes and a slash at the end; *ret_up is behind the last "..". */
static struct str tidy(struct str path, char *out, size_t *ret_up)
{
	size_t n = 0;

	*ret_up = 0;
	for (struct str rest = path, part; str_split(&rest, '/', &part);) {
		if (!part.n || str_eqz(part, "."))
			continue;
		out[n++] = '/';
		memcpy(out + n, part.p, part.n);
		n += part.n;
		if (str_eqz(part, ".."))
			*ret_up = n;
	}
	return (struct str){ out, n };
}

/* The part of a path below a home, the user's or another's; .p is NULL for what is elsewhere. */
static struct str below_home(struct str path, struct str home)
{
	static const char *const homes[] = { "/home/", "/Users/", "/var/home/" };
	struct str below = home.n > 1 ? path_below_str(home, path) : (struct str){ 0 };

	if (!below.p)
		below = path_below_str(STR("/root"), path);
	for (size_t i = 0; i < ARRAY_LEN(homes) && !below.p; i++) {
		struct str dir = str_from(homes[i]);
		ptrdiff_t slash = str_starts(path, dir) ? str_chr(path, '/', dir.n) : -1;

		if (slash > 0)
			below = str_sub(path, (size_t)slash + 1, path.n);
	}
	return below;
}

static bool is_listed(struct str path, struct str below)
{
	ptrdiff_t slash = -1;

	for (ptrdiff_t k = -1; (k = str_chr(path, '/', (size_t)k + 1)) >= 0;)
		slash = k;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct str name = str_sub(path, (size_t)(slash + 1), path.n);
		bool fits = rows[i].where == NAMED ? wild_fits(str_from(rows[i].pattern), name)
			    : rows[i].where == AT_ROOT
				    ? fits_below(rows[i].pattern, path)
				    : below.n && fits_below(rows[i].pattern, below);

		if (fits)
			return !rows[i].no;
	}
	return false;
}

bool secret_path(struct str path, struct str home)
{
	char out[PATH_MAX_BYTES + 1];
	size_t up;

	/* No file system has a path of that length. */
	if (path.n >= PATH_MAX_BYTES)
		return true;
	path = tidy(path, out, &up);
	if (is_listed(path, below_home(path, home)))
		return true;
	if (!up || up == path.n)
		return false;
	return is_listed(str_sub(path, up, path.n), str_sub(path, up + 1, path.n));
}
