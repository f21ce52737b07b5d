/* Programs that start others where a word, an option or a file says so. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

/* ---- what follows a word is a command ---- */

enum launch_flags {
	TEXT = 1 << 0,
	REMOTE = 1 << 1,
	SECRETS = 1 << 2, /* puts some into the environment */
};

static const struct launch {
	const char *names;
	const char *subcommands; /* by blanks; NULL = none is needed */
	const char *marker; /* the command is behind it; NULL = there is none */
	size_t operands; /* before a command without a marker; SIZE_MAX = it needs one */
	const char *program; /* that gets the words; NULL = the first one is the program */
	unsigned flags;
	const char *code; /* options whose value is shell text, by blanks */
} launches[] = {
	{ "guix", "shell environment", "--", SIZE_MAX, NULL, 0, NULL },
	{ "gdb gdb-multiarch rust-gdb cgdb", NULL, "--args", SIZE_MAX, NULL, 0, NULL },
	{ "lldb rust-lldb", NULL, "--", SIZE_MAX, NULL, 0, NULL },
	{ "capsh", NULL, "--", SIZE_MAX, "bash", 0, NULL },
	{ "fab", NULL, "--", SIZE_MAX, NULL, TEXT | REMOTE, NULL },
	{ "direnv", "exec", "--", 1, NULL, 0, NULL },
	{ "mise rtx", "exec x", "--", 0, NULL, 0, NULL },
	{ "pyenv rbenv nodenv goenv jenv plenv phpenv asdf", "exec", NULL, 0, NULL, 0, NULL },
	{ "op doppler infisical dotenvx teller pass-cli", "run", "--", 0, NULL, SECRETS, NULL },
	{ "chamber", "exec", "--", 1, NULL, SECRETS, NULL },
	{ "limactl", "shell", "--", 1, NULL, REMOTE, NULL },
	{ "colima", "ssh", "--", SIZE_MAX, NULL, REMOTE, NULL },
	{ "lima", NULL, NULL, 0, NULL, REMOTE, NULL },
	{ "orb orbctl", "run", "--", 0, NULL, REMOTE, NULL },
	{ "multipass lxc pct ctr", "exec", "--", 1, NULL, REMOTE, NULL },
	{ "qm", "exec", "--", 1, NULL, REMOTE, NULL },
	{ "heroku", "run run:detached run:inside ps:exec", "--", 0, NULL, REMOTE, NULL },
	{ "scalingo", "run", "--", 0, NULL, REMOTE, NULL },
	{ "fly flyctl", "console", NULL, SIZE_MAX, NULL, REMOTE, "-C --command" },
	{ "fly flyctl", "exec", NULL, 1, NULL, REMOTE | TEXT, NULL },
	{ "railway", "run ssh", "--", 0, NULL, REMOTE, NULL },
	{ "cf", "ssh run-task", NULL, SIZE_MAX, NULL, REMOTE, "-c --command" },
	{ "eb copilot", "ssh exec", NULL, SIZE_MAX, NULL, REMOTE, "-c --command" },
	{ "aws", "execute-command", NULL, SIZE_MAX, NULL, REMOTE, "--command" },
	{ "az", "run-command exec", NULL, SIZE_MAX, NULL, REMOTE,
	  "--scripts --script --command --command-string --exec-command" },
	{ "gcloud", "ssh", "--", SIZE_MAX, NULL, REMOTE | TEXT, "--command" },
	{ "doctl", "ssh", NULL, SIZE_MAX, NULL, REMOTE, "--ssh-command" },
	{ "hcloud", "ssh", NULL, 1, NULL, REMOTE | TEXT, NULL },
	{ "vagrant minikube platform upsun", "ssh environment:ssh", "--", SIZE_MAX, NULL,
	  REMOTE | TEXT, "-c --command" },
	{ "minikube platform upsun", "ssh environment:ssh", NULL, 0, NULL, REMOTE | TEXT, NULL },
	{ "docker-machine coder", "ssh", "--", 1, NULL, REMOTE | TEXT, NULL },
	{ "dokku", "run run:detached enter", NULL, 1, NULL, REMOTE, NULL },
	{ "nomad", "exec", NULL, 1, NULL, REMOTE, NULL },
	{ "gh", "codespace cs", "--", SIZE_MAX, NULL, REMOTE | TEXT, NULL },
	{ "kamal", "exec", NULL, 0, NULL, REMOTE, NULL },
	{ "okteto devspace", "exec enter", "--", SIZE_MAX, NULL, REMOTE, NULL },
	{ "lagoon lando", "ssh", NULL, SIZE_MAX, NULL, REMOTE, "-C -c --command" },
	{ "ddev devcontainer", "exec", "--", 0, NULL, REMOTE, NULL },
	{ "tsh", "ssh", "--", 1, NULL, REMOTE | TEXT, NULL },
	{ "et", NULL, NULL, SIZE_MAX, NULL, REMOTE, "-c --command" },
	{ "rancher", "kubectl", NULL, SIZE_MAX, "kubectl", 0, NULL },
	{ "terminus", "drush remote:drush", "--", SIZE_MAX, "drush", REMOTE, NULL },
	{ "terminus", "wp remote:wp", "--", SIZE_MAX, "wp", REMOTE, NULL },
	{ "acli", "remote:drush", NULL, 1, "drush", REMOTE, NULL },
	{ "VBoxManage vboxmanage", "guestcontrol", "--", SIZE_MAX, NULL, REMOTE, NULL },
	{ "govc", "guest.run", NULL, 0, NULL, REMOTE, NULL },
	{ "winrs", NULL, NULL, 0, "cmd.exe", REMOTE, NULL },
	{ "distrobox", "enter", "--", SIZE_MAX, NULL, 0, NULL },
	{ "toolbox", "run", "--", 0, NULL, 0, NULL },
	{ "pm2", "start", NULL, 0, NULL, TEXT, NULL },
	{ "incus", "exec", "--", 1, NULL, REMOTE, NULL },
	{ "singularity apptainer", "exec", "--", 1, NULL, 0, NULL },
};

static void launch_at(struct run *r, const struct call *c, const struct launch *l, size_t i)
{
	struct run inner = *r;
	struct fields words = { 0 };
	bool remote = r->e->remote, secrets = r->e->state->secrets;

	if (i >= c->n)
		return;
	r->e->remote |= (l->flags & REMOTE) != 0;
	r->e->state->secrets |= (l->flags & SECRETS) != 0;
	if (l->program)
		field_add(r, &words, str_from(l->program));
	fields_add(r, &words, c, i);
	if (l->flags & TEXT || value_has(words.p[0], ' '))
		call_shell(&inner, c, text_join(&inner, words.p, words.n, ' '));
	else
		run_call(&inner, words.p, words.n);
	r->e->remote = remote;
	r->e->state->secrets = secrets;
}

/* -C TEXT, --command=TEXT */
static void launch_code(struct run *r, const struct call *c, const struct launch *l, size_t i)
{
	bool remote = r->e->remote;

	r->e->remote |= (l->flags & REMOTE) != 0;
	for (; i < c->n; i++) {
		struct run inner = *r;
		ptrdiff_t eq = str_chr(c->words[i], '=', 0);

		if (i + 1 < c->n && word_in_text(c->words[i], l->code))
			call_shell(&inner, c, c->words[++i]);
		else if (eq > 0 && word_in_text(str_sub(c->words[i], 0, (size_t)eq), l->code))
			call_shell(&inner, c, str_sub(c->words[i], (size_t)eq + 1, c->words[i].n));
	}
	r->e->remote = remote;
}

/* Where its command begins; c->n when it has none. */
static size_t launched(struct run *r, const struct call *c, const struct launch *l)
{
	const char *valued = program_valued(c->words[0]);
	size_t i = 1, operands = l->operands;

	while (l->subcommands && i < c->n && !word_in_text(c->words[i], l->subcommands))
		i++;
	i += l->subcommands != NULL;
	for (size_t k = i; l->marker && k < c->n; k++)
		if (str_eqz(c->words[k], l->marker))
			return k + 1;
	if (l->code)
		launch_code(r, c, l, i);
	if (l->program && operands == SIZE_MAX && !l->marker && i < c->n)
		return i;
	if (operands == SIZE_MAX)
		return c->n;
	for (; i < c->n; i++)
		if (c->words[i].n && c->words[i].p[0] != '-' && operands-- == 0)
			return i;
		else if (valued && word_in_text(c->words[i], valued))
			i++;
	return c->n;
}

static bool run_launch(struct run *r, const struct call *c)
{
	bool starts = false;

	for (size_t k = 0; k < ARRAY_LEN(launches); k++) {
		size_t i = c->n;

		if (word_in_text(c->words[0], launches[k].names))
			i = launched(r, c, &launches[k]);
		/* mise x node@20 node y: tools come before the command. */
		while (i < c->n && str_chr(c->words[i], '@', 0) > 0)
			i++;
		starts |= i < c->n;
		launch_at(r, c, &launches[k], i);
	}
	if (!starts && programs_are_remote(c->words[0]))
		presume_words(r, c, true, true);
	return false;
}

/* gdb, lldb: what they are told to do, then the program that they run. */
static bool run_debugger(struct run *r, const struct call *c)
{
	static const char *const dumps[] = { "dump ", "generate-core-file", "gcore",
					     "process save-core" };

	for (size_t i = 1; i + 1 < c->n; i++) {
		if (!word_in_text(c->words[i], "-ex -iex -eval-command --ex --eval-command -o"))
			continue;
		(void)presume_code(r, c, c->words[i + 1], true);
		for (size_t k = 0; k < ARRAY_LEN(dumps); k++)
			if (str_starts(c->words[i + 1], str_from(dumps[k])))
				call_add(r, c,
					 (struct effect){ .kind = EFFECT_READ,
							  .places = PLACE_SECRET });
	}
	return run_launch(r, c);
}

/* start-stop-daemon --exec PROGRAM -- WORD... */
static bool run_daemon(struct run *r, const struct call *c)
{
	struct fields words = { 0 };
	size_t i = 1;

	for (; i < c->n && !str_eqz(c->words[i], "--"); i++)
		if (i + 1 < c->n && word_in_text(c->words[i], "-x -a --exec --startas") && !words.n)
			field_add(r, &words, c->words[i + 1]);
	fields_add(r, &words, c, i + 1);
	if (words.n)
		run_call(r, words.p, words.n);
	return true;
}

/* ---- builders ---- */

/* cmake -E: small programs of its own, which have the names of others or nearly so. */
static bool run_cmake_tool(struct run *r, const struct call *c, size_t i)
{
	static const struct {
		const char *name, *program, *option;
	} tools[] = {
		{ "rm", "rm", NULL },
		{ "remove", "rm", NULL },
		{ "remove_directory", "rm", "-rf" },
		{ "rename", "mv", NULL },
		{ "copy", "cp", NULL },
		{ "copy_if_different", "cp", NULL },
		{ "copy_directory", "cp", "-r" },
		{ "env", "env", NULL },
		{ "time", "time", NULL },
		{ "touch", "touch", NULL },
		{ "create_symlink", "ln", "-s" },
		{ "tar", "tar", NULL },
	};
	struct fields words = { 0 };

	if (str_eqz(c->words[i], "chdir")) {
		struct run inner = *r;

		if (i + 1 < c->n)
			inner.cwd = joined(r, c->words[i + 1]);
		call_rest(&inner, c, i + 2);
		return true;
	}
	for (size_t k = 0; k < ARRAY_LEN(tools); k++) {
		if (!str_eqz(c->words[i], tools[k].name))
			continue;
		field_add(r, &words, str_from(tools[k].program));
		if (tools[k].option)
			field_add(r, &words, str_from(tools[k].option));
		for (size_t n = i + 1; n < c->n; n++)
			field_add(r, &words, c->words[n]);
		run_call(r, words.p, words.n);
	}
	return true;
}

static bool run_cmake(struct run *r, const struct call *c)
{
	struct str text;

	for (size_t i = 1; i + 1 < c->n; i++) {
		if (str_eqz(c->words[i], "-E"))
			return run_cmake_tool(r, c, i + 1);
		if (str_eqz(c->words[i], "-P") && !file_read(r, c->words[i + 1], &text))
			call_path(r, c, (struct effect){ .kind = EFFECT_RUN_UNSEEN },
				  c->words[i + 1]);
	}
	return false;
}

/* task -t FILE: its commands are behind a word, to the end of a list in one line. */
static bool run_task(struct run *r, const struct call *c)
{
	struct str text, word = STR("cmds: [");
	bool maybe = r->e->maybe;

	for (size_t i = 1; i + 1 < c->n; i++) {
		if (!word_in_text(c->words[i], "-t --taskfile") ||
		    !file_read(r, c->words[i + 1], &text))
			continue;
		r->e->maybe = true;
		for (ptrdiff_t at; (at = str_find(text, word, 0)) >= 0 && run_spend(r, 1);) {
			size_t end = 0;

			text = str_sub(text, (size_t)at + word.n, text.n);
			while (end < text.n && !strchr("]\n", text.p[end]))
				end++;
			call_shell(r, c, str_sub(text, 0, end));
		}
		r->e->maybe = maybe;
	}
	return false;
}

/* ---- other machines ---- */

/* The value of "path=/x state=absent". */
static struct str module_value(struct str text, const char *key)
{
	struct str one;

	while (str_split(&text, ' ', &one))
		if (str_starts(one, str_from(key)) && one.n > strlen(key) &&
		    one.p[strlen(key)] == '=')
			return str_sub(one, strlen(key) + 1, one.n);
	return STR("");
}

static bool run_ansible(struct run *r, const struct call *c)
{
	static const char shells[] = "shell command raw script ansible.builtin.shell "
				     "ansible.builtin.command ansible.builtin.raw";
	struct args a;
	const struct option *module, *text;
	struct str name, value, path;
	bool remote = r->e->remote, local, file;

	args_read(r, &a, c,
		  "-m -a -i -u -e -f -l -c --module-name --args --inventory --user --limit");
	module = args_option(&a, "-m|--module-name");
	text = args_option(&a, "-a|--args");
	name = module ? module->value : STR("command");
	value = text ? text->value : STR("");
	local = a.noperands && str_eqz(a.operands[0], "localhost");
	file = str_eqz(name, "file") || str_ends(name, STR(".file"));
	r->e->remote |= !local;
	if (word_in_text(name, shells))
		call_shell(r, c, value);
	else if (str_eqz(name, "reboot") || str_ends(name, STR(".reboot")))
		call_add(r, c, (struct effect){ .kind = EFFECT_SHUTDOWN });
	path = module_value(value, "path");
	if (!path.n)
		path = module_value(value, "dest");
	if (file && str_eqz(module_value(value, "state"), "absent"))
		call_path(r, c, (struct effect){ .kind = EFFECT_DELETE, .recursive = true },
			  str_eqz(path, "~") ? variable(r, STR("HOME")) : path);
	else if (path.n && !file)
		call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE }, path);
	r->e->remote = remote;
	return local || file || word_in_text(name, shells); /* else: the state of what it names */
}

/* aws ssm send-command --parameters commands=TEXT, or '{"commands":["TEXT"]}' */
static bool run_ssm(struct run *r, const struct call *c)
{
	bool remote = r->e->remote, sends = false;

	r->e->remote = true;
	for (size_t i = 1; i < c->n; i++) {
		ptrdiff_t at = sends ? str_find(c->words[i], STR("command"), 0) : -1;
		struct str text = str_sub(c->words[i], (size_t)(at + 7), c->words[i].n);

		sends |= word_in_text(c->words[i], "send-command start-session");
		if (at < 0 || str_starts(c->words[i], STR("--")))
			continue;
		while (text.n && strchr("s\"':=[ ", text.p[0]))
			text = str_sub(text, 1, text.n);
		while (text.n && strchr("\"']} ", text.p[text.n - 1]))
			text.n--;
		call_shell(r, c, text);
	}
	r->e->remote = remote;
	return run_launch(r, c);
}

/* ---- Windows, from a shell of POSIX ---- */

/* Text as PowerShell and cmd.exe read words. */
static struct str windows_text(struct run *r, const struct call *c, size_t from)
{
	struct text t = { 0 };

	for (size_t i = from; i < c->n; i++) {
		bool quote = from < i && value_has(c->words[i], ' ') &&
			     str_chr(c->words[i], '\'', 0) < 0;

		text_add(r, &t, i > from ? STR(" ") : STR(""));
		text_add(r, &t, quote ? STR("'") : STR(""));
		text_add(r, &t, c->words[i]);
		text_add(r, &t, quote ? STR("'") : STR(""));
	}
	return text_str(&t);
}

static bool run_cmd(struct run *r, const struct call *c)
{
	size_t i = 1;

	while (i < c->n && !word_in_text(c->words[i], "/c /C /k /K //c //C"))
		i++;
	if (i + 1 < c->n)
		call_code(r, c, CODE_POWERSHELL, windows_text(r, c, i + 1));
	return true;
}

static bool run_windows(struct run *r, const struct call *c)
{
	call_code(r, c, CODE_POWERSHELL, windows_text(r, c, 0));
	return true;
}

/* certutil -urlcache -f URL FILE; bitsadmin /transfer JOB URL FILE */
static bool run_download(struct run *r, const struct call *c)
{
	static const char *const options[] = { "urlcache", "transfer", "addfile" };
	bool fetches = false;

	for (size_t i = 1; i < c->n; i++)
		for (size_t k = 0; k < ARRAY_LEN(options); k++)
			fetches |=
				str_eqz_icase(str_sub(c->words[i], 1, c->words[i].n), options[k]);
	if (fetches && c->n > 3 && str_find(c->words[c->n - 2], STR("://"), 0) > 0) {
		call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE }, c->words[c->n - 1]);
		file_set(r, c->words[c->n - 1], FETCHED);
	}
	return false;
}

static bool run_wsl(struct run *r, const struct call *c)
{
	struct args a;
	const struct option *asks;

	args_read(r, &a, c, "-d -u --distribution --user --cd --shell-type");
	asks = args_option(&a, "-l|--list|--install|--update|--status|--help");
	if (args_option(&a, "--unregister"))
		call_add(r, c,
			 (struct effect){ .kind = EFFECT_CONTAINERS,
					  .target = value_shown(r->a, a.noperands ? a.operands[0]
										  : STR("")) });
	else if (a.noperands && (!asks || asks->at > a.at[0])) {
		call_rest(r, c, a.at[0]);
		/* Its shell expands what that of Windows left as it was. */
		for (size_t i = a.at[0]; i < c->n; i++)
			if (str_starts(c->words[i], STR("~"))) {
				call_shell(r, c,
					   text_join(r, c->words + a.at[0], c->n - a.at[0], ' '));
				break;
			}
	}
	return true;
}

/* The agent of GitHub, and what starts services in AWS. */
static bool run_copilot(struct run *r, const struct call *c)
{
	(void)agent_run(r, c);
	return run_launch(r, c);
}

static bool run_github(struct run *r, const struct call *c)
{
	(void)repository_clone(r, c);
	return run_launch(r, c);
}

const struct special special_launch[] = {
	{ "copilot", run_copilot },
	{ "gh", run_github },
	{ "guix capsh fab direnv mise rtx pyenv rbenv nodenv goenv jenv plenv phpenv asdf op doppler "
	  "infisical dotenvx teller chamber limactl colima lima orb distrobox toolbox incus "
	  "singularity apptainer pm2 orbctl multipass lxc pct ctr qm heroku scalingo fly flyctl railway cf "
	  "eb az gcloud doctl hcloud vagrant minikube platform upsun docker-machine coder dokku "
	  "nomad kamal okteto devspace lagoon lando ddev devcontainer tsh et rancher terminus acli "
	  "VBoxManage vboxmanage govc winrs",
	  run_launch },
	{ "gdb gdb-multiarch rust-gdb cgdb lldb rust-lldb", run_debugger },
	{ "start-stop-daemon", run_daemon },
	{ "cmake", run_cmake },
	{ "task go-task", run_task },
	{ "ansible", run_ansible },
	{ "aws", run_ssm },
	{ "cmd", run_cmd },
	{ "net net1 runas wmic schtasks reg icacls takeown diskpart vssadmin bcdedit wevtutil "
	  "Start-Process New-LocalUser Add-LocalGroupMember Remove-Item Clear-Content Set-Content "
	  "Invoke-Expression Invoke-WebRequest Stop-Computer Restart-Computer Format-Volume Clear-Disk "
	  "Remove-Partition Stop-Process Register-ScheduledTask Set-MpPreference Set-ExecutionPolicy",
	  run_windows },
	{ "certutil bitsadmin", run_download },
	{ "wsl", run_wsl },
	{ NULL, NULL },
};
