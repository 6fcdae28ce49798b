#!/bin/sh
# Run by the image of PostgreSQL when it has made the database.
set -eu
{
  # No password in the arguments of a process, which others can see.
  printf "\\\\set password '%s'\n" "$(cat /run/secrets/owner_password)"
  cat /owner-role.sql
} | psql --username=petstore --dbname=petstore --no-psqlrc --quiet
