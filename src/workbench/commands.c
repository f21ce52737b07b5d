#include "workbench/commands.h"

#include "workbench/event_args.h"

static const char run_text[] =
	"Runs the hooks of this project's real configuration for one event and shows what each "
	"said\n"
	"and what they decided together.  What is not given is filled in with a sensible sample.\n"
	"\n"
	"  trotline hooks run BeforeTool --tool run_shell_command --input '{\"command\":\"ls\"}'\n"
	"  trotline hooks run BeforeAgent --payload '{\"prompt\":\"Delete everything\"}'\n"
	"  trotline hooks run SessionStart --subject resume --json\n"
	"\n"
	"Exit status: 0 allowed, 2 denied, 3 stopped, 4 the user would be asked; 1 usage,\n"
	"52 broken configuration, 55 unapproved project hooks.\n";

static const char why_text[] =
	"Runs nothing.  Says for each hook of the event whether it would run and, if not, why.\n"
	"\n"
	"  trotline hooks why BeforeTool --tool write_file\n"
	"\n"
	"With the id of a firing, which denials in other agents name, it says what happened:\n"
	"agent, session, hooks, verdicts and reasons, each with its place.\n"
	"\n"
	"  trotline hooks why 4f1c2a9b03\n";

static const char log_text[] =
	"Shows the last firings, of all agents and sessions, a line each: when, whose, the event\n"
	"and what came of it, and the id that \"hooks why\" explains.\n"
	"\n"
	"  trotline hooks log --follow             and those to come, until Ctrl-C\n"
	"  trotline hooks log --denied --agent codex\n"
	"  trotline hooks log --follow --json      a record on each line\n";

static const char history_text[] =
	"Shows the last sessions, of all agents, a line each: when it was last heard of, whose, its id,\n"
	"how many events it had, and what was denied.  A session is what the agent calls one.\n"
	"\n"
	"  trotline hooks history --agent codex\n"
	"  trotline hooks history --denied\n"
	"  trotline hooks report --session ID      what each hook did in it\n"
	"  trotline hooks log --session ID         its firings\n";

static const char list_text[] =
	"Lists the hooks that are in force, in the order in which they run: project, user, "
	"system,\n"
	"extension; guards last.  --all also shows those that are disabled or not trusted.\n";

static const char lint_text[] =
	"Looks for everything that is wrong or suspicious in the configuration, or in the given\n"
	"settings files: unknown events and keys, matchers that never match, scripts that are not\n"
	"there, timeouts in the wrong unit, MCP servers that cannot start.  Nothing is run.\n"
	"Exit status 1 when there are errors.\n";

static const char test_text[] =
	"Runs the real hooks on events from files and compares what they decide with what is\n"
	"expected.  A fixture is made with: trotline hooks run EVENT ... --save FILE\n"
	"\n"
	"  trotline hooks test tests/hooks/*.json\n"
	"  trotline hooks test --junit report.xml tests/hooks/*.json\n";

static const char report_text[] =
	"Shows what each hook did in a session: how often it ran, what it denied, changed or "
	"added,\n"
	"and when it failed.  Made from ~/.trotline/records.jsonl.\n"
	"\n"
	"  trotline hooks report                 the last session\n"
	"  trotline hooks report --session ID\n"
	"  trotline hooks report --last          the last firing, with all that is known of it\n";

static const char trust_text[] =
	"Shows the hooks that this project brings along, with the scripts that they start, and\n"
	"approves them as they are now.  A hook that changes later must be approved again.\n"
	"\n"
	"  trotline hooks trust            show them and ask\n"
	"  trotline hooks trust --yes      approve without asking\n"
	"  trotline hooks trust --list     what is approved, new or changed\n"
	"  trotline hooks trust --revoke   forget the approval\n";

static const char switch_text[] =
	"Adds the hook's name (or its command, when it has no name) to hooksConfig.disabled of "
	"the\n"
	"project's settings, or takes it out; comments and layout of the file are kept.  NAME may\n"
	"also be that of the file which the command runs, when only one hook runs it.\n"
	"Hooks of the system tier cannot be disabled.\n";

static const char schema_text[] =
	"Prints a JSON Schema (draft 7), made from the tables that the engine works with.\n"
	"\n"
	"  trotline hooks schema                     of settings files\n"
	"  trotline hooks schema answers             what hooks may answer, as Markdown\n"
	"  trotline hooks schema input BeforeTool    of what a hook reads on stdin\n"
	"  trotline hooks schema output BeforeTool   of what a hook may print\n";

static const char init_text[] =
	"Writes a commented settings file and a first hook that works, in the language you like.\n"
	"Settings that exist get the hook and keep their other bytes; other files that exist are\n"
	"left alone.\n"
	"\n"
	"  trotline hooks init --language python\n"
	"  trotline hooks init --scope user        for every project, and for other agents\n";

static const char install_text[] =
	"Writes a hook into the settings of an agent; comments and layout of the file are kept.\n"
	"Done twice it changes nothing, and with another command, matcher or timeout it brings\n"
	"the entry up to date.  COMMAND is one argument: quote it.\n"
	"\n"
	"  trotline hooks install guard BeforeTool './guard.sh --strict' --matcher 'write_file'\n"
	"  trotline hooks install guard PreToolUse /opt/guard --into claude --scope user\n"
	"  trotline hooks install guard BeforeTool /opt/guard --dry-run\n"
	"\n"
	"Without NAME it is trotline itself that becomes the hook of other agents (docs/hosts.md):\n"
	"\n"
	"  trotline hooks install --into claude,codex\n"
	"  trotline hooks install --all --dry-run\n";

static const char status_text[] =
	"For each agent on this machine: its version (from its package: the program is not\n"
	"started), whether our tests have seen that version, where trotline is installed, what\n"
	"is still to be done, what cannot be guarded there, and other hooks that overrule ours.\n"
	"\n"
	"  trotline hooks status\n"
	"  trotline hooks status --all --json\n";

static const char uninstall_text[] =
	"Takes out what install has put in, and leaves the file as it was before.\n"
	"\n"
	"  trotline hooks uninstall guard\n"
	"  trotline hooks uninstall guard --into claude --scope user\n"
	"  trotline hooks uninstall --into claude,codex\n";

static const char migrate_text[] =
	"Translates hooks of another agent into .gemini/settings.json: events, tool names in\n"
	"matchers, timeouts, variables in commands.  They are added to those that are there.\n"
	"What cannot be expressed is reported with its place.\n"
	"\n"
	"  trotline hooks migrate --from-claude --dry-run\n"
	"  trotline hooks migrate --from tabnine\n"
	"\n"
	"Claude's hooks also run as they are: \"hooksConfig\": {\"sources\": [\"claude\"]}.\n"
	"Exit status: 0 all hooks were migrated, 3 some were not; 1 usage or nothing to migrate,\n"
	"52 a settings file that cannot be used.\n";

const struct command hooks_commands[] = {
	{ .name = "run",
	  .args = "EVENT",
	  .summary = "fire an event and show what each hook says",
	  .text = run_text,
	  .facts = event_names,
	  .opts = &run_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .work = wb_run },
	{ .name = "reap",
	  .args = "EVENT",
	  .summary = "fire an event for a program that has ended",
	  .opts = &reap_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .hidden = true,
	  .work = wb_reap },
	{ .name = "why",
	  .args = "EVENT|ID",
	  .summary = "explain which hooks would run, or what a firing came to",
	  .text = why_text,
	  .opts = &why_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .work = wb_why },
	{ .name = "list",
	  .summary = "list the hooks in run order",
	  .text = list_text,
	  .opts = &list_opts,
	  .work = wb_list },
	{ .name = "lint",
	  .args = "[FILE...]",
	  .summary = "check the configuration",
	  .text = lint_text,
	  .opts = &lint_opts,
	  .max_args = -1,
	  .work = wb_lint },
	{ .name = "report",
	  .summary = "show what each hook did in a session",
	  .text = report_text,
	  .opts = &report_opts,
	  .work = wb_report },
	{ .name = "log",
	  .summary = "show firings of all agents, also as they happen",
	  .text = log_text,
	  .opts = &log_opts,
	  .work = wb_log },
	{ .name = "history",
	  .summary = "list the sessions of all agents",
	  .text = history_text,
	  .opts = &history_opts,
	  .work = wb_history },
	{ .name = "test",
	  .args = "FILE...",
	  .summary = "test hooks with fixtures",
	  .text = test_text,
	  .opts = &test_opts,
	  .min_args = 1,
	  .max_args = -1,
	  .work = wb_test },
	{ .name = "trust",
	  .args = "[list|revoke] [DIR]",
	  .max_args = 2,
	  .summary = "look at the project's hooks and approve them",
	  .text = trust_text,
	  .opts = &trust_opts,
	  .work = wb_trust },
	{ .name = "enable",
	  .args = "NAME",
	  .summary = "switch a hook on again",
	  .text = switch_text,
	  .opts = &switch_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .work = wb_enable },
	{ .name = "disable",
	  .args = "NAME",
	  .summary = "switch a hook off",
	  .text = switch_text,
	  .opts = &switch_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .work = wb_disable },
	{ .name = "schema",
	  .args = "[input|output EVENT]",
	  .summary = "print a JSON Schema",
	  .text = schema_text,
	  .opts = &schema_opts,
	  .raw = true,
	  .max_args = 2,
	  .work = wb_schema },
	{ .name = "init",
	  .summary = "write a first configuration and hook",
	  .text = init_text,
	  .opts = &init_opts,
	  .work = wb_init },
	{ .name = "install",
	  .args = "[NAME EVENT COMMAND]",
	  .summary = "write a hook, or trotline itself, into an agent's settings",
	  .text = install_text,
	  .opts = &install_opts,
	  .max_args = 3,
	  .work = wb_install },
	{ .name = "uninstall",
	  .args = "[NAME]",
	  .summary = "take a hook, or trotline itself, out of an agent's settings",
	  .text = uninstall_text,
	  .opts = &uninstall_opts,
	  .max_args = 1,
	  .work = wb_uninstall },
	{ .name = "status",
	  .summary = "agents on this machine, and where trotline is their hook",
	  .text = status_text,
	  .opts = &status_opts,
	  .work = wb_status },
	{ .name = "doctor",
	  .summary = "the same as status",
	  .text = status_text,
	  .opts = &status_opts,
	  .hidden = true,
	  .work = wb_status },
	{ .name = "migrate",
	  .summary = "translate another agent's hooks",
	  .text = migrate_text,
	  .opts = &migrate_opts,
	  .work = wb_migrate },
};
const size_t hooks_commands_n = ARRAY_LEN(hooks_commands);

static const char policy_why_text[] =
	"Runs nothing.  Says which rule of the policy decides about a call, where it is, and why\n"
	"the others do not, and which rule of the packs that are on.\n"
	"\n"
	"  trotline policy why run_shell_command '{\"command\":\"git push\"}'\n"
	"  trotline policy why write_file --headless\n"
	"\n"
	"Exit status: 0 allowed, 2 denied, 4 the user is asked; 1 usage, 52 a policy or settings\n"
	"file that cannot be used.\n";

const struct command policy_commands[] = {
	{ .name = "why",
	  .args = "TOOL [ARGS_JSON]",
	  .summary = "explain which rule decides about a call",
	  .text = policy_why_text,
	  .opts = &policy_why_opts,
	  .min_args = 1,
	  .max_args = 2,
	  .work = wb_policy_why },
};
const size_t policy_commands_n = ARRAY_LEN(policy_commands);

static const char guard_test_text[] =
	"Judges calls with packs or policy files and compares what they say with what is expected:\n"
	"the fixtures are NAME.test.jsonl next to NAME.toml, a line of JSON a call.\n"
	"\n"
	"  {\"command\": \"rm -rf ~\", \"expect\": \"deny\", \"rule\": \"home\"}\n"
	"  {\"tool\": \"write_file\", \"input\": {\"file_path\": \"a.txt\"}, \"expect\": \"allow\"}\n"
	"\n"
	"  trotline guard test .trotline/policies/deploy.toml\n"
	"\n"
	"--batch reads such lines from stdin and prints a line for each: verdict, reason, pack,\n"
	"rule, effects, and the microseconds that it took.  Nothing is run.\n";

static const char guard_on_text[] =
	"Switches packs on: policies that come with this program and stop what cannot be undone.\n"
	"Without names: agents, destructive, git, secrets, supply.\n"
	"\n"
	"  trotline guard on                       for all of your projects\n"
	"  trotline guard on --project publish     one more, for this project\n"
	"  trotline guard on --into claude,codex   and make these agents ask the guard; all = those\n"
	"                                          that you use\n"
	"\n"
	"It edits \"guard\": {\"packs\": [...]} in ~/.trotline/settings.json and keeps every other\n"
	"byte.  At a terminal it offers to make the agents that you use ask the guard, as\n"
	"trotline hooks install --all does.\n";

static const char guard_off_text[] =
	"Switches packs off, without names all of them, and leaves the settings as they were.\n"
	"The hooks in other agents stay: trotline hooks uninstall --all\n"
	"\n"
	"  trotline guard off\n"
	"  trotline guard off secrets\n";

static const char guard_list_text[] =
	"Lists the packs with their versions, where settings switch them on, and the exceptions\n"
	"that count here.\n";

static const char guard_why_text[] =
	"Runs nothing.  Says what a command does (docs/effects.md explains the words), and which\n"
	"rule of which pack stops it.\n"
	"\n"
	"  trotline guard why 'rm -rf ~'\n"
	"  trotline guard why --all 'curl https://example.com/x.sh | sh'\n"
	"  trotline guard why --tool write_file '{\"file_path\": \"/etc/hosts\"}'\n"
	"\n"
	"Exit status: 0 allowed, 2 denied, 4 the user is asked.\n";

const struct command guard_commands[] = {
	{ .name = "on",
	  .args = "[PACK...]",
	  .summary = "switch packs on",
	  .text = guard_on_text,
	  .opts = &guard_on_opts,
	  .max_args = -1,
	  .work = wb_guard_on },
	{ .name = "off",
	  .args = "[PACK...]",
	  .summary = "switch packs off",
	  .text = guard_off_text,
	  .opts = &guard_off_opts,
	  .max_args = -1,
	  .work = wb_guard_off },
	{ .name = "list",
	  .summary = "list the packs, and where they are on",
	  .text = guard_list_text,
	  .opts = &guard_list_opts,
	  .work = wb_guard_list },
	{ .name = "why",
	  .args = "COMMAND|ARGS_JSON",
	  .summary = "explain what a call does, and which rule stops it",
	  .text = guard_why_text,
	  .opts = &guard_why_opts,
	  .min_args = 1,
	  .max_args = 1,
	  .work = wb_guard_why },
	{ .name = "test",
	  .args = "[PACK|FILE...]",
	  .summary = "judge calls and compare with what is expected",
	  .text = guard_test_text,
	  .opts = &guard_test_opts,
	  .max_args = -1,
	  .work = wb_guard_test },
};
const size_t guard_commands_n = ARRAY_LEN(guard_commands);
