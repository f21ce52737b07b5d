#include "secrets/env_filter.h"

#include "base/words.h"
#include "secrets/secrets.h"

static const char *const always_allowed[] = { "PATH",
					      "SYSTEMROOT",
					      "COMSPEC",
					      "PATHEXT",
					      "WINDIR",
					      "TEMP",
					      "TMP",
					      "USERPROFILE",
					      "SYSTEMDRIVE",
					      "HOME",
					      "LANG",
					      "SHELL",
					      "TMPDIR",
					      "USER",
					      "LOGNAME",
					      "TERM",
					      "COLORTERM",
					      "ADDITIONAL_CONTEXT",
					      "AVAILABLE_LABELS",
					      "BRANCH_NAME",
					      "DESCRIPTION",
					      "EVENT_NAME",
					      "GITHUB_ENV",
					      "IS_PULL_REQUEST",
					      "ISSUES_TO_TRIAGE",
					      "ISSUE_BODY",
					      "ISSUE_NUMBER",
					      "ISSUE_TITLE",
					      "PULL_REQUEST_NUMBER",
					      "REPOSITORY",
					      "TITLE",
					      "TRIGGERING_ACTOR" };

static const char *const never_allowed[] = { "CLIENT_ID",
					     "DB_URI",
					     "CONNECTION_STRING",
					     "AWS_DEFAULT_REGION",
					     "AZURE_CLIENT_ID",
					     "AZURE_TENANT_ID",
					     "SLACK_WEBHOOK_URL",
					     "TWILIO_ACCOUNT_SID",
					     "DATABASE_URL",
					     "GOOGLE_CLOUD_PROJECT",
					     "GOOGLE_CLOUD_ACCOUNT",
					     "FIREBASE_PROJECT_ID" };

static const char *const secret_words[] = { "TOKEN", "SECRET",     "PASSWORD", "PASSWD",  "KEY",
					    "AUTH",  "CREDENTIAL", "CREDS",    "PRIVATE", "CERT" };

static void to_upper(struct str name, char *out, size_t size)
{
	size_t n = min_size(name.n, size - 1);

	for (size_t i = 0; i < n; i++)
		out[i] = char_is_lower(name.p[i]) ? (char)(name.p[i] - 32) : name.p[i];
	out[n] = '\0';
}

static bool in_json(const struct json *list, const char *upper)
{
	char item[256];

	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++) {
		to_upper(json_str(json_at(list, i), STR("")), item, sizeof item);
		if (strcmp(item, upper) == 0)
			return true;
	}
	return false;
}

static bool keeps(const char *entry, const struct env_filter *filter, bool strict)
{
	const char *eq = strchr(entry, '=');
	char name[256];

	if (!eq)
		return true;
	to_upper((struct str){ entry, (size_t)(eq - entry) }, name, sizeof name);
	if (strncmp(name, "GEMINI_CLI_", 11) == 0)
		return true;
	if (secret_in(str_from(eq + 1), SECRETS_DOUBT))
		return false;
	if (strncmp(name, "GIT_CONFIG_", 11) == 0 || in_json(filter->allowed, name))
		return true;
	if (in_json(filter->blocked, name))
		return false;
	if (WORD_IN(str_from(name), always_allowed))
		return true;
	if (WORD_IN(str_from(name), never_allowed) || strict)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(secret_words); i++)
		if (strstr(name, secret_words[i]))
			return false;
	return true;
}

const char *const *env_filtered(struct arena *a, const char *const *env,
				const struct env_filter *filter)
{
	const char *surface = env_get(env, "SURFACE");
	bool strict = env_get(env, "GITHUB_SHA") || (surface && strcmp(surface, "Github") == 0);
	size_t n = 0, kept = 0;
	const char **out;

	while (env && env[n])
		n++;
	out = ARENA_ARRAY(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		if ((!filter->enabled && !strict) || keeps(env[i], filter, strict))
			out[kept++] = arena_z(a, str_from(env[i]));
	return out;
}
