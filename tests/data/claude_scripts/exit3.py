#!/usr/bin/env python3
"""Fails with a status of its own."""
import sys

print("eslint: not found", file=sys.stderr)
sys.exit(3)
