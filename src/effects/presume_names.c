/* What the name of an option, of a variable or of a program says of what follows it. */

#include "base/words.h"

#include "effects/run.h"

/* Parts of names: --post-exec, ProxyCommand, run_cmd. */
static const char starting[] =
	"exec execute command commands cmd cmds wrapper shell hook hooks launcher pager spawn "
	"toolexec runner run";
static const char denying[] = "deny denied block blocked exclude ignore forbid forbidden disallow "
			      "disallowed allow allowed";
static const char switching[] = "no not without skip never only dry";
static const char telling[] =
	"message msg title body note notes description desc comment comments text subject summary "
	"label labels reason name query pattern grep search find filter match regex regexp prompt "
	"expect content data json payload input tag tags caption annotation annotations changelog "
	"topic say echo explain example doc docs question answer issue error warning info header "
	"footer help usage log prose string keyword keywords reply include exclude test tests spec suite";
/* Programs that show, search, send or check text, and start nothing that it names. */
static const char texts[] =
	"Write-Host Write-Output Write-Verbose Write-Warning Write-Error logger notify-send cowsay cowthink figlet toilet lolcat banner espeak espeak-ng say wall write "
	"expr seq tput dialog whiptail zenity kdialog shellcheck shfmt bashate explainshell cheat howdoi "
	"llm sgpt ollama mods aichat glow pandoc mdcat jq yq dasel gron fx jello jo xmllint xmlstarlet "
	"htmlq pup column paste comm cmp colordiff strings wc cut nl fmt iconv md5sum sha1sum sha256sum "
	"semgrep ast-grep comby sd fastmod codespell vale aspell hunspell ctags mail mailx mutt "
	"slackcat jira linear todo.sh taskwarrior wl-copy xclip xsel pbcopy clip clip.exe qrencode "
	"pytest py.test jest vitest mocha ava tap rspec minitest phpunit ctest bats nose2 playwright "
	"cypress dcg nah cc-safety-net safe-chains trotline-hook rgrep ugrep sift pcregrep pcre2grep git-grep look dict spell highlight pygmentize http https "
	"httpie xh wscat websocat grpcurl graphqurl twurl telegram-send ntfy apprise mosquitto_pub "
	"amqp-publish nats kcat kafkacat commitizen cz gitmoji hub glab "
	"trotline gh Get-Help Get-Command Write-Host Write-Output";

/* Parts of the names of such programs. */
static const char texting[] = "grep search lint linter note notes todo todos issue issues journal";

/* "ProxyCommand" has the parts "proxy" and "command". */
static bool next_part(struct str name, size_t *at, char *to, size_t size, struct str *ret_part)
{
	size_t n = 0, i = *at;

	while (i < name.n && !char_is_alnum(name.p[i]))
		i++;
	for (; i < name.n && char_is_alnum(name.p[i]) && n < size; i++, n++) {
		bool upper = char_is_upper(name.p[i]);

		if (n && upper && name.p[i - 1] >= 'a')
			break;
		to[n] = char_lower(name.p[i]);
	}
	*at = i;
	*ret_part = (struct str){ to, n };
	return n > 0;
}

bool name_has_part(struct str name, const char *parts)
{
	char lower[32];
	struct str part;

	for (size_t at = 0; next_part(name, &at, lower, sizeof lower, &part);)
		if (word_in_text(part, parts))
			return true;
	return false;
}

/*
 * Of an option as it is written, or of the name before "=".  The last part says what it is: a
 * prompt-command is a command, a command-description a text.
 */
enum says name_says(struct str name, bool has_rows)
{
	char lower[32];
	struct str part;
	bool starts = false, last = false, tells = false;

	if (str_eqz(name, "-c") || str_eqz(name, "/c") || str_eqz(name, "-lc"))
		return has_rows ? SAYS_NOTHING : SAYS_START;
	if (str_eqz(name, "-m"))
		return SAYS_TEXT;
	if (name.n < 3 || str_eqz(name, "-run")) /* of Go: a pattern */
		return SAYS_NOTHING;
	for (size_t at = 0; next_part(name, &at, lower, sizeof lower, &part);) {
		last = word_in_text(part, starting);
		starts |= last;
		tells |= word_in_text(part, telling);
	}
	if (starts && name_has_part(name, denying))
		return SAYS_TEXT;
	if (starts && name_has_part(name, switching))
		return SAYS_NOTHING;
	return last ? SAYS_START : tells ? SAYS_TEXT : starts ? SAYS_START : SAYS_NOTHING;
}

bool takes_text(struct str name)
{
	return word_in_text(name, texts) || name_has_part(name, texting);
}
