/*
 * The settings of the agent itself that a session would not take as they are: of another type, or a
 * word that it does not have.  It goes on without them, so nobody else says so before it runs.
 */
#include "base/words.h"
#include "hooks/dialects.h"
#include "settings/mode.h"
#include "settings/settings.h"
#include "workbench/lint.h"

#define MAY(type) (1U << (type))
#define WORDS(list) list, ARRAY_LEN(list)

enum {
	BOOL = MAY(J_BOOL),
	NUM = MAY(J_NUM) | 1U << 8, /* also a number in a text */
	STRING = MAY(J_STR),
	LIST = MAY(J_ARR),
	OBJ = MAY(J_OBJ),
};

static const char *const modes[] = { "plan", "default", "auto_edit" };
static const char *const claude_modes[] = { "plan", "default", "acceptEdits" };
static const char *const providers[] = { "gemini", "openai" };
static const char *const import_forms[] = { "tree", "flat" };

/* A section is a row before those of its members. */
static const struct known {
	struct str pointer;
	unsigned types;
	const char *const *words; /* of a text: one of these; NULL = any */
	size_t nwords;
	bool mode; /* an approval mode, which has more names than those */
} known[] = {
	{ STR("/general"), OBJ },
	{ STR("/general/defaultApprovalMode"), STRING, WORDS(modes), .mode = true },
	{ STR("/general/sessionRetention"), OBJ },
	{ STR("/general/sessionRetention/enabled"), BOOL },
	{ STR("/model"), OBJ },
	{ STR("/model/name"), STRING },
	{ STR("/model/provider"), STRING, WORDS(providers) },
	{ STR("/model/compressionThreshold"), NUM },
	{ STR("/model/disableLoopDetection"), BOOL },
	{ STR("/model/generationConfig"), OBJ },
	{ STR("/model/idleTimeoutSeconds"), NUM },
	{ STR("/model/maxSessionTurns"), NUM },
	{ STR("/context"), OBJ },
	{ STR("/context/fileName"), STRING | LIST },
	{ STR("/context/importFormat"), STRING, WORDS(import_forms) },
	{ STR("/context/includeDirectories"), LIST },
	{ STR("/context/includeDirectoryTree"), BOOL },
	{ STR("/context/loadMemoryFromIncludeDirectories"), BOOL },
	{ STR("/context/memoryBoundaryMarkers"), LIST },
	{ STR("/context/discoveryMaxDirs"), NUM },
	{ STR("/context/fileFiltering"), OBJ },
	{ STR("/context/fileFiltering/respectGitIgnore"), BOOL },
	{ STR("/context/fileFiltering/respectGeminiIgnore"), BOOL },
	{ STR("/security"), OBJ },
	{ STR("/security/disableYoloMode"), BOOL },
	{ STR("/security/folderTrust"), OBJ },
	{ STR("/security/folderTrust/enabled"), BOOL },
	{ STR("/security/environmentVariableRedaction"), OBJ },
	{ STR("/security/environmentVariableRedaction/enabled"), BOOL },
	{ STR("/security/environmentVariableRedaction/allowed"), LIST },
	{ STR("/security/environmentVariableRedaction/blocked"), LIST },
	{ STR("/tools"), OBJ },
	{ STR("/tools/allowed"), LIST },
	{ STR("/tools/core"), LIST },
	{ STR("/tools/exclude"), LIST },
	{ STR("/tools/confirmationRequired"), LIST },
	{ STR("/tools/sandbox"), BOOL | STRING | OBJ },
	{ STR("/tools/sandboxAllowedPaths"), LIST },
	{ STR("/tools/sandboxNetworkAccess"), BOOL },
	{ STR("/tools/shell"), OBJ },
	{ STR("/tools/shell/inactivityTimeout"), NUM },
	{ STR("/tools/shell/pager"), STRING },
	{ STR("/tools/truncateToolOutputThreshold"), NUM },
	{ STR("/tools/webFetch"), OBJ },
	{ STR("/tools/webFetch/privateHosts"), LIST },
	{ STR("/skills"), OBJ },
	{ STR("/skills/enabled"), BOOL },
	{ STR("/skills/disabled"), LIST },
	{ STR("/agents"), OBJ },
	{ STR("/agents/overrides"), OBJ },
	{ STR("/experimental"), OBJ },
	{ STR("/experimental/enableAgents"), BOOL },
	{ STR("/telemetry"), OBJ },
	{ STR("/telemetry/enabled"), BOOL },
	{ STR("/telemetry/logPrompts"), BOOL },
	{ STR("/telemetry/outfile"), STRING },
};

/* "true or false, or a string" */
static const char *kinds(struct arena *a, unsigned types)
{
	static const char *const names[] = { [J_BOOL] = "true or false",
					     [J_NUM] = "a number",
					     [J_STR] = "a string",
					     [J_ARR] = "an array",
					     [J_OBJ] = "an object" };
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (types & MAY(i))
			buf_addf(&out, "%s%s", out.n ? ", or " : "", names[i]);
	return arena_z(a, buf_str(&out));
}

static void check_word(struct lint *l, const struct known *k, const struct json *v,
		       const struct place *at)
{
	struct str word = json_str(v, STR(""));
	AUTO(buf_done) struct buf list = { 0 };
	enum approval_mode mode = MODE_YOLO;
	bool known_mode = k->mode && mode_find(word, &mode);

	if (k->mode ? known_mode && mode != MODE_YOLO : word_in(word, k->words, k->nwords))
		return;
	if (!word.n || str_chr(word, '$', 0) >= 0)
		return;
	for (size_t i = 0; i < k->nwords; i++)
		buf_addf(&list, "%s%s", i ? ", " : "", k->words[i]);
	lint_add(l, known_mode ? TL_SEVERITY_WARNING : TL_SEVERITY_ERROR, "bad-value", at,
		 "%s: \"%.*s\" is not accepted in settings; it is one of: %s%s", at->path,
		 STR_ARG(word), buf_z(&list), meant_of(word, k->words, k->nwords).text);
}

static void check(struct lint *l, const struct source *f, const struct known *k)
{
	const struct json *v = json_pointer(f->doc, k->pointer);
	/* "general.defaultApprovalMode" */
	char *path = arena_z(&l->arena, str_sub(k->pointer, 1, k->pointer.n));
	struct place at;

	if (!v)
		return;
	for (char *p = path; (p = strchr(p, '/'));)
		*p = '.';
	at = source_place(f, &l->arena, v->pos, "%s", path);
	/* A variable may hold a number. */
	bool number = k->types == NUM && json_is(v, J_STR) &&
		      (json_num_in_text(v, -1) == json_num_in_text(v, -2) ||
		       str_chr(json_str(v, STR("")), '$', 0) >= 0);
	if (!number && !json_is(v, J_NULL) && !(k->types & MAY(v->type)))
		lint_add(l, TL_SEVERITY_ERROR, "wrong-type", &at, "%s must be %s, this is %s",
			 at.path, kinds(&l->arena, k->types), json_what(v));
	else if (k->words && json_is(v, J_STR))
		check_word(l, k, v, &at);
}

void lint_settings(struct lint *l, const struct source *f)
{
	/* Claude Code's files have one of them, with its words for modes. */
	static const struct known claude = { STR("/permissions/defaultMode"), STRING,
					     WORDS(claude_modes), .mode = true };

	if (f->agent || f->skill)
		return;
	if (f->dialect->permissions_key)
		check(l, f, &claude);
	if (f->dialect != &dialects[DIALECT_GEMINI])
		return;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		check(l, f, &known[i]);
	for (const struct setting_in_vain *v = NULL; (v = settings_in_vain(f->doc, v));) {
		struct place at = source_place(f, &l->arena, json_pointer(f->doc, v->pointer)->pos,
					       "%s", v->name);

		lint_add(l, TL_SEVERITY_NOTE, "no-effect", &at,
			 "%s has no effect in trotline, only in Gemini CLI", v->name);
	}
}
