"""The tools that agents offer to their models, as they were seen: a line of tools.jsonl for each, with the agent,
its name, and arguments that fit its schema.  tests/cli/test_hosts_tools.py asks hooks about each."""

import json
import os

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tools.jsonl')


def sample(schema, depth=0):
    """A value that fits a JSON schema."""
    for name in ('anyOf', 'oneOf', 'allOf'):
        if schema.get(name) and 'type' not in schema:
            return sample(schema[name][0], depth)
    kind = schema.get('type')
    kind = kind[0] if isinstance(kind, list) else kind
    if kind in ('object', 'OBJECT') or 'properties' in schema:
        return {k: sample(v, depth + 1) for k, v in (schema.get('properties') or {}).items()} if depth < 4 else {}
    if kind in ('array', 'ARRAY'):
        return [sample(schema.get('items') or {}, depth + 1)]
    return {'integer': 1, 'number': 1, 'boolean': True}.get((kind or '').lower(), 's')


def offered(tools):
    """{name: arguments} of the tools of a request, in whichever protocol."""
    found = {}
    for tool in tools if isinstance(tools, list) else ():
        for one in tool.get('functionDeclarations') or [tool.get('function') or tool]:
            schema = one.get('parameters') or one.get('parametersJsonSchema') or one.get('input_schema') or \
                json.loads(one.get('input_schema_json') or '{}')
            args = sample(schema)
            if one.get('name') and args and isinstance(args, dict):
                found[one['name']] = args
    return found


def rows():
    with open(FILE, encoding='utf-8') as f:
        return [json.loads(line) for line in f]


def line(agent, tool, args):
    return json.dumps([agent, tool, args])


def news(agent, found):
    """Lines for what is not in the file: a new tool, or new arguments of one."""
    known = {tool: args for who, tool, args in rows() if who == agent}
    return [line(agent, tool, args) for tool, args in sorted(found.items()) if not set(args) <= set(known.get(tool, ()))
            or tool not in known]
