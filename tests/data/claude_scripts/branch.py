#!/usr/bin/env python3
"""Tells the branch."""
print("branch: main")
