"""AfterModel: replaces a chunk of the answer that holds a key.  It stays ("persistent"): started once,
asked with a line for each chunk, and answers each with a line."""
import json
import re
import sys

KEY = re.compile(r'\bsk-[A-Za-z0-9-]{12,}')

for line in sys.stdin:
    event = json.loads(line)
    response = event['llm_response']
    answer = {'seq': event['seq']} if 'seq' in event else {}
    changed = False
    for candidate in response.get('candidates', []):
        parts = candidate['content']['parts']
        clean = [KEY.sub('[key removed]', part) for part in parts]
        changed |= clean != parts
        candidate['content']['parts'] = clean
    if changed:
        response.pop('text', None)
        answer['hookSpecificOutput'] = {'llm_response': response}
    print(json.dumps(answer), flush=True)
