/*
 * The settings of the agent itself that a session would not take as they are: of another type, or a
 * word that it does not have.  It goes on without them, so nobody else says so before it runs.
 */
#include "base/words.h"
#include "hooks/dialects.h"
#include "settings/mode.h"
#include "workbench/lint.h"

#define MAY(type) (1U << (type))

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
} known[] = {
	{ STR("/general"), OBJ, NULL, 0 },
	{ STR("/general/defaultApprovalMode"), STRING, modes, ARRAY_LEN(modes) },
	{ STR("/general/sessionRetention"), OBJ, NULL, 0 },
	{ STR("/general/sessionRetention/enabled"), BOOL, NULL, 0 },
	{ STR("/model"), OBJ, NULL, 0 },
	{ STR("/model/name"), STRING, NULL, 0 },
	{ STR("/model/provider"), STRING, providers, ARRAY_LEN(providers) },
	{ STR("/model/compressionThreshold"), NUM, NULL, 0 },
	{ STR("/model/disableLoopDetection"), BOOL, NULL, 0 },
	{ STR("/model/generationConfig"), OBJ, NULL, 0 },
	{ STR("/model/idleTimeoutSeconds"), NUM, NULL, 0 },
	{ STR("/model/maxSessionTurns"), NUM, NULL, 0 },
	{ STR("/context"), OBJ, NULL, 0 },
	{ STR("/context/fileName"), STRING | LIST, NULL, 0 },
	{ STR("/context/importFormat"), STRING, import_forms, ARRAY_LEN(import_forms) },
	{ STR("/context/includeDirectories"), LIST, NULL, 0 },
	{ STR("/context/includeDirectoryTree"), BOOL, NULL, 0 },
	{ STR("/context/loadMemoryFromIncludeDirectories"), BOOL, NULL, 0 },
	{ STR("/context/memoryBoundaryMarkers"), LIST, NULL, 0 },
	{ STR("/context/discoveryMaxDirs"), NUM, NULL, 0 },
	{ STR("/context/fileFiltering"), OBJ, NULL, 0 },
	{ STR("/context/fileFiltering/respectGitIgnore"), BOOL, NULL, 0 },
	{ STR("/context/fileFiltering/respectGeminiIgnore"), BOOL, NULL, 0 },
	{ STR("/security"), OBJ, NULL, 0 },
	{ STR("/security/disableYoloMode"), BOOL, NULL, 0 },
	{ STR("/security/folderTrust"), OBJ, NULL, 0 },
	{ STR("/security/folderTrust/enabled"), BOOL, NULL, 0 },
	{ STR("/security/environmentVariableRedaction"), OBJ, NULL, 0 },
	{ STR("/security/environmentVariableRedaction/enabled"), BOOL, NULL, 0 },
	{ STR("/security/environmentVariableRedaction/allowed"), LIST, NULL, 0 },
	{ STR("/security/environmentVariableRedaction/blocked"), LIST, NULL, 0 },
	{ STR("/tools"), OBJ, NULL, 0 },
	{ STR("/tools/allowed"), LIST, NULL, 0 },
	{ STR("/tools/core"), LIST, NULL, 0 },
	{ STR("/tools/exclude"), LIST, NULL, 0 },
	{ STR("/tools/confirmationRequired"), LIST, NULL, 0 },
	{ STR("/tools/sandbox"), BOOL | STRING | OBJ, NULL, 0 },
	{ STR("/tools/sandboxAllowedPaths"), LIST, NULL, 0 },
	{ STR("/tools/sandboxNetworkAccess"), BOOL, NULL, 0 },
	{ STR("/tools/shell"), OBJ, NULL, 0 },
	{ STR("/tools/shell/inactivityTimeout"), NUM, NULL, 0 },
	{ STR("/tools/shell/pager"), STRING, NULL, 0 },
	{ STR("/tools/truncateToolOutputThreshold"), NUM, NULL, 0 },
	{ STR("/tools/webFetch"), OBJ, NULL, 0 },
	{ STR("/tools/webFetch/privateHosts"), LIST, NULL, 0 },
	{ STR("/skills"), OBJ, NULL, 0 },
	{ STR("/skills/enabled"), BOOL, NULL, 0 },
	{ STR("/skills/disabled"), LIST, NULL, 0 },
	{ STR("/agents"), OBJ, NULL, 0 },
	{ STR("/agents/overrides"), OBJ, NULL, 0 },
	{ STR("/experimental"), OBJ, NULL, 0 },
	{ STR("/experimental/enableAgents"), BOOL, NULL, 0 },
	{ STR("/telemetry"), OBJ, NULL, 0 },
	{ STR("/telemetry/enabled"), BOOL, NULL, 0 },
	{ STR("/telemetry/logPrompts"), BOOL, NULL, 0 },
	{ STR("/telemetry/outfile"), STRING, NULL, 0 },
};

/* "general.defaultApprovalMode" */
static const char *path_of(struct arena *a, struct str pointer)
{
	char *path = (char *)arena_z(a, str_sub(pointer, 1, pointer.n));

	for (char *p = path; *p; p++)
		if (*p == '/')
			*p = '.';
	return path;
}

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

static bool is_of(const struct known *k, const struct json *v)
{
	/* A variable may hold it. */
	bool number = k->types == NUM && json_is(v, J_STR) &&
		      (json_num_in_text(v, -1) == json_num_in_text(v, -2) ||
		       str_chr(json_str(v, STR("")), '$', 0) >= 0);

	return json_is(v, J_NULL) || number || k->types & MAY(v->type);
}

static void check_word(struct lint *l, const struct known *k, const struct json *v,
		       const struct place *at)
{
	struct str word = json_str(v, STR(""));
	AUTO(buf_done) struct buf list = { 0 };
	enum approval_mode mode = MODE_YOLO;
	bool of_modes = k->words == modes || k->words == claude_modes;
	bool known_mode = of_modes && mode_find(word, &mode);

	if (of_modes ? known_mode && mode != MODE_YOLO : word_in(word, k->words, k->nwords))
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
	struct place at;

	if (!v)
		return;
	at = source_place(f, &l->arena, v->pos, "%s", path_of(&l->arena, k->pointer));
	if (!is_of(k, v))
		lint_add(l, TL_SEVERITY_ERROR, "wrong-type", &at, "%s must be %s, this is %s",
			 at.path, kinds(&l->arena, k->types), json_what(v));
	else if (k->words && json_is(v, J_STR))
		check_word(l, k, v, &at);
}

void lint_settings(struct lint *l, const struct source *f)
{
	/* Claude Code's files have one of them, with its words for modes. */
	static const struct known claude = { STR("/permissions/defaultMode"), STRING, claude_modes,
					     ARRAY_LEN(claude_modes) };

	if (f->agent || f->skill)
		return;
	if (f->dialect->permissions_key)
		check(l, f, &claude);
	else if (f->dialect == &dialects[DIALECT_GEMINI])
		for (size_t i = 0; i < ARRAY_LEN(known); i++)
			check(l, f, &known[i]);
}
