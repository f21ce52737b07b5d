#!/bin/sh
cat >/dev/null
echo 'branch: main'
