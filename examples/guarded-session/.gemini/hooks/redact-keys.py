"""AfterModel: replaces a chunk of the answer that holds a key."""
import json
import re
import sys

KEY = re.compile(r'\bsk-[A-Za-z0-9-]{12,}')

response = json.load(sys.stdin)['llm_response']
changed = False
for candidate in response.get('candidates', []):
    parts = candidate['content']['parts']
    clean = [KEY.sub('[key removed]', part) for part in parts]
    changed |= clean != parts
    candidate['content']['parts'] = clean
if changed:
    response.pop('text', None)
    print(json.dumps({'hookSpecificOutput': {'llm_response': response}}))
