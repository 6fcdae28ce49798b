#!/bin/sh
# Creates the role `exporter`, which can read the statistics of PostgreSQL but no table.
set -eu
cd /var/lib/postgresql
[ -s password ] || head -c 24 /dev/urandom | base64 | tr '+/' '-_' | tr -d '\n' >password
# No password in the arguments of a process, which others can see.
PGPASSWORD=$(cat /run/secrets/postgres_password)
export PGPASSWORD
psql --host=postgres --username=petstore --no-psqlrc --quiet --set ON_ERROR_STOP=1 <<'SQL'
\set password `cat password`
SELECT 'CREATE ROLE exporter' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'exporter') \gexec
ALTER ROLE exporter LOGIN PASSWORD :'password';
GRANT pg_monitor TO exporter;
SQL
