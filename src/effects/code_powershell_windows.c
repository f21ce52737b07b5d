/* Programs that Windows brings: format, reg, net, taskkill, certutil. */
#include "base/words.h"
#include "effects/code_powershell.h"

/* Programs of Windows: each of the words follows the name somewhere. */
static const struct {
	const char *program, *words;
	enum effect_kind kind;
} programs[] = {
	{ "format|format.com", ":", EFFECT_DEVICE },
	{ "diskpart", NULL, EFFECT_DEVICE },
	{ "cipher", "/w", EFFECT_DEVICE },
	{ "fsutil", "usn deletejournal", EFFECT_GUARD_OFF },
	{ "vssadmin", "delete", EFFECT_DEVICE },
	{ "wbadmin", "delete", EFFECT_DEVICE },
	{ "bcdedit", "/set", EFFECT_GUARD_OFF },
	{ "bcdedit", "/delete", EFFECT_DEVICE },
	{ "wmic", "shadowcopy delete", EFFECT_DEVICE },
	{ "wmic", "process delete", EFFECT_KILL },
	{ "wevtutil", "cl", EFFECT_GUARD_OFF },
	{ "schtasks", "/create", EFFECT_PERSIST },
	{ "schtasks", "/delete", EFFECT_PERSIST },
	{ "sc|sc.exe", "create", EFFECT_PERSIST },
	{ "sc|sc.exe", "delete", EFFECT_PERSIST },
	{ "sc|sc.exe", "stop windefend", EFFECT_GUARD_OFF },
	{ "net|net1", "stop windefend", EFFECT_GUARD_OFF },
	{ "net|net1", "user /add", EFFECT_PRIVILEGES },
	{ "net|net1", "user /delete", EFFECT_PRIVILEGES },
	{ "net|net1", "localgroup /add", EFFECT_PRIVILEGES },
	{ "netsh", "firewall off", EFFECT_GUARD_OFF },
	{ "netsh", "advfirewall off", EFFECT_GUARD_OFF },
	{ "netsh", "advfirewall reset", EFFECT_GUARD_OFF },
	{ "netsh", "interface disable", EFFECT_GUARD_OFF },
	{ "netsh", "wlan key=clear", EFFECT_READ },
	{ "manage-bde", "-off", EFFECT_GUARD_OFF },
	{ "auditpol", "/clear", EFFECT_GUARD_OFF },
	{ "auditpol", "disable", EFFECT_GUARD_OFF },
	{ "dism|dism.exe", "/disable-feature", EFFECT_GUARD_OFF },
	{ "wmic", "call uninstall", EFFECT_DELETE },
	{ "taskkill|taskkill.exe", "*", EFFECT_KILL },
	{ "taskkill|taskkill.exe", "/fi", EFFECT_KILL },
	{ "taskkill", "explorer.exe", EFFECT_KILL },
	{ "shutdown|shutdown.exe", "/s", EFFECT_SHUTDOWN },
	{ "shutdown|shutdown.exe", "/r", EFFECT_SHUTDOWN },
	{ "logoff", NULL, EFFECT_SHUTDOWN },
	{ "runas", NULL, EFFECT_PRIVILEGES },
	{ "regsvr32|regsvr32.exe", "http", EFFECT_RUN_FETCHED },
	{ "mshta|mshta.exe", "http", EFFECT_RUN_FETCHED },
	{ "rundll32|rundll32.exe", "http", EFFECT_RUN_FETCHED },
	{ "rundll32|rundll32.exe", "minidump", EFFECT_READ },
	{ "procdump|procdump.exe|procdump64.exe", "lsass", EFFECT_READ },
	{ "msiexec|msiexec.exe", "http", EFFECT_RUN_FETCHED },
	{ "setx", "path", EFFECT_PERSIST },
};

/* Programs whose n-th word is a path, or the name of a service, that something happens to. */
static const struct {
	const char *program, *words;
	enum effect_kind kind;
	unsigned word;
} on_paths[] = {
	{ "takeown|takeown.exe", "/f", EFFECT_PERMISSIONS, 0 },
	{ "icacls|icacls.exe", "/grant", EFFECT_PERMISSIONS, 0 },
	{ "icacls|icacls.exe", "/deny", EFFECT_PERMISSIONS, 0 },
	{ "icacls|icacls.exe", "/reset", EFFECT_PERMISSIONS, 0 },
	{ "robocopy|robocopy.exe", "/mir", EFFECT_DELETE, 1 },
	{ "robocopy|robocopy.exe", "/purge", EFFECT_DELETE, 1 },
	{ "reg|reg.exe", "delete", EFFECT_DELETE, 1 },
	{ "reg|reg.exe", "add", EFFECT_WRITE, 1 },
	{ "net|net1|sc|sc.exe", "stop", EFFECT_KILL, 1 },
};

static bool has_words(struct str source, const char *words)
{
	struct str rest = str_from(words ? words : ""), one;

	while (str_split(&rest, ' ', &one))
		if (str_find_icase(source, one, 0) < 0)
			return false;
	return true;
}

/* taskkill /im *, and /fi "USERNAME eq ..." */
static bool ends_all(struct str name, struct str source)
{
	return word_is_one_icase(name, "taskkill|taskkill.exe") &&
	       (str_ends(source, STR(" *")) || text_has_one_icase(source, " * |username eq"));
}

/* The n-th word that is no switch, which may be anywhere: /MIR, /r:1 */
static const struct code_value *operand(const struct ps_command *c, size_t n)
{
	for (size_t i = 0; i < c->n; i++) {
		struct str w = value_flat(NULL, &c->word[i].value);
		bool is_switch = str_starts(w, STR("/")) && str_chr(w, '/', 1) < 0 &&
				 str_chr(w, '\\', 0) < 0;

		if (!c->word[i].parameter.n && !is_switch && n-- == 0)
			return &c->word[i].value;
	}
	return NULL;
}

bool ps_windows_program(struct ps *p, struct ps_command *c, struct str name)
{
	struct str source = c->source;
	bool known = false, help = ps_has_slash(c, "/?");

	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		if (word_is_one_icase(name, programs[i].program)) {
			known = true;
			if (!help && has_words(source, programs[i].words))
				ps_add(p, source,
				       (struct effect){
					       .kind = programs[i].kind,
					       .target = ends_all(name, source) ? STR("-1")
										: (struct str){ 0 },
					       .recursive = programs[i].kind == EFFECT_KILL,
					       .forced = programs[i].kind == EFFECT_PRIVILEGES,
					       .places = programs[i].kind == EFFECT_DELETE
								 ? PLACE_SYSTEM
							 : programs[i].kind == EFFECT_READ
								 ? PLACE_SECRET
								 : 0 });
		}
	for (size_t i = 0; i < ARRAY_LEN(on_paths); i++)
		if (word_is_one_icase(name, on_paths[i].program)) {
			const struct code_value *v = operand(c, on_paths[i].word);

			known = true;
			if (help || ps_has_slash(c, "/l") || !has_words(source, on_paths[i].words))
				continue;
			if (on_paths[i].kind == EFFECT_KILL) {
				if (str_eqz_icase(value_flat(NULL, ps_positional(c, 0)), "stop") &&
				    v)
					ps_add(p, source,
					       (struct effect){ .kind = EFFECT_KILL,
								.target = value_flat(NULL, v) });
			} else {
				ps_path(p, c,
					(struct effect){ .kind = on_paths[i].kind,
							 .recursive = true },
					v);
			}
		}
	if (word_is_one_icase(name, "certutil*|bitsadmin*") && text_has_one_icase(source, "http")) {
		struct code_value *file = c->n ? &c->word[c->n - 1].value : NULL;

		(void)ps_network(p, source, NULL, file, false, 0);
		known = true;
	}
	return known;
}
