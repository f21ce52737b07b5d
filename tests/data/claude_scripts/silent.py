#!/usr/bin/env python3
"""Blocks, and says nothing."""
import sys

sys.exit(2)
