#!/bin/sh
# SubagentStop: what the sub-agent was asked and what it said, by its own transcript.
python3 -c '
import json, sys
p = json.load(sys.stdin)
lines = [json.loads(line) for line in open(p["agent_transcript_path"])]
texts = [b["text"] for l in lines if l["type"] == "assistant" for b in l["message"]["content"] if b["type"] == "text"]
main = [json.loads(line) for line in open(p["transcript_path"])]
with open("agents", "a") as f:
    f.write(json.dumps({"asked": lines[0]["message"]["content"], "said": texts, "last": p["last_assistant_message"],
        "type": p["agent_type"], "id": p["agent_id"], "ids": sorted({l["agentId"] for l in lines}),
        "sidechain": [all(l["isSidechain"] for l in lines), any(l["isSidechain"] for l in main)],
        "session": sorted({l["sessionId"] for l in lines + main}) == [p["session_id"]],
        "paths": [p["transcript_path"], p["agent_transcript_path"]]}) + "\n")
'
