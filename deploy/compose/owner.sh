#!/bin/sh
# For an installation of 1.0, once: its service was a superuser of PostgreSQL. Makes the role `petstore_owner`, which owns the database, and
# replaces the replicas and the worker, which then connect as that role. No request is lost. You can run it again at any time.
set -eu
cd "$(dirname "$0")/../.."
exec </dev/null # which may be the next commands of the caller
secrets() { docker compose run --rm --no-deps -T secrets sh -c "cd /data && umask 077 && $1"; }

# Replicas read their address again for each connection, so it changes after the role is there.
password=$(secrets 'cat owner_password 2>/dev/null || { head -c 24 /dev/urandom | base64 | tr +/ -_ >new && mv new owner_password.new && cat owner_password.new; }')
{
  printf "\\\\set password '%s'\n" "$password"
  cat deploy/compose/owner-role.sql
} | docker compose exec -T postgres psql --username=petstore --dbname=petstore --no-psqlrc --quiet
secrets '{ [ -s owner_password ] || mv owner_password.new owner_password; } && sh /secrets.sh /data'
exec deploy/compose/roll.sh "$@"
