/*
 * Subcommands that destroy, of programs that no row knows: `x delete --force` is presumed to do
 * elsewhere what it says.
 */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

enum { VERBS_AT = 4 }; /* operands behind which no subcommand is expected */

static const char destroying[] = "delete destroy purge terminate nuke wipe drop obliterate "
				 "undeploy decommission deprovision erase";
/* What ends, and may be started again; with an option against questions. */
static const char ending[] = "down teardown";
/* Parts of a program's name that say the same. */
static const char named[] = "nuke obliterate";
static const char unasked[] =
	"--force|-f|-y|--yes|--assume-yes|--assumeyes|--purge|--no-dry-run|--all|--auto-approve|"
	"--approve|--no-confirm|--noconfirm|--skip-confirmation|--skip-confirm|--no-prompt|"
	"--non-interactive|--noninteractive|--no-interaction|--no-input|--yolo|--no-interactive|"
	"--confirm|--really|--i-am-sure|--no-preserve|--disable-prompts|-auto-approve";
/* What lives elsewhere: `x cluster delete prod` needs no option. */
static const char remote_things[] =
	"account accounts app apps application applications bucket buckets cluster clusters database "
	"databases deployment deployments domain domains droplet environment environments fleet gateway "
	"instance instances kafka loadbalancer namespace namespaces org organization project projects "
	"realm realms server servers service services site sites stack tenant tenants topic topics user "
	"users vm vms zone zones";
/* What is behind them is looked for, or is made again, or is of this machine alone. */
static const char looking[] =
	"get list ls show help status info logs log search find describe grep view cat config "
	"configure context contexts plugin plugins extension completion alias profile cache caches "
	"env venv tmp temp history snippet template local emulator emulators sandbox create add new "
	"generate g init lint test check format validate explain can tail watch";

/* vm-destroy, apps:destroy, deleteAll; not delete.ts, ./delete, and no sentence. */
static bool says(struct str word, const char *verbs)
{
	for (size_t i = 0; i < word.n; i++)
		if (strchr("./ =@\"'<>{}", word.p[i]))
			return false;
	return value_known(word) && name_has_part(word, verbs);
}

void presume_verbs(struct run *r, const struct call *c, bool remote)
{
	struct str presumed = r->e->presumed, name = sh_file_name(c->words[0]);
	struct args a;
	bool force, destroys, elsewhere = remote;

	if (takes_text(name))
		return;
	args_of(r, &a, c, name);
	force = args_option(&a, unasked) != NULL;
	destroys = force && name_has_part(name, named);
	if (args_only_show(&a) || args_ask_for_help(&a))
		return;
	for (size_t i = 0; i < a.noperands && i < VERBS_AT; i++) {
		if (!destroys && says(a.operands[i], looking))
			return;
		destroys |= says(a.operands[i], destroying) ||
			    (force && !remote && says(a.operands[i], ending));
		elsewhere |= word_in_text(a.operands[i], remote_things);
	}
	if (!destroys || (!force && !elsewhere))
		return;
	if (!presumed.n)
		r->e->presumed = name;
	call_add(r, c, (struct effect){ .kind = EFFECT_CLOUD });
	r->e->presumed = presumed;
}
