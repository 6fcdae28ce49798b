#!/bin/sh
# Creates the role `exporter`, which can read the statistics of PostgreSQL but no table.
set -eu
cd /var/lib/postgresql
[ -s password ] || head -c 24 /dev/urandom | base64 | tr '+/' '-_' | tr -d '\n' >password
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set password="$(cat password)" "$(cat /run/secrets/database_url)" <<'SQL'
SELECT 'CREATE ROLE exporter' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'exporter') \gexec
ALTER ROLE exporter LOGIN PASSWORD :'password';
GRANT pg_monitor TO exporter;
SQL
