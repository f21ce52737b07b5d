/* The table of all agents: what host_find() looks in.  How a row reads: hosts.c. */
#include "hosts/host.h"
#include "hosts/rows.h"

const struct host *const hosts[] = {
	&host_amp,   &host_antigravity, &host_auggie,   &host_claude,    &host_cline,
	&host_codex, &host_copilot,     &host_crush,    &host_cursor,    &host_devin,
	&host_droid, &host_gemini,      &host_goose,    &host_grok,      &host_kilo,
	&host_kiro,  &host_openclaw,    &host_opencode, &host_openhands, &host_pi,
	&host_qwen,  &host_vscode,      &host_windsurf,
};
const size_t hosts_n = ARRAY_LEN(hosts);

const struct host *host_find(struct str name)
{
	for (size_t i = 0; i < hosts_n; i++)
		if (str_eqz(name, hosts[i]->name))
			return hosts[i];
	return NULL;
}

const char *host_nearest(struct str name)
{
	const char *names[ARRAY_LEN(hosts)];

	for (size_t i = 0; i < hosts_n; i++)
		names[i] = hosts[i]->name;
	return str_nearest(name, names, hosts_n);
}
