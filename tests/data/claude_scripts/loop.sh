#!/bin/bash
# Stop: goes on until the last message of the assistant has <promise>DONE</promise> in it.
input=$(cat)
transcript=$(printf '%s' "$input" | sed -n 's/.*"transcript_path":"\([^"]*\)".*/\1/p')
[ -f "$transcript" ] || { echo "no transcript" >&2; exit 0; }
grep -q '"role":"assistant"' "$transcript" || { echo "nobody spoke" >&2; exit 0; }
last=$(grep '"role":"assistant"' "$transcript" | tail -1 | python3 -c '
import json, sys
blocks = json.load(sys.stdin)["message"]["content"]
print("\n".join(b["text"] for b in blocks if b["type"] == "text"))')
case $last in
  *'<promise>DONE</promise>'*) exit 0 ;;
esac
echo "$last" >>rounds
printf '{"decision":"block","reason":"go on: round %s"}\n' "$(wc -l <rounds)"
