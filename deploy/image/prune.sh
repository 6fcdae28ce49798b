#!/bin/sh
# Deletes from the given node_modules folder what a running service never reads: source maps, type declarations, documents other than
# licences, and builds for browsers and bundlers.
set -eu
cd "$1"

find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.tsbuildinfo' \) -delete
find . -type f -iname '*.md' ! -iname '*licen[cs]e*' ! -iname '*notice*' -delete
rm -rf typeorm/browser \
  rxjs/src rxjs/dist/bundles rxjs/dist/esm rxjs/dist/esm5 \
  class-validator/bundles class-validator/esm5 class-validator/esm2015
rm -f swagger-ui-dist/swagger-ui-es-bundle*
find . -type d -empty -delete
