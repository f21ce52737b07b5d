#!/bin/sh
# SessionStart and BeforeAgent: tells the agent the branch, the last commit and what is changed.
# Silent where there is no git, or no repository.  It needs nothing of the payload.
set -eu

command -v git >/dev/null || exit 0
[ "$(git rev-parse --is-inside-work-tree 2>/dev/null)" = true ] || exit 0
export GIT_OPTIONAL_LOCKS=0

files_max=10
changed=$(git status --porcelain --untracked-files=normal -- .)
context=$(
	echo "Git branch: $(git symbolic-ref --short -q HEAD || echo '(detached)')"
	echo "Last commit: $(git log -1 --format='%h %s' 2>/dev/null || echo none)"
	if [ -z "$changed" ]; then
		echo "No uncommitted changes here."
	else
		echo "Uncommitted changes here ($(printf '%s\n' "$changed" | wc -l | tr -d ' ')):"
		printf '%s\n' "$changed" | head -n "$files_max"
	fi
)

# A JSON string: \ and " escaped, line breaks as \n, other control characters gone.
string=$(printf '%s\n' "$context" | tr -d '\000-\011\013-\037\177' |
	sed 's/\\/\\\\/g; s/"/\\"/g' | awk '{ printf "%s%s", (NR > 1 ? "\\n" : ""), $0 }')
printf '{"hookSpecificOutput":{"additionalContext":"%s"}}\n' "$string"
