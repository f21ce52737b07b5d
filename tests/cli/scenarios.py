"""tests/scenario/run as a module, for tests in Python: Sandbox, Step, Failed, answer."""

import importlib.machinery
import importlib.util
import os
import sys


def load():
    path = os.path.join(os.environ['TEST_SOURCE_ROOT'], 'tests/scenario/run')
    loader = importlib.machinery.SourceFileLoader('scenario', path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('scenario', loader))
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = written
    return module
