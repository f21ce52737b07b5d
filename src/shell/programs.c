#include "shell/programs.h"

#include <pthread.h>

#include "base/util.h"

#define LONG(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct sh_program programs[] = {
	{ SHELLS, SH_STARTS_SHELL },
	{ ". source", SH_STARTS_SOURCE },
	{ "at batch catchsegv dbus-run-session entr expect firejail flock gdb hyperfine "
	  "ltrace nsenter parallel perf prlimit proot rlwrap run0 runcon runuser screen "
	  "script setarch setpriv sg socat ssh-agent start-stop-daemon strace su "
	  "systemd-run tmux torsocks unbuffer unshare valgrind watch xvfb-run chpst "
	  "dbus-launch systemd-inhibit sem schroot cgexec bwrap xterm uxterm newgrp "
	  "watchexec mpirun srun mpiexec nix-shell bash-c gdb-multiarch rust-gdb cgdb lldb "
	  "rust-lldb capsh pwsh powershell",
	  SH_STARTS_ODDLY },
	{ "awk gawk mawk nawk original-awk", SH_STARTS_CODE, .code = "", .options = "F:v:f:" },
	{ "builtin busybox fakeroot nohup pkexec toybox nocache eatmydata dumb-init chronic "
	  "ifne torify gamemoderun optirun primusrun prime-run tsocks fakechroot linux32 "
	  "linux64 arch gdbserver ld.so ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 "
	  "ld-linux.so.2",
	  SH_STARTS_ARGS, "" },
	{ "bun", SH_STARTS_CODE, .code = "e", .subcommands = LONG("run"), .elsewhere = true },
	{ "bunx", SH_STARTS_ARGS, "", .elsewhere = true },
	{ "chroot setuidgid gosu su-exec", SH_STARTS_ARGS, "", .operands = 1 },
	{ "chrt", SH_STARTS_ARGS, "abdfimopRrv", .operands = 1 },
	{ "command", SH_STARTS_ARGS, "pvV" },
	{ "deno", SH_STARTS_CODE, .code = "", .subcommands = LONG("run"), .elsewhere = true },
	{ "doas", SH_STARTS_ARGS, "LnsC:a:u:", .assigns = true },
	{ "docker podman", SH_STARTS_ARGS, "dite:p:u:v:w:",
	  LONG("--rm", "--detach", "--init", "--interactive", "--tty", "--privileged"),
	  LONG("exec", "run"), .operands = 1, .elsewhere = true },
	{ "env genv", SH_STARTS_ARGS, "0ivu:C:", LONG("--ignore-environment", "--null", "--debug"),
	  .assigns = true },
	{ "eval", SH_STARTS_TEXT, "" },
	{ "exec", SH_STARTS_ARGS, "cla:" },
	{ "find", SH_STARTS_FIND },
	{ "ionice", SH_STARTS_ARGS, "tc:n:" },
	{ "lua luajit", SH_STARTS_CODE, .code = "e", .options = "l:iEvW" },
	{ "nice", SH_STARTS_ARGS, "n:" },
	{ "node nodejs electron", SH_STARTS_CODE, .code = "ep", .options = "r:C:i" },
	{ "npx", SH_STARTS_ARGS, "yqp:", LONG("--yes", "--no-install", "--no", "--quiet"),
	  .elsewhere = true },
	{ "perl", SH_STARTS_CODE, .code = "eE", .options = "wTtWXnpaI:M:m:" },
	{ "php", SH_STARTS_CODE, .code = "r", .options = "d:c:nqf:" },
	{ "pnpm", SH_STARTS_ARGS, "", .subcommands = LONG("exec", "dlx"), .elsewhere = true },
	{ "poetry", SH_STARTS_ARGS, "", .subcommands = LONG("run"), .elsewhere = true },
	{ "python pypy ipython micropython", SH_STARTS_CODE, .code = "c",
	  .options = "BEIOSbdiPqRsuvxW:X:m:" },
	{ "ruby jruby irb pry", SH_STARTS_CODE, .code = "e", .options = "wWI:r:np" },
	{ "setsid", SH_STARTS_ARGS, "cfw", LONG("--ctty", "--fork", "--wait") },
	{ "ssh", SH_STARTS_TEXT, "46AaCfGgKkMNnqsTtVvXxYyi:l:p:", .operands = 1,
	  .elsewhere = true },
	{ "stdbuf", SH_STARTS_ARGS, "i:o:e:" },
	{ "sudo", SH_STARTS_ARGS, "AbEeHiKklnPSsvVC:D:g:h:p:R:r:T:t:u:U:",
	  LONG("--preserve-env", "--non-interactive", "--login", "--shell", "--stdin"),
	  .assigns = true },
	{ "taskset", SH_STARTS_ARGS, "ac", .operands = 1 },
	{ "time", SH_STARTS_ARGS, "apqvo:f:", LONG("--portability", "--verbose") },
	{ "timeout gtimeout", SH_STARTS_ARGS, "k:s:v",
	  LONG("--foreground", "--preserve-status", "--verbose"), .operands = 1 },
	{ "trap", SH_STARTS_TRAP },
	{ "ts-node zx vite-node babel-node jiti esno", SH_STARTS_CODE, .code = "ep",
	  .options = "r:P:T" },
	{ "tsx", SH_STARTS_CODE, .code = "ep", .options = "r:" },
	{ "uv", SH_STARTS_ARGS, "qvp:", LONG("--no-project", "--isolated", "--script", "--quiet"),
	  LONG("run"), .elsewhere = true },
	{ "uvx", SH_STARTS_ARGS, "q", .elsewhere = true },
	{ "xargs", SH_STARTS_ARGS, "0rtpxoa:d:E:L:n:P:s:",
	  LONG("--null", "--no-run-if-empty", "--verbose", "--interactive", "--exit", "--open-tty"),
	  .more = true },
	{ "envdir faketime", SH_STARTS_ARGS, "f:", .operands = 1 },
	{ "proxychains proxychains4", SH_STARTS_ARGS, "f:" },
	{ "caffeinate", SH_STARTS_ARGS, "dimsut:w:" },
	{ "daemonize", SH_STARTS_ARGS, "ac:e:o:p:l:u:E:v" },
	{ "tini", SH_STARTS_ARGS, "svwgp:e:" },
	{ "dotenv", SH_STARTS_ARGS, "f:e:p:c:v:" },
	{ "cpulimit", SH_STARTS_ARGS, "bl:p:e:P:" },
	{ "numactl", SH_STARTS_ARGS, "N:m:C:i:" },
	{ "sshpass", SH_STARTS_ARGS, "p:f:d:P:e" },
	{ "pyenv rbenv nodenv goenv jenv plenv phpenv asdf", SH_STARTS_ARGS, "",
	  .subcommands = LONG("exec") },
	{ "direnv chamber", SH_STARTS_ARGS, "", .subcommands = LONG("exec"), .operands = 1 },
	{ "op doppler infisical dotenvx teller pass-cli toolbox", SH_STARTS_ARGS, "",
	  .subcommands = LONG("run") },
	{ "pdsh pssh parallel-ssh clush dsh knife mosh autossh pnpx pipx", SH_STARTS_ODDLY,
	  .elsewhere = true },
	{ "groovy scala swift kotlin dart", SH_STARTS_CODE, .code = "e", .options = "P:s:" },
	{ "Rscript littler julia R elixir iex osascript tclsh ghc runghc guile racket clojure "
	  "jshell swipl octave erl gnuplot dc m4 sbcl ecl clisp maxima raku crystal nim "
	  "wish ocaml janet fennel csi gosh bb clj amm gforth",
	  SH_STARTS_CODE, .code = "ecEgx", .options = "P:s:l:" },
	{ "aws-vault singularity apptainer", SH_STARTS_ODDLY, .subcommands = LONG("exec") },
	{ "mise rtx", SH_STARTS_ODDLY, .subcommands = LONG("exec", "x") },
	{ "guix", SH_STARTS_ODDLY, .subcommands = LONG("shell", "environment") },
	{ "distrobox", SH_STARTS_ODDLY, .subcommands = LONG("enter") },
	{ "pm2", SH_STARTS_ODDLY, .subcommands = LONG("start") },
};

const struct sh_program *sh_program_at(size_t i)
{
	return i < ARRAY_LEN(programs) ? &programs[i] : NULL;
}

enum { NAMES_MAX = 512, NAME_SLOTS = 2 * NAMES_MAX };

/* All names, to be found by their hash: each word of a command is looked up. */
static struct {
	struct name {
		struct str text;
		const struct sh_program *program;
	} slots[NAME_SLOTS];
	size_t n;
} names;

static struct name *name_slot(struct str name)
{
	size_t i = str_hash(0, name) % NAME_SLOTS;

	while (names.slots[i].program && !str_eq(names.slots[i].text, name))
		i = (i + 1) % NAME_SLOTS;
	return &names.slots[i];
}

static void names_make(void)
{
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		for (struct str rest = str_from(programs[i].names), one;
		     str_split(&rest, ' ', &one);) {
			struct name *slot = name_slot(one);

			/* In one row each: which would count? */
			if (slot->program || ++names.n > NAMES_MAX)
				BUG();
			*slot = (struct name){ one, &programs[i] };
		}
}

const struct sh_program *sh_program_find(struct str path)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t from = path.n, n;

	(void)pthread_once(&once, names_make);
	while (from > 0 && path.p[from - 1] != '/')
		from--;
	for (struct str name = str_sub(path, from, path.n);; name.n--) {
		const struct sh_program *p = name_slot(name)->program;

		if (p)
			return p;
		/* python3, python3.11, perl5.36, lua5.4 */
		n = name.n;
		if (n < 4 || (!char_is_digit(name.p[n - 1]) && name.p[n - 1] != '.'))
			return NULL;
	}
}

bool sh_mentions_interpreter(struct str text)
{
	for (size_t i = 0, from = 0; i <= text.n; i++) {
		const struct sh_program *p;

		if (i < text.n && (char_is_word(text.p[i]) || strchr("./-", text.p[i])))
			continue;
		p = i > from ? sh_program_find(str_sub(text, from, i)) : NULL;
		if (p && (p->starts != SH_STARTS_ARGS || p->assigns || p->more))
			return true;
		from = i + 1;
	}
	return false;
}
