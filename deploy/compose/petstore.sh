#!/bin/sh
# Runs a `petstore` command in a replica, in the name of who calls it: the history of a key shows it.
set -eu
cd "$(dirname "$0")/../.."
exec docker compose exec --env PETSTORE_ACTOR="${PETSTORE_ACTOR:-$(id -un)}" petstore petstore "$@"
