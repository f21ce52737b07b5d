#!/bin/sh
# Blocks, and says nothing.
exit 2
