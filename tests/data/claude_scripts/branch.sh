#!/bin/sh
# Tells the branch.
echo 'branch: main'
