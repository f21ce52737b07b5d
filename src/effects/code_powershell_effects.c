/* What PowerShell reaches: paths as Windows writes them, the registry, the network. */
#include "base/words.h"
#include "effects/address.h"
#include "effects/code_powershell.h"

void ps_add(struct ps *p, struct str source, struct effect effect)
{
	effect.words = source.n > 160 ? str_sub(source, 0, 160) : source;
	effects_add(p->e, &effect);
}

struct str ps_unix_path(struct ps *p, struct str s)
{
	static const struct {
		const char *name;
		const char *below;
	} names[] = {
		{ "%USERPROFILE%", "" },
		{ "%HOMEDRIVE%%HOMEPATH%", "" },
		{ "%HOMEPATH%", "" },
		{ "%APPDATA%", "/AppData/Roaming" },
		{ "%LOCALAPPDATA%", "/AppData/Local" },
	};
	struct arena *a = p->e->arena;
	struct str home = effects_home(p->e);
	char *q;

	if (word_is_one_icase(str_sub(s, 0, 12), "filesystem::*"))
		s = str_sub(s, 12, s.n);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_starts_icase(s, str_from(names[i].name)))
			s = arena_printf(a, "%.*s%s%.*s", STR_ARG(home), names[i].below,
					 STR_ARG(str_sub(s, strlen(names[i].name), s.n)));
	if (s.n && s.p[0] == '~' && (s.n == 1 || strchr("/\\", s.p[1])))
		s = arena_printf(a, "%.*s%.*s", STR_ARG(home), STR_ARG(str_sub(s, 1, s.n)));
	if (word_is_one_icase(s, "%windir%*|%systemroot%*"))
		s = STR("/Windows");
	if (word_is_one_icase(s, "%temp%*|%tmp%*"))
		s = STR("/tmp/x");
	if (s.n > 1 && s.p[1] == ':' && char_is_letter(s.p[0]))
		s = char_lower(s.p[0]) == 'c'
			    ? arena_printf(a, "/%.*s", STR_ARG(str_sub(s, 2, s.n)))
			    : arena_printf(a, "/%.*s", STR_ARG(s));
	q = arena_z(a, s);
	for (size_t i = 0; i < s.n; i++)
		if (q[i] == '\\')
			q[i] = '/';
	return (struct str){ q, s.n };
}

static void registry(struct ps *p, struct str source, enum effect_kind kind, struct str key)
{
	bool runs = text_has_one_icase(key, "\\Run|Winlogon|\\Services|Image File Execution");

	if (kind == EFFECT_DELETE)
		ps_add(p, source,
		       (struct effect){ .kind = EFFECT_DELETE,
					.target = key,
					.places = PLACE_SYSTEM | PLACE_OUTSIDE,
					.recursive = true });
	else
		ps_add(p, source,
		       (struct effect){ .kind = runs ? EFFECT_PERSIST : EFFECT_WRITE,
					.target = key,
					.places = runs ? PLACE_STARTUP | PLACE_SYSTEM
						       : PLACE_SYSTEM });
	if (text_has_one_icase(key, "Defender|EnableLUA|Firewall"))
		ps_add(p, source, (struct effect){ .kind = EFFECT_GUARD_OFF, .target = key });
}

void ps_path(struct ps *p, const struct ps_command *c, struct effect effect,
	     const struct code_value *v)
{
	struct str path;

	if (v && v->kind == VALUE_LIST) {
		for (unsigned i = 0; i < v->n; i++)
			ps_path(p, c, effect, &v->items[i]);
		return;
	}
	effect.words = str_sub(c->source, 0, 160);
	if (!v || v->kind != VALUE_TEXT) {
		effect.places |= PLACE_UNKNOWN;
		effect.maybe = true;
		effects_add(p->e, &effect);
		return;
	}
	if (v->text.n == 0 ||
	    word_is_one_icase(v->text, "env:*|variable:*|alias:*|function:*|nul|$null"))
		return;
	if (word_is_one_icase(v->text, "HKCU:*|HKLM:*|HKU:*|HKCR:*|HKEY_*|Registry::*|"
				       "HKLM\\*|HKCU\\*|HKCR\\*|HKU\\*")) {
		registry(p, c->source, effect.kind, v->text);
		return;
	}
	path = ps_unix_path(p, v->text);
	effect.recursive |= (v->flags & VALUE_RECURSIVE) != 0;
	if ((v->flags & VALUE_CHOSEN) && path.n && path.p[path.n - 1] == '*' &&
	    !(effect_places(p->e->world, path) & (PLACE_HOME_WHOLE | PLACE_ROOT)))
		path = arena_printf(p->e->arena, "%.*s[...]", STR_ARG(path));
	effects_add_path(p->e, &effect, path, effects_cwd(p->e));
	if ((effect.kind == EFFECT_WRITE || effect.kind == EFFECT_OVERWRITE) &&
	    text_has_one_icase(path, "profile.ps1|Start Menu/Programs/Startup"))
		ps_add(p, c->source,
		       (struct effect){
			       .kind = EFFECT_PERSIST, .places = PLACE_STARTUP, .target = path });
}

struct code_value ps_network(struct ps *p, struct str source, const struct code_value *url,
			     const struct code_value *to, bool sends, unsigned taints)
{
	struct str host = value_host(url);
	unsigned places = address_is_local(host) ? PLACE_LOCAL_HOST : 0;
	struct ps_command c = { .source = source };

	if (url)
		taints |= url->flags;
	sends |= (taints & VALUE_SECRET) != 0;
	if (taints & VALUE_SECRET)
		places |= PLACE_SECRET;
	ps_add(p, source,
	       (struct effect){ .kind = sends ? EFFECT_SEND : EFFECT_FETCH,
				.target = host,
				.places = places });
	if (to && to->kind == VALUE_TEXT) {
		ps_path(p, &c, (struct effect){ .kind = EFFECT_OVERWRITE }, to);
		if (!(places & PLACE_LOCAL_HOST) && p->seen->nfetched < ARRAY_LEN(p->seen->fetched))
			p->seen->fetched[p->seen->nfetched++] =
				str_starts(to->text, STR(".\\")) ? str_sub(to->text, 2, to->text.n)
								 : to->text;
	}
	return value_unknown(places & PLACE_LOCAL_HOST ? 0 : VALUE_FETCHED);
}
