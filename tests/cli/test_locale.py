#!/usr/bin/env python3
"""The unit tests of what judges, in hosts that have chosen another locale: in Turkish the capital of "i" is no "I", and in
the 8-bit ones of Western Europe bytes above 127 are letters.  What they prove holds there, too.  Prints TAP."""

import os
import shutil
import subprocess
import tempfile

from agentbox import TROTLINE, Tap, check

TESTS = 'answers', 'every_answer', 'match', 'regex', 'policy', 'config', 'secrets', 'str'
LOCALES = {'tr_TR': 'ISO-8859-9', 'de_DE': 'ISO-8859-1'}
BUILD = os.path.dirname(TROTLINE)
SAN = 'san' in os.path.basename(BUILD)  # a preloaded library would come before its own

tap = Tap()
with tempfile.TemporaryDirectory() as place:
    for name, charset in LOCALES.items():
        made = shutil.which('localedef') and subprocess.run(
            ['localedef', '-i', name, '-f', charset, os.path.join(place, name)], check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode < 4 and \
            os.path.exists(os.path.join(place, name, 'LC_CTYPE'))
        for test in TESTS:
            program = os.path.join(BUILD, 'tests/unit/test_' + test)
            point = 'C3.11, C5.1 nothing depends on the locale of the host: %s in %s' % (test, name)
            if SAN or not made or not os.path.exists(program):
                tap.point(point, skip='no such locale, or no such program')
                continue
            with tap.case(point):
                r = subprocess.run([program], env=dict(
                    os.environ, LOCPATH=place, LC_ALL=name, LD_PRELOAD=os.environ['LOCALE_SHIM']), check=False,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                bad = [l for l in r.stdout.decode(errors='replace').splitlines() if l.startswith('not ok') or 'no locale' in l]
                check(r.returncode == 0 and not bad, 'it fails', r.returncode, *bad)
tap.done()
