#!/bin/sh
# Runs a `petstore` command in a replica, under the caller's name, which the history of a key records.
set -eu
cd "$(dirname "$0")/../.."
exec docker compose exec --env PETSTORE_ACTOR="${PETSTORE_ACTOR:-$(id -un)}" petstore petstore "$@"
