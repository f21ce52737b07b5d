/* Where a path lies, and what it means that something happens there. */
#include "base/wild.h"
#include "base/words.h"
#include "effects/links.h"
#include "effects/parts.h"
#include "effects/run.h"
#include "secrets/paths.h"
#include "shell/calls.h"

/*
 * Paths with a meaning.  "~/x": below a home directory, "/x": from the root, "x/y": anywhere, "x":
 * the last part; what is below counts as well but for those.  A star is any text of a part.
 */
static const struct {
	const char *path;
	unsigned place;
} meanings[] = {
	/* shells and sessions */
	{ "~/.bashrc", PLACE_STARTUP },
	{ "~/.bash_profile", PLACE_STARTUP },
	{ "~/.bash_login", PLACE_STARTUP },
	{ "~/.bash_logout", PLACE_STARTUP },
	{ "~/.bash_aliases", PLACE_STARTUP },
	{ "~/.bashrc.d", PLACE_STARTUP },
	{ "~/.profile", PLACE_STARTUP },
	{ "~/.zshrc", PLACE_STARTUP },
	{ "~/.zshenv", PLACE_STARTUP },
	{ "~/.zprofile", PLACE_STARTUP },
	{ "~/.zlogin", PLACE_STARTUP },
	{ "~/.zlogout", PLACE_STARTUP },
	{ "~/.oh-my-zsh", PLACE_STARTUP },
	{ "~/.kshrc", PLACE_STARTUP },
	{ "~/.cshrc", PLACE_STARTUP },
	{ "~/.tcshrc", PLACE_STARTUP },
	{ "~/.login", PLACE_STARTUP },
	{ "~/.inputrc", PLACE_STARTUP },
	{ "~/.xinitrc", PLACE_STARTUP },
	{ "~/.xprofile", PLACE_STARTUP },
	{ "~/.xsession", PLACE_STARTUP },
	{ "~/.pam_environment", PLACE_STARTUP },
	{ "~/.config/fish", PLACE_STARTUP },
	{ "~/.config/autostart", PLACE_STARTUP },
	{ "~/.config/systemd", PLACE_STARTUP },
	{ "~/.config/environment.d", PLACE_STARTUP },
	{ "~/.local/share/systemd", PLACE_STARTUP },
	{ "~/.ssh/rc", PLACE_STARTUP },
	{ "~/.ssh/authorized_keys*", PLACE_STARTUP },
	{ "~/.ssh/config", PLACE_STARTUP },
	{ "~/.gitconfig", PLACE_STARTUP },
	{ "~/.config/git", PLACE_STARTUP },
	{ "~/.vimrc", PLACE_STARTUP },
	{ "~/.config/nvim", PLACE_STARTUP },
	{ "~/.tmux.conf", PLACE_STARTUP },
	{ "~/.crontab", PLACE_STARTUP },
	{ "~/Library/LaunchAgents", PLACE_STARTUP },
	{ "/Library/LaunchAgents", PLACE_STARTUP },
	{ "/Library/LaunchDaemons", PLACE_STARTUP },
	{ "/System/Library/LaunchDaemons", PLACE_STARTUP },
	{ "/etc/profile", PLACE_STARTUP },
	{ "/etc/profile.d", PLACE_STARTUP },
	{ "/etc/bash.bashrc", PLACE_STARTUP },
	{ "/etc/bashrc", PLACE_STARTUP },
	{ "/etc/zsh", PLACE_STARTUP },
	{ "/etc/zshrc", PLACE_STARTUP },
	{ "/etc/environment", PLACE_STARTUP },
	{ "/etc/cron*", PLACE_STARTUP },
	{ "/etc/anacrontab", PLACE_STARTUP },
	{ "/etc/at.*", PLACE_STARTUP },
	{ "/var/spool/cron", PLACE_STARTUP },
	{ "/var/spool/at", PLACE_STARTUP },
	{ "/etc/systemd", PLACE_STARTUP },
	{ "/usr/lib/systemd", PLACE_STARTUP },
	{ "/lib/systemd", PLACE_STARTUP },
	{ "/run/systemd", PLACE_STARTUP },
	{ "/etc/init.d", PLACE_STARTUP },
	{ "/etc/init", PLACE_STARTUP },
	{ "/etc/inittab", PLACE_STARTUP },
	{ "/etc/rc*", PLACE_STARTUP },
	{ "/etc/xdg/autostart", PLACE_STARTUP },
	{ "/etc/ld.so.preload", PLACE_STARTUP },
	{ "/etc/ld.so.conf*", PLACE_STARTUP },
	{ "/etc/pam.d", PLACE_STARTUP },
	{ "/etc/udev", PLACE_STARTUP },
	{ "/etc/modprobe.d", PLACE_STARTUP },
	{ "/etc/modules*", PLACE_STARTUP },
	{ "/etc/sudoers", PLACE_STARTUP },
	{ "/etc/sudoers.d", PLACE_STARTUP },
	/* agents */
	{ "~/.claude.json", PLACE_AGENT },
	{ "~/.gemini", PLACE_AGENT },
	{ "~/.trotline", PLACE_AGENT },
	{ "~/.codex", PLACE_AGENT },
	{ "~/.cursor", PLACE_AGENT },
	{ "~/.config/opencode", PLACE_AGENT },
	{ "~/.config/goose", PLACE_AGENT },
	{ "~/.config/amp", PLACE_AGENT },
	{ "~/.config/github-copilot", PLACE_AGENT },
	{ "~/.copilot", PLACE_AGENT },
	{ "~/.codeium", PLACE_AGENT },
	{ "~/.windsurf", PLACE_AGENT },
	{ "~/.factory", PLACE_AGENT },
	{ "~/.qwen", PLACE_AGENT },
	{ "~/.kiro", PLACE_AGENT },
	{ "~/.augment", PLACE_AGENT },
	{ "~/.hermes", PLACE_AGENT },
	{ "~/.openclaw", PLACE_AGENT },
	{ "~/.config/devin", PLACE_AGENT },
	{ "~/.config/crush", PLACE_AGENT },
	{ "~/.config/kilo", PLACE_AGENT },
	{ "~/.grok", PLACE_AGENT },
	{ "~/.agents", PLACE_AGENT },
	{ "~/.openhands", PLACE_AGENT },
	{ "~/.pi", PLACE_AGENT },
	{ "~/.cline", PLACE_AGENT },
	{ "~/.tabnine", PLACE_AGENT },
	{ "~/.terminai", PLACE_AGENT },
	{ "/etc/claude-code", PLACE_AGENT },
	{ "/etc/trotline", PLACE_AGENT },
	{ "/etc/codex", PLACE_AGENT },
	{ "/etc/gemini-cli", PLACE_AGENT },
	{ "/etc/tabnine-cli", PLACE_AGENT },
	{ ".claude/settings*.json", PLACE_AGENT },
	{ ".claude/hooks", PLACE_AGENT },
	{ ".gemini/settings.json", PLACE_AGENT },
	{ ".gemini/policies", PLACE_AGENT },
	{ ".gemini/hooks", PLACE_AGENT },
	{ ".trotline", PLACE_AGENT },
	{ ".codex/config.toml", PLACE_AGENT },
	{ ".codex/hooks*", PLACE_AGENT },
	{ ".codex/rules", PLACE_AGENT },
	{ ".cursor/hooks*", PLACE_AGENT },
	{ ".cursor/cli.json", PLACE_AGENT },
	{ ".cursor/permissions.json", PLACE_AGENT },
	{ ".cursor/mcp.json", PLACE_AGENT },
	{ ".windsurf/hooks*", PLACE_AGENT },
	{ ".github/hooks", PLACE_AGENT },
	{ ".opencode/plugin*", PLACE_AGENT },
	{ ".factory/settings*.json", PLACE_AGENT },
	{ ".factory/hooks*", PLACE_AGENT },
	{ ".qwen/settings.json", PLACE_AGENT },
	{ ".kiro/hooks", PLACE_AGENT },
	{ ".kiro/settings", PLACE_AGENT },
	{ ".devin/config*.json", PLACE_AGENT },
	{ ".grok/hooks", PLACE_AGENT },
	{ ".grok/settings*.json", PLACE_AGENT },
	{ ".agents/hooks.json", PLACE_AGENT },
	{ ".agents/plugins", PLACE_AGENT },
	{ ".openhands/hooks*", PLACE_AGENT },
	{ ".augment/settings*.json", PLACE_AGENT },
	{ ".amp/plugins", PLACE_AGENT },
	{ ".kilo/plugin*", PLACE_AGENT },
	{ ".pi/extensions", PLACE_AGENT },
	{ ".cline/hooks", PLACE_AGENT },
	{ "crush.json", PLACE_AGENT },
	{ ".crush.json", PLACE_AGENT },
	{ ".tabnine/agent/settings.json", PLACE_AGENT },
	{ ".terminai/settings.json", PLACE_AGENT },
	{ ".mcp.json", PLACE_AGENT },
	{ "CLAUDE.md", PLACE_AGENT },
	{ "CLAUDE.local.md", PLACE_AGENT },
	{ "AGENTS.md", PLACE_AGENT },
	{ "AGENTS.override.md", PLACE_AGENT },
	{ "GEMINI.md", PLACE_AGENT },
	{ ".cursorrules", PLACE_AGENT },
	{ ".windsurfrules", PLACE_AGENT },
	{ ".clinerules", PLACE_AGENT },
	{ ".cursor/rules", PLACE_AGENT },
	{ ".github/copilot-instructions.md", PLACE_AGENT },
	{ ".vscode/tasks.json", PLACE_STARTUP },
	{ ".git/config", PLACE_STARTUP },
	{ "~/.npmrc", PLACE_STARTUP },
	{ "~/.pip", PLACE_STARTUP },
	{ "~/.config/pip", PLACE_STARTUP },
	{ "/etc/pip.conf", PLACE_STARTUP },
	{ "~/.cargo/config*", PLACE_STARTUP },
	{ "~/.m2/settings.xml", PLACE_STARTUP },
	{ "~/.local/bin", PLACE_STARTUP },
	{ "/etc/apt/sources.list*", PLACE_STARTUP },
	{ "/etc/yum.repos.d", PLACE_STARTUP },
	{ "/etc/gitconfig", PLACE_STARTUP },
	{ "/etc/ssh", PLACE_STARTUP },
	{ "/etc/hosts", PLACE_STARTUP },
	{ "/etc/crypttab", PLACE_STARTUP },
	{ "/etc/fstab", PLACE_STARTUP },
	/* git */
	{ ".git", PLACE_GIT },
	{ ".git/*", PLACE_GIT },
	{ ".git/hooks/*", PLACE_STARTUP },
};

/* Directories of the system; /usr/local/x counts, too. */
static const char *const system_dirs[] = {
	"bin",    "boot", "dev",  "etc",     "lib",     "lib32",        "lib64",
	"libx32", "opt",  "proc", "root",    "run",     "sbin",         "srv",
	"sys",    "usr",  "var",  "System",  "Library", "Applications", "private",
	"cores",  "snap", "nix",  "Windows", "Users",
};

/* Parts of /dev that take anything and keep nothing. */
static const char *const harmless[] = { "null",   "zero",   "full",   "tty",     "stdin",
					"stdout", "stderr", "random", "urandom", "ptmx" };
static const char *const disks[] = { "sd*",   "hd*",    "vd*",  "xvd*", "nvme*",  "mmcblk*",
				     "disk*", "rdisk*", "dm-*", "md*",  "mapper", "mem",
				     "kmem",  "port",   "sr*",  "mtd*", "zd*" };

/* $home/.bashrc: nobody has such a file but in a home directory, whoever's that is. */
static bool is_in_some_home(const struct path *p, const char *meaning)
{
	static const char *const files[] = { "~/.ssh/authorized_keys*", "~/.bashrc", "~/.profile",
					     "~/.bash_profile",         "~/.zshrc",  "~/.zshenv" };

	if (!p->relative || p->n < 2 || p->part[0].n != 1 || p->part[0].p[0] != MARK_ANY)
		return false;
	return WORD_IN(str_from(meaning), files) && parts_fit(p, 1, meaning + 2);
}

static unsigned meanings_of(const struct path *p, size_t home)
{
	unsigned places = 0;

	for (size_t k = 0; k < ARRAY_LEN(meanings); k++) {
		const char *m = meanings[k].path;

		if ((places & meanings[k].place) == meanings[k].place)
			continue;
		if (m[0] == '/' && !p->relative && parts_fit(p, 0, m + 1))
			places |= meanings[k].place;
		else if (m[0] == '~' && (home ? parts_fit(p, home, m + 2) : is_in_some_home(p, m)))
			places |= meanings[k].place;
		for (size_t i = 0; m[0] != '/' && m[0] != '~' && i < p->n; i++)
			if (p->part[i].n && p->part[i].p[0] == m[0] && parts_fit(p, i, m))
				places |= meanings[k].place;
	}
	return places;
}

/* The path with one text in the place of all that is not known. */
static struct str without_marks(char *to, size_t max, const struct path *p, const char *mark)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (n < max)
			to[n++] = '/';
		for (size_t k = 0; k < p->part[i].n && n < max; k++)
			if (!char_is_mark(p->part[i].p[k]))
				to[n++] = p->part[i].p[k];
			else if (mark[0])
				to[n++] = mark[0];
	}
	return (struct str){ to, n };
}

/* A key that tests of the project are given; .env and its kin are for people there, too. */
static bool is_fixture(const struct effects_world *w, const struct path *p)
{
	static const char keys[] = "pem key p12 pfx jks keystore crt p8";
	bool below = false;
	struct str name = p->part[p->n - 1], end = name;

	for (ptrdiff_t dot; (dot = str_chr(end, '.', 0)) >= 0;)
		end = str_sub(end, (size_t)dot + 1, end.n);
	if (!value_known(name) || end.n == name.n || !word_in_text(end, keys))
		return false;
	for (size_t i = 0; i < w->nroots; i++)
		below |= parts_relate(p, w->roots[i], false) == INSIDE;
	for (size_t i = 0; below && i + 1 < p->n; i++)
		if (word_in_text(p->part[i], "fixtures __fixtures__ testdata test-data test_data"))
			return true;
	return false;
}

/* "*.pem", ".env*": does any file of such a name hold secrets? */
static bool is_secret(const struct effects_world *w, const struct path *p)
{
	static const char *const names[] = { ".env", "id_rsa", "id_ed25519", "credentials" };
	char text[1024];
	struct str plain = without_marks(text, sizeof text, p, "x");

	if (!p->n)
		return false;
	if (secret_path(plain, w->home))
		return !is_fixture(w, p);
	if (value_known(p->part[p->n - 1]))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (p->part[p->n - 1].n > 2 && !part_is_unknown(p->part[p->n - 1]) &&
		    !part_is_glob(p->part[p->n - 1].p[0]) &&
		    value_fits(p->part[p->n - 1], str_from(names[i])))
			return true;
	return secret_path(without_marks(text, sizeof text, p, ""), w->home);
}

static bool is_harmless_device(const struct path *p)
{
	/* Devices of memory, and of an image that somebody has given to one. */
	static const char *const made[] = { "loop*", "ram*", "zram*" };

	if (p->n < 2 || !str_eqz(p->part[0], "dev"))
		return false;
	if (WILD_IN(p->part[1], made) || WORD_IN(p->part[1], harmless))
		return true;
	return str_eqz(p->part[1], "fd") || str_eqz(p->part[1], "pts") ||
	       str_eqz(p->part[1], "tcp") || str_eqz(p->part[1], "udp");
}

static bool is_disk(const struct path *p)
{
	if (p->n < 2 || !str_eqz(p->part[0], "dev"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(disks); i++)
		if (value_fits(p->part[1], str_from(disks[i])) ||
		    wild_fits(str_from(disks[i]), p->part[1]))
			return true;
	return false;
}

static bool is_temp(const struct path *p)
{
	size_t i = p->n && str_eqz(p->part[0], "private");

	if (i + 1 < p->n && str_eqz(p->part[i], "var"))
		return str_eqz(p->part[i + 1], "tmp") || str_eqz(p->part[i + 1], "folders");
	return i < p->n && str_eqz(p->part[i], "tmp");
}

/* Is it the directory, or in it? */
static bool is_of(const struct path *p, struct str dir)
{
	enum relation to = parts_relate(p, dir, false);

	return to == INSIDE || (to == COVERS && parts_read(dir, STR("/")).n == p->n);
}

/* In a temporary directory, and not of a home directory or project that lies there, too. */
static bool is_temp_only(const struct effects_world *w, const struct path *p)
{
	bool only = is_temp(p);

	for (size_t i = 0; only && i <= w->nroots; i++) {
		struct str dir = i < w->nroots ? w->roots[i] : w->home;
		struct path top = parts_read(dir, STR("/"));

		only = !is_temp(&top) || !is_of(p, dir);
	}
	return only;
}

/* What a temporary directory gets under a new name is not the home directory that lies there. */
static enum relation relate_home(const struct effects_world *w, const struct path *p)
{
	return w->home.n > 1 ? parts_relate(p, w->home, !is_temp(p)) : APART;
}

/* The parts of a home directory, whoever's; 0 = it lies in none. */
static size_t home_parts(const struct effects_world *w, const struct path *p)
{
	size_t n = 0;
	struct str part;

	if (p->relative)
		return 0;
	if (relate_home(w, p) == INSIDE) {
		for (struct str rest = w->home; str_split(&rest, '/', &part);)
			n += part.n > 0;
		return n;
	}
	if (p->n && str_eqz(p->part[0], "root"))
		return 1;
	if (p->n > 1 && (str_eqz(p->part[0], "home") || str_eqz(p->part[0], "Users")))
		return 2;
	return 0;
}

/* A value of the running kernel that the next start forgets, and that takes nothing away. */
static bool is_kernel_value(const struct path *p)
{
	static const char *const values[] = {
		"/proc/sys/vm/*",
		"/proc/sys/net/*",
		"/proc/sys/fs/inotify/*",
		"/proc/sys/fs/file-max",
		"/sys/block/*/queue/*",
		"/sys/devices/*/cpufreq/*",
		"/sys/class/backlight/*",
		"/sys/class/leds/*",
		"/sys/kernel/mm/*",
		"/sys/class/net/*",
		"/sys/kernel/debug/*/dyn*",
		"/sys/kernel/debug/dynamic_debug/*",
		"/sys/devices/*/smt/control",
	};
	AUTO(buf_done) struct buf path = { 0 };

	if (p->n < 3 || !(str_eqz(p->part[0], "proc") || str_eqz(p->part[0], "sys")))
		return false;
	for (size_t i = 0; i < p->n; i++) {
		if (!value_known(p->part[i]) || str_eqz(p->part[i], "mmap_min_addr"))
			return false;
		buf_addc(&path, '/');
		buf_adds(&path, p->part[i]);
	}
	return WILD_IN(buf_str(&path), values);
}

/* /run/x.pid, /var/lock/x: a mark that a program is there. */
static bool is_mark_of_program(const struct path *p)
{
	struct str last = p->n ? p->part[p->n - 1] : STR("");
	bool var = p->n > 2 && str_eqz(p->part[0], "var");

	if (!(p->n > 1 && str_eqz(p->part[0], "run")) &&
	    !(var && (str_eqz(p->part[1], "run") || str_eqz(p->part[1], "lock"))))
		return false;
	return str_ends(last, STR(".pid")) || str_ends(last, STR(".lock")) ||
	       str_eqz(p->part[var ? 1 : 0], "lock") || (p->n > 2 && str_eqz(p->part[1], "lock"));
}

/* Of the places of a file, those that do not count where it is written. */
static unsigned written_places(const struct path *p)
{
	if (is_kernel_value(p) || is_mark_of_program(p))
		return PLACE_SYSTEM | PLACE_OUTSIDE;
	/* Where people put what no package brings: adding to it replaces nothing of the system. */
	if ((p->n > 1 && str_eqz(p->part[0], "opt")) ||
	    (p->n > 2 && str_eqz(p->part[0], "usr") && str_eqz(p->part[1], "local")))
		return PLACE_SYSTEM;
	return 0;
}

static bool is_system(const struct path *p)
{
	struct str first = p->part[0];

	if (first.n == 2 && first.p[1] == ':') /* C:\Windows, as Git Bash spells it */
		return true;
	for (size_t i = 0; i < ARRAY_LEN(system_dirs); i++)
		if (str_eqz(first, system_dirs[i]) || value_fits(first, str_from(system_dirs[i])))
			return true;
	return false;
}

static unsigned whole_places(const struct effects_world *w, const struct path *p, size_t home)
{
	unsigned places = 0;
	bool ours = false; /* in a project, or its root: what holds it is outside of it, too */
	enum relation to_home = relate_home(w, p);
	bool others = p->n && (str_eqz(p->part[0], "home") || str_eqz(p->part[0], "Users"));

	for (size_t i = 0; i < w->nroots; i++) {
		enum relation to = parts_relate(p, w->roots[i], false);

		places |= to == COVERS ? PLACE_PROJECT_WHOLE : to == INSIDE ? PLACE_PROJECT : 0;
		ours |= is_of(p, w->roots[i]);
	}
	/* /home, /home/someone, /root; but a project's own /home/project is no home directory. */
	if (to_home == COVERS ||
	    (to_home != INSIDE &&
	     ((others && p->n <= 2) || (p->n == 1 && str_eqz(p->part[0], "root")))))
		places |= PLACE_HOME_WHOLE;
	else if (to_home == INSIDE || home)
		places |= PLACE_HOME;
	if (p->n == 0)
		return places | PLACE_ROOT | PLACE_SYSTEM | PLACE_HOME_WHOLE | PLACE_OUTSIDE;
	if (is_temp_only(w, p))
		places |= PLACE_TEMP;
	else if (!ours && !(places & (PLACE_HOME | PLACE_HOME_WHOLE)) && is_system(p))
		places |= PLACE_SYSTEM;
	if (ours)
		return places;
	if (home == 1 && str_eqz(p->part[0], "root") && !str_eqz(w->home, "/root"))
		places |= PLACE_SYSTEM;
	return places & PLACE_TEMP ? places : places | PLACE_OUTSIDE;
}

/* The directory of an agent as a whole. */
static bool is_agent_whole(const struct path *p)
{
	struct str last = p->n ? p->part[p->n - 1] : STR("");

	if (last.n < 2 || last.p[0] != '.' || str_eqz(last, ".github"))
		return false;
	for (size_t k = 0; k < ARRAY_LEN(meanings); k++) {
		struct str m = str_from(meanings[k].path);

		if (meanings[k].place == PLACE_AGENT && m.n > last.n && m.p[last.n] == '/' &&
		    str_starts(m, last))
			return true;
	}
	return false;
}

/* In a directory that was made for the moment, with a name that nobody knows. */
static bool is_made_temp(const struct effects_world *w, const struct path *p)
{
	return p->n > 2 && is_temp_only(w, p) && str_eqz(p->part[0], "tmp") &&
	       (str_eqz(p->part[1], "\1") || str_starts(p->part[1], STR("tmp.")));
}

static unsigned places_of(const struct effects_world *w, const struct path *p)
{
	unsigned places = p->unknown || p->relative ? PLACE_UNKNOWN : 0;
	size_t home = home_parts(w, p);

	if (!p->relative)
		places |= whole_places(w, p, home);
	if (!p->relative && p->n > 1 && str_eqz(p->part[0], "dev"))
		places |= str_eqz(p->part[1], "shm") ? PLACE_TEMP : PLACE_DEVICE | PLACE_SYSTEM;
	places |= meanings_of(p, home) | (is_agent_whole(p) ? PLACE_AGENT : 0);
	if (is_made_temp(w, p))
		places &= ~(unsigned)PLACE_AGENT;
	if (is_secret(w, p))
		places |= PLACE_SECRET;
	if (is_harmless_device(p))
		places &= ~(unsigned)(PLACE_DEVICE | PLACE_SYSTEM | PLACE_OUTSIDE);
	return places;
}

unsigned effect_places(const struct effects_world *w, struct str path)
{
	struct path p = parts_read(path, w->cwd);

	return places_of(w, &p);
}

/* What a name means stays true of a link with that name. */
static unsigned places_behind(struct effects *e, const struct path *written,
			      const struct path *real)
{
	const unsigned meanings_kept = PLACE_SECRET | PLACE_STARTUP | PLACE_AGENT | PLACE_GIT;

	return real == written ? places_of(e->world, written)
			       : places_of(links_world(e), real) |
					 (places_of(e->world, written) & meanings_kept);
}

struct str effects_git_place(const struct effects *e, struct str option, struct str next)
{
	const struct effects_world *w = e->world;
	struct str root = w->nroots ? w->roots[0] : w->cwd;

	if (str_eqz(option, "--show-toplevel"))
		return root;
	if (str_eqz(option, "--git-dir") || str_eqz(option, "--absolute-git-dir") ||
	    str_eqz(option, "--git-common-dir"))
		return arena_printf(e->arena, "%.*s/.git", STR_ARG(root));
	if (str_eqz(option, "--git-path"))
		return arena_printf(e->arena, "%.*s/.git/%.*s", STR_ARG(root), STR_ARG(next));
	return STR("");
}

unsigned effects_places(struct effects *e, struct str path, struct str cwd)
{
	struct str led = links_followed(e, path, cwd, true);
	struct path written = parts_read(path, cwd), real;

	if (led.p)
		real = parts_read(led, STR("/"));
	return places_behind(e, &written, led.p ? &real : &written);
}

/* A file of SQLite in the project's own folder for what is temporary: "file:./tmp/x.db". */
static bool is_scratch_file(struct str database)
{
	static const char *const kinds[] = { "file:", "sqlite:///", "sqlite:", "./" };
	static const char *const ends[] = { ".db", ".sqlite", ".sqlite3" };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_starts(database, str_from(kinds[i])))
			database = str_sub(database, strlen(kinds[i]), database.n);
	return TEXT_ENDS(database, ends) && value_known(database) &&
	       str_find(database, STR(".."), 0) < 0 &&
	       (str_starts(database, STR("tmp/")) || str_starts(database, STR("temp/")));
}

bool effect_database_in_memory(struct str database)
{
	static const char *const names[] = {
		":memory:",
		"file::memory:",
		"jdbc:sqlite::memory:",
		"jdbc:h2:mem:",
		"jdbc:hsqldb:mem:",
		"jdbc:derby:memory:",
		"Data Source=:memory:",
		"DataSource=:memory:",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_starts_icase(database, str_from(names[i])))
			return true;
	return str_starts(database, STR("sqlite")) &&
	       (str_ends(database, STR(":memory:")) || str_ends(database, STR("://")));
}

unsigned effect_database_places(const struct effects_world *w, struct str database)
{
	static const char *const names[] = { "test",   "test_*", "test-*", "*_test",
					     "*-test", "e2e",    "*_e2e",  "*-e2e" };
	struct str name;
	ptrdiff_t end;

	if (str_starts(database, STR("file:")) && !effect_database_in_memory(database))
		database =
			str_sub(database, str_starts(database, STR("file://")) ? 7 : 5, database.n);
	name = database;
	end = str_chr(name, '?', 0);
	if (end < 0)
		end = str_chr(name, '#', 0);
	if (effect_database_in_memory(database))
		return PLACE_TEMP;
	if (str_find(name, STR("://"), 0) > 0 && !address_is_local(address_host(name)))
		return 0;
	if (is_scratch_file(database))
		return PLACE_TEMP;
	if (!value_known(name))
		return database.p[0] == '/' ? effect_places(w, database) & PLACE_TEMP : 0;
	if (end >= 0)
		name.n = (size_t)end;
	name = sh_file_name(name);
	end = str_chr(name, '.', 0);
	if (end > 0)
		name.n = (size_t)end;
	if (WILD_IN(name, names))
		return PLACE_TEMP;
	return database.n && database.p[0] == '/' ? effect_places(w, database) & PLACE_TEMP : 0;
}

static bool changes_text(enum effect_kind kind)
{
	return kind == EFFECT_WRITE || kind == EFFECT_OVERWRITE || kind == EFFECT_MOVE;
}

void effects_add_path(struct effects *e, const struct effect *like, struct str path, struct str cwd)
{
	struct effect effect = *like;
	struct path written = parts_read(path, cwd), p = written;
	bool removes = like->kind == EFFECT_DELETE || like->kind == EFFECT_MOVE;
	struct str led;

	if (is_harmless_device(&p) && like->kind != EFFECT_DELETE)
		return;
	led = links_followed(e, path, cwd,
			     like->link == LINK_BEHIND || (like->link == LINK_USUAL && !removes));
	if (led.p)
		p = parts_read(led, STR("/"));
	effect.places |= places_behind(e, &written, led.p ? &p : &written);
	if (like->kind == EFFECT_WRITE || like->kind == EFFECT_OVERWRITE)
		effect.places &= ~written_places(&p);
	if (like->kind == EFFECT_DELETE && path_is_cache(&p, home_parts(e->world, &p)))
		effect.places = (effect.places & ~(unsigned)PLACE_OUTSIDE) | PLACE_TEMP;
	if (like->own && path_is_own_program(&p, home_parts(e->world, &p)))
		effect.places &= ~(unsigned)(PLACE_STARTUP | PLACE_OUTSIDE);
	if (like->cloned)
		effect.places &= ~(unsigned)PLACE_GIT;
	if (like->empty)
		effect.places &= ~(unsigned)(PLACE_STARTUP | PLACE_AGENT);
	effect.target = parts_shown(e->arena, &p, path);
	effect.maybe |= p.unknown || p.relative;
	if (like->places & PLACE_SOURCES && !path_is_sources(e->world, &p))
		effect.places &= ~(unsigned)PLACE_SOURCES;
	if (is_disk(&p) && (changes_text(like->kind) || like->kind == EFFECT_DELETE))
		effect.kind = EFFECT_DEVICE;
	/* What is no device is a file with its image. */
	if (like->kind == EFFECT_DEVICE && !(effect.places & (PLACE_DEVICE | PLACE_UNKNOWN)))
		effect.kind = EFFECT_OVERWRITE;
	effects_add(e, &effect);
	if (removes && !like->cloned && (path_is_repository(&p) || path_is_repository(&written))) {
		effect.kind = EFFECT_GIT_LOSS;
		effects_add(e, &effect);
	}
	if ((like->kind == EFFECT_DELETE || like->kind == EFFECT_PERMISSIONS) &&
	    (effect.places & PLACE_AGENT)) {
		effect.kind = EFFECT_GUARD_OFF;
		effects_add(e, &effect);
	}
	if (changes_text(like->kind) && (effect.places & (PLACE_STARTUP | PLACE_AGENT))) {
		effect.kind = EFFECT_PERSIST;
		effects_add(e, &effect);
	}
}
