#!/usr/bin/env python3
"""Complains about what was written."""
import sys

sys.stdin.read()
print("lint failed", file=sys.stderr)
sys.exit(2)
