#include "shell/programs.h"

#define LONG(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Sorted by name. */
static const struct sh_program programs[] = {
	{ ".", SH_STARTS_SOURCE },
	{ "ash", SH_STARTS_SHELL },
	{ "at", SH_STARTS_ODDLY },
	{ "awk", SH_STARTS_CODE, .code = "", .options = "F:v:f:" },
	{ "bash", SH_STARTS_SHELL },
	{ "batch", SH_STARTS_ODDLY },
	{ "builtin", SH_STARTS_ARGS, "" },
	{ "bun", SH_STARTS_CODE, .code = "e", .subcommands = LONG("run"), .elsewhere = true },
	{ "bunx", SH_STARTS_ARGS, "", .elsewhere = true },
	{ "busybox", SH_STARTS_ARGS, "" },
	{ "catchsegv", SH_STARTS_ODDLY },
	{ "chroot", SH_STARTS_ARGS, "", .operands = 1 },
	{ "chrt", SH_STARTS_ARGS, "abdfimopRrv", .operands = 1 },
	{ "command", SH_STARTS_ARGS, "pvV" },
	{ "csh", SH_STARTS_SHELL },
	{ "dash", SH_STARTS_SHELL },
	{ "dbus-run-session", SH_STARTS_ODDLY },
	{ "deno", SH_STARTS_CODE, .code = "", .subcommands = LONG("run"), .elsewhere = true },
	{ "doas", SH_STARTS_ARGS, "LnsC:a:u:", .assigns = true },
	{ "docker", SH_STARTS_ARGS, "dite:p:u:v:w:",
	  LONG("--rm", "--detach", "--init", "--interactive", "--tty", "--privileged"),
	  LONG("exec", "run"), .operands = 1, .elsewhere = true },
	{ "entr", SH_STARTS_ODDLY },
	{ "env", SH_STARTS_ARGS, "0ivu:C:", LONG("--ignore-environment", "--null", "--debug"),
	  .assigns = true },
	{ "eval", SH_STARTS_TEXT, "" },
	{ "exec", SH_STARTS_ARGS, "cla:" },
	{ "expect", SH_STARTS_ODDLY },
	{ "fakeroot", SH_STARTS_ARGS, "" },
	{ "find", SH_STARTS_FIND },
	{ "firejail", SH_STARTS_ODDLY },
	{ "fish", SH_STARTS_SHELL },
	{ "flock", SH_STARTS_ODDLY },
	{ "gawk", SH_STARTS_CODE, .code = "", .options = "F:v:f:" },
	{ "gdb", SH_STARTS_ODDLY },
	{ "hyperfine", SH_STARTS_ODDLY },
	{ "ionice", SH_STARTS_ARGS, "tc:n:" },
	{ "ksh", SH_STARTS_SHELL },
	{ "ltrace", SH_STARTS_ODDLY },
	{ "lua", SH_STARTS_CODE, .code = "e", .options = "l:iEvW" },
	{ "mawk", SH_STARTS_CODE, .code = "", .options = "F:v:f:" },
	{ "mksh", SH_STARTS_SHELL },
	{ "nawk", SH_STARTS_CODE, .code = "", .options = "F:v:f:" },
	{ "nice", SH_STARTS_ARGS, "n:" },
	{ "node", SH_STARTS_CODE, .code = "ep", .options = "r:C:i" },
	{ "nodejs", SH_STARTS_CODE, .code = "ep", .options = "r:C:i" },
	{ "nohup", SH_STARTS_ARGS, "" },
	{ "npx", SH_STARTS_ARGS, "yqp:", LONG("--yes", "--no-install", "--no", "--quiet"),
	  .elsewhere = true },
	{ "nsenter", SH_STARTS_ODDLY },
	{ "original-awk", SH_STARTS_CODE, .code = "", .options = "F:v:f:" },
	{ "parallel", SH_STARTS_ODDLY },
	{ "perf", SH_STARTS_ODDLY },
	{ "perl", SH_STARTS_CODE, .code = "eE", .options = "wTtWXnpaI:M:m:" },
	{ "php", SH_STARTS_CODE, .code = "r", .options = "d:c:nqf:" },
	{ "pkexec", SH_STARTS_ARGS, "" },
	{ "pnpm", SH_STARTS_ARGS, "", .subcommands = LONG("exec", "dlx"), .elsewhere = true },
	{ "podman", SH_STARTS_ARGS, "dite:p:u:v:w:",
	  LONG("--rm", "--detach", "--init", "--interactive", "--tty", "--privileged"),
	  LONG("exec", "run"), .operands = 1, .elsewhere = true },
	{ "poetry", SH_STARTS_ARGS, "", .subcommands = LONG("run"), .elsewhere = true },
	{ "prlimit", SH_STARTS_ODDLY },
	{ "proot", SH_STARTS_ODDLY },
	{ "python", SH_STARTS_CODE, .code = "c", .options = "BEIOSbdiPqRsuvxW:X:m:" },
	{ "rbash", SH_STARTS_SHELL },
	{ "rlwrap", SH_STARTS_ODDLY },
	{ "ruby", SH_STARTS_CODE, .code = "e", .options = "wWI:r:np" },
	{ "run0", SH_STARTS_ODDLY },
	{ "runcon", SH_STARTS_ODDLY },
	{ "runuser", SH_STARTS_ODDLY },
	{ "screen", SH_STARTS_ODDLY },
	{ "script", SH_STARTS_ODDLY },
	{ "setarch", SH_STARTS_ODDLY },
	{ "setpriv", SH_STARTS_ODDLY },
	{ "setsid", SH_STARTS_ARGS, "cfw", LONG("--ctty", "--fork", "--wait") },
	{ "sg", SH_STARTS_ODDLY },
	{ "sh", SH_STARTS_SHELL },
	{ "socat", SH_STARTS_ODDLY },
	{ "source", SH_STARTS_SOURCE },
	{ "ssh", SH_STARTS_TEXT, "46AaCfGgKkMNnqsTtVvXxYyi:l:p:", .operands = 1,
	  .elsewhere = true },
	{ "ssh-agent", SH_STARTS_ODDLY },
	{ "start-stop-daemon", SH_STARTS_ODDLY },
	{ "stdbuf", SH_STARTS_ARGS, "i:o:e:" },
	{ "strace", SH_STARTS_ODDLY },
	{ "su", SH_STARTS_ODDLY },
	{ "sudo", SH_STARTS_ARGS, "AbEeHiKklnPSsvVC:D:g:h:p:R:r:T:t:u:U:",
	  LONG("--preserve-env", "--non-interactive", "--login", "--shell", "--stdin"),
	  .assigns = true },
	{ "systemd-run", SH_STARTS_ODDLY },
	{ "taskset", SH_STARTS_ARGS, "ac", .operands = 1 },
	{ "time", SH_STARTS_ARGS, "apqvo:f:", LONG("--portability", "--verbose") },
	{ "timeout", SH_STARTS_ARGS, "k:s:v",
	  LONG("--foreground", "--preserve-status", "--verbose"), .operands = 1 },
	{ "tmux", SH_STARTS_ODDLY },
	{ "torsocks", SH_STARTS_ODDLY },
	{ "toybox", SH_STARTS_ARGS, "" },
	{ "trap", SH_STARTS_TRAP },
	{ "ts-node", SH_STARTS_CODE, .code = "ep", .options = "r:P:T" },
	{ "tsx", SH_STARTS_CODE, .code = "ep", .options = "r:" },
	{ "unbuffer", SH_STARTS_ODDLY },
	{ "unshare", SH_STARTS_ODDLY },
	{ "uv", SH_STARTS_ARGS, "qvp:", LONG("--no-project", "--isolated", "--script", "--quiet"),
	  LONG("run"), .elsewhere = true },
	{ "uvx", SH_STARTS_ARGS, "q", .elsewhere = true },
	{ "valgrind", SH_STARTS_ODDLY },
	{ "watch", SH_STARTS_ODDLY },
	{ "xargs", SH_STARTS_ARGS, "0rtpxoa:d:E:L:n:P:s:",
	  LONG("--null", "--no-run-if-empty", "--verbose", "--interactive", "--exit", "--open-tty"),
	  .more = true },
	{ "xvfb-run", SH_STARTS_ODDLY },
	{ "zsh", SH_STARTS_SHELL },
};

const struct sh_program *sh_program_at(size_t i)
{
	return i < ARRAY_LEN(programs) ? &programs[i] : NULL;
}

const struct sh_program *sh_program_find(struct str path)
{
	size_t from = path.n, n;

	while (from > 0 && path.p[from - 1] != '/')
		from--;
	for (struct str name = str_sub(path, from, path.n);; name.n--) {
		for (size_t i = 0; i < ARRAY_LEN(programs); i++)
			if (str_eqz(name, programs[i].name))
				return &programs[i];
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
