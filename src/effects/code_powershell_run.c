/* What the commands of PowerShell do. */
#include "base/wild.h"
#include "base/words.h"
#include "effects/address.h"
#include "effects/code_powershell.h"
#include "shell/shell.h"

static const struct code_value *path_of(const struct ps_command *c, struct code_value *in)
{
	const struct code_value *v =
		ps_parameter(c, "-path|-literalpath|-lp|-filepath|-pa*|-inputobject");

	if (!v)
		v = ps_positional(c, 0);
	return v ? v : in && in->kind != VALUE_UNKNOWN ? in : NULL;
}

/* ---- what commands do ---- */

struct act {
	struct ps *p;
	struct ps_command *c;
	struct code_value *in;
	int kind; /* of the row */
};

typedef struct code_value act_fn(struct act *x);

static struct code_value nothing(unsigned flags)
{
	return value_unknown(flags);
}

static struct code_value act_delete(struct act *x)
{
	struct effect effect = { .kind = EFFECT_DELETE };

	if (ps_has(x->c, "-whatif|-wi|-wh*") ||
	    (word_is_one_icase(x->c->name.text, "del|erase|rd|rmdir") && ps_has_slash(x->c, "/?")))
		return nothing(0);
	effect.recursive = ps_has(x->c, "-r|-re*|-rf|-fr|-s") || ps_has_slash(x->c, "/s");
	effect.forced = ps_has(x->c, "-f|-fo*|-rf|-fr") || ps_has_slash(x->c, "/q|/f");
	ps_path(x->p, x->c, effect, path_of(x->c, x->in));
	for (size_t i = 1; ps_positional(x->c, i); i++)
		ps_path(x->p, x->c, effect, ps_positional(x->c, i));
	return nothing(0);
}

static struct code_value act_path(struct act *x)
{
	if (!ps_has(x->c, "-whatif|-wi"))
		ps_path(x->p, x->c, (struct effect){ .kind = (enum effect_kind)x->kind },
			path_of(x->c, NULL));
	return nothing(x->in ? x->in->flags : 0);
}

static struct code_value act_read(struct act *x)
{
	size_t n = x->p->e->n;
	struct code_value v = nothing(0);

	ps_path(x->p, x->c, (struct effect){ .kind = EFFECT_READ }, path_of(x->c, x->in));
	for (; n < x->p->e->n; n++)
		if (x->p->e->p[n].places & PLACE_SECRET)
			v.flags |= VALUE_SECRET;
	return v;
}

static struct code_value act_move(struct act *x)
{
	const struct code_value *to = ps_parameter(x->c, "-destination|-dest*|-newname");

	ps_path(x->p, x->c, (struct effect){ .kind = (enum effect_kind)x->kind },
		path_of(x->c, x->in));
	if (!to)
		to = ps_positional(x->c, ps_parameter(x->c, "-path|-literalpath") ? 0 : 1);
	if (to)
		ps_path(x->p, x->c, (struct effect){ .kind = EFFECT_OVERWRITE }, to);
	return nothing(0);
}

/* Get-ChildItem: what is in a folder. */
static struct code_value act_list(struct act *x)
{
	const struct code_value *path = path_of(x->c, x->in);
	const struct code_value *filter = ps_parameter(x->c, "-filter|-include|-name");
	struct code_value v = path ? *path : value_text(STR("."));
	struct arena *a = x->p->e->arena;

	if (v.kind == VALUE_LIST)
		v = value_element(a, &v);
	if (v.kind == VALUE_TEXT && (v.text.n == 0 || v.text.p[v.text.n - 1] != '*') &&
	    str_chr(v.text, '*', 0) < 0 && !word_is_one_icase(v.text, "env:*"))
		v = value_path(a, v,
			       !filter                      ? value_text(STR("*"))
			       : filter->kind == VALUE_LIST ? value_element(a, filter)
							    : *filter);
	v.flags |= VALUE_WALKED;
	if (ps_has(x->c, "-r|-re*|-s"))
		v.flags |= VALUE_RECURSIVE;
	if (ps_parameter(x->c, "-exclude"))
		v.flags |= VALUE_CHOSEN;
	if (v.kind == VALUE_TEXT && word_is_one_icase(v.text, "env:*"))
		v = nothing(VALUE_SECRET); /* the whole environment */
	return v;
}

static struct code_value act_item(struct act *x)
{
	const struct code_value *path = path_of(x->c, x->in);

	return path ? *path : nothing(0);
}

static struct code_value act_where(struct act *x)
{
	struct code_value v = x->in ? *x->in : nothing(0);

	v.flags |= VALUE_CHOSEN;
	return v;
}

static struct code_value act_pass(struct act *x)
{
	return x->in ? *x->in : nothing(0);
}

static struct code_value act_echo(struct act *x)
{
	const struct code_value *v = ps_positional(x->c, 0);

	return v ? *v : act_pass(x);
}

static struct code_value act_each(struct act *x)
{
	struct code_value item = x->in ? value_element(x->p->e->arena, x->in) : nothing(0);

	if (x->in && x->in->kind == VALUE_TEXT)
		item = *x->in;
	if (x->in && x->in->kind == VALUE_LIST && x->c->n == 1 &&
	    str_eqz(x->c->word[0].value.type, "block")) {
		ps_each(x->p, STR(""), x->in, x->c->word[0].value.text);
		return nothing(x->in->flags);
	}
	for (size_t i = 0; ps_positional(x->c, i); i++) {
		const struct code_value *v = ps_positional(x->c, i);

		if (str_eqz(v->type, "block"))
			item = ps_run_block(x->p, v->text, &item);
		else if (v->kind == VALUE_TEXT && str_eqz_icase(v->text, "Delete") && x->in)
			ps_path(x->p, x->c, (struct effect){ .kind = EFFECT_DELETE }, x->in);
	}
	return item;
}

static struct code_value act_fetch(struct act *x)
{
	const struct code_value *url = ps_parameter(x->c, "-uri|-ur*|-source"), *to, *file, *method;
	unsigned taints = 0;
	bool sends;

	if (!url)
		url = ps_positional(x->c, 0);
	to = ps_parameter(x->c, "-outfile|-o|-out*|-destination");
	if (!to && x->kind)
		to = ps_positional(x->c, 1);
	file = ps_parameter(x->c, "-infile|-in*");
	method = ps_parameter(x->c, "-method|-m|-me*");
	sends = ps_parameter(x->c, "-body|-b|-form|-infile") != NULL ||
		(method && method->kind == VALUE_TEXT &&
		 word_is_one_icase(method->text, "post|put|patch|delete"));
	for (size_t i = 0; i < x->c->n; i++)
		taints |= x->c->word[i].value.flags;
	if (file) {
		size_t n = x->p->e->n;

		ps_path(x->p, x->c, (struct effect){ .kind = EFFECT_READ }, file);
		for (; n < x->p->e->n; n++)
			taints |= x->p->e->p[n].places & PLACE_SECRET ? VALUE_SECRET : 0;
	}
	if (x->in)
		taints |= x->in->flags & VALUE_SECRET;
	return ps_network(x->p, x->c->source, url, to, sends, taints & VALUE_SECRET);
}

void ps_eval(struct ps *p, struct str source, const struct code_value *v)
{
	if (v && (v->flags & VALUE_FETCHED))
		ps_add(p, source, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	else if (v && v->kind == VALUE_TEXT && !str_eqz(str_trim(v->text), "\1"))
		(void)ps_run_block(p, v->text, NULL);
	else if (p->seen->connected)
		ps_add(p, source, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	else
		ps_add(p, source, (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
}

static struct code_value act_eval(struct act *x)
{
	const struct code_value *v = ps_parameter(x->c, "-command|-c|-scriptblock|-sc*");

	v = v ? v : ps_positional(x->c, 0);
	ps_eval(x->p, x->c->source, v ? v : x->in);
	return nothing(0);
}

/* Blocks among the words are run: Invoke-Command, Start-Job, Measure-Command. */
static struct code_value act_blocks(struct act *x)
{
	bool remote = x->p->e->remote;

	x->p->e->remote |= ps_parameter(x->c, "-computername|-cn|-hostname|-session") != NULL;
	for (size_t i = 0; i < x->c->n; i++)
		if (str_eqz(x->c->word[i].value.type, "block"))
			(void)ps_run_block(x->p, x->c->word[i].value.text, NULL);
	x->p->e->remote = remote;
	return nothing(0);
}

/* That word and all behind it: start git push --force */
static struct code_value words_from(struct act *x, const struct code_value *first)
{
	struct code_value v = *first;
	size_t i = 0;

	if (v.kind == VALUE_LIST)
		return v;
	while (i < x->c->n && &x->c->word[i].value != first)
		i++;
	for (i++; i < x->c->n; i++) {
		struct ps_word *w = &x->c->word[i];

		if (w->parameter.n)
			v = value_join(x->p->e->arena, v, STR(" "), value_text(w->parameter));
		if (w->has_value)
			v = value_join(x->p->e->arena, v, STR(" "), w->value);
	}
	return v;
}

/* Start-Process program -ArgumentList ... */
static struct code_value act_start(struct act *x)
{
	const struct code_value *program = ps_parameter(x->c, "-filepath|-file*");
	const struct code_value *args = ps_parameter(x->c, "-argumentlist|-args|-a*");
	const struct code_value *verb = ps_parameter(x->c, "-verb");
	struct code_value text, rest;

	program = program ? program : ps_positional(x->c, 0);
	args = args ? args : ps_positional(x->c, 1);
	if (program && args && args == ps_positional(x->c, 1)) {
		rest = words_from(x, args);
		args = &rest;
	}
	if (verb && verb->kind == VALUE_TEXT && str_eqz_icase(verb->text, "runas"))
		ps_add(x->p, x->c->source, (struct effect){ .kind = EFFECT_PRIVILEGES });
	if (!program)
		return nothing(0);
	text = value_join(x->p->e->arena, *program, STR(" "),
			  !args ? value_text(STR(""))
			  : args->kind == VALUE_LIST
				  ? value_join_all(x->p->e->arena, *args, STR(" "))
				  : *args);
	for (unsigned i = 0; i < x->p->seen->nfetched && program->kind == VALUE_TEXT; i++)
		if (str_find(program->text, x->p->seen->fetched[i], 0) >= 0)
			ps_add(x->p, x->c->source, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	if (text.kind == VALUE_TEXT)
		(void)ps_run_block(x->p, text.text, NULL);
	return nothing(0);
}

enum code_language powershell_option(struct str word)
{
	return word_is_one_icase(word, "-e|-ec|-en*")     ? CODE_POWERSHELL_ENCODED
	       : word_is_one_icase(word, "-c|-co*|/c|/k") ? CODE_POWERSHELL
							  : CODE_OTHER;
}

/* cmd /c TEXT, pwsh -c TEXT, -EncodedCommand TEXT */
static struct code_value act_inner(struct act *x)
{
	struct code_value v = value_text(STR(""));
	const struct code_value *file;
	enum code_language lang = CODE_OTHER;

	for (size_t i = 0; i < x->c->n; i++) {
		struct ps_word *w = &x->c->word[i];

		if (lang == CODE_OTHER) {
			lang = powershell_option(w->parameter.n ? w->parameter
								: value_flat(NULL, &w->value));
			continue;
		}
		if (w->parameter.n)
			v = value_join(x->p->e->arena, v, STR(" "), value_text(w->parameter));
		if (w->has_value)
			v = value_join(x->p->e->arena, v, STR(" "), w->value);
	}
	file = ps_parameter(x->c, "-file|-f");
	file = file || lang != CODE_OTHER ? file : ps_positional(x->c, 0);
	for (unsigned i = 0; file && file->kind == VALUE_TEXT && i < x->p->seen->nfetched; i++)
		if (str_ends(file->text, x->p->seen->fetched[i]))
			ps_add(x->p, x->c->source, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	if (lang == CODE_POWERSHELL_ENCODED) {
		x->p->e->depth++;
		if (!effects_too_deep(x->p->e))
			effects_of_code(x->p->e, lang, value_flat(x->p->e->arena, &v),
					x->c->source);
		x->p->e->depth--;
	} else if (lang == CODE_POWERSHELL) {
		ps_eval(x->p, x->c->source, &v);
	}
	return nothing(0);
}

static struct code_value act_cd(struct act *x)
{
	const struct code_value *v = path_of(x->c, NULL);
	struct str path;

	if (!v || v->kind != VALUE_TEXT)
		return nothing(0);
	path = ps_unix_path(x->p, v->text);
	x->p->e->cwd = path.n && path.p[0] == '/'
			       ? path
			       : arena_printf(x->p->e->arena, "%.*s/%.*s",
					      STR_ARG(effects_cwd(x->p->e)), STR_ARG(path));
	return nothing(0);
}

/* Split-Path -Parent $PSScriptRoot: of a leaf or a drive nothing is known. */
static struct code_value act_split(struct act *x)
{
	const struct code_value *path = ps_parameter(x->c, "-parent|-path|-literalpath");
	struct code_value v = path                     ? *path
			      : ps_positional(x->c, 0) ? *ps_positional(x->c, 0)
						       : nothing(0);

	if (v.kind != VALUE_TEXT || ps_has(x->c, "-leaf*|-qualifier|-noqualifier|-extension"))
		return nothing(v.flags);
	v.text = code_parent(ps_unix_path(x->p, v.text));
	return v;
}

static struct code_value act_join(struct act *x)
{
	const struct code_value *a = ps_parameter(x->c, "-path"),
				*b = ps_parameter(x->c, "-childpath");

	a = a ? a : ps_positional(x->c, 0);
	b = b ? b : ps_positional(x->c, ps_parameter(x->c, "-path") ? 0 : 1);
	return a && b ? value_path(x->p->e->arena, *a, *b) : nothing(0);
}

static struct code_value act_object(struct act *x)
{
	const struct code_value *type = ps_parameter(x->c, "-typename|-com*");
	struct code_value v = nothing(0);

	type = type ? type : ps_positional(x->c, 0);
	if (type && type->kind == VALUE_TEXT) {
		v.type = type->text;
		if (text_has_one_icase(type->text, "TcpClient"))
			x->p->seen->connected = true;
	}
	return v;
}

static struct code_value act_effect(struct act *x)
{
	const struct code_value *v = ps_positional(x->c, 0);

	if (!ps_has(x->c, "-whatif|-wi"))
		ps_add(x->p, x->c->source,
		       (struct effect){ .kind = (enum effect_kind)x->kind,
					.forced = x->kind == EFFECT_PRIVILEGES,
					.target = v && v->kind == VALUE_TEXT ? v->text
									     : (struct str){ 0 } });
	return nothing(0);
}

static struct code_value act_kill(struct act *x)
{
	const struct code_value *name = ps_parameter(x->c, "-name|-n|-processname");

	if (ps_parameter(x->c, "-id|-i"))
		return nothing(0);
	name = name ? name : ps_positional(x->c, 0);
	if (name && value_is_known(name) && (name->text.n == 0 || char_is_digit(name->text.p[0])))
		return nothing(0);
	if (!name && x->in && !(x->in->flags & VALUE_WALKED))
		return nothing(0);
	ps_add(x->p, x->c->source,
	       (struct effect){
		       .kind = EFFECT_KILL,
		       .recursive = !name || str_eqz(value_flat(x->p->e->arena, name), "*"),
		       .target = name && name->kind == VALUE_TEXT && !str_eqz(name->text, "*")
					 ? name->text
					 : STR("-1") });
	return nothing(0);
}

/* Get-Process: all of them, unless they are named. */
static struct code_value act_processes(struct act *x)
{
	struct code_value v = nothing(0);

	v.flags = x->c->n ? 0 : VALUE_WALKED;
	return v;
}

/* Code in C#: functions of Windows that tell which keys are down. */
static struct code_value act_add_type(struct act *x)
{
	static const char *const listening[] = { "GetAsyncKeyState", "SetWindowsHookEx",
						 "GetKeyboardState", "RegisterRawInputDevices" };

	for (size_t i = 0; i < x->c->n; i++)
		for (size_t k = 0; k < ARRAY_LEN(listening); k++)
			if (x->c->word[i].has_value &&
			    str_find(x->c->word[i].value.text, str_from(listening[k]), 0) >= 0) {
				ps_add(x->p, x->c->source,
				       (struct effect){ .kind = EFFECT_READ,
							.places = PLACE_SECRET });
				return nothing(0);
			}
	return nothing(0);
}

static struct code_value act_service(struct act *x)
{
	const struct code_value *name = ps_parameter(x->c, "-name|-n|-displayname|-inputobject");

	name = name ? name : ps_positional(x->c, 0);
	if (x->kind && !ps_has(x->c, "-whatif|-wi"))
		ps_add(x->p, x->c->source,
		       (struct effect){ .kind = (enum effect_kind)x->kind,
					.target = name && name->kind == VALUE_TEXT ? name->text
										   : STR("") });
	if (text_has_one_icase(x->c->source,
			       "WinDefend|MpsSvc|Sense|EventLog|wuauserv|SecurityHealth"))
		ps_add(x->p, x->c->source, (struct effect){ .kind = EFFECT_GUARD_OFF });
	return nothing(0);
}

static struct code_value act_policy(struct act *x)
{
	if (text_has_one_icase(x->c->source, "Bypass|Unrestricted") &&
	    !text_has_one_icase(x->c->source, "Process"))
		ps_add(x->p, x->c->source, (struct effect){ .kind = EFFECT_GUARD_OFF });
	return nothing(0);
}

static struct code_value act_alias(struct act *x)
{
	const struct code_value *name = ps_parameter(x->c, "-name"),
				*to = ps_parameter(x->c, "-value");

	name = name ? name : ps_positional(x->c, 0);
	to = to ? to : ps_positional(x->c, 1);
	if (name && to && name->kind == VALUE_TEXT)
		ps_set(x->p, arena_printf(x->p->e->arena, "alias %.*s", STR_ARG(name->text)), *to);
	return nothing(0);
}

static struct code_value act_sql(struct act *x)
{
	const struct code_value *v = ps_parameter(x->c, "-query|-q");

	v = v ? v : ps_positional(x->c, 0);
	if (v && v->kind == VALUE_TEXT && !effects_too_deep(x->p->e)) {
		x->p->e->depth++;
		effects_of_code(x->p->e, CODE_SQL, v->text, x->p->words);
		x->p->e->depth--;
	}
	return nothing(0);
}

static struct code_value act_quiet(struct act *x)
{
	(void)x;
	return nothing(0);
}

static struct code_value act_command(struct act *x);

/* Commands with their aliases; the first that fits counts. */
static const struct {
	const char *names;
	act_fn *run;
	int kind;
} commands[] = {
	{ "Remove-Item|ri|rm|del|erase|rd|rmdir|Remove-ItemProperty|rp|Clear-Item", act_delete, 0 },
	{ "Get-ChildItem|gci|ls|dir", act_list, 0 },
	{ "Get-Item|gi|Resolve-Path|rvpa|Convert-Path", act_item, 0 },
	{ "Where-Object|where|?", act_where, 0 },
	{ "Select-Object|select|Sort-Object|sort|Out-String|Tee-Object|Out-Null|Format-Table|Format-List|"
	  "Format-Wide|Format-Custom|ConvertTo-Json|ConvertTo-Csv|ConvertTo-Xml|ConvertFrom-Json|Out-GridView",
	  act_pass, 0 },
	{ "Write-Output|echo|Write-Host|write", act_echo, 0 },
	{ "ForEach-Object|foreach|%", act_each, 0 },
	{ "Set-Content|sc|Out-File|Clear-Content|clc|Export-*|Set-Item", act_path,
	  EFFECT_OVERWRITE },
	{ "Add-Content|ac|New-Item|ni|mkdir|md|Start-Transcript", act_path, EFFECT_WRITE },
	{ "Set-ItemProperty|sp|New-ItemProperty", act_path, EFFECT_WRITE },
	{ "Move-Item|mi|mv|move|Rename-Item|rni|ren", act_move, EFFECT_MOVE },
	{ "Copy-Item|cpi|cp|copy|Expand-Archive|Compress-Archive", act_move, EFFECT_READ },
	{ "Get-Content|gc|cat|type|Import-Csv|Import-Clixml", act_read, 0 },
	{ "Set-Acl", act_path, EFFECT_PERMISSIONS },
	{ "Invoke-WebRequest|iwr|Invoke-RestMethod|irm|curl|wget", act_fetch, 0 },
	{ "Start-BitsTransfer", act_fetch, 1 },
	{ "Invoke-Expression|iex", act_eval, 0 },
	{ "Invoke-Command|icm|Start-Job|sajb|Measure-Command|Start-ThreadJob", act_blocks, 0 },
	{ "Start-Process|saps|start|Invoke-Item|ii", act_start, 0 },
	{ "cmd|cmd.exe|powershell|powershell.exe|pwsh|pwsh.exe", act_inner, 0 },
	{ "Set-Location|cd|sl|chdir|Push-Location|pushd", act_cd, 0 },
	{ "Join-Path", act_join, 0 },
	{ "Split-Path", act_split, 0 },
	{ "New-Object", act_object, 0 },
	{ "Get-Command|gcm", act_command, 0 },
	{ "Set-Alias|sal|New-Alias|nal", act_alias, 0 },
	{ "Get-Process|gps|ps", act_processes, 0 },
	{ "Add-Type", act_add_type, 0 },
	{ "Stop-Process|spps|kill", act_kill, 0 },
	{ "Stop-Service|spsv", act_service, EFFECT_KILL },
	{ "Remove-Service", act_service, EFFECT_PERSIST },
	{ "Set-Service|Suspend-Service", act_service, 0 },
	{ "Set-ExecutionPolicy", act_policy, 0 },
	{ "Invoke-Sqlcmd", act_sql, 0 },
	{ "Stop-Computer|Restart-Computer", act_effect, EFFECT_SHUTDOWN },
	{ "Format-Volume|Clear-Disk|Initialize-Disk|Remove-Partition|Reset-PhysicalDisk",
	  act_effect, EFFECT_DEVICE },
	{ "Register-ScheduledTask|Unregister-ScheduledTask|Set-ScheduledTask|New-Service|Register-WmiEvent|"
	  "Register-ScheduledJob|Set-WmiInstance",
	  act_effect, EFFECT_PERSIST },
	{ "Set-MpPreference|Add-MpPreference|Set-NetFirewallProfile|Disable-NetFirewallRule|Clear-EventLog|"
	  "Remove-EventLog|Clear-History|Disable-ComputerRestore|Remove-MpThreat|Disable-WindowsDefender|"
	  "Remove-NetFirewallRule",
	  act_effect, EFFECT_GUARD_OFF },
	{ "New-LocalUser|Add-LocalGroupMember|Set-LocalUser|Enable-LocalUser|Disable-LocalUser|"
	  "Remove-LocalUser|Remove-LocalGroup|Remove-LocalGroupMember|New-ADUser|Add-ADGroupMember|"
	  "Set-ADAccountPassword|Disable-ADAccount|Add-RoleGroupMember|New-AzRoleAssignment",
	  act_effect, EFFECT_PRIVILEGES },
	{ "Enable-PSRemoting|Disable-BitLocker|Suspend-BitLocker|Disable-NetAdapter|Remove-NetIPAddress|"
	  "Remove-NetRoute|Disable-TlsCipherSuite|Uninstall-WindowsFeature|Disable-WindowsOptionalFeature|"
	  "Disable-ScheduledTask|Limit-EventLog|Stop-Transcript|Set-SmbServerConfiguration",
	  act_effect, EFFECT_GUARD_OFF },
	{ "Clear-RecycleBin", act_effect, EFFECT_DELETE },
	{ "Publish-Module|Publish-Script|Publish-PSResource", act_effect, EFFECT_PUBLISH },
	{ "Install-Module|Install-Package|Install-Script|Install-PSResource", act_effect,
	  EFFECT_INSTALL },
	{ "Send-MailMessage", act_effect, EFFECT_SEND },
	{ "Remove-Az*|Remove-S3*|Remove-EC2*|Stop-EC2*|Remove-RDS*|Remove-GC*|Remove-VM|Remove-AD*|"
	  "Remove-CF*|Remove-IAM*|Remove-DDB*|Remove-LM*|Remove-EKS*|Remove-KV*|Remove-Mg*",
	  act_effect, EFFECT_CLOUD },
	{ "Remove-Variable|rv|Remove-Module|rmo|Remove-Job|rjb|Remove-PSSession|rsn|Remove-PSDrive|rdr|"
	  "Remove-Event|Remove-TypeData|Remove-PSBreakpoint|rbp|Remove-Alias|Remove-PSReadLineKeyHandler|"
	  "Remove-CimSession|Remove-PSSnapin",
	  act_quiet, 0 },
	/* What has no row of its own is kept by a service. */
	{ "Remove-*", act_effect, EFFECT_CLOUD },
	{ "Get-*|Test-*|Measure-*|Select-*|Compare-*|Write-*|Read-*|Out-*|Import-Module|ipmo|Set-StrictMode|"
	  "Set-Variable|ConvertTo-*|ConvertFrom-*|Wait-*|Start-Sleep|sleep|Pop-Location|popd|pwd|gl|gm|"
	  "Invoke-Pester|Invoke-Build|Find-*|Show-*|Update-*|Set-PSDebug|cls|clear|exit|ft|fl|"
	  "break|continue|Receive-*|rem|set|setlocal|endlocal|@echo|ver|sls|group|measure|using",
	  act_quiet, 0 },
};

/* Get-Command rem*-item: the first command of the table whose name fits. */
static struct code_value act_command(struct act *x)
{
	static const struct wild_notation as = {
		.sign = { ['*'] = WILD_ANY_NUMBER, ['?'] = WILD_ONE }, .icase = true
	};
	const struct code_value *v = ps_parameter(x->c, "-name");
	struct str one;

	v = v ? v : ps_positional(x->c, 0);
	if (!v || v->kind != VALUE_TEXT || v->text.n > 64 || str_chr(v->text, '*', 0) < 0)
		return v ? *v : nothing(0);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		for (struct str rest = str_from(commands[i].names); str_split(&rest, '|', &one);)
			if (one.n && one.p[one.n - 1] != '*' && wild_fits_as(v->text, one, &as))
				return value_text(one);
	return nothing(0);
}

/* Another program, as the shell would start it. */
static void run_words(struct act *x, const struct code_value *program)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);
	struct effects *e = x->p->e;

	if (x->in && (x->in->flags & VALUE_FETCHED) &&
	    word_is_one_icase(value_flat(e->arena, program),
			      "bash|sh|zsh|python|python3|py|node|perl|ruby|php|bash.exe|wsl"))
		ps_add(x->p, x->c->source, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	sh_quote(&out, ps_unix_path(x->p, value_flat(e->arena, program)));
	for (size_t i = 0; i < x->c->n; i++) {
		const struct ps_word *w = &x->c->word[i];

		if (w->parameter.n) {
			buf_addc(&out, ' ');
			sh_quote(&out, w->parameter);
		}
		for (unsigned k = 0; w->value.kind == VALUE_LIST && k < w->value.n; k++) {
			buf_addc(&out, ' ');
			sh_quote(&out, value_flat(e->arena, &w->value.items[k]));
		}
		if (w->has_value && w->value.kind != VALUE_LIST) {
			buf_addc(&out, ' ');
			sh_quote(&out, value_flat(e->arena, &w->value));
		}
	}
	if (effects_too_deep(e) || out.full) {
		effects_unjudged(e, x->c->source);
		return;
	}
	e->depth++;
	effects_of_shell(e, arena_str(e->arena, buf_str(&out)));
	e->depth--;
}

/* The names of param(...) at the head of a block get the words of the call. */
static void bind_parameters(struct act *x, struct str block)
{
	ptrdiff_t at = str_find(block, STR("param"), 0);
	size_t i = at < 0 ? block.n : (size_t)at + 5, word = 0, depth = 0;
	bool name = true;

	for (size_t k = 0; k < x->c->n; k++) {
		struct str own = x->c->word[k].parameter;
		const struct code_value *v =
			own.n > 1 ? ps_parameter(x->c, arena_z(x->p->e->arena, own)) : NULL;

		if (v)
			ps_set(x->p, str_sub(own, 1, own.n), *v);
	}
	for (; i < block.n; i++) {
		size_t from = i + 1;

		depth += strchr("([{", block.p[i]) != NULL;
		if (strchr(")]}", block.p[i]) && --depth == 0)
			return;
		name |= depth == 1 && block.p[i] == ',';
		if (!name || depth != 1 || block.p[i] != '$')
			continue;
		while (from < block.n && char_is_word(block.p[from]))
			from++;
		if (ps_positional(x->c, (unsigned)word))
			ps_set(x->p, str_sub(block, i + 1, from),
			       *ps_positional(x->c, (unsigned)word++));
		name = false;
	}
}

struct code_value ps_run_command(struct ps *p, struct ps_command *c, struct code_value *in)
{
	struct act x = { .p = p, .c = c, .in = in };
	struct code_value *known;
	struct str name;

	if (str_eqz(c->name.type, "block") || (c->name.flags & VALUE_FETCHED)) {
		ps_eval(p, c->source, &c->name);
		return nothing(0);
	}
	if (c->name.kind != VALUE_TEXT || c->name.text.n == 0) {
		if (c->name.kind != VALUE_TEXT)
			ps_add(p, c->source,
			       (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
		return nothing(0);
	}
	name = c->name.text;
	known = ps_variable(p, arena_printf(p->e->arena, "alias %.*s", STR_ARG(name)));
	if (known && known->kind == VALUE_TEXT)
		name = known->text;
	known = ps_variable(p, name);
	if (known && str_eqz(known->type, "block")) {
		for (unsigned i = 0; i < c->n; i++)
			if (c->word[i].has_value)
				ps_set(p, STR("args"), c->word[i].value);
		bind_parameters(&x, known->text);
		return ps_run_block(p, known->text, in);
	}
	for (unsigned i = 0; i < p->seen->nfetched; i++)
		if (str_find(name, p->seen->fetched[i], 0) >= 0)
			ps_add(p, c->source, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	if (ps_windows_program(p, c, name) && !str_eqz_icase(name, "sc"))
		return nothing(str_find_icase(c->source, STR("key=clear"), 0) >= 0 ? VALUE_SECRET
										   : 0);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (word_is_one_icase(name, commands[i].names)) {
			x.kind = commands[i].kind;
			return commands[i].run(&x);
		}
	run_words(&x, &c->name);
	return nothing(in ? in->flags : 0);
}
