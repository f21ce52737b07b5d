#!/usr/bin/env python3
"""AfterModel: blacks out e-mail addresses and tokens in the model's text.

The event comes for every chunk of a streamed answer; what is cut in two by the border of a chunk
is not seen."""

import json
import re
import sys

RULES = [
    (re.compile(r'[\w.+-]{1,64}@[\w-]+(\.[\w-]+)+'), '[e-mail]'),
    (re.compile(r'\b(gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|AKIA[A-Z0-9]{16}|'
                r'AIza[\w-]{35}|xox[abpr]-[\w-]{8,}|sk-[\w-]{20,}|eyJ[\w-]+\.[\w-]+\.[\w-]+)'),
     '[token]'),
]


def clean(text):
    for pattern, instead in RULES:
        text = pattern.sub(instead, text)
    return text


def clean_part(part):
    if isinstance(part, str):
        return clean(part)
    if isinstance(part, dict) and isinstance(part.get('text'), str):
        return dict(part, text=clean(part['text']))
    return part


def main():
    response = json.load(sys.stdin)['llm_response']
    before = json.dumps(response)
    if isinstance(response.get('text'), str):
        response['text'] = clean(response['text'])
    for candidate in response.get('candidates') or []:
        content = candidate.get('content') or {}
        if 'parts' in content:
            content['parts'] = [clean_part(part) for part in content['parts']]
    if json.dumps(response) != before:  # else there is nothing to say
        print(json.dumps({'hookSpecificOutput': {'hookEventName': 'AfterModel',
                                                 'llm_response': response}}))


try:
    main()
except Exception as error:
    sys.exit('redact: %s: %s' % (type(error).__name__, error))
