/*
 * Which files are behind a hook (C7.4): every way to name a script is either watched, so that a
 * change of the file keeps the hook from running, or the hook says that it is unwatched.
 */
#include "engine_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

#define SETTINGS "project/.gemini/settings.json"

enum { WATCHED, UNWATCHED };

/* The file that is changed is t/x.sh, where a row does not say otherwise. */
static const struct {
	const char *command; /* in JSON with single quotes as double ones; ` is a single quote */
	int want;
	const char *file;
} rows[] = {
	{ "t/x.sh", WATCHED },
	{ "./t/x.sh now", WATCHED },
	{ "sh t/x.sh", WATCHED },
	{ "bash -e ./t/x.sh", WATCHED },
	{ "bash -lc `./t/x.sh a`", WATCHED },
	{ "$GEMINI_PROJECT_DIR/t/x.sh", WATCHED },
	{ "`$GEMINI_PROJECT_DIR/t/x.sh`", WATCHED },
	{ "\\\"${GEMINI_PROJECT_DIR}\\\"/t/x.sh", WATCHED },
	{ "$(git rev-parse --show-toplevel)/t/x.sh", WATCHED },
	{ "\\\"$(git rev-parse --show-toplevel 2>/dev/null)/t/x.sh\\\"", WATCHED },
	{ "${NO_SUCH_VARIABLE:-.}/t/x.sh", WATCHED },
	{ "${GEMINI_PROJECT_DIR:-/nowhere}/t/x.sh", WATCHED },
	{ "${NO_SUCH_VARIABLE-t}/x.sh", WATCHED },
	{ "$(pwd)/t/x.sh", WATCHED },
	{ "\\\"$PWD\\\"/t/x.sh", WATCHED },
	{ "D=t; $D/x.sh", WATCHED },
	{ "D=t && \\\"$D/x.sh\\\"", WATCHED },
	{ "export D=$PWD/t; sh $D/x.sh", WATCHED },
	{ "if test -t 0; then D=u; else D=t; fi; $D/x.sh", UNWATCHED },
	{ "read D; $D/x.sh", UNWATCHED },
	{ "sh t/*.sh", UNWATCHED },
	{ "for f in t/*; do sh $f; done", UNWATCHED },
	{ "for f in t/x.sh; do sh $f; done", UNWATCHED },
	{ "$`t/x.sh`", WATCHED },
	{ "$`t\\\\x2fx.sh`", WATCHED },
	{ "t/\\\\x.sh", WATCHED },
	{ "t/\\\"x\\\"`.sh`", WATCHED },
	{ "t/\\\\\\nx.sh", WATCHED },
	{ "sh \\\\\\n  t/x.sh", WATCHED },
	{ "find t -name x.sh -exec sh {} ;", UNWATCHED },
	{ "find . -maxdepth 0 -exec ./t/x.sh {} \\\\;", WATCHED },
	{ "sh <(cat t/x.sh)", UNWATCHED },
	{ "cat t/x.sh | sh", WATCHED },
	{ "cat t/*.sh | sh", UNWATCHED },
	{ "curl -s example.invalid | sh", UNWATCHED },
	{ "echo ./t/x.sh | sh", WATCHED },
	{ "sh < t/x.sh", WATCHED },
	{ "sh", UNWATCHED },
	{ "sh <<E\\n. ./t/x.sh\\nE", WATCHED },
	{ "sh <<< t/x.sh", WATCHED },
	{ "make guard", WATCHED, "Makefile" },
	{ "make guard", WATCHED },
	{ "make -C t guard", WATCHED, "t/Makefile" },
	{ "npm run guard", WATCHED, "package.json" },
	{ "npm run guard", WATCHED },
	{ "cargo run", UNWATCHED },
	{ "cd t && ./x.sh", WATCHED },
	{ "(cd t; sh x.sh)", WATCHED },
	{ "cd $(mktemp -d) && ./x.sh", UNWATCHED },
	{ ". ./t/x.sh", WATCHED },
	{ "source t/x.sh", WATCHED },
	{ "eval ./t/x.sh", WATCHED },
	{ "eval \\\"$(cat t/x.sh)\\\"", UNWATCHED },
	{ "bash -c \\\"$(cat t/x.sh)\\\"", UNWATCHED },
	{ "node --require ./t/x.js -e 0", WATCHED, "t/x.js" },
	{ "node -r ./t/x -e 0", WATCHED, "t/x.js" },
	{ "node t/main.js", WATCHED, "t/x.js" },
	{ "bun t/main.js", WATCHED, "t/x.js" },
	{ "bun run ./t/main.js", WATCHED, "t/x.js" },
	{ "bun t/main.js", WATCHED, "bunfig.toml" },
	{ "python3 -m t.mod", WATCHED, "t/mod.py" },
	{ "python3 t/main.py", WATCHED, "t/mod.py" },
	{ "python3.11 -u t/mod.py", WATCHED, "t/mod.py" },
	{ "env X=y ./t/x.sh", WATCHED },
	{ "env -i PATH=/bin sh t/x.sh", WATCHED },
	{ "env -S `./t/x.sh a`", UNWATCHED },
	{ "/usr/bin/env -u X ./t/x.sh", WATCHED },
	{ "sudo -n ./t/x.sh", WATCHED },
	{ "timeout 5 nice -n 5 nohup setsid stdbuf -oL ./t/x.sh", WATCHED },
	{ "exec ./t/x.sh", WATCHED },
	{ "command ./t/x.sh", WATCHED },
	{ "time ./t/x.sh", WATCHED },
	{ "! ./t/x.sh", WATCHED },
	{ "true | xargs ./t/x.sh", WATCHED },
	{ "ls t/x.sh | xargs sh", UNWATCHED },
	{ "uv run t/mod.py", WATCHED, "t/mod.py" },
	{ "npx tsx t/x.js", WATCHED, "t/x.js" },
	{ "npx mytool", WATCHED, "node_modules/.bin/mytool" },
	{ "./t/outer.sh", WATCHED },
	{ "./t/outer.sh", WATCHED, "t/lib.sh" },
	{ "f() { ./t/x.sh; }; f", WATCHED },
	{ "if true; then ./t/x.sh; fi", WATCHED },
	{ "case x in x) ./t/x.sh;; esac", WATCHED },
	{ "trap ./t/x.sh EXIT; true now", WATCHED },
	{ "trap `./t/x.sh` EXIT", WATCHED },
	{ "$(echo ./t/x.sh)", WATCHED },
	{ "$(dirname t/x.sh)/x.sh", WATCHED },
	{ "$(cd t && pwd)/x.sh", WATCHED },
	{ "$(cat name)", UNWATCHED },
	{ "PATH=$PWD/t:$PATH x.sh", UNWATCHED },
	{ "export PATH=t:$PATH; x.sh", UNWATCHED },
	{ ": ${D:=t}; $D/x.sh", UNWATCHED },
	{ "BASH_ENV=t/x.sh bash -c :", WATCHED },
	{ "NODE_OPTIONS=`--require ./t/x.js` node -e 0", WATCHED, "t/x.js" },
	{ "export NODE_OPTIONS=--require=./t/x.js; node -e 0", WATCHED, "t/x.js" },
	{ "PERL5OPT=-MFoo perl -e 0", UNWATCHED },
	{ "node t/x", WATCHED, "t/x.js" },
	{ "node t", UNWATCHED },
	{ "python3 t", UNWATCHED },
	{ "node -e `require(\\\"./t/x\\\")`", WATCHED, "t/x.js" },
	{ "python3 -c `import os; import t.mod`", WATCHED, "t/mod.py" },
	{ "python3 -c `exec(open(\\\"t/mod.py\\\").read())`", WATCHED, "t/mod.py" },
	{ "awk -ft/x.sh", WATCHED },
	{ "git -c alias.x=!t/x.sh x", UNWATCHED },
	{ "LD_PRELOAD=./t/x.sh ls", WATCHED },
	{ "env BASH_ENV=t/x.sh bash -c :", WATCHED },
	{ "jq -f t/x.sh", WATCHED },
	{ "awk -f t/x.sh", WATCHED },
	{ "flock /tmp/l ./t/x.sh", WATCHED },
	{ "su -c `./t/x.sh a` me", WATCHED },
	{ "t/not-there.sh", WATCHED, "t/not-there.sh" },
	{ "[ -x t/not-there.sh ] && t/not-there.sh", WATCHED, "t/not-there.sh" },
	{ "t/x.sh $`\\\\``; true", UNWATCHED },
	{ "alias x=`sh t/x.sh`; shopt -s expand_aliases\\nx", WATCHED },
	{ "alias x=$(cat name); shopt -s expand_aliases\\nx", UNWATCHED },
	{ "declare -n n=f; f=t/x.sh; sh $n", UNWATCHED },
	{ "f=./t/x.sh; sh \\\"${f%/*}/x.sh\\\"", WATCHED },
	{ "a=t/x.sh; sh ${a[0]}", WATCHED },
	{ "sh $(cd t >/dev/null 2>&1 && pwd -P)/x.sh", WATCHED },
	{ "run-parts t", UNWATCHED },
	{ "perl -e `system(\\\"sh t/x.sh now\\\")`", WATCHED },
	{ "python3 -c `import os; os.system(\\\"sh t/x.sh\\\")`", WATCHED },
	{ "python3 -m runpy t.mod", WATCHED, "t/mod.py" },
	{ "python3 -m timeit -s `import t.mod` 1", WATCHED, "t/mod.py" },
	{ "t/split", WATCHED },
	{ "t/own", WATCHED },
	{ "bash t/source.sh", WATCHED, "t/lib.sh" },
	{ "bash t/here.sh", WATCHED, "t/lib.sh" },
	{ "node t/package.js", WATCHED, "t/pkg/start.js" },
	{ "python3 t/above.py", WATCHED, "t/lib/q.py" },
	{ "perl t/lib.pl", WATCHED, "t/lib/Q.pm" },
};

static const char *const files[][2] = {
	{ "project/.git/HEAD", "ref: x\n" },
	{ "project/name", "t/x.sh\n" },
	{ "project/Makefile", "guard:\n\t@./t/x.sh\n" },
	{ "project/t/Makefile", "guard:\n\ttrue\n" },
	{ "project/package.json", "{\"scripts\":{\"guard\":\"sh ./t/x.sh\"}}\n" },
	{ "project/t/x.sh", "#!/bin/sh\ntrue\n" },
	{ "project/t/lib.sh", "lib() { :; }\n" },
	{ "project/t/outer.sh", "#!/bin/bash\n. \"$(dirname \"$0\")/lib.sh\"\nsh t/x.sh\n" },
	{ "project/t/x.js", "module.exports = 1\n" },
	{ "project/t/main.js", "const x = require('./x')\n" },
	{ "project/t/mod.py", "pass\n" },
	{ "project/t/main.py", "from mod import x\n" },
	{ "project/node_modules/.bin/mytool", "#!/bin/sh\n" },
	{ "project/t/split", "#!/usr/bin/env -S sh t/x.sh\n" },
	{ "project/t/own", "#!t/x.sh\n" },
	{ "project/t/source.sh", "source \"${BASH_SOURCE%/*}/lib.sh\"\n" },
	{ "project/t/here.sh",
	  "HERE=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" >/dev/null 2>&1 && pwd)\"\n"
	  ". \"$HERE/lib.sh\"\n" },
	{ "project/t/package.js", "require('./pkg')\n" },
	{ "project/t/pkg/package.json", "{\"main\":\"start.js\"}\n" },
	{ "project/t/pkg/start.js", "1\n" },
	{ "project/t/above.py",
	  "import sys, os\n"
	  "sys.path.insert(0, os.path.join(os.path.dirname(__file__), 'lib'))\n"
	  "import q\n" },
	{ "project/t/lib/q.py", "pass\n" },
	{ "project/t/lib.pl", "use lib \"t/lib\";\nuse Q;\n" },
	{ "project/t/lib/Q.pm", "1;\n" },
};

static void make_files(void)
{
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		(void)fx_script(files[i][0], files[i][1]);
	(void)unlink(fx_path("project/t/not-there.sh"));
	(void)unlink(fx_path("project/bunfig.toml"));
}

static void configure(const char *command, const char *more)
{
	AUTO(buf_done) struct buf text = { 0 };

	for (const char *p = command; *p; p++)
		buf_addc(&text, *p == '`' ? '\'' : *p);
	(void)fx_write(SETTINGS,
		       fx_fmt("{\"hooks\":{\"BeforeTool\":[{\"hooks\":[{\"type\":\"command\","
			      "\"name\":\"g\",\"command\":\"%s\"%s}]}]}}",
			      buf_z(&text), more));
}

static struct tl_hook the_hook(struct tl_hooks *h)
{
	return fx_hook(h, 0);
}

static void c7_4_ways_to_name_a_script(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *file = fx_fmt("project/%s", rows[i].file ? rows[i].file : "t/x.sh");

		make_files();
		configure(rows[i].command, "");
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
		bool unwatched = *the_hook(h).unwatched;

		if (unwatched != (rows[i].want == UNWATCHED)) {
			print_error("%s: %s\n", rows[i].command,
				    unwatched ? the_hook(h).unwatched : "watched");
			failed++;
		}
		if (unwatched)
			continue;
		(void)fx_script(file, "something else\n");
		AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");
		if (fx_report(o, 0).how == TL_CLASS_NOT_STARTED)
			continue;
		print_error("%s: runs although %s changed\n", rows[i].command, file);
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* C7.4: "watch" names what cannot be told; then the hook is watched. */
static void c7_4_watch(void **state)
{
	static const char *const watches[] = { "t/x.sh",        "t",
					       "t/*",           "**/x.sh",
					       "./t/../t/x.sh", "t/not-there.sh" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(watches); i++) {
		make_files();
		configure("sh <(cat t/x.sh)", fx_fmt(",\"watch\":[\"%s\"]", watches[i]));
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
		assert_string_equal(the_hook(h).unwatched, "");
		AUTO(tl_outcome_free) struct tl_outcome *before = fx_fire_tool(h, "write_file");
		assert_int_equal(fx_report(before, 0).how, TL_CLASS_OK);
		(void)fx_script(i == 5 ? "project/t/not-there.sh" : "project/t/x.sh", "other\n");
		AUTO(tl_outcome_free) struct tl_outcome *after = fx_fire_tool(h, "write_file");
		if (fx_report(after, 0).how != TL_CLASS_NOT_STARTED)
			fail_msg("%s: not watched", watches[i]);
	}
}

/* C7.4: a script that changes itself, or is changed, while a guard runs: its word is not taken. */
static void c7_4_changed_while_it_runs(void **state)
{
	(void)state;
	make_files();
	(void)fx_script("project/t/x.sh", "#!/bin/sh\necho '#' >>\"$0\"\n");
	configure("t/x.sh", ",\"guard\":true");
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	fx_assert_has(fx_report(o, 0).message, "changed");
}

/*
 * C7.4: the notes that a hook keeps between its runs are no script of it, however it reads and
 * writes them: a loop's counter, say.  Each row is a script; `notes` is what changes.
 */
static void c7_4_notes_of_a_hook(void **state)
{
	static const struct {
		const char *run, *script, *notes;
		bool also_of_a_guard;
	} notes_of[] = {
		{ "sh t/n.sh", "F=t/loop.md\nawk 1 \"$F\"\nsed s/1/2/ $F >$F.tmp && mv $F.tmp $F\n",
		  "t/loop.md", true },
		{ "sh t/n.sh", "awk 1 t/count\ncat t/count\necho 2 | tee t/count\n", "t/count",
		  true },
		{ "sh t/n.sh", "awk 1 t/count\nsed -i s/1/2/ t/count\n", "t/count", true },
		{ "sh t/n.sh",
		  "F=t/loop.md\ncat $F\nsed -i.bak s/1/2/ \"$F\"\nrm -f \"${F}.bak\"\n"
		  "grep -q never \"$F\" && rm -f \"$F\"\n",
		  "t/loop.md", true },
		{ "sh t/n.sh", "F=t/loop.md\n[ ! -f \"$F\" ] || sed -i.bak s/1/2/ \"$F\"\n",
		  "t/loop.md", false },
		{ "sh t/n.sh", "mytool t/notes.json\n", "t/notes.json", false },
		{ "sh t/n.sh", "python3 - t/notes.json </dev/null\n", "t/notes.json", false },
		{ "python3 t/n.py", "import json\nn = json.load(open('t/notes.json'))\n",
		  "t/notes.json", false },
		{ "python3 t/n.py",
		  "import json\nn = json.load(open('t/count'))\njson.dump(n, open('t/count', 'w'))\n",
		  "t/count", true },
		{ "python3 t/n.py",
		  "n = load(HERE / 'notes.json')\n(HERE / 'notes.json').write_text(n)\n",
		  "t/notes.json", true },
		{ "node t/n.js",
		  "const n = require('./notes.json')\nfs.writeFileSync('t/notes.json', n)\n",
		  "t/notes.json", true },
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(notes_of); i++) {
		size_t k = i / 2;
		bool guard = i % 2;
		const char *name = fx_fmt("project/%s", notes_of[k].notes);

		(void)fx_script(fx_fmt("project/%s", strchr(notes_of[k].run, ' ') + 1),
				notes_of[k].script);
		(void)fx_script(name, "1\n");
		configure(notes_of[k].run, guard ? ",\"guard\":true" : "");
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
		(void)fx_script(name, "2\n");
		AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");
		bool ran = fx_report(o, 0).how != TL_CLASS_NOT_STARTED;

		if (ran != (!guard || notes_of[k].also_of_a_guard))
			fail_msg("%s, row %zu, %s: %s", notes_of[k].run, k,
				 guard ? "a guard" : "no guard", fx_report(o, 0).message);
		(void)unlink(fx_path(name));
	}
}

/*
 * What the model can do to the files of a guard: each row is a guard, and one change that would
 * make it say something else.  %s is the directory of its files.
 */
static const struct {
	const char *command, *change;
} guards[] = {
	{ "python3 %s/g.py", "%s/g.py" },
	{ "python3 %s/g.py", "%s/json.py" },
	{ "python3 -u %s/g.py", "%s/json/__init__.py" },
	{ "python3 %s/g.py", "%s/re.so" },
	{ "python3 %s/g.py", "%s/plain/__init__.py" },
	{ "python3 %s/g.py", "%s/mod.py" },
	{ "python3 %s/g.py", "%s/mod/__init__.py" },
	{ "python3 %s/g.py", "%s/pack/sub.py" },
	{ "python3 %s/g.py", "%s/pack/__init__.py" },
	{ "python3 %s/g.py", "%s/pack/sub/__init__.py" },
	{ "cd %s && python3 -c `import sys, json`", "%s/json.py" },
	{ "cd %s && python3 -m mod", "%s/json.py" },
	{ "PYTHONPATH=%s python3 -I %s/g.py", "%s/json.py" },
	{ "node %s/g.js", "%s/g.js" },
	{ "node %s/g.js", "%s/lib" },
	{ "node %s/g.js", "%s/lib.js" },
	{ "sh %s/g.sh", "%s/g.sh" },
	{ "%s/g.sh", "%s/local.sh" },
	{ "sh %s/g.sh", "%s/rules" },
	{ "sh %s/g.sh", "%s/filter.sed" },
	{ "if grep -qf %s/rules; then exit 2; fi", "%s/rules" },
	{ "cat %s/rules | grep -q x", "%s/rules" },
	{ "jq -e --slurpfile r %s/rules .", "%s/rules" },
	{ "PATH=%s/new:$PATH python3 -I %s/g.py", "%s/new/python3" },
	{ "PYTHONPATH=%s/pack python3 -c `import sub`", "%s/pack/sub.py" },
	{ "python3 %s/above.py", "%s/pack/json.py" },
	{ "%s/split.py", "%s/json.py" },
	{ "grep -q --file=%s/rules; exit 2", "%s/rules" },
	{ "cat %s/pack/*.py", "%s/pack/sub.py" },
	{ "jq -e .x", "home/.jq" },
	{ "bash -lc `cat %s/rules`", "home/.profile" },
	{ "python3 -c `import from_env`", "project/env/from_env.py" },
	{ "node -e 0", "project/env/preload.js" },
};

/* Changes that are none of its business. */
static const char *const harmless[][2] = {
	{ "python3 %s/g.py", "%s/notes.txt" },  { "python3 %s/g.py", "%s/plain/data.json" },
	{ "python3 -I %s/g.py", "%s/json.py" }, { "python3 -P %s/g.py", "%s/json.py" },
	{ "sh %s/g.sh", "%s/other.sh" },        { "sh %s/g.sh", "%s/log" },
	{ "node %s/g.js", "%s/other.js" },      { "jq -e .x %s/log", "%s/other" },
};

static void make_guard_files(const char *dir)
{
	static const char *const all[][2] = {
		{ "g.py", "import sys, json\nimport mod\nfrom pack import sub\n" },
		{ "mod.py", "x = 1\n" },
		{ "pack/__init__.py", "" },
		{ "pack/sub.py", "y = 1\n" },
		{ "plain/data.txt", "z\n" },
		{ "new/empty", "" },
		{ "g.js", "const c = require('./lib')\n" },
		{ "lib.js", "module.exports = 1\n" },
		{ "g.sh", "#!/bin/sh\ncd \"${0%/*}\" || exit 2\n[ -f local.sh ] && . ./local.sh\n"
			  "grep -qf rules && exit 2\nsed -f filter.sed >>log </dev/null\n"
			  "tail -n 1 log >/dev/null\nexit 0\n" },
		{ "above.py",
		  "import sys, os\nsys.path.append(os.path.dirname(__file__) + \"/pack\")\n" },
		{ "split.py", "#!/usr/bin/env -S python3 -u\nimport json\n" },
		{ "filter.sed", "p\n" },
		{ "log", "1\n" },
		{ "rules", "never\n" },
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		(void)fx_script(fx_fmt("%s/%s", dir, all[i][0]), all[i][1]);
	(void)unlink(fx_path("home/.jq"));
	(void)unlink(fx_path("home/.profile"));
	(void)fx_script("project/env/from_env.py", "pass\n");
	(void)fx_script("project/env/preload.js", "1\n");
	fx_setenv("PYTHONPATH", fx_path("project/env"));
	fx_setenv("NODE_OPTIONS", fx_fmt("--max-old-space-size=99 --require %s",
					 fx_path("project/env/preload.js")));
}

static const char *with_dir(const char *text, const char *dir)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (; *text; text++) {
		if (text[0] == '%' && text[1] == 's') {
			buf_addz(&out, dir);
			text++;
		} else {
			buf_addc(&out, *text == '`' ? '\'' : *text);
		}
	}
	return fx_fmt("%s", buf_z(&out));
}

/* The class of the guard after the change; the guard is configured in that file. */
static enum tl_class class_after(const char *settings, const char *command, const char *dir,
				 const char *change, bool *ret_unwatched)
{
	make_guard_files(dir);
	(void)fx_write(SETTINGS, "{}");
	(void)fx_write("home/.gemini/settings.json", "{}");
	(void)fx_write(settings,
		       fx_fmt("{\"hooks\":{\"BeforeTool\":[{\"hooks\":[{\"type\":\"command\","
			      "\"guard\":true,\"command\":\"%s\"}]}]}}",
			      with_dir(command, fx_path(dir))));
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
	*ret_unwatched = *the_hook(h).unwatched;
	(void)fx_script(with_dir(change, dir), "changed\n");
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");
	return fx_report(o, 0).how;
}

/*
 * C7.1, C7.4: a guard of any tier, with files in the project or elsewhere, is not started when one
 * of them changed, or one appeared that would be taken for it, or it says that it is unwatched.
 */
static void c7_4_guards_of_every_tier(void **state)
{
	static const char *const tiers[] = { "home/.gemini/settings.json", SETTINGS };
	static const char *const dirs[] = { "home", "project" };
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < (ARRAY_LEN(guards) + ARRAY_LEN(harmless)) * 4; i++) {
		size_t row = i / 4;
		bool bad = row < ARRAY_LEN(guards), unwatched;
		const char *command =
			bad ? guards[row].command : harmless[row - ARRAY_LEN(guards)][0];
		const char *change =
			bad ? guards[row].change : harmless[row - ARRAY_LEN(guards)][1];
		const char *dir = fx_fmt("%s/guards%zu", dirs[i % 2], i), *tier = tiers[i / 2 % 2];
		bool refused =
			class_after(tier, command, dir, change, &unwatched) == TL_CLASS_NOT_STARTED;

		if (bad ? refused || unwatched : !refused)
			continue;
		print_error("%s: %s in %s, %s changed: %s\n", tier, command, dir, change,
			    refused ? "not started" : "runs");
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* C7.4: however much python could import, the script itself is watched. */
static void c7_4_many_modules(void **state)
{
	enum { MODULES = 300 };

	(void)state;
	make_guard_files("project/many");
	for (int i = 0; i < MODULES; i++)
		(void)fx_script(fx_fmt("project/lib/m%d.py", i), "pass\n");
	(void)fx_write("home/.gemini/settings.json", "{}");
	configure("PYTHONPATH=lib python3 many/g.py", ",\"guard\":true");
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
	fx_assert_has(the_hook(h).unwatched, "too many files");
	(void)fx_script("project/many/g.py", "changed\n");
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_NOT_STARTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c7_4_guards_of_every_tier),
		ENGINE_TEST(c7_4_ways_to_name_a_script),
		ENGINE_TEST(c7_4_watch),
		ENGINE_TEST(c7_4_many_modules),
		ENGINE_TEST(c7_4_changed_while_it_runs),
		ENGINE_TEST(c7_4_notes_of_a_hook),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
