#!/usr/bin/env python3
# What the session has cost: the sum over the messages of the assistant, and the context of the last.
import json
import sys

payload = json.load(sys.stdin)
sums, context = {}, 0
with open(payload['transcript_path']) as f:
    for line in f:
        entry = json.loads(line)
        if entry.get('type') != 'assistant' or entry.get('isSidechain'):
            continue
        usage = entry['message']['usage']
        for key in ('input_tokens', 'output_tokens', 'cache_read_input_tokens',
                    'cache_creation_input_tokens'):
            sums[key] = sums.get(key, 0) + usage.get(key, 0)
        context = (usage['input_tokens'] + usage['cache_read_input_tokens'] +
                   usage['cache_creation_input_tokens'])
with open('tokens', 'a') as f:
    f.write(json.dumps([sums, context, entry['message']['model']]) + '\n')
