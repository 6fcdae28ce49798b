#!/bin/sh
# Puts a backup of backup.sh in place of all that is in the database, with nothing of the service running, and starts the
# service. In one transaction: a restore that fails leaves the database as it was, and the service stopped.
#
#   deploy/backup/restore.sh compose|kubernetes|here FOLDER
set -eu
umask 077
. "$(dirname "$0")/target.sh"
folder=${2:?The second argument is the folder of the backup.}
[ -s "$folder/petstore.dump" ] || fail "$folder has no petstore.dump."

psql='psql --dbname="$URL" --no-psqlrc --quiet --set ON_ERROR_STOP=1'
script() {
  echo 'BEGIN;'
  cat "$root/deploy/backup/empty.sql"
  # Nothing is committed without the last line.
  if client 'pg_restore --no-owner --no-acl --file=-' <"$folder/petstore.dump"; then
    cat "$root/deploy/backup/new-ids.sql"
    echo 'COMMIT;'
  else
    echo 'SELECT 1 / 0 AS "the dump cannot be read";'
  fi
}

trap disconnect EXIT
stop
connect
others=$(client "$psql --tuples-only --no-align" <<'SQL'
  SELECT count(*) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND backend_type = 'client backend' AND usename <> 'exporter';
SQL
)
[ "$others" = 0 ] || fail "$others connections to the database are open. Stop the service and its workers first."
script | client "$psql --output=/dev/null"
write_keys <"$folder/webhook-secret-keys"
say 'The database is that of the backup.'
start
