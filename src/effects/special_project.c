/* Programs that run what lies in the project: make, npm run, task runners, tests, packages. */
#include "base/json.h"
#include "base/words.h"
#include "shell/calls.h"

#include "effects/project.h"

/* ---- builders: make, npm run ---- */

enum { INCLUDED_MAX = 8 };

/* A Makefile, and those that it includes by their names. */
static struct str with_included(struct run *r, struct str text, unsigned depth)
{
	struct str line, name, more;
	struct str all = text;

	if (depth == INCLUDED_MAX)
		effects_unjudged(r->e, STR("make (files that include each other)"));
	if (depth >= INCLUDED_MAX || str_find(text, STR("include "), 0) < 0)
		return text;
	for (struct str rest = text; rest.p && str_split(&rest, '\n', &line);) {
		line = str_trim(line);
		line = str_sub(line, str_starts(line, STR("-")) || str_starts(line, STR("s")),
			       line.n);
		if (!str_starts(line, STR("include ")))
			continue;
		for (line = str_sub(line, 8, line.n); line.p && str_split(&line, ' ', &name);)
			if (name.n && file_read(r, name, &more))
				all = arena_printf(r->a, "%.*s\n%.*s", STR_ARG(all),
						   STR_ARG(with_included(r, more, depth + 1)));
	}
	return all;
}

static bool run_make(struct run *r, const struct call *c)
{
	static const char *const names[] = { "GNUmakefile", "makefile", "Makefile" };
	struct run inner = *r;
	struct args a;
	struct str text;

	args_read(r, &a, c, "-C -f -I -j -o -W -l --directory --file --makefile --eval");
	if (args_option(&a, "-n|--dry-run|--just-print|--recon|--version|--help|-v|-q"))
		return true;
	if (args_option(&a, "-C|--directory"))
		inner.cwd = joined(&inner, args_option(&a, "-C|--directory")->value);
	for (size_t i = 0; i < a.noperands; i++)
		if (str_starts(a.operands[i], STR("SHELL=")))
			call_shell(&inner, c, str_sub(a.operands[i], 6, a.operands[i].n));
	for (size_t i = 0; i < a.noptions; i++)
		if (str_eqz(a.options[i].name, "--eval"))
			call_code(&inner, c, CODE_MAKEFILE, a.options[i].value);
	if (args_option(&a, "-f|--file|--makefile")) {
		struct str file = args_option(&a, "-f|--file|--makefile")->value;

		if (is_input_path(file))
			call_code(&inner, c, CODE_MAKEFILE, r->in);
		else if (file_read(&inner, file, &text))
			call_code(&inner, c, CODE_MAKEFILE, with_included(&inner, text, 0));
		else
			call_path(&inner, c,
				  (struct effect){ .kind = EFFECT_RUN_UNSEEN, .maybe = true },
				  file);
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (file_read(&inner, str_from(names[i]), &text)) {
			call_code(&inner, c, CODE_MAKEFILE, with_included(&inner, text, 0));
			return true;
		}
	call_add(r, c, (struct effect){ .kind = EFFECT_RUN_UNSEEN, .maybe = true });
	return true;
}

/* The scripts of package.json; NULL when there are none. */
static const struct json *scripts_of(struct run *r, struct str dir, bool *ret_found)
{
	struct str text;
	const struct json *doc;
	struct err err = { 0 };
	struct str path =
		dir.n ? arena_printf(r->a, "%.*s/package.json", STR_ARG(dir)) : STR("package.json");

	*ret_found = file_read(r, path, &text);
	return *ret_found && json_parse(r->a, text, 0, &doc, &err) >= 0 ? json_getz(doc, "scripts")
									: NULL;
}

static void run_scripts(struct run *r, const struct call *c, const struct json *scripts,
			const char *names)
{
	struct str name;

	for (struct str rest = str_from(names); scripts && str_split(&rest, ' ', &name);) {
		const struct json *script = json_get(scripts, name);

		if (script)
			call_shell(r, c, json_str(script, STR("")));
	}
}

static void run_npm_script(struct run *r, const struct call *c, struct str name)
{
	bool found;
	const struct json *scripts = scripts_of(r, STR(""), &found);

	if (!scripts)
		call_add(r, c,
			 found ? (struct effect){ .kind = EFFECT_OPAQUE }
			       : (struct effect){ .kind = EFFECT_RUN_UNSEEN, .maybe = true });
	else if (str_eqz(name, "start") && !json_getz(scripts, "start"))
		(void)project_module(r, c, CODE_JAVASCRIPT, STR("server"));
	run_scripts(r, c, scripts,
		    arena_z(r->a, arena_printf(r->a, "pre%.*s %.*s post%.*s", STR_ARG(name),
					       STR_ARG(name), STR_ARG(name))));
}

/* What a package manager runs of the project itself, or of a package in a directory. */
static const struct {
	const char *commands, *scripts;
	bool alone; /* without a package's name */
} lifecycles[] = {
	{ "install i ci add clean-install install-clean sit isntall",
	  "preinstall install postinstall prepublish preprepare prepare postprepare", true },
	{ "publish", "prepublish prepublishOnly prepack prepare postpack publish postpublish" },
	{ "pack", "prepack prepare postpack" },
	{ "version", "preversion version postversion" },
	{ "rebuild rb", "preinstall install postinstall prepare" },
	{ "uninstall remove rm un", "preuninstall uninstall postuninstall" },
	{ "link ln", "preinstall install postinstall prepare" },
};

static void run_lifecycle(struct run *r, const struct call *c, const struct args *a,
			  struct str command)
{
	bool found;
	size_t i = 0;

	while (i < ARRAY_LEN(lifecycles) && !word_in_text(command, lifecycles[i].commands))
		i++;
	if (i == ARRAY_LEN(lifecycles) || args_option(a, "--ignore-scripts"))
		return;
	if (!lifecycles[i].alone || a->noperands < 2)
		run_scripts(r, c, scripts_of(r, STR(""), &found), lifecycles[i].scripts);
	for (size_t k = 1; k < a->noperands; k++) {
		struct str dir = a->operands[k];

		if (str_starts(dir, STR("file:")))
			dir = str_sub(dir, 5, dir.n);
		if (dir.n && strchr("./~", dir.p[0]))
			run_scripts(r, c, scripts_of(r, dir, &found), lifecycles[i].scripts);
	}
	if (str_eqz(c->words[0], "pnpm"))
		(void)project_load(r, c, CODE_JAVASCRIPT, STR(".pnpmfile.cjs"));
}

bool project_script(struct run *r, const struct call *c, struct str name)
{
	run_npm_script(r, c, name);
	return true;
}

/* yarn, pnpm, bun: a name that is no command of theirs is a script, or a program of a package. */
static void run_npm_other(struct run *r, const struct call *c, const struct args *a)
{
	static const char own[] =
		"add audit autoclean bin cache check config constraints create dedupe deploy doctor env "
		"explain fetch generate-lock-entry global help i import info init install licenses link "
		"list login logout ls lockfile lint node npm outdated owner pack patch plugin policies pm "
		"prune publish rb rebuild remove rm root search set setup stage store tag team unlink "
		"unplug up update upgrade upgrade-interactive version versions why workspace workspaces";
	struct str text, name = a->operands[0];
	bool script = file_read(r, STR("package.json"), &text) && str_find(text, name, 0) >= 0;

	if (script)
		run_npm_script(r, c, name);
	if (!word_in_text(name, own) && is_known_program(name))
		call_rest(r, c, a->at[0]);
}

static bool run_npm(struct run *r, const struct call *c)
{
	static const char *const direct[] = {
		"test", "t", "tst", "start", "stop", "restart", NULL
	};
	static const char *const runs[] = { "run", "run-script", "rum", "urn", NULL };
	static const char *const execs[] = { "exec", "x", "dlx", NULL };
	struct run inner = *r;
	struct args a;

	args_read(r, &a, c,
		  "-w -C -c --call --prefix --cwd --workspace --filter -F --dir --loglevel");
	if (args_option(&a, "--prefix|--cwd|-C|--dir"))
		inner.cwd = joined(&inner, args_option(&a, "--prefix|--cwd|-C|--dir")->value);
	if (!a.noperands) {
		if (str_eqz(sh_file_name(c->words[0]), "yarn"))
			run_lifecycle(&inner, c, &a, STR("install"));
		return false;
	}
	run_lifecycle(&inner, c, &a, a.operands[0]);
	if (sh_is_among(a.operands[0], direct))
		run_npm_script(&inner, c, a.operands[0].p[0] == 't' ? STR("test") : a.operands[0]);
	else if (a.noperands > 1 && sh_is_among(a.operands[0], runs))
		run_npm_script(&inner, c, a.operands[1]);
	else if (sh_is_among(a.operands[0], execs)) {
		struct args all;

		if (args_option(&a, "-c|--call"))
			call_shell(&inner, c, args_option(&a, "-c|--call")->value);
		args_read(r, &all, c, "-w -C --prefix --cwd --workspace -p --package -c --call");
		if (all.noperands == 2 && value_has(all.operands[1], ' '))
			call_shell(&inner, c, all.operands[1]);
		else if (all.noperands > 1)
			call_rest(&inner, c, all.at[1]);
		return false; /* what is run is installed first */
	} else if (a.noperands > 2 && str_eqz(a.operands[0], "pkg") &&
		   str_eqz(a.operands[1], "set")) {
		for (size_t i = 2; i < a.noperands; i++) {
			ptrdiff_t eq = str_chr(a.operands[i], '=', 0);

			if (eq > 0 && str_starts(a.operands[i], STR("scripts.")))
				call_shell(&inner, c,
					   str_sub(a.operands[i], (size_t)eq + 1, a.operands[i].n));
		}
	} else if (!str_eqz(sh_file_name(c->words[0]), "npm")) {
		run_npm_other(&inner, c, &a);
		return false;
	} else {
		return false;
	}
	return true;
}

/* bun x.js, deno run x.ts, go run x.go, poetry run x, uv run x */
static bool run_runner(struct run *r, const struct call *c)
{
	static const char *const commands[] = { "poetry", "uv",     "pdm",   "hatch",  "pipenv",
						"rye",    "conda",  "mamba", "bundle", "rbenv",
						"pyenv",  "nvm",    "pixi",  "mise",   "asdf",
						"devbox", "direnv", NULL };
	static const char *const runs[] = { "run", "exec", "x", NULL };
	struct str name = sh_file_name(c->words[0]);
	size_t i = 1;

	if (c->n > 1 && (str_eqz(name, "bun") || str_eqz(name, "deno"))) {
		struct args a;

		args_read(r, &a, c, "-e --eval -r --preload -p --print");
		if (args_option(&a, "-e|--eval|-p|--print"))
			call_code(r, c, CODE_JAVASCRIPT,
				  args_option(&a, "-e|--eval|-p|--print")->value);
		if (a.noperands && is_input_path(a.operands[a.noperands - 1])) {
			call_script(r, c, CODE_JAVASCRIPT, a.operands[a.noperands - 1]);
			return true;
		}
		if (a.noperands > 1 && str_eqz(a.operands[0], "eval"))
			call_code(r, c, CODE_JAVASCRIPT, a.operands[1]);
		else if (a.noperands > 1 && str_eqz(a.operands[0], "run") &&
			 str_chr(a.operands[1], '.', 0) >= 0)
			call_script(r, c, CODE_JAVASCRIPT, a.operands[1]);
		else if (a.noperands && str_chr(a.operands[0], '.', 0) > 0)
			call_script(r, c, CODE_JAVASCRIPT, a.operands[0]);
		else
			return str_eqz(name, "bun") ? run_npm(r, c) : false;
		return true;
	}
	if (!sh_is_among(name, commands))
		return false;
	while (i < c->n && !sh_is_among(c->words[i], runs))
		i++;
	if (i >= c->n)
		return false;
	i++;
	while (i < c->n && c->words[i].n && c->words[i].p[0] == '-')
		i += str_eqz(c->words[i], "-n") || str_eqz(c->words[i], "-p") ||
				     str_eqz(c->words[i], "--with") ||
				     str_eqz(c->words[i], "--python") || str_eqz(c->words[i], "-e")
			     ? 2
			     : 1;
	if (i < c->n && str_ends(c->words[i], STR(".py")))
		call_script(r, c, CODE_PYTHON, c->words[i]);
	else
		call_rest(r, c, i);
	return true;
}

/* ---- others: a file by its name, or by the option that names it ---- */

typedef void project_fn(struct run *r, const struct call *c, struct str text);

static void run_just(struct run *r, const struct call *c, struct str text)
{
	call_code(r, c, CODE_MAKEFILE, text);
}

static void run_task(struct run *r, const struct call *c, struct str text)
{
	struct args a;
	bool any = false;

	args_read(r, &a, c, "-d -t -o -C --dir --taskfile --output --concurrency --interval");
	for (size_t i = 0; i < a.noperands; i++) {
		if (str_chr(a.operands[i], '=', 0) >= 0)
			continue;
		project_yaml_task(r, c, text, a.operands[i]);
		any = true;
	}
	if (!any)
		project_yaml_task(r, c, text, STR("default"));
}

/* Tasks in Python: what the code does, and the texts that objects of the runner are given. */
static void run_texts(struct run *r, const struct call *c, struct str text)
{
	size_t from = r->e->n;
	bool opaque = r->e->opaque;

	call_code(r, c, CODE_PYTHON, text);
	project_literals(r, c, text);
	project_keep(r, from, opaque);
}

static void run_composer(struct run *r, const struct call *c, struct str text)
{
	const struct json *doc, *scripts, *script;
	struct err err = { 0 };
	struct args a;
	struct str name;
	static const char install[] =
		"pre-install-cmd post-install-cmd pre-update-cmd post-update-cmd "
		"pre-autoload-dump post-autoload-dump post-root-package-install";

	args_read(r, &a, c, "-d --working-dir");
	if (json_parse(r->a, text, 0, &doc, &err) < 0 || !a.noperands ||
	    !(scripts = json_getz(doc, "scripts")) || args_option(&a, "--no-scripts"))
		return;
	name = a.operands[0];
	if (word_in_text(name, "run run-script") && a.noperands > 1)
		name = a.operands[1];
	for (size_t i = 0; i < scripts->n; i++) {
		struct str key = scripts->members[i].key;

		if (!str_eq(key, name) && !(word_in_text(name, "install update i u require") &&
					    word_in_text(key, install)))
			continue;
		script = &scripts->members[i].v;
		for (size_t k = 0; json_is(script, J_STR) ? k < 1 : json_at(script, k) != NULL;
		     k++) {
			struct str one = json_str(
				json_is(script, J_STR) ? script : json_at(script, k), STR(""));

			if (one.n && one.p[0] != '@' && str_find(one, STR("::"), 0) < 0)
				call_shell(r, c, one);
		}
	}
}

struct project_row {
	const char *names;
	const char *subs; /* what its first operand must be; NULL = anything */
	const char *options; /* that name the file */
	const char *files; /* else the first of these */
	project_fn *run; /* what the call asks for is run; NULL: the file is loaded */
	enum code_language lang;
	bool operands; /* are files of that language, too */
};

static const struct project_row project_rows[] = {
	{ "just", NULL, "-f|--justfile", "justfile Justfile .justfile", run_just },
	{ "task go-task", NULL, "-t|--taskfile",
	  "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml", run_task },
	{ "rake", NULL, "-f|--rakefile", "Rakefile rakefile Rakefile.rb rakefile.rb", NULL,
	  CODE_RUBY },
	{ "bundle", "install update", "--gemfile", "Gemfile", NULL, CODE_RUBY },
	{ "invoke inv", NULL, NULL, "tasks.py", run_texts },
	{ "fab", NULL, "-f|--fabfile", "fabfile.py", run_texts },
	{ "nox", NULL, "-f|--noxfile", "noxfile.py", run_texts },
	{ "doit", NULL, "-f|--file", "dodo.py", NULL, CODE_PYTHON },
	{ "scons", NULL, "-f|--file|--sconstruct", "SConstruct", NULL, CODE_PYTHON },
	{ "tox", NULL, "-c|--conf", "tox.ini", project_ini },
	{ "pytest py.test", NULL, "-c", "conftest.py", NULL, CODE_PYTHON, true },
	{ "pytest py.test", NULL, NULL, "tests/conftest.py test/conftest.py", NULL, CODE_PYTHON },
	{ "unittest", NULL, NULL, NULL, NULL, CODE_PYTHON, true },
	{ "gulp", NULL, "-f|--gulpfile", "gulpfile.js gulpfile.mjs gulpfile.cjs gulpfile.ts", NULL,
	  CODE_JAVASCRIPT },
	{ "grunt", NULL, "--gruntfile", "Gruntfile.js Gruntfile.cjs", NULL, CODE_JAVASCRIPT },
	{ "jest", NULL, "-c|--config",
	  "jest.config.js jest.config.ts jest.config.cjs jest.config.mjs", NULL, CODE_JAVASCRIPT,
	  true },
	{ "mocha", NULL, "--config", ".mocharc.js .mocharc.cjs", NULL, CODE_JAVASCRIPT, true },
	{ "vitest vite", NULL, "-c|--config",
	  "vitest.config.ts vitest.config.js vite.config.ts vite.config.js vite.config.mjs", NULL,
	  CODE_JAVASCRIPT },
	{ "webpack", NULL, "-c|--config", "webpack.config.js webpack.config.cjs webpack.config.ts",
	  NULL, CODE_JAVASCRIPT },
	{ "rollup", NULL, "-c|--config", "rollup.config.js rollup.config.mjs", NULL,
	  CODE_JAVASCRIPT },
	{ "composer", NULL, NULL, "composer.json", run_composer },
	{ "ninja samu", NULL, "-f", "build.ninja", project_ninja },
	{ "cargo", "build run test check bench install clippy doc b r t c", NULL, "build.rs", NULL,
	  CODE_OTHER },
	{ "go", "run", NULL, NULL, NULL, CODE_COMPILED, true },
	{ "go", "generate test", NULL, NULL, NULL, CODE_OTHER, true },
	{ "go", "run", NULL, "main.go", NULL, CODE_COMPILED },
	{ "cargo", "run r", NULL, "src/main.rs", NULL, CODE_COMPILED },
	{ "java rust-script kotlinc", NULL, NULL, NULL, NULL, CODE_COMPILED, true },
	{ "dotnet", "script run", NULL, NULL, NULL, CODE_COMPILED, true },
	{ "dotnet", "run", NULL, "Program.cs", NULL, CODE_COMPILED },
	{ "gradle gradlew", NULL, "-b|--build-file", "build.gradle build.gradle.kts", NULL,
	  CODE_OTHER },
	{ "gradle gradlew", NULL, NULL, "settings.gradle settings.gradle.kts", NULL, CODE_OTHER },
	{ "sbt", NULL, NULL, "build.sbt", NULL, CODE_OTHER },
	{ "direnv", "allow exec reload", NULL, ".envrc", NULL, CODE_SHELL },
	{ "docker-compose podman-compose", "up run start create", "-f|--file",
	  "compose.yaml compose.yml docker-compose.yml docker-compose.yaml", project_compose },
};

/* go run x.go, but not go run . */
static bool is_program(const struct project_row *row, struct str name)
{
	static const char *const ends[] = { ".go", ".rs", ".java", ".cs", ".csx", ".kt", ".kts" };

	for (size_t i = 0; row->lang == CODE_COMPILED && i < ARRAY_LEN(ends); i++)
		if (str_ends(name, str_from(ends[i])))
			return true;
	return false;
}

/* A program that is run for itself counts as typed; what is loaded on the way does not. */
static bool take_file(struct run *r, const struct call *c, const struct project_row *row,
		      struct str name)
{
	if (!is_program(row, name))
		return project_load(r, c, row->lang, name);
	call_script(r, c, row->lang, name);
	return true;
}

static void run_project_row(struct run *r, const struct call *c, const struct project_row *row)
{
	struct args a;
	struct str text, name;
	bool named;
	const struct option *dir;

	args_read(r, &a, c,
		  "-f -c -t -C -d -o -k -m -n -p -s -e -b -j --file --config --justfile --taskfile "
		  "--rakefile --conf --noxfile --gulpfile --gruntfile --dir --rootdir --directory "
		  "--working-directory --build-file --manifest-path --project-name --profile");
	if (args_option(&a, "-n|--dry-run|--list|-l|--help|--version|--summary") &&
	    !str_eqz(c->words[0], "pytest"))
		return;
	if (row->subs && (!a.noperands || !word_in_text(a.operands[0], row->subs)))
		return;
	named = a.noperands > 1 && is_program(row, a.operands[1]);
	dir = args_option(&a, "-C|-d|--dir|--directory|--working-directory");
	if (dir && dir->has_value && !str_eqz(c->words[0], "docker-compose"))
		r->cwd = joined(r, dir->value);
	for (size_t i = 0; row->options && i < a.noptions; i++)
		for (struct str rest = str_from(row->options); str_split(&rest, '|', &name);) {
			if (!str_eq(a.options[i].name, name) || !a.options[i].has_value)
				continue;
			named = true;
			if (!row->run)
				(void)project_load(r, c, row->lang, a.options[i].value);
			else if (file_read(r, a.options[i].value, &text))
				row->run(r, c, text);
		}
	for (struct str rest = str_from(row->files ? row->files : "");
	     !named && str_split(&rest, ' ', &name);)
		if (file_read(r, name, &text) && (row->run || take_file(r, c, row, name))) {
			if (row->run)
				row->run(r, c, text);
			break;
		}
	for (size_t i = row->subs != NULL; row->operands && i < a.noperands; i++) {
		ptrdiff_t part = str_find(a.operands[i], STR("::"), 0); /* a test of a file */

		name = str_sub(a.operands[i], 0, part < 0 ? a.operands[i].n : (size_t)part);
		if (str_chr(name, '.', 0) > 0 && !take_file(r, c, row, name) &&
		    row->lang == CODE_PYTHON)
			(void)project_module(r, c, row->lang, name);
	}
}

static void run_rows(struct run *r, const struct call *c)
{
	for (size_t i = 0; i < ARRAY_LEN(project_rows); i++)
		if (word_in_text(c->words[0], project_rows[i].names)) {
			struct run inner = *r;

			run_project_row(&inner, c, &project_rows[i]);
		}
}

/* docker compose up */
static void project_container(struct run *r, const struct call *c)
{
	struct fields words = { 0 };

	run_rows(r, c);
	if (c->n < 3 || !str_eqz(c->words[1], "compose"))
		return;
	field_add(r, &words, STR("docker-compose"));
	fields_add(r, &words, c, 2);
	run_rows(r, &(struct call){ words.p, words.n });
}

/* pip install ., python setup.py is a script anyway */
static void run_pip(struct run *r, const struct call *c)
{
	struct args a;

	args_read(r, &a, c,
		  "-r -c -t -i -f --target --prefix --root --index-url --extra-index-url");
	if (!a.noperands || !word_in_text(a.operands[0], "install wheel download develop pip"))
		return;
	for (size_t i = 1; i < a.noperands; i++)
		if (a.operands[i].n && strchr("./~", a.operands[i].p[0]))
			(void)project_load_first(r, c, CODE_PYTHON, a.operands[i], "setup.py");
}

/* cmake -P SCRIPT, cmake DIRECTORY, cmake -E COMMAND */
static void run_cmake(struct run *r, const struct call *c)
{
	struct str dir = { 0 }, text;

	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i], next = i + 1 < c->n ? c->words[i + 1] : STR("");

		if (str_eqz(w, "-E"))
			return;
		if (str_eqz(w, "-P") && file_read(r, next, &text)) {
			project_cmake(r, c, text);
			return;
		}
		if (str_eqz(w, "--build") || str_eqz(w, "--install"))
			return;
		if (str_eqz(w, "-S"))
			dir = next;
		else if (str_starts(w, STR("-S")))
			dir = str_sub(w, 2, w.n);
		else if (w.n && w.p[0] != '-' && !str_eqz(c->words[i - 1], "-B") &&
			 !str_eqz(c->words[i - 1], "-G") && !str_eqz(c->words[i - 1], "-D"))
			dir = w;
	}
	if (dir.n && file_read(r, arena_printf(r->a, "%.*s/CMakeLists.txt", STR_ARG(dir)), &text)) {
		size_t from = r->e->n;
		bool opaque = r->e->opaque;

		project_cmake(r, c, text);
		project_keep(r, from, opaque);
	}
}

/* ---- options that name files of commands ---- */

static const struct {
	const char *names, *options;
	const char *as; /* the option that takes the same as text; "" = lines are commands of it */
	bool whole;
} scripts[] = {
	{ "sed gsed", "-f --file", "-e", true },
	{ "vim vi nvim view ex gvim", "-S -u", "-c" },
	{ "gdb lldb", "-x -ix --command --source -s", "-ex" },
	{ "tmux", "-f source-file source", "" },
	{ "screen", "-c", NULL },
};

static void run_script_lines(struct run *r, const struct call *c, size_t row, struct str text)
{
	struct str line, words[3] = { c->words[0], str_from(scripts[row].as), text };

	if (scripts[row].whole) {
		run_call(r, words, 3);
		return;
	}
	for (struct str rest = text; rest.p && str_split(&rest, '\n', &line) && run_spend(r, 2);) {
		line = str_trim(line);
		words[2] = line;
		if (!line.n || strchr("#\"", line.p[0]))
			continue;
		if (scripts[row].as && scripts[row].as[0])
			run_call(r, words, 3);
		else if (scripts[row].as)
			call_shell(r, c,
				   arena_printf(r->a, "%.*s %.*s", STR_ARG(c->words[0]),
						STR_ARG(line)));
		else
			call_shell(r, c, line);
	}
}

static void run_scripts_of(struct run *r, const struct call *c)
{
	struct str text;

	for (size_t k = 0; k < ARRAY_LEN(scripts); k++) {
		if (!word_in_text(c->words[0], scripts[k].names))
			continue;
		for (size_t i = 1; i + 1 < c->n; i++)
			if (word_in_text(c->words[i], scripts[k].options) &&
			    file_read(r, c->words[i + 1], &text) &&
			    project_is_new(r, c->words[i + 1]))
				run_script_lines(r, c, k, text);
	}
}

/* ---- compilers: what comes out does what the source says ---- */

static bool is_source(struct str path)
{
	static const char *const ends[] = { ".c", ".cc", ".cpp", ".cxx", ".rs", ".go", ".m" };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (str_ends(path, str_from(ends[i])))
			return true;
	return false;
}

static void run_compiler(struct run *r, const struct call *c)
{
	struct args a;
	const struct option *out;
	struct str to = STR("a.out");

	args_read(r, &a, c, "-o -I -L -l -D -U -include -x --edition --crate-type");
	out = args_option(&a, "-o");
	for (size_t i = 0; i < a.noperands; i++) {
		if (!is_source(a.operands[i]))
			continue;
		if (out)
			to = out->value;
		else if (str_eqz(c->words[0], "rustc") || str_eqz(c->words[0], "go"))
			to = str_sub(a.operands[i], 0, a.operands[i].n - 3);
		binding_set(r, &r->e->state->copies, joined(r, to), joined(r, a.operands[i]));
	}
}

bool project_source(struct run *r, const struct call *c, struct str path, struct str text)
{
	const struct binding *b = binding_find(r->e->state->copies, joined(r, path));

	if (!b || !is_source(b->value))
		return false;
	if (str_ends(b->value, STR(".rs")) || str_ends(b->value, STR(".go")))
		call_code(r, c, CODE_COMPILED, text);
	else
		project_literals(r, c, text);
	return true;
}

void project_runs(struct run *r, const struct call *c)
{
	static const struct {
		const char *names;
		void (*run)(struct run *r, const struct call *c);
	} rows[] = {
		{ "just task go-task rake bundle invoke inv fab nox doit scons tox pytest py.test "
		  "unittest gulp grunt jest mocha vitest vite webpack rollup composer ninja samu "
		  "cargo go gradle gradlew sbt direnv java rust-script kotlinc dotnet",
		  run_rows },
		{ "pip pip3", run_pip },
		{ "cmake", run_cmake },
		{ "docker podman nerdctl docker-compose podman-compose", project_container },
		{ "sed gsed vim vi nvim view ex gvim gdb lldb tmux screen", run_scripts_of },
		{ "gcc cc clang g++ c++ clang++ tcc rustc go", run_compiler },
	};

	if (!r->e->world->read && !r->e->state->files)
		return;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (word_in_text(c->words[0], rows[i].names))
			rows[i].run(r, c);
}

const struct special special_project[] = {
	{ "make gmake bmake", run_make },
	{ "npm yarn pnpm", run_npm },
	{ "bun deno poetry uv pdm hatch pipenv rye conda mamba bundle nvm pixi asdf devbox",
	  run_runner },
	{ NULL, NULL },
};
