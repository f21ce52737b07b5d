#include "effects/effects.h"

#include "base/stack.h"
#include "base/wild.h"
#include "base/words.h"
#include "shell/programs.h"

enum { STACK_LEAST = 24 << 10 };

static const char *const kinds[EFFECT_COUNT] = {
	[EFFECT_READ] = "read",
	[EFFECT_WRITE] = "write",
	[EFFECT_OVERWRITE] = "overwrite",
	[EFFECT_DELETE] = "delete",
	[EFFECT_MOVE] = "move",
	[EFFECT_PERMISSIONS] = "permissions",
	[EFFECT_SEND] = "send",
	[EFFECT_FETCH] = "fetch",
	[EFFECT_RUN_FETCHED] = "run-fetched",
	[EFFECT_RUN_UNSEEN] = "run-unseen",
	[EFFECT_INSTALL] = "install",
	[EFFECT_PRIVILEGES] = "privileges",
	[EFFECT_GIT_LOSS] = "git-loss",
	[EFFECT_DATABASE] = "database",
	[EFFECT_DEVICE] = "device",
	[EFFECT_KILL] = "kill",
	[EFFECT_SHUTDOWN] = "shutdown",
	[EFFECT_EXHAUST] = "exhaust",
	[EFFECT_ATTACK] = "attack",
	[EFFECT_PUBLISH] = "publish",
	[EFFECT_CLOUD] = "cloud",
	[EFFECT_CONTAINERS] = "containers",
	[EFFECT_PERSIST] = "persist",
	[EFFECT_GUARD_OFF] = "guard-off",
	[EFFECT_OPAQUE] = "opaque",
	[EFFECT_UNJUDGED] = "unjudged",
};

static const char *const places[] = {
	"project", "project-whole", "outside", "home",    "home-whole", "system",
	"root",    "temp",          "secret",  "startup", "agent",      "git",
	"device",  "local-host",    "unknown", "sources",
};

const char *effect_name(enum effect_kind kind)
{
	return kinds[kind];
}

bool effect_find(struct str name, enum effect_kind *ret_kind)
{
	for (unsigned i = 0; i < EFFECT_COUNT; i++)
		if (str_eqz(name, kinds[i])) {
			*ret_kind = i;
			return true;
		}
	return false;
}

bool effects_is_shell(struct str path)
{
	size_t from = path.n;

	while (from > 0 && path.p[from - 1] != '/')
		from--;
	return word_in_text(str_sub(path, from, path.n), SHELLS);
}

bool effects_is_broad_process(struct str name)
{
	static const char *const names[] = {
		"bash",       "sh",          "zsh",
		"fish",       "init",        "systemd",
		"sshd",       "login",       "Xorg",
		"X",          "gdm*",        "gnome-*",
		"kwin*",      "plasmashell", "dockerd",
		"docker",     "containerd",  "cron",
		"crond",      "dbus*",       "NetworkManager",
		"python",     "python3",     "node",
		"java",       "ruby",        "postgres",
		"mysqld",     "nginx",       "redis-server",
		"tmux",       "screen",      "ssh",
		"code",       "chrome",      "firefox",
		"claude",     "codex",       "gemini",
		"*trotline*", "auditd",      "rsyslogd",
		"wayland*",   "pulseaudio",  "agetty",
		"kthreadd",   "mongod",      "cursor",
		"Finder",     "*keep-hook*", ".",
		"",
	};

	return name.n == 1 || WILD_IN(name, names);
}

bool effects_is_watch(struct str process)
{
	return word_in_text(process, "auditd falco falcon-sensor falcond clamd freshclam osqueryd "
				     "wazuh-agentd wazuh-modulesd ossec-agentd fail2ban-server "
				     "crowdsec suricata snort aide sysmon mdatp wdavdaemon "
				     "cbagentd SentinelAgent sentinelone-agent elastic-agent "
				     "auditbeat tetragon rsyslogd syslog-ng");
}

struct str effects_cwd(const struct effects *e)
{
	return e->cwd.n ? e->cwd : e->world->cwd;
}

struct str effects_home(const struct effects *e)
{
	return e->world->home.n ? e->world->home : STR("/home/user");
}

const char *effect_place_name(unsigned i)
{
	return i < ARRAY_LEN(places) ? places[i] : NULL;
}

bool effect_place_find(struct str name, unsigned *ret_place)
{
	for (unsigned i = 0; i < ARRAY_LEN(places); i++)
		if (str_eqz(name, places[i])) {
			*ret_place = 1u << i;
			return true;
		}
	return false;
}

void effects_add(struct effects *e, const struct effect *effect)
{
	e->opaque |= effect->kind == EFFECT_OPAQUE || effect->kind == EFFECT_UNJUDGED;
	if (e->n >= EFFECTS_MAX) {
		e->p[EFFECTS_MAX - 1] = (struct effect){ .kind = EFFECT_UNJUDGED,
							 .words = STR("(too many effects)") };
		e->opaque = true;
		return;
	}
	struct effect *one = ARENA_ADD(e->arena, e);

	*one = *effect;
	one->remote |= e->remote;
	one->maybe |= e->maybe;
	if (e->presumed.n)
		one->presumed = e->presumed;
	if (effect->kind == EFFECT_DATABASE)
		one->places |= e->places;
}

void effects_undo(struct effects *e, size_t from, unsigned which)
{
	size_t kept = from;

	for (size_t i = from; i < e->n; i++)
		if (!(1u << e->p[i].kind & which))
			e->p[kept++] = e->p[i];
	e->n = kept;
}

bool effects_no_stack(void)
{
	return stack_left() < STACK_LEAST;
}

bool effects_too_deep(const struct effects *e)
{
	return e->depth >= EFFECTS_DEPTH_MAX || effects_no_stack();
}

void effects_unjudged(struct effects *e, struct str words)
{
	for (size_t i = e->n; i > 0; i--)
		if (e->p[i - 1].kind == EFFECT_UNJUDGED)
			return;
	effects_add(e, &(struct effect){ .kind = EFFECT_UNJUDGED, .words = words });
}
