/* PowerShell and cmd.exe where no shell is named: who typed it meant the shell of Windows. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

/* "Get-ChildItem": a word, a dash, a word, both with a capital. */
static bool is_cmdlet(struct str name)
{
	ptrdiff_t dash = str_chr(name, '-', 1);

	return dash > 0 && char_is_upper(name.p[0]) &&
	       char_is_upper(str_at(name, (size_t)dash + 1)) &&
	       sh_is_name(str_sub(name, 0, (size_t)dash)) &&
	       sh_is_name(str_sub(name, (size_t)dash + 1, name.n));
}

static struct str word_of(const struct sh_node *n, size_t i)
{
	return i < n->nwords && n->words[i].n == 1 ? n->words[i].p[0].text : STR("");
}

static bool is_of_windows(const struct sh_node *n)
{
	static const char both[] = "rm rmdir mv cp ls dir cat kill";
	static const char programs[] =
		"reg format cipher fsutil certutil bitsadmin taskkill wmic vssadmin icacls "
		"takeown schtasks robocopy del erase rd iwr irm iex gci ri %";
	struct str name = word_of(n, 0), first = word_of(n, 1);
	bool windows = first.n == 2 && first.p[0] == '/' && str_eqz(name, "rmdir");

	if (word_in_text(name, programs) || is_cmdlet(name))
		return true;
	/* Names of both systems: their options tell. */
	for (size_t i = 1; i < n->nwords && !windows; i++)
		windows = word_in_text(word_of(n, i), "-Recurse -Force -LiteralPath -ErrorAction");
	return windows && word_in_text(name, both);
}

bool windows_runs(const struct sh_node *n, const struct sh_node *last)
{
	while (!is_of_windows(n)) {
		if (n == last)
			return false;
		n = n->next;
	}
	return true;
}

/* [Type]::Member, a cmdlet, iex( */
static bool holds_powershell(struct str text)
{
	static const char aliases[] = "iex irm iwr gci ri IEX IWR IRM";
	ptrdiff_t type = str_find(text, STR("]::"), 0);

	if (type > 0 && char_is_word(text.p[type - 1]))
		return true;
	for (size_t i = 0, from; i < text.n; i++) {
		struct str word;

		from = i;
		while (i < text.n && (char_is_word(text.p[i]) || text.p[i] == '-'))
			i++;
		word = str_sub(text, from, i);
		if (is_cmdlet(word) || word_in_text(word, aliases))
			return true;
	}
	return false;
}

bool windows_typed(struct str text, bool is_read)
{
	struct str s = str_trim(text);
	size_t i = 1;

	/* $x = ..., $env:X = ... */
	while (i < s.n && (char_is_word(s.p[i]) || s.p[i] == ':'))
		i++;
	while (i > 1 && i < s.n && s.p[i] == ' ')
		i++;
	if (i > 1 && i + 1 < s.n && s.p[0] == '$' && s.p[i] == '=' && s.p[i + 1] != '=')
		return true;
	return !is_read && holds_powershell(text);
}
