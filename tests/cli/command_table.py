"""The commands of the program, as --help lists them."""

import re


def leaves(box):
    """("hooks", "run") ... of every command."""
    usage = box.run('--help').out.split('\n\n')[0]
    for group in re.findall(r'^ +trotline (\w+)', usage, re.M):
        listed = re.search(r'^Commands:\n(.*?)\n\n', box.run(group, '--help').out, re.M | re.S)
        if not listed:
            yield (group,)
        for name in re.findall(r'^  (\w+) ', listed[1], re.M) if listed else ():
            yield group, name
